//! Absolute paths in what tools were given: a hint at the folder that a conversation worked in.

use std::collections::HashSet;

use backscroll_model::{Message, Payload};
use serde_json::Value;

use super::decoding::Transcript;

/// Longer strings are no paths.
const LONGEST: usize = 1_000;

/// The absolute paths in the tool arguments of `transcript`, each once, in order.
pub fn paths(transcript: &Transcript) -> Vec<String> {
    absolute_paths(&transcript.messages)
}

/// The absolute paths in the tool arguments of `messages`, each once, in order.
pub fn absolute_paths(messages: &[Message]) -> Vec<String> {
    let mut found = Found::default();
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
struct Found {
    paths: Vec<String>,
    seen: HashSet<String>,
}

impl Found {
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
