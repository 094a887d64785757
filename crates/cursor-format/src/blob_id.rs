//! The name of a blob: the SHA-256 of what it holds. Must not ask any store.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::hex;

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
