//! `workspaceIdentifier` and its relatives: which workspace a record says it belongs to.

use serde_json::value::RawValue;

use crate::uri::{Place, place, place_of};
use crate::wire_json::{Text, string, wire};

wire! {
    struct WireIdentifier<'a> {
        id: Text<'a> = "id",
        uri: Option<&'a RawValue> = "uri",
        config: Option<&'a RawValue> = "configPath",
    }
}

/// The workspace's id, and its place where the record spells it out. A multi-root workspace gives its file.
pub(crate) fn identifier(value: &RawValue) -> (Option<String>, Option<Place>) {
    if let Some(text) = string(value) {
        return (None, place(&text));
    }
    let wire: WireIdentifier<'_> = serde_json::from_str(value.get()).unwrap_or_default();
    let place = wire.uri.or(wire.config).and_then(place_of);
    (wire.id.owned(), place)
}

/// Whether a workspace id stands for no folder at all: `empty-window`, or the time a window was opened.
pub fn is_windowless(id: &str) -> bool {
    id == "empty-window" || (!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()))
}
