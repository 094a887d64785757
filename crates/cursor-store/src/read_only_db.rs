//! A Cursor database, opened so that we cannot change it, and read so that it is never half old and half new.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::door::{self, OpenError, Opened, Way};
use crate::file_state::FileState;
use crate::table::Table;

/// A database could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A question to it failed.
    #[error("cannot read {}: {because}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        because: rusqlite::Error,
    },
    /// Something else went wrong while reading it.
    #[error("cannot read {}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        because: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// A Cursor database, opened read-only.
pub struct ReadOnlyDb {
    path: PathBuf,
    opened: Opened,
}

impl std::fmt::Debug for ReadOnlyDb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadOnlyDb")
            .field("path", &self.path)
            .field("way", &self.opened.way)
            .finish_non_exhaustive()
    }
}

impl ReadOnlyDb {
    /// Opens the database at `path`.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        Ok(Self { path: path.to_owned(), opened: door::open(path)? })
    }

    /// How it was opened.
    pub fn way(&self) -> Way {
        self.opened.way
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether nobody wrote since it was opened. Where we take part in SQLite's locking, that does not matter.
    pub fn is_still_true(&self) -> bool {
        match self.opened.way {
            Way::Shared => true,
            Way::PrivateIndex | Way::Immutable | Way::RolledBackCopy => {
                FileState::of(&self.path).is_ok_and(|now| now == self.opened.state)
            }
        }
    }

    /// Asks `question` inside one read transaction.
    pub fn in_transaction<T>(
        &self,
        question: &mut impl FnMut(&Self) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        self.run("BEGIN")?;
        let answer = question(self);
        self.run("COMMIT")?;
        answer
    }

    /// The key-value table of this name, if the database has it.
    pub fn table(&self, name: &'static str) -> Result<Option<Table<'_>>, ReadError> {
        let columns = self.columns(name)?;
        Ok((columns.contains("key") && columns.contains("value")).then(|| Table::new(self, name)))
    }

    /// The names of a table's columns; empty if there is no such table.
    pub fn columns(&self, table: &str) -> Result<HashSet<String>, ReadError> {
        let read = || -> rusqlite::Result<HashSet<String>> {
            let mut statement = self.connection().prepare_cached("SELECT name FROM pragma_table_info(?1)")?;
            statement.query_map([table], |row| row.get(0))?.collect()
        };
        read().map_err(|because| self.error(because))
    }

    pub(crate) fn connection(&self) -> &rusqlite::Connection {
        &self.opened.connection
    }

    pub(crate) fn error(&self, because: rusqlite::Error) -> ReadError {
        ReadError::Sqlite { path: self.path.clone(), because }
    }

    fn run(&self, statement: &str) -> Result<(), ReadError> {
        self.connection().execute_batch(statement).map_err(|because| self.error(because))
    }
}
