//! Opens the index's own file: the only place in this room that does. Sources are never opened here.

use std::path::Path;
use std::time::Duration;

use backscroll_model::ConversationId;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Params, Row};

use crate::IndexError;
use crate::{schema, vocabulary};

/// How long to wait for somebody who is just writing.
const PATIENCE: Duration = Duration::from_secs(5);

/// Prepared statements that a connection keeps.
const STATEMENTS: usize = 64;

/// The full-text engine collects this many bytes of postings before it writes them out. Its own choice, a megabyte, makes
/// many small runs that must be merged again and again.
const COLLECTED_BYTES: u32 = 48 * 1024 * 1024;

/// A level of the full-text engine is merged at once when it has this many runs: the engine's own choice.
const MOST_RUNS: u32 = 16;

/// Questions and changes in one step each. The statements stay prepared.
pub(crate) trait Statements {
    /// Makes a change.
    fn run(&self, sql: &str, values: impl Params) -> Result<(), IndexError>;

    /// What `read` makes of each row.
    fn all<T, All: FromIterator<T>>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<All, IndexError>;

    /// What `read` makes of the first row, if there is one.
    fn one<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, IndexError>;
}

impl Statements for Connection {
    fn run(&self, sql: &str, values: impl Params) -> Result<(), IndexError> {
        self.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    fn all<T, All: FromIterator<T>>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<All, IndexError> {
        Ok(self.prepare_cached(sql)?.query_map(values, read)?.collect::<Result<_, _>>()?)
    }

    fn one<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, IndexError> {
        Ok(self.prepare_cached(sql)?.query_row(values, read).optional()?)
    }
}

/// The id of a conversation in the first column.
pub(crate) fn id(row: &Row<'_>) -> rusqlite::Result<ConversationId> {
    row.get::<_, String>(0).map(ConversationId::new)
}

/// Opens `file` for questions; `None` if it is of another version.
pub(crate) fn open_to_read(file: &Path) -> Result<Option<Connection>, IndexError> {
    // Not read-only: a reader of a file in WAL mode may have to make its shared memory.
    let connection = open(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.execute_batch("PRAGMA query_only = ON; PRAGMA temp_store = MEMORY;")?;
    Ok((version(&connection)? == schema::VERSION).then_some(connection))
}

/// Opens `file` for changes; `None` if it is of another version.
pub(crate) fn open_to_write(file: &Path) -> Result<Option<Connection>, IndexError> {
    let connection = open(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;")?;
    Ok((version(&connection)? == schema::VERSION).then_some(connection))
}

/// Opens `file`, which is empty, for a first build. It is not read before it is finished, so it needs no journal.
pub(crate) fn create(file: &Path) -> Result<Connection, IndexError> {
    let connection = open(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.execute_batch(
        "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
         PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768;",
    )?;
    connection.execute_batch(schema::CREATE)?;
    connection.pragma_update(None, "user_version", schema::VERSION)?;
    configure(&connection, "automerge", 0)?;
    configure(&connection, "crisismerge", 4096)?;
    configure(&connection, "hashsize", COLLECTED_BYTES)?;
    connection.execute_batch("BEGIN")?;
    Ok(connection)
}

/// An index in memory, empty. What grows beyond a limit goes to a file without a name, if `may_grow_out`.
#[expect(clippy::disallowed_methods, reason = "it is nobody's file")]
pub(crate) fn in_memory(may_grow_out: bool) -> Result<Connection, IndexError> {
    let connection = Connection::open(if may_grow_out { "" } else { ":memory:" })?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.execute_batch(
        "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768;",
    )?;
    connection.execute_batch(schema::CREATE)?;
    Ok(connection)
}

/// Ends a first build: from now on the file may be read while it is written.
///
/// The build left a few huge runs of words on the full-text engine's lowest level, where small refreshes add theirs. The
/// engine merges a level when it has [`MOST_RUNS`], so one of the next refreshes would write all of the index again.
/// `optimize` makes one run of them, one level higher.
pub(crate) fn finish(connection: Connection) -> Result<(), IndexError> {
    connection.execute("INSERT INTO words (words) VALUES ('optimize')", [])?;
    vocabulary::fill(&connection)?;
    configure(&connection, "automerge", 4)?;
    configure(&connection, "crisismerge", MOST_RUNS)?;
    configure(&connection, "hashsize", 1024 * 1024)?;
    connection.execute_batch("COMMIT")?;
    connection.execute_batch("PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = WAL;")?;
    connection.close().map_err(|(_, error)| error.into())
}

/// Takes back what was not committed, and gives the room in the log back to the disk; false if that cannot be done.
pub(crate) fn shorten_log(connection: &Connection) -> bool {
    let _ = connection.is_autocommit() || connection.execute_batch("ROLLBACK").is_ok();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).is_ok()
}

fn configure(connection: &Connection, name: &str, value: u32) -> Result<(), IndexError> {
    connection.execute("INSERT INTO words (words, rank) VALUES (?1, ?2)", (name, value))?;
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "our own file, not one of Cursor's")]
fn open(file: &Path, flags: OpenFlags) -> Result<Connection, IndexError> {
    // No part of the path is a link: see `Folder`.
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // The last to close would wait for the disk; the log is written back when it has grown.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

fn version(connection: &Connection) -> Result<i32, IndexError> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}
