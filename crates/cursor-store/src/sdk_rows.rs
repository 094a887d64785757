//! The rows of an SDK store: `index.db`, or the same as JSON lines. Columns are read by name; any may be missing.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use backscroll_cursor_format::sdk::{AgentRow, EventRow, RunRow};
use backscroll_model::{Finding, FindingKind, Layer, Origin};
use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::connections::Connections;
use crate::read_only_db::{ReadError, ReadOnlyDb};

/// Agents and their runs; events only where one agent was asked for.
#[derive(Debug, Default)]
pub(crate) struct SdkRows {
    pub(crate) agents: Vec<AgentRow>,
    pub(crate) runs: Vec<RunRow>,
    pub(crate) events: Vec<EventRow>,
    pub(crate) findings: Vec<Finding>,
}

/// The file of a store that holds its agents, and whether it is a database.
pub(crate) fn index_of(folder: &Path) -> Option<(PathBuf, bool)> {
    let database = folder.join("index.db");
    let lines = folder.join("agents.ndjson");
    if database.is_file() {
        return Some((database, true));
    }
    lines.is_file().then_some((lines, false))
}

/// All agents and runs of the store in `folder`.
pub(crate) fn listed(folder: &Path) -> Result<SdkRows, ReadError> {
    match index_of(folder) {
        Some((file, true)) => Connections::to(&file).ask(|db| rows(db, None)),
        Some((_, false)) => lines(folder, None),
        None => Ok(SdkRows::default()),
    }
}

/// One agent with its runs and their events.
pub(crate) fn of_agent(folder: &Path, id: &str) -> Result<SdkRows, ReadError> {
    match index_of(folder) {
        Some((file, true)) => Connections::to(&file).ask(|db| rows(db, Some(id))),
        Some((_, false)) => lines(folder, Some(id)),
        None => Ok(SdkRows::default()),
    }
}

/// The folders that the agents of a store name.
pub(crate) fn workspaces(folder: &Path) -> Vec<String> {
    let agents = listed(folder).map(|rows| rows.agents).unwrap_or_default();
    agents.into_iter().filter_map(|agent| agent.workspace_ref).collect()
}

fn rows(db: &ReadOnlyDb, agent: Option<&str>) -> Result<SdkRows, ReadError> {
    let mut found = SdkRows::default();
    let own = agent.map(|id| ("agent_id", id));
    each(db, "agents", own, &mut |row| {
        found.agents.push(AgentRow {
            agent_id: row.text(&["agent_id"])?,
            workspace_ref: row.text(&["workspace_ref"]),
            status: row.text(&["status"]),
            name: row.text(&["name"]),
            latest_checkpoint_ref_json: row.text(&["latest_checkpoint_ref_json"]),
            created_at: row.text(&["created_at"]),
            updated_at: row.text(&["updated_at"]),
        });
        Some(())
    })?;
    each(db, "runs", own, &mut |row| {
        found.runs.push(RunRow {
            run_id: row.text(&["run_id"])?,
            agent_id: row.text(&["agent_id"])?,
            request_id: row.text(&["request_id"]),
            turn_number: row.number("turn_number"),
            status: row.text(&["status"]),
            model: row.text(&["model"]),
            usage_json: row.text(&["usage_json"]),
            result: row.text(&["result"]),
            error: row.text(&["error", "error_code"]),
            created_at: row.text(&["created_at"]),
            started_at: row.text(&["started_at"]),
            finished_at: row.text(&["finished_at", "cancelled_at", "expired_at"]),
        });
        Some(())
    })?;
    if agent.is_some() {
        let runs: Vec<String> = found.runs.iter().map(|run| run.run_id.clone()).collect();
        for run in runs {
            each(db, "run_events", Some(("run_id", &run)), &mut |row| {
                found.events.push(EventRow {
                    run_id: row.text(&["run_id"])?,
                    seq: row.number("seq").or_else(|| row.number("offset")).unwrap_or_default(),
                    event_type: row.text(&["event_type"]),
                    payload_json: row.text(&["payload_json"]),
                    payload_ref: row.text(&["payload_ref"]),
                    created_at: row.text(&["created_at"]),
                });
                Some(())
            })?;
        }
    }
    Ok(found)
}

/// A row whose columns may be missing.
struct Columns<'a> {
    row: &'a Row<'a>,
    names: &'a HashSet<String>,
}

impl Columns<'_> {
    /// The first of these columns that has a value, as text.
    fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().filter(|name| self.names.contains(**name)).find_map(|name| {
            match self.row.get_ref(*name).ok()? {
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                    Some(String::from_utf8_lossy(bytes).into_owned())
                }
                ValueRef::Integer(number) => Some(number.to_string()),
                ValueRef::Real(number) => Some(number.to_string()),
                ValueRef::Null => None,
            }
        })
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.text(&[name])?.parse().ok()
    }
}

/// Every row of `table`, or those that have this value in this column. A table that is not there has none.
fn each(
    db: &ReadOnlyDb,
    table: &str,
    only: Option<(&str, &str)>,
    take: &mut dyn FnMut(&Columns<'_>) -> Option<()>,
) -> Result<(), ReadError> {
    let names = db.columns(table)?;
    if names.is_empty() || only.is_some_and(|(column, _)| !names.contains(column)) {
        return Ok(());
    }
    let condition = only.map(|(column, _)| format!(" WHERE {column} = ?1")).unwrap_or_default();
    let mut read = || -> rusqlite::Result<()> {
        let mut statement = db.connection().prepare(&format!("SELECT * FROM {table}{condition}"))?;
        let mut rows = statement.query(rusqlite::params_from_iter(only.map(|(_, value)| value)))?;
        while let Some(row) = rows.next()? {
            // A row without its own id belongs to nothing that could be told.
            let _ = take(&Columns { row, names: &names });
        }
        Ok(())
    };
    read().map_err(|because| db.error(because))
}

/// The same rows out of `agents.ndjson`, `runs.ndjson` and `run_events.ndjson`.
fn lines(folder: &Path, agent: Option<&str>) -> Result<SdkRows, ReadError> {
    let mut found = SdkRows::default();
    found.agents = read_lines(folder, "agents.ndjson", &AgentRow::from_line, &mut found.findings)?;
    found.runs = read_lines(folder, "runs.ndjson", &RunRow::from_line, &mut found.findings)?;
    // Appended again when it changes: the last line of an id counts.
    keep_last(&mut found.agents, |row| row.agent_id.clone());
    keep_last(&mut found.runs, |row| row.run_id.clone());
    let Some(id) = agent else { return Ok(found) };
    found.agents.retain(|row| row.agent_id == id);
    found.runs.retain(|row| row.agent_id == id);
    let own: HashSet<&str> = found.runs.iter().map(|run| run.run_id.as_str()).collect();
    let mut events = read_lines(folder, "run_events.ndjson", &EventRow::from_line, &mut found.findings)?;
    events.retain(|event| own.contains(event.run_id.as_str()));
    found.events = events;
    Ok(found)
}

fn keep_last<T>(rows: &mut Vec<T>, id: impl Fn(&T) -> String) {
    let mut seen = HashSet::new();
    rows.reverse();
    rows.retain(|row| seen.insert(id(row)));
    rows.reverse();
}

fn read_lines<T>(
    folder: &Path,
    name: &str,
    read: &dyn Fn(&str) -> Option<T>,
    findings: &mut Vec<Finding>,
) -> Result<Vec<T>, ReadError> {
    let path = folder.join(name);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(because) => return Err(ReadError::Other { path, because: because.into() }),
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        if let Some(row) = read(line) {
            rows.push(row);
            continue;
        }
        let is_last = text.lines().count() == number + 1 && !text.ends_with('\n');
        let kind = if is_last { FindingKind::Incomplete } else { FindingKind::Undecodable };
        let at = Origin::new(Layer::SdkIndex, path.as_path(), format!("line {}", number + 1));
        findings.push(Finding::new(kind, at, "the line is no record that we know"));
    }
    Ok(rows)
}
