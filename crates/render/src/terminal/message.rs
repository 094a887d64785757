//! Messages under their headings, and the parts they consist of: wrapped words, folded thinking, one line per tool call.

use std::io;
use std::ops::Range;

use anstyle::Style;
use backscroll_model::{
    Attachment, Code, Image, Message, Part, Role, Todo, TodoStatus, ToolCall, ToolStatus,
};
use memchr::{memchr2, memmem};

use super::page::{Page, TAB};
use super::payload;
use super::{Palette, Tools, diff, diff_stat, hits};
use crate::phrases::{counted, duration, first_words, line_range, minute};
use crate::text::{cut, one_line, sanitise, width};
use crate::{Detail, Shown};

pub(super) fn write_all(page: &mut Page<'_>, messages: &[Message]) -> io::Result<()> {
    for Shown { message, has_heading, .. } in Detail::Full.shown(messages) {
        if has_heading {
            page.gap();
            heading(page, message)?;
        }
        write(page, message)?;
    }
    Ok(())
}

pub(super) fn heading(page: &mut Page<'_>, message: &Message) -> io::Result<()> {
    let (name, style) = speaker(page, message);
    let mut about = String::new();
    if let Some(model) = message.model.as_deref().filter(|_| message.role == Role::Assistant) {
        about = format!(" · {}", one_line(model));
    }
    if let Some(time) = minute(message.at, &page.view.time_zone).filter(|_| message.role == Role::User) {
        about = format!("{about} · {time}");
    }
    if message.deleted {
        about.push_str(" · deleted");
    }
    page.line(0, &[(style, &name), (page.palette.dim, &about)])
}

fn speaker(page: &Page<'_>, message: &Message) -> (String, Style) {
    let (sign, style) = match message.role {
        Role::User if message.sender.is_some() => ('▷', page.palette.dim),
        Role::User => ('❯', page.palette.user),
        Role::Assistant => ('●', page.palette.assistant),
        Role::System => ('◆', page.palette.dim),
        Role::Tool => ('◇', page.palette.dim),
    };
    (format!("{sign} {}", one_line(&message.speaker())), style)
}

pub(super) fn write(page: &mut Page<'_>, message: &Message) -> io::Result<()> {
    if page.view.origins {
        hits::message_places(page, message)?;
    }
    for part in &message.parts {
        match part {
            // A system prompt is long, and nobody said it.
            Part::Text(text) if message.role == Role::System => unfolding(page, "… prompt", text)?,
            part => write_part(page, part)?,
        }
    }
    let calls = message.tool_calls().count();
    if calls > 0 && page.view.tools == Tools::None {
        page.line(INDENT, &[(page.palette.dim, "· "), (page.palette.dim, &counted(calls, "tool call"))])?;
    }
    Ok(())
}

/// How deep the content of a message stands under its heading.
pub(super) const INDENT: usize = 2;

pub(super) fn write_part(page: &mut Page<'_>, part: &Part) -> io::Result<()> {
    match part {
        Part::Text(text) => {
            write_markdown(page, INDENT, text)?;
            page.gap();
            Ok(())
        }
        Part::Thinking { text, duration_ms } => {
            let took = duration_ms.map(|milliseconds| format!(" for {}", duration(milliseconds)));
            unfolding(page, &format!("… thought{}", took.unwrap_or_default()), text)
        }
        Part::ToolCall(call) => match page.view.tools {
            Tools::Line => call_line(page, INDENT, call),
            Tools::Full => write_call(page, INDENT, call),
            // The message says how many there were.
            Tools::None => Ok(()),
        },
        Part::Image(image) => image_line(page, image),
        Part::Attachment(attachment) => attachment_line(page, attachment),
        Part::Code(code) => proposed_code(page, code),
        Part::Summary(text) => unfolding(page, "… summary of what was said before", text),
        Part::Error(text) => {
            let text = format!("✗ {}", sanitise(text.trim()));
            page.paragraph(INDENT, page.palette.bad, &text)
        }
        Part::Todos(todos) => todos.iter().try_for_each(|todo| todo_line(page, todo)),
    }
}

/// Long text that is folded to its first words, unless all of it is wanted.
pub(super) fn unfolding(page: &mut Page<'_>, heading: &str, text: &str) -> io::Result<()> {
    let dim = page.palette.dim;
    if page.view.thinking {
        page.line(INDENT, &[(dim, heading)])?;
        page.paragraph(INDENT + 2, dim, &sanitise(text.trim()))?;
        page.gap();
        return Ok(());
    }
    let words = first_words(text);
    let colon = if words.is_empty() { "" } else { ": " };
    page.line(INDENT, &[(dim, heading), (dim, colon), (dim, &words)])
}

fn image_line(page: &mut Page<'_>, image: &Image) -> io::Result<()> {
    let path = image.path.as_deref().map(|path| format!(" {}", one_line(path)));
    let media_type = image.media_type.as_deref().map(|kind| format!(" ({})", one_line(kind)));
    let description = image.description.as_deref().map(|words| format!(" — {}", first_words(words)));
    let spans = [
        (page.palette.dim, "▣ image"),
        (page.palette.path, path.as_deref().unwrap_or_default()),
        (page.palette.dim, media_type.as_deref().unwrap_or_default()),
        (page.palette.plain, description.as_deref().unwrap_or_default()),
    ];
    page.line(INDENT, &spans)
}

fn attachment_line(page: &mut Page<'_>, attachment: &Attachment) -> io::Result<()> {
    let kind = format!("@ {}", attachment.kind.name());
    let lines = line_range(attachment.lines, '-');
    let path = attachment.path.as_deref().map(|path| format!(" {}{lines}", one_line(path))).unwrap_or(lines);
    let title = attachment.title.as_deref().map(|title| format!(" {}", one_line(title)));
    let content = attachment.text.as_deref().filter(|text| !text.trim().is_empty());
    let beginning = content.map(|text| format!(" — {}", first_words(text)));
    let spans = [
        (page.palette.dim, kind.as_str()),
        (page.palette.path, path.as_str()),
        (page.palette.plain, title.as_deref().unwrap_or_default()),
        (page.palette.dim, beginning.as_deref().unwrap_or_default()),
    ];
    page.line(INDENT, &spans)
}

fn proposed_code(page: &mut Page<'_>, code: &Code) -> io::Result<()> {
    let mut about = String::from("◇ code");
    for fact in [&code.path, &code.language, &code.status].into_iter().flatten() {
        about = format!("{about} · {}", one_line(fact));
    }
    let stat = code.diff.as_deref().map(diff_stat).map(|stat| format!(" {stat}")).unwrap_or_default();
    page.line(INDENT, &[(page.palette.dim, &about), (page.palette.dim, &stat)])?;
    match &code.diff {
        Some(changed) if page.view.tools == Tools::Full => diff::write(page, INDENT + 2, changed)?,
        _ => {
            let text = sanitise(code.text.trim_matches('\n'));
            page.paragraph(INDENT + 2, page.palette.code, &text)?;
        }
    }
    page.gap();
    Ok(())
}

/// Writes one thing to do, with how far it is.
pub(super) fn todo_line(page: &mut Page<'_>, todo: &Todo) -> io::Result<()> {
    let sign = match todo.progress() {
        TodoStatus::Pending => "☐ ",
        TodoStatus::InProgress => "◐ ",
        TodoStatus::Completed => "☑ ",
        TodoStatus::Cancelled => "☒ ",
    };
    let line = format!("{sign}{}", one_line(&todo.content));
    page.broken(INDENT, 2, &line, &[])
}

/// Writes `text`, `indent` cells deep.
fn write_markdown(page: &mut Page<'_>, indent: usize, text: &str) -> io::Result<()> {
    let text = sanitise(text);
    let mut fence: Option<&str> = None;
    for line in text.trim_matches('\n').lines() {
        let expanded;
        let line = if line.contains('\t') {
            expanded = line.replace('\t', TAB);
            &expanded
        } else {
            line
        };
        let mark = fence_mark(line);
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {
                page.broken(indent, 0, line, &[(0..line.len(), page.palette.code)])?;
                continue;
            }
            (None, None) => {
                page.broken(indent, hanging(line), line, &styles(line, &page.palette))?;
                continue;
            }
        }
        page.line(indent, &[(page.palette.dim, line)])?;
    }
    Ok(())
}

fn fence_mark(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark))
}

/// How far further pieces of a list item or a quotation stand in.
fn hanging(line: &str) -> usize {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let after_digits = &text[digits..];
    let mark = if ["- ", "* ", "+ ", "> "].iter().any(|mark| text.starts_with(mark)) {
        2
    } else if (1..4).contains(&digits) && (after_digits.starts_with(". ") || after_digits.starts_with(") ")) {
        digits + 2
    } else {
        0
    };
    line.len() - text.len() + mark
}

fn styles(line: &str, palette: &Palette) -> Vec<(Range<usize>, Style)> {
    let is_heading = line.trim_start_matches('#').starts_with(' ') && line.starts_with('#');
    if is_heading {
        return vec![(0..line.len(), palette.strong)];
    }
    let mut styles = Vec::new();
    let mut at = 0;
    while let Some((range, style)) = next_mark(line, at, palette) {
        at = range.end;
        styles.push((range, style));
    }
    styles
}

/// The next `**strong**` or `` `code` `` from `at` on.
fn next_mark(line: &str, at: usize, palette: &Palette) -> Option<(Range<usize>, Style)> {
    let closed = |mark: &[u8]| {
        let start = at + memmem::find(line.as_bytes().get(at..)?, mark)?;
        let inside = start + mark.len();
        let length = memmem::find(line.as_bytes().get(inside..)?, mark).filter(|length| *length > 0)?;
        Some(start..inside + length + mark.len())
    };
    // Most lines have no mark at all.
    memchr2(b'*', b'`', line.as_bytes().get(at..)?)?;
    let strong = closed(b"**").map(|range| (range, palette.strong));
    let code = closed(b"`").map(|range| (range, palette.code));
    [strong, code].into_iter().flatten().min_by_key(|(range, _)| range.start)
}

/// Writes `call` as one line: sign, name, main argument, what it changed, how it failed.
pub(super) fn call_line(page: &mut Page<'_>, indent: usize, call: &ToolCall) -> io::Result<()> {
    let palette = page.palette;
    let (sign, style) = match call.status {
        ToolStatus::Completed => ("✓ ", palette.good),
        ToolStatus::Error => ("✗ ", palette.bad),
        ToolStatus::Cancelled => ("⊘ ", palette.warning),
        ToolStatus::Running => ("◌ ", palette.warning),
        ToolStatus::Pending => ("○ ", palette.dim),
        ToolStatus::Unknown => ("· ", palette.dim),
    };
    let name = one_line(if call.name.is_empty() { &call.raw_name } else { &call.name });
    let stat = call.diff.as_deref().map(diff_stat).map(|stat| format!(" {stat}")).unwrap_or_default();
    let decision = call.decision.as_deref().map(|decision| format!(" · {}", one_line(decision)));
    let child = call.child.as_deref().map(|child| format!(" → {}", cut(&one_line(child), 12)));
    let error = call.error.as_deref().map(|error| format!(" — {}", first_words(error)));
    let notes: Vec<String> = call.notes.iter().map(|note| format!(" · {}", first_words(note))).collect();
    let after = stat + &notes.concat() + &decision.unwrap_or_default() + &child.unwrap_or_default();
    // The argument gives way to what stands behind it, but keeps half of the line.
    let room =
        page.width().saturating_sub(indent + 2 + width(&name) + 1 + width(&after)).max(page.width() / 2);
    let argument = call.arguments.as_ref().and_then(payload::main_argument);
    let argument = argument.map(|text| format!(" {}", cut(&text, room))).unwrap_or_default();
    let spans = [
        (style, sign),
        (palette.strong, name.as_str()),
        (palette.plain, argument.as_str()),
        (palette.dim, after.as_str()),
        (palette.bad, error.as_deref().unwrap_or_default()),
    ];
    page.line(indent, &spans)
}

/// Writes everything that is known of `call`.
pub(super) fn write_call(page: &mut Page<'_>, indent: usize, call: &ToolCall) -> io::Result<()> {
    call_line(page, indent, call)?;
    if call.raw_name != call.name && !call.raw_name.is_empty() {
        page.line(indent + 2, &[(page.palette.dim, &format!("called {}", one_line(&call.raw_name)))])?;
    }
    if let Some(arguments) = &call.arguments {
        payload::write_payload(page, indent + 2, "arguments", arguments)?;
    }
    if let Some(result) = &call.result {
        payload::write_payload(page, indent + 2, "result", result)?;
    }
    if let Some(error) = &call.error {
        page.line(indent + 2, &[(page.palette.dim, "error")])?;
        page.paragraph(indent + 4, page.palette.bad, &crate::text::sanitise(error))?;
    }
    if let Some(changed) = &call.diff {
        page.line(indent + 2, &[(page.palette.dim, "diff")])?;
        diff::write(page, indent + 4, changed)?;
    }
    page.gap();
    Ok(())
}
