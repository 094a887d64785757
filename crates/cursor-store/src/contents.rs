//! What a store is made of: rows, bytes and orphaned rows by kind, counted once for each state of the file.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use backscroll_cursor_format::ide::keys::COMPOSERS;
use backscroll_cursor_format::ide::{RowKey, RowKind, kind_of_key};
use backscroll_model::{Contents, StoredKind, locked};

use crate::file_state::companion;
use crate::files::FileCache;
use crate::plain_file::{self, beginning};
use crate::read_only_db::{Connections, ReadError, ReadOnlyDb};
use crate::recognise::is_copy_of_state;
use crate::transcripts::LONGEST;

/// Rows that are counted in one transaction.
const SLICE: i64 = 50_000;
/// The table whose keys name kinds.
const DISK_KV: &str = "cursordiskkv";

/// What the store at `file` is made of.
pub fn contents(file: &Path) -> Result<Contents, ReadError> {
    if is_database(file) {
        database(file)
    } else {
        lines(file).map_err(|because| ReadError::other(file, because))
    }
}

/// By its name where that tells: opening a database only to look at it would drop the locks that others of this process
/// hold on it.
pub(crate) fn is_database(file: &Path) -> bool {
    let ending = file.extension().unwrap_or_default();
    ["db", "vscdb"].iter().any(|known| ending.eq_ignore_ascii_case(known))
        || is_copy_of_state(file)
        || companion(file, "-wal").exists()
        || beginning(file, 16).is_ok_and(|(start, _)| start == b"SQLite format 3\0")
}

/// A transcript is made of lines. What is beyond the limit of reading is not counted either: that it is cut off is a finding of its source.
fn lines(file: &Path) -> io::Result<Contents> {
    let mut reader = BufReader::with_capacity(1 << 16, plain_file::open(file)?.take(LONGEST));
    let mut kind = StoredKind { name: "lines".to_owned(), ..StoredKind::default() };
    let mut is_open = false;
    loop {
        let bytes = reader.fill_buf()?;
        let Some(last) = bytes.last() else { break };
        is_open = *last != b'\n';
        let ends = bytes.split(|byte| *byte == b'\n').count() - 1;
        let length = bytes.len();
        kind.rows += u64::try_from(ends).unwrap_or_default();
        kind.bytes += u64::try_from(length).unwrap_or_default();
        reader.consume(length);
    }
    kind.rows += u64::from(is_open);
    Ok(Contents { kinds: vec![kind], free_bytes: 0 })
}

/// What has to be known before rows can be counted.
struct Outline {
    tables: Vec<Layout>,
    free_bytes: u64,
    /// The conversations that have a record.
    composers: HashSet<String>,
}

/// A table, and how its rows are reached.
struct Layout {
    name: String,
    columns: Vec<String>,
    /// The last row when counting began; `None` where rows have no numbers, and all are counted at once.
    last: Option<i64>,
}

fn database(file: &Path) -> Result<Contents, ReadError> {
    let connections = Connections::to(file);
    let outline = connections.ask(Outline::read)?;
    let mut kinds = Vec::new();
    for table in &outline.tables {
        kinds.extend(table.count(&connections, &outline.composers)?);
    }
    kinds.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
    Ok(Contents { kinds, free_bytes: outline.free_bytes })
}

impl Outline {
    fn read(db: &ReadOnlyDb) -> Result<Self, ReadError> {
        let names = "SELECT name FROM sqlite_schema
             WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%'";
        let names = db.list(names, [], |row| row.get(0))?.into_iter();
        let tables = names.map(|name| Layout::read(db, name)).collect::<Result<_, _>>()?;
        let free = "SELECT f.freelist_count * s.page_size FROM pragma_freelist_count f, pragma_page_size s";
        let free: Option<i64> = db.first(free, [], |row| row.get(0))?;
        let free_bytes = u64::try_from(free.unwrap_or_default()).unwrap_or_default();
        let composers = match db.table("cursorDiskKV")? {
            Some(table) => table.segments(COMPOSERS)?.into_iter().collect(),
            None => HashSet::new(),
        };
        Ok(Self { tables, free_bytes, composers })
    }
}

impl Layout {
    fn read(db: &ReadOnlyDb, name: String) -> Result<Self, ReadError> {
        let columns: Vec<String> =
            db.list("SELECT name FROM pragma_table_info(?1)", [&name], |row| row.get(0))?;
        let has_own = columns.iter().any(|column| column.eq_ignore_ascii_case("rowid"));
        // A table without row numbers does not understand the question.
        let question = format!("SELECT coalesce(max(rowid), 0) FROM {}", quoted(&name));
        let last = db.connection().query_row(&question, [], |row| row.get(0)).ok().filter(|_| !has_own);
        Ok(Self { name, columns, last })
    }

    fn is_told_apart(&self) -> bool {
        self.name.eq_ignore_ascii_case(DISK_KV) && self.columns.iter().any(|column| column == "key")
    }

    fn count(
        &self,
        connections: &Connections,
        composers: &HashSet<String>,
    ) -> Result<Vec<StoredKind>, ReadError> {
        let mut all = Tally::default();
        let mut from = i64::MIN;
        loop {
            let (slice, reached) = connections.ask(|db| {
                let mut slice = Tally::default();
                let reached = self.count_slice(db, from, composers, &mut slice)?;
                Ok((slice, reached))
            })?;
            all.add(slice);
            match reached {
                Some(reached) if self.last.is_some_and(|last| reached < last) => from = reached,
                _ => break,
            }
        }
        Ok(all.into_kinds(&self.name))
    }

    /// Counts the rows that follow `from`; gives the last one's number, if there may be more.
    fn count_slice(
        &self,
        db: &ReadOnlyDb,
        from: i64,
        composers: &HashSet<String>,
        into: &mut Tally,
    ) -> Result<Option<i64>, ReadError> {
        let (mut number, mut reached) = (0, from);
        let parameters = self.last.map(|last| [from, last, SLICE]).into_iter().flatten();
        db.each(&self.statement(), rusqlite::params_from_iter(parameters), |row| {
            let key = row.get_ref(1)?.as_bytes_or_null().ok().flatten();
            let bytes = row.get::<_, i64>(2)?.unsigned_abs();
            if self.is_told_apart() {
                into.count_key(key.unwrap_or_default(), bytes, composers);
            } else {
                into.count(&self.name, bytes, false);
            }
            reached = row.get(0)?;
            number += 1;
            Ok(true)
        })?;
        Ok((number == SLICE).then_some(reached))
    }

    fn statement(&self) -> String {
        let key = if self.is_told_apart() { "key" } else { "NULL" };
        let lengths: Vec<String> = self
            .columns
            .iter()
            .map(|column| format!("coalesce(octet_length({}), 0)", quoted(column)))
            .collect();
        let lengths = if lengths.is_empty() { "0".to_owned() } else { lengths.join(" + ") };
        let table = quoted(&self.name);
        match self.last {
            Some(_) => format!(
                "SELECT rowid, {key}, {lengths} FROM {table} NOT INDEXED
                 WHERE rowid > ?1 AND rowid <= ?2 ORDER BY rowid LIMIT ?3"
            ),
            None => format!("SELECT 0, {key}, {lengths} FROM {table}"),
        }
    }
}

/// A name as SQL understands it, whatever stands in it.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// How many stores are kept in mind.
const MOST: usize = 1_000;

/// What was counted of each file, and the stamp that it had.
type Known = HashMap<PathBuf, (u64, Arc<Contents>)>;

/// Remembers what stores are made of, until they change.
#[derive(Debug, Default)]
pub struct ContentsKept(Mutex<Known>);

impl ContentsKept {
    /// What the store at `file` is made of; counted only if it has changed since the last time.
    pub fn get(&self, file: &Path) -> Result<Arc<Contents>, ReadError> {
        // Taken first: what changes meanwhile is counted again.
        let stamp = FileCache::default().database_stamp(file);
        let known =
            locked(&self.0).get(file).filter(|(then, _)| *then == stamp).map(|(_, told)| Arc::clone(told));
        if let Some(told) = known {
            return Ok(told);
        }
        let told = Arc::new(contents(file)?);
        let mut known = locked(&self.0);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(file.to_owned(), (stamp, Arc::clone(&told)));
        Ok(told)
    }
}

/// The maximum number of kinds counted separately in one table; further ones are counted together.
const MOST_KINDS: usize = 64;
/// What names no kind, and what comes after too many.
const OTHER: &str = "other";

/// Rows and bytes of each kind.
#[derive(Debug, Default)]
pub(crate) struct Tally(HashMap<String, Number>);

#[derive(Debug, Default, Clone, Copy)]
struct Number {
    rows: u64,
    bytes: u64,
    orphaned: u64,
}

impl Tally {
    /// Counts a row by what its key says; it is orphaned if it belongs to none of `composers`.
    pub(crate) fn count_key(&mut self, key: &[u8], bytes: u64, composers: &HashSet<String>) {
        let of_another = RowKey::parse_bytes(key).filter(|key| key.kind != RowKind::Record);
        let owner = of_another.and_then(|key| key.conversation()).filter(|id| !id.is_empty());
        let is_orphaned = owner.is_some_and(|owner| !composers.contains(owner));
        self.count(kind_of_key(key).unwrap_or(OTHER), bytes, is_orphaned);
    }

    /// Counts a row of this kind.
    pub(crate) fn count(&mut self, kind: &str, bytes: u64, is_orphaned: bool) {
        self.put(kind, Number { rows: 1, bytes, orphaned: u64::from(is_orphaned) });
    }

    /// Adds what another one counted.
    pub(crate) fn add(&mut self, other: Self) {
        for (kind, number) in other.0 {
            self.put(&kind, number);
        }
    }

    fn put(&mut self, kind: &str, more: Number) {
        let kind = if self.0.contains_key(kind) || self.0.len() < MOST_KINDS { kind } else { OTHER };
        if !self.0.contains_key(kind) {
            self.0.insert(kind.to_owned(), Number::default());
        }
        if let Some(number) = self.0.get_mut(kind) {
            number.rows = number.rows.saturating_add(more.rows);
            number.bytes = number.bytes.saturating_add(more.bytes);
            number.orphaned = number.orphaned.saturating_add(more.orphaned);
        }
    }

    /// What was counted in this table.
    pub(crate) fn into_kinds(self, table: &str) -> Vec<StoredKind> {
        let kind = |(name, number): (String, Number)| StoredKind {
            table: Some(table.to_owned()),
            name,
            rows: number.rows,
            bytes: number.bytes,
            orphaned: number.orphaned,
        };
        self.0.into_iter().map(kind).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_many_kinds_there_are_few_are_kept() {
        let mut tally = Tally::default();
        let letters = |number: usize| String::from_utf8(vec![b'a'; number + 1]).unwrap();
        for number in 0..40 {
            for ending in ["x", "y", "z"] {
                tally.count_key(format!("{}{ending}:1", letters(number)).as_bytes(), 2, &HashSet::new());
            }
        }
        let mut twice = Tally::default();
        twice.add(tally);
        let kinds = twice.into_kinds("t");
        assert!(kinds.len() <= MOST_KINDS + 1, "{}", kinds.len());
        assert_eq!(
            kinds.iter().map(|kind| (kind.rows, kind.bytes)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1)),
            (120, 240)
        );
        assert!(kinds.iter().any(|kind| kind.name == OTHER && kind.rows > 50));
    }
}
