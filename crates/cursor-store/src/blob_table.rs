//! The table `blobs` of a `store.db`: its rows, and single blobs read by their row.

use std::borrow::Cow;
use std::cell::RefCell;

use backscroll_cursor_format::agent::turns_if_root;
use backscroll_cursor_format::{BlobId, Blobs, RowsError};
use rusqlite::blob::Blob;
use rusqlite::{MAIN_DB, ToSql};

use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::table::{MOST_BYTES, bytes};
use crate::work;

/// A row of `blobs`.
pub(crate) struct BlobRow<'a> {
    pub(crate) rowid: i64,
    pub(crate) id: &'a [u8],
    /// What it holds, where that was asked for.
    pub(crate) data: Option<&'a [u8]>,
}

/// Space is reserved for this many rows; for more rows it grows.
const MOST_EXPECTED: usize = 1 << 16;

/// The tables of an open `store.db`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlobTable<'db> {
    db: &'db ReadOnlyDb,
    /// What the columns of `blobs` are called.
    id: &'static str,
    data: &'static str,
}

/// The names that were seen: those of Cursor itself, and those that other tools met.
const COLUMNS: [(&str, &str); 2] = [("id", "data"), ("key", "value")];

impl<'db> BlobTable<'db> {
    /// The tables of `db`, if it has them.
    pub(crate) fn find_in(db: &'db ReadOnlyDb) -> Result<Option<Self>, ReadError> {
        let there = db.columns("blobs")?;
        let columns = COLUMNS.into_iter().find(|(id, data)| there.contains(*id) && there.contains(*data));
        Ok(columns.map(|(id, data)| Self { db, id, data }))
    }

    /// The value of the `meta` row.
    pub(crate) fn meta(db: &ReadOnlyDb) -> Result<Option<Vec<u8>>, ReadError> {
        if !db.columns("meta")?.contains("value") {
            return Ok(None);
        }
        // It has one row: an index of it that is damaged need not be asked.
        one_value(db, "SELECT value FROM meta NOT INDEXED WHERE key = ?1", "0")
    }

    /// Whether there is any blob.
    pub(crate) fn is_empty(self) -> Result<bool, ReadError> {
        Ok(self.db.first("SELECT 1 FROM blobs LIMIT 1", [], |_| Ok(()))?.is_none())
    }

    /// No fewer than there are rows, unless somebody chose the numbers of rows, or the last of them cannot be read.
    pub(crate) fn rows_expected(self) -> usize {
        let last = "SELECT max(rowid) FROM blobs";
        let last = self.db.connection().query_row(last, [], |row| row.get::<_, Option<i64>>(0));
        let last = last.ok().flatten().and_then(|last| usize::try_from(last).ok());
        last.unwrap_or_default().min(MOST_EXPECTED)
    }

    /// Every blob's row and id in the order of writing, with the bytes of those that have at most `small`, until
    /// `each` wants no more. Tells whether these were all.
    pub(crate) fn each(
        self,
        small: usize,
        each: &mut dyn FnMut(BlobRow<'_>) -> bool,
    ) -> Result<bool, ReadError> {
        let Self { id, data, .. } = self;
        let all = format!(
            "SELECT rowid, {id}, CASE WHEN octet_length({data}) <= ?1 THEN {data} END
             FROM blobs NOT INDEXED ORDER BY rowid"
        );
        self.db.each(&all, [i64::try_from(small).unwrap_or(i64::MAX).min(MOST_BYTES)], |row| {
            let id = bytes(row.get_ref(1)?).unwrap_or_default();
            let data = bytes(row.get_ref(2)?);
            work::row(data.map_or(0, <[u8]>::len));
            Ok(each(BlobRow { rowid: row.get(0)?, id, data }))
        })
    }

    /// Every blob's row and id, from the index alone.
    pub(crate) fn each_id(self, each: &mut dyn FnMut(BlobRow<'_>)) -> Result<(), ReadError> {
        self.db.each(&format!("SELECT rowid, {} FROM blobs", self.id), [], |row| {
            let id = bytes(row.get_ref(1)?).unwrap_or_default();
            each(BlobRow { rowid: row.get(0)?, id, data: None });
            Ok(true)
        })?;
        Ok(())
    }

    /// The id of the blob that is most likely the latest root: of those that have its form the one with the most turns, and of
    /// several the last that was written.
    pub(crate) fn likeliest_root(self) -> Result<Option<String>, ReadError> {
        let mut best: Option<(usize, String)> = None;
        self.each(usize::MAX, &mut |row| {
            let turns = row.data.and_then(turns_if_root);
            if let Some(turns) = turns.filter(|turns| best.as_ref().is_none_or(|(most, _)| turns >= most)) {
                best = Some((turns, String::from_utf8_lossy(row.id).into_owned()));
            }
            true
        })?;
        Ok(best.map(|(_, id)| id))
    }

    /// The blob in this row.
    pub(crate) fn by_rowid(self, rowid: i64) -> Result<Option<Vec<u8>>, ReadError> {
        self.one("rowid", rowid)
    }

    /// The blob whose id is spelled so.
    pub(crate) fn named(self, id: &str) -> Result<Option<Vec<u8>>, ReadError> {
        self.one(self.id, id)
    }

    /// The blob whose `column` has this value. One that is longer than [`MOST_BYTES`] is not read, and reported.
    fn one(self, column: &str, value: impl ToSql) -> Result<Option<Vec<u8>>, ReadError> {
        let Self { db, id, data } = self;
        let statement = format!(
            "SELECT CASE WHEN octet_length({data}) <= {MOST_BYTES} THEN {data} END, octet_length({data}), {id}
             FROM blobs WHERE {column} = ?1"
        );
        let found = db.first(&statement, [value], |row| {
            let length: Option<i64> = row.get(1)?;
            if let Some(length) = length.filter(|length| *length > MOST_BYTES) {
                let id = bytes(row.get_ref(2)?).unwrap_or_default();
                db.note_too_large(&String::from_utf8_lossy(id), length);
            }
            Ok(bytes(row.get_ref(0)?).map(<[u8]>::to_vec))
        })?;
        Ok(found.flatten())
    }

    /// A handle to the blob in this row.
    pub(crate) fn open(self, rowid: i64) -> rusqlite::Result<Blob<'db>> {
        self.db.connection().blob_open(MAIN_DB, "blobs", self.data, rowid, true)
    }
}

impl Blobs for BlobTable<'_> {
    fn blob(&self, id: &BlobId) -> Result<Option<Cow<'_, [u8]>>, RowsError> {
        Ok(self.named(&id.to_string())?.map(Cow::Owned))
    }
}

pub(crate) fn one_value(
    db: &ReadOnlyDb,
    statement: &str,
    key: impl ToSql,
) -> Result<Option<Vec<u8>>, ReadError> {
    let found = db.first(statement, [key], |row| Ok(bytes(row.get_ref(0)?).map(<[u8]>::to_vec)))?;
    Ok(found.flatten())
}

/// Reads blobs by their rows.
pub(crate) struct BlobReader<'db> {
    table: BlobTable<'db>,
    handle: RefCell<Option<Blob<'db>>>,
}

impl<'db> BlobReader<'db> {
    /// A reader of `table`.
    pub(crate) fn new(table: BlobTable<'db>) -> Self {
        Self { table, handle: RefCell::new(None) }
    }

    /// The table that is read.
    pub(crate) fn table(&self) -> BlobTable<'db> {
        self.table
    }

    /// The blob in this row.
    pub(crate) fn bytes(&self, rowid: i64) -> Result<Option<Vec<u8>>, ReadError> {
        let read = self.at(rowid, |blob| {
            if i64::try_from(blob.len()).is_ok_and(|length| length > MOST_BYTES) {
                return Ok(None);
            }
            let mut bytes = vec![0; blob.len()];
            blob.read_at_exact(&mut bytes, 0).map(|()| Some(bytes))
        });
        // A handle opens neither NULL nor a number nor a damaged row; a statement tells which of them it is.
        match read {
            Ok(Some(bytes)) => Ok(Some(bytes)),
            Ok(None) | Err(_) => self.table.by_rowid(rowid),
        }
    }

    /// Whether the blob in this row begins as JSON does, without reading more of it: old roots are many and long.
    pub(crate) fn is_json(&self, rowid: i64) -> bool {
        let mut first = [0_u8; 1];
        self.at(rowid, |blob| blob.read_at_exact(&mut first, 0)).is_ok() && first == *b"{"
    }

    fn at<T>(&self, rowid: i64, read: impl FnOnce(&Blob<'db>) -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        let mut handle = self.handle.borrow_mut();
        // A handle that could not move is of no further use, so it is put back only if it could.
        let blob = match handle.take() {
            Some(mut blob) => blob.reopen(rowid).map(|()| blob)?,
            None => self.table.open(rowid)?,
        };
        read(handle.insert(blob))
    }
}
