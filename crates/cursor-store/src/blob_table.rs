//! The two tables of a command line agent's `store.db`: content-addressed `blobs`, and the one row of `meta`.

use backscroll_cursor_format::{Blobs, RowsError};
use rusqlite::blob::Blob;
use rusqlite::types::ValueRef;
use rusqlite::{MAIN_DB, ToSql};

use crate::read_only_db::{ReadError, ReadOnlyDb};

/// The tables of an open `store.db`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlobTable<'db> {
    db: &'db ReadOnlyDb,
}

impl<'db> BlobTable<'db> {
    /// The tables of `db`, if it has them.
    pub(crate) fn of(db: &'db ReadOnlyDb) -> Result<Option<Self>, ReadError> {
        Ok(db.columns("blobs")?.contains("data").then_some(Self { db }))
    }

    /// The value of the `meta` row.
    pub(crate) fn meta(db: &ReadOnlyDb) -> Result<Option<Vec<u8>>, ReadError> {
        if !db.columns("meta")?.contains("value") {
            return Ok(None);
        }
        one_value(db, "SELECT value FROM meta WHERE key = ?1", "0")
    }

    /// Whether there is any blob.
    pub(crate) fn is_empty(self) -> Result<bool, ReadError> {
        let found =
            self.db.connection().query_row("SELECT EXISTS (SELECT 1 FROM blobs)", [], |row| row.get(0));
        found.map(|any: bool| !any).map_err(|because| self.db.error(because))
    }

    /// Every blob's row and id, from the index alone.
    pub(crate) fn each_id(self, each: &mut dyn FnMut(i64, &[u8])) -> Result<(), ReadError> {
        let mut read = || -> rusqlite::Result<()> {
            let mut statement = self.db.connection().prepare_cached("SELECT rowid, id FROM blobs")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let id = match row.get_ref(1)? {
                    ValueRef::Text(id) | ValueRef::Blob(id) => id,
                    _ => b"",
                };
                each(row.get(0)?, id);
            }
            Ok(())
        };
        read().map_err(|because| self.db.error(because))
    }

    /// The blob in this row.
    pub(crate) fn by_rowid(self, rowid: i64) -> Result<Option<Vec<u8>>, ReadError> {
        one_value(self.db, "SELECT data FROM blobs WHERE rowid = ?1", rowid)
    }

    /// A handle to the blob in this row.
    pub(crate) fn open(self, rowid: i64) -> rusqlite::Result<Blob<'db>> {
        self.db.connection().blob_open(MAIN_DB, "blobs", "data", rowid, true)
    }
}

impl Blobs for BlobTable<'_> {
    fn blob(&self, id: &str) -> Result<Option<Vec<u8>>, RowsError> {
        Ok(one_value(self.db, "SELECT data FROM blobs WHERE id = ?1", id)?)
    }
}

fn one_value(db: &ReadOnlyDb, statement: &str, key: impl ToSql) -> Result<Option<Vec<u8>>, ReadError> {
    let read = || -> rusqlite::Result<Option<Vec<u8>>> {
        let mut statement = db.connection().prepare_cached(statement)?;
        let mut rows = statement.query([key])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        Ok(match row.get_ref(0)? {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes.to_vec()),
            ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => None,
        })
    };
    read().map_err(|because| db.error(because))
}
