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
mod heads;
mod index;
pub mod query;
mod refresh;
mod said;
pub mod schema;
pub mod search;
mod statistics;
pub mod tokens;
mod vocabulary;
mod write;

pub use feed::{Catalogues, Feed, Loaded, Located, MergedHead, SourceStores};
pub use fields::payload_text;
pub use heads::{ANY_PLAN, Beside, has_messages};
pub use index::{
    Compared, Index, IndexError, LeftOver, StoredHead, discard, note_compared, note_files, status,
};
pub use refresh::{Became, Manner, Progress, Refreshed, refresh, refresh_heads};
pub use said::{Said, SaidById};
pub use statistics::{
    FileCount, LineCount, ModelCount, Statistics, StatisticsScope, TokenCount, ToolCount, WorkspaceCount,
};
