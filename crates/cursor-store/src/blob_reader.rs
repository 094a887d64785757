//! Blobs of one store by their rows, through one handle that moves from row to row. A statement for each blob costs
//! more than twice as much, and a conversation may have tens of thousands.

use std::cell::RefCell;

use memchr::memmem;
use rusqlite::blob::Blob;

use crate::blob_table::BlobTable;
use crate::read_only_db::ReadError;

/// Reads blobs by their rows.
pub(crate) struct BlobReader<'db> {
    table: BlobTable<'db>,
    handle: RefCell<Option<Blob<'db>>>,
}

impl<'db> BlobReader<'db> {
    /// A reader of `table`.
    pub(crate) fn of(table: BlobTable<'db>) -> Self {
        Self { table, handle: RefCell::new(None) }
    }

    /// The table that is read.
    pub(crate) fn table(&self) -> BlobTable<'db> {
        self.table
    }

    /// The blob in this row.
    pub(crate) fn bytes(&self, rowid: i64) -> Result<Option<Vec<u8>>, ReadError> {
        let read = self.at(rowid, |blob| {
            let mut bytes = vec![0; blob.len()];
            blob.read_at_exact(&mut bytes, 0).map(|()| bytes)
        });
        // A handle opens neither NULL nor a number nor a damaged row; a statement tells which of them it is.
        read.map_or_else(|_| self.table.by_rowid(rowid), |bytes| Ok(Some(bytes)))
    }

    /// Whether the blob in this row begins as JSON does, without reading more of it: old roots are many and long.
    pub(crate) fn is_json(&self, rowid: i64) -> bool {
        let mut first = [0_u8; 1];
        self.at(rowid, |blob| blob.read_at_exact(&mut first, 0)).is_ok() && first == *b"{"
    }

    /// Whether the blob in this row begins as messages of the agent do, which name a role early: files that it read may
    /// be JSON, too, and long.
    pub(crate) fn begins_as_message(&self, rowid: i64) -> bool {
        let mut first = [0_u8; 128];
        let read = self.at(rowid, |blob| blob.read_at(&mut first, 0)).unwrap_or_default();
        let first = &first[..read];
        first.starts_with(b"{") && memmem::find(first, b"\"role\"").is_some()
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
