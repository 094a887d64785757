//! What can go wrong with the index's own files.

use std::path::PathBuf;

/// The index could not be read or written. The conversations themselves are untouched: it is a cache.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// Its folder or a file in it could not be made, read or written.
    #[error("cannot use the index at {}", place.display())]
    Files {
        /// The file or folder.
        place: PathBuf,
        /// Why.
        #[source]
        because: std::io::Error,
    },
    /// SQLite could not do what it was asked for.
    #[error("the index cannot be used")]
    Database(#[from] rusqlite::Error),
    /// Something in the index is not what was written there.
    #[error("the index is damaged: {0}")]
    Damaged(String),
}

impl IndexError {
    /// `place` could not be used, because of `because`.
    pub(crate) fn files(place: impl Into<PathBuf>, because: std::io::Error) -> Self {
        Self::Files { place: place.into(), because }
    }

    /// Whether the file is broken, so that only making it anew helps.
    pub(crate) fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match self {
            Self::Damaged(_) => true,
            Self::Database(error) => {
                matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
            }
            Self::Files { .. } => false,
        }
    }
}
