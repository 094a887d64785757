//! The door, before files that are no database, odd paths, odd media, and schemas that mean harm.

use std::fs;
use std::path::Path;

use backscroll_cursor_store::{OpenError, ReadError, ReadOnlyDb, Way};
use backscroll_fixtures::{Journal, StateDatabase, create_database};

use crate::reading::{assert_items, items, rows_of, unnoticed};

fn error_of(path: &Path) -> ReadError {
    unnoticed(path, |path| items(path).unwrap_err())
}

#[test]
fn what_is_no_database_is_reported_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.vscdb");
    let encrypted: Vec<u8> =
        (0..8192_u32).map(|at| at.wrapping_mul(2_654_435_761).to_be_bytes()[1]).collect();
    for bytes in
        [b"hello".to_vec(), vec![0; 4096], vec![b'x'; 10_000], encrypted, b"SQLite format 3".to_vec()]
    {
        fs::write(&path, bytes).unwrap();
        let error = error_of(&path);
        assert!(matches!(error, ReadError::Open(OpenError::NotADatabase { .. })), "{error:?}");
    }
}

#[test]
fn an_empty_file_is_an_empty_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.vscdb");
    fs::write(&path, "").unwrap();
    assert_items(&path, Way::Immutable, &[]);
    fs::write(folder.path().join("state.vscdb-journal"), [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        .unwrap();
    let (_, rows) = unnoticed(&path, |path| items(path).unwrap());
    assert!(rows.is_empty());
}

#[test]
fn what_is_no_file_is_an_error_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.vscdb");
    assert!(matches!(error_of(&path), ReadError::Open(OpenError::Io { .. })), "absent");
    fs::create_dir(&path).unwrap();
    assert!(matches!(error_of(&path), ReadError::Open(OpenError::Io { .. })), "a folder");
}

/// Opening a pipe would wait forever for somebody to write into it.
#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.vscdb");
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    assert!(matches!(items(&path), Err(ReadError::Open(OpenError::Io { .. }))));
}

#[test]
fn a_truncated_database_gives_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.vscdb");
    let big = "x".repeat(2_000);
    let rows = (0..200).fold(StateDatabase::new(), |all, at| all.item(format!("key {at}"), big.as_str()));
    rows.write_to(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    for keep in [17, 99, 4096, 5000] {
        fs::write(&path, &whole[..keep]).unwrap();
        assert!(matches!(error_of(&path), ReadError::Open(_)), "{keep} bytes");
    }
    // Two rows fit on a page, and some pages hold none.
    for (keep, at_least) in [(whole.len() / 2, 80), (whole.len() - 4096, 190)] {
        fs::write(&path, &whole[..keep]).unwrap();
        let (way, rows) = unnoticed(&path, |path| items(path).unwrap());
        assert_eq!(way, Way::Salvaged, "{keep} bytes");
        assert!((at_least..200).contains(&rows.len()), "{keep} bytes gave {} rows", rows.len());
    }
}

#[test]
fn paths_with_signs_that_mean_something_in_a_uri() {
    for name in
        ["a b", "100%", "%41", "what?mode=rw", "x#y", "x&y=z", "ünïcödé 日本", "'quoted\"", "a+b;c", "-dash"]
    {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name).join("state 2.vscdb");
        let rows = StateDatabase::new().item("a", "1").journal(Journal::WalWithoutShm).item("b", "2");
        rows.write_to(&path).unwrap();
        assert_items(&path, Way::PrivateIndex, &["a=1", "b=2"]);
    }
}

#[cfg(unix)]
#[test]
fn paths_that_are_no_text_or_begin_with_two_slashes() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9")).join("state.vscdb");
    fs::create_dir(path.parent().unwrap()).unwrap();
    let plain = folder.path().join("plain");
    StateDatabase::new().item("a", "1").write_to(&plain).unwrap();
    fs::copy(&plain, &path).unwrap();
    assert_items(&path, Way::Immutable, &["a=1"]);
    let slashes = format!("/{}", plain.display());
    assert_items(Path::new(&slashes), Way::Immutable, &["a=1"]);
}

#[test]
fn pages_of_every_size() {
    for size in [512, 1024, 65_536] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.vscdb");
        let writer = create_database(&path).unwrap();
        let create = "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)";
        writer.execute_batch(&format!("PRAGMA page_size = {size}; {create}")).unwrap();
        writer.execute_batch("INSERT INTO ItemTable VALUES ('a', 'b')").unwrap();
        writer.close().unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len() % size, 0);
        assert_items(&path, Way::Immutable, &["a=b"]);
    }
}

/// A folder that cannot be written, with a log in it. Root may write anywhere, so only a read-only mount says it truly.
#[cfg(target_os = "linux")]
#[test]
fn a_read_only_medium() {
    let folder = tempfile::tempdir().unwrap();
    let mount = |arguments: &[&str]| {
        let run = std::process::Command::new("mount").args(arguments).arg(folder.path()).output();
        run.is_ok_and(|output| output.status.success())
    };
    let is_mounted = mount(&["-t", "tmpfs", "tmpfs"]);
    for journal in [
        Journal::Rollback,
        Journal::WalClosed,
        Journal::WalCrashed,
        Journal::WalWithoutShm,
        Journal::HotRollback,
    ] {
        let path = folder.path().join(format!("{journal:?}")).join("state.vscdb");
        StateDatabase::new().item("a", "1").journal(journal).item("b", "2").write_to(&path).unwrap();
    }
    let is_read_only = is_mounted && mount(&["-o", "remount,ro"]);
    if !is_read_only {
        use std::os::unix::fs::PermissionsExt;
        for entry in fs::read_dir(folder.path()).unwrap() {
            fs::set_permissions(entry.unwrap().path(), fs::Permissions::from_mode(0o555)).unwrap();
        }
    }
    let read = std::panic::catch_unwind(|| {
        for (journal, expected) in [
            ("Rollback", &["a=1", "b=2"][..]),
            ("WalClosed", &["a=1", "b=2"]),
            ("WalCrashed", &["a=1", "b=2"]),
            ("WalWithoutShm", &["a=1", "b=2"]),
            ("HotRollback", &["a=1"]),
        ] {
            let (_, rows) =
                unnoticed(&folder.path().join(journal).join("state.vscdb"), |path| items(path).unwrap());
            assert_eq!(rows, expected, "{journal}");
        }
    });
    if is_mounted {
        let unmounted = std::process::Command::new("umount").arg(folder.path()).status();
        assert!(unmounted.unwrap().success());
    }
    read.unwrap();
}

fn hostile(schema: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.vscdb");
    let writer = create_database(&path).unwrap();
    writer.execute_batch(schema).unwrap();
    writer.close().unwrap();
    (folder, path)
}

#[test]
fn a_view_is_not_run() {
    let (_folder, path) = hostile(
        "CREATE VIEW cursorDiskKV AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
           SELECT 'composerData:' || i AS key, '{}' AS value, i AS rowid FROM n;
         CREATE VIEW ItemTable AS SELECT key, value, rowid FROM cursorDiskKV;
         CREATE VIEW composerHeaders AS SELECT key AS composerId, value FROM cursorDiskKV",
    );
    assert_items(&path, Way::Immutable, &[]);
    let read = unnoticed(&path, |path| rows_of(path, "cursorDiskKV").unwrap());
    assert!(read.1.is_empty());
}

#[test]
fn tables_of_another_make_are_an_error_or_read() {
    let table = [
        ("CREATE TABLE cursorDiskKV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID", Some(1)),
        ("CREATE TABLE cursorDiskKV (key TEXT PRIMARY KEY, value TEXT)", Some(1)),
        ("CREATE TABLE cursorDiskKV (key TEXT, value TEXT)", Some(1)),
        ("CREATE TABLE CURSORDISKKV (KEY TEXT, VALUE TEXT, more TEXT DEFAULT 'x')", Some(0)),
    ];
    for (schema, expected) in table {
        let insert = "INSERT INTO cursorDiskKV (key, value) VALUES ('a', 'b')";
        let (_folder, path) = hostile(&format!("{schema}; {insert}"));
        let read = unnoticed(&path, |path| rows_of(path, "cursorDiskKV"));
        assert_eq!(read.ok().map(|(_, rows)| rows.len()), expected, "{schema}");
    }
}

#[test]
fn keys_that_are_no_text_do_not_stop_the_search_for_segments() {
    let (_folder, path) = hostile(
        "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
         INSERT INTO cursorDiskKV VALUES (CAST(x'627562626c6549643aff61623a31' AS TEXT), '1'),
           (CAST(x'627562626c6549643aff61623a32' AS TEXT), '2'), ('bubbleId:c:1', '3'), ('bubbleId:c:2', '4'),
           ('bubbleId:plain', '5'), ('bubbleId::nobody', '6'), ('bubbleId:a' || char(10) || 'b:1', '7'),
           (x'00ff', '8'), (NULL, '9'), ('bubbleId:' || char(1114111) || ':1', '10')",
    );
    let segments =
        ReadOnlyDb::ask(&path, |db| db.table("cursorDiskKV")?.unwrap().segments("bubbleId:")).unwrap();
    assert_eq!(segments, ["", "a\nb", "c", "plain", "\u{10FFFF}", "\u{FFFD}ab"]);
}
