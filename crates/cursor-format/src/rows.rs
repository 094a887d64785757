//! What a decoder may ask of the store that it decodes from. Implemented by `cursor-store`, and by maps in tests.

use std::error::Error;

/// The store could not answer.
pub type RowsError = Box<dyn Error + Send + Sync>;

/// A key-value table such as `cursorDiskKV`, by key only.
pub trait Rows {
    /// The value under `key`: `None` if there is no such row, `Some(None)` if its value is NULL.
    fn value(&self, key: &str) -> Result<Option<Option<Vec<u8>>>, RowsError>;

    /// Every row whose key begins with `prefix`, in order of key. A NULL value is given as `None`.
    fn under(&self, prefix: &str, each: &mut dyn FnMut(&[u8], Option<&[u8]>)) -> Result<(), RowsError>;
}

/// Content-addressed blobs: `blobs` of a CLI store, or `agentKv:blob:` rows of the editor.
pub trait Blobs {
    /// The bytes of the blob with this lower-case hex id, if the store has it.
    fn blob(&self, id: &str) -> Result<Option<Vec<u8>>, RowsError>;
}
