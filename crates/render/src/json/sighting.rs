//! `backscroll.secret/1`: where a secret stands, never what it is.

use serde::Serialize;

use crate::redact::Sighting;

/// The fields in their order.
#[derive(Serialize)]
pub(super) struct WireSighting<'a> {
    schema: &'static str,
    conversation: Option<&'a str>,
    file: Option<&'a str>,
    message: Option<usize>,
    unlisted: bool,
    field: Option<&'static str>,
    line: usize,
    kind: &'a str,
    placeholder: &'a str,
    masked: &'a str,
}

impl<'a> WireSighting<'a> {
    pub(super) fn of(sighting: &'a Sighting, conversation: Option<&'a str>, file: Option<&'a str>) -> Self {
        Self {
            schema: "backscroll.secret/1",
            conversation,
            file,
            message: sighting.place.and_then(|place| place.message),
            unlisted: sighting.place.is_some_and(|place| place.is_orphan),
            field: sighting.place.map(|place| place.field),
            line: sighting.line,
            kind: &sighting.kind,
            placeholder: &sighting.placeholder,
            masked: &sighting.masked,
        }
    }
}
