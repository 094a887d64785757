//! What the user typed, taken out of the wrappers that Cursor put around it.
//!
//! Agents' messages carry `<user_query>`, `<timestamp>`, `<attached_files>`, `<user_info>` and many more
//! tags. The words stay words; everything else becomes a time, pictures or attachments. Nothing is dropped.

use backscroll_model::{Attachment, AttachmentKind, Image, LineRange, Message, Part};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use crate::media_type::media_type;
use crate::tags;
use crate::tags::Element;

/// A user's message without its wrappers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserText {
    /// What the user typed, verbatim; empty if the message is context only.
    pub text: String,
    /// The time that a `<timestamp>` line gives.
    pub at: Option<Timestamp>,
    /// Context that stood around the words.
    pub attachments: Vec<Attachment>,
    /// Pictures that the message names.
    pub images: Vec<Image>,
    /// Nothing was typed: the editor put the whole message there.
    pub is_context: bool,
}

impl UserText {
    /// The parts that it makes: what stood around the words, then the pictures, then the words.
    pub(crate) fn into_parts(self) -> Vec<Part> {
        let around = self.attachments.into_iter().map(|one| Part::Attachment(Box::new(one)));
        let words = Some(self.text).filter(|text| !text.trim().is_empty()).map(Part::Text);
        around.chain(self.images.into_iter().map(Part::from)).chain(words).collect()
    }
}

/// The tag around the words.
const QUERY: &str = "user_query";

/// Takes the wrappers off `text`.
pub fn unwrap(text: &str) -> UserText {
    let elements = tags::elements(text, QUERY);
    if elements.is_empty() && !has_stand_in(text) {
        return UserText { text: text.to_owned(), ..UserText::default() };
    }
    // A query that stands inside an attached file is no query of this message: look before deciding.
    let mut taken = walk(text, &elements, false);
    if taken.saw_query {
        taken = walk(text, &elements, true);
    }
    taken.finish(text)
}

fn walk(text: &str, elements: &[Element<'_>], has_query: bool) -> Taken {
    let queries = elements.iter().filter(|element| element.name == QUERY);
    let mut taken =
        Taken { has_query, query_starts: queries.map(|query| query.start).collect(), ..Taken::default() };
    let mut at = 0;
    for element in elements {
        if element.start >= at && taken.take(element) {
            taken.outside(&text[at..element.start]);
            at = element.end;
            taken.ends_with_user_info = element.name == "user_info";
        }
    }
    let rest = &text[at..];
    let is_apart = rest.starts_with(['\n', '\r']) && !rest.trim().is_empty();
    if taken.ends_with_user_info && !has_query && is_apart && !has_stand_in(rest) {
        taken.queries.push(rest.trim().to_owned());
    } else {
        taken.outside(rest);
    }
    taken
}

/// Whether a text holds something that stands for a picture or a file.
fn has_stand_in(text: &str) -> bool {
    text.contains(PLACEHOLDER) || text.contains(FILE_PLACEHOLDER)
}

/// The folder that a sentence of `<user_info>` names, as the command line agent of October 2025 wrote it.
pub(crate) fn told_folder(line: &str) -> Option<&str> {
    let (_, told) = line.split_once("The absolute path of the user's workspace is ")?;
    let path = told.split(". The user's ").next()?.trim_end();
    Some(path.strip_suffix('.').unwrap_or(path).trim()).filter(|path| !path.is_empty())
}

/// The folder on the `Workspace Path:` line of `<user_info>`, or in its sentence.
pub fn workspace_path(text: &str) -> Option<String> {
    let elements = tags::elements(text, QUERY);
    let info = elements.iter().find(|element| element.name == "user_info")?;
    let mut lines = info.inner.lines().map(str::trim);
    let named = |line| str::strip_prefix(line, "Workspace Path:").or_else(|| told_folder(line));
    let path = lines.find_map(named)?.trim();
    (!path.is_empty()).then(|| path.to_owned())
}

#[derive(Default)]
struct Taken {
    has_query: bool,
    saw_query: bool,
    query_starts: Vec<usize>,
    /// The last wrapper was `<user_info>`: where no query follows, words on the lines behind it are the user's.
    ends_with_user_info: bool,
    queries: Vec<String>,
    outside: Vec<String>,
    result: UserText,
    meanings: Vec<Meaning>,
}

impl Taken {
    /// Takes `element` off, unless it is a piece of the text itself.
    fn take(&mut self, element: &Element<'_>) -> bool {
        match element.name {
            QUERY => self.query(element.inner),
            "timestamp" => match parse_timestamp(element.inner) {
                Some(at) => self.result.at = self.result.at.or(Some(at)),
                None if self.has_query => self.attach(element, AttachmentKind::Context),
                None => return false,
            },
            "image_files" => {
                let (listed, rest) = listed_images(element.inner);
                self.result.images.extend(listed);
                if !rest.is_empty() {
                    let note = Attachment::new(AttachmentKind::Context);
                    self.result.attachments.push(note.titled(element.name).saying(rest));
                }
            }
            name => match meaning(name) {
                Some((meaning, kind)) => {
                    self.meanings.push(meaning);
                    self.attach(element, kind);
                }
                None if self.has_query && is_snake_case(name) && !self.holds_query(element) => {
                    self.attach(element, AttachmentKind::Context);
                }
                None => return false,
            },
        }
        true
    }

    /// Whether the words stand inside `element`: then it is no attachment.
    fn holds_query(&self, element: &Element<'_>) -> bool {
        let first_inside = self.query_starts.partition_point(|start| *start < element.start);
        self.query_starts.get(first_inside).is_some_and(|start| *start < element.end)
    }

    fn attach(&mut self, element: &Element<'_>, kind: AttachmentKind) {
        self.result.attachments.extend(attachments(element, kind));
    }

    /// A query that holds nothing but the editor's own context was not typed.
    fn query(&mut self, inner: &str) {
        self.saw_query = true;
        let mut rest = inner.trim_matches(['\n', '\r']);
        let elements = tags::elements(rest, "");
        let mut context = Vec::new();
        let mut at = 0;
        let mut is_typed = false;
        for element in &elements {
            match meaning(element.name) {
                _ if element.start < at => {}
                Some((meaning @ (Meaning::Environment | Meaning::Context), kind)) => {
                    is_typed |= !rest[at..element.start].trim().is_empty();
                    context.push((element, meaning, kind));
                    at = element.end;
                }
                _ => is_typed = true,
            }
        }
        is_typed |= !rest[at..].trim().is_empty();
        if !is_typed {
            for (element, meaning, kind) in context {
                self.meanings.push(meaning);
                self.attach(element, kind);
            }
            rest = "";
        }
        if !rest.trim().is_empty() {
            self.queries.push(rest.to_owned());
        }
    }

    fn outside(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.outside.push(text.to_owned());
        }
    }

    fn finish(mut self, whole: &str) -> UserText {
        let untouched = self.outside.len() == 1 && self.outside[0].len() == whole.len();
        let (outside, pictures, files) = without_placeholders(&self.outside.join(""));
        let has_files = !files.is_empty();
        self.result.attachments.extend(files);
        while self.result.images.len() < pictures {
            self.result.images.push(Image::default());
        }
        let outside = outside.trim();
        let beside_environment = self.meanings.contains(&Meaning::Environment);
        if self.has_query || beside_environment {
            self.result.text = self.queries.join("\n\n");
            if !outside.is_empty() {
                let beside = Attachment::new(AttachmentKind::Context).saying(outside);
                self.result.attachments.push(beside);
            }
        } else if untouched && pictures == 0 && !has_files {
            whole.clone_into(&mut self.result.text);
        } else {
            outside.clone_into(&mut self.result.text);
        }
        let has_context = self.meanings.iter().any(|meaning| *meaning != Meaning::Chosen);
        self.result.is_context = self.result.text.is_empty() && has_context && self.result.images.is_empty();
        self.result
    }
}

fn is_snake_case(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.contains('_') && name.chars().all(allowed)
}

/// What a wrapper says about its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// The editor wrote it by itself, at the start of a conversation: text beside it is the editor's too.
    Environment,
    /// The editor wrote it by itself.
    Context,
    /// The user chose it.
    Chosen,
}

/// What the wrapper called `name` is, if it is known.
fn meaning(name: &str) -> Option<(Meaning, AttachmentKind)> {
    use AttachmentKind as Kind;
    use Meaning::{Chosen, Environment};
    Some(match name {
        "user_info" | "project_layout" | "agent_transcripts" | "mcp_instructions" => {
            (Environment, Kind::Context)
        }
        "rules" => (Environment, Kind::Rule),
        "available_skills" | "agent_skills" | "agent_skill" => (Environment, Kind::Skill),
        "system_reminder"
        | "git_status"
        | "open_and_recently_viewed_files"
        | "additional_data"
        | "system_notification" => (Meaning::Context, Kind::Context),
        "manually_attached_skills" => (Chosen, Kind::Skill),
        "cursor_commands" => (Chosen, Kind::Command),
        "attached_files" | "file_contents" => (Chosen, Kind::File),
        "code_selection" => (Chosen, Kind::Selection),
        "terminal_selection" => (Chosen, Kind::Terminal),
        "git_diff_from_branch_to_main" | "git_diff" => (Chosen, Kind::Diff),
        _ if name.starts_with("mcp_") => (Meaning::Context, Kind::Context),
        _ => return None,
    })
}

/// The attachments that `element` becomes: selections inside attached files stand for themselves.
pub(super) fn attachments(element: &Element<'_>, kind: AttachmentKind) -> Vec<Attachment> {
    if element.name != "attached_files" {
        return vec![attachment(element, kind)];
    }
    let mut found = Vec::new();
    let mut rest = String::new();
    let mut at = 0;
    for inner in tags::elements(element.inner, "") {
        let Some((Meaning::Chosen, kind)) = meaning(inner.name) else {
            continue;
        };
        if inner.start >= at && inner.name != "attached_files" {
            rest.push_str(&element.inner[at..inner.start]);
            found.push(attachment(&inner, kind));
            at = inner.end;
        }
    }
    rest.push_str(&element.inner[at..]);
    if !rest.trim().is_empty() {
        let mut whole = Attachment::new(kind).titled(element.name).saying(rest.trim_matches('\n'));
        whole.path = diffed_file(&rest);
        found.push(whole);
    }
    found
}

fn attachment(element: &Element<'_>, kind: AttachmentKind) -> Attachment {
    let mut attachment = Attachment::new(kind).titled(element.name).saying(element.inner.trim_matches('\n'));
    attachment.path = path(element);
    attachment.lines = element.attribute("lines").and_then(lines);
    attachment
}

fn path(element: &Element<'_>) -> Option<String> {
    let mut attributes = ["path", "full_path", "fullPath", "file"].iter();
    let named = attributes.find_map(|name| element.attribute(name));
    named.map(str::to_owned).or_else(|| {
        let skill_file = || {
            let mut lines = element.inner.lines();
            lines.find_map(|line| line.strip_prefix("Path: "))
        };
        let is_skill = element.name.contains("skill");
        is_skill.then(skill_file).flatten().map(|path| path.trim().to_owned())
    })
}

/// The file of the first `--- path` line of a diff.
fn diffed_file(text: &str) -> Option<String> {
    let named = text.lines().find_map(|line| line.strip_prefix("--- "))?.trim();
    named.contains(['/', '\\']).then(|| named.to_owned())
}

fn lines(text: &str) -> Option<LineRange> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some(LineRange { first: first.trim().parse().ok()?, last: last.trim().parse().ok()? })
}

/// The placeholder that stands where a picture stood.
const PLACEHOLDER: &str = "[Image]";

/// The pictures that the lines of `<image_files>` name, and the lines that name none.
fn listed_images(inner: &str) -> (Vec<Image>, String) {
    let mut images = Vec::new();
    let mut rest = Vec::new();
    for line in inner.lines() {
        match numbered_path(line.trim()) {
            Some(path) => images.push(Image {
                path: Some(path.to_owned()),
                media_type: media_type(path).map(str::to_owned),
                ..Image::default()
            }),
            None => rest.push(line),
        }
    }
    (images, rest.join("\n").trim().to_owned())
}

/// What the line begins with that stands where a file stood: `[File: notes.pdf]`.
const FILE_PLACEHOLDER: &str = "[File: ";

/// Takes the `[Image]` and `[File: …]` lines out of `text`, and counts the pictures.
fn without_placeholders(text: &str) -> (String, usize, Vec<Attachment>) {
    if !has_stand_in(text) {
        return (text.to_owned(), 0, Vec::new());
    }
    let (mut rest, mut pictures, mut files) = (Vec::new(), 0, Vec::new());
    for line in text.split('\n') {
        let named = line.trim().strip_prefix(FILE_PLACEHOLDER).and_then(|name| name.strip_suffix(']'));
        match named {
            Some(name) => files.push(Attachment::new(AttachmentKind::File).at(name).titled(name)),
            None if line.trim() == PLACEHOLDER => pictures += 1,
            None => rest.push(line),
        }
    }
    (rest.join("\n"), pictures, files)
}

fn numbered_path(line: &str) -> Option<&str> {
    let (number, path) = line.split_once(". ")?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && path.contains(['/', '\\', '.'])).then_some(path.trim())
}

/// The time that e.g. `Tuesday, Jul 7, 2026, 9:43 AM (UTC+5:30)` names. Without an offset it names none.
pub fn parse_timestamp(text: &str) -> Option<Timestamp> {
    let (local, zone) = text.trim().rsplit_once('(')?;
    let offset = offset(zone.trim_end().strip_suffix(')')?)?;
    // The weekday says nothing new, and Cursor writes it in full or not at all.
    let local = local.trim();
    let without_weekday = match local.split_once(',') {
        Some((first, rest)) if first.chars().all(char::is_alphabetic) => rest.trim(),
        _ => local,
    };
    let civil = ["%b %d, %Y, %I:%M %p", "%b %d, %Y, %I:%M:%S %p", "%b %d, %Y, %H:%M", "%B %d, %Y, %I:%M %p"]
        .iter()
        .find_map(|shape| DateTime::strptime(shape, without_weekday).ok())?;
    offset.to_timestamp(civil).ok()
}

/// `UTC`, `UTC-7`, `UTC+5:30`, `GMT+2`; also with a real minus sign.
fn offset(zone: &str) -> Option<Offset> {
    let zone = zone.trim();
    let rest = zone.strip_prefix("UTC").or_else(|| zone.strip_prefix("GMT"))?;
    let (sign, size) = match rest.chars().next() {
        None => return Some(Offset::UTC),
        Some('+') => (1, &rest[1..]),
        Some('-') => (-1, &rest[1..]),
        Some('\u{2212}') => (-1, &rest['\u{2212}'.len_utf8()..]),
        Some(_) => return None,
    };
    let (hours, minutes) = size.split_once(':').unwrap_or((size, "0"));
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    if !(0..=25).contains(&hours) || !(0..60).contains(&minutes) {
        return None;
    }
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

/// No title is longer, in characters.
const LONGEST_TITLE: usize = 120;

/// A title is looked for in this many characters of a line.
const LONGEST_LOOK: usize = 64 * 1024;

/// The first line of the words in `text`, without tags and control characters; `None` if there is none.
pub fn title_line(text: &str) -> Option<String> {
    let user = unwrap(text);
    let words = without_tags(&user.text);
    let mut lines = words.lines().map(|line| {
        let visible = line.chars().filter(|c| !c.is_control() || c.is_whitespace());
        // A line may have many megabytes.
        let shown: String = visible.take(LONGEST_LOOK).collect();
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    lines.find(|line| !line.is_empty()).map(cut)
}

/// The first line that a person typed in these messages.
pub fn first_title(messages: &[Message]) -> Option<String> {
    let typed = messages.iter().filter(|message| message.is_by_person());
    typed.map(Message::text).find_map(|text| title_line(&text))
}

/// `line`, with `…` in the place of what is too much.
fn cut(line: String) -> String {
    if line.chars().nth(LONGEST_TITLE).is_none() {
        return line;
    }
    let kept: String = line.chars().take(LONGEST_TITLE - 1).collect();
    format!("{}…", kept.trim_end())
}

/// `text` without the tags that have a partner; `Vec<String>` has none and stays.
fn without_tags(text: &str) -> String {
    let elements = tags::elements(text, "");
    let mut cuts = Vec::new();
    for element in elements {
        cuts.push(element.start..element.inner_start);
        cuts.push(element.inner_start + element.inner.len()..element.end);
    }
    cuts.sort_by_key(|cut| cut.start);
    let mut rest = String::with_capacity(text.len());
    let mut at = 0;
    for cut in cuts {
        if cut.start >= at {
            rest.push_str(&text[at..cut.start]);
            at = cut.end;
        }
    }
    rest.push_str(&text[at..]);
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_times_become_moments() {
        let table = [
            ("Tuesday, Jul 7, 2026, 9:43 AM (UTC+5:30)", Some("2026-07-07T04:13:00Z")),
            ("Tuesday, Apr 28, 2026, 4:43 PM (UTC-7)", Some("2026-04-28T23:43:00Z")),
            ("Wednesday, Mar 4, 2026, 12:02 AM (UTC+8)", Some("2026-03-03T16:02:00Z")),
            ("Wednesday, Mar 4, 2026, 12:02 PM (UTC)", Some("2026-03-04T12:02:00Z")),
            ("Mar 4, 2026, 12:02 PM (UTC)", Some("2026-03-04T12:02:00Z")),
            ("Tuesday, Jul 7, 2026, 9:43 AM", None),
            ("Tuesday, Jul 7, 2026, 9:43 AM (UTC+99)", None),
            ("Tuesday, Jul 77, 2026, 9:43 AM (UTC)", None),
            ("", None),
            ("(UTC)", None),
        ];
        for (text, expected) in table {
            let shown = parse_timestamp(text).map(|at| at.to_string());
            assert_eq!(shown.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_cut_is_seen_to_be_cut() {
        let words = |count: usize| "word ".repeat(count).trim_end().to_owned();
        let table = [
            (words(24), words(24)),
            (words(25), format!("{}…", words(24))),
            ("é".repeat(LONGEST_TITLE), "é".repeat(LONGEST_TITLE)),
            ("é".repeat(LONGEST_TITLE + 1), format!("{}…", "é".repeat(LONGEST_TITLE - 1))),
            (format!("{}\nand more", "x".repeat(LONGEST_TITLE)), "x".repeat(LONGEST_TITLE)),
        ];
        for (text, expected) in table {
            assert_eq!(title_line(&text), Some(expected), "{text}");
        }
    }
}
