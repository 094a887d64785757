//! Limits of one conversation, in every layer alike: what is beyond them would take all memory, and is reported.

use backscroll_model::{Finding, FindingKind, Origin};

/// Maximum number of messages. The longest conversations that are known have some ten thousand.
pub const MOST_MESSAGES: usize = 100_000;

/// Maximum number of bytes of stored messages of the editor, which are all in memory at once.
pub(crate) const MOST_ROW_BYTES: usize = 128 << 20;

/// Maximum number of bytes of blobs. A blob is in memory while it is decoded, its words for longer.
pub(crate) const MOST_BLOB_BYTES: usize = 300 << 20;

/// The finding for `count` messages beyond [`MOST_MESSAGES`].
pub(crate) fn too_many(count: usize, at: &Origin) -> Finding {
    let says = format!("only {MOST_MESSAGES} messages of a conversation are read: {count} are left out");
    Finding::new(FindingKind::TooLarge, at.clone(), says)
}
