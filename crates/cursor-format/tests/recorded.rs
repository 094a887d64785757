//! The recorded stores: where they lie, what is expected of them, and their tables, read from copies.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

pub(crate) fn recorded(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/recorded").join(name)
}

pub(crate) fn about(name: &str) -> toml::Table {
    let text = fs::read_to_string(recorded(name).join("about.toml")).expect("about.toml");
    text.parse().expect("about.toml is TOML")
}

/// Every file below `folder`.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut all: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect();
    all.sort();
    all
}

/// A copy of a recorded database, with its WAL if it has one.
fn open(database: &Path) -> (TempDir, Connection) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = folder.path().join("copy.db");
    fs::copy(database, &copy).expect("the recorded database");
    let beside = |end: &str| PathBuf::from(format!("{}{end}", database.display()));
    let has_wal = beside("-wal").exists();
    if has_wal {
        fs::copy(beside("-wal"), folder.path().join("copy.db-wal")).expect("the recorded WAL");
    }
    let uri = format!("file:{}?{}", copy.display(), if has_wal { "mode=rw" } else { "immutable=1" });
    let access = if has_wal { OpenFlags::SQLITE_OPEN_READ_WRITE } else { OpenFlags::SQLITE_OPEN_READ_ONLY };
    #[expect(clippy::disallowed_methods, reason = "a copy of a recorded store, in a test")]
    let connection =
        Connection::open_with_flags(uri, access | OpenFlags::SQLITE_OPEN_URI).expect("a database");
    (folder, connection)
}

/// Rows of a two-column query on a recorded database.
pub(crate) fn rows(database: &Path, sql: &str) -> Vec<(String, Option<Vec<u8>>)> {
    let (_folder, connection) = open(database);
    let mut statement = connection.prepare(sql).expect("the table");
    let rows = statement.query_map([], |row| {
        let value = match row.get_ref(1)? {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes.to_vec()),
            _ => None,
        };
        Ok((row.get(0)?, value))
    });
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

/// Whether a recorded database has this table.
pub(crate) fn has_table(database: &Path, table: &str) -> bool {
    rows(database, "SELECT name, NULL FROM sqlite_master WHERE type = 'table'")
        .iter()
        .any(|(name, _)| name == table)
}
