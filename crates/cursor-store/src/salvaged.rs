//! What can be read of a damaged database, page by page, as a private database that answers the usual questions.
//!
//! SQLite stops at the first page that it cannot read. [`salvage`] reads all others and puts their rows, under their own
//! row numbers, into a database of our own, which lives in memory and, where it is large, in an unlinked temporary file.
//! So there is one way to decode rows, whether they come from a whole file or from what is left of one.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use backscroll_cursor_format::ide::RowKey;
use backscroll_model::{ConversationId, Finding, FindingKind, Layer, Origin};
use backscroll_salvage::{
    Damage, Header, Index, Journal, Log, LogTrouble, ReadAt, Row, Salvager, SqliteFile, Table, Trouble, Value,
};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, ToSql};

use crate::contents::quoted;
use crate::door;
use crate::file_state::companion;
use crate::files::name_of;
use crate::plain_file;

/// What is wrong with a database, and what it cost.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct StoreDamage {
    /// A page, or a file, and what is wrong with it.
    troubles: Vec<(String, String)>,
    /// Rows that are lost: table and key, with the reason.
    lost: Vec<LostRow>,
    /// Nothing at all is left.
    is_hollow: bool,
}

/// A row of which at least a part cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct LostRow {
    table: String,
    key: String,
    says: String,
}

/// At most this many damaged pages are named one by one.
const MOST_NAMED: usize = 100;
/// At most this many lost rows are remembered.
const MOST_LOST: usize = 100_000;

impl StoreDamage {
    /// Adds what else is damaged.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.troubles.extend(other.troubles.iter().cloned());
        self.lost.extend(other.lost.iter().cloned());
        self.is_hollow |= other.is_hollow;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.troubles.is_empty() && self.lost.is_empty()
    }

    pub(crate) fn add(&mut self, key: impl Into<String>, says: impl Into<String>) {
        self.troubles.push((key.into(), says.into()));
    }

    /// Adds why nothing at all is left.
    pub(crate) fn add_hollow(&mut self, says: impl Into<String>) {
        self.add("", says);
        self.is_hollow = true;
    }

    /// The first troubles in one line.
    pub(crate) fn summary(&self) -> String {
        let troubles: Vec<&str> = self.troubles.iter().take(2).map(|(_, says)| says.as_str()).collect();
        troubles.join("; ")
    }

    fn add_lost(&mut self, table: &str, key: String, says: String) {
        if self.lost.len() < MOST_LOST {
            self.lost.push(LostRow { table: table.to_owned(), key, says });
        }
    }

    /// What is wrong with the database as a whole, and lost rows that belong to no conversation.
    pub(crate) fn findings(&self, layer: Layer, file: &Arc<Path>) -> Vec<Finding> {
        let kind = if self.is_hollow { FindingKind::Unreadable } else { FindingKind::Damaged };
        let finding = |(key, says): &(String, String)| {
            let at = Origin::new(layer, Arc::clone(file), key.as_str());
            Finding::new(kind, at, says.as_str())
        };
        let mut findings: Vec<Finding> = self.troubles.iter().take(MOST_NAMED).map(finding).collect();
        if let Some(more) = self.troubles.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
            findings.push(finding(&(String::new(), format!("{more} more places cannot be read"))));
        }
        let unowned = self.lost.iter().filter(|lost| lost.conversation().is_none()).take(MOST_NAMED);
        findings.extend(unowned.map(|lost| lost.finding(layer, file)));
        findings
    }

    /// Lost rows of conversations.
    pub(crate) fn of_conversations(
        &self,
        layer: Layer,
        file: &Arc<Path>,
    ) -> impl Iterator<Item = (ConversationId, Finding)> {
        self.lost.iter().filter_map(move |lost| Some((lost.conversation()?, lost.finding(layer, file))))
    }
}

impl LostRow {
    fn conversation(&self) -> Option<ConversationId> {
        match self.table.as_str() {
            "cursorDiskKV" => RowKey::parse(&self.key)?.conversation().map(ConversationId::new),
            "composerHeaders" => Some(ConversationId::new(&self.key)),
            _ => None,
        }
    }

    fn finding(&self, layer: Layer, file: &Arc<Path>) -> Finding {
        let at = Origin::new(layer, Arc::clone(file), self.key.as_str());
        let says = format!("a row of {} cannot be read: {}", self.table, self.says);
        Finding::new(FindingKind::Damaged, at, says)
    }
}

/// What is wrong with the log beside a database, and whether SQLite would read less of it than there is.
pub(crate) fn look_at_log(path: &Path, has_shared_memory: bool) -> (StoreDamage, bool) {
    let mut damage = StoreDamage::default();
    let place = companion(path, "-wal");
    let key = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Ok(metadata) = fs::metadata(&place) else {
        if has_shared_memory {
            damage.add(
                key,
                "the log is missing, although its shared memory is there: its newest rows are lost",
            );
        }
        return (damage, false);
    };
    if !metadata.is_file() {
        damage.add(key, "the log is no file: rows that it should hold are lost");
        return (damage, false);
    }
    if metadata.len() == 0 {
        // While somebody has the database open, an empty log is usual.
        if !has_shared_memory {
            damage.add(key, "the log is empty: rows that it held are lost");
        }
        return (damage, false);
    }
    let Ok(file) = FileBytes::open(&place) else { return (damage, false) };
    let mut log = Log::read(&file, None);
    if log.troubles().contains(&LogTrouble::Header) && log.count().is_none() {
        let main = FileBytes::open(path).ok();
        let page_size = main.and_then(|main| SqliteFile::read(&main, None).map(|file| file.page_size()));
        log = Log::read(&file, page_size);
    }
    let mut is_needed = false;
    for trouble in log.troubles() {
        let says = match trouble {
            LogTrouble::Short => "the log is shorter than its header".to_owned(),
            LogTrouble::Header => "the header of the log is damaged".to_owned(),
            // A writer may be just writing.
            LogTrouble::Torn if has_shared_memory => continue,
            LogTrouble::Tail { .. } if has_shared_memory && is_being_written(&place, &metadata) => continue,
            LogTrouble::Torn => "the log ends in the middle of a frame".to_owned(),
            LogTrouble::Frames { count } => format!("{count} frames of the log are damaged"),
            LogTrouble::Tail { count } => {
                format!("{count} frames behind the log's last commit are damaged: what they held is lost")
            }
            LogTrouble::Nothing => "nothing in the log can be read".to_owned(),
        };
        // Beside shared memory SQLite waits ten seconds for a header that it can read.
        is_needed |= match trouble {
            LogTrouble::Header => has_shared_memory || log.count().is_some(),
            LogTrouble::Frames { .. } => log.count().is_some(),
            LogTrouble::Short | LogTrouble::Torn | LogTrouble::Tail { .. } | LogTrouble::Nothing => false,
        };
        damage.add(key.as_str(), says);
    }
    (damage, is_needed)
}

/// Whether a log that looked like `before` is being written to. A frame is written in much less time than this waits.
fn is_being_written(log: &Path, before: &Metadata) -> bool {
    std::thread::sleep(Duration::from_millis(50));
    let look = |metadata: &Metadata| (metadata.len(), metadata.modified().ok());
    fs::metadata(log).is_ok_and(|now| look(&now) != look(before))
}

/// Whether the unfinished journal beside a database can be applied.
pub(crate) fn has_sound_journal(path: &Path) -> bool {
    let journal = FileBytes::open(&companion(path, "-journal"));
    // Where it does not say how long pages are, they are as long as Cursor's.
    journal.is_ok_and(|bytes| Journal::read(&bytes, Some(4096)).is_some())
}

/// Whether the first page of a database that nobody writes lacks rows of the schema.
pub(crate) fn lacks_schema(path: &Path) -> bool {
    FileBytes::open(path).is_ok_and(|file| !backscroll_salvage::has_whole_first_page(&file))
}

/// Everything that can be read of the database at `path`; `None` if nothing in it looks like one.
pub(crate) fn salvage(path: &Path) -> io::Result<Option<(Connection, StoreDamage)>> {
    let main = FileBytes::open(path)?;
    let log = FileBytes::open(&companion(path, "-wal")).ok();
    let Some(file) = SqliteFile::read(&main, log.as_ref().map(|log| log as _)) else { return Ok(None) };
    let mut damage = StoreDamage::default();
    match file.header() {
        Header::Stored => {}
        Header::Corrected => damage.add("page 1", "the database's header is damaged"),
        Header::Guessed => damage.add("page 1", "the database's header is lost"),
    }
    if let Some(stated) = file.stated_count().filter(|stated| *stated > file.count()) {
        let missing = stated - file.count();
        damage.add("", format!("the file is cut off: {missing} of its {stated} pages are missing"));
    }
    let connection = door::private().map_err(io::Error::other)?;
    let expected = expected_in(&name_of(path));
    let mut copy = Copy { connection, expected, damage, lost: BTreeSet::new(), failed: None };
    copy.connection.execute_batch("BEGIN").map_err(io::Error::other)?;
    backscroll_salvage::salvage(&file, &mut copy);
    copy.finish().map_err(io::Error::other).map(Some)
}

/// Puts rows into the private database.
struct Copy {
    connection: Connection,
    /// The tables that should be there.
    expected: &'static [(&'static str, &'static str)],
    damage: StoreDamage,
    /// Rows that an index names and that were not found: table, key.
    lost: BTreeSet<(String, String)>,
    failed: Option<rusqlite::Error>,
}

impl Copy {
    fn finish(mut self) -> rusqlite::Result<(Connection, StoreDamage)> {
        self.failed.take().map_or(Ok(()), Err)?;
        let known: HashSet<(String, String)> =
            self.damage.lost.iter().map(|lost| (lost.table.clone(), lost.key.clone())).collect();
        for (table, key) in std::mem::take(&mut self.lost) {
            if !known.contains(&(table.clone(), key.clone())) && !self.has(&table, &key)? {
                self.damage.add_lost(&table, key, "it is on a damaged page".to_owned());
            }
        }
        self.connection.execute_batch("COMMIT")?;
        self.damage.lost.sort();
        self.damage.lost.dedup();
        Ok((self.connection, self.damage))
    }

    /// Whether there is a row with this key.
    fn has(&self, table: &str, key: &str) -> rusqlite::Result<bool> {
        let Some(first) = self.first_column(table)? else { return Ok(false) };
        let statement = format!("SELECT 1 FROM {} WHERE {} = ?1", quoted(table), quoted(&first));
        let found = self.connection.prepare_cached(&statement)?.query_row([key], |_| Ok(())).optional()?;
        Ok(found.is_some())
    }

    fn first_column(&self, table: &str) -> rusqlite::Result<Option<String>> {
        let mut statement =
            self.connection.prepare_cached("SELECT name FROM pragma_table_info(?1) WHERE cid = 0")?;
        statement.query_row([table], |row| row.get(0)).optional()
    }

    /// Makes a table with the same columns. Values are kept as they are, so that columns have no types.
    fn create(&self, table: &Table) -> rusqlite::Result<()> {
        let columns: Vec<String> = table.columns.iter().map(|column| quoted(&column.name)).collect();
        let Some(first) = columns.first() else { return Ok(()) };
        let name = quoted(&table.name);
        self.connection.execute_batch(&format!(
            "CREATE TABLE IF NOT EXISTS {name} ({});
             CREATE INDEX IF NOT EXISTS {} ON {name} ({first});",
            columns.join(", "),
            quoted(&format!("first column of {}", table.name)),
        ))
    }

    fn insert(&self, table: &Table, row: &Row, is_stray: bool) -> rusqlite::Result<()> {
        let places: Vec<String> = (0..=table.columns.len()).map(|at| format!("?{}", at + 1)).collect();
        let columns: Vec<String> = table.columns.iter().map(|column| quoted(&column.name)).collect();
        let name = quoted(&table.name);
        let (Some(first), rowid) = (columns.first(), rowid_name(table)) else { return Ok(()) };
        // A leaf without a tree may hold what was replaced since: the higher row number is the newer row.
        let condition = if is_stray {
            format!("WHERE NOT EXISTS (SELECT 1 FROM {name} WHERE {first} = ?2 AND {rowid} >= ?1)")
        } else {
            String::new()
        };
        let statement = format!(
            "INSERT OR IGNORE INTO {name} ({rowid}, {}) SELECT {} {condition}",
            columns.join(", "),
            places.join(", ")
        );
        if let (true, Some(number)) = (is_stray, row.rowid) {
            let older = format!("DELETE FROM {name} WHERE {first} = ?1 AND {rowid} < ?2");
            self.connection.prepare_cached(&older)?.execute((Stored(row.values.first()), number))?;
        }
        let number = row.rowid.map(Value::Integer);
        let all = std::iter::once(number.as_ref()).chain(row.values.iter().map(Some)).map(Stored);
        let inserted =
            self.connection.prepare_cached(&statement)?.execute(rusqlite::params_from_iter(all))?;
        // A row of another table may have its number.
        if inserted == 0 && row.rowid.is_some() && !self.has_value(table, row.values.first())? {
            return self.insert(table, &Row { rowid: None, ..row.clone() }, is_stray);
        }
        Ok(())
    }

    fn has_value(&self, table: &Table, first: Option<&Value>) -> rusqlite::Result<bool> {
        let Some(column) = table.columns.first() else { return Ok(true) };
        let statement = format!("SELECT 1 FROM {} WHERE {} IS ?1", quoted(&table.name), quoted(&column.name));
        self.connection.prepare_cached(&statement)?.exists([Stored(first)])
    }

    fn try_to(&mut self, act: impl FnOnce(&mut Self) -> rusqlite::Result<()>) {
        if self.failed.is_none() {
            self.failed = act(self).err();
        }
    }
}

impl Salvager for Copy {
    fn expected(&self) -> Vec<Table> {
        self.expected.iter().filter_map(|(name, sql)| Table::of_statement(name, sql, None)).collect()
    }

    fn choose(&mut self, candidates: &[&Table], rows: &[Row]) -> Option<usize> {
        let keys = || rows.iter().filter_map(|row| row.values.first().and_then(text));
        let is_hash = |key: &str| key.len() == 64 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
        let name = if keys().all(|key| is_hash(&key)) {
            "blobs"
        } else if keys().all(|key| key == "0") {
            "meta"
        } else if keys().any(|key| RowKey::parse(&key).is_some()) {
            "cursorDiskKV"
        } else {
            "ItemTable"
        };
        candidates.iter().position(|table| table.name == name).or((!candidates.is_empty()).then_some(0))
    }

    fn tables(&mut self, tables: &[Table]) {
        for table in tables {
            // What SQLite keeps for itself cannot be made by hand, and holds nothing of Cursor's.
            if !table.name.starts_with("sqlite_") {
                self.try_to(|copy| copy.create(table));
            }
        }
    }

    fn row(&mut self, table: &Table, row: Row, is_stray: bool) {
        if table.name.starts_with("sqlite_") {
            return;
        }
        if is_foreign(table, &row) {
            return self.damage.add(
                format!("page {}", row.page),
                format!("a page of {} holds a row of another table", table.name),
            );
        }
        let Some(damage) = row.damaged else { return self.try_to(|copy| copy.insert(table, &row, is_stray)) };
        let says = says(damage);
        match row.values.first().and_then(text) {
            Some(key) => self.damage.add_lost(&table.name, key, says),
            None => self.damage(Some(&table.name), damage),
        }
    }

    fn entry(&mut self, index: &Index, values: Vec<Value>) {
        // The index of a key: SQLite's own, of one column.
        let ([key, Value::Integer(_)], None) = (values.as_slice(), &index.sql) else { return };
        let Some(key) = text(key) else { return };
        self.try_to(|copy| {
            if copy.lost.len() < MOST_LOST && !copy.has(&index.table, &key)? {
                copy.lost.insert((index.table.clone(), key));
            }
            Ok(())
        });
    }

    fn damage(&mut self, of: Option<&str>, damage: Damage) {
        let of = of.map(|name| format!(" of {name}")).unwrap_or_default();
        let row = damage.rowid.map(|row| format!(", row {row}")).unwrap_or_default();
        self.damage
            .add(format!("page {}", damage.page), format!("a page{of} is damaged{row}: {}", says(damage)));
    }
}

/// The tables that Cursor makes in a file of this name, for a database whose schema is lost. Of tables whose rows look alike the
/// first one gets them.
fn expected_in(file: &str) -> &'static [(&'static str, &'static str)] {
    match file {
        "index.db" => OF_SDK,
        "ai-code-tracking.db" => OF_TRACKING,
        "conversation-search.db" => OF_SEARCH,
        _ => OF_EDITOR_AND_CLI,
    }
}

const OF_SDK: &[(&str, &str)] = &[
    (
        "agents",
        "CREATE TABLE agents (agent_id TEXT PRIMARY KEY, workspace_ref TEXT, status TEXT, active_run_id TEXT,
         latest_checkpoint_ref_json TEXT, name TEXT, metadata_json TEXT, created_at TEXT, updated_at TEXT)",
    ),
    (
        "runs",
        "CREATE TABLE runs (run_id TEXT PRIMARY KEY, request_id TEXT, agent_id TEXT, turn_number INTEGER, status TEXT,
         model TEXT, model_params_json TEXT, start_checkpoint_ref_json TEXT, latest_checkpoint_ref_json TEXT,
         error_code TEXT, usage_ref TEXT, usage_json TEXT, result TEXT, created_at TEXT, updated_at TEXT,
         started_at TEXT, finished_at TEXT, cancelled_at TEXT, expired_at TEXT)",
    ),
    (
        "run_events",
        "CREATE TABLE run_events (run_id TEXT, seq INTEGER, offset TEXT, event_type TEXT, payload_json TEXT,
         payload_ref TEXT, idempotency_key TEXT, created_at TEXT)",
    ),
];

const OF_TRACKING: &[(&str, &str)] = &[
    (
        "ai_code_hashes",
        "CREATE TABLE ai_code_hashes (hash TEXT PRIMARY KEY, source TEXT, fileExtension TEXT, fileName TEXT,
         requestId TEXT, conversationId TEXT, timestamp INTEGER, model TEXT, createdAt INTEGER)",
    ),
    (
        "conversation_summaries",
        "CREATE TABLE conversation_summaries (conversationId TEXT PRIMARY KEY, title TEXT, tldr TEXT, overview TEXT,
         summaryBullets TEXT, model TEXT, mode TEXT, updatedAt INTEGER)",
    ),
    (
        "tracked_file_content",
        "CREATE TABLE tracked_file_content (gitPath TEXT PRIMARY KEY, content TEXT, conversationId TEXT, model TEXT,
         fileExtension TEXT, createdAt INTEGER)",
    ),
    (
        "ai_deleted_files",
        "CREATE TABLE ai_deleted_files (gitPath TEXT, composerId TEXT, conversationId TEXT, model TEXT,
         deletedAt INTEGER)",
    ),
    ("tracking_state", "CREATE TABLE tracking_state (key TEXT PRIMARY KEY, value TEXT)"),
];

const OF_SEARCH: &[(&str, &str)] = &[
    (
        "conversations",
        "CREATE TABLE conversations (fts_rowid INTEGER PRIMARY KEY, source TEXT, scope TEXT, id TEXT, title TEXT,
         updated_at INTEGER, is_archived INTEGER, root_fingerprint TEXT, cache_fingerprint TEXT)",
    ),
    (
        "conversation_fts_content",
        "CREATE TABLE conversation_fts_content (id INTEGER PRIMARY KEY, c0 TEXT, c1 TEXT)",
    ),
    ("conversation_fts_data", "CREATE TABLE conversation_fts_data (id INTEGER PRIMARY KEY, block BLOB)"),
    (
        "conversation_search_candidates",
        "CREATE TABLE conversation_search_candidates (id TEXT PRIMARY KEY, updated_at INTEGER)",
    ),
    (
        "conversation_search_reconciliation",
        "CREATE TABLE conversation_search_reconciliation (id INTEGER PRIMARY KEY, cursor TEXT, in_progress INTEGER)",
    ),
];

const OF_EDITOR_AND_CLI: &[(&str, &str)] = &[
    ("ItemTable", "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"),
    ("cursorDiskKV", "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"),
    (
        "composerHeaders",
        "CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, workspaceId TEXT, createdAt INTEGER,
         lastUpdatedAt INTEGER, isArchived INTEGER, isSubagent INTEGER, recency INTEGER, checkpointAt INTEGER,
         value TEXT, subagentTypeName TEXT)",
    ),
    ("blobs", "CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)"),
    ("meta", "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)"),
];

fn says(damage: Damage) -> String {
    let page = damage.page;
    match damage.trouble {
        Trouble::Absent => format!("page {page} is behind the end of the file"),
        Trouble::Zeros => format!("page {page} holds nothing but zeros"),
        Trouble::NotOfTree => format!("page {page} is no page of it"),
        Trouble::Elsewhere => format!("page {page} holds rows that belong elsewhere"),
        Trouble::Children => format!("page {page} names pages that cannot be below it"),
        Trouble::Unaccounted => format!("page {page} holds more than its rows"),
        Trouble::Loop => format!("page {page} is part of it twice"),
        Trouble::TooDeep => format!("page {page} is too deep in it"),
        Trouble::Cell => format!("a row on page {page} begins outside of it"),
        Trouble::NoRecord => format!("a row on page {page} is no record"),
        Trouble::TooLong => format!("a row is longer than the file, from page {page} on"),
        Trouble::ChainEnds => format!("its value breaks off on page {page}"),
    }
}

/// Whether a row of a table can only be of another one: heads of conversations are under plain ids, and have a value or a time.
fn is_foreign(table: &Table, row: &Row) -> bool {
    let is_key = || row.values.first().and_then(text).is_some_and(|key| RowKey::parse(&key).is_some());
    let lacks = |name: &str| {
        let at = table.columns.iter().position(|column| column.name == name);
        at.is_some_and(|at| row.values.get(at) == Some(&Value::Null))
    };
    table.name == "composerHeaders" && (is_key() || lacks("value") && lacks("createdAt"))
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Text(bytes) | Value::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        Value::Null | Value::Integer(_) | Value::Real(_) => None,
    }
}

/// A name of the row's number that no column has.
fn rowid_name(table: &Table) -> &'static str {
    let is_free = |name: &&str| !table.columns.iter().any(|column| column.name.eq_ignore_ascii_case(name));
    ["_rowid_", "rowid", "oid"].into_iter().find(|name| is_free(name)).unwrap_or("_rowid_")
}

/// A value as it was stored; nothing is NULL.
struct Stored<'a>(Option<&'a Value>);

impl ToSql for Stored<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            None | Some(Value::Null) => ValueRef::Null,
            Some(Value::Integer(number)) => ValueRef::Integer(*number),
            Some(Value::Real(number)) => ValueRef::Real(*number),
            Some(Value::Text(bytes)) => ValueRef::Text(bytes),
            Some(Value::Blob(bytes)) => ValueRef::Blob(bytes),
        }))
    }
}

/// A file that is read in pieces.
pub(crate) struct FileBytes {
    file: File,
    size: u64,
}

impl FileBytes {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = plain_file::open(path)?;
        let size = file.metadata()?.len();
        Ok(Self { file, size })
    }
}

impl ReadAt for FileBytes {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> usize {
        let mut filled = 0;
        while filled < buffer.len() {
            #[cfg(unix)]
            let read = std::os::unix::fs::FileExt::read_at(
                &self.file,
                &mut buffer[filled..],
                offset + filled as u64,
            );
            #[cfg(windows)]
            let read = std::os::windows::fs::FileExt::seek_read(
                &self.file,
                &mut buffer[filled..],
                offset + filled as u64,
            );
            match read {
                Ok(0) | Err(_) => break,
                Ok(count) => filled += count,
            }
        }
        filled
    }
}
