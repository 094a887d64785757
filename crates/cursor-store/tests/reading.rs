//! Reading a database the way sources do, and asserting that its folder stays as it was.

use std::path::Path;

use backscroll_cursor_store::{KeyRange, ReadError, ReadOnlyDb, Way};
use backscroll_fixtures::snapshot_of;

/// All rows of `ItemTable` as `key=value`, in order of key, and how the database was opened.
pub(crate) fn items(database: &Path) -> Result<(Way, Vec<String>), ReadError> {
    rows_of(database, "ItemTable")
}

/// All rows of a table as `key=value`, in order of key, and how the database was opened.
pub(crate) fn rows_of(database: &Path, table: &'static str) -> Result<(Way, Vec<String>), ReadError> {
    ReadOnlyDb::ask(database, |db| {
        let mut rows = Vec::new();
        if let Some(table) = db.table(table)? {
            table.each(&KeyRange::under(""), &mut |row| {
                let value = row.value.map_or("NULL".into(), String::from_utf8_lossy);
                rows.push(format!("{}={value}", String::from_utf8_lossy(row.key)));
            })?;
        }
        Ok((db.way(), rows))
    })
}

/// Reads, and asserts that no name, byte or time in the database's folder is another afterwards.
pub(crate) fn unnoticed<T>(database: &Path, read: impl FnOnce(&Path) -> T) -> T {
    let folder = database.parent().unwrap();
    let before = snapshot_of(folder).unwrap();
    let answer = read(database);
    assert_eq!(snapshot_of(folder).unwrap(), before, "reading changes nothing and leaves nothing");
    answer
}

/// Asserts that the database holds just these rows of `ItemTable`, that it was opened this way, and that nobody
/// notices.
pub(crate) fn assert_items(database: &Path, way: Way, expected: &[&str]) {
    let (opened, rows) = unnoticed(database, |database| items(database).unwrap());
    assert_eq!((opened, rows), (way, expected.iter().map(|row| (*row).to_owned()).collect()));
}
