//! What a store holds beyond everything that we know: looked for on demand, because it reads every row.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;

use backscroll_cursor_format::agent::{self, GraphLocation};
use backscroll_cursor_format::drift::DriftLog;
use backscroll_cursor_format::ide::keys;
use backscroll_cursor_format::known::{self, ObjectKind};
use backscroll_cursor_format::sdk::EventRow;
use backscroll_cursor_format::{BlobId, Blobs};
use backscroll_model::{Drift, DriftKind, Layer, Origin};

use crate::blob_table::BlobTable;
use crate::contents::is_database;
use crate::named_columns;
use crate::plain_file;
use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::sdk_checkpoints;
use crate::table::KeyRange;
use crate::transcripts::LONGEST;

/// What the store at `file` holds that is not known.
pub fn drift(file: &Path, layer: Layer) -> Result<Vec<Drift>, ReadError> {
    let has_ending =
        |wanted| file.extension().is_some_and(|ending: &OsStr| ending.eq_ignore_ascii_case(wanted));
    let log = if is_database(file) {
        ReadOnlyDb::ask(file, |db| database(db, file, layer))?
    } else if has_ending("ndjson") {
        lines(file.parent().unwrap_or(Path::new("")))?
    } else if has_ending("jsonl") {
        transcript(file).map_err(|because| ReadError::other(file, because))?
    } else {
        DriftLog::default()
    };
    Ok(log.each(file, layer).collect())
}

fn database(db: &ReadOnlyDb, file: &Path, layer: Layer) -> Result<DriftLog, ReadError> {
    let mut log = DriftLog::default();
    tables(db, &mut log)?;
    let root = Origin::new(layer, file, "");
    if let Some(table) = db.table("cursorDiskKV")? {
        let place = GraphLocation { blobs: &table, root: root.clone(), prefix: keys::BLOBS };
        table.each(&everything(), &mut |row| log.row(row.key, row.value, &place))?;
    }
    if let Some(items) = db.table("ItemTable")? {
        items.each(&everything(), &mut |row| log.item_key(&String::from_utf8_lossy(row.key)))?;
        for key in [keys::HEADERS, keys::WORKSPACE_COMPOSERS] {
            if let Some(list) = items.get(key)? {
                log.head_list(&list, key);
            }
        }
        if let Some(tabs) = items.get(keys::CHAT_TABS)? {
            log.chat_tabs(&tabs, keys::CHAT_TABS);
        }
    }
    named_columns::each(db, "composerHeaders", None, &["composerId", "value"], &mut |row| {
        let key = format!("composerHeaders:{}", row.text(&["composerId"])?);
        log.head(row.text(&["value"])?.as_bytes(), &key);
        Some(())
    })?;
    named_columns::each(db, "run_events", None, &["run_id", "seq", "payload_json"], &mut |row| {
        let key = format!("{}:{}", row.text(&["run_id"])?, row.text(&["seq"])?);
        log.event(&row.text(&["payload_json"])?, &key);
        Some(())
    })?;
    blobs(db, &root, &mut log)?;
    Ok(log)
}

/// Every key.
fn everything() -> KeyRange {
    KeyRange { from: Vec::new(), before: vec![u8::MAX; 8] }
}

/// Tables and columns. What a full-text index keeps for itself is the engine's.
fn tables(db: &ReadOnlyDb, log: &mut DriftLog) -> Result<(), ReadError> {
    let names =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
           AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'conversation\\_fts%' ESCAPE '\\'";
    for table in db.list(names, [], |row| row.get::<_, String>(0))? {
        let Some(known) = known::columns(&table) else {
            log.note(DriftKind::Table, &table, "database", &table);
            continue;
        };
        let known: Vec<&str> = known.collect();
        let mut columns: Vec<String> = db.columns(&table)?.into_iter().collect();
        columns.sort();
        for column in columns.iter().filter(|one| !known.iter().any(|name| name.eq_ignore_ascii_case(one))) {
            log.note(DriftKind::Column, column, known::table_name(&table), &format!("{table}.{column}"));
        }
    }
    Ok(())
}

/// The blobs of a `store.db`: JSON messages, and the graph below the latest root. The stores of SDK agents do not name it.
fn blobs(db: &ReadOnlyDb, root: &Origin, log: &mut DriftLog) -> Result<(), ReadError> {
    let Some(table) = BlobTable::find_in(db)? else { return Ok(()) };
    table.each(usize::MAX, &mut |row| {
        log.message_blob(row.data.unwrap_or_default(), &String::from_utf8_lossy(row.id));
        true
    })?;
    let meta = BlobTable::meta(db)?.and_then(|meta| agent::store_meta(&meta, root).value);
    let named = meta.and_then(|meta| meta.root_id);
    let Some(id) = named.map_or_else(|| table.likeliest_root(), |id| Ok(Some(id)))? else { return Ok(()) };
    let bytes = BlobId::spelled(id.as_bytes()).and_then(|id| table.blob(&id).ok().flatten());
    if let Some(bytes) = bytes {
        let place = GraphLocation { blobs: &table, root: root.clone(), prefix: "" };
        log.graph(&bytes, &id, &place);
    }
    Ok(())
}

/// The types of a transcript's records that are no messages.
fn transcript(file: &Path) -> std::io::Result<DriftLog> {
    let mut log = DriftLog::default();
    for (number, line) in plain_file::lines(file, LONGEST)?.enumerate() {
        log.transcript_record(&line?, &format!("line {}", number + 1));
    }
    Ok(log)
}

/// An SDK store of JSON lines: its agents, runs, events and the blobs of its agents.
fn lines(folder: &Path) -> Result<DriftLog, ReadError> {
    let mut log = DriftLog::default();
    for (place, name) in LINES {
        let file = folder.join(name);
        let error = |because| ReadError::other(&file, because);
        let lines = match plain_file::lines(&file, LONGEST) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            opened => opened.map_err(error)?,
        };
        for (number, line) in (1..).zip(lines) {
            let line = line.map_err(error)?;
            log.json_object(place, &line, &format!("{name} line {number}"));
            let row = EventRow::from_line(&String::from_utf8_lossy(&line));
            if let Some(EventRow { run_id, seq, payload_json: Some(payload), .. }) = row {
                log.event(&payload, &format!("{run_id}:{seq}"));
            }
        }
    }
    sdk_checkpoints::drift(folder, &mut log)?;
    Ok(log)
}

/// The files of such a store, with what each line of them is.
const LINES: [(ObjectKind, &str); 4] = [
    (ObjectKind::AgentLine, "agents.ndjson"),
    (ObjectKind::RunLine, "runs.ndjson"),
    (ObjectKind::EventLine, "run_events.ndjson"),
    (ObjectKind::CheckpointLine, "checkpoints.ndjson"),
];
