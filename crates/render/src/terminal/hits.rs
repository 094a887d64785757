//! What a search found, as people read it: each conversation's heading, below it the stretches that matched.

use std::io::{self, Write};

use backscroll_model::{Message, Part, Role, ToolCall};
use jiff::Zoned;

use super::Palette;
use super::payload::main_argument;
use crate::list::{relative, short_ids, short_workspace};
use crate::text::{cut, one_line, sanitise, width};
use crate::{FoundConversation, FoundHit};

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
pub fn hits(found: &[FoundConversation<'_>], view: &HitsView, mut out: impl Write) -> io::Result<()> {
    let palette = Palette::new(view.colour);
    let summaries: Vec<_> = found.iter().map(|found| found.summary.clone()).collect();
    for (number, (one, id)) in found.iter().zip(short_ids(&summaries)).enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        heading(one, &id, view, palette, &mut out)?;
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
    found: &FoundConversation<'_>,
    id: &str,
    view: &HitsView,
    palette: Palette,
    out: &mut impl Write,
) -> io::Result<()> {
    let summary = found.summary;
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

fn write_hit(hit: &FoundHit<'_>, view: &HitsView, palette: Palette, out: &mut impl Write) -> io::Result<()> {
    let before = hit.nearby.iter().filter(|near| near.number < hit.number);
    for near in before {
        write_nearby(near, view, palette, out)?;
    }
    let style = if hit.role == Role::User { palette.user } else { palette.assistant };
    let (name, kind) =
        if hit.snippet.part == "title" { ("title", "") } else { (hit.role.name(), hit.snippet.part) };
    write!(out, "  {style}{name}{style:#}")?;
    if !kind.is_empty() && kind != "text" {
        write!(out, " {}{kind}{:#}", palette.dim, palette.dim)?;
    }
    write!(out, ": ")?;
    for (matched, text) in hit.snippet.pieces() {
        let text = sanitise(text);
        match (matched, view.colour) {
            (true, true) => write!(out, "{}{text}{:#}", palette.bad.bold(), palette.bad.bold())?,
            (true, false) => write!(out, "«{text}»")?,
            (false, _) => write!(out, "{text}")?,
        }
    }
    writeln!(out)?;
    let after = hit.nearby.iter().filter(|near| near.number >= hit.number);
    for near in after {
        write_nearby(near, view, palette, out)?;
    }
    Ok(())
}

fn write_nearby(
    near: &crate::Nearby<'_>,
    view: &HitsView,
    palette: Palette,
    out: &mut impl Write,
) -> io::Result<()> {
    let Some(text) = in_a_line(near.message) else { return Ok(()) };
    let room = view.width.map_or(160, |cells| cells.saturating_sub(16).max(20));
    let role = near.message.role.name();
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
