//! The door, while another process has the database open.

use std::collections::BTreeSet;
use std::path::PathBuf;

use backscroll_cursor_store::{ReadOnlyDb, Way, Where, find};
use backscroll_fixtures::snapshot_of;

use crate::asked::{fragments, listing};
use crate::reading::{assert_items, items};
use crate::writer::Writer;

const CREATE: &str = "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);";
/// Both rows always change together, and lie on pages far from each other.
const BOTH: &str = "BEGIN IMMEDIATE;
    INSERT INTO ItemTable SELECT 'a', (CAST(value AS INTEGER) + 1) || '' FROM ItemTable WHERE key = 'a';
    INSERT INTO ItemTable SELECT 'z', (CAST(value AS INTEGER) + 1) || '' FROM ItemTable WHERE key = 'z';
    COMMIT;";

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.vscdb");
    (folder, path)
}

/// A writer in this mode, with both rows and enough between them.
fn writer(path: &std::path::Path, mode: &str) -> Writer {
    let mut writer = Writer::on(path);
    writer.run(&format!("PRAGMA journal_mode = {mode}; {CREATE}"));
    writer.run(
        "INSERT INTO ItemTable WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
         SELECT 'm' || i, hex(zeroblob(3000)) FROM n",
    );
    writer.run("INSERT INTO ItemTable VALUES ('a', '0'), ('z', '0')");
    writer
}

#[test]
fn an_open_writer_that_rests() {
    let (folder, path) = folder();
    let mut writer = Writer::on(&path);
    writer.run(&format!("PRAGMA journal_mode = WAL; {CREATE}"));
    writer.run("INSERT INTO ItemTable VALUES ('a', '1')");
    assert_items(&path, Way::Shared, &["a=1"]);
    writer.run("INSERT INTO ItemTable VALUES ('a', '2'), ('b', '1'); DELETE FROM ItemTable WHERE key = 'b'");
    assert_items(&path, Way::Shared, &["a=2"]);
    writer.run("BEGIN; INSERT INTO ItemTable VALUES ('a', 'not yet'), ('c', 'not yet')");
    assert_items(&path, Way::Shared, &["a=2"]);
    writer.run("COMMIT");
    assert_items(&path, Way::Shared, &["a=not yet", "c=not yet"]);
    writer.close();
    assert_eq!(snapshot_of(folder.path()).unwrap().len(), 1, "the writer could clean up");
    assert_items(&path, Way::Immutable, &["a=not yet", "c=not yet"]);
}

#[test]
fn a_writer_that_opened_a_closed_database_and_wrote_nothing_yet() {
    let (_folder, path) = folder();
    let mut writer = Writer::on(&path);
    writer.run(&format!("PRAGMA journal_mode = WAL; {CREATE} INSERT INTO ItemTable VALUES ('a', '1')"));
    writer.run("PRAGMA wal_checkpoint(TRUNCATE)");
    assert_items(&path, Way::Immutable, &["a=1"]);
    writer.run("INSERT INTO ItemTable VALUES ('a', '2')");
    assert_items(&path, Way::Shared, &["a=2"]);
}

#[test]
fn a_writer_that_crashed() {
    let (_folder, path) = folder();
    let mut writer = Writer::on(&path);
    writer.run(&format!("PRAGMA journal_mode = WAL; {CREATE} INSERT INTO ItemTable VALUES ('a', '1')"));
    writer.run("BEGIN; INSERT INTO ItemTable VALUES ('a', 'lost')");
    writer.crash();
    assert_items(&path, Way::Shared, &["a=1"]);
}

/// Reads beside a writer that commits all the time, until that many different states were seen.
fn never_half(mode: &str, states: usize) {
    let (folder, path) = folder();
    let mut writer = writer(&path, mode);
    writer.keep_running(BOTH);
    let mut seen = BTreeSet::new();
    while seen.len() < states {
        let (a, rows, z) = ReadOnlyDb::ask(&path, |db| {
            let table = db.table("ItemTable")?.unwrap();
            let a = table.get("a")?;
            let mut rows = 0;
            table.each(&backscroll_cursor_store::KeyRange::under("m"), &mut |_| rows += 1)?;
            Ok((a, rows, table.get("z")?))
        })
        .unwrap();
        assert!(a.is_some());
        assert_eq!(a, z, "never half a transaction");
        assert_eq!(rows, 50);
        seen.insert(a);
    }
    writer.run("SELECT 1");
    let names: Vec<_> = snapshot_of(folder.path()).unwrap().into_keys().collect();
    assert!(names.iter().all(|name| name.to_str().unwrap().starts_with("state.vscdb")), "{names:?}");
    writer.close();
    assert_eq!(snapshot_of(folder.path()).unwrap().len(), 1, "the writer could clean up");
    let (_, rows) = items(&path).unwrap();
    assert_eq!(rows[0][2..], rows.last().unwrap()[2..], "the writer lost nothing");
}

#[test]
fn a_writer_that_keeps_committing_to_a_log() {
    never_half("WAL", 100);
}

#[test]
fn a_writer_that_keeps_committing_without_log() {
    never_half("DELETE", 20);
}

#[test]
fn a_writer_that_commits_to_its_log_between_two_reads() {
    let (_folder, path) = folder();
    let mut writer = writer(&path, "WAL");
    for round in 0..20 {
        let (a, z) = ReadOnlyDb::ask(&path, |db| {
            let table = db.table("ItemTable")?.unwrap();
            let a = table.get("a")?;
            writer.run(BOTH);
            Ok((a, table.get("z")?))
        })
        .unwrap();
        let expected = Some(round.to_string().into_bytes());
        assert_eq!((&a, &z), (&expected, &expected), "as it was when the question was asked");
    }
    writer.close();
}

#[test]
fn a_writer_in_the_middle_of_a_transaction_without_log() {
    let (_folder, path) = folder();
    let mut writer = Writer::on(&path);
    writer.run(&format!("{CREATE} INSERT INTO ItemTable VALUES ('a', '1')"));
    writer.run("BEGIN IMMEDIATE; INSERT INTO ItemTable VALUES ('a', 'not yet')");
    let (_, rows) = crate::reading::unnoticed(&path, |path| items(path).unwrap());
    assert_eq!(rows, ["a=1"]);
    writer.run("COMMIT");
    assert_items(&path, Way::Immutable, &["a=not yet"]);
}

/// The cache is full, so pages stand in the file that may still be taken back, and the writer has it for itself.
#[test]
fn a_writer_that_has_half_written_the_file() {
    let (_folder, path) = folder();
    let mut writer = writer(&path, "DELETE");
    writer.run("PRAGMA synchronous = FULL; PRAGMA cache_size = 2; BEGIN IMMEDIATE; UPDATE ItemTable SET value = 'half'");
    let (way, rows) = crate::reading::unnoticed(&path, |path| items(path).unwrap());
    assert_eq!(way, Way::RolledBackCopy);
    assert_eq!(
        (rows.len(), rows[0].as_str(), rows.iter().filter(|row| row.ends_with("half")).count()),
        (52, "a=0", 0)
    );
    writer.run("COMMIT");
    let (way, rows) = crate::reading::unnoticed(&path, |path| items(path).unwrap());
    assert_eq!((way, rows.iter().filter(|row| row.ends_with("half")).count()), (Way::Immutable, 52));
    writer.close();
}

#[test]
fn a_file_that_is_replaced_is_read_anew() {
    let (folder, path) = folder();
    let mut writer = Writer::on(&path);
    writer.run(&format!("PRAGMA journal_mode = WAL; {CREATE} INSERT INTO ItemTable VALUES ('a', '1')"));
    let held = ReadOnlyDb::open(&path).unwrap();
    assert!(held.is_still_true());
    let other = folder.path().join("other");
    backscroll_fixtures::StateDatabase::new().item("a", "2").write_to(&other).unwrap();
    writer.crash();
    for ending in ["-wal", "-shm"] {
        std::fs::remove_file(format!("{}{ending}", path.display())).unwrap();
    }
    std::fs::rename(&other, &path).unwrap();
    assert!(!held.is_still_true());
    assert_items(&path, Way::Immutable, &["a=2"]);
}

#[test]
fn a_file_that_changes_while_it_is_read_is_read_again() {
    let (_folder, path) = folder();
    let mut writer = Writer::on(&path);
    writer.run(&format!("{CREATE} INSERT INTO ItemTable VALUES ('a', '1'), ('b', '1')"));
    let mut tries = 0;
    let read = ReadOnlyDb::ask(&path, |db| {
        let table = db.table("ItemTable")?.unwrap();
        let a = table.get("a")?;
        tries += 1;
        if tries == 1 {
            writer.run("UPDATE ItemTable SET value = '2'");
        }
        Ok((a, table.get("b")?))
    });
    assert_eq!(read.unwrap(), (Some(b"2".to_vec()), Some(b"2".to_vec())));
    assert_eq!(tries, 2);
}

#[test]
fn a_writer_that_keeps_the_index_of_its_log_to_itself() {
    let (_folder, path) = folder();
    let mut writer = Writer::on(&path);
    writer.run(&format!("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; {CREATE}"));
    writer.run("INSERT INTO ItemTable VALUES ('a', '1')");
    assert_items(&path, Way::PrivateIndex, &["a=1"]);
    writer.run("BEGIN; INSERT INTO ItemTable VALUES ('a', 'not yet')");
    assert_items(&path, Way::PrivateIndex, &["a=1"]);
    writer.run("COMMIT");
    assert_items(&path, Way::PrivateIndex, &["a=not yet"]);
    writer.close();
}

#[test]
fn a_writer_that_crashed_when_it_had_half_written_the_file() {
    let (_folder, path) = folder();
    let mut writer = writer(&path, "DELETE");
    writer.run(
        "PRAGMA synchronous = FULL; PRAGMA cache_size = 2; BEGIN IMMEDIATE; UPDATE ItemTable SET value = 'half'",
    );
    writer.crash();
    let (way, rows) = crate::reading::unnoticed(&path, |path| items(path).unwrap());
    let half = rows.iter().filter(|row| row.ends_with("half")).count();
    assert_eq!((way, rows.len(), half), (Way::RolledBackCopy, 52, 0));
}

/// A message and the list that names it, in one transaction, as the editor writes them.
const ONE_MORE: &str = "BEGIN IMMEDIATE;
    INSERT INTO cursorDiskKV SELECT 'bubbleId:c1:b' || json_array_length(value, '$.fullConversationHeadersOnly'),
        '{\"_v\":3,\"type\":1,\"text\":\"hello\"}' FROM cursorDiskKV WHERE key = 'composerData:c1';
    INSERT INTO cursorDiskKV SELECT key, json_insert(value, '$.fullConversationHeadersOnly[#]', json_object('type', 1,
        'bubbleId', 'b' || json_array_length(value, '$.fullConversationHeadersOnly')))
        FROM cursorDiskKV WHERE key = 'composerData:c1';
    COMMIT;";

#[test]
fn a_conversation_that_grows_while_it_is_read_is_never_half_old_and_half_new() {
    for mode in ["WAL", "DELETE"] {
        let (_folder, path) = folder();
        let mut writer = Writer::on(&path);
        writer.run(&format!(
            "PRAGMA journal_mode = {mode};
             CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
             INSERT INTO cursorDiskKV VALUES ('composerData:c1',
               '{{\"_v\":10,\"composerId\":\"c1\",\"fullConversationHeadersOnly\":[]}}');"
        ));
        writer.keep_running(ONE_MORE);
        let found = find(&Where { stores: vec![path.clone()], ..Where::default() });
        let (mut seen, mut last) = (BTreeSet::new(), 0);
        while seen.len() < 20 {
            let read = fragments(&*found.sources[0], "c1");
            let coverage = read[0].coverage;
            assert_eq!((coverage.missing, coverage.orphaned), (0, 0), "{mode}: {coverage:?}");
            assert!(coverage.listed >= last, "{mode}: it only grows");
            last = coverage.listed;
            seen.insert(last);
            let (summaries, _) = listing(&*found.sources[0]);
            assert_eq!(summaries.len(), 1);
        }
        writer.run("SELECT 1");
        writer.close();
    }
}
