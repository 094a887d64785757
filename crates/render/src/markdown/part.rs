//! The parts of a message, one way of writing each.

use std::io::{self, Write};

use backscroll_model::{Code, Part, Role, Todo};

use super::blocks::Blocks;
use super::{Look, attachment, fence, image, inline, prose, quote, tool_call};
use crate::Detail;
use crate::terminal::diff_stat;
use crate::terminal::folded::duration;

/// Writes one part of a message that `role` spoke.
pub(super) fn write<W: Write>(
    blocks: &mut Blocks<W>,
    part: &Part,
    role: Role,
    look: &Look<'_>,
) -> io::Result<()> {
    match part {
        Part::Text(text) if role == Role::User => blocks.block(&quote::quoted(&prose::typed(text))),
        // A system prompt is long, and nobody said it.
        Part::Text(text) if role == Role::System => folded(blocks, "Prompt", text),
        Part::Text(text) => blocks.words(&prose::standing(text)),
        Part::Thinking { text, duration_ms } => {
            let took = duration_ms.map(|milliseconds| format!(" for {}", duration(milliseconds)));
            folded(blocks, &format!("Thought{}", took.unwrap_or_default()), text)
        }
        Part::ToolCall(call) => tool_call::write(blocks, call, look),
        Part::Image(picture) => image::write(blocks, picture, look),
        Part::Attachment(attached) => attachment::write(blocks, attached, look),
        Part::Code(code) => proposed(blocks, code, look),
        Part::Summary(text) => folded(blocks, "Summary of what was said before", text),
        Part::Error(text) => error(blocks, text),
        Part::Todos(list) => todos(blocks, list),
    }
}

/// Long text behind a line that opens it.
fn folded<W: Write>(blocks: &mut Blocks<W>, heading: &str, text: &str) -> io::Result<()> {
    let text = prose::standing(text);
    if text.is_empty() {
        return blocks.block(&format!("*{heading}*"));
    }
    blocks.unfold(heading, false)?;
    blocks.words(&text)?;
    blocks.fold()
}

/// Writes why something failed.
pub(super) fn error<W: Write>(blocks: &mut Blocks<W>, text: &str) -> io::Result<()> {
    if text.trim().contains('\n') {
        blocks.block("**Error**")?;
        return blocks.block(&fence::fenced("text", text.trim_matches('\n')));
    }
    blocks.block(&format!("**Error:** {}", inline::words(text)))
}

fn proposed<W: Write>(blocks: &mut Blocks<W>, code: &Code, look: &Look<'_>) -> io::Result<()> {
    let mut about = "**Code**".to_owned();
    if let Some(path) = code.path.as_deref() {
        about = format!("{about} {}", inline::code(path));
    }
    if let Some(status) = code.status.as_deref() {
        about = format!("{about} · {}", inline::words(status));
    }
    if let Some(diff) = code.diff.as_deref() {
        about = format!("{about} · {}", diff_stat(diff));
    }
    blocks.block(&about)?;
    let language = code.language.as_deref().or_else(|| code.path.as_deref().map(fence::language_of));
    if let Some(diff) = code.diff.as_deref() {
        blocks.block(&fence::fenced("diff", diff))?;
    }
    if code.diff.is_none() || look.detail == Detail::Full {
        blocks.block(&fence::fenced(language.unwrap_or_default(), &code.text))?;
    }
    Ok(())
}

/// Writes a list of things to do.
pub(super) fn todos<W: Write>(blocks: &mut Blocks<W>, todos: &[Todo]) -> io::Result<()> {
    todos.iter().try_for_each(|todo| {
        let content = inline::words(&todo.content);
        blocks.item(&match todo.status.as_deref() {
            Some("completed" | "done") => format!("[x] {content}"),
            Some("in_progress") => format!("[ ] {content} *(in progress)*"),
            Some("cancelled" | "canceled") => format!("[ ] {content} *(cancelled)*"),
            _ => format!("[ ] {content}"),
        })
    })
}
