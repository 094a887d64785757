//! Bytes that Cursor writes, turned into the model. Pure: no file, no clock, no database.
//!
//! One file per shape. Every decoder is total: it gives what it understood and a finding for what it
//! did not, and never panics, whatever the bytes. Rows that a shape refers to are asked for through
//! [`Rows`], so that whoever holds the database does the reading.

pub mod agent;
pub mod diff;
pub mod rich_text;
mod rows;
pub mod tool_names;
pub mod user_text;

pub use rows::{Blobs, Row, Rows, RowsError};
