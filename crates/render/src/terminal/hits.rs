//! What a search found; and where what is shown was read.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use backscroll_model::{
    Conversation, Fact, FactOrigin, FoundConversation, FoundHit, Layer, Message, Origin, Part, Role, Snippet,
    ToolCall,
};
use jiff::Zoned;

use super::Palette;
use super::message::INDENT;
use super::page::Page;
use super::payload::main_argument;
use crate::list::{relative, short_ids, short_workspace};
use crate::text::{cut, one_line, sanitise, width};

/// How hits are shown to people.
#[derive(Debug, Clone)]
pub struct HitsView {
    /// The cells of a line; `None` for lines of any length.
    pub width: Option<usize>,
    /// What time it is, and where.
    pub now: Zoned,
    /// In colour. Without it, `«` and `»` stand around what matched.
    pub colour: bool,
}

/// Writes `found`, with an empty line between conversations.
pub fn hits(found: &[FoundConversation], view: &HitsView, mut out: impl Write) -> io::Result<()> {
    let palette = Palette::new(view.colour);
    let summaries: Vec<_> = found.iter().map(|found| found.summary.clone()).collect();
    for (number, (one, id)) in found.iter().zip(short_ids(&summaries)).enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        heading(one, &id, view, palette, &mut out)?;
        if !one.missing.is_empty() {
            let missing: Vec<String> = one.missing.iter().map(|word| one_line(word)).collect();
            writeln!(out, "  {}without: {}{:#}", palette.dim, missing.join(", "), palette.dim)?;
        }
        for hit in &one.hits {
            write_hit(hit, view, palette, &mut out)?;
        }
        if one.more > 0 {
            let hits = if one.more == 1 { "hit" } else { "hits" };
            writeln!(out, "  {}… {} more {hits}{:#}", palette.dim, one.more, palette.dim)?;
        }
    }
    Ok(())
}

fn heading(
    found: &FoundConversation,
    id: &str,
    view: &HitsView,
    palette: Palette,
    out: &mut impl Write,
) -> io::Result<()> {
    let summary = &found.summary;
    let title = summary.title.as_deref().map(one_line).filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| "(untitled)".to_owned());
    let workspace = summary.workspace.as_ref().map(short_workspace).unwrap_or_default();
    let when = summary.recency().map(|at| relative(at, &view.now)).unwrap_or_default();
    let rest: usize = [workspace.as_str(), &when, id].iter().map(|text| width(text) + 2).sum();
    let title = view.width.map_or(title.clone(), |cells| cut(&title, cells.saturating_sub(rest).max(20)));
    write!(out, "{}{title}{:#}", palette.strong, palette.strong)?;
    for (style, text) in [(palette.path, workspace.as_str()), (palette.dim, &when), (palette.id, id)] {
        if !text.is_empty() {
            write!(out, "  {style}{text}{style:#}")?;
        }
    }
    writeln!(out)
}

fn write_hit(hit: &FoundHit, view: &HitsView, palette: Palette, out: &mut impl Write) -> io::Result<()> {
    let (before, after): (Vec<_>, Vec<_>) =
        hit.nearby.iter().partition(|(number, _)| *number < hit.hit.number);
    for (_, message) in before {
        write_nearby(message, view, palette, out)?;
    }
    let style = if hit.hit.role == Role::User { palette.user } else { palette.assistant };
    let part = hit.part();
    let (name, kind) = if part == "title" { ("title", "") } else { (hit.hit.role.name(), part) };
    write!(out, "  {style}{name}{style:#}")?;
    if !kind.is_empty() && kind != "text" {
        write!(out, " {}{kind}{:#}", palette.dim, palette.dim)?;
    }
    write!(out, ": ")?;
    for (matched, text) in hit.snippet.as_ref().map(Snippet::pieces).unwrap_or_default() {
        let text = sanitise(text);
        match (matched, view.colour) {
            (true, true) => write!(out, "{}{text}{:#}", palette.bad.bold(), palette.bad.bold())?,
            (true, false) => write!(out, "«{text}»")?,
            (false, _) => write!(out, "{text}")?,
        }
    }
    writeln!(out)?;
    for (_, message) in after {
        write_nearby(message, view, palette, out)?;
    }
    Ok(())
}

fn write_nearby(
    message: &Message,
    view: &HitsView,
    palette: Palette,
    out: &mut impl Write,
) -> io::Result<()> {
    let Some(text) = in_a_line(message) else { return Ok(()) };
    let room = view.width.map_or(160, |cells| cells.saturating_sub(16).max(20));
    let role = message.role.name();
    writeln!(out, "  {}{role}: {}{:#}", palette.dim, cut(&text, room), palette.dim)
}

/// What a message says; or what it calls; or else what it brings. `None` if that is nothing.
fn in_a_line(message: &Message) -> Option<String> {
    let called = |call: &ToolCall| {
        let name = if call.name.is_empty() { &call.raw_name } else { &call.name };
        let argument = call.arguments.as_ref().and_then(main_argument);
        one_line(&argument.map_or_else(|| name.clone(), |argument| format!("{name} {argument}")))
    };
    let brings = |part: &Part| match part {
        Part::Thinking { text, .. } => format!("thinking: {}", one_line(text)),
        Part::Summary(text) => format!("summary: {}", one_line(text)),
        Part::Error(text) => format!("error: {}", one_line(text)),
        Part::Attachment(attachment) => attachment.kind.name().to_owned(),
        Part::Image(_) => "image".to_owned(),
        Part::Code(code) => format!("code: {}", one_line(&code.text)),
        Part::Todos(_) => "todos".to_owned(),
        Part::Text(_) | Part::ToolCall(_) => String::new(),
    };
    let said = one_line(&message.text());
    let calls = message.tool_calls().map(called).collect::<Vec<_>>().join(", ");
    let brought = || message.parts.iter().map(brings).find(|line| !line.is_empty());
    [said, calls].into_iter().find(|line| !line.is_empty()).or_else(brought)
}

/// The files of one conversation, in the order in which they are first named.
#[derive(Debug, Default)]
pub(super) struct Places(Vec<(Layer, Arc<Path>)>);

impl Places {
    /// Every file that something of `conversation` was read from.
    pub(super) fn from_conversation(conversation: &Conversation) -> Self {
        let messages = conversation.messages.iter().chain(&conversation.orphans).flat_map(origins_of);
        let facts = conversation.fact_origins.iter().map(|told| &told.origin);
        let mut files = Vec::new();
        for origin in conversation.summary.origins.iter().chain(facts).chain(messages) {
            let file = (origin.layer, Arc::clone(&origin.file));
            if !files.contains(&file) {
                files.push(file);
            }
        }
        Self(files)
    }

    /// An origin by its file's number, and the spot in it.
    fn spot(&self, origin: &Origin) -> String {
        let number = self.0.iter().position(|(layer, file)| (*layer, file) == (origin.layer, &origin.file));
        let file =
            number.map_or_else(|| one_line(&origin.file.to_string_lossy()), |at| format!("[{}]", at + 1));
        let key = one_line(&origin.key);
        if key.is_empty() { file } else { format!("{file} {key}") }
    }
}

/// Everything that a message was read from.
fn origins_of(message: &Message) -> impl Iterator<Item = &Origin> {
    let facts = message.fact_origins.iter().map(|told| &told.origin);
    std::iter::once(&message.origin).chain(&message.also).chain(facts)
}

/// Writes the numbered files of `conversation`, and which fact was read in which.
pub(super) fn header_places(page: &mut Page<'_>, conversation: &Conversation) -> io::Result<()> {
    page.places = Places::from_conversation(conversation);
    for (number, (layer, file)) in page.places.0.clone().into_iter().enumerate() {
        let line = format!("[{}] {} {}", number + 1, layer.name(), one_line(&file.to_string_lossy()));
        page.broken(INDENT, 4, &line, &[(0..line.len(), page.palette.dim)])?;
    }
    if let Some((first, others)) = conversation.summary.origins.split_first() {
        spots(page, first, others)?;
    }
    let route = conversation.summary.workspace.as_ref().map(|workspace| workspace.by.name());
    facts(page, &conversation.fact_origins, route)?;
    let is_placed = conversation.fact_origins.iter().any(|told| told.fact == Fact::Workspace);
    if let Some(route) = route.filter(|_| !is_placed) {
        dim(page, &format!("workspace by {route}"))?;
    }
    let facts = conversation.fact_origins.iter().map(|told| &told.origin);
    conversation.summary.origins.iter().chain(facts).try_for_each(|origin| page.stored_value(origin))
}

/// Writes where a message was read, and which of its facts were read elsewhere.
pub(super) fn message_places(page: &mut Page<'_>, message: &Message) -> io::Result<()> {
    let is_named = |origin: &Origin| message.fact_origins.iter().any(|told| told.origin == *origin);
    let also: Vec<Origin> = message.also.iter().filter(|origin| !is_named(origin)).cloned().collect();
    spots(page, &message.origin, &also)?;
    facts(page, &message.fact_origins, None)?;
    origins_of(message).try_for_each(|origin| page.stored_value(origin))
}

fn spots(page: &mut Page<'_>, origin: &Origin, also: &[Origin]) -> io::Result<()> {
    let mut line = format!("from {}", page.places.spot(origin));
    for origin in also {
        line = format!("{line} · also {}", page.places.spot(origin));
    }
    dim(page, &line)
}

/// `title, workspace (by header) from [1] composerData:… · result of call_1 from [3] run_events/r/4`.
fn facts(page: &mut Page<'_>, told: &[FactOrigin], route: Option<&str>) -> io::Result<()> {
    let mut spots: Vec<(&Origin, Vec<String>)> = Vec::new();
    for one in told {
        let name = fact(one, route);
        match spots.iter_mut().find(|(origin, _)| **origin == one.origin) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => spots.push((&one.origin, vec![name])),
        }
    }
    let told =
        spots.iter().map(|(origin, names)| format!("{} from {}", names.join(", "), page.places.spot(origin)));
    let line = told.collect::<Vec<_>>().join(" · ");
    if line.is_empty() { Ok(()) } else { dim(page, &line) }
}

fn dim(page: &mut Page<'_>, line: &str) -> io::Result<()> {
    page.broken(INDENT, 5, line, &[(0..line.len(), page.palette.dim)])
}

fn fact(told: &FactOrigin, route: Option<&str>) -> String {
    let of = told.call.as_deref().map(|call| format!(" of {}", one_line(call))).unwrap_or_default();
    let by = route.filter(|_| told.fact == Fact::Workspace).map(|route| format!(" (by {route})"));
    format!("{}{of}{}", told.fact.name(), by.unwrap_or_default())
}
