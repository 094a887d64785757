//! `backscroll.summary/1`.

use backscroll_model::{ConversationId, Origin, Summary};
use serde::Serialize;

use super::each::{Each, Wired};
use super::place::WireWorkspace;
use super::scalar::{Flags, Time};

/// The fields in the order of the contract.
#[derive(Serialize)]
pub(super) struct WireSummary<'a> {
    schema: &'static str,
    id: &'a str,
    surface: &'static str,
    title: Option<&'a str>,
    workspace: Option<WireWorkspace<'a>>,
    created_at: Option<Time>,
    updated_at: Option<Time>,
    mode: Option<&'a str>,
    models: &'a [String],
    messages: Option<u64>,
    flags: Flags<'a>,
    parent: Option<&'a str>,
    origins: Each<'a, Origin>,
}

impl<'a> WireSummary<'a> {
    pub(super) fn of(summary: &'a Summary) -> Self {
        Self {
            schema: "backscroll.summary/1",
            id: summary.id.as_str(),
            surface: summary.surface.name(),
            title: summary.title.as_deref(),
            workspace: summary.workspace.as_ref().map(Wired::wire),
            created_at: summary.created_at.map(Time),
            updated_at: summary.updated_at.map(Time),
            mode: summary.mode.as_deref(),
            models: &summary.models,
            messages: summary.messages,
            flags: Flags(&summary.flags),
            parent: summary.parent.as_ref().map(ConversationId::as_str),
            origins: Each(&summary.origins),
        }
    }
}
