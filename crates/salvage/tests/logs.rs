//! The log: what valid frames hold is read, and what is wrong with the rest is said.

use std::cell::Cell;

use backscroll_salvage::{Log, LogTrouble, ReadAt, SqliteFile, salvage};

use crate::collect::{Collected, open};

/// A database whose table was made in the file, and filled in ten transactions in the log.
fn written() -> (Vec<u8>, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let connection = open(&path);
    connection
        .execute_batch("PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; CREATE TABLE t (key TEXT, value)")
        .unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    for nth in 0..10 {
        connection.execute("INSERT INTO t VALUES (?1, ?2)", (format!("t{nth}"), "x".repeat(900))).unwrap();
    }
    (std::fs::read(&path).unwrap(), std::fs::read(folder.path().join("a.db-wal")).unwrap())
}

fn rows(main: &[u8], log: &[u8]) -> (usize, Vec<LogTrouble>) {
    let file = SqliteFile::read(&main, Some(&log)).unwrap();
    let mut found = Collected::default();
    salvage(&file, &mut found);
    (found.rows.get("t").map_or(0, Vec::len), Log::read(&log, Some(1024)).troubles().to_vec())
}

const FRAME: usize = 24 + 1024;

#[test]
fn a_whole_log_is_read() {
    let (main, log) = written();
    assert_eq!(rows(&main, &log), (10, vec![]));
}

#[test]
fn a_flipped_bit_anywhere_in_the_header_costs_nothing() {
    let (main, log) = written();
    for bit in 0..32 * 8 {
        let mut log = log.clone();
        log[bit / 8] ^= 1 << (bit % 8);
        // The number of checkpoints counts for nothing.
        assert_eq!(rows(&main, &log), (10, vec![LogTrouble::Header]), "bit {bit}");
    }
}

#[test]
fn a_torn_log_keeps_what_was_committed() {
    let (main, log) = written();
    let (count, troubles) = rows(&main, &log[..log.len() - 100]);
    assert_eq!((count, troubles), (9, vec![LogTrouble::Torn]));
    assert_eq!(rows(&main, &log[..20]), (0, vec![LogTrouble::Short]));
    assert_eq!(rows(&main, &[]), (0, vec![]));
}

#[test]
fn a_damaged_frame_does_not_cost_what_follows() {
    let (main, log) = written();
    let frames = (log.len() - 32) / FRAME;
    for frame in 0..frames - 1 {
        let mut log = log.clone();
        // In the middle of the page, among the value's letters, or in free space.
        log[32 + frame * FRAME + 24 + 700] ^= 4;
        let (count, troubles) = rows(&main, &log);
        assert_eq!((count, troubles), (10, vec![LogTrouble::Frames { count: 1 }]), "frame {frame}");
    }
}

/// A damaged number of a page is not the size of the file: thousands of millions of pages would be looked for.
#[test]
fn a_damaged_last_commit_is_reported() {
    let (main, mut log) = written();
    let end = log.len();
    log[end - 100] ^= 1;
    let (count, troubles) = rows(&main, &log);
    assert_eq!((count, troubles), (9, vec![LogTrouble::Tail { count: 1 }]));
}

#[test]
fn a_damaged_page_number_does_not_make_the_file_endless() {
    let (main, log) = written();
    let frames = (log.len() - 32) / FRAME;
    for frame in 0..frames - 1 {
        let mut log = log.clone();
        log[32 + frame * FRAME] = 0xff;
        let (main, log) = (main.as_slice(), log.as_slice());
        let file = SqliteFile::read(&main, Some(&log)).unwrap();
        assert!(file.count() as usize <= main.len() / 1024 + frames, "frame {frame}: {}", file.count());
    }
}

#[test]
fn frames_of_an_earlier_use_of_the_log_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let connection = open(&path);
    connection.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (a); BEGIN").unwrap();
    for nth in 0..500 {
        connection.execute("INSERT INTO t VALUES (?1)", [format!("{nth:0100}")]).unwrap();
    }
    connection
        .execute_batch("COMMIT; PRAGMA wal_checkpoint(RESTART); DELETE FROM t WHERE rowid > 3")
        .unwrap();
    let (main, log) = (std::fs::read(&path).unwrap(), std::fs::read(folder.path().join("a.db-wal")).unwrap());
    assert_eq!(rows(&main, &log), (3, vec![]));
}

#[test]
fn both_byte_orders_of_checksums_are_read() {
    let (main, mut log) = written();
    // The same log, as a machine with the other byte order would have written it.
    let swap = |sum: (u32, u32), bytes: &[u8]| {
        bytes.chunks_exact(8).fold(sum, |(first, second), eight| {
            let word = |at: usize| u32::from_be_bytes(eight[at..at + 4].try_into().unwrap());
            let first = first.wrapping_add(word(0)).wrapping_add(second);
            (first, second.wrapping_add(word(4)).wrapping_add(first))
        })
    };
    let put = |log: &mut Vec<u8>, at: usize, sum: (u32, u32)| {
        log[at..at + 4].copy_from_slice(&sum.0.to_be_bytes());
        log[at + 4..at + 8].copy_from_slice(&sum.1.to_be_bytes());
    };
    log[3] |= 1;
    let mut sum = swap((0, 0), &log[..24]);
    put(&mut log, 24, sum);
    for frame in 0..(log.len() - 32) / FRAME {
        let at = 32 + frame * FRAME;
        sum = swap(swap(sum, &log[at..at + 8]), &log[at + 24..at + FRAME]);
        put(&mut log, at + 16, sum);
    }
    assert_eq!(rows(&main, &log), (10, vec![]));
}

/// Zeros, of which only as many are counted as were read.
struct Zeros(u64, Cell<u64>);

impl ReadAt for Zeros {
    fn size(&self) -> u64 {
        self.0
    }

    fn read_at(&self, _: u64, buffer: &mut [u8]) -> usize {
        self.1.set(self.1.get() + buffer.len() as u64);
        buffer.fill(0);
        buffer.len()
    }
}

#[test]
fn a_file_of_zeros_is_not_read_beyond_the_end_that_its_log_states() {
    let (main, log) = written();
    let zeros = Zeros(10 << 30, Cell::new(0));
    let file = SqliteFile::read(&zeros, Some(&log)).unwrap();
    let mut collected = Collected::default();
    salvage(&file, &mut collected);
    assert!(zeros.1.get() < 10 * main.len() as u64 + 1_000_000, "{} bytes were read", zeros.1.get());
}
