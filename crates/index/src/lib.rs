//! A full-text and facet index over all conversations: a cache, which may be deleted at any time.
//!
//! - [`schema`] says what the tables mean, [`fields`] what of a message is searched, [`tokens`] how text becomes words.
//! - [`refresh`] brings an index up to date with what a [`Feed`] tells, for the price of what changed.
//! - [`Index`] answers.
//!
//! This room knows no source and reads no file but its own.

pub mod codes;
mod database;
mod error;
mod feed;
pub mod fields;
mod folder;
mod index;
mod listing;
mod months;
mod names;
mod payload_text;
pub mod query;
mod refresh;
mod runs;
pub mod schema;
pub mod search;
mod statistics;
mod status;
mod stored;
pub mod tokens;
mod vouched;
mod write;

pub use error::IndexError;
pub use feed::{Changed, Entries, Entry, Feed, Marks, Which};
pub use index::Index;
pub use listing::Content;
pub use payload_text::payload_text;
pub use refresh::{Became, Manner, Progress, Refreshed, refresh, refresh_findings};
pub use statistics::{
    FileCount, LineCount, ModelCount, Scope, Statistics, TokenCount, ToolCount, WorkspaceCount,
};
pub use status::{Held, Since, Status, status};
pub use vouched::{Vouched, VouchedMessage};
