//! The stored value behind an origin, as people can read it: JSON and text as they are, protobuf as numbered fields.

use std::path::Path;

use backscroll_cursor_format::agent::numbered_fields;
use backscroll_cursor_format::ide::keys;
use backscroll_cursor_format::sdk::{AgentRow, CheckpointRow, EventRow, Run};
use backscroll_model::{Layer, Origin};
use rusqlite::types::ValueRef;

use crate::blob_table::{BlobTable, one_value};
use crate::contents::is_database;
use crate::plain_file;
use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::transcripts::LONGEST;

/// The value stored at `origin`; `None` if nothing there has a value of its own.
pub fn raw_value(origin: &Origin) -> Result<Option<String>, ReadError> {
    let value = if is_database(&origin.file) {
        ReadOnlyDb::ask(&origin.file, |db| in_database(db, origin))?
    } else {
        let found = if has_name(&origin.file, &["agents.ndjson", "checkpoints.ndjson"]) {
            line_of_row(origin)
        } else {
            line(origin)
        };
        found.map_err(|because| ReadError::other(&origin.file, because))?
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
        return one_value(db, "SELECT value FROM composerHeaders WHERE composerId = ?1", id);
    }
    for table in ["cursorDiskKV", "ItemTable"] {
        if let Some(table) = db.table(table)?
            && let Some(value) = table.get(key)?
        {
            return Ok(Some(value));
        }
    }
    if let Some((table, conditions)) = sdk_row(key).filter(|_| origin.layer == Layer::SdkIndex) {
        return row(db, table, &conditions);
    }
    let Some(blobs) = BlobTable::find_in(db)? else { return Ok(None) };
    blobs.named(key.strip_prefix(keys::BLOBS).unwrap_or(key))
}

/// The table of the SDK's index that a key names, and what its row has: `agents/ID`, `runs/ID`, `run_events/RUN/SEQ`.
fn sdk_row(key: &str) -> Option<(&'static str, Vec<(&'static str, &str)>)> {
    let (table, id) = key.split_once('/')?;
    Some(match table {
        "agents" => ("agents", vec![("agent_id", id)]),
        "runs" => ("runs", vec![("run_id", id)]),
        "run_events" => {
            let (run, seq) = id.rsplit_once('/')?;
            ("run_events", vec![("run_id", run), ("seq", seq)])
        }
        _ => return None,
    })
}

/// A row as a JSON object, its columns by name.
fn row(db: &ReadOnlyDb, table: &str, conditions: &[(&str, &str)]) -> Result<Option<Vec<u8>>, ReadError> {
    let columns = db.columns(table)?;
    if !conditions.iter().all(|(column, _)| columns.contains(*column)) {
        return Ok(None);
    }
    let conditions_text: Vec<String> = conditions.iter().map(|(column, _)| format!("{column} = ?")).collect();
    let question = format!("SELECT * FROM {table} WHERE {}", conditions_text.join(" AND "));
    let values = rusqlite::params_from_iter(conditions.iter().map(|(_, value)| *value));
    db.first(&question, values, |row| {
        let names = row.as_ref().column_names().map(str::to_owned).enumerate();
        let object = names.map(|(at, name)| Ok((name, json_of(row.get_ref(at)?))));
        let object = object.collect::<rusqlite::Result<serde_json::Map<_, _>>>()?;
        Ok(serde_json::Value::Object(object).to_string().into_bytes())
    })
}

fn json_of(value: ValueRef<'_>) -> serde_json::Value {
    match value {
        ValueRef::Null => serde_json::Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into(),
    }
}

/// A line of a transcript, whose key is its number.
fn line(origin: &Origin) -> std::io::Result<Option<Vec<u8>>> {
    let digits: String = origin.key.chars().filter(char::is_ascii_digit).collect();
    let Some(number) = digits.parse::<usize>().ok().and_then(|number| number.checked_sub(1)) else {
        return Ok(None);
    };
    plain_file::lines(&origin.file, LONGEST)?.nth(number).transpose()
}

fn has_name(file: &Path, names: &[&str]) -> bool {
    file.file_name().is_some_and(|own| names.iter().any(|name| own == *name))
}

/// The last line of an SDK store of JSON lines that has the row which the key names; of a checkpoint, the blob in it.
fn line_of_row(origin: &Origin) -> std::io::Result<Option<Vec<u8>>> {
    let row = sdk_row(&origin.key);
    let file = match &row {
        Some((table, _)) => origin.file.with_file_name(format!("{table}.ndjson")),
        None => origin.file.to_path_buf(),
    };
    let mut found = None;
    for line in plain_file::lines(&file, LONGEST)? {
        let line = line?;
        let text = String::from_utf8_lossy(&line);
        match &row {
            Some((table, conditions)) if is_of_row(&text, table, conditions) => found = Some(line),
            Some(_) => {}
            None => {
                let blob =
                    CheckpointRow::from_line(&text).filter(|blob| blob.blob_id.to_string() == origin.key);
                found = blob.map(|blob| blob.data).or(found);
            }
        }
    }
    Ok(found)
}

fn is_of_row(line: &str, table: &str, conditions: &[(&str, &str)]) -> bool {
    let names = match table {
        "agents" => AgentRow::from_line(line).map(|row| vec![row.agent_id]),
        "runs" => Run::from_line(line).map(|row| vec![row.run_id]),
        _ => EventRow::from_line(line).map(|row| vec![row.run_id, row.seq.to_string()]),
    };
    names.is_some_and(|names| names.iter().eq(conditions.iter().map(|(_, value)| value)))
}

fn readable(value: &[u8]) -> String {
    match std::str::from_utf8(value) {
        Ok(text) if !text.contains(|c: char| c.is_control() && !c.is_whitespace()) => text.to_owned(),
        _ => numbered_fields(value).unwrap_or_else(|| String::from_utf8_lossy(value).into_owned()),
    }
}
