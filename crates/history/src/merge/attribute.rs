//! The last resorts of attribution: panes that were opened in a workspace, tracked lines, what messages name, and where most
//! tool calls worked.
//!
//! A listing knows the first two and not the others, which only reading messages tells. So these come last: then a listing
//! may know less than the whole, and never contradicts it.

use std::collections::HashMap;

use backscroll_model::{Attribution, Conversation, Fact, Finding, FindingKind, Message, Payload, Workspace};

/// Gives a conversation without a workspace the one that weaker evidence points to. `hinted` is what somebody knows who does
/// not otherwise tell of it, as a listing has it.
pub(crate) fn attribute(conversation: &mut Conversation, hinted: impl FnOnce() -> Option<Workspace>) {
    let held_in = conversation.facts.held_in.take();
    // Whoever tracks lines tells of a conversation only when asked for it, and to a listing by a hint.
    if conversation.summary.workspace.as_ref().is_some_and(|known| known.by != Attribution::Tracking) {
        return;
    }
    let hinted = hinted();
    if hinted.is_some() && hinted != conversation.summary.workspace {
        conversation.fact_origins.retain(|told| told.fact != Fact::Workspace);
    }
    let known = hinted.or(conversation.summary.workspace.take());
    conversation.summary.workspace = known.or(held_in).or_else(|| {
        let path = most_common_folder(&conversation.messages)?;
        let at = conversation.summary.origins.first()?.clone();
        let says = format!("no record names the workspace; most tool calls worked in {path}");
        conversation.findings.push(Finding::new(FindingKind::Inferred, at, says));
        Some(Workspace { path, uri: None, remote: None, by: Attribution::ToolPaths })
    });
}

/// The deepest folder that holds more than half of the absolute paths in tool arguments.
fn most_common_folder(messages: &[Message]) -> Option<String> {
    let paths: Vec<String> = messages.iter().flat_map(Message::tool_calls).flat_map(absolute_paths).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for path in &paths {
        let mut folder = path.as_str();
        while let Some(end) = folder.rfind(['/', '\\']).filter(|end| *end > 0) {
            folder = &folder[..end];
            *counts.entry(folder).or_default() += 1;
        }
    }
    let is_deep = |folder: &str| folder.matches(['/', '\\']).count() >= 2;
    let best = counts.into_iter().filter(|(folder, count)| is_deep(folder) && count * 2 > paths.len());
    best.max_by_key(|(folder, _)| folder.len()).map(|(folder, _)| folder.to_owned())
}

fn absolute_paths(call: &backscroll_model::ToolCall) -> Vec<String> {
    let texts = call.arguments.iter().flat_map(Payload::text_fields).map(|(_, text)| text);
    texts.filter(|text| is_absolute(text) && !text.contains(['\n', ' '])).collect()
}

fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    matches!(bytes, [b'/', _, ..])
        || matches!(bytes, [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic())
}
