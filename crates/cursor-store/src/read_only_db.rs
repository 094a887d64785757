//! A Cursor database, opened so that we cannot change it, and read so that it is never half old and half new.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use backscroll_model::{Finding, FindingKind, Layer, Origin, locked};
use rusqlite::{Connection, Params, Row};

use crate::contents::quoted;
use crate::door::{self, Manners, OpenError, Opened, Way};
use crate::file_state::{FileState, Stamp, companion, odd_companions};
use crate::files::name_of;
use crate::salvaged::{StoreDamage, has_sound_journal, lacks_schema, look_at_log, salvage};
use crate::shared_memory::SharedMemory;
use crate::table::Table;
use crate::waiting;

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
    /// Something else went wrong while reading `path`.
    pub(crate) fn other(path: &Path, because: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Other { path: path.to_owned(), because: because.into() }
    }

    /// Whether it may be read as soon as a writer rests.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::KeepsChanging { .. }) || self.is_busy()
    }

    /// Whether it may be damaged: what SQLite says of pages that it cannot make sense of, or that are not there.
    fn is_damage(&self) -> bool {
        match self {
            Self::Open(OpenError::NotADatabase { .. }) => true,
            // A header that SQLite does not know: of a later version, or damaged.
            Self::Open(OpenError::Sqlite { because, .. }) if is_plain_error(because) => true,
            _ => self.of_sqlite().is_some_and(is_damage),
        }
    }

    /// Whether a writer had the file for itself for longer than we wait.
    pub(crate) fn is_busy(&self) -> bool {
        let code = self.of_sqlite().and_then(rusqlite::Error::sqlite_error_code);
        code == Some(rusqlite::ErrorCode::DatabaseBusy)
    }

    /// What SQLite says.
    fn of_sqlite(&self) -> Option<&rusqlite::Error> {
        match self {
            Self::Sqlite { because, .. } | Self::Open(OpenError::Sqlite { because, .. }) => Some(because),
            Self::Open(
                OpenError::Io { .. } | OpenError::NotADatabase { .. } | OpenError::NothingLeft { .. },
            )
            | Self::KeepsChanging { .. }
            | Self::Other { .. } => None,
        }
    }
}

fn is_plain_error(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_ERROR)
}

fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode;
    use rusqlite::ffi::{SQLITE_IOERR_CORRUPTFS, SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ};
    let code = error.sqlite_error_code();
    let is_unread = |error: &rusqlite::ffi::Error| {
        matches!(error.extended_code, SQLITE_IOERR_SHORT_READ | SQLITE_IOERR_READ | SQLITE_IOERR_CORRUPTFS)
    };
    error.sqlite_error().is_some_and(is_unread)
        || matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::CannotOpen))
}

/// In one transaction this many missing keys are checked, so that it costs some milliseconds at most.
const MOST_CHECKS: u32 = 256;

/// A Cursor database, opened read-only.
pub struct ReadOnlyDb {
    path: PathBuf,
    opened: Opened,
    has_log: bool,
    /// The tables by their names in lower case, and whether they have rowids.
    tables: RefCell<Option<HashMap<String, bool>>>,
    /// Whether SQLite, or a value, said that something is damaged.
    saw_damage: Cell<bool>,
    damage: Arc<StoreDamage>,
    /// Values that were not read, by their keys, and how long they are.
    too_large: RefCell<BTreeMap<String, i64>>,
    /// How many more missing keys are checked in this transaction.
    checks_left: Cell<u32>,
    /// The tables that were checked in this transaction.
    checked: RefCell<HashSet<&'static str>>,
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
        let db = Self::new(path, opened, has_log, Arc::default());
        if db.is_cut_in_a_page() || db.has_odd_schema() {
            db.note_damage();
        }
        Ok(db)
    }

    /// Whether its schema is none: with a wrong text encoding SQLite does not find a table in it, and with a wrong count of rows
    /// only some of them.
    fn has_odd_schema(&self) -> bool {
        let kinds = "SELECT count(*), count(*) FILTER (WHERE type IN ('table', 'index', 'view', 'trigger')),
                     (SELECT page_count - freelist_count FROM pragma_page_count, pragma_freelist_count)
                     FROM sqlite_schema";
        let is_odd = |row: &Row<'_>| {
            let (all, known, pages): (i64, i64, Option<i64>) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(all != known || all == 0 && pages.is_some_and(|pages| pages > 1))
        };
        self.first(kinds, [], is_odd).is_ok_and(|is_odd| is_odd == Some(true))
            || self.opened.way == Way::Immutable && lacks_schema(&self.path)
    }

    /// Whether a part of its last page is missing: SQLite takes zeros for it. Cursor's pages have 4096 bytes.
    fn is_cut_in_a_page(&self) -> bool {
        let length = self.opened.state.main.length;
        let sizes = "SELECT page_size * page_count FROM pragma_page_size, pragma_page_count";
        let is_longer = |size: Option<i64>| size.is_some_and(|size| size.cast_unsigned() > length);
        !length.is_multiple_of(4096) && self.first(sizes, [], |row| row.get(0)).is_ok_and(is_longer)
    }

    fn new(path: &Path, opened: Opened, has_log: bool, damage: Arc<StoreDamage>) -> Self {
        let path = path.to_owned();
        Self {
            path,
            opened,
            has_log,
            tables: RefCell::default(),
            saw_damage: Cell::new(false),
            damage,
            too_large: RefCell::default(),
            checks_left: Cell::new(0),
            checked: RefCell::default(),
        }
    }

    /// What can be read of a damaged database; `None` if nothing of it looks like one.
    fn salvaged(path: &Path, log: &StoreDamage) -> Result<Option<Self>, ReadError> {
        let error = |because| OpenError::Io { path: path.to_owned(), because };
        let real = fs::canonicalize(path).map_err(error)?;
        let state = FileState::read(&real).map_err(error)?;
        let Some((connection, mut damage)) = salvage(&real).map_err(error)? else { return Ok(None) };
        let opened = Opened::salvaged(connection, state);
        let opened = opened.map_err(|because| OpenError::Sqlite { path: path.to_owned(), because })?;
        damage.extend(log);
        if damage.is_empty() {
            damage.add("", "its pages contradict each other; all that they hold was read page by page");
        }
        let failed = |because| ReadError::Sqlite { path: path.to_owned(), because };
        if !has_rows(&opened.connection).map_err(failed)? {
            return Err(OpenError::NothingLeft { path: path.to_owned(), because: damage.summary() }.into());
        }
        Ok(Some(Self::new(path, opened, false, Arc::new(damage))))
    }

    /// What is damaged in it, as far as that was noticed.
    pub(crate) fn damage(&self) -> &StoreDamage {
        &self.damage
    }

    /// Remembers that something in it is damaged: the question is answered from what can be read page by page.
    pub(crate) fn note_damage(&self) {
        self.saw_damage.set(true);
    }

    /// Whether the value under `key` was too long to be read.
    pub(crate) fn is_too_large(&self, key: &str) -> bool {
        self.too_large.borrow().contains_key(key)
    }

    /// Remembers that the value under `key`, which is `bytes` long, was not read.
    pub(crate) fn note_too_large(&self, key: &str, bytes: i64) {
        self.too_large.borrow_mut().insert(key.to_owned(), bytes);
    }

    /// A finding for each value that was too long to be read and that `is_wanted` by its key.
    pub(crate) fn too_large(
        &self,
        layer: Layer,
        file: &Arc<Path>,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Vec<Finding> {
        let finding = |(key, bytes): (&String, &i64)| {
            let at = Origin::new(layer, Arc::clone(file), key.as_str());
            Finding::new(FindingKind::TooLarge, at, format!("a value of {} MB is not read", bytes >> 20))
        };
        self.too_large.borrow().iter().filter(|(key, _)| is_wanted(key)).map(finding).collect()
    }

    /// Whether SQLite reads the file itself, and so believes pages that are lost or belong elsewhere.
    pub(crate) fn is_read_by_sqlite(&self) -> bool {
        self.opened.way != Way::Salvaged
    }

    /// Whether one more missing key may be checked in this transaction.
    pub(crate) fn may_check(&self) -> bool {
        let left = self.checks_left.get();
        self.checks_left.set(left.saturating_sub(1));
        self.is_read_by_sqlite() && left > 0
    }

    /// Whether this table was not checked before in this transaction.
    pub(crate) fn is_first_check(&self, table: &'static str) -> bool {
        self.checked.borrow_mut().insert(table)
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
        FileState::read(&self.path).is_ok_and(|now| match self.opened.way {
            Way::Shared => now.main.is_same_file(&then.main),
            Way::PrivateIndex | Way::Immutable | Way::RolledBackCopy | Way::Salvaged => now == *then,
        })
    }

    /// Asks `question` inside one read transaction; tells besides whether the answer can be trusted.
    pub(crate) fn in_transaction<T>(
        &self,
        question: &mut impl FnMut(&Self) -> Result<T, ReadError>,
    ) -> (Result<T, ReadError>, bool) {
        waiting::begin(&self.path);
        if let Err(error) = self.begin() {
            return (Err(error), self.is_still_true());
        }
        self.tables.replace(None);
        self.too_large.take();
        self.checks_left.set(MOST_CHECKS);
        self.checked.take();
        let before = self.main_while_locked();
        let answer = question(self);
        let is_true = self.is_still_true() && before == self.main_while_locked();
        let ended = self.sql(|connection| connection.execute_batch("ROLLBACK"));
        (answer.and_then(|answer| ended.map(|()| answer)), is_true)
    }

    /// Begins a transaction. Its first read takes the lock, or the snapshot.
    fn begin(&self) -> Result<(), ReadError> {
        self.sql(|connection| {
            door::patiently(|| {
                let begun = connection.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema");
                begun.inspect_err(|_| drop(connection.execute_batch("ROLLBACK")))
            })
        })
    }

    /// While we hold the lock of a database without log, nobody can change the file: if it changed nevertheless, the
    /// lock was lost, because another part of this process closed the same file.
    fn main_while_locked(&self) -> Option<Stamp> {
        let is_locked = self.opened.way == Way::Shared && !self.has_log;
        is_locked.then(|| FileState::read(&self.path).ok().map(|state| state.main)).flatten()
    }

    /// The key-value table of this name, if the database has it.
    pub fn table(&self, name: &'static str) -> Result<Option<Table<'_>>, ReadError> {
        let columns = self.columns(name)?;
        let has_rowid = self.has_rowid(name)?.unwrap_or(true);
        Ok((columns.contains("key") && columns.contains("value")).then(|| Table::new(self, name, has_rowid)))
    }

    /// A finding if the table of this name is there in a form that cannot be read: a view, a virtual table, or one without these
    /// columns.
    pub(crate) fn unusable(
        &self,
        name: &'static str,
        columns: &[&str],
        at: Origin,
    ) -> Result<Option<Finding>, ReadError> {
        let is_there =
            "SELECT 1 FROM sqlite_schema WHERE lower(name) = lower(?1) AND type IN ('table', 'view')";
        let stored = self.columns(name)?;
        let is_usable = columns.iter().all(|column| stored.contains(*column));
        let is_unusable = !is_usable && self.first(is_there, [name], |_| Ok(()))?.is_some();
        let columns = columns.join(" and ");
        let says = format!("{name} is not a table with the columns {columns}: nothing in it is read");
        Ok(is_unusable.then(|| Finding::new(FindingKind::Damaged, at, says)))
    }

    /// The names of a table's columns; empty if there is no such table. A view is none: what it would run is not ours
    /// to run, and may never end.
    pub fn columns(&self, table: &str) -> Result<HashSet<String>, ReadError> {
        if self.has_rowid(table)?.is_none() {
            return Ok(HashSet::new());
        }
        let names = self.list("SELECT name FROM pragma_table_info(?1)", [table], |row| row.get(0))?;
        Ok(names.into_iter().collect())
    }

    /// Whether the table of this name has rowids; `None` if there is no such table. The names are read once for each
    /// transaction: most questions are about tables that are not there.
    pub(crate) fn has_rowid(&self, name: &str) -> Result<Option<bool>, ReadError> {
        let mut tables = self.tables.borrow_mut();
        if tables.is_none() {
            let all = "SELECT lower(name), sql NOT LIKE '%WITHOUT ROWID%' FROM sqlite_schema
                       WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'";
            let found = self.list(all, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
            *tables = Some(found.into_iter().collect());
        }
        Ok(tables.as_ref().and_then(|tables| tables.get(&name.to_lowercase()).copied()))
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.opened.connection
    }

    /// Gives every row that `statement` selects to `take`, until that wants no more. Tells whether these were all.
    pub(crate) fn each(
        &self,
        statement: &str,
        parameters: impl Params,
        mut take: impl FnMut(&Row<'_>) -> rusqlite::Result<bool>,
    ) -> Result<bool, ReadError> {
        self.sql(|connection| {
            let mut statement = connection.prepare_cached(statement)?;
            let mut rows = statement.query(parameters)?;
            while let Some(row) = rows.next()? {
                if !take(row)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// What `read` makes of every row that `statement` selects.
    pub(crate) fn list<T>(
        &self,
        statement: &str,
        parameters: impl Params,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, ReadError> {
        let mut all = Vec::new();
        self.each(statement, parameters, |row| {
            all.push(read(row)?);
            Ok(true)
        })?;
        Ok(all)
    }

    /// What `read` makes of the first row that `statement` selects.
    pub(crate) fn first<T>(
        &self,
        statement: &str,
        parameters: impl Params,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, ReadError> {
        let mut first = None;
        self.each(statement, parameters, |row| {
            first = Some(read(row)?);
            Ok(false)
        })?;
        Ok(first)
    }

    /// The answer to `question`; what SQLite says against it is an error of this database.
    pub(crate) fn sql<T>(
        &self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, ReadError> {
        question(self.connection()).map_err(|because| self.error(because))
    }

    pub(crate) fn error(&self, because: rusqlite::Error) -> ReadError {
        if is_damage(&because) {
            self.note_damage();
        }
        ReadError::Sqlite { path: self.path.clone(), because }
    }
}

/// True if any table of the database has a row.
fn has_rows(connection: &Connection) -> rusqlite::Result<bool> {
    let mut tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
    for table in tables.query_map([], |row| row.get::<_, String>(0))? {
        let any = format!("SELECT EXISTS (SELECT 1 FROM {})", quoted(&table?));
        if connection.query_row(&any, [], |row| row.get(0))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Connections to one database.
#[derive(Debug)]
pub(crate) struct Connections {
    path: PathBuf,
    idle: Mutex<Vec<ReadOnlyDb>>,
    /// Is closed after the connections.
    shared_memory: Mutex<SharedMemory>,
    /// What can be read of it, if it is damaged.
    salvaged: Mutex<Option<ReadOnlyDb>>,
    /// What the log and the other files beside it look like, in one state of them.
    beside: Mutex<Option<(FileState, Beside)>>,
}

/// What stands beside a database.
#[derive(Debug, Clone, Default)]
struct Beside {
    damage: Arc<StoreDamage>,
    /// Whether the log holds more than SQLite would read of it.
    hides_rows: bool,
}

/// A file that changes while it is read is read again at most this often.
const MOST_TRIES: usize = 8;
/// From this try on, a writer has to wait for us where it can.
const PATIENT_TRIES: usize = 3;

impl Connections {
    pub(crate) fn to(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            idle: Mutex::default(),
            shared_memory: Mutex::default(),
            salvaged: Mutex::default(),
            beside: Mutex::default(),
        }
    }

    /// Asks `question` inside one short read transaction, again if somebody wrote meanwhile. What SQLite cannot answer
    /// because of damage is answered from what can be read page by page.
    pub(crate) fn ask<T>(
        &self,
        mut question: impl FnMut(&ReadOnlyDb) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        for tries in 1..=MOST_TRIES {
            let manners = if tries < PATIENT_TRIES { Manners::Unnoticed } else { Manners::Insisting };
            let before = FileState::read(&self.path).ok();
            let beside = before.as_ref().map(|state| self.look_beside(state)).unwrap_or_default();
            // Where a page is damaged, SQLite may answer the next question wrongly and not notice.
            if (beside.hides_rows || self.is_salvaged()) && before == FileState::read(&self.path).ok() {
                // SQLite would wait for ten seconds for a log that it can read, each time it is asked.
                let nothing = || Err(OpenError::NotADatabase { path: self.path.clone() }.into());
                return self.ask_salvaged(&beside, &mut question).unwrap_or_else(nothing);
            }
            let idle = locked(&self.idle).pop().filter(ReadOnlyDb::is_still_true);
            let opened = idle.map_or_else(|| ReadOnlyDb::open_with(&self.path, manners), Ok);
            let (db, answer, is_true) = match opened {
                Ok(mut db) => {
                    db.damage = Arc::clone(&beside.damage);
                    let (answer, is_true) = db.in_transaction(&mut question);
                    (Some(db), answer, is_true)
                }
                // What looks damaged may have been half written.
                Err(error) => (None, Err(error), before == FileState::read(&self.path).ok()),
            };
            let saw_damage = db.as_ref().is_some_and(|db| db.saw_damage.get());
            let is_damaged = saw_damage || answer.as_ref().is_err_and(ReadError::is_damage);
            if is_true
                && is_damaged
                && let Some(salvaged) = self.ask_salvaged(&beside, &mut question)
            {
                return salvaged;
            }
            match answer {
                Err(error) if error.is_busy() && tries < MOST_TRIES => {}
                answer if is_true => {
                    locked(&self.idle).extend(db.filter(|_| answer.is_ok()));
                    return answer;
                }
                _ => {}
            }
        }
        Err(ReadError::KeepsChanging { path: self.path.clone() })
    }

    /// Asks what can be read page by page; `None` if nothing can.
    fn ask_salvaged<T>(
        &self,
        beside: &Beside,
        question: &mut impl FnMut(&ReadOnlyDb) -> Result<T, ReadError>,
    ) -> Option<Result<T, ReadError>> {
        let mut salvaged = locked(&self.salvaged);
        if !salvaged.as_ref().is_some_and(ReadOnlyDb::is_still_true) {
            *salvaged = match ReadOnlyDb::salvaged(&self.path, &beside.damage) {
                Ok(salvaged) => salvaged,
                Err(error @ ReadError::Open(OpenError::NothingLeft { .. })) => return Some(Err(error)),
                Err(_) => None,
            };
        }
        salvaged.as_ref().map(|db| db.in_transaction(question).0)
    }

    /// Whether a question found out that it is damaged, in the state in which it is.
    pub(crate) fn is_salvaged(&self) -> bool {
        locked(&self.salvaged).as_ref().is_some_and(ReadOnlyDb::is_still_true)
    }

    /// Closes the connections that no question uses.
    pub(crate) fn rest(&self) {
        locked(&self.idle).clear();
    }

    /// What is damaged, as far as questions found out.
    pub(crate) fn damage(&self) -> Arc<StoreDamage> {
        let salvaged = locked(&self.salvaged);
        match salvaged.as_ref().filter(|db| db.is_still_true()) {
            Some(db) => Arc::clone(&db.damage),
            None => locked(&self.beside)
                .as_ref()
                .map(|(_, beside)| Arc::clone(&beside.damage))
                .unwrap_or_default(),
        }
    }

    fn look_beside(&self, state: &FileState) -> Beside {
        let mut known = locked(&self.beside);
        if let Some((_, beside)) = known.as_ref().filter(|(then, _)| then == state) {
            return beside.clone();
        }
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let (mut damage, mut hides_rows) = look_at_log(&path, state.has_shared_memory);
        let missing = state.has_shared_memory.then(|| locked(&self.shared_memory).missing_frames(&path));
        if let Some(missing) = missing.flatten() {
            let log = name_of(&companion(&path, "-wal"));
            damage
                .add(log, format!("the log is cut off: {missing} of its last frames are missing or damaged"));
        }
        for (ending, error) in odd_companions(&path).filter(|(ending, _)| *ending != "-wal") {
            damage.add(name_of(&companion(&path, ending)), format!("SQLite cannot use it: {error}"));
            // It would open the journal, whatever that is.
            hides_rows |= ending == "-journal";
        }
        if state.journal.is_some() && !has_sound_journal(&path) {
            let says = "the header of the journal is damaged: the database may be half written";
            damage.add(name_of(&companion(&path, "-journal")), says);
        }
        if state.main.length == 0 {
            let says = "the database is empty: 0 bytes";
            // All that can be read is in its log.
            hides_rows |= state.log.is_some();
            if state.log.is_some() { damage.add("", says) } else { damage.add_hollow(says) }
        }
        let beside = Beside { damage: Arc::new(damage), hides_rows };
        *known = Some((state.clone(), beside.clone()));
        beside
    }
}
