//! The last resorts of attribution: panes that were opened in a workspace, and where most tool calls worked.

use std::collections::HashMap;

use backscroll_model::{Attribution, Conversation, Finding, FindingKind, Message, Workspace};
use serde_json::Value;

/// Gives a conversation without a workspace the one that weaker evidence points to.
pub(crate) fn attribute(conversation: &mut Conversation, opened_in: Option<Workspace>) {
    if conversation.summary.workspace.is_some() {
        return;
    }
    conversation.summary.workspace = opened_in.or_else(|| {
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
    let arguments =
        call.arguments.as_ref().and_then(|arguments| serde_json::from_str(arguments.as_str()).ok());
    let Some(Value::Object(fields)) = arguments else { return Vec::new() };
    let texts = fields.into_iter().filter_map(|(_, value)| match value {
        Value::String(text) => Some(text),
        _ => None,
    });
    texts.filter(|text| is_absolute(text) && !text.contains(['\n', ' '])).collect()
}

fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    matches!(bytes, [b'/', _, ..])
        || matches!(bytes, [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic())
}
