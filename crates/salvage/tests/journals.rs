//! Journals of transactions that SQLite did not finish: rolled back as SQLite does it, whole and damaged, and no bytes make it fall.

use std::fs;
use std::path::{Path, PathBuf};

use backscroll_salvage::Journal;
use proptest::prelude::*;

use crate::collect::open;

/// A database in the middle of a transaction, and its journal.
struct Hot {
    database: Vec<u8>,
    journal: Vec<u8>,
}

fn journal_of(path: &Path) -> PathBuf {
    path.with_file_name("db-journal")
}

/// What `transaction` leaves if the writer is stopped before its end.
fn hot(setup: &str, transaction: &str) -> Hot {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let connection = open(&path);
    connection
        .execute_batch(&format!(
            "{setup}; CREATE TABLE t (id INTEGER PRIMARY KEY, value BLOB);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
             INSERT INTO t SELECT i, randomblob(300) FROM n;
             PRAGMA cache_size = 5; PRAGMA cache_spill = 1; BEGIN; {transaction}"
        ))
        .unwrap();
    Hot { database: fs::read(&path).unwrap(), journal: fs::read(journal_of(&path)).unwrap() }
}

/// What SQLite makes of it.
fn by_sqlite(hot: &Hot) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    fs::write(&path, &hot.database).unwrap();
    fs::write(journal_of(&path), &hot.journal).unwrap();
    let connection = open(&path);
    // What is damaged may not be readable after it, either.
    let _ = connection.query_row("SELECT count(*) FROM t", [], |_| Ok(()));
    drop(connection);
    fs::read(&path).unwrap()
}

/// What we make of it.
fn by_us(hot: &Hot) -> Vec<u8> {
    let mut database = hot.database.clone();
    let Some(journal) = Journal::read(&hot.journal, Some(4096)) else { return database };
    database.resize(usize::try_from(journal.size()).unwrap(), 0);
    let restored = journal.restore(|offset, page| {
        let offset = usize::try_from(offset).unwrap();
        database.get_mut(offset..offset + page.len()).ok_or(offset)?.copy_from_slice(page);
        Ok::<(), usize>(())
    });
    assert_eq!(restored, Ok(()));
    database
}

const SETUPS: [&str; 4] = [
    "PRAGMA synchronous = FULL",
    "PRAGMA synchronous = OFF",
    "PRAGMA page_size = 512; PRAGMA synchronous = FULL",
    "PRAGMA page_size = 65536; PRAGMA synchronous = FULL; PRAGMA auto_vacuum = FULL",
];

const TRANSACTIONS: [&str; 4] = [
    "UPDATE t SET value = zeroblob(300)",
    "DELETE FROM t WHERE id % 3 = 0; UPDATE t SET value = zeroblob(900) WHERE id > 100",
    "INSERT INTO t SELECT id + 1000, randomblob(4000) FROM t; UPDATE t SET value = NULL WHERE id < 200",
    "CREATE TABLE u AS SELECT * FROM t; DROP TABLE t",
];

#[test]
fn journals_are_rolled_back_as_sqlite_does_it() {
    let mut changed = 0;
    for setup in SETUPS {
        for transaction in TRANSACTIONS {
            let hot = hot(setup, transaction);
            let expected = by_sqlite(&hot);
            changed += usize::from(expected != hot.database);
            assert!(by_us(&hot) == expected, "{setup}; {transaction}");
        }
    }
    assert!(changed > 8, "most of them had something to roll back: {changed}");
}

#[test]
fn damaged_journals_are_rolled_back_as_sqlite_does_it() {
    let Hot { database, journal } = hot(SETUPS[0], TRANSACTIONS[0]);
    for at in [600, 5_000, journal.len() / 2, journal.len() - 3] {
        let cut = Hot { database: database.clone(), journal: journal[..at].to_vec() };
        assert!(by_us(&cut) == by_sqlite(&cut), "cut to {at}");
    }
    // The count of records, the nonce, the page numbers and the contents. Of these only a few bytes are in the checksum.
    for at in [10, 14, 513, 514, 516 + 96, 516 + 296, 512 + 4104 + 2, journal.len() / 2] {
        let mut flipped = Hot { database: database.clone(), journal: journal.clone() };
        flipped.journal[at] ^= 4;
        assert!(by_us(&flipped) == by_sqlite(&flipped), "flipped at {at}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_fall(bytes in prop::collection::vec(any::<u8>(), 0..4000), sector in 5..17_u32, size in 9..17_u32) {
        let mut journal = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
        journal.extend(&bytes);
        if journal.len() > 28 {
            journal[20..24].copy_from_slice(&(1_u32 << sector).to_be_bytes());
            journal[24..28].copy_from_slice(&(1_u32 << size).to_be_bytes());
        }
        for given in [&bytes, &journal] {
            if let Some(read) = Journal::read(given, None) {
                let inside = |offset: u64, page: &[u8]| {
                    if offset + page.len() as u64 <= read.size() { Ok(()) } else { Err(offset) }
                };
                prop_assert_eq!(read.restore(inside), Ok(()));
            }
        }
    }
}
