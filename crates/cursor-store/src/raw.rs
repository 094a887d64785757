//! The stored value behind an origin, as people can read it: JSON and text as they are, protobuf as numbered fields.

use std::fs::File;
use std::io::{BufRead, BufReader};

use backscroll_cursor_format::agent::numbered_fields;
use backscroll_cursor_format::ide::keys;
use backscroll_model::{Layer, Origin};
use rusqlite::OptionalExtension as _;

use crate::contents::is_database;
use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::table::bytes;

/// The value stored at `origin`; `None` if nothing there has a value of its own.
pub fn raw_value(origin: &Origin) -> Result<Option<String>, ReadError> {
    let value = if is_database(&origin.file) {
        ReadOnlyDb::ask(&origin.file, |db| in_database(db, origin))?
    } else {
        let error = |because: std::io::Error| ReadError::Other {
            path: origin.file.to_path_buf(),
            because: because.into(),
        };
        line(origin).map_err(error)?
    };
    Ok(value.map(|bytes| readable(&bytes)))
}

/// What stands behind a `#` or `/` in a key is a part of the value.
fn in_database(db: &ReadOnlyDb, origin: &Origin) -> Result<Option<Vec<u8>>, ReadError> {
    let whole = origin.key.as_str();
    let key = whole.split('#').next().unwrap_or(whole);
    if let Some(id) = key.strip_prefix("composerHeaders:").filter(|_| origin.layer == Layer::IdeHeaders) {
        if !db.columns("composerHeaders")?.contains("value") {
            return Ok(None);
        }
        return one(db, "SELECT value FROM composerHeaders WHERE composerId = ?1", id);
    }
    for table in ["cursorDiskKV", "ItemTable"] {
        if let Some(table) = db.table(table)?
            && let Some(value) = table.get(key)?
        {
            return Ok(Some(value));
        }
    }
    let columns = db.columns("blobs")?;
    if columns.contains("id") && columns.contains("data") {
        let id = key.strip_prefix(keys::BLOBS).unwrap_or(key);
        return one(db, "SELECT data FROM blobs WHERE id = ?1", id);
    }
    Ok(None)
}

fn one(db: &ReadOnlyDb, statement: &str, key: &str) -> Result<Option<Vec<u8>>, ReadError> {
    let read =
        db.connection().query_row(statement, [key], |row| Ok(bytes(row.get_ref(0)?).map(<[u8]>::to_vec)));
    Ok(read.optional().map_err(|because| db.error(because))?.flatten())
}

/// A line of a transcript, whose key is its number.
fn line(origin: &Origin) -> std::io::Result<Option<Vec<u8>>> {
    let digits: String = origin.key.chars().filter(char::is_ascii_digit).collect();
    let Some(number) = digits.parse::<usize>().ok().and_then(|number| number.checked_sub(1)) else {
        return Ok(None);
    };
    BufReader::new(File::open(&origin.file)?).split(b'\n').nth(number).transpose()
}

fn readable(value: &[u8]) -> String {
    match std::str::from_utf8(value) {
        Ok(text) if !text.contains(|c: char| c.is_control() && !c.is_whitespace()) => text.to_owned(),
        _ => numbered_fields(value).unwrap_or_else(|| String::from_utf8_lossy(value).into_owned()),
    }
}
