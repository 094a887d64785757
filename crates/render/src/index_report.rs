//! What is told of the search index itself.

use std::path::PathBuf;

use jiff::Timestamp;

/// What is known of the search index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexReport {
    /// Its folder.
    pub place: PathBuf,
    /// The version of its format.
    pub format: i32,
    /// Whether there is one that can be used.
    pub is_there: bool,
    /// How many conversations it holds.
    pub conversations: u64,
    /// How many messages.
    pub messages: u64,
    /// Conversations in it whose messages could not be read.
    pub unread: u64,
    /// The bytes of text whose words it holds.
    pub text_bytes: u64,
    /// The bytes that its files take.
    pub disk_bytes: u64,
    /// When it was last brought up to date.
    pub refreshed_at: Option<Timestamp>,
    /// How many conversations changed since; `None` if that cannot be told without reading them.
    pub changed: Option<u64>,
}
