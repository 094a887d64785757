//! `backscroll.hit/1`.

use serde::Serialize;

use super::each::Wired;
use super::place::WireWorkspace;
use super::scalar::Time;
use crate::{FoundConversation, FoundHit};

/// The fields in the order of the contract; those after `snippet` were added.
#[derive(Serialize)]
pub(super) struct WireHit<'a> {
    schema: &'static str,
    conversation: &'a str,
    message: Option<&'a str>,
    title: Option<&'a str>,
    workspace: Option<WireWorkspace<'a>>,
    role: &'static str,
    at: Option<Time>,
    part: &'a str,
    score: f64,
    snippet: String,
    more: usize,
}

impl<'a> WireHit<'a> {
    pub(super) fn of(found: &FoundConversation<'a>, hit: &FoundHit<'a>) -> Self {
        Self {
            schema: "backscroll.hit/1",
            conversation: found.summary.id.as_str(),
            message: hit.message.map(backscroll_model::MessageId::as_str),
            title: found.summary.title.as_deref(),
            workspace: found.summary.workspace.as_ref().map(Wired::wire),
            role: hit.role.name(),
            at: hit.at.map(Time),
            part: hit.snippet.part,
            score: (hit.score * 1000.0).round() / 1000.0,
            snippet: hit.snippet.marked(),
            more: found.more,
        }
    }
}
