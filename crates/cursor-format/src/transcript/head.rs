//! What lists need of a transcript: its first words, read only as far as needed, and how many messages it holds, without
//! building any.

use backscroll_model::Role;
use jiff::Timestamp;
use serde_json::value::RawValue;

use super::decoding::{Dialect, readable};
use super::json::Record;
use super::{json, text};
use crate::wire_json::Object;
use crate::{user_text, wire_json};

/// What a list shows of a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// The first line that the user typed.
    pub title: Option<String>,
    /// When, if the file says.
    pub at: Option<Timestamp>,
    /// The folder that a context message names.
    pub workspace_path: Option<String>,
}

impl Head {
    /// Looks at a user's message; gives whether the search is over.
    fn look_at(&mut self, text: &str) -> bool {
        let user = user_text::unwrap(text);
        self.at = self.at.or(user.at);
        if self.workspace_path.is_none() {
            self.workspace_path = user_text::workspace_path(text);
        }
        self.title = user_text::title_line(text);
        self.title.is_some()
    }
}

/// The head of a transcript. `bytes` may be only the beginning of the file.
pub fn head(dialect: Dialect, bytes: &[u8]) -> Head {
    let mut head = Head::default();
    each_prompt(dialect, bytes, &mut |text| !head.look_at(text));
    head
}

/// The time of the last prompt that names one. `bytes` may be only the end of the file, except of an array, whose items are
/// found from its beginning.
pub fn last_time(dialect: Dialect, bytes: &[u8]) -> Option<Timestamp> {
    let mut last = None;
    each_prompt(dialect, bytes, &mut |text| {
        last = user_text::unwrap(text).at.or(last);
        true
    });
    last
}

/// Gives all that is said in the user's name to `take`, until it has enough.
fn each_prompt(dialect: Dialect, bytes: &[u8], take: &mut dyn FnMut(&str) -> bool) {
    match dialect {
        Dialect::Text => each_of_text(bytes, take),
        Dialect::Json => {
            let text = readable(bytes);
            // An error says that we had enough, or that the file ends here: what was seen until then counts.
            let _ = json::each_item(&text, |raw: &RawValue| {
                Object::parse(raw).and_then(users_words).is_none_or(|text| take(&text))
            });
        }
        Dialect::Jsonl => {
            for line in bytes.split(|byte| *byte == b'\n') {
                let said = Object::read(readable(line).trim()).and_then(users_words);
                if !said.is_none_or(|text| take(&text)) {
                    break;
                }
            }
        }
    }
}

fn each_of_text(bytes: &[u8], take: &mut dyn FnMut(&str) -> bool) {
    let mut said: Option<String> = None;
    let mut above_is_blank = true;
    for line in bytes.split(|byte| *byte == b'\n') {
        let line = readable(line);
        let line = line.strip_suffix('\r').unwrap_or(&line);
        let is_marker = above_is_blank && matches!(line, "user:" | "assistant:" | "A:");
        if is_marker {
            if !said.take().is_none_or(|text| take(&text)) {
                return;
            }
            said = (line == "user:").then(String::new);
        } else if let Some(said) = &mut said {
            said.push_str(line);
            said.push('\n');
        }
        above_is_blank = line.trim().is_empty();
    }
    if let Some(text) = said {
        take(&text);
    }
}

fn users_words(object: Object<'_>) -> Option<String> {
    let Record::Said(Role::User, object) = Record::from_object(object) else {
        return None;
    };
    let content = match object.object("message") {
        Some(message) => message.raw("content")?,
        None => object.raw("message").or_else(|| object.raw("content")).or_else(|| object.raw("text"))?,
    };
    if let Some(text) = wire_json::text(content) {
        return Some(text);
    }
    let blocks: Vec<&RawValue> = serde_json::from_str(content.get()).ok()?;
    let texts = blocks.into_iter().filter_map(|block| Object::parse(block)?.text("text"));
    Some(texts.collect::<Vec<_>>().join("\n"))
}

/// As many as [`decode`](super::decode) gives.
pub fn count(dialect: Dialect, bytes: &[u8]) -> u64 {
    let text = readable(bytes);
    let mut messages = 0;
    match dialect {
        Dialect::Text => messages = text::count(&text),
        Dialect::Json => {
            // An error says that the file ends here: what was seen until then counts.
            let _ = json::each_item(&text, |raw| {
                messages += Object::parse(raw).map_or(0, |object| begun_by(object, messages));
                true
            });
        }
        Dialect::Jsonl => {
            for line in text.split('\n') {
                messages += Object::read(line.trim()).map_or(0, |object| begun_by(object, messages));
            }
        }
    }
    messages
}

/// How many messages a record begins behind this many others. What belongs to the one before it is one of its own only where
/// there is none.
fn begun_by(object: Object<'_>, before: u64) -> u64 {
    match Record::from_object(object) {
        Record::Said(..) => 1,
        Record::Result(_) | Record::Failed(_) => u64::from(before == 0),
        Record::Control | Record::Unknown(_) => 0,
    }
}
