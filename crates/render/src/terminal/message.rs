//! Messages under their headings. A heading stands where the speaker or the model changes, and at each message of the
//! user.

use std::io::{self, Write};

use anstyle::Style;
use backscroll_model::{AtIs, Message, Moment, Part, Role};

use super::page::Page;
use super::part;
use super::{Tools, View, places};
use crate::text::one_line;

/// Writes `messages` in order.
pub(super) fn write_all<W: Write>(page: &mut Page<'_, W>, messages: &[Message]) -> io::Result<()> {
    let mut before: Option<&Message> = None;
    for message in messages {
        if before.is_none_or(|before| begins_anew(before, message)) {
            heading(page, message)?;
        }
        write(page, message)?;
        before = Some(message);
    }
    Ok(())
}

fn begins_anew(before: &Message, message: &Message) -> bool {
    message.role == Role::User
        || before.role != message.role
        || before.deleted != message.deleted
        || (message.model.is_some() && before.model != message.model)
}

fn heading<W: Write>(page: &mut Page<'_, W>, message: &Message) -> io::Result<()> {
    page.gap();
    let (name, style) = speaker(page, message.role);
    let mut about = String::new();
    if let Some(model) = message.model.as_deref().filter(|_| message.role == Role::Assistant) {
        about = format!(" · {}", one_line(model));
    }
    if let Some(time) = time(message.at, page.view).filter(|_| message.role == Role::User) {
        about = format!("{about} · {time}");
    }
    for (is, word) in [(message.simulated, "simulated"), (message.deleted, "deleted")] {
        if is {
            about = format!("{about} · {word}");
        }
    }
    page.line(0, &[(style, name), (page.palette.dim, &about)])
}

fn speaker<W: Write>(page: &Page<'_, W>, role: Role) -> (&'static str, Style) {
    match role {
        Role::User => ("❯ You", page.palette.user),
        Role::Assistant => ("● Assistant", page.palette.assistant),
        Role::System => ("◆ System", page.palette.dim),
        Role::Tool => ("◇ Tool", page.palette.dim),
    }
}

fn write<W: Write>(page: &mut Page<'_, W>, message: &Message) -> io::Result<()> {
    if page.view.origins {
        places::message(page, message)?;
    }
    for part in &message.parts {
        match part {
            // A system prompt is long, and nobody said it.
            Part::Text(text) if message.role == Role::System => part::unfolding(page, "… prompt", text)?,
            part => part::write(page, part)?,
        }
    }
    let calls = message.tool_calls().count();
    if calls > 0 && page.view.tools == Tools::None {
        part::hidden_calls(page, calls)?;
    }
    Ok(())
}

/// When it was said; `≈` where it is not known exactly.
fn time(moment: Moment, view: &View) -> Option<String> {
    let at = moment.at?.to_zoned(view.time_zone.clone());
    let sign = if moment.is == AtIs::Exact { "" } else { "≈ " };
    Some(format!("{sign}{}", at.strftime("%Y-%m-%d %H:%M")))
}
