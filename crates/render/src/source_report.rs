//! What is told of one place where conversations are kept.

use std::path::PathBuf;

use backscroll_model::{Contents, Finding, FindingKind, Layer, Origin, ScoredCommit, Spilled};
use jiff::Timestamp;

/// What is known of one place.
#[derive(Debug, Clone, Default)]
pub struct SourceReport {
    /// The layers it tells of.
    pub layers: Vec<Layer>,
    /// The file or folder.
    pub file: PathBuf,
    /// Its size in bytes, where it is a file.
    pub bytes: Option<u64>,
    /// Of these, what lies in the log beside it: written, but not yet in the file itself.
    pub log_bytes: u64,
    /// How many conversations it tells of.
    pub conversations: u64,
    /// How many messages its indexes promise, where any does.
    pub messages: Option<u64>,
    /// The earliest time it names.
    pub first_at: Option<Timestamp>,
    /// The latest time it names.
    pub last_at: Option<Timestamp>,
    /// How many lines of code it tracks, where it does.
    pub tracked_lines: Option<u64>,
    /// Commits that it scored.
    pub commits: Vec<ScoredCommit>,
    /// Files of spilled output that lie in it.
    pub spilled: Option<Spilled>,
    /// Whether it is a backup or a copy.
    pub is_backup: bool,
    /// Why it could not be read at all.
    pub unreadable: Option<String>,
    /// What was not as it should be.
    pub findings: Vec<Finding>,
    /// Rows and bytes by kind, where somebody asked for them: counting takes a while.
    pub contents: Option<Contents>,
}

impl SourceReport {
    /// Takes in what it is made of; why that could not be counted is a finding.
    pub fn take_contents(&mut self, counted: Result<Contents, String>) {
        match counted {
            Ok(contents) => self.contents = Some(contents),
            Err(because) => {
                let layer = self.layers.first().copied().unwrap_or(Layer::IdeGlobal);
                let at = Origin::new(layer, &*self.file, "");
                self.findings.push(Finding::new(FindingKind::Unreadable, at, because));
            }
        }
    }

    /// How many findings there are of each kind, by its name.
    pub fn findings_by_kind(&self) -> Vec<(&'static str, usize)> {
        let mut kinds: Vec<(&'static str, usize)> = Vec::new();
        for finding in &self.findings {
            let name = finding.kind.name();
            match kinds.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => kinds.push((name, 1)),
            }
        }
        kinds.sort_unstable();
        kinds
    }

    /// One word for how the place is: `ok`, `findings` or `unreadable`.
    pub fn health(&self) -> &'static str {
        match (&self.unreadable, self.findings.is_empty()) {
            (Some(_), _) => "unreadable",
            (None, false) => "findings",
            (None, true) => "ok",
        }
    }
}
