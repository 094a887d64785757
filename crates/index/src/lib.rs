//! A full-text and facet index over all conversations: a cache, which may be deleted at any time.
//!
//! - [`schema`] says what the tables mean, [`fields`] what of a message is searched, [`tokens`] how text becomes words.
//! - [`refresh`] brings an index up to date with what a [`Feed`] has, for the price of what changed.
//! - [`Index`] answers.
//!
//! This room knows no source and reads no file but its own.

pub mod codes;
mod database;
mod feed;
pub mod fields;
mod folder;
mod index;
pub mod query;
mod refresh;
pub mod schema;
pub mod search;
mod statistics;
pub mod tokens;
mod write;

pub use feed::{Changed, Entries, Entry, Feed, Marks, Which};
pub use fields::payload_text;
pub use index::{Content, Held, Index, IndexError, Since, Status, status};
pub use refresh::{Became, Manner, Progress, Refreshed, refresh, refresh_findings};
pub use statistics::{
    FileCount, LineCount, ModelCount, Scope, Statistics, TokenCount, ToolCount, WorkspaceCount,
};
