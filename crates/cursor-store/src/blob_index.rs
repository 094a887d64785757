//! All blobs of one store, for reading a whole conversation.
//!
//! A conversation may have tens of thousands of blobs, most of them small. Asking for one after the other costs more
//! than reading the table once from front to back, so that is done first: small ones are kept, of the others their
//! rows are noted. While the conversation is read, what it reaches is noted, so that nothing is read twice to find
//! out what it does not reach.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use backscroll_cursor_format::agent::references;
use backscroll_cursor_format::{BlobId, Blobs, RowsError};

use crate::blob_reader::BlobReader;
use crate::read_only_db::ReadError;

/// One row of `blobs`.
struct Entry {
    rowid: i64,
    /// Where its bytes are kept, if they are.
    kept: Option<(u32, u32)>,
    is_reached: Cell<bool>,
}

/// All blobs of one store.
pub(crate) struct BlobIndex<'r, 'db> {
    reader: &'r BlobReader<'db>,
    by_id: HashMap<BlobId, Entry, BuildHasherDefault<FirstBytes>>,
    /// Small blobs, one behind the other.
    kept: Vec<u8>,
    /// Rows whose names are no hashes: nothing can refer to them.
    others: Vec<(i64, String)>,
    open: RefCell<Vec<BlobId>>,
}

/// Blobs up to this size are kept: they lie in the pages that are read to find them. Larger ones, such as the roots
/// of every earlier state, lie elsewhere and are read only if somebody asks for them.
const SMALL: usize = 3 * 1024;
/// So many bytes are kept of one store. It is more than nearly all have.
const MOST_KEPT: usize = 24 << 20;

impl<'r, 'db> BlobIndex<'r, 'db> {
    /// Reads the table that `reader` reads, but for large blobs.
    pub(crate) fn of(reader: &'r BlobReader<'db>) -> Result<Self, ReadError> {
        let table = reader.table();
        let mut index = Self {
            reader,
            by_id: HashMap::with_capacity_and_hasher(table.rows_at_most()?, BuildHasherDefault::default()),
            kept: Vec::new(),
            others: Vec::new(),
            open: RefCell::default(),
        };
        let read = table.each(SMALL, &mut |rowid, id, data| {
            let kept = data.map(|data| index.keep(data));
            index.enter(rowid, id, kept);
            index.kept.len() < MOST_KEPT
        });
        // A damaged page ends the reading, but not the index: what lies behind it is asked for one by one.
        if !read.unwrap_or(false) {
            table.each_id(&mut |rowid, id| index.enter(rowid, id, None))?;
        }
        Ok(index)
    }

    fn keep(&mut self, data: &[u8]) -> Range<usize> {
        let start = self.kept.len();
        self.kept.extend_from_slice(data);
        start..self.kept.len()
    }

    fn enter(&mut self, rowid: i64, id: &[u8], kept: Option<Range<usize>>) {
        let kept = kept.and_then(|range| Some((range.start.try_into().ok()?, range.end.try_into().ok()?)));
        // In the table they are spelled in lower case; a row that is not would be found under no name.
        match BlobId::spelled(id).filter(|_| !id.iter().any(u8::is_ascii_uppercase)) {
            Some(id) => {
                self.by_id.entry(id).or_insert(Entry { rowid, kept, is_reached: Cell::new(false) });
            }
            None => self.others.push((rowid, String::from_utf8_lossy(id).into_owned())),
        }
    }

    /// Follows whatever was referred to and nobody asked for: states of files, old summaries. Gives the rows that
    /// nothing led to, with their ids, in the order of writing.
    pub(crate) fn unreached(self) -> Result<Vec<(i64, String)>, RowsError> {
        loop {
            let Some(id) = self.open.borrow_mut().pop() else { break };
            if let Some(entry) = self.by_id.get(&id).filter(|entry| !entry.is_reached.get()) {
                self.fetch(entry)?;
            }
        }
        let left = self.by_id.into_iter().filter(|(_, entry)| !entry.is_reached.get());
        let mut left: Vec<(i64, String)> = left.map(|(id, entry)| (entry.rowid, id.to_string())).collect();
        left.extend(self.others);
        left.sort();
        left.dedup();
        Ok(left)
    }

    fn fetch(&self, entry: &Entry) -> Result<Option<Cow<'_, [u8]>>, RowsError> {
        let kept = entry.kept.and_then(|(start, end)| self.kept.get(start as usize..end as usize));
        let found = match kept {
            Some(kept) => Some(Cow::Borrowed(kept)),
            None => self.reader.bytes(entry.rowid)?.map(Cow::Owned),
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

/// A hash needs no hashing: its first bytes are as good as any.
#[derive(Default)]
struct FirstBytes(u64);

impl Hasher for FirstBytes {
    fn write(&mut self, bytes: &[u8]) {
        if let Some(first) = bytes.first_chunk() {
            self.0 ^= u64::from_le_bytes(*first);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
