//! Tools that answer with conversations: all of them, those that touched a file, those about the same.

use backscroll_history::{Ask, FileTouch, Related, TouchedBy};
use backscroll_model::{Conversation, Summary, Touch};
use backscroll_render::{counted, json};
use serde::Serialize;
use serde_json::{Value, json};

use crate::answer::{Answer, Room, ToolError};
use crate::arguments::Arguments;
use crate::asking::Asking;
use crate::memory::{Memory, Wait, title};
use crate::pages::offset;
use crate::search::to_second;

/// The maximum number of messages that are named of one conversation.
const MESSAGES: usize = 20;
/// The maximum number of shared files, and of shared words, that are named.
const SHARED: usize = 5;

/// Lists conversations, last changed first.
pub(crate) fn list(
    memory: &Memory,
    arguments: &Arguments,
    asking: &Asking,
    mut room: Room,
) -> Result<Answer, ToolError> {
    let offset = offset(arguments.text("cursor"))?;
    let limit = arguments.number("limit").unwrap_or(20);
    let ask = Ask { all: arguments.flag("all"), ..arguments.narrow(Ask::default(), &memory.now())? };
    let snapshot = memory.snapshot();
    let mut listed = snapshot.list(&ask);
    listed.retain(|summary| !asking.is(&snapshot, summary));
    let parts = listed.iter().skip(offset).take(limit).map(|summary| memory.summary(summary));
    let (shown, mut lines) = room.fill(parts.map(|summary| (wired(&summary), line(&summary))));
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

/// A conversation that touched a file.
#[derive(Debug, Serialize)]
struct Touching {
    conversation: String,
    title: String,
    at: Option<String>,
    messages: Vec<String>,
    edited: bool,
}

/// Finds the conversations that read or changed a file, latest first.
pub(crate) fn by_file(
    memory: &Memory,
    arguments: &Arguments,
    asking: &Asking,
    wait: &Wait,
    mut room: Room,
) -> Result<Answer, ToolError> {
    let snapshot = memory.snapshot();
    let (index, state) = memory.index(&snapshot, wait)?;
    let path = arguments.required("path");
    let failed = |error| ToolError::new(format!("The index cannot be asked: {error}"));
    let mut found = snapshot.history.files(&index, path, &Ask::default()).map_err(failed)?;
    let is_edit = |touch: &FileTouch| matches!(touch.how, Touch::Edited | Touch::Deleted);
    if arguments.flag("edited") {
        for by in &mut found {
            by.touches.retain(is_edit);
        }
    }
    found.retain(|by| !by.touches.is_empty() && !asking.is(&snapshot, &by.summary));
    let parts = found.iter().take(arguments.number("limit").unwrap_or(10)).map(|by| {
        let touching = touching(memory, by, is_edit);
        let line = touched_line(&touching);
        (touching, line)
    });
    let (shown, lines) = room.fill(parts);
    let text = if shown.is_empty() {
        let note = state.note().map(|note| format!(" {note}")).unwrap_or_default();
        format!("No conversation touched such a file.{note}")
    } else {
        format!("{} of {}:\n{}", shown.len(), counted(found.len(), "conversation"), lines.join("\n"))
    };
    Ok(Answer { structured: json!({ "conversations": shown }), text })
}

fn touching(memory: &Memory, by: &TouchedBy, is_edit: impl Fn(&FileTouch) -> bool) -> Touching {
    let mut messages: Vec<String> = Vec::new();
    // An edit says more than a look at the file.
    let (edits, looks): (Vec<_>, Vec<_>) = by.touches.iter().partition(|touch| is_edit(touch));
    for message in edits.iter().chain(&looks).filter_map(|touch| touch.hit.message.as_ref()) {
        let message = message.to_string();
        if !messages.contains(&message) && messages.len() < MESSAGES {
            messages.push(message);
        }
    }
    Touching {
        conversation: by.summary.id.to_string(),
        title: title(&memory.summary(&by.summary)),
        at: by.at.map(|at| to_second(at).to_string()),
        messages,
        edited: !edits.is_empty(),
    }
}

fn touched_line(one: &Touching) -> String {
    let day = one.at.as_deref().and_then(|at| at.get(..10)).unwrap_or("undated");
    let how = if one.edited { "edited" } else { "read" };
    let first = one.messages.first().map(|message| format!(" in {message}")).unwrap_or_default();
    let more = one.messages.len().saturating_sub(1);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} {} ({day}): {how}{first}{more}", one.conversation, one.title)
}

/// A conversation about the same.
#[derive(Debug, Serialize)]
struct Alike {
    conversation: String,
    title: String,
    at: Option<String>,
    workspace: Option<String>,
    /// Files that both touched.
    files: Vec<String>,
    /// Rare words that both have.
    words: Vec<String>,
}

/// Finds conversations about the same.
pub(crate) fn related(
    memory: &Memory,
    arguments: &Arguments,
    asking: &Asking,
    wait: &Wait,
    mut room: Room,
) -> Result<Answer, ToolError> {
    let snapshot = memory.snapshot();
    let id = memory.resolve(&snapshot, arguments.required("id"))?;
    let conversation: &Conversation = &*memory.conversation(&snapshot, &id)?;
    let (index, state) = memory.index(&snapshot, wait)?;
    let limit = arguments.number("limit").unwrap_or(5);
    // One more, in case the conversation that asks is among them.
    let ask = Ask { limit: Some(limit + 1), ..Ask::default() };
    let mut found = snapshot
        .history
        .related(&index, conversation, &ask)
        .map_err(|error| ToolError::new(format!("The index cannot be asked: {error}")))?;
    found.retain(|one| !asking.is(&snapshot, &one.summary));
    let (shown, lines) = room.fill(found.iter().take(limit).map(|one| alike(memory, one)));
    let text = if shown.is_empty() {
        let note = state.note().map(|note| format!(" {note}")).unwrap_or_default();
        format!("No conversation shares rare words or files with {id}.{note}")
    } else {
        lines.join("\n")
    };
    Ok(Answer { structured: json!({ "conversations": shown }), text })
}

fn alike(memory: &Memory, one: &Related) -> (Alike, String) {
    let summary = memory.summary(&one.summary);
    let first =
        |names: &[String]| names.iter().take(SHARED).map(|name| memory.text(name)).collect::<Vec<_>>();
    let (files, words) = (first(&one.reason.files), first(&one.reason.words));
    let shared: Vec<&str> = files.iter().chain(&words).map(String::as_str).collect();
    let line =
        format!("{} {} ({}): shares {}", summary.id, title(&summary), day(&summary), shared.join(", "));
    let alike = Alike {
        conversation: summary.id.to_string(),
        title: title(&summary),
        at: summary.recency().map(|at| to_second(at).to_string()),
        workspace: summary.workspace.map(|workspace| workspace.path),
        files,
        words,
    };
    (alike, line)
}
