//! The door, before databases that nobody has open: every way in which Cursor, a crash or a copy leaves the files.

use std::fs;
use std::path::{Path, PathBuf};

use backscroll_cursor_store::Way;
use backscroll_fixtures::{Journal, StateDatabase, create_database, recorded_named};

use crate::reading::{assert_items, items, unnoticed};

/// A folder of its own with a database in which the later rows stand as `journal` says.
fn database(journal: Journal) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.vscdb");
    let rows = StateDatabase::new().item("changed", "old").item("gone", "old").item("kept", "old");
    let later = rows.journal(journal).item("changed", "new").delete_item("gone").item("later", "new");
    later.write_to(&path).unwrap();
    (folder, path)
}

fn companion(path: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}{ending}", path.display()))
}

const NEWEST: [&str; 3] = ["changed=new", "kept=old", "later=new"];

#[test]
fn a_closed_database_without_log() {
    let (_folder, path) = database(Journal::Rollback);
    assert_items(&path, Way::Immutable, &NEWEST);
}

#[test]
fn a_cleanly_closed_log() {
    let (_folder, path) = database(Journal::WalClosed);
    assert_items(&path, Way::Immutable, &NEWEST);
}

#[test]
fn a_crash_leaves_log_and_shared_memory() {
    let (_folder, path) = database(Journal::WalCrashed);
    assert_items(&path, Way::Shared, &NEWEST);
}

#[test]
fn a_copy_tool_leaves_the_log_without_shared_memory() {
    let (_folder, path) = database(Journal::WalWithoutShm);
    assert_items(&path, Way::PrivateIndex, &NEWEST);
}

#[test]
fn the_log_holds_all_tables() {
    let (_folder, path) = database(Journal::WalHoldsEverything);
    assert_items(&path, Way::Shared, &NEWEST);
    fs::remove_file(companion(&path, "-shm")).unwrap();
    assert_items(&path, Way::PrivateIndex, &NEWEST);
}

#[test]
fn the_log_is_lost_and_shared_memory_is_left() {
    let (_folder, path) = database(Journal::WalCrashed);
    fs::remove_file(companion(&path, "-wal")).unwrap();
    assert_items(&path, Way::Immutable, &["changed=old", "gone=old", "kept=old"]);
}

#[test]
fn log_and_shared_memory_are_lost() {
    let (_folder, path) = database(Journal::WalWithoutShm);
    fs::remove_file(companion(&path, "-wal")).unwrap();
    assert_items(&path, Way::Immutable, &["changed=old", "gone=old", "kept=old"]);
}

#[test]
fn an_empty_log_says_nothing() {
    let (_folder, path) = database(Journal::WalClosed);
    fs::write(companion(&path, "-wal"), "").unwrap();
    assert_items(&path, Way::Immutable, &NEWEST);
    fs::write(companion(&path, "-shm"), "").unwrap();
    assert_items(&path, Way::Immutable, &NEWEST);
}

#[test]
fn a_log_that_was_cut_off_tells_its_whole_transactions() {
    let (_folder, path) = database(Journal::WalWithoutShm);
    let log = fs::read(companion(&path, "-wal")).unwrap();
    fs::write(companion(&path, "-wal"), &log[..log.len() - 100]).unwrap();
    assert_items(&path, Way::PrivateIndex, &["changed=old", "gone=old", "kept=old"]);
}

#[test]
fn a_log_with_a_damaged_header_still_has_its_frames() {
    for bit in [0, 3 * 8, 9 * 8 + 4, 17 * 8, 25 * 8] {
        for journal in [Journal::WalWithoutShm, Journal::WalCrashed] {
            let (_folder, path) = database(journal);
            let mut log = fs::read(companion(&path, "-wal")).unwrap();
            log[bit / 8] ^= 1 << (bit % 8);
            fs::write(companion(&path, "-wal"), &log).unwrap();
            assert_items(&path, Way::Salvaged, &NEWEST);
        }
    }
}

/// Beside shared memory SQLite would wait ten seconds for a header that it can read.
#[test]
fn a_log_that_begins_with_garbage_is_not_waited_for() {
    let (_folder, path) = database(Journal::WalCrashed);
    let mut log = fs::read(companion(&path, "-wal")).unwrap();
    log[..100].fill(0x5a);
    fs::write(companion(&path, "-wal"), &log).unwrap();
    let way = backscroll_cursor_store::ReadOnlyDb::ask(&path, |db| Ok(db.way())).unwrap();
    assert_eq!(way, Way::Salvaged);
}

#[test]
fn a_log_that_is_a_folder_is_none() {
    let (_folder, path) = database(Journal::WalWithoutShm);
    fs::remove_file(companion(&path, "-wal")).unwrap();
    fs::create_dir(companion(&path, "-wal")).unwrap();
    assert_items(&path, Way::Immutable, &["changed=old", "gone=old", "kept=old"]);
}

#[test]
fn what_is_no_log_is_not_believed() {
    let (_folder, path) = database(Journal::WalWithoutShm);
    fs::write(companion(&path, "-wal"), "this is no log at all").unwrap();
    assert_items(&path, Way::PrivateIndex, &["changed=old", "gone=old", "kept=old"]);
}

#[test]
fn a_hot_journal_is_rolled_back_in_a_copy() {
    let (_folder, path) = database(Journal::HotRollback);
    assert_items(&path, Way::RolledBackCopy, &["changed=old", "gone=old", "kept=old"]);
}

#[test]
fn a_finished_journal_may_stay() {
    for (mode, length) in [("PERSIST", 1), ("TRUNCATE", 0)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.vscdb");
        let writer = create_database(&path).unwrap();
        let create = "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)";
        let insert = "INSERT INTO ItemTable VALUES ('a', 'b')";
        writer.execute_batch(&format!("PRAGMA journal_mode = {mode}; {create}; {insert}; {insert}")).unwrap();
        writer.close().unwrap();
        let left = fs::metadata(companion(&path, "-journal")).unwrap().len();
        assert_eq!(left.min(1), length, "{mode}");
        assert_items(&path, Way::Immutable, &["a=b"]);
    }
}

#[test]
fn logs_of_real_workspaces_change_and_delete_rows() {
    let recorded = recorded_named("profile-agentkv-wal-workspaces").unwrap();
    let home = recorded.copy_to_temp().unwrap();
    let storage = home.path().join(recorded.user_dir().unwrap()).join("workspaceStorage");
    let logs = recorded.expected["workspace_wal"].as_array().unwrap();
    assert_eq!(logs.len(), 2);
    for expected in logs {
        let count = |key: &str| usize::try_from(expected[key].as_integer().unwrap()).unwrap();
        let path = storage.join(expected["workspace"].as_str().unwrap()).join("state.vscdb");
        let (_, with_log) = unnoticed(&path, |path| items(path).unwrap());
        assert_eq!(with_log.len(), count("rows_with_wal"));
        for ending in ["-wal", "-shm"] {
            fs::remove_file(companion(&path, ending)).unwrap();
        }
        let (way, alone) = unnoticed(&path, |path| items(path).unwrap());
        assert_eq!((way, alone.len()), (Way::Immutable, count("rows_main_file_alone")));
        let key = |row: &String| row.split('=').next().unwrap().to_owned();
        let keys: Vec<String> = with_log.iter().map(key).collect();
        let deleted = alone.iter().filter(|row| !keys.contains(&key(row))).count();
        assert_eq!(deleted, count("rows_deleted_by_wal"));
        let changed = alone.iter().filter(|row| keys.contains(&key(row)) && !with_log.contains(row)).count();
        assert_eq!(changed, count("rows_changed_by_wal"));
    }
}

#[test]
fn every_recorded_database_is_read_unnoticed() {
    for recorded in backscroll_fixtures::recorded().unwrap() {
        let home = recorded.copy_to_temp().unwrap();
        let names = backscroll_fixtures::snapshot_of(home.path()).unwrap();
        for name in names.keys().filter(|name| name.extension().is_some_and(|ending| ending == "vscdb")) {
            unnoticed(&home.path().join(name), |path| items(path).unwrap());
        }
    }
}

#[test]
fn a_link_has_its_companions_beside_what_it_names() {
    let (folder, path) = database(Journal::WalCrashed);
    let elsewhere = tempfile::tempdir_in(folder.path()).unwrap();
    let link = elsewhere.path().join("state.vscdb");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&path, &link).unwrap();
    #[cfg(windows)]
    std::os::windows::fs::symlink_file(&path, &link).unwrap();
    assert_items(&link, Way::Shared, &NEWEST);
}
