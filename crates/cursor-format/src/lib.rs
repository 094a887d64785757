//! Bytes that Cursor writes, turned into the model. Pure: no file, no clock, no database.
//!
//! One file per shape. Every decoder is total: it gives what it understood and a finding for what it
//! did not, and never panics, whatever the bytes. Rows that a shape refers to are asked for through
//! [`Rows`], so that the holder of the database does the reading.

pub mod agent;
pub mod diff;
pub mod drift;
pub mod edit_diff;
pub mod hooks;
pub mod ide;
pub mod known;
mod limits;
mod media_type;
mod placeholders;
pub mod plan_file;
pub mod rich_text;
mod rows;
pub mod sdk;
pub mod slug;
mod tags;
pub mod tool_names;
pub mod tracking;
pub mod transcript;
pub mod uri;
pub mod user_text;
mod wire_json;

use backscroll_model::hex;
pub use limits::MOST_MESSAGES;
pub use rows::{BlobId, Blobs, Row, Rows, RowsError};
