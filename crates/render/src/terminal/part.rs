//! The parts of a message, one way of showing each.

use std::io::{self, Write};

use backscroll_model::{Attachment, Code, Image, LineRange, Part, Todo};

use super::folded::{counted, duration, first_words};
use super::page::Page;
use super::{Tools, diff, diff_stat, markdown, tool_call};
use crate::text::{one_line, sanitise};

/// How deep the content of a message stands under its heading.
pub(super) const INDENT: usize = 2;

/// Writes one part.
pub(super) fn write<W: Write>(page: &mut Page<'_, W>, part: &Part) -> io::Result<()> {
    match part {
        Part::Text(text) => {
            markdown::write(page, INDENT, text)?;
            page.gap();
            Ok(())
        }
        Part::Thinking { text, duration_ms } => thinking(page, text, *duration_ms),
        Part::ToolCall(call) => match page.view.tools {
            Tools::Line => tool_call::line(page, INDENT, call),
            Tools::Full => tool_call::full(page, INDENT, call),
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

fn thinking<W: Write>(page: &mut Page<'_, W>, text: &str, duration_ms: Option<u64>) -> io::Result<()> {
    let took = duration_ms.map(|milliseconds| format!(" for {}", duration(milliseconds)));
    unfolding(page, &format!("… thought{}", took.unwrap_or_default()), text)
}

/// Long text that is folded to its first words, unless all of it is wanted.
pub(super) fn unfolding<W: Write>(page: &mut Page<'_, W>, heading: &str, text: &str) -> io::Result<()> {
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

fn image_line<W: Write>(page: &mut Page<'_, W>, image: &Image) -> io::Result<()> {
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

fn attachment_line<W: Write>(page: &mut Page<'_, W>, attachment: &Attachment) -> io::Result<()> {
    let kind = format!("@ {}", attachment.kind.name());
    let lines = match attachment.lines {
        Some(LineRange { first, last }) if first == last => format!(":{first}"),
        Some(LineRange { first, last }) => format!(":{first}-{last}"),
        None => String::new(),
    };
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

fn proposed_code<W: Write>(page: &mut Page<'_, W>, code: &Code) -> io::Result<()> {
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
pub(super) fn todo_line<W: Write>(page: &mut Page<'_, W>, todo: &Todo) -> io::Result<()> {
    let sign = match todo.status.as_deref() {
        Some("completed" | "done") => "☑ ",
        Some("in_progress") => "◐ ",
        Some("cancelled" | "canceled") => "☒ ",
        _ => "☐ ",
    };
    let line = format!("{sign}{}", one_line(&todo.content));
    page.broken(INDENT, 2, &line, &[])
}

/// Tells how many tool calls are not shown.
pub(super) fn hidden_calls<W: Write>(page: &mut Page<'_, W>, calls: usize) -> io::Result<()> {
    let told = counted(u64::try_from(calls).unwrap_or(u64::MAX), "tool call");
    page.line(INDENT, &[(page.palette.dim, "· "), (page.palette.dim, &told)])
}
