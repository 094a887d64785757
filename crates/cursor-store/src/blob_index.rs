//! All blobs of one store, for reading a whole conversation.
//!
//! Ids are hashes, so looking up tens of thousands of them one by one reads the whole index again and again. They are
//! read once; each blob is then fetched by its row. While the conversation is read, what it reaches is noted, so that
//! nothing is read twice to find out what it does not reach.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use backscroll_cursor_format::agent::raw_references;
use backscroll_cursor_format::{Blobs, RowsError};

use crate::blob_table::BlobTable;
use crate::read_only_db::ReadError;

/// A blob's id.
type Hash = [u8; 32];

/// One row of `blobs`.
struct Entry {
    rowid: i64,
    is_reached: Cell<bool>,
}

/// All blobs of one store.
pub(crate) struct BlobIndex<'db> {
    table: BlobTable<'db>,
    by_hash: HashMap<Hash, Entry, BuildHasherDefault<FirstBytes>>,
    /// Rows whose names are no hashes: nothing can refer to them.
    others: Vec<(i64, String)>,
    open: RefCell<Vec<Hash>>,
}

impl<'db> BlobIndex<'db> {
    /// Reads the index of `table`.
    pub(crate) fn of(table: BlobTable<'db>) -> Result<Self, ReadError> {
        let (mut by_hash, mut others) = (HashMap::default(), Vec::new());
        table.each_id(&mut |rowid, id| match hash_of(id) {
            Some(hash) => drop(by_hash.insert(hash, Entry { rowid, is_reached: Cell::new(false) })),
            None => others.push((rowid, String::from_utf8_lossy(id).into_owned())),
        })?;
        Ok(Self { table, by_hash, others, open: RefCell::default() })
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

    fn fetch(&self, entry: &Entry) -> Result<Option<Vec<u8>>, RowsError> {
        let found = self.table.by_rowid(entry.rowid)?;
        if let (Some(bytes), false) = (&found, entry.is_reached.replace(true)) {
            let is_news = |hash: &Hash| self.by_hash.get(hash).is_some_and(|entry| !entry.is_reached.get());
            self.open.borrow_mut().extend(raw_references(bytes).into_iter().filter(is_news));
        }
        Ok(found)
    }
}

impl Blobs for BlobIndex<'_> {
    fn blob(&self, id: &str) -> Result<Option<Vec<u8>>, RowsError> {
        let entry = hash_of(id.as_bytes()).and_then(|hash| self.by_hash.get(&hash));
        entry.map_or(Ok(None), |entry| self.fetch(entry))
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
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut hash = Hash::default();
    if id.len() != hash.len() * 2 {
        return None;
    }
    for (byte, pair) in hash.iter_mut().zip(id.chunks_exact(2)) {
        *byte = digit(pair[0])? * 16 + digit(pair[1])?;
    }
    Some(hash)
}

fn spelled(hash: &Hash) -> String {
    use std::fmt::Write as _;
    hash.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
