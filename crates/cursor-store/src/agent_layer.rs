//! The agent's own account of an editor conversation: the graph of blobs under `conversationState`.
//!
//! It mostly repeats the bubbles, and reading it costs as much as reading them. So a whole load gives its outline, at one
//! small blob for each turn; `history` compares and asks for the turns that the bubbles lack.

use std::path::Path;
use std::sync::Arc;

use backscroll_cursor_format::Blobs;
use backscroll_cursor_format::agent::{self, GraphLocation, Root};
use backscroll_cursor_format::ide::{RowKind, fill_times, keys};
use backscroll_cursor_format::uri::place;
use backscroll_model::{
    Attribution, ConversationId, Decoded, Finding, FindingKind, Flag, Fragment, Layer, Origin, Summary,
    Surface,
};

/// The number of messages that are read to see whether the account names models.
const FIRST_MESSAGES: usize = 12;

/// The agent's account of one conversation.
pub(crate) struct AgentGraph<'a> {
    summary: Summary,
    root: Decoded<Root>,
    place: GraphLocation<'a>,
}

impl<'a> AgentGraph<'a> {
    /// The graph under `state`; `None` if the state is empty, a finding if it cannot be decoded.
    pub(crate) fn read(
        id: &ConversationId,
        state: &str,
        blobs: &'a dyn Blobs,
        file: &Arc<Path>,
    ) -> Result<Option<Self>, Finding> {
        let key = format!("{}#conversationState", RowKind::Record.key(id));
        let at = Origin::new(Layer::AgentBlobs, Arc::clone(file), key);
        let bytes = match agent::conversation_state(state) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            Err(error) => return Err(Finding::new(FindingKind::Undecodable, at, error.to_string())),
        };
        let summary = Summary::new(id.clone(), Surface::Ide, at.clone());
        let root = agent::root(&bytes, &at);
        Ok(Some(Self { summary, root, place: GraphLocation { blobs, root: at, prefix: keys::BLOBS } }))
    }

    /// Whether it has messages that belong to no turn, so that an outline of turns says too little.
    pub(crate) fn has_more_than_turns(&self) -> bool {
        !self.root.value.utterances.is_empty()
    }

    /// Its turns from the outside. Where the `record` beside it names no model, it says whether the account does.
    pub(crate) fn outline(self, record: &Summary) -> Fragment {
        let mut fragment = Fragment::new(self.summary);
        let turns = agent::skeleton(&self.root.value, &self.place).report_to(&mut fragment.findings);
        fragment.outline = Some(turns);
        if record.models.is_empty() {
            let named = agent::first_model(&self.root.value, &self.place, FIRST_MESSAGES);
            fragment.summary.models.extend(named);
        }
        fragment.findings.extend(self.root.findings);
        fragment.facts.time_zone = self.root.value.facts.user_time_zone;
        fragment
    }

    /// The messages of these turns, or everything.
    pub(crate) fn load(self, turns: Option<&[usize]>) -> Fragment {
        let mut fragment = Fragment::new(self.summary);
        if let Some(turns) = turns {
            let some = agent::some_turns(&self.root.value, &self.place, &|turn| turns.contains(&turn));
            fragment.messages = some.report_to(&mut fragment.findings);
            return fragment;
        }
        let whole = agent::conversation(self.root, &self.place).report_to(&mut fragment.findings);
        let summary = &mut fragment.summary;
        summary.created_at = whole.started_at;
        summary.models = whole.models;
        summary.mode = whole.mode;
        summary.children = whole.children;
        if whole.messages.is_empty() {
            summary.flags.insert(Flag::Empty);
        }
        fragment.facts = whole.facts;
        let worked_in = whole.workspace_uris.iter().chain(&whole.working_directory).last();
        fragment.facts.held_in = worked_in
            .and_then(|uri| place(uri))
            .map(|place| place.into_workspace(Attribution::AgentLocation));
        fragment.messages = whole.messages;
        fragment.coverage = whole.coverage;
        fill_times(&mut fragment);
        fragment
    }
}
