//! What stores are made of: every row counted once, by kind, and nothing changed.

use std::path::Path;

use backscroll_cursor_store::{ContentsKept, contents};
use backscroll_fixtures::{demo_home, recorded, snapshot_of};
use backscroll_model::Contents;
use rusqlite::Connection;

#[expect(clippy::disallowed_methods, reason = "a test writes its own database")]
fn writer(path: &Path) -> Connection {
    Connection::open(path).unwrap()
}

fn by_kind(contents: &Contents) -> Vec<(&str, &str, u64, u64, u64)> {
    let one = |kind: &backscroll_model::StoredKind| (kind.rows, kind.bytes, kind.orphaned);
    let mut kinds: Vec<_> = contents
        .kinds
        .iter()
        .map(|kind| {
            let (rows, bytes, orphaned) = one(kind);
            (kind.table.as_deref().unwrap_or_default(), kind.name.as_str(), rows, bytes, orphaned)
        })
        .collect();
    kinds.sort_unstable();
    kinds
}

#[test]
fn an_endless_transcript_is_counted_as_far_as_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.jsonl");
    std::fs::File::create(&file).unwrap().set_len(10 << 30).unwrap();
    assert_eq!(by_kind(&contents(&file).unwrap()), [("", "lines", 1, 128 << 20, 0)]);
}

#[test]
fn rows_and_bytes_by_kind() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.vscdb");
    let db = writer(&file);
    db.execute_batch(
        "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
         CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
         CREATE TABLE \"odd \"\"name\" (a, b INTEGER, PRIMARY KEY (a)) WITHOUT ROWID;
         CREATE VIEW endless AS SELECT * FROM cursorDiskKV;
         INSERT INTO ItemTable VALUES ('ab', x'00ff'), ('cd', NULL), (NULL, 'x');
         INSERT INTO cursorDiskKV VALUES
            ('composerData:1a', 'äö'), ('bubbleId:1a:x', zeroblob(100000)), ('bubbleId:1a:y', NULL),
            ('bubbleId:2b:z', '12345'), ('agentKv:blob:00', x'01'), ('0000', ''), (NULL, 'lost');
         INSERT INTO \"odd \"\"name\" VALUES ('k', 17);",
    )
    .unwrap();
    let counted = contents(&file).unwrap();
    assert_eq!(
        by_kind(&counted),
        [
            ("ItemTable", "ItemTable", 3, 7, 0),
            ("cursorDiskKV", "agentKv:blob", 1, 16, 0),
            ("cursorDiskKV", "bubbleId", 3, 13 + 100_000 + 13 + 13 + 5, 1),
            ("cursorDiskKV", "composerData", 1, 15 + 4, 0),
            ("cursorDiskKV", "other", 2, 8, 0),
            ("odd \"name", "odd \"name", 1, 3, 0),
        ]
    );
    assert_eq!(counted.kinds[0].name, "bubbleId", "the largest comes first");
    assert_eq!((counted.rows(), counted.orphaned(), counted.free_bytes), (11, 1, 0));
    db.execute_batch("DELETE FROM cursorDiskKV WHERE key = 'bubbleId:1a:x'").unwrap();
    assert!(contents(&file).unwrap().free_bytes > 90_000);
}

#[test]
fn more_rows_than_are_counted_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.vscdb");
    let db = writer(&file);
    db.execute_batch(
        "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
         WITH RECURSIVE n(i) AS (SELECT -3 UNION ALL SELECT i + 1 FROM n WHERE i < 100002)
         INSERT INTO cursorDiskKV (rowid, key, value) SELECT i, 'bubbleId:1a:' || i, 'v' FROM n;
         DELETE FROM cursorDiskKV WHERE rowid % 50000 = 7",
    )
    .unwrap();
    let expected: i64 = db.query_row("SELECT count(*) FROM cursorDiskKV", [], |row| row.get(0)).unwrap();
    drop(db);
    assert_eq!(contents(&file).unwrap().rows(), expected.unsigned_abs());
}

#[test]
fn lines_of_a_transcript() {
    let folder = tempfile::tempdir().unwrap();
    for (text, rows) in [("", 0), ("{}\n", 1), ("{}\n{}", 2), ("\n\n", 2)] {
        let file = folder.path().join("a.jsonl");
        std::fs::write(&file, text).unwrap();
        let bytes = u64::try_from(text.len()).unwrap();
        assert_eq!(by_kind(&contents(&file).unwrap()), [("", "lines", rows, bytes, 0)], "{text:?}");
    }
    std::fs::write(folder.path().join("state.vscdb"), "no database").unwrap();
    assert!(contents(&folder.path().join("state.vscdb")).is_err());
    assert!(contents(folder.path()).is_err());
}

#[test]
fn counted_again_only_when_somebody_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let db = writer(&file);
    db.execute_batch(
        "CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); INSERT INTO blobs VALUES ('a', x'00')",
    )
    .unwrap();
    let kept = ContentsKept::default();
    let first = kept.get(&file).unwrap();
    assert!(std::sync::Arc::ptr_eq(&first, &kept.get(&file).unwrap()));
    db.execute_batch("INSERT INTO blobs VALUES ('b', x'00')").unwrap();
    assert_eq!(kept.get(&file).unwrap().rows(), first.rows() + 1);
}

#[test]
fn every_row_of_real_stores_is_counted_and_no_file_changes() {
    let mut counted = 0;
    let mut homes: Vec<_> = recorded().unwrap().iter().map(|one| one.copy_to_temp().unwrap()).collect();
    let demo = tempfile::tempdir().unwrap();
    demo_home(demo.path()).unwrap();
    homes.push(demo);
    for home in &homes {
        let before = snapshot_of(home.path()).unwrap();
        for name in before.keys() {
            let file = home.path().join(name);
            let is_database =
                ["vscdb", "db"].iter().any(|ending| file.extension().is_some_and(|found| found == *ending));
            if let Some(contents) = is_database.then(|| contents(&file).ok()).flatten() {
                counted += contents.rows();
            }
        }
        assert_eq!(snapshot_of(home.path()).unwrap(), before);
    }
    assert!(counted > 1_000, "{counted}");
}
