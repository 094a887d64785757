//! The last resort of attribution: where most tool calls worked.

use std::collections::HashMap;

use backscroll_model::{Attribution, Conversation, Finding, FindingKind, Message, Payload, Workspace};

/// Gives a conversation that nothing places the folder in which most of its tool calls worked.
pub(crate) fn attribute(conversation: &mut Conversation) {
    if conversation.summary.workspace.is_some() {
        return;
    }
    let Some(path) = most_common_folder(&conversation.messages) else { return };
    let Some(at) = conversation.summary.origins.first().cloned() else { return };
    let says = format!("no record names the workspace; most tool calls worked in {path}");
    conversation.findings.push(Finding::new(FindingKind::Inferred, at, says));
    conversation.summary.workspace =
        Some(Workspace { path, uri: None, remote: None, by: Attribution::ToolPaths });
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
    let paths = texts.filter(|text| is_absolute(text) && !text.contains(['\n', ' ']));
    paths.filter(|path| !is_cursors_own(path)).collect()
}

/// Whether a path lies in Cursor's own folder of a project, such as output that spilled into `agent-tools`: reading there says
/// nothing of where the work was.
fn is_cursors_own(path: &str) -> bool {
    path.replace('\\', "/").contains("/.cursor/projects/")
}

fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    matches!(bytes, [b'/', _, ..])
        || matches!(bytes, [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic())
}
