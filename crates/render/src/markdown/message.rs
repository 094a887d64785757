//! Messages below their headings, and the parts they consist of.

use std::borrow::Cow;
use std::io;

use backscroll_model::{
    Attachment, AttachmentKind, Code, Image, Message, Origin, Part, Payload, Role, Todo, TodoStatus,
    ToolCall, ToolStatus,
};
use percent_encoding::{AsciiSet, utf8_percent_encode};

use super::blocks::{self, Blocks};
use super::conversation::Look;
use super::prose;
use crate::phrases::{counted, duration, line_range, minute, took};
use crate::terminal::diff_stat;
use crate::terminal::payload::{Fields, fields, main_argument, readable};
use crate::text::{cut, status_sign};
use crate::{Detail, Shown};

/// How much of a prompt stands in its heading.
const IN_HEADING: usize = 70;

pub(super) struct Turns<'a> {
    look: &'a Look<'a>,
    /// The files that the conversation was read from: they are named once, at the beginning.
    read_from: &'a [Origin],
    /// The prompts so far; `None` where they are not counted.
    prompts: Option<usize>,
}

impl<'a> Turns<'a> {
    pub(super) fn new(look: &'a Look<'a>, read_from: &'a [Origin]) -> Self {
        Self { look, read_from, prompts: Some(0) }
    }

    /// Turns that stand below a heading of their own.
    pub(super) fn of_orphans(look: &'a Look<'a>, read_from: &'a [Origin]) -> Self {
        Self { prompts: None, ..Self::new(look, read_from) }
    }

    pub(super) fn write(mut self, blocks: &mut Blocks<'_>, messages: &[Message]) -> io::Result<()> {
        for Shown { message, has_heading, .. } in self.look.options.detail.shown(messages) {
            if has_heading {
                blocks.block(&self.heading(message))?;
            }
            if message.role == Role::User || message.sender.is_some() || message.deleted {
                blocks.block(&about(message, self.look))?;
            }
            if self.look.options.detail.shows_origins() {
                blocks.block(&self.origins(message))?;
            }
            for part in message.parts.iter().filter(|part| self.look.options.detail.shows_part(part)) {
                write_part(blocks, part, message.role, self.look)?;
            }
        }
        Ok(())
    }

    /// Where a message was read, in one line.
    fn origins(&self, message: &Message) -> String {
        let is_told = |origin: &Origin| self.read_from.iter().any(|known| known.file == origin.file);
        let told = |origin: &Origin| {
            if is_told(origin) {
                format!("{} {}", origin.layer.name(), blocks::code(&origin.key)).trim_end().to_owned()
            } else {
                place(origin)
            }
        };
        let also = message.also.iter().map(|origin| format!(" · *also* {}", told(origin)));
        format!("*From* {}{}", told(&message.origin), also.collect::<Vec<_>>().concat())
    }

    fn heading(&mut self, message: &Message) -> String {
        match (message.role, self.prompts.as_mut()) {
            (Role::User, Some(prompts)) if message.is_by_person() => {
                *prompts += 1;
                format!("## {prompts} · {}", prompt(message))
            }
            (Role::User, _) => format!("### {}", prompt(message)),
            (Role::Assistant, _) => match message.model.as_deref().map(blocks::words) {
                Some(model) if !model.is_empty() => format!("### Assistant · {model}"),
                _ => "### Assistant".to_owned(),
            },
            (Role::System, _) => "### System".to_owned(),
            (Role::Tool, _) => "### Tool".to_owned(),
        }
    }
}

/// The first words of a prompt; what else stands in it where there are none.
fn prompt(message: &Message) -> String {
    let words = message.parts.iter().find_map(|part| match part {
        Part::Text(text) => Some(blocks::first_words(text, IN_HEADING)).filter(|words| !words.is_empty()),
        _ => None,
    });
    words.unwrap_or_else(|| "(no words)".to_owned())
}

/// Who said it and when; `≈` where the time is not known exactly.
fn about(message: &Message, look: &Look<'_>) -> String {
    let mut about = format!("**{}**", blocks::words(&message.speaker()));
    if let Some(at) = minute(message.at, &look.options.time_zone) {
        about = format!("{about} · {at}");
    }
    if message.deleted {
        about.push_str(" · deleted");
    }
    about
}

/// Where a fact was read, as spans of code.
pub(super) fn place(origin: &Origin) -> String {
    let file = blocks::code(&origin.file.display().to_string());
    format!("{} {file} {}", origin.layer.name(), blocks::code(&origin.key)).trim_end().to_owned()
}

/// Writes one part of a message that `role` spoke.
fn write_part(blocks: &mut Blocks<'_>, part: &Part, role: Role, look: &Look<'_>) -> io::Result<()> {
    match part {
        Part::Text(text) if role == Role::User => blocks.block(&blocks::quoted(&prose::typed(text))),
        // A system prompt is long, and nobody said it.
        Part::Text(text) if role == Role::System => folded(blocks, "Prompt", text),
        Part::Text(text) => blocks.words(&prose::standing(text)),
        Part::Thinking { text, duration_ms } => {
            let took = duration_ms.map(|milliseconds| format!(" for {}", duration(milliseconds)));
            folded(blocks, &format!("Thought{}", took.unwrap_or_default()), text)
        }
        Part::ToolCall(call) => write_call(blocks, call, look),
        Part::Image(picture) => write_image(blocks, picture, look),
        Part::Attachment(attached) => write_attachment(blocks, attached, look),
        Part::Code(code) => proposed(blocks, code, look),
        Part::Summary(text) => folded(blocks, "Summary of what was said before", text),
        Part::Error(text) => write_error(blocks, text),
        Part::Todos(list) => todos(blocks, list),
    }
}

/// Long text behind a line that opens it.
fn folded(blocks: &mut Blocks<'_>, heading: &str, text: &str) -> io::Result<()> {
    let text = prose::standing(text);
    if text.is_empty() {
        return blocks.block(&format!("*{heading}*"));
    }
    blocks.unfold(heading, false)?;
    blocks.words(&text)?;
    blocks.fold()
}

fn write_error(blocks: &mut Blocks<'_>, text: &str) -> io::Result<()> {
    if text.trim().contains('\n') {
        blocks.block("**Error**")?;
        return blocks.block(&blocks::fenced("text", text.trim_matches('\n')));
    }
    blocks.block(&format!("**Error:** {}", blocks::words(text)))
}

fn proposed(blocks: &mut Blocks<'_>, code: &Code, look: &Look<'_>) -> io::Result<()> {
    let mut about = "**Code**".to_owned();
    if let Some(path) = code.path.as_deref() {
        about = format!("{about} {}", blocks::code(path));
    }
    if let Some(status) = code.status.as_deref() {
        about = format!("{about} · {}", blocks::words(status));
    }
    if let Some(diff) = code.diff.as_deref() {
        about = format!("{about} · {}", diff_stat(diff));
    }
    blocks.block(&about)?;
    let language = code.language.as_deref().or_else(|| code.path.as_deref().map(blocks::language_of));
    if let Some(diff) = code.diff.as_deref() {
        blocks.block(&blocks::fenced("diff", diff))?;
    }
    if code.diff.is_none() || look.options.detail == Detail::Full {
        blocks.block(&blocks::fenced(language.unwrap_or_default(), &code.text))?;
    }
    Ok(())
}

pub(super) fn todos(blocks: &mut Blocks<'_>, todos: &[Todo]) -> io::Result<()> {
    todos.iter().try_for_each(|todo| {
        let content = blocks::words(&todo.content);
        blocks.item(&match todo.progress() {
            TodoStatus::Pending => format!("[ ] {content}"),
            TodoStatus::InProgress => format!("[ ] {content} *(in progress)*"),
            TodoStatus::Completed => format!("[x] {content}"),
            TodoStatus::Cancelled => format!("[ ] {content} *(cancelled)*"),
        })
    })
}

/// A line longer than this is not one that people read.
const LONGEST_ARGUMENT: usize = 100;

/// The maximum number of lines of a change that is not folded.
const SMALL_CHANGE: usize = 40;

fn write_call(blocks: &mut Blocks<'_>, call: &ToolCall, look: &Look<'_>) -> io::Result<()> {
    let diff = call.diff.as_deref().filter(|diff| !diff.trim().is_empty());
    let is_small = diff.is_some_and(|diff| diff.lines().count() <= SMALL_CHANGE);
    blocks.unfold(&call_line(call), is_small)?;
    if let Some(child) = call.child.as_deref() {
        blocks.block(&format!("Started {}.", look.link_to(child).unwrap_or_else(|| blocks::code(child))))?;
    }
    for note in &call.notes {
        blocks.block(&format!("Note: {}.", blocks::code(note)))?;
    }
    let is_full = look.options.detail == Detail::Full;
    if is_full && call.raw_name != call.name && !call.raw_name.is_empty() {
        blocks.block(&format!("Called {}", blocks::code(&call.raw_name)))?;
    }
    // What was asked and answered only repeats the change.
    if diff.is_none() || is_full {
        if let Some(arguments) = &call.arguments {
            write_payload(blocks, "Arguments", arguments, look)?;
        }
        if let Some(result) = &call.result {
            write_payload(blocks, "Result", result, look)?;
        }
    }
    if let Some(error) = call.error.as_deref().filter(|error| !error.trim().is_empty()) {
        write_error(blocks, error)?;
    }
    if let Some(diff) = diff {
        blocks.block(&blocks::fenced("diff", diff))?;
    }
    blocks.fold()
}

/// Sign, name, main argument, how it ended, how long it took, what it changed: as HTML.
fn call_line(call: &ToolCall) -> String {
    let sign = status_sign(call.status);
    let name = if call.name.is_empty() { &call.raw_name } else { &call.name };
    let mut line = format!("{sign} <b>{}</b>", blocks::html(name));
    if let Some(argument) = call.arguments.as_ref().and_then(main_argument) {
        line = format!("{line} <code>{}</code>", blocks::html(&cut(&argument, LONGEST_ARGUMENT)));
    }
    let ended = (!matches!(call.status, ToolStatus::Completed | ToolStatus::Unknown))
        .then(|| call.status.name().to_owned());
    let decision = call.decision.as_deref().map(blocks::html);
    let changed = call.diff.as_deref().map(diff_stat).map(|stat| stat.to_string());
    for fact in [ended, decision, took(call), changed].into_iter().flatten() {
        line = format!("{line} · {fact}");
    }
    line
}

/// A field longer than this stands apart.
const SHORT: usize = 120;

/// How much is written of one text, unless everything is wanted.
const LINES: usize = 60;
const BYTES: usize = 6_000;

fn write_payload(blocks: &mut Blocks<'_>, name: &str, payload: &Payload, look: &Look<'_>) -> io::Result<()> {
    if payload.is_hollow() {
        return Ok(());
    }
    let Some(Fields(fields)) = fields(payload) else {
        let language = if matches!(payload, Payload::Json(_)) { "json" } else { "text" };
        return text(blocks, name, language, payload.as_str(), look);
    };
    let fields: Vec<(String, &str, Cow<'_, str>)> =
        fields.into_iter().map(|(key, value)| (key, value.get(), readable(value))).collect();
    let is_long = |readable: &str| readable.len() > SHORT || readable.trim_end().contains('\n');
    if fields.iter().all(|(_, _, value)| !is_long(value)) {
        return text(blocks, name, "json", payload.as_str(), look);
    }
    let short: Vec<String> = fields
        .iter()
        .filter(|(_, _, value)| !is_long(value))
        .map(|(key, source, _)| format!("{}: {source}", blocks::code(key).trim_matches('`').trim()))
        .collect();
    if !short.is_empty() {
        text(blocks, name, "yaml", &short.join("\n"), look)?;
    }
    for (key, source, value) in fields.iter().filter(|(_, _, value)| is_long(value)) {
        let language = if source.starts_with('"') { "text" } else { "json" };
        text(blocks, &format!("{name}: {}", blocks::words(key)), language, value, look)?;
    }
    Ok(())
}

/// Writes a text under `name`; its beginning, unless everything is wanted.
pub(super) fn text(
    blocks: &mut Blocks<'_>,
    name: &str,
    language: &str,
    text: &str,
    look: &Look<'_>,
) -> io::Result<()> {
    blocks.block(&format!("**{name}**"))?;
    let shown = if look.options.detail == Detail::Full { text } else { beginning(text) };
    blocks.block(&blocks::fenced(language, shown))?;
    let rest = text.get(shown.len()..).unwrap_or_default();
    if rest.trim().is_empty() {
        return Ok(());
    }
    let lines = rest.lines().filter(|line| !line.is_empty()).count();
    blocks.block(&format!("*… {} more*", counted(lines.max(1), "line")))
}

/// The first lines of `text`.
fn beginning(text: &str) -> &str {
    let lines = text.match_indices('\n').nth(LINES - 1).map_or(text.len(), |(at, _)| at + 1);
    let mut end = lines.min(BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

fn write_attachment(blocks: &mut Blocks<'_>, attachment: &Attachment, look: &Look<'_>) -> io::Result<()> {
    let text = attachment.text.as_deref().filter(|text| !text.trim().is_empty());
    match text.filter(|_| look.options.detail == Detail::Full) {
        None => blocks.item(&told(attachment, blocks::code, blocks::words)),
        Some(text) => {
            let code = |place: &str| format!("<code>{}</code>", blocks::html(place));
            blocks.unfold(&told(attachment, code, blocks::html), false)?;
            blocks.block(&blocks::fenced(language(attachment), text))?;
            blocks.fold()
        }
    }
}

/// What it is, with the place and the title as `code` and `words` write them.
fn told(attachment: &Attachment, code: fn(&str) -> String, words: fn(&str) -> String) -> String {
    let path = attachment.path.as_deref().unwrap_or_default();
    let place =
        Some(format!("{path}{}", line_range(attachment.lines, '-'))).filter(|place| !place.is_empty());
    let place = place.map(|place| code(&place));
    let title = attachment.title.as_deref().map(words);
    let told = [Some(format!("📎 {}", attachment.kind.name())), place, title];
    told.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn language(attachment: &Attachment) -> &str {
    match attachment.kind {
        AttachmentKind::Diff | AttachmentKind::Commit | AttachmentKind::PullRequest => "diff",
        kind if kind.is_of_a_file() => {
            attachment.path.as_deref().map(blocks::language_of).unwrap_or_default()
        }
        _ => "text",
    }
}

fn write_image(blocks: &mut Blocks<'_>, image: &Image, look: &Look<'_>) -> io::Result<()> {
    let words = image.description.as_deref().map(blocks::words).filter(|words| !words.is_empty());
    let words = words.as_deref().unwrap_or("image");
    if let Some(address) = (look.picture)(image) {
        return blocks.block(&format!("![{words}]({})", blocks::destination(&address)));
    }
    let mut line = format!("🖼 {words}");
    if let Some(path) = image.path.as_deref().filter(|path| !path.is_empty()) {
        line = match image_address(path) {
            Some(address) => format!("🖼 [{words}]({})", blocks::destination(&address)),
            None => format!("{line} {}", blocks::code(path)),
        };
    }
    if let Some(kind) = image.media_type.as_deref() {
        line = format!("{line} ({})", blocks::words(kind));
    }
    if image.data.is_some() {
        line = format!("{line} · in the store; `--assets` writes it out");
    }
    blocks.block(&line)
}

/// What means something else in the path of an address.
const IN_PATH: AsciiSet = AsciiSet::EMPTY.add(b'%').add(b'#').add(b'?');

/// The address of a picture elsewhere: only where it is a whole path or a web address, so that nothing else is followed.
fn image_address(path: &str) -> Option<String> {
    if path.starts_with("https://") || path.starts_with("http://") {
        return Some(path.to_owned());
    }
    let encoded = |path: &str| utf8_percent_encode(path, &IN_PATH).to_string();
    let mut characters = path.chars();
    let has_drive = characters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && characters.next() == Some(':')
        && matches!(characters.next(), Some('/' | '\\'));
    if has_drive {
        return Some(format!("file:///{}", encoded(&path.replace('\\', "/"))));
    }
    (path.starts_with('/') && !path.starts_with("//")).then(|| format!("file://{}", encoded(path)))
}
