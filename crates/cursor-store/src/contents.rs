//! What a store is made of: how many rows and bytes there are of each kind.
//!
//! Every row has to be looked at, but not its value: SQLite tells a value's length from the head of its record, so pages
//! that hold nothing but the rest of a long value are not read. A store of many gigabytes takes a while nevertheless, so
//! it is counted in slices, each in a short transaction of its own: nobody's log is held up.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use backscroll_cursor_format::ide::keys::COMPOSERS;
use backscroll_model::{Contents, StoredKind};

use crate::connections::Connections;
use crate::contents_tally::Tally;
use crate::file_state::companion;
use crate::folder_listing::beginning;
use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::state_copies::is_copy_of_state;

/// Rows that are counted in one transaction.
const SLICE: i64 = 50_000;
/// The table whose keys name kinds.
const DISK_KV: &str = "cursordiskkv";

/// What the store at `file` is made of.
pub fn contents(file: &Path) -> Result<Contents, ReadError> {
    if is_database(file) {
        database(file)
    } else {
        lines(file).map_err(|because| ReadError::Other { path: file.to_owned(), because: because.into() })
    }
}

/// By its name where that tells: opening a database only to look at it would drop the locks that others of this process
/// hold on it.
fn is_database(file: &Path) -> bool {
    let ending = file.extension().unwrap_or_default();
    ["db", "vscdb"].iter().any(|known| ending.eq_ignore_ascii_case(known))
        || is_copy_of_state(file)
        || companion(file, "-wal").exists()
        || beginning(file, 16).is_ok_and(|(start, _)| start == b"SQLite format 3\0")
}

/// A transcript is made of lines.
fn lines(file: &Path) -> io::Result<Contents> {
    let mut reader = BufReader::with_capacity(1 << 16, File::open(file)?);
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
    let outline = connections.ask(Outline::of)?;
    let mut kinds = Vec::new();
    for table in &outline.tables {
        kinds.extend(table.count(&connections, &outline.composers)?);
    }
    kinds.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
    Ok(Contents { kinds, free_bytes: outline.free_bytes })
}

impl Outline {
    fn of(db: &ReadOnlyDb) -> Result<Self, ReadError> {
        let read = || -> rusqlite::Result<(Vec<Layout>, u64)> {
            let connection = db.connection();
            let mut statement = connection.prepare(
                "SELECT name FROM sqlite_schema
                 WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%'",
            )?;
            let names: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            let tables = names.into_iter().map(|name| Layout::of(db, name)).collect::<Result<_, _>>()?;
            let free = connection.query_row(
                "SELECT f.freelist_count * s.page_size FROM pragma_freelist_count f, pragma_page_size s",
                [],
                |row| row.get::<_, i64>(0),
            )?;
            Ok((tables, u64::try_from(free).unwrap_or_default()))
        };
        let (tables, free_bytes) = read().map_err(|because| db.error(because))?;
        let composers = match db.table("cursorDiskKV")? {
            Some(table) => table.segments(COMPOSERS)?.into_iter().collect(),
            None => HashSet::new(),
        };
        Ok(Self { tables, free_bytes, composers })
    }
}

impl Layout {
    fn of(db: &ReadOnlyDb, name: String) -> rusqlite::Result<Self> {
        let mut statement = db.connection().prepare_cached("SELECT name FROM pragma_table_info(?1)")?;
        let columns: Vec<String> =
            statement.query_map([&name], |row| row.get(0))?.collect::<Result<_, _>>()?;
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
                let counted = self.count_slice(db, from, composers, &mut slice);
                Ok((slice, counted.map_err(|because| db.error(because))?))
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
    ) -> rusqlite::Result<Option<i64>> {
        let mut statement = db.connection().prepare_cached(&self.statement())?;
        let mut rows = match self.last {
            Some(last) => statement.query([from, last, SLICE])?,
            None => statement.query([])?,
        };
        let (mut number, mut reached) = (0, from);
        while let Some(row) = rows.next()? {
            let key = row.get_ref(1)?.as_bytes_or_null().ok().flatten();
            let bytes = row.get::<_, i64>(2)?.unsigned_abs();
            if self.is_told_apart() {
                into.count_key(key.unwrap_or_default(), bytes, composers);
            } else {
                into.count(&self.name, bytes, false);
            }
            reached = row.get(0)?;
            number += 1;
        }
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
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
