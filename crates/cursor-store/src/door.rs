//! The one door to a foreign SQLite file: which way in changes nothing and still sees the newest committed state.
//!
//! | the folder holds | way in | why |
//! |---|---|---|
//! | a log and shared memory | [`Way::Shared`] | somebody may have it open; shared memory is mapped read-only |
//! | a log alone, or a log on a read-only medium | [`Way::PrivateIndex`] | the log's index is built on the heap, without locks and files |
//! | no log | [`Way::Immutable`] | a plain read-only open would leave a log and shared memory behind |
//! | an unfinished rollback journal | [`Way::RolledBackCopy`] | the file is half written; a private copy is rolled back |
//! | damaged pages, or a damaged log | [`Way::Salvaged`] | SQLite would stop there; rows are read page by page |
//!
//! The two ways without locks cannot see a writer come in, so the reader compares [`FileState`] before and after
//! and reads again if it changed; if a writer never rests, the reader takes part in locking ([`Manners::Insisting`]).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::TempDir;

use crate::file_state::{FileState, companion, odd_companions, says_log};
use crate::rolled_back_copy::rolled_back_copy;
use crate::shared_memory::LOG_HEADER;
use crate::{waiting, work};

/// How a database was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Together with the process that has it open.
    Shared,
    /// With an index of its log in our own memory.
    PrivateIndex,
    /// As a file that nobody writes.
    Immutable,
    /// A copy whose unfinished transaction was rolled back.
    RolledBackCopy,
    /// A private database with what can be read of a damaged one.
    Salvaged,
}

/// A database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        because: io::Error,
    },
    /// The file is something else.
    #[error("{} is not a SQLite database (or it is encrypted)", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// It is damaged, and not one row of it is left.
    #[error("cannot read {}: {because}", path.display())]
    NothingLeft {
        /// The file.
        path: PathBuf,
        /// The damage.
        because: String,
    },
    /// SQLite cannot read it.
    #[error("SQLite cannot open {}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        because: rusqlite::Error,
    },
}

/// An open connection, and how it was made.
pub(crate) struct Opened {
    pub(crate) connection: Connection,
    pub(crate) way: Way,
    pub(crate) state: FileState,
    /// Holds the private copy, where there is one, until the connection is gone.
    _copy: Option<TempDir>,
}

/// A writer that seems to have crashed is looked at this often before it is believed.
const MOST_BEGINNINGS: usize = 50;

/// As many statements are kept for the next time: more than are asked in one loop.
const STATEMENTS: usize = 64;

/// How much a writer may be disturbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manners {
    /// Not at all, where that is possible.
    Unnoticed,
    /// It has to wait while we read, because it would not let us read otherwise.
    Insisting,
}

/// A database of our own for what can be read of a damaged one. It is in memory until it grows large, then in a file
/// without a name.
#[expect(clippy::disallowed_methods, reason = "it is nobody's file")]
pub(crate) fn private() -> rusqlite::Result<Connection> {
    let connection = Connection::open("")?;
    connection
        .execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536")?;
    Ok(connection)
}

impl Opened {
    /// A private database with what is left of the one with this `state`.
    pub(crate) fn salvaged(connection: Connection, state: FileState) -> Result<Self, rusqlite::Error> {
        settle(&connection)?;
        Ok(Self { connection, way: Way::Salvaged, state, _copy: None })
    }
}

/// Opens the database at `path` so that we cannot change it.
pub(crate) fn open(path: &Path, manners: Manners) -> Result<Opened, OpenError> {
    let io_error = |because| OpenError::Io { path: path.to_owned(), because };
    // SQLite keeps companions beside the file itself, not beside a link to it.
    let real = if path.is_symlink() { fs::canonicalize(path).map_err(io_error)? } else { path.to_owned() };
    let path = real.as_path();
    let state = FileState::read(path).map_err(io_error)?;
    if let Some((ending, because)) = odd_companions(path).find(|(ending, _)| *ending == "-journal") {
        return Err(OpenError::Io { path: companion(path, ending), because });
    }
    let sqlite_error = |because| sqlite_error(path, because);
    let mut copy = None;
    // Beside an empty database, SQLite removes the log and the journal, although it was told not to write.
    let is_empty = state.main.length == 0;
    if is_empty && state.log.is_some() {
        return Err(io_error(io::Error::other("it is empty, and nothing in its log can be read")));
    }
    let (connection, way) = if state.journal.is_some() {
        if let Some(connection) = (!is_empty).then(|| shared(path).ok()).flatten() {
            (connection, Way::Shared)
        } else {
            let (connection, folder) = rolled_back_copy(path).map_err(io_error)?;
            copy = folder;
            (connection.map_err(sqlite_error)?, Way::RolledBackCopy)
        }
    } else if let Some(log) = state.log.filter(|_| state.has_shared_memory)
        // Where shared memory counts frames of a log that has none, SQLite waits ten seconds for them.
        && log.length != LOG_HEADER
    {
        match shared(path) {
            Ok(connection) => (connection, Way::Shared),
            Err(_) => (private_index(path).map_err(sqlite_error)?, Way::PrivateIndex),
        }
    } else if state.log.is_some() {
        (private_index(path).map_err(sqlite_error)?, Way::PrivateIndex)
    } else if manners == Manners::Insisting && !says_log(path).map_err(io_error)? {
        (shared(path).map_err(sqlite_error)?, Way::Shared)
    } else {
        (immutable(path).map_err(sqlite_error)?, Way::Immutable)
    };
    Ok(Opened { connection, way, state, _copy: copy })
}

fn sqlite_error(path: &Path, because: rusqlite::Error) -> OpenError {
    let path = path.to_owned();
    match because.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => OpenError::NotADatabase { path },
        _ => OpenError::Sqlite { path, because },
    }
}

/// Read-only beside a possible writer. `readonly_shm` keeps us from rebuilding the shared memory of a writer that
/// crashed: SQLite then indexes the log on the heap.
fn shared(path: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(path, "mode=ro&readonly_shm=1")?;
    patiently(|| settle(&connection))?;
    Ok(connection)
}

/// Begins to read, again if the writer was just then changing the head of its shared memory. SQLite takes that for a
/// crash, which a reader may not repair.
pub(crate) fn patiently(mut begin: impl FnMut() -> rusqlite::Result<()>) -> rusqlite::Result<()> {
    for _ in 0..MOST_BEGINNINGS {
        match begin() {
            Err(error) if is_passing(&error) => std::thread::sleep(Duration::from_millis(1)),
            other => return other,
        }
    }
    begin()
}

fn is_passing(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    code == Some(rusqlite::ffi::SQLITE_READONLY_RECOVERY)
}

/// Without locks and without shared memory: an exclusive connection keeps the log's index on the heap, and the
/// file system layer without locks lets a read-only file be "exclusive".
fn private_index(path: &Path) -> rusqlite::Result<Connection> {
    let layer = if cfg!(windows) { "win32-none" } else { "unix-none" };
    let connection = connect(path, &format!("mode=ro&vfs={layer}"))?;
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    settled(connection)
}

fn immutable(path: &Path) -> rusqlite::Result<Connection> {
    settled(connect(path, "mode=ro&immutable=1")?)
}

#[expect(clippy::disallowed_methods, reason = "this is the door")]
pub(crate) fn connect(path: &Path, parameters: &str) -> rusqlite::Result<Connection> {
    work::opened();
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(uri(path, parameters), flags)?;
    waiting::begin(path);
    connection.busy_handler(Some(waiting::wait))?;
    Ok(connection)
}

/// The path as SQLite's URI: everything that means something there is escaped.
fn uri(path: &Path, parameters: &str) -> String {
    const PLAIN: &AsciiSet =
        &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'_').remove(b'-').remove(b'~');
    let mut bytes = path.as_os_str().as_encoded_bytes().to_vec();
    if cfg!(windows) {
        bytes.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
    }
    // With an empty host, so that a path with two slashes in front does not name one.
    let scheme = if bytes.starts_with(b"/") { "file://" } else { "file:" };
    format!("{scheme}{}?{parameters}", percent_encode(&bytes, PLAIN))
}

/// Makes the connection safe to read a stranger's file with, and touches the file once, so that what is wrong
/// with it shows now.
fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
}

pub(crate) fn settled(connection: Connection) -> rusqlite::Result<Connection> {
    settle(&connection).map(|()| connection)
}
