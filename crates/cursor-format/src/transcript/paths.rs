//! What messages say about other things: the folder that a conversation worked in, by the absolute paths that tools were
//! given, and the subagent that a call started, by the very prompt.

use std::collections::HashSet;

use backscroll_model::{ConversationId, Message, Part, Payload};
use serde_json::Value;

use crate::wire_json::Object;

/// Longer strings are no paths.
const LONGEST: usize = 1_000;

/// The absolute paths in the tool arguments of `messages`, each once, in order.
pub fn absolute_paths(messages: &[Message]) -> Vec<String> {
    let mut found = FoundPath::default();
    for call in messages.iter().flat_map(Message::tool_calls) {
        match &call.arguments {
            Some(Payload::Json(json)) => {
                if let Ok(value) = serde_json::from_str(json.get()) {
                    found.value(&value);
                }
            }
            Some(Payload::Text(text)) => found.patch(text),
            None => {}
        }
    }
    found.paths
}

#[derive(Default)]
struct FoundPath {
    paths: Vec<String>,
    seen: HashSet<String>,
}

impl FoundPath {
    /// `serde_json` reads no deeper than 128 levels, so this does not either.
    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) if text.contains('\n') => self.patch(text),
            Value::String(text) => self.path(text),
            Value::Array(items) => items.iter().for_each(|item| self.value(item)),
            Value::Object(fields) => fields.values().for_each(|field| self.value(field)),
            _ => {}
        }
    }

    fn patch(&mut self, text: &str) {
        for line in text.lines() {
            let named = line.strip_prefix("*** ").and_then(|header| header.split_once(" File: "));
            if let Some((_, path)) = named {
                self.path(path.trim());
            }
        }
    }

    fn path(&mut self, text: &str) {
        if is_absolute(text) && text.len() <= LONGEST && self.seen.insert(text.to_owned()) {
            self.paths.push(text.to_owned());
        }
    }
}

fn is_absolute(text: &str) -> bool {
    let bytes = text.as_bytes();
    let drive = bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.get(1) == Some(&b':')
        && matches!(bytes.get(2), Some(b'/' | b'\\'));
    let unix = bytes.len() > 1 && bytes[0] == b'/' && bytes[1] != b'/';
    drive || unix || text.starts_with(r"\\")
}

/// Names, in the `task` calls of `parent`, the subagents that they started; gives how many were found.
///
/// A subagent is known by its id and its messages. Calls with the same prompt are taken in order.
pub fn link_subagents<'a>(
    parent: &mut [Message],
    subagents: impl IntoIterator<Item = (&'a ConversationId, &'a [Message])>,
) -> usize {
    let mut linked = 0;
    for (id, messages) in subagents {
        let Some(prompt) = first_prompt(messages) else {
            continue;
        };
        let parts = parent.iter_mut().flat_map(|message| &mut message.parts);
        let calls = parts.filter_map(|part| match part {
            Part::ToolCall(call) if call.name == "task" && call.child.is_none() => Some(call),
            _ => None,
        });
        let mut calls = calls.filter(|call| {
            let json = call.arguments.as_ref().map(backscroll_model::Payload::as_str);
            let given = json.and_then(Object::read).and_then(|given| given.text("prompt"));
            given.is_some_and(|given| given.trim() == prompt.trim())
        });
        if let Some(call) = calls.next() {
            call.child = Some(id.as_str().to_owned());
            linked += 1;
        }
    }
    linked
}

fn first_prompt(messages: &[Message]) -> Option<String> {
    let typed = messages.iter().filter(|message| message.is_by_person());
    typed.map(Message::text).find(|text| !text.trim().is_empty())
}
