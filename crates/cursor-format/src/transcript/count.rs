//! How many messages a transcript holds, without building any: for those who ask about files instead of conversations.

use super::decoding::{Dialect, readable};
use super::record::Record;
use super::{json_array, text};
use crate::wire_json::Object;

/// As many as [`decode`](super::decode) tells.
pub fn count(dialect: Dialect, bytes: &[u8]) -> u64 {
    let text = readable(bytes);
    let mut messages = 0;
    match dialect {
        Dialect::Text => messages = text::count(&text),
        Dialect::Json => {
            // An error says that the file ends here: what was seen until then counts.
            let _ = json_array::each_item(&text, |raw| {
                messages += Object::of(raw).map_or(0, |object| begun_by(object, messages));
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

/// How many messages a record begins behind so many others. What belongs to the one before it is one of its own only where
/// there is none.
fn begun_by(object: Object<'_>, before: u64) -> u64 {
    match Record::of(object) {
        Record::Said(..) => 1,
        Record::Result(_) | Record::Failed(_) => u64::from(before == 0),
        Record::Control | Record::Unknown(_) => 0,
    }
}
