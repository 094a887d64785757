//! The model, written out: JSON for programs, a view for people, a table of many conversations.
//!
//! Everything here gets a value and a writer, nothing else: no file, no clock, no environment. Text from a store is
//! neutralised before it reaches a terminal, escaped in a page, and left verbatim in JSON.

pub mod csv;
mod detail;
pub mod handoff;
pub mod html;
pub mod json;
pub mod list;
pub mod markdown;
mod phrases;
pub mod plain;
pub mod replay;
pub mod terminal;
pub mod text;
mod tokens;

pub use detail::{Detail, Options, Shown, starts_heading};
pub use phrases::{counted, grouped};
pub use tokens::most_tokens;
