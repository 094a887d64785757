//! The files of a play: what each step says of them, and what they held after it.

use std::collections::{HashMap, HashSet};

use backscroll_model::{Conversation, KeptState, Message, Part, Payload, Side, ToolCall, ToolStatus};
use serde::Serialize;
use serde_json::Value;

use super::file_text::{Changed, FileText, Line, Row, Section, Splice, between, lines_of, sections};
use super::{Step, Trouble};

/// What a step did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// It was read, or given along.
    Seen,
    /// Stretches of it changed.
    Edited,
    /// It was written whole.
    Written,
    /// It was deleted.
    Deleted,
    /// Nothing: a checkpoint tells how it stood.
    Kept,
}

/// What one step says about a file and did to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The step.
    pub step: usize,
    /// What it did.
    pub how: How,
    /// What it says about the file as it was before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<Splice>,
    /// What it changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Splice>,
    /// What was wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<Trouble>,
    /// Whether the editor's own checkpoint says that the file stood so afterwards.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}

/// One file through the play. At first nothing of it is known: one gap of unknown length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlayedFile {
    /// Its name, relative to the workspace where it lies in it.
    pub path: String,
    /// What happened to it, in order.
    pub changes: Vec<Change>,
}

/// The files that the parts of `steps` touch, and that checkpoints kept.
pub(super) fn files_of(conversation: &Conversation, steps: &[Step]) -> Vec<PlayedFile> {
    let workspace = conversation.summary.workspace.as_ref().map(|workspace| workspace.path.as_str());
    let kept = Kept::from_conversation(conversation, workspace);
    let mut shelf = FileStates::default();
    let mut since = 0;
    for (number, step) in steps.iter().enumerate() {
        let Some(message) = conversation.messages.get(step.message) else { continue };
        let is_other = |other: Option<&Step>| other.is_none_or(|other| other.message != step.message);
        if is_other(number.checked_sub(1).and_then(|before| steps.get(before))) {
            since = number;
            kept.at(message, Side::Before).for_each(|told| shelf.keep_before(number, told));
        }
        for (path, witness) in message.parts.get(step.part).map(witnesses).unwrap_or_default() {
            shelf.hear(number, one_name(&path, workspace), witness);
        }
        if is_other(steps.get(number + 1)) {
            kept.at(message, Side::After).for_each(|told| shelf.keep_after(since, number, told));
        }
    }
    // A file that checkpoints name and that never held anything is nothing to show.
    shelf.files.retain(|file| !file.changes.is_empty());
    shelf.files
}

/// What `witness` did to a file with this text, and the text as it is now known to have been before and after.
fn heard(text: &FileText, witness: Witness) -> (How, Changed) {
    let was_known = text.is_whole();
    match witness {
        Witness::Seen { first, lines, total } => {
            let (after, trouble) = text.seen(first, lines, total);
            (How::Seen, Changed { before: after.clone(), after, trouble })
        }
        Witness::Whole { before, after } => {
            let told = before.map(|before| FileText::whole(lines_of(&before)));
            let differs = told.as_ref().is_some_and(|told| was_known && told != text && told.is_whole());
            let before = told.unwrap_or_else(|| text.clone());
            let after = FileText::whole(lines_of(&after));
            (How::Written, Changed { before, after, trouble: differs.then_some(Trouble::ChangedOutside) })
        }
        Witness::Replaced { old, new, everywhere, diff } => {
            let changed = match (text.replaced(&old, &new, everywhere), diff) {
                (Some(after), _) => Changed { before: text.clone(), after, trouble: None },
                (None, Some(section)) => text.changed(&section),
                (None, None) => {
                    let trouble = if was_known { Trouble::Contradiction } else { Trouble::Unplaced };
                    Changed {
                        before: FileText::default(),
                        after: FileText::default(),
                        trouble: Some(trouble),
                    }
                }
            };
            (How::Edited, changed)
        }
        Witness::Changed(section) => (How::Edited, text.changed(&section)),
        Witness::Gone => {
            let after = FileText::whole(Vec::new());
            (How::Deleted, Changed { before: text.clone(), after, trouble: None })
        }
    }
}

/// About the maximum number of bytes of all states in the page; later ones are left out, and the page says so.
const MOST_BYTES: usize = 24 * 1024 * 1024;

/// The files as they stand at one step.
#[derive(Default)]
pub(super) struct FileStates {
    pub(super) files: Vec<PlayedFile>,
    now: Vec<FileNow>,
    by_path: HashMap<String, usize>,
    bytes: usize,
}

/// One file at this step.
#[derive(Default)]
struct FileNow {
    text: FileText,
    /// The text in front of the last change: as it was known from earlier steps, as it was known when checkpoints had
    /// been heard too, and as the change told that it had been.
    old: FileText,
    known: FileText,
    before: FileText,
    /// The kept state that the text is, if nothing has touched it since.
    kept: Option<usize>,
}

impl FileStates {
    /// A step names a file.
    pub(super) fn hear(&mut self, step: usize, path: String, witness: Witness) {
        let is_full = self.bytes > MOST_BYTES;
        let number = self.number(path);
        let (Some(file), Some(now)) = (self.files.get_mut(number), self.now.get_mut(number)) else { return };
        if is_full {
            let is_first = file.changes.last().is_none_or(|change| change.trouble != Some(Trouble::Cut));
            file.changes.extend(is_first.then(|| left_out(step, &now.text)));
            return;
        }
        let (how, heard) = heard(&now.text, witness);
        // What a checkpoint just said about the file belongs to what is known before this step.
        let told_by_checkpoint = file.changes.pop_if(|last| last.step == step && last.how == How::Kept);
        now.known = std::mem::take(&mut now.text);
        if told_by_checkpoint.is_none() {
            now.old = now.known.clone();
        }
        let (old, before, after) = (now.old.rows(), heard.before.rows(), heard.after.rows());
        let (told, changed) = (between(&old, &before), between(&before, &after));
        self.bytes += size(&told) + size(&changed);
        let is_cut = after.contains(&Row::Cut).then_some(Trouble::Cut);
        let trouble = heard.trouble.or(told_by_checkpoint.and_then(|change| change.trouble)).or(is_cut);
        file.changes.push(Change { step, how, told, changed, trouble, kept: false });
        (now.before, now.text, now.kept) = (heard.before, heard.after, None);
    }

    /// A checkpoint in front of `step` tells what a file holds.
    pub(super) fn keep_before(&mut self, step: usize, told: CheckpointState<'_>) {
        let Some((number, kept)) = self.news(told) else { return };
        self.correct(number, step, kept);
    }

    /// A checkpoint behind `step` tells what a file holds; the message began with the step `since`.
    pub(super) fn keep_after(&mut self, since: usize, step: usize, told: CheckpointState<'_>) {
        let Some((number, kept)) = self.news(told) else { return };
        let (Some(file), Some(now)) = (self.files.get_mut(number), self.now.get_mut(number)) else { return };
        let Some(last) = file.changes.last_mut().filter(|last| last.step >= since && last.how != How::Kept)
        else {
            return self.correct(number, step, kept);
        };
        let agrees = now.text.agrees_with(&kept);
        // Where the text before is known to the last line, what a step that fitted nowhere did is known after all.
        if now.known.is_whole() && last.trouble.is_some() {
            now.before = now.known.clone();
            last.told = between(&now.old.rows(), &now.before.rows());
        }
        last.changed = between(&now.before.rows(), &kept.rows());
        self.bytes += size(&last.changed);
        last.trouble = match last.trouble {
            Some(Trouble::Contradiction) => Some(Trouble::NotAsKept),
            _ if !agrees => Some(Trouble::NotAsKept),
            Some(Trouble::Unplaced) if now.before.is_whole() => None,
            other => other,
        };
        last.kept = true;
        now.text = kept;
    }

    /// The file that a checkpoint has, and its text, unless that is how it stands already.
    fn news(&mut self, told: CheckpointState<'_>) -> Option<(usize, FileText)> {
        if self.bytes > MOST_BYTES {
            return None;
        }
        let number = self.number(told.path.to_owned());
        let now = self.now.get_mut(number)?;
        if now.kept == Some(told.number) {
            return None;
        }
        now.kept = Some(told.number);
        Some((number, FileText::whole(lines_of(told.text))))
    }

    /// Puts what a checkpoint kept in the place of what was known.
    fn correct(&mut self, number: usize, step: usize, kept: FileText) {
        let (Some(file), Some(now)) = (self.files.get_mut(number), self.now.get_mut(number)) else { return };
        if now.text == kept {
            return;
        }
        let agrees = now.text.agrees_with(&kept);
        let told = between(&now.text.rows(), &kept.rows());
        self.bytes += size(&told);
        let trouble = (!agrees).then_some(Trouble::NotAsKept);
        file.changes.push(Change { step, how: How::Kept, told, changed: Vec::new(), trouble, kept: true });
        now.old = std::mem::replace(&mut now.text, kept);
        now.before = now.text.clone();
    }

    fn number(&mut self, path: String) -> usize {
        *self.by_path.entry(path).or_insert_with_key(|path| {
            self.files.push(PlayedFile { path: path.clone(), changes: Vec::new() });
            self.now.push(FileNow::default());
            self.files.len() - 1
        })
    }
}

/// About how much room splices take in the page.
fn size(splices: &[Splice]) -> usize {
    splices.iter().flat_map(|splice| &splice.added).map(Row::size).sum::<usize>() + 20
}

fn left_out(step: usize, text: &FileText) -> Change {
    let everything = Splice { at: 0, removed: text.rows().len(), added: vec![Row::Cut] };
    let told = vec![everything];
    Change { step, how: How::Seen, told, changed: Vec::new(), trouble: Some(Trouble::Cut), kept: false }
}

/// What is known about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Witness {
    /// It holds just this, and held that before, where told.
    Whole { before: Option<String>, after: String },
    /// These stretches of it changed.
    Changed(Section),
    /// This stretch was replaced by that, where it stands or everywhere; told as a diff, too.
    Replaced { old: String, new: String, everywhere: bool, diff: Option<Section> },
    /// It holds these lines from line `first` on, counted from zero.
    Seen { first: usize, lines: Vec<Line>, total: Option<usize> },
    /// It is gone.
    Gone,
}

/// What `part` tells, each with the file as the part spells it.
fn witnesses(part: &Part) -> Vec<(String, Witness)> {
    match part {
        Part::ToolCall(call) if was_stopped(call) => Vec::new(),
        Part::ToolCall(call) => witness_of_call(call),
        Part::Attachment(attached) if attached.kind.is_of_a_file() => {
            let (Some(path), Some(text)) = (&attached.path, &attached.text) else { return Vec::new() };
            let first = attached.lines.map_or(1, |range| range.first).saturating_sub(1);
            let first = usize::try_from(first).unwrap_or(usize::MAX);
            vec![(path.clone(), Witness::Seen { first, lines: lines_of(text), total: None })]
        }
        Part::Code(code) if code.status.as_deref() != Some("rejected") => match (&code.path, &code.diff) {
            (path, Some(diff)) => changed_witness(path.as_deref(), diff),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn was_stopped(call: &ToolCall) -> bool {
    call.was_refused() || call.status == ToolStatus::Pending
}

fn witness_of_call(call: &ToolCall) -> Vec<(String, Witness)> {
    let touched = call.touches();
    let path = touched.as_ref().map(|(path, _)| path.clone());
    let one = |witness: Option<Witness>| path.clone().zip(witness).into_iter().collect();
    match call.name.as_str() {
        "read" => one(seen(call)),
        "delete" => one(Some(Witness::Gone)),
        "write" | "edit" | "multi_edit" | "notebook_edit" => {
            let told = before_and_after(call).or_else(|| written(call)).or_else(|| replaced(call));
            match (told, &call.diff) {
                (Some(told), _) if path.is_some() => one(Some(told)),
                (_, Some(diff)) => changed_witness(path.as_deref(), diff),
                _ => Vec::new(),
            }
        }
        _ => call.diff.as_deref().map(|diff| changed_witness(path.as_deref(), diff)).unwrap_or_default(),
    }
}

/// What a diff tells. Where it speaks of one file alone, that is the one the call names.
fn changed_witness(path: Option<&str>, diff: &str) -> Vec<(String, Witness)> {
    let sections = sections(diff);
    let named = |section: &Section| section.new_path.clone().or_else(|| section.old_path.clone());
    let first = sections.first().and_then(named);
    let is_one_file = sections.iter().all(|section| named(section) == first);
    let witness = |section: Section| {
        let file = path.filter(|_| is_one_file).map(str::to_owned).or_else(|| named(&section))?;
        let all = |section: &Section| -> String {
            let lines = section.hunks.iter().flat_map(super::file_text::Hunk::after);
            lines.fold(String::new(), |text, line| text + &line + "\n")
        };
        let witness = match (section.creates, section.deletes) {
            (true, _) => Witness::Whole { before: Some(String::new()), after: all(&section) },
            (_, true) => Witness::Gone,
            _ => Witness::Changed(section),
        };
        Some((file, witness))
    };
    sections.into_iter().filter_map(witness).collect()
}

/// A payload as a tree, and the answer inside of it where tools wrap one.
fn tree(payload: Option<&Payload>) -> Option<Value> {
    let Payload::Json(json) = payload? else { return None };
    let mut tree: Value = serde_json::from_str(json.get()).ok()?;
    Some(match tree.get_mut("success") {
        Some(inner @ Value::Object(_)) => inner.take(),
        _ => tree,
    })
}

fn text_witness<'a>(tree: &'a Value, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| tree.get(name)?.as_str())
}

/// Numbers are sometimes stored as text.
fn number(tree: &Value, names: &[&str]) -> Option<usize> {
    let read = |value: &Value| {
        let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())?;
        usize::try_from(number).ok()
    };
    names.iter().find_map(|name| read(tree.get(name)?))
}

fn before_and_after(call: &ToolCall) -> Option<Witness> {
    let answer = tree(call.result.as_ref())?;
    let after = text_witness(&answer, &["afterFullFileContent"])?.to_owned();
    Some(Witness::Whole {
        before: text_witness(&answer, &["beforeFullFileContent"]).map(str::to_owned),
        after,
    })
}

fn written(call: &ToolCall) -> Option<Witness> {
    let given = tree(call.arguments.as_ref()).filter(|_| call.name == "write")?;
    let whole = text_witness(&given, &["contents", "content", "file_text", "fileText"]);
    let whole = whole.or_else(|| given.get("code")?.get("code")?.as_str())?;
    // A diff of the write tells what stood there before.
    let before = call.diff.as_deref().map(sections).unwrap_or_default();
    let is_new = before.iter().any(|section| section.creates);
    let is_told = before.len() == 1 && !is_new && before[0].is_numbered();
    if is_told {
        return None;
    }
    Some(Witness::Whole { before: None, after: whole.to_owned() })
}

fn replaced(call: &ToolCall) -> Option<Witness> {
    let given = tree(call.arguments.as_ref())?;
    let old = text_witness(&given, &["old_string", "oldString", "old_str", "old_text"])?.to_owned();
    let new = text_witness(&given, &["new_string", "newString", "new_str", "new_text"])
        .unwrap_or_default()
        .to_owned();
    if old.is_empty() {
        return None;
    }
    let everywhere = ["replace_all", "replaceAll", "allowMultipleMatches", "allow_multiple_matches"];
    let everywhere = everywhere.iter().any(|name| given.get(name).and_then(Value::as_bool) == Some(true));
    let mut told = call.diff.as_deref().map(sections).unwrap_or_default();
    let diff = if told.len() == 1 { told.pop() } else { None };
    Some(Witness::Replaced { old, new, everywhere, diff })
}

/// What a read gave back: all of the file, or a stretch of it.
fn seen(call: &ToolCall) -> Option<Witness> {
    let given = tree(call.arguments.as_ref()).unwrap_or(Value::Null);
    let answer = tree(call.result.as_ref());
    let answer = answer.as_ref().unwrap_or(&Value::Null);
    let plain = match call.result.as_ref() {
        Some(Payload::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    let content =
        text_witness(answer, &["contents", "content"]).or(plain).filter(|content| !content.is_empty())?;
    let told = number(answer, &["totalLines", "totalLinesInFile"]);
    if let Some((first, lines)) = with_numbers(content) {
        return Some(Witness::Seen { first, lines, total: told });
    }
    let range = answer.get("readRange").unwrap_or(&Value::Null);
    let asked = ["offset", "start_line_one_indexed", "startLineOneIndexed"];
    let first = number(answer, &["startLineOneIndexed"]).or_else(|| number(range, &["startLine"]));
    let first = first.or_else(|| number(&given, &asked));
    if plain.is_some() && (first.is_some() || given.get("limit").is_some()) {
        // Plain text without numbers may hold words of the tool: nobody knows which lines these are.
        return None;
    }
    let lines = lines_of(content);
    let first = first.map_or(0, |line| line.saturating_sub(1));
    Some(Witness::Seen { first, lines, total: told })
}

/// Lines that carry their numbers, as models are shown them: `    12|let x = 1;`.
fn with_numbers(content: &str) -> Option<(usize, Vec<Line>)> {
    let mut first = None;
    let mut lines = Vec::new();
    for line in content.lines() {
        let (number, rest) = line.split_once('|')?;
        let number: usize = number.trim().parse().ok()?;
        let start = *first.get_or_insert(number);
        if number != start.checked_add(lines.len())? {
            return None;
        }
        lines.push(Line::from(rest));
    }
    Some((first?.checked_sub(1)?, lines))
}

/// One state of a file that a checkpoint has.
#[derive(Clone, Copy)]
pub(super) struct CheckpointState<'a> {
    /// The number of the state: the same number is the same text.
    pub(super) number: usize,
    /// The file, by the name that the play has for it.
    pub(super) path: &'a str,
    /// What it held; nothing if there was no file.
    pub(super) text: &'a str,
}

/// The checkpoints of a conversation, by message.
pub(super) struct Kept<'a> {
    /// Every state, and the name of its file in the play.
    states: Vec<(String, &'a KeptState)>,
    by_message: HashMap<(&'a str, Side), Vec<usize>>,
}

impl<'a> Kept<'a> {
    pub(super) fn from_conversation(conversation: &'a Conversation, workspace: Option<&str>) -> Self {
        let kept = &conversation.kept_files;
        let paths = kept.states.iter().map(|state| state.path.as_str()).collect();
        let names = names(paths, conversation, workspace);
        let told =
            |state: &'a KeptState| (names.get(state.path.as_str()).cloned().unwrap_or_default(), state);
        let mut by_message: HashMap<(&str, Side), Vec<usize>> = HashMap::new();
        for checkpoint in &kept.checkpoints {
            let place = by_message.entry((checkpoint.message.as_str(), checkpoint.side)).or_default();
            place.extend(&checkpoint.states);
        }
        Self { states: kept.states.iter().map(told).collect(), by_message }
    }

    /// The states on one side of `message`, in order.
    pub(super) fn at<'s>(
        &'s self,
        message: &'s Message,
        side: Side,
    ) -> impl Iterator<Item = CheckpointState<'s>> {
        let numbers =
            self.by_message.get(&(message.id.as_str(), side)).map(Vec::as_slice).unwrap_or_default();
        numbers.iter().filter_map(|number| {
            let (path, state) = self.states.get(*number)?;
            Some(CheckpointState { number: *number, path, text: state.text.as_deref().unwrap_or_default() })
        })
    }
}

/// The name of each kept file. Checkpoints tell whole paths; a step may tell a path from some folder that nobody names. So
/// the touched file with the longest name that a path ends with is meant, unless two paths would mean the same.
fn names<'a>(
    kept: HashSet<&'a str>,
    conversation: &Conversation,
    workspace: Option<&str>,
) -> HashMap<&'a str, String> {
    if kept.is_empty() {
        return HashMap::new();
    }
    let touched: HashSet<String> =
        conversation.touched().iter().map(|touched| one_name(&touched.path, workspace)).collect();
    let mut claims: HashMap<&str, usize> = HashMap::new();
    let mut meant: HashMap<&str, (String, Option<&String>)> = HashMap::new();
    for path in kept {
        let own = one_name(path, workspace);
        let ends = |name: &&String| {
            **name == own || own.strip_suffix(name.as_str()).is_some_and(|folder| folder.ends_with('/'))
        };
        let name = touched.iter().filter(ends).max_by_key(|name| name.len());
        *claims.entry(name.map_or("", String::as_str)).or_default() += 1;
        meant.insert(path, (own, name));
    }
    let sure = |own: String, name: Option<&String>| match name {
        Some(name) if claims.get(name.as_str()) == Some(&1) => name.clone(),
        _ => own,
    };
    meant.into_iter().map(|(path, (own, name))| (path, sure(own, name))).collect()
}

/// The file that `path` names, relative to `workspace` where it lies in it.
fn one_name(path: &str, workspace: Option<&str>) -> String {
    let path = path.trim();
    let path = path.strip_prefix("file://").unwrap_or(path).replace('\\', "/");
    // `file:///c:/work` has a slash before the drive.
    let path = match path.as_bytes() {
        [b'/', drive, b':', ..] if drive.is_ascii_alphabetic() => path[1..].to_owned(),
        _ => path,
    };
    let workspace = workspace.map(|folder| folder.replace('\\', "/"));
    let inside =
        workspace.as_deref().map(|folder| folder.trim_end_matches('/')).filter(|folder| !folder.is_empty());
    let relative = inside.and_then(|folder| path.strip_prefix(folder)?.strip_prefix('/'));
    let name = relative.unwrap_or(&path);
    let name = name.strip_prefix("./").unwrap_or(name);
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use backscroll_model::{Attachment, AttachmentKind, Layer, Origin, Part, Role, Summary, Surface};

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the conversation is made up here")]
    fn kept_files_are_known_again_by_the_ends_of_their_paths() {
        let origin = Origin::new(Layer::IdeGlobal, Path::new("state.vscdb"), "key");
        let mut message = Message::new("m", Role::User, origin.clone());
        let touched = ["src/a.rs", "a.rs", "/w/b.rs", "lib.rs", "/x/lib.rs"];
        let attached =
            |path: &str| Part::Attachment(Box::new(Attachment::new(AttachmentKind::File).at(path)));
        message.parts = touched.map(attached).into();
        let mut conversation = Conversation::new(Summary::new("c".into(), Surface::Ide, origin));
        conversation.messages.push(message);
        let table = [
            ("/home/a/app/src/a.rs", "src/a.rs"),
            ("/w/b.rs", "/w/b.rs"),
            ("/y/lib.rs", "/y/lib.rs"),
            ("/z/lib.rs", "/z/lib.rs"),
            ("/x/lib.rs", "/x/lib.rs"),
            ("/untouched.rs", "/untouched.rs"),
        ];
        let names = names(table.iter().map(|(path, _)| *path).collect(), &conversation, None);
        for (path, expected) in table {
            assert_eq!(names[path], expected, "{path}");
        }
    }

    #[test]
    fn one_file_has_one_name() {
        let table = [
            ("/home/a/app/src/x.rs", "src/x.rs"),
            ("src/x.rs", "src/x.rs"),
            ("./src/x.rs", "src/x.rs"),
            ("file:///home/a/app/src/x.rs", "src/x.rs"),
            ("/home/a/application/x.rs", "/home/a/application/x.rs"),
            ("/etc/hosts", "/etc/hosts"),
        ];
        for (stored, expected) in table {
            assert_eq!(one_name(stored, Some("/home/a/app")), expected, "{stored}");
        }
        assert_eq!(one_name(r"c:\work\app\x.rs", Some(r"c:\work\app")), "x.rs");
        assert_eq!(one_name("file:///c:/code/app/x.rs", Some(r"c:\code\app")), "x.rs");
        assert_eq!(one_name("é", Some("")), "é");
    }
}
