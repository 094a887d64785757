//! What a tool was given and answered.

use std::borrow::Cow;
use std::{fmt, io};

use backscroll_model::{Payload, argument};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::page::{Page, TAB};
use crate::phrases::first_words;
use crate::text::{one_line, sanitise};

/// Where tools keep what they are about, by how much it tells.
const TELLING: &[&[&str]] = &[
    argument::COMMAND,
    argument::FILE,
    argument::FOLDER,
    argument::PATTERN,
    argument::QUERY,
    argument::ADDRESS,
    &["description", "title", "name"],
    argument::PROMPT,
    &["instructions", "explanation"],
];

/// The fields of an object, in stored order, their values unread.
pub(crate) struct Fields<'a>(pub(crate) Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
                    fields.push((key, value));
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

/// The fields of `payload`, if it is an object.
pub(crate) fn fields(payload: &Payload) -> Option<Fields<'_>> {
    match payload {
        Payload::Json(json) => serde_json::from_str(json.get()).ok(),
        Payload::Text(_) => None,
    }
}

/// What the call is about, on one line: the command, file, pattern, or else whatever comes first.
pub(crate) fn main_argument(payload: &Payload) -> Option<String> {
    let Some(Fields(fields)) = fields(payload) else {
        return Some(first_words(payload.as_str())).filter(|text| !text.is_empty());
    };
    let telling =
        TELLING.iter().copied().flatten().find_map(|name| fields.iter().find(|(key, _)| key == name));
    let telling = telling.filter(|(_, value)| !matches!(value.get(), "null" | "\"\""));
    let begins = |wanted: &'static str| {
        fields.iter().find(move |(_, value)| value.get().starts_with(|c| wanted.contains(c)))
    };
    // Text says more than a list, a list more than a number; a bare `true` says nothing.
    let (key, value) =
        telling.or_else(|| begins("\"")).or_else(|| begins("[{")).or_else(|| begins(NUMERIC))?;
    let shown = match serde_json::from_str::<Vec<&RawValue>>(value.get()) {
        Ok(items) => format!("{}: {}", one_line(key), items.len()),
        Err(_) => first_words(&readable(value)),
    };
    (!shown.is_empty()).then_some(shown)
}

/// How numbers begin.
const NUMERIC: &str = "-0123456789";

/// Writes all of `payload` under `name`: one line a field, longer text below its field.
pub(super) fn write_payload(
    page: &mut Page<'_>,
    indent: usize,
    name: &str,
    payload: &Payload,
) -> io::Result<()> {
    if payload.is_hollow() {
        return Ok(());
    }
    page.line(indent, &[(page.palette.dim, name)])?;
    let Some(Fields(fields)) = fields(payload) else {
        return verbatim(page, indent + 2, payload.as_str());
    };
    for (key, value) in fields {
        let (key, text) = (one_line(&key), readable(value));
        if text.trim_end().contains('\n') {
            page.line(indent + 2, &[(page.palette.id, &key), (page.palette.dim, ":")])?;
            verbatim(page, indent + 4, &text)?;
        } else {
            let line = format!("{key}: {}", sanitise(text.trim_end()).replace('\t', TAB));
            page.broken(indent + 2, 2, &line, &[(0..key.len(), page.palette.id)])?;
        }
    }
    Ok(())
}

fn verbatim(page: &mut Page<'_>, indent: usize, text: &str) -> io::Result<()> {
    page.paragraph(indent, page.palette.plain, &sanitise(text))
}

/// A string's content, or the JSON as it stands.
pub(crate) fn readable(value: &RawValue) -> Cow<'_, str> {
    match serde_json::from_str::<String>(value.get()) {
        Ok(text) => Cow::Owned(text),
        Err(_) => Cow::Borrowed(value.get()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_argument_is_the_most_telling_one() {
        let table = [
            (r#"{"explanation":"to see","command":"ls"}"#, Some("ls")),
            (r#"{"merge":false,"todos":[{"id":"1"},{"id":"2"}]}"#, Some("todos: 2")),
            (r#"{"is_background":true,"anything":"else"}"#, Some("else")),
            (r#"{"limit":3}"#, Some("3")),
            (r#"{"merge":false}"#, None),
            ("{}", None),
            ("plain words", Some("plain words")),
        ];
        for (stored, expected) in table {
            let payload = Payload::from_text(stored.to_owned());
            assert_eq!(main_argument(&payload).as_deref(), expected, "{stored}");
        }
    }
}
