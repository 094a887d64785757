//! What a decoder may ask of the store that it decodes from, and how blobs are named. Implemented by `cursor-store`, and by
//! maps in tests.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use sha2::{Digest, Sha256};

use crate::hex;

/// The store could not answer.
pub type RowsError = Box<dyn Error + Send + Sync>;

/// A key-value table such as `cursorDiskKV`, by key only.
pub trait Rows {
    /// The value under `key`: `None` if there is no such row, `Some(None)` if its value is NULL.
    fn value(&self, key: &str) -> Result<Option<Option<Vec<u8>>>, RowsError>;

    /// Every row whose key begins with `prefix`, in order of key.
    fn under(&self, prefix: &str, each: &mut dyn FnMut(Row<'_>)) -> Result<(), RowsError>;

    /// The keys of the same rows. A store that can tell them without reading values does.
    fn keys_under(&self, prefix: &str, each: &mut dyn FnMut(&[u8])) -> Result<(), RowsError> {
        self.under(prefix, &mut |row| each(row.key))
    }

    /// Whether any conversation may have a message with this id. A store that knows all ids spares the decoder a look at all keys.
    fn may_have_message(&self, _id: &str) -> Result<bool, RowsError> {
        Ok(true)
    }
}

/// A row as it is in the table.
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
    /// The bytes of this blob, if the store has it. A store that has them in memory lends them.
    fn blob(&self, id: &BlobId) -> Result<Option<Cow<'_, [u8]>>, RowsError>;
}

/// The name of a blob.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobId([u8; 32]);

impl BlobId {
    /// The name that 64 hexadecimal digits spell.
    pub fn spelled(digits: &[u8]) -> Option<Self> {
        hex::decode_array(digits).map(Self)
    }

    /// The name of what holds these bytes.
    pub fn of_content(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The hash itself.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for BlobId {
    fn from(hash: [u8; 32]) -> Self {
        Self(hash)
    }
}

/// As stores spell it: in lower case.
impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(&self.0))
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
