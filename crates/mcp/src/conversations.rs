//! Tools that answer with conversations: all of them, those that touched a file, those about the same.

use std::fmt::Display;

use backscroll_history::{Ask, FileTouch, Related, TouchedBy, closeness};
use backscroll_model::{Conversation, Summary, Touch};
use backscroll_render::{counted, json};
use serde_json::{Value, json};

use crate::answer::{Answer, ToolError};
use crate::memory::{Memory, title};
use crate::pages::offset;
use crate::search::to_second;
use crate::tools::Call;

/// The maximum number of messages that are named of one conversation.
const MESSAGES: usize = 20;
/// The maximum number of shared files, and of shared words, that are named.
const SHARED: usize = 5;

/// Lists conversations, last changed first.
pub(crate) fn list(call: &Call<'_>) -> Result<Answer, ToolError> {
    let Call { memory, arguments, asking, .. } = call;
    let offset = offset(arguments.text("cursor"))?;
    let limit = arguments.number("limit").unwrap_or(20);
    let ask = Ask { all: arguments.flag("all"), ..arguments.narrow(Ask::default(), &memory.now())? };
    let snapshot = memory.snapshot();
    let mut listed = snapshot.list(&ask);
    listed.retain(|summary| !asking.is(&snapshot, summary));
    let parts = listed.iter().skip(offset).take(limit);
    let (shown, mut lines) = call.room.fill(parts.map(|summary| (wired(summary), line(summary))));
    let end = offset + shown.len();
    let next = (end < listed.len() && !shown.is_empty()).then(|| end.to_string());
    if shown.is_empty() {
        lines.push("No conversation.".to_owned());
    } else {
        lines.insert(0, format!("{} of {}:", shown.len(), counted(listed.len(), "conversation")));
    }
    lines.extend(next.as_ref().map(|next| format!("More with cursor \"{next}\".")));
    let structured = json!({ "conversations": shown, "total": listed.len(), "next_cursor": next });
    Ok(Answer { structured, text: lines.join("\n") })
}

/// `backscroll.summary/1` without origins.
fn wired(summary: &Summary) -> Value {
    let mut written = Vec::new();
    // Writing into memory fails only if the value cannot be told as JSON at all.
    let parsed =
        json::summary(summary, &mut written).ok().and_then(|()| serde_json::from_slice(&written).ok());
    let mut wired: Value = parsed.unwrap_or_default();
    if let Some(fields) = wired.as_object_mut() {
        fields.remove("origins");
    }
    wired
}

fn line(summary: &Summary) -> String {
    let messages = summary.messages.map(|messages| format!(", {messages} messages")).unwrap_or_default();
    format!("{} {} ({}{messages}{})", summary.id, title(summary), day(summary), place(summary))
}

fn day(summary: &Summary) -> String {
    let at = summary.recency().map(|at| at.to_string());
    at.as_deref().and_then(|at| at.get(..10)).unwrap_or("undated").to_owned()
}

fn place(summary: &Summary) -> String {
    summary.workspace.as_ref().map(|workspace| format!(", {}", workspace.path)).unwrap_or_default()
}

/// Finds the conversations that read or changed a file, latest first.
pub(crate) fn by_file(call: &Call<'_>) -> Result<Answer, ToolError> {
    let Call { memory, arguments, asking, wait, .. } = call;
    let snapshot = memory.snapshot();
    let (index, searched) = memory.index(&snapshot, wait)?;
    let path = arguments.required("path");
    let mut found = snapshot.history.files(&index, path, &Ask::default()).map_err(failed)?;
    let is_edit = |touch: &FileTouch| touch.how.is_change();
    if arguments.flag("edited") {
        for by in &mut found {
            by.touches.retain(is_edit);
        }
    }
    found.retain(|by| !by.touches.is_empty() && !asking.is(&snapshot, &by.summary));
    let limit = arguments.number("limit").unwrap_or(10);
    let (shown, lines) = call.room.fill(found.iter().take(limit).map(|by| touching(by, is_edit)));
    let text = if shown.is_empty() {
        format!("No conversation touched such a file.{}", searched.note_behind())
    } else {
        format!("{} of {}:\n{}", shown.len(), counted(found.len(), "conversation"), lines.join("\n"))
    };
    Ok(Answer { structured: json!({ "conversations": shown }), text })
}

/// A conversation that touched a file, and its line.
fn touching(by: &TouchedBy, is_edit: impl Fn(&FileTouch) -> bool) -> (Value, String) {
    let mut messages: Vec<String> = Vec::new();
    // An edit says more than a look at the file.
    let (edits, looks): (Vec<_>, Vec<_>) = by.touches.iter().partition(|touch| is_edit(touch));
    for message in edits.iter().chain(&looks).filter_map(|touch| touch.hit.message.as_ref()) {
        let message = message.to_string();
        if !messages.contains(&message) && messages.len() < MESSAGES {
            messages.push(message);
        }
    }
    let (id, title) = (&by.summary.id, title(&by.summary));
    let at = by.at.map(|at| to_second(at).to_string());
    let day = at.as_deref().and_then(|at| at.get(..10)).unwrap_or("undated");
    let was_tried = || looks.iter().all(|touch| touch.how == Touch::TriedToEdit);
    let how = match edits.is_empty() {
        true if was_tried() => Touch::TriedToEdit.name(),
        true => "read",
        false => "edited",
    };
    let first = messages.first().map(|message| format!(" in {message}")).unwrap_or_default();
    let more = messages.len().saturating_sub(1);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let line = format!("{id} {title} ({day}): {how}{first}{more}");
    let touching = json!({
        "conversation": id.as_str(), "title": title, "at": at, "messages": messages, "edited": !edits.is_empty(),
    });
    (touching, line)
}

pub(crate) fn related(call: &Call<'_>) -> Result<Answer, ToolError> {
    let Call { memory, arguments, asking, wait, .. } = call;
    let snapshot = memory.snapshot();
    let id = Memory::resolve(&snapshot, arguments.required("id"))?;
    let conversation: &Conversation = &*memory.conversation(&snapshot, &id)?;
    let (index, searched) = memory.index(&snapshot, wait)?;
    let limit = arguments.number("limit").unwrap_or(5);
    // One more, in case the conversation that asks is among them.
    let ask = Ask { limit: Some(limit + 1), ..Ask::default() };
    let mut found = snapshot.history.related(&index, conversation, &ask).map_err(failed)?;
    found.retain(|one| !asking.is(&snapshot, &one.summary));
    let (shown, lines) = call.room.fill(found.iter().take(limit).map(alike));
    let text = if shown.is_empty() {
        format!("No conversation shares rare words or files with {id}.{}", searched.note_behind())
    } else {
        format!("{}:\n{}", closeness(&found[..shown.len()]), lines.join("\n"))
    };
    Ok(Answer { structured: json!({ "conversations": shown }), text })
}

fn failed(error: impl Display) -> ToolError {
    ToolError::new(format!("The index cannot be asked: {error}"))
}

/// A conversation about the same, and its line.
fn alike(one: &Related) -> (Value, String) {
    let summary = &one.summary;
    let (files, words) = (&one.reason.files, &one.reason.words);
    let (files, words) = (&files[..files.len().min(SHARED)], &words[..words.len().min(SHARED)]);
    let shared: Vec<&str> = files.iter().chain(words).map(String::as_str).collect();

    let (id, title) = (&summary.id, title(summary));
    let line = format!("{id} {title} ({}): shares {}", day(summary), shared.join(", "));
    let alike = json!({
        "conversation": id.as_str(), "title": title, "at": summary.recency().map(|at| to_second(at).to_string()),
        "workspace": summary.workspace.as_ref().map(|workspace| &workspace.path), "files": files, "words": words,
        "close": one.is_close,
    });
    (alike, line)
}
