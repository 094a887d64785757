//! `backscroll.source/1`: one place that was found, and how it is.

use backscroll_model::Finding;
use serde::Serialize;

use super::each::Each;
use super::scalar::{PathText, Time};
use crate::SourceReport;

#[derive(Serialize)]
pub(super) struct WireSource<'a> {
    schema: &'static str,
    layers: Vec<&'static str>,
    file: PathText<'a>,
    bytes: Option<u64>,
    conversations: u64,
    messages: Option<u64>,
    first_at: Option<Time>,
    last_at: Option<Time>,
    is_backup: bool,
    health: &'static str,
    unreadable: Option<&'a str>,
    findings: Each<'a, Finding>,
}

impl<'a> WireSource<'a> {
    pub(super) fn of(report: &'a SourceReport) -> Self {
        Self {
            schema: "backscroll.source/1",
            layers: report.layers.iter().map(|layer| layer.name()).collect(),
            file: PathText(&report.file),
            bytes: report.bytes,
            conversations: report.conversations,
            messages: report.messages,
            first_at: report.first_at.map(Time),
            last_at: report.last_at.map(Time),
            is_backup: report.is_backup,
            health: report.health(),
            unreadable: report.unreadable.as_deref(),
            findings: Each(&report.findings),
        }
    }
}
