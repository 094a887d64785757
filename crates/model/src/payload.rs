//! What a tool was given and what it answered: JSON kept verbatim, or text.

use std::hash::{Hash, Hasher};

use memchr::memchr2;
use serde_json::value::RawValue;

/// A tool's arguments or result, as stored.
#[derive(Debug, Clone)]
pub enum Payload {
    /// Valid JSON, kept to the letter.
    Json(Box<RawValue>),
    /// Anything else: plain text, or JSON that was cut off.
    Text(String),
}

/// JSON nested deeper than this is kept as text, so that nobody's reader falls over it.
const DEEPEST: usize = 100;

impl Payload {
    /// JSON if `text` is valid and reasonably shallow JSON other than a plain string, else the text itself.
    pub fn from_text(text: String) -> Self {
        let begins_like_json = text
            .trim_start()
            .starts_with(|c: char| matches!(c, '{' | '[' | '-' | '0'..='9' | 't' | 'f' | 'n'));
        if !begins_like_json || depth(text.as_bytes()) > DEEPEST {
            return Self::Text(text);
        }
        match serde_json::from_str::<Box<RawValue>>(&text) {
            Ok(json) => Self::Json(json),
            Err(_) => Self::Text(text),
        }
    }

    /// The payload that a JSON value stands for: a JSON string is taken for its content.
    pub fn from_raw(raw: &RawValue) -> Self {
        let is_text = raw.get().starts_with('"');
        match is_text.then(|| serde_json::from_str::<String>(raw.get()).ok()).flatten() {
            Some(text) => Self::Text(text),
            None if depth(raw.get().as_bytes()) > DEEPEST => Self::Text(raw.get().to_owned()),
            None => Self::Json(raw.to_owned()),
        }
    }

    /// The payload as it stands: JSON source, or the text.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Json(json) => json.get(),
            Self::Text(text) => text,
        }
    }

    /// The fields of a JSON object whose values are text, in stored order; none for anything else.
    pub fn text_fields(&self) -> Vec<(String, String)> {
        let Self::Json(json) = self else { return Vec::new() };
        let Ok(serde_json::Value::Object(fields)) = serde_json::from_str(json.get()) else {
            return Vec::new();
        };
        let texts = fields.into_iter().filter_map(|(key, value)| match value {
            serde_json::Value::String(text) => Some((key, text)),
            _ => None,
        });
        texts.collect()
    }

    /// Whether there is nothing in it: empty text, `null`, `{}` or `[]`.
    pub fn is_hollow(&self) -> bool {
        matches!(self.as_str().trim(), "" | "null" | "{}" | "[]" | "\"\"")
    }
}

impl PartialEq for Payload {
    fn eq(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Json(_), Self::Json(_)) | (Self::Text(_), Self::Text(_)))
            && self.as_str() == other.as_str()
    }
}

impl Eq for Payload {}

impl Hash for Payload {
    fn hash<H: Hasher>(&self, state: &mut H) {
        matches!(self, Self::Json(_)).hash(state);
        self.as_str().hash(state);
    }
}

/// How deep brackets nest in `json`, strings left out.
fn depth(json: &[u8]) -> usize {
    let (mut deepest, mut here, mut at) = (0_usize, 0_usize, 0_usize);
    while let Some(byte) = json.get(at) {
        match byte {
            b'{' | b'[' => {
                here += 1;
                deepest = deepest.max(here);
            }
            b'}' | b']' => here = here.saturating_sub(1),
            b'"' => at = end_of_string(json, at + 1),
            _ => {}
        }
        at += 1;
    }
    deepest
}

/// Where the string that begins at `at` ends. Strings are nearly all there is, so they are jumped through.
fn end_of_string(json: &[u8], mut at: usize) -> usize {
    while let Some(found) = json.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if json[at] == b'"' {
            return at;
        }
        at += 2;
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stays_json_and_the_rest_stays_text() {
        assert!(matches!(Payload::from_text("{\"a\":1}".into()), Payload::Json(_)));
        assert!(matches!(Payload::from_text("{\"a\":".into()), Payload::Text(_)));
        assert!(matches!(Payload::from_text("total 8".into()), Payload::Text(_)));
        assert!(matches!(Payload::from_text("\"quoted\"".into()), Payload::Text(_)));
    }

    #[test]
    fn bottomless_json_is_kept_as_text() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(Payload::from_text(deep.clone()).as_str(), deep);
        assert!(matches!(Payload::from_text(deep), Payload::Text(_)));
    }
}
