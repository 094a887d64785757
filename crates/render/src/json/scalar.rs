//! Single values: times, paths, flags, payloads.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use backscroll_model::{Flag, Payload};
use jiff::Timestamp;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// A time as RFC 3339 in UTC, with milliseconds where there are any.
pub(super) struct Time(pub(super) Timestamp);

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.subsec_nanosecond() {
            0 => serializer.collect_str(&self.0),
            nanoseconds if nanoseconds % 1_000_000 == 0 => {
                serializer.collect_str(&format_args!("{:.3}", self.0))
            }
            _ => serializer.collect_str(&self.0),
        }
    }
}

/// A path as text; what is not UTF-8 in it is replaced.
pub(super) struct PathText<'a>(pub(super) &'a Path);

impl Serialize for PathText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_string_lossy())
    }
}

/// Flags by name.
pub(super) struct Flags<'a>(pub(super) &'a BTreeSet<Flag>);

impl Serialize for Flags<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|flag| flag.name()))
    }
}

/// JSON as it was stored, or text as a JSON string.
pub(super) struct PayloadValue<'a>(pub(super) &'a Payload);

impl Serialize for PayloadValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Payload::Text(text) => serializer.serialize_str(text),
            Payload::Json(json) => match on_one_line(json.get()) {
                Cow::Borrowed(_) => json.serialize(serializer),
                Cow::Owned(line) => {
                    RawValue::from_string(line).map_err(S::Error::custom)?.serialize(serializer)
                }
            },
        }
    }
}

/// Stored JSON may be spread over lines, which would break JSON Lines. A line break in valid JSON always stands
/// between tokens, never in a string, so taking it away changes nothing.
fn on_one_line(json: &str) -> Cow<'_, str> {
    if json.contains('\n') || json.contains('\r') {
        Cow::Owned(json.replace(['\n', '\r'], " "))
    } else {
        Cow::Borrowed(json)
    }
}
