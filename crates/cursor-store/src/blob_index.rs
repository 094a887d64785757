//! All blobs of one store, for reading a whole conversation.
//!
//! Ids are hashes, so looking up tens of thousands of them one by one reads the whole index again and again. They are
//! read once; each blob is then fetched by its row, mostly the next one. While the conversation is read, what it reaches is noted, so that
//! nothing is read twice to find out what it does not reach.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use backscroll_cursor_format::agent::raw_references;
use backscroll_cursor_format::{Blobs, RowsError};

use crate::blob_reader::BlobReader;
use crate::read_only_db::ReadError;

/// A blob's id.
type Hash = [u8; 32];

/// One row of `blobs`.
struct Entry {
    rowid: i64,
    is_reached: Cell<bool>,
}

/// All blobs of one store.
pub(crate) struct BlobIndex<'r, 'db> {
    reader: &'r BlobReader<'db>,
    by_hash: HashMap<Hash, Entry, BuildHasherDefault<FirstBytes>>,
    /// Rows whose names are no hashes: nothing can refer to them.
    others: Vec<(i64, String)>,
    open: RefCell<Vec<Hash>>,
}

impl<'r, 'db> BlobIndex<'r, 'db> {
    /// Reads the index of the table that `reader` reads.
    pub(crate) fn of(reader: &'r BlobReader<'db>) -> Result<Self, ReadError> {
        let (mut by_hash, mut others) = (HashMap::default(), Vec::new());
        reader.table().each_id(&mut |rowid, id| match hash_of(id) {
            Some(hash) => drop(by_hash.insert(hash, Entry { rowid, is_reached: Cell::new(false) })),
            None => others.push((rowid, String::from_utf8_lossy(id).into_owned())),
        })?;
        Ok(Self { reader, by_hash, others, open: RefCell::default() })
    }

    /// Follows whatever was referred to and nobody asked for: states of files, old summaries. Gives the rows that
    /// nothing led to, with their ids, in the order of writing.
    pub(crate) fn unreached(self) -> Result<Vec<(i64, String)>, RowsError> {
        loop {
            let Some(hash) = self.open.borrow_mut().pop() else { break };
            if let Some(entry) = self.by_hash.get(&hash).filter(|entry| !entry.is_reached.get()) {
                self.fetch(entry)?;
            }
        }
        let left = self.by_hash.into_iter().filter(|(_, entry)| !entry.is_reached.get());
        let mut left: Vec<(i64, String)> = left.map(|(hash, entry)| (entry.rowid, spelled(&hash))).collect();
        left.extend(self.others);
        left.sort();
        Ok(left)
    }

    fn entry(&self, id: &str) -> Option<&Entry> {
        hash_of(id.as_bytes()).and_then(|hash| self.by_hash.get(&hash))
    }

    fn fetch(&self, entry: &Entry) -> Result<Option<Vec<u8>>, RowsError> {
        let found = self.reader.bytes(entry.rowid)?;
        if let Some(bytes) = &found {
            self.note(entry, bytes);
        }
        Ok(found)
    }

    /// Notes that a blob was reached, and what it leads to.
    fn note(&self, entry: &Entry, bytes: &[u8]) {
        if !entry.is_reached.replace(true) {
            let is_news = |hash: &Hash| self.by_hash.get(hash).is_some_and(|entry| !entry.is_reached.get());
            self.open.borrow_mut().extend(raw_references(bytes).into_iter().filter(is_news));
        }
    }
}

impl Blobs for BlobIndex<'_, '_> {
    fn blob(&self, id: &str) -> Result<Option<Vec<u8>>, RowsError> {
        self.entry(id).map_or(Ok(None), |entry| self.fetch(entry))
    }

    fn append(&self, id: &str, into: &mut Vec<u8>) -> Result<bool, RowsError> {
        let Some(entry) = self.entry(id) else { return Ok(false) };
        let start = into.len();
        let is_there = self.reader.append(entry.rowid, into)?;
        if is_there {
            self.note(entry, &into[start..]);
        }
        Ok(is_there)
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

/// The hash that 64 digits of lower case spell.
fn hash_of(id: &[u8]) -> Option<Hash> {
    let (pairs, []) = id.as_chunks::<2>() else { return None };
    let pairs: &[[u8; 2]; 32] = pairs.try_into().ok()?;
    // Asked for every blob: looking all digits up and then whether any was none is much faster than asking each.
    let mut seen = 0;
    let hash = pairs.map(|[high, low]| {
        let (high, low) = (DIGITS[usize::from(high)], DIGITS[usize::from(low)]);
        seen |= high | low;
        (high << 4) | (low & 15)
    });
    (seen < NO_DIGIT).then_some(hash)
}

/// What each byte is worth as a digit.
const DIGITS: [u8; 256] = {
    let mut digits = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        digits[b"0123456789abcdef"[value as usize] as usize] = value;
        value += 1;
    }
    digits
};
const NO_DIGIT: u8 = 0x80;

fn spelled(hash: &Hash) -> String {
    use std::fmt::Write as _;
    hash.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
