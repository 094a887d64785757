//! The rows of an SDK store: `index.db`, or the same as JSON lines. Columns are read by name; any may be missing.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_cursor_format::sdk::{AgentRow, EventRow, Run, time};
use backscroll_model::{Finding, FindingKind, Layer, Origin};

use crate::file_state::companion;
use crate::files::FileCache;
use crate::fingerprint;
use crate::named_columns::{each, known_columns};
use crate::plain_file;
use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::transcripts;

/// Agents and their runs; events only where one agent was asked for.
#[derive(Debug, Default)]
pub(crate) struct SdkRows {
    pub(crate) agents: Vec<AgentRow>,
    pub(crate) runs: Vec<Run>,
    pub(crate) events: Vec<EventRow>,
    pub(crate) findings: Vec<Finding>,
}

impl SdkRows {
    /// Adds the agents that only their runs tell of.
    fn add_unlisted(&mut self, file: &Path) {
        let mut known: HashSet<String> = self.agents.iter().map(|agent| agent.agent_id.clone()).collect();
        for run in &self.runs {
            if known.insert(run.agent_id.clone()) {
                let at = Origin::new(Layer::SdkIndex, file, format!("agents/{}", run.agent_id));
                let says = "only its runs tell of this agent: its own row is gone";
                self.findings.push(Finding::new(FindingKind::DanglingReference, at, says));
                self.agents.push(AgentRow { agent_id: run.agent_id.clone(), ..AgentRow::default() });
            }
        }
    }

    fn read_agents(&mut self, db: &ReadOnlyDb, own: Option<(&str, &str)>) -> Result<(), ReadError> {
        let nameless = each(db, "agents", own, &known_columns("agents"), &mut |row| {
            self.agents.push(AgentRow::from_columns(&|names| row.text(names))?);
            Some(())
        })?;
        self.tell_nameless(db.path(), "agents", nameless);
        Ok(())
    }

    fn tell_nameless(&mut self, file: &Path, table: &str, rows: u64) {
        if rows > 0 {
            let at = Origin::new(Layer::SdkIndex, file, table);
            let says = format!("{rows} rows have no id and belong to no agent");
            self.findings.push(Finding::new(FindingKind::NullRow, at, says));
        }
    }
}

/// The file of a store that holds its agents, and whether it is a database. A store is a folder, or an index of another name.
pub(crate) fn index_of(folder: &Path) -> Option<(PathBuf, bool)> {
    if folder.is_file() {
        return Some((folder.to_owned(), true));
    }
    let database = folder.join("index.db");
    let lines = folder.join("agents.ndjson");
    if database.is_file() {
        return Some((database, true));
    }
    lines.is_file().then_some((lines, false))
}

/// All agents and runs of the store in `folder`; or one agent with its runs and their events.
pub(crate) fn rows_in(folder: &Path, agent: Option<&str>) -> Result<SdkRows, ReadError> {
    match index_of(folder) {
        Some((file, true)) => ReadOnlyDb::ask(&file, |db| rows(db, agent)),
        Some((_, false)) => lines(folder, agent),
        None => Ok(SdkRows::default()),
    }
}

/// The agents of a store, without their runs. Agents that only runs name are missing.
fn named_agents(folder: &Path, own: Option<&str>) -> Result<Vec<AgentRow>, ReadError> {
    match index_of(folder) {
        Some((file, true)) => ReadOnlyDb::ask(&file, |db| {
            let mut found = SdkRows::default();
            found.read_agents(db, own.map(|id| ("agent_id", id)))?;
            Ok(found.agents)
        }),
        Some((_, false)) => {
            let mut agents = read_lines(folder, "agents.ndjson", &AgentRow::from_line, &mut Vec::new())?;
            keep_last(&mut agents, |row| row.agent_id.clone());
            agents.retain(|row| own.is_none_or(|id| row.agent_id == id));
            Ok(agents)
        }
        None => Ok(Vec::new()),
    }
}

/// The row of one agent.
pub(crate) fn agent(folder: &Path, id: &str) -> Result<Option<AgentRow>, ReadError> {
    Ok(named_agents(folder, Some(id))?.pop())
}

/// All agents of a store, those too that only runs or events name.
pub(crate) fn agents(folder: &Path) -> Result<Vec<AgentRow>, ReadError> {
    Ok(rows_in(folder, None)?.agents)
}

/// The agents of a store, each with the folder that it names.
pub(crate) fn named_workspaces(folder: &Path, files: &FileCache) -> Vec<(String, Option<String>)> {
    let Some((file, is_database)) = index_of(folder) else { return Vec::new() };
    // The newest agents may be in the log alone.
    let written = if is_database { companion(&file, "-wal") } else { file.clone() };
    let Ok(metadata) = fs::metadata(&written).or_else(|_| fs::metadata(&file)) else { return Vec::new() };
    let words = files.words_with(&file, "agents", &metadata, || {
        let agents = named_agents(folder, None).unwrap_or_default().into_iter();
        let named = agents.map(|agent| [agent.agent_id, agent.workspace_ref.unwrap_or_default()]);
        Ok(named.flatten().collect::<Vec<_>>().join("\0"))
    });
    let words = words.unwrap_or_default();
    let words: Vec<&str> = words.split('\0').collect();
    let pairs = words.chunks_exact(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned()));
    pairs.map(|(id, path)| (id, Some(path).filter(|path| !path.is_empty()))).collect()
}

/// A fingerprint of the events of each run, which only grow: how many there are, and how many bytes. Of lines, of all.
pub(crate) fn event_prints(folder: &Path) -> Result<BTreeMap<String, u64>, ReadError> {
    let Some((file, true)) = index_of(folder) else { return Ok(BTreeMap::new()) };
    ReadOnlyDb::ask(&file, |db| {
        if !db.columns("run_events")?.contains("run_id") {
            return Ok(BTreeMap::new());
        }
        let payload =
            if db.columns("run_events")?.contains("payload_json") { "payload_json" } else { "NULL" };
        let grouped = format!(
            "SELECT run_id, count(*), max(rowid), sum(octet_length({payload})) FROM run_events
             WHERE typeof(run_id) = 'text' GROUP BY run_id"
        );
        let prints = db.list(&grouped, [], |row| {
            let numbers: [Option<i64>; 3] = [row.get(1)?, row.get(2)?, row.get(3)?];
            Ok((row.get(0)?, fingerprint::of(&numbers)))
        })?;
        Ok(prints.into_iter().collect())
    })
}

fn rows(db: &ReadOnlyDb, agent: Option<&str>) -> Result<SdkRows, ReadError> {
    let mut found = SdkRows::default();
    let own = agent.map(|id| ("agent_id", id));
    found.read_agents(db, own)?;
    let nameless = each(db, "runs", own, &known_columns("runs"), &mut |row| {
        found.runs.push(Run::from_columns(&|names| row.text(names))?);
        Some(())
    })?;
    found.tell_nameless(db.path(), "runs", nameless);
    // What is left of a damaged database may have a row twice.
    keep_last(&mut found.agents, |row| row.agent_id.clone());
    keep_last(&mut found.runs, |row| row.run_id.clone());
    let lost = events_of(db, lost_runs(db)?)?;
    found.findings.extend(add_lost_runs(&lost, db.path(), agent, &mut found.runs));
    found.add_unlisted(db.path());
    found.findings.extend(db.damage().findings(Layer::SdkIndex, &Arc::from(db.path())));
    if agent.is_some() {
        found.events = events_of(db, found.runs.iter().map(|run| run.run_id.clone()))?;
    }
    Ok(found)
}

fn events_of(db: &ReadOnlyDb, runs: impl IntoIterator<Item = String>) -> Result<Vec<EventRow>, ReadError> {
    let (mut events, columns) = (Vec::new(), known_columns("run_events"));
    for run in runs {
        each(db, "run_events", Some(("run_id", &run)), &columns, &mut |row| {
            events.push(EventRow::from_columns(&|names| row.text(names))?);
            Some(())
        })?;
    }
    Ok(events)
}

/// The same rows out of `agents.ndjson`, `runs.ndjson` and `run_events.ndjson`.
fn lines(folder: &Path, agent: Option<&str>) -> Result<SdkRows, ReadError> {
    let mut found = SdkRows::default();
    found.agents = read_lines(folder, "agents.ndjson", &AgentRow::from_line, &mut found.findings)?;
    found.runs = read_lines(folder, "runs.ndjson", &Run::from_line, &mut found.findings)?;
    // Appended again when it changes: the last line of an id counts.
    keep_last(&mut found.agents, |row| row.agent_id.clone());
    keep_last(&mut found.runs, |row| row.run_id.clone());
    let listed: HashSet<&str> = found.runs.iter().map(|run| run.run_id.as_str()).collect();
    let read_event = |line: &str| {
        let mut event = EventRow::from_line(line)?;
        // A listing wants nothing of events but whether their run is there.
        event.payload_json =
            event.payload_json.filter(|_| agent.is_some() || !listed.contains(&*event.run_id));
        Some(event)
    };
    let events = read_lines(folder, "run_events.ndjson", &read_event, &mut found.findings)?;
    let (listed, lost): (Vec<EventRow>, Vec<EventRow>) =
        events.into_iter().partition(|event| listed.contains(event.run_id.as_str()));
    let file = folder.join("run_events.ndjson");
    found.findings.extend(add_lost_runs(&lost, &file, agent, &mut found.runs));
    found.add_unlisted(&folder.join("agents.ndjson"));
    let Some(id) = agent else { return Ok(found) };
    found.agents.retain(|row| row.agent_id == id);
    found.runs.retain(|row| row.agent_id == id);
    let own: HashSet<&str> = found.runs.iter().map(|run| run.run_id.as_str()).collect();
    found.events =
        listed.into_iter().chain(lost).filter(|event| own.contains(event.run_id.as_str())).collect();
    Ok(found)
}

fn keep_last<T>(rows: &mut Vec<T>, id: impl Fn(&T) -> String) {
    let mut seen = HashSet::new();
    rows.reverse();
    rows.retain(|row| seen.insert(id(row)));
    rows.reverse();
}

pub(crate) fn read_lines<T>(
    folder: &Path,
    name: &str,
    read: &dyn Fn(&str) -> Option<T>,
    findings: &mut Vec<Finding>,
) -> Result<Vec<T>, ReadError> {
    let path = folder.join(name);
    let bytes = match plain_file::read(&path, transcripts::LONGEST) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(because) => return Err(ReadError::other(&path, because)),
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

/// The runs that only events tell of, in a database.
fn lost_runs(db: &ReadOnlyDb) -> Result<Vec<String>, ReadError> {
    if !db.columns("run_events")?.contains("run_id") {
        return Ok(Vec::new());
    }
    let is_lost = if db.columns("runs")?.contains("run_id") {
        "AND run_id NOT IN (SELECT run_id FROM runs WHERE run_id IS NOT NULL)"
    } else {
        ""
    };
    let question = format!("SELECT DISTINCT run_id FROM run_events WHERE typeof(run_id) = 'text' {is_lost}");
    db.list(&question, [], |row| row.get(0))
}

/// Adds the lost runs of `events`, which belong to no other run, to `runs`; if only those of one agent are wanted, just these.
/// Gives the findings.
fn add_lost_runs(events: &[EventRow], file: &Path, agent: Option<&str>, runs: &mut Vec<Run>) -> Vec<Finding> {
    let mut by_run: BTreeMap<&str, Vec<&EventRow>> = BTreeMap::new();
    for event in events {
        by_run.entry(&event.run_id).or_default().push(event);
    }
    let mut findings = Vec::new();
    for (run_id, events) in by_run {
        let at = Origin::new(Layer::SdkIndex, file, format!("run_events/{run_id}"));
        let owner = events.iter().find_map(|event| event.agent_id());
        let says = match &owner {
            Some(_) => format!("only {} events tell of this run: its own row is gone", events.len()),
            None => format!("{} events belong to a run that has no row, and name no agent", events.len()),
        };
        if agent.is_none_or(|wanted| owner.as_deref() == Some(wanted)) {
            findings.push(Finding::new(FindingKind::DanglingReference, at, says));
            let first = events.iter().min_by_key(|event| event.seq);
            let created_at = first.and_then(|event| event.created_at.as_deref()).and_then(time);
            let run = |agent_id| Run { run_id: run_id.to_owned(), agent_id, created_at, ..Run::default() };
            runs.extend(owner.map(run));
        }
    }
    findings
}
