//! Runs of an SDK store of which only events are left: their own row is gone. The events name their agent, so they are told
//! with it; those that name none are a finding.

use std::collections::BTreeMap;
use std::path::Path;

use backscroll_cursor_format::sdk::{EventRow, RunRow};
use backscroll_model::{Finding, FindingKind, Layer, Origin};

use crate::read_only_db::{ReadError, ReadOnlyDb};

/// The runs that only events tell of, in a database.
pub(crate) fn ids(db: &ReadOnlyDb) -> Result<Vec<String>, ReadError> {
    if !db.columns("run_events")?.contains("run_id") {
        return Ok(Vec::new());
    }
    let is_lost = if db.columns("runs")?.contains("run_id") {
        "AND run_id NOT IN (SELECT run_id FROM runs WHERE run_id IS NOT NULL)"
    } else {
        ""
    };
    let read = || -> rusqlite::Result<Vec<String>> {
        let question =
            format!("SELECT DISTINCT run_id FROM run_events WHERE typeof(run_id) = 'text' {is_lost}");
        let mut statement = db.connection().prepare(&question)?;
        statement.query_map([], |row| row.get(0))?.collect()
    };
    read().map_err(|because| db.error(because))
}

/// Adds the lost runs of `events`, which belong to no other run, to `runs`; if only those of one agent are wanted, just these.
/// Gives the findings.
pub(crate) fn add(
    events: &[EventRow],
    file: &Path,
    agent: Option<&str>,
    runs: &mut Vec<RunRow>,
) -> Vec<Finding> {
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
            let created_at = first.and_then(|event| event.created_at.clone());
            let run =
                |agent_id| RunRow { run_id: run_id.to_owned(), agent_id, created_at, ..RunRow::default() };
            runs.extend(owner.map(run));
        }
    }
    findings
}
