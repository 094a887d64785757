//! A report of every store that was found: files, sizes, what they hold, and how they are.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use backscroll_model::{
    Decoded, Finding, FindingKind, Layer, Source, SourceError, SourceId, SourceReport, Summary, error_chain,
};

use crate::{History, source_summaries};

/// An editor's own database, the only place of most of its conversations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MainDatabase {
    /// Its file.
    pub file: PathBuf,
    /// Backups and copies in the same folder.
    pub backups: Vec<PathBuf>,
}

impl History {
    /// The editors' own databases that were found, with their backups.
    pub fn main_databases(&self) -> Vec<MainDatabase> {
        let ids: Vec<SourceId> = self.sources().iter().map(|source| source.id()).collect();
        let shown =
            |id: &SourceId| self.cleaner().map_or(id.place.clone(), |cleaner| cleaner.path(&id.place));
        let editors = || ids.iter().filter(|id| id.layer == Layer::IdeGlobal);
        let mains = editors().filter(|id| !id.is_backup);
        let main = |main: &SourceId| {
            let is_beside = |id: &&SourceId| id.is_backup && id.place.parent() == main.place.parent();
            MainDatabase { file: shown(main), backups: editors().filter(is_beside).map(shown).collect() }
        };
        mains.map(main).collect()
    }
}

/// One report for each store of `history`, and one for each place that could not become a source.
pub fn reports(history: &History) -> Vec<SourceReport> {
    let mut reports = all_reports(history);
    if let Some(cleaner) = history.cleaner() {
        for report in &mut reports {
            cleaner.report(report);
        }
    }
    reports
}

/// The file that is shown as `shown` in the reports of `history`.
pub(crate) fn file_shown_as(history: &History, shown: &Path) -> Option<PathBuf> {
    let files = all_reports(history).into_iter().map(|report| report.file);
    files.into_iter().find(|file| history.cleaner().is_none_or(|cleaner| cleaner.path(file) == shown))
}

/// The same as they are, for those who open the stores and take the secrets out themselves: a lint names them.
pub fn stored_reports(history: &History) -> Vec<SourceReport> {
    all_reports(history)
}

fn all_reports(history: &History) -> Vec<SourceReport> {
    let sources = history.sources().iter();
    let mut reports: Vec<SourceReport> = sources.flat_map(|source| reports_of(&**source)).collect();
    let reported: BTreeSet<&Finding> = reports.iter().flat_map(|report| &report.findings).collect();
    let others = history.findings().iter().filter(|finding| !reported.contains(finding));
    let others: Vec<SourceReport> = others
        .map(|finding| SourceReport {
            layers: vec![finding.at.layer],
            file: finding.at.file.to_path_buf(),
            unreadable: Some(finding.says.clone()),
            findings: vec![finding.clone()],
            ..SourceReport::default()
        })
        .collect();
    reports.extend(others);
    drop_echoes(&mut reports);
    reports
}

/// A single file may be read by two sources, as a global store and as a workspace's. The one that adds nothing is left out.
fn drop_echoes(reports: &mut Vec<SourceReport>) {
    let has_content = |report: &SourceReport| {
        report.conversations > 0
            || report.unreadable.is_some()
            || report.findings.iter().any(|finding| finding.kind != FindingKind::Unreadable)
    };
    let reported: BTreeSet<_> =
        reports.iter().filter(|report| has_content(report)).map(|report| report.file.clone()).collect();
    reports.retain(|report| has_content(report) || !reported.contains(&report.file));
}

/// One report for each store of a place that keeps many; else one for the place.
fn reports_of(source: &dyn Source) -> Vec<SourceReport> {
    let SourceId { kind, place, is_backup, .. } = source.id();
    if kind == SourceId::HOME_FILES {
        return Vec::new();
    }
    let empty = |file: PathBuf| {
        let (bytes, log_bytes) = bytes_of(&file);
        SourceReport { file, bytes, log_bytes, is_backup, ..SourceReport::default() }
    };
    let unreadable = |error: &SourceError, place| SourceReport {
        layers: vec![error.layer],
        unreadable: Some(error_chain(error)),
        ..empty(place)
    };
    let Decoded { value: summaries, findings } = match source_summaries(source) {
        Ok(listed) => listed,
        Err(error) => return vec![unreadable(&error, place)],
    };
    let files = source.files();
    let mut holdings: HashMap<PathBuf, SourceReport> = match source.holdings() {
        Ok(holdings) => holdings.into_iter().map(|holding| (holding.file.clone(), holding)).collect(),
        Err(error) => return vec![unreadable(&error, place)],
    };
    if files.is_empty() {
        return vec![with_summaries(empty(place), &summaries.iter().collect::<Vec<_>>(), findings)];
    }
    let mut by_file: HashMap<PathBuf, (Vec<&Summary>, Vec<Finding>)> = HashMap::new();
    for summary in &summaries {
        let files: BTreeSet<&Path> = summary.origins.iter().map(|origin| &*origin.file).collect();
        for file in files {
            by_file.entry(file.to_owned()).or_default().0.push(summary);
        }
    }
    for finding in findings {
        by_file.entry(finding.at.file.to_path_buf()).or_default().1.push(finding);
    }
    let mut reports = Vec::new();
    for (layer, file) in files {
        let (summaries, findings) = by_file.remove(&file).unwrap_or_default();
        let mut report = with_summaries(empty(file), &summaries, findings);
        report.layers = vec![layer];
        if let Some(holding) = holdings.remove(&report.file) {
            hold(&mut report, holding);
        }
        reports.push(report);
    }
    let mut beside: Vec<SourceReport> = holdings.into_values().collect();
    beside.sort_by(|one, other| one.file.cmp(&other.file));
    reports.extend(beside.into_iter().map(|holding| {
        let mut report = SourceReport { layers: holding.layers.clone(), ..empty(holding.file.clone()) };
        hold(&mut report, holding);
        report
    }));
    // Files that are no stores of their own: sessions that never began, broken records.
    let mut rest: Vec<_> = by_file.into_iter().collect();
    rest.sort_by(|(one, _), (other, _)| one.cmp(other));
    reports.extend(
        rest.into_iter()
            .map(|(file, (summaries, findings))| with_summaries(empty(file), &summaries, findings)),
    );
    reports
}

/// What the file itself holds is surer than what the listing says of it.
fn hold(report: &mut SourceReport, holding: SourceReport) {
    report.conversations = report.conversations.max(holding.conversations);
    report.messages = holding.messages.or(report.messages);
    report.first_at = report.first_at.or(holding.first_at);
    report.last_at = report.last_at.or(holding.last_at);
    report.tracked_lines = holding.tracked_lines;
    report.commits = holding.commits;
    report.spilled = holding.spilled;
    report.notes = holding.notes;
}

/// The size of a file, its log included, and the size of the log.
fn bytes_of(file: &Path) -> (Option<u64>, u64) {
    let Some(metadata) = std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file) else {
        return (None, 0);
    };
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    let log = std::fs::metadata(log).map_or(0, |log| log.len());
    (Some(metadata.len().saturating_add(log)), log)
}

fn with_summaries(empty: SourceReport, summaries: &[&Summary], findings: Vec<Finding>) -> SourceReport {
    let layers: BTreeSet<_> =
        summaries.iter().flat_map(|summary| &summary.origins).map(|origin| origin.layer).collect();
    let times = || summaries.iter().flat_map(|summary| [summary.created_at, summary.updated_at]).flatten();
    let messages = summaries.iter().filter_map(|summary| summary.messages);
    SourceReport {
        layers: layers.into_iter().collect(),
        conversations: u64::try_from(summaries.len()).unwrap_or(u64::MAX),
        messages: messages.reduce(|all, more| all + more),
        first_at: times().min(),
        last_at: times().max(),
        findings,
        ..empty
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test writes its own files")]
mod tests {
    use super::*;

    #[test]
    fn the_log_counts_and_is_told_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("state.vscdb");
        assert_eq!(bytes_of(&file), (None, 0), "what is not there has no size");
        std::fs::write(&file, [0; 100]).expect("a file");
        assert_eq!(bytes_of(&file), (Some(100), 0));
        std::fs::write(folder.path().join("state.vscdb-wal"), [0; 32]).expect("a log");
        assert_eq!(bytes_of(&file), (Some(132), 32));
        assert_eq!(bytes_of(folder.path()), (None, 0), "a folder has none of its own");
    }
}
