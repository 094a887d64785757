//! All blobs of one store, for reading a whole conversation.
//!
//! A conversation may have tens of thousands of blobs, most of them small. Asking for one after the other costs more
//! than reading the table once from front to back, so that is done first: small blobs are kept, of the rest their rows
//! are noted. While the conversation is read, what it reaches is noted, so that nothing is read twice to find out what
//! it does not reach.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, hash_map};

use backscroll_cursor_format::agent::references;
use backscroll_cursor_format::{BlobId, Blobs, RowsError};
use foldhash::fast::RandomState;

use crate::blob_table::{BlobReader, BlobRow};
use crate::read_only_db::ReadError;

/// One row of `blobs`.
struct Entry {
    rowid: i64,
    /// Where its bytes are among those kept; `None` if they are read when somebody asks for them.
    kept: Option<(u32, u32)>,
    is_reached: Cell<bool>,
}

/// All blobs of one store.
pub(crate) struct BlobIndex<'r, 'db> {
    reader: &'r BlobReader<'db>,
    /// Names are hashes only in honest stores, so they are hashed again, as fast as can be.
    by_id: HashMap<BlobId, Entry, RandomState>,
    /// Small blobs, one behind the other.
    kept: Vec<u8>,
    /// Rows whose names are no hashes: nothing can refer to them.
    others: Vec<(i64, String)>,
    /// Blobs that were referred to and not asked for yet.
    open: RefCell<Vec<BlobId>>,
}

/// Blobs up to this size are kept: they lie in the pages that are read to find them. Larger ones, such as the roots
/// of every earlier state, lie elsewhere and are read only if somebody asks for them.
const SMALL: usize = 3 * 1024;
/// No more than about this many bytes are kept of one store. Nearly all stores have less.
const MOST_KEPT: usize = 64 << 20;

impl<'r, 'db> BlobIndex<'r, 'db> {
    /// Reads the table that `reader` reads, but for large blobs.
    pub(crate) fn new(reader: &'r BlobReader<'db>) -> Result<Self, ReadError> {
        let table = reader.table();
        let mut index = Self {
            reader,
            by_id: HashMap::with_capacity_and_hasher(table.rows_expected(), RandomState::default()),
            kept: Vec::new(),
            others: Vec::new(),
            open: RefCell::default(),
        };
        let is_all = table.each(SMALL, &mut |row| {
            index.enter(row);
            index.kept.len() < MOST_KEPT
        })?;
        if !is_all {
            table.each_id(&mut |row| index.enter(row))?;
        }
        Ok(index)
    }

    fn enter(&mut self, BlobRow { rowid, id, data }: BlobRow<'_>) {
        // In the table they are spelled in lower case; a row that is not would be found under no name.
        match BlobId::spelled(id).filter(|_| !id.iter().any(u8::is_ascii_uppercase)) {
            Some(id) => {
                if let hash_map::Entry::Vacant(vacant) = self.by_id.entry(id) {
                    let kept = data.and_then(|data| keep(data, &mut self.kept));
                    vacant.insert(Entry { rowid, kept, is_reached: Cell::new(false) });
                }
            }
            None => self.others.push((rowid, String::from_utf8_lossy(id).into_owned())),
        }
    }

    /// Follows what was referred to and not asked for: states of files, old summaries. Returns the rows that nothing led to,
    /// with their ids, in the order of writing.
    pub(crate) fn unreached(self) -> Result<Vec<(i64, String)>, RowsError> {
        loop {
            let Some(id) = self.open.borrow_mut().pop() else { break };
            let entry = self.by_id.get(&id).filter(|entry| !entry.is_reached.get());
            entry.map(|entry| self.fetch(entry)).transpose()?;
        }
        let left = self.by_id.into_iter().filter(|(_, entry)| !entry.is_reached.get());
        let mut rows: Vec<(i64, String)> = left.map(|(id, entry)| (entry.rowid, id.to_string())).collect();
        rows.extend(self.others);
        rows.sort();
        rows.dedup();
        Ok(rows)
    }

    fn fetch(&self, entry: &Entry) -> Result<Option<Cow<'_, [u8]>>, RowsError> {
        let kept = entry.kept.and_then(|(start, end)| self.kept.get(start as usize..end as usize));
        let found = if let Some(bytes) = kept {
            Some(Cow::Borrowed(bytes))
        } else {
            // The error is reported by the one who asked, so nobody has to ask again.
            let read = self.reader.bytes(entry.rowid).inspect_err(|_| entry.is_reached.set(true));
            read?.map(Cow::Owned)
        };
        if let Some(bytes) = &found {
            self.note(entry, bytes);
        }
        Ok(found)
    }

    /// Notes that a blob was reached, and what it leads to.
    fn note(&self, entry: &Entry, bytes: &[u8]) {
        if !entry.is_reached.replace(true) {
            let is_news = |id: &BlobId| self.by_id.get(id).is_some_and(|entry| !entry.is_reached.get());
            self.open.borrow_mut().extend(references(bytes).into_iter().filter(is_news));
        }
    }
}

impl Blobs for BlobIndex<'_, '_> {
    fn blob(&self, id: &BlobId) -> Result<Option<Cow<'_, [u8]>>, RowsError> {
        self.by_id.get(id).map_or(Ok(None), |entry| self.fetch(entry))
    }
}

/// Puts `data` behind what `kept` holds, and returns where it is.
fn keep(data: &[u8], kept: &mut Vec<u8>) -> Option<(u32, u32)> {
    let start = u32::try_from(kept.len()).ok()?;
    let end = u32::try_from(kept.len() + data.len()).ok()?;
    kept.extend_from_slice(data);
    Some((start, end))
}
