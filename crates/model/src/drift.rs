//! Drift: what a store holds beyond everything that we know Cursor to write. Named, counted, never a loss.

use std::path::PathBuf;

use serde::Serialize;

use crate::Layer;
use crate::wire::path;

named! {
    /// What sort of thing is not known.
    pub enum DriftKind {
        /// A family of row keys.
        Key = "key",
        /// A table.
        Table = "table",
        /// A column of a known table.
        Column = "column",
        /// A field of a known JSON object.
        JsonField = "json-field",
        /// A field number of a known protobuf message.
        ProtoField = "proto-field",
        /// A tool, by number.
        Tool = "tool",
        /// A type of event.
        Event = "event",
    }
}

/// Something of a store that is not known, in one place of it. It holds none of the user's words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Drift {
    /// The store.
    #[serde(serialize_with = "path::serialize")]
    pub file: PathBuf,
    /// What kind of store it is.
    pub layer: Layer,
    /// What sort of thing it is.
    pub kind: DriftKind,
    /// Its name, or its number.
    pub name: String,
    /// The place that has it: a table, an object, a message.
    #[serde(rename = "where")]
    pub place: String,
    /// How often.
    pub count: u64,
    /// The key of a row that has it.
    pub example: String,
}
