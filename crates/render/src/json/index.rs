//! `backscroll.index/1`: the search index, and how fresh it is.

use serde::Serialize;

use super::scalar::{PathText, Time};
use crate::IndexReport;

#[derive(Serialize)]
pub(super) struct WireIndex<'a> {
    schema: &'static str,
    place: PathText<'a>,
    format: i32,
    exists: bool,
    fresh: bool,
    changed: Option<u64>,
    conversations: u64,
    messages: u64,
    unread: u64,
    text_bytes: u64,
    disk_bytes: u64,
    refreshed_at: Option<Time>,
}

impl<'a> WireIndex<'a> {
    pub(super) fn of(report: &'a IndexReport) -> Self {
        Self {
            schema: "backscroll.index/1",
            place: PathText(&report.place),
            format: report.format,
            exists: report.is_there,
            fresh: report.is_there && report.changed == Some(0),
            changed: report.changed,
            conversations: report.conversations,
            messages: report.messages,
            unread: report.unread,
            text_bytes: report.text_bytes,
            disk_bytes: report.disk_bytes,
            refreshed_at: report.refreshed_at.map(Time),
        }
    }
}
