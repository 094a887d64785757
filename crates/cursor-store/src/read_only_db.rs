//! A Cursor database, opened so that we cannot change it, and read so that it is never half old and half new.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::door::{self, Manners, OpenError, Opened, Way};
use crate::file_state::{FileState, Stamp};
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
    /// A writer never rested long enough.
    #[error("cannot read {}: it changes all the time", path.display())]
    KeepsChanging {
        /// The file.
        path: PathBuf,
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

impl ReadError {
    /// Whether it may be read as soon as a writer rests.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::KeepsChanging { .. }) || self.is_busy()
    }

    /// Whether a writer had the file for itself for longer than we wait.
    pub(crate) fn is_busy(&self) -> bool {
        let because = match self {
            Self::Sqlite { because, .. } | Self::Open(OpenError::Sqlite { because, .. }) => because,
            Self::Open(OpenError::Io { .. } | OpenError::NotADatabase { .. })
            | Self::KeepsChanging { .. }
            | Self::Other { .. } => return false,
        };
        because.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
    }
}

/// A Cursor database, opened read-only.
pub struct ReadOnlyDb {
    path: PathBuf,
    opened: Opened,
    has_log: bool,
    /// The tables by their names in lower case, and whether they have rowids.
    tables: RefCell<Option<HashMap<String, bool>>>,
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
        Self::open_with(path, Manners::Unnoticed)
    }

    /// Asks the database at `path` inside one read transaction, again if somebody wrote meanwhile.
    pub fn ask<T>(path: &Path, question: impl FnMut(&Self) -> Result<T, ReadError>) -> Result<T, ReadError> {
        Connections::to(path).ask(question)
    }

    pub(crate) fn open_with(path: &Path, manners: Manners) -> Result<Self, ReadError> {
        let opened = door::open(path, manners)?;
        let mode = opened.connection.query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0));
        let has_log = mode.is_ok_and(|mode| mode == "wal");
        Ok(Self { path: path.to_owned(), opened, has_log, tables: RefCell::default() })
    }

    /// How it was opened.
    pub fn way(&self) -> Way {
        self.opened.way
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether nobody wrote since it was opened. Where we take part in SQLite's locking, that does not matter as
    /// long as it is still the same file.
    pub fn is_still_true(&self) -> bool {
        let then = &self.opened.state;
        FileState::of(&self.path).is_ok_and(|now| match self.opened.way {
            Way::Shared => now.main().is_same_file(then.main()),
            Way::PrivateIndex | Way::Immutable | Way::RolledBackCopy => now == *then,
        })
    }

    /// Asks `question` inside one read transaction; tells besides whether the answer can be trusted.
    pub(crate) fn in_transaction<T>(
        &self,
        question: &mut impl FnMut(&Self) -> Result<T, ReadError>,
    ) -> (Result<T, ReadError>, bool) {
        if let Err(error) = self.begin() {
            return (Err(error), self.is_still_true());
        }
        self.tables.replace(None);
        let before = self.main_while_locked();
        let answer = question(self);
        let is_true = self.is_still_true() && before == self.main_while_locked();
        let ended = self.run("ROLLBACK");
        (answer.and_then(|answer| ended.map(|()| answer)), is_true)
    }

    /// Begins a transaction. Its first read takes the lock, or the snapshot.
    fn begin(&self) -> Result<(), ReadError> {
        let connection = self.connection();
        let begin = || {
            let begun = connection.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema");
            begun.inspect_err(|_| drop(connection.execute_batch("ROLLBACK")))
        };
        door::patiently(begin).map_err(|because| self.error(because))
    }

    /// While we hold the lock of a database without log, nobody can change the file: if it changed nevertheless, the
    /// lock was lost, because another part of this process closed the same file.
    fn main_while_locked(&self) -> Option<Stamp> {
        let is_locked = self.opened.way == Way::Shared && !self.has_log;
        is_locked.then(|| FileState::of(&self.path).ok().map(|state| *state.main())).flatten()
    }

    /// The key-value table of this name, if the database has it.
    pub fn table(&self, name: &'static str) -> Result<Option<Table<'_>>, ReadError> {
        let columns = self.columns(name)?;
        let has_rowid = self.has_rowid(name)?.unwrap_or(true);
        Ok((columns.contains("key") && columns.contains("value")).then(|| Table::new(self, name, has_rowid)))
    }

    /// The names of a table's columns; empty if there is no such table. A view is none: what it would run is not ours
    /// to run, and may never end.
    pub fn columns(&self, table: &str) -> Result<HashSet<String>, ReadError> {
        if self.has_rowid(table)?.is_none() {
            return Ok(HashSet::new());
        }
        let read = || -> rusqlite::Result<HashSet<String>> {
            let mut statement = self.connection().prepare_cached("SELECT name FROM pragma_table_info(?1)")?;
            statement.query_map([table], |row| row.get(0))?.collect()
        };
        read().map_err(|because| self.error(because))
    }

    /// Whether the table of this name has rowids; `None` if there is no such table. The names are read once for each
    /// transaction: most questions are about tables that are not there.
    fn has_rowid(&self, name: &str) -> Result<Option<bool>, ReadError> {
        let mut tables = self.tables.borrow_mut();
        if tables.is_none() {
            let read = || -> rusqlite::Result<HashMap<String, bool>> {
                let mut statement = self.connection().prepare_cached(
                    "SELECT lower(name), sql NOT LIKE '%WITHOUT ROWID%' FROM sqlite_schema
                     WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
                )?;
                statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
            };
            *tables = Some(read().map_err(|because| self.error(because))?);
        }
        Ok(tables.as_ref().and_then(|tables| tables.get(&name.to_lowercase()).copied()))
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

/// Connections to one database.
#[derive(Debug)]
pub(crate) struct Connections {
    path: PathBuf,
    idle: Mutex<Vec<ReadOnlyDb>>,
}

/// A file that changes while it is read is read again at most this often.
const MOST_TRIES: usize = 8;
/// From this try on, a writer has to wait for us where it can.
const PATIENT_TRIES: usize = 3;

impl Connections {
    pub(crate) fn to(path: &Path) -> Self {
        Self { path: path.to_owned(), idle: Mutex::new(Vec::new()) }
    }

    /// Asks `question` inside one short read transaction, again if somebody wrote meanwhile.
    pub(crate) fn ask<T>(
        &self,
        mut question: impl FnMut(&ReadOnlyDb) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        for tries in 1..=MOST_TRIES {
            let manners = if tries < PATIENT_TRIES { Manners::Unnoticed } else { Manners::Insisting };
            let before = FileState::of(&self.path).ok();
            let idle = self.idle().pop().filter(ReadOnlyDb::is_still_true);
            let opened = idle.map_or_else(|| ReadOnlyDb::open_with(&self.path, manners), Ok);
            let (db, answer, is_true) = match opened {
                Ok(db) => {
                    let (answer, is_true) = db.in_transaction(&mut question);
                    (Some(db), answer, is_true)
                }
                // What looks damaged may have been half written.
                Err(error) => (None, Err(error), before == FileState::of(&self.path).ok()),
            };
            match answer {
                Err(error) if error.is_busy() && tries < MOST_TRIES => {}
                answer if is_true => {
                    self.idle().extend(db.filter(|_| answer.is_ok()));
                    return answer;
                }
                _ => {}
            }
        }
        Err(ReadError::KeepsChanging { path: self.path.clone() })
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<ReadOnlyDb>> {
        // A thread that panicked while holding the lock left a list of connections, which is still one.
        self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
