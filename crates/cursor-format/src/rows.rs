//! What a decoder may ask of the store that it decodes from. Implemented by `cursor-store`, and by maps in tests.

use std::borrow::Cow;
use std::error::Error;

use crate::BlobId;
use crate::agent::MessagesAhead;

/// The store could not answer.
pub type RowsError = Box<dyn Error + Send + Sync>;

/// A key-value table such as `cursorDiskKV`, by key only.
pub trait Rows {
    /// The value under `key`: `None` if there is no such row, `Some(None)` if its value is NULL.
    fn value(&self, key: &str) -> Result<Option<Option<Vec<u8>>>, RowsError>;

    /// Every row whose key begins with `prefix`, in order of key.
    fn under(&self, prefix: &str, each: &mut dyn FnMut(Row<'_>)) -> Result<(), RowsError>;
}

/// A row as it stands in the table.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The key's bytes.
    pub key: &'a [u8],
    /// The value's bytes, whether SQLite calls them text or blob; `None` for NULL.
    pub value: Option<&'a [u8]>,
    /// When it was last written, relative to the others: Cursor gives a rewritten row a new one.
    pub rowid: i64,
}

/// Content-addressed blobs: `blobs` of a CLI store, or `agentKv:blob:` rows of the editor.
pub trait Blobs {
    /// The bytes of this blob, if the store has it. Whoever has them in memory lends them: some ask for very many.
    fn blob(&self, id: &BlobId) -> Result<Option<Cow<'_, [u8]>>, RowsError>;

    /// The messages among them, where the store has them read ahead.
    fn messages_ahead(&self) -> Option<&dyn MessagesAhead> {
        None
    }
}
