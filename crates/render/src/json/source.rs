//! `backscroll.source/1`: one place that was found, and how it is.

use backscroll_model::{Finding, ScoredCommit, ScoredLines, StoredKind};
use serde::Serialize;

use super::conversation::WireLines;
use super::each::{Each, Wired};
use super::scalar::{PathText, Time};
use crate::SourceReport;

#[derive(Serialize)]
pub(super) struct WireSource<'a> {
    schema: &'static str,
    layers: Vec<&'static str>,
    file: PathText<'a>,
    bytes: Option<u64>,
    log_bytes: u64,
    conversations: u64,
    messages: Option<u64>,
    first_at: Option<Time>,
    last_at: Option<Time>,
    tracked_lines: Option<u64>,
    commits: Each<'a, ScoredCommit>,
    spilled: Option<WireSpilled>,
    is_backup: bool,
    health: &'static str,
    unreadable: Option<&'a str>,
    findings: Each<'a, Finding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kinds: Option<Each<'a, StoredKind>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    free_bytes: Option<u64>,
}

impl<'a> WireSource<'a> {
    pub(super) fn of(report: &'a SourceReport) -> Self {
        Self {
            schema: "backscroll.source/1",
            layers: report.layers.iter().map(|layer| layer.name()).collect(),
            file: PathText(&report.file),
            bytes: report.bytes,
            log_bytes: report.log_bytes,
            conversations: report.conversations,
            messages: report.messages,
            first_at: report.first_at.map(Time),
            last_at: report.last_at.map(Time),
            tracked_lines: report.tracked_lines,
            commits: Each(&report.commits),
            spilled: report
                .spilled
                .map(|spilled| WireSpilled { files: spilled.files, unnamed: spilled.unnamed }),
            is_backup: report.is_backup,
            health: report.health(),
            unreadable: report.unreadable.as_deref(),
            findings: Each(&report.findings),
            kinds: report.contents.as_ref().map(|contents| Each(&contents.kinds[..])),
            free_bytes: report.contents.as_ref().map(|contents| contents.free_bytes),
        }
    }
}

#[derive(Serialize)]
pub(super) struct WireKind<'a> {
    table: Option<&'a str>,
    kind: &'a str,
    rows: u64,
    bytes: u64,
    orphaned: u64,
}

impl Wired for StoredKind {
    type Wire<'a> = WireKind<'a>;

    fn wire(&self) -> WireKind<'_> {
        WireKind {
            table: self.table.as_deref(),
            kind: &self.name,
            rows: self.rows,
            bytes: self.bytes,
            orphaned: self.orphaned,
        }
    }
}

/// Output of tools that lies in files of its own.
#[derive(Serialize)]
struct WireSpilled {
    files: u64,
    unnamed: u64,
}

/// A commit as the editor scored it.
#[derive(Serialize)]
pub(super) struct WireCommit<'a> {
    hash: &'a str,
    branch: Option<&'a str>,
    scored_at: Option<Time>,
    message: Option<&'a str>,
    date: Option<&'a str>,
    lines: Option<WireScoredLines>,
    ai_percentage: Option<&'a str>,
}

#[derive(Serialize)]
struct WireScoredLines {
    all: WireLines,
    tab: WireLines,
    composer: WireLines,
    human: WireLines,
    blank: WireLines,
}

impl WireScoredLines {
    fn of(lines: ScoredLines) -> Self {
        let wire = WireLines::of;
        Self {
            all: wire(lines.all),
            tab: wire(lines.tab),
            composer: wire(lines.composer),
            human: wire(lines.human),
            blank: wire(lines.blank),
        }
    }
}

impl Wired for ScoredCommit {
    type Wire<'a> = WireCommit<'a>;

    fn wire(&self) -> WireCommit<'_> {
        WireCommit {
            hash: &self.hash,
            branch: self.branch.as_deref(),
            scored_at: self.scored_at.map(Time),
            message: self.message.as_deref(),
            date: self.date.as_deref(),
            lines: self.lines.map(WireScoredLines::of),
            ai_percentage: self.ai_percentage.as_deref(),
        }
    }
}
