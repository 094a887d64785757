//! The words of a summary, however deep they stand.

use serde_json::value::RawValue;

use crate::wire_json::{string, wire};

wire! { struct WireSummary<'a> { summary: Option<&'a RawValue> = "summary", } }

/// How deep a summary may stand inside others.
const DEEPEST_SUMMARY: usize = 4;

/// The words of a summary: text, JSON inside text, or an object in an object.
pub(crate) fn summary_text(value: &RawValue) -> Option<String> {
    summary_within(value, DEEPEST_SUMMARY)
}

fn summary_within(value: &RawValue, depth: usize) -> Option<String> {
    let inner = string(value);
    let json = inner.as_deref().unwrap_or(value.get());
    let wire: WireSummary<'_> = serde_json::from_str(json).unwrap_or_default();
    match (wire.summary, inner.as_deref()) {
        (Some(deeper), _) if depth > 0 => summary_within(deeper, depth - 1),
        (_, Some(text)) => Some(text.to_owned()),
        (Some(_), None) => Some(value.get().to_owned()),
        (None, None) => None,
    }
}
