//! Why a turn failed: `errorDetails` of a bubble, `error` of a tool call.

use serde_json::value::RawValue;

use crate::wire_json::{Text, string, wire};

wire! {
    struct WireError<'a> {
        error: Option<&'a RawValue> = "error",
        details: Option<&'a RawValue> = "details",
        title: Text<'a> = "title",
        detail: Text<'a> = "detail",
        message: Text<'a> = "message",
        to_user: Text<'a> = "clientVisibleErrorMessage",
        to_model: Text<'a> = "modelVisibleErrorMessage",
        code: Text<'a> = "code",
    }
}

/// How deep errors may stand inside errors.
const DEEPEST: usize = 6;

/// The words of an error: text, an object, or JSON inside a string. `None` if it says nothing.
pub(crate) fn words(value: &RawValue) -> Option<String> {
    let mut said = Vec::new();
    collect(value, DEEPEST, &mut said);
    (!said.is_empty()).then(|| said.join(": "))
}

/// The words of an error that is text, or JSON inside of it.
pub(crate) fn words_of(text: &str) -> Option<String> {
    let mut said = Vec::new();
    collect_text(text, DEEPEST, &mut said);
    (!said.is_empty()).then(|| said.join(": "))
}

fn collect_text(text: &str, depth: usize, said: &mut Vec<String>) {
    match serde_json::from_str::<&RawValue>(text) {
        Ok(inner) if depth > 0 && text.trim_start().starts_with('{') => collect(inner, depth - 1, said),
        _ if text.is_empty() => {}
        _ => say(text, said),
    }
}

fn collect(value: &RawValue, depth: usize, said: &mut Vec<String>) {
    if let Some(text) = string(value) {
        collect_text(&text, depth, said);
        return;
    }
    let Ok(wire) = serde_json::from_str::<WireError<'_>>(value.get()) else {
        return;
    };
    for text in [&wire.title, &wire.detail, &wire.message, &wire.to_user, &wire.to_model, &wire.code] {
        if let Some(text) = text.filled() {
            say(text, said);
        }
    }
    for inner in [wire.error, wire.details].into_iter().flatten() {
        if depth > 0 {
            collect(inner, depth - 1, said);
        }
    }
}

/// Adds `text` unless it was said already.
fn say(text: &str, said: &mut Vec<String>) {
    if !said.iter().any(|before| before.contains(text)) {
        said.push(text.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_found_in_objects_strings_and_json_inside_strings() {
        let table = [
            (r#""plain""#, Some("plain")),
            (
                r#"{"error":"{\"error\":\"ERROR_USER_ABORTED_REQUEST\",\"details\":{\"title\":\"User aborted request.\"}}"}"#,
                Some("ERROR_USER_ABORTED_REQUEST: User aborted request."),
            ),
            (
                r#""{\"clientVisibleErrorMessage\":\"no such dir\",\"modelVisibleErrorMessage\":\"no such dir\"}""#,
                Some("no such dir"),
            ),
            (
                r#"{"error":{"error":51,"details":{"title":"Limit","detail":"try later"}},"message":"try later"}"#,
                Some("try later: Limit"),
            ),
            ("{}", None),
        ];
        for (json, expected) in table {
            assert_eq!(words(&RawValue::from_string(json.into()).unwrap()).as_deref(), expected, "{json}");
        }
    }
}
