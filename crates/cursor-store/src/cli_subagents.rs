//! Agents that a session started and whose states it keeps in its own store, and those that they started in turn.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use backscroll_cursor_format::agent::{self, Place, Subagent};
use backscroll_cursor_format::ide::fill_times;
use backscroll_cursor_format::{Blobs, RowsError};
use backscroll_model::{Conversation, ConversationId, Finding, FindingKind, Flag, Origin, Summary};

use crate::blob_table::BlobTable;
use crate::cli_conversation::{first_line, take_over};
use crate::cli_head::{CliHead, CliSession, MOST_MESSAGES};
use crate::connections::Connections;
use crate::known_paths::KnownPaths;
use crate::read_only_db::{ReadError, ReadOnlyDb};

/// An agent whose state a store keeps.
#[derive(Debug, Clone)]
pub(crate) struct KeptAgent {
    pub(crate) subagent: Subagent,
    /// Which of the other kept ones started it; `None` for the session itself.
    started_by: Option<String>,
    /// The first words it was given.
    title: Option<String>,
}

/// Deeper than this, agents that started agents are taken for a mistake.
const DEEPEST: usize = 32;

impl CliSession {
    /// The agents whose states this session keeps.
    pub(crate) fn subagents(&self) -> Result<Vec<KeptAgent>, ReadError> {
        if !self.has_store() {
            return Ok(Vec::new());
        }
        Connections::to(&self.store).ask(|db| self.subagents_in(db))
    }

    fn subagents_in(&self, db: &ReadOnlyDb) -> Result<Vec<KeptAgent>, ReadError> {
        let Some(root) = self.root_in(db)? else { return Ok(Vec::new()) };
        let Some(blobs) = BlobTable::of(db)? else { return Ok(Vec::new()) };
        let mut kept = Vec::new();
        let add = add_kept(root.subagents, &blobs, &self.origin("blobs"), &mut kept);
        add.map_err(|because| self.read_error(because))?;
        Ok(kept)
    }

    /// All that the session keeps of the agent `id`.
    pub(crate) fn load_subagent(
        &self,
        id: &ConversationId,
        known: &KnownPaths,
    ) -> Result<Option<Conversation>, ReadError> {
        Connections::to(&self.store).ask(|db| {
            let mut head = CliHead::default();
            self.read_session_file(&mut head);
            self.read_meta(db, &mut head)?;
            let parent = self.summary(&head, known);
            let kept = self.subagents_in(db)?.into_iter().find(|one| one.subagent.id == id.as_str());
            let (Some(kept), Some(blobs)) = (kept, BlobTable::of(db)?) else { return Ok(None) };
            Ok(Some(self.told_by(&kept, &parent, &blobs)))
        })
    }

    /// What an index tells of a kept agent.
    pub(crate) fn subagent_summary(&self, kept: &KeptAgent, parent: &Summary) -> Summary {
        let subagent = &kept.subagent;
        let origin = self.origin(&format!("subagent:{}", subagent.id));
        let mut summary = Summary::new(ConversationId::new(&subagent.id), self.surface, origin);
        let started_by = kept.started_by.as_deref().map(ConversationId::new);
        summary.parent = Some(started_by.unwrap_or_else(|| parent.id.clone()));
        summary.flags.insert(Flag::Subagent);
        summary.title.clone_from(&kept.title);
        summary.workspace.clone_from(&parent.workspace);
        summary.created_at = subagent.created_at;
        summary.updated_at = subagent.updated_at;
        summary.models.extend(subagent.model.clone());
        summary
    }

    fn told_by(&self, kept: &KeptAgent, parent: &Summary, blobs: &dyn Blobs) -> Conversation {
        let summary = self.subagent_summary(kept, parent);
        let at = summary.origins[0].clone();
        let mut conversation = Conversation::of(summary);
        let Some(state) = &kept.subagent.state else {
            let says = "the state of this subagent is not there";
            conversation.findings.push(Finding::new(FindingKind::DanglingReference, at, says));
            return conversation;
        };
        let told = agent::conversation(state, &Place { blobs, root: at, prefix: "" });
        take_over(&mut conversation, told);
        conversation.summary.title = conversation.summary.title.take().or_else(|| first_line(&conversation));
        fill_times(&mut conversation);
        conversation
    }
}

/// Adds those of `all` of whom more than the name is kept, each with those that it started in turn.
fn add_kept(
    all: Vec<Subagent>,
    blobs: &dyn Blobs,
    at: &Origin,
    kept: &mut Vec<KeptAgent>,
) -> Result<(), RowsError> {
    let mut open: Vec<(Subagent, Option<String>, usize)> =
        all.into_iter().rev().map(|one| (one, None, 0)).collect();
    let mut seen = HashSet::new();
    while let Some((mut subagent, started_by, depth)) = open.pop() {
        if subagent.state.is_none() && subagent.state_blob.is_none() || !seen.insert(subagent.id.clone()) {
            continue;
        }
        if let (None, Some(blob)) = (&subagent.state, &subagent.state_blob)
            && let Some(bytes) = blobs.blob(blob)?
        {
            subagent.take_state(&bytes);
        }
        let root = subagent.state.as_ref().map(|state| agent::root(state, at).value).unwrap_or_default();
        let place = Place { blobs, root: at.clone(), prefix: "" };
        let title = agent::preview_of(&root.messages, &place, MOST_MESSAGES).title;
        if depth < DEEPEST {
            let started = root.subagents.into_iter().rev();
            open.extend(started.map(|one| (one, Some(subagent.id.clone()), depth + 1)));
        }
        kept.push(KeptAgent { subagent, started_by, title });
    }
    Ok(())
}

/// Which session keeps which agent, as far as anybody has looked.
#[derive(Debug, Default)]
pub(crate) struct Keepers(Mutex<HashMap<ConversationId, CliSession>>);

impl Keepers {
    /// Notes that `session` keeps these.
    pub(crate) fn note(&self, session: &CliSession, kept: impl IntoIterator<Item = ConversationId>) {
        self.all().extend(kept.into_iter().map(|id| (id, session.clone())));
    }

    /// Looks which agents `session` keeps.
    pub(crate) fn look_into(&self, session: &CliSession) {
        let kept = session.subagents().unwrap_or_default();
        self.note(session, kept.into_iter().map(|one| ConversationId::new(one.subagent.id)));
    }

    pub(crate) fn of(&self, id: &ConversationId) -> Option<CliSession> {
        self.all().get(id).cloned()
    }

    fn all(&self) -> MutexGuard<'_, HashMap<ConversationId, CliSession>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What all agents that these sessions keep are called, and by whom they were started.
pub(crate) fn summaries(sessions: &[CliSession], known: &KnownPaths, keepers: &Keepers) -> Vec<Summary> {
    let looked = crate::in_parallel::each(sessions, |session| {
        let kept = session.subagents().unwrap_or_default();
        let parent = (!kept.is_empty()).then(|| session.summary(&session.head(), known));
        let told =
            parent.iter().flat_map(|parent| kept.iter().map(|one| session.subagent_summary(one, parent)));
        told.collect::<Vec<_>>()
    });
    let mut all: Vec<Summary> = Vec::new();
    let mut seen = HashSet::new();
    for (session, told) in sessions.iter().zip(looked) {
        keepers.note(session, told.iter().map(|summary| summary.id.clone()));
        all.extend(told.into_iter().filter(|summary| seen.insert(summary.id.clone())));
    }
    all.sort_by(|a, b| a.id.cmp(&b.id));
    all
}
