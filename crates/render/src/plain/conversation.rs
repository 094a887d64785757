//! The walk over a conversation: what it is, who said what, what is left to say.

use std::io::{self, Write};

use backscroll_model::{AtIs, Conversation, Message, Role};
use jiff::tz::TimeZone;

use super::part;
use crate::Detail;
use crate::terminal::folded::counted;
use crate::text::{one_line, width};

/// How a plain text is written.
#[derive(Debug, Clone)]
pub struct Look {
    /// How much is written.
    pub detail: Detail,
    /// The zone in which times are told.
    pub time_zone: TimeZone,
}

/// Writes `conversation` as plain text.
pub fn conversation(conversation: &Conversation, look: &Look, mut out: impl Write) -> io::Result<()> {
    let summary = &conversation.summary;
    let title = summary.title.as_deref().map(one_line).filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| "Untitled conversation".to_owned());
    writeln!(out, "{title}\n{}", "=".repeat(width(&title).min(100)))?;
    let workspace = summary.workspace.as_ref().map(|workspace| one_line(&workspace.path));
    let days = summary.created_at.map(|at| time(at, look));
    let facts =
        [workspace, Some(summary.surface.name().to_owned()), summary.mode.as_deref().map(one_line), days];
    let models = summary.models.iter().map(|model| one_line(model));
    writeln!(out, "{}", facts.into_iter().flatten().chain(models).collect::<Vec<_>>().join(" · "))?;
    writeln!(out, "id {}", one_line(summary.id.as_str()))?;
    messages(&conversation.messages, look, &mut out)?;
    if let Some(draft) = conversation.facts.draft.as_deref().filter(|draft| !draft.trim().is_empty()) {
        writeln!(out, "\n── never sent ──")?;
        part::lines(draft, "", &mut out)?;
    }
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    if !conversation.orphans.is_empty() {
        let told = counted(count(conversation.orphans.len()), "stored message");
        writeln!(out, "\n── {told} that the conversation does not list ──")?;
        if look.detail.shows_orphans() {
            messages(&conversation.orphans, look, &mut out)?;
        }
    }
    if look.detail == Detail::Full {
        for finding in &conversation.findings {
            writeln!(out, "\n{}: {}", finding.kind.name(), one_line(&finding.says))?;
        }
    }
    Ok(())
}

fn messages(messages: &[Message], look: &Look, out: &mut impl Write) -> io::Result<()> {
    let mut before: Option<&Message> = None;
    for message in messages.iter().filter(|message| look.detail.shows_message(message)) {
        let is_same =
            before.is_some_and(|before| before.role == message.role && before.model == message.model);
        if !is_same || message.role == Role::User {
            writeln!(out, "\n── {} ──", speaker(message, look))?;
        }
        if look.detail.shows_origins() {
            let origin = &message.origin;
            let place = format!("{} {} {}", origin.layer.name(), origin.file.display(), origin.key);
            writeln!(out, "(from {})", one_line(&place))?;
        }
        for part in message.parts.iter().filter(|part| look.detail.shows_part(part)) {
            part::write(part, look, out)?;
        }
        before = Some(message);
    }
    Ok(())
}

/// Who speaks, by which model, when.
fn speaker(message: &Message, look: &Look) -> String {
    let who = match message.role {
        Role::User => "You",
        Role::Assistant => "Assistant",
        Role::System => "System",
        Role::Tool => "Tool",
    };
    let model = message.model.as_deref().filter(|_| message.role == Role::Assistant).map(one_line);
    let sign = if message.at.is == AtIs::Exact { "" } else { "≈ " };
    let at = message.at.at.map(|at| format!("{sign}{}", time(at, look)));
    let deleted = message.deleted.then(|| "deleted".to_owned());
    [Some(who.to_owned()), model, at, deleted].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn time(at: jiff::Timestamp, look: &Look) -> String {
    at.to_zoned(look.time_zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}
