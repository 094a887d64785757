//! A place that tells of conversations.

use std::collections::{BTreeSet, HashSet};
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{
    Changes, Conversation, ConversationId, Decoded, Finding, Holding, KeptFiles, Layer, Mark, Message,
    Origin, RequestFact, Summary, Workspace,
};

/// A place where conversations are kept.
///
/// A source speaks for itself alone: it may know only part of a conversation. Joining what several
/// sources tell is the work of the room `history`.
pub trait Source: Send + Sync {
    /// The file or folder it reads.
    fn place(&self) -> PathBuf;

    /// Whether it is a backup or a copy: what only such a place still has, Cursor has deleted.
    fn is_backup(&self) -> bool {
        false
    }

    /// Reads what will be needed anyway, beside other sources. Nothing depends on it.
    fn prepare(&self) {}

    /// Everything an index tells, without loading messages. Findings concern the place as a whole.
    fn summaries(&self) -> Result<(Vec<Summary>, Vec<Finding>), SourceError>;

    /// Everything it tells of one conversation, one telling per layer; empty if it knows none by that id.
    fn load(&self, id: &ConversationId) -> Result<Vec<Conversation>, SourceError>;

    /// The same, if it has any message besides those that are `known` by id. Reading keys is cheaper than
    /// reading messages, so a backup need not be read where it has nothing to add.
    fn load_beyond(
        &self,
        id: &ConversationId,
        known: &HashSet<&str>,
    ) -> Result<Vec<Conversation>, SourceError> {
        let _ = known;
        self.load(id)
    }

    /// What it tells of these messages alone, by their ids, one telling per layer, without the price of the others;
    /// `None` if it cannot. It is a guess, which whoever asks must check: what a message is told to be may depend on
    /// its neighbours, and on other places.
    fn load_some(
        &self,
        id: &ConversationId,
        messages: &HashSet<&str>,
    ) -> Result<Option<Vec<Conversation>>, SourceError> {
        let _ = (id, messages);
        Ok(None)
    }

    /// Files as checkpoints of this conversation kept them. Never part of [`load`](Source::load): they may be large.
    fn kept_files(&self, id: &ConversationId) -> Result<Decoded<KeptFiles>, SourceError> {
        let _ = id;
        Ok(Decoded { value: KeptFiles::default(), findings: Vec::new() })
    }

    /// Workspaces that it knows for conversations which it does not otherwise tell of.
    fn belongings(&self) -> Result<Vec<(ConversationId, Workspace)>, SourceError> {
        Ok(Vec::new())
    }

    /// What it knows of these requests, whichever conversation they belong to.
    fn requests(&self, ids: &BTreeSet<&str>) -> Result<Vec<RequestFact>, SourceError> {
        let _ = ids;
        Ok(Vec::new())
    }

    /// The files it reads, each with its layer, where one place holds many stores; else none.
    fn files(&self) -> Vec<(Layer, PathBuf)> {
        Vec::new()
    }

    /// What its files hold, where telling it costs more than a listing may. Asked for only by those who ask about places.
    fn holdings(&self) -> Result<Vec<Holding>, SourceError> {
        Ok(Vec::new())
    }

    /// Conversations that lie inside of others, such as subagents, where finding them costs more than a listing may.
    /// Asked for only by those who want everything, or an id that nobody else knows.
    fn nested(&self) -> Result<Vec<Summary>, SourceError> {
        Ok(Vec::new())
    }

    /// Whether `id` lies inside of `parent`, for those who know the parent: the same without a look into every other.
    fn lies_inside(&self, id: &ConversationId, parent: &ConversationId) -> bool {
        let _ = (id, parent);
        false
    }

    /// What changed since `since`, for the price of what changed. The mark is taken before anything is read, so
    /// that a change that happens meanwhile is seen again, never missed.
    fn changes(&self, since: Option<&Mark>) -> Result<Changes, SourceError> {
        let _ = since;
        Ok(Changes::Anything { mark: Mark(String::new()) })
    }

    /// What kind of place it is: with [`place`](Source::place), [`is_backup`](Source::is_backup) and this name a
    /// source is known again in another run.
    fn kind(&self) -> &'static str {
        ""
    }

    /// What [`summaries`](Source::summaries) tells of these conversations, cheaply where that is possible.
    fn summaries_of(&self, ids: &BTreeSet<ConversationId>) -> Result<Vec<Summary>, SourceError> {
        let (mut summaries, _) = self.summaries()?;
        summaries.retain(|summary| ids.contains(&summary.id));
        Ok(summaries)
    }

    /// The one message that was read at `at`, without the rest of its conversation; `None` if it is not there or
    /// cannot be told without the others.
    fn message(&self, conversation: &ConversationId, at: &Origin) -> Result<Option<Message>, SourceError> {
        let _ = (conversation, at);
        Ok(None)
    }

    /// Ids that begin with `beginning`, cheaply.
    fn ids(&self, beginning: &str) -> Result<Vec<ConversationId>, SourceError> {
        let (summaries, _) = self.summaries()?;
        Ok(summaries.into_iter().map(|s| s.id).filter(|id| id.as_str().starts_with(beginning)).collect())
    }
}

impl<S: Source + ?Sized> Source for Arc<S> {
    fn place(&self) -> PathBuf {
        (**self).place()
    }

    fn is_backup(&self) -> bool {
        (**self).is_backup()
    }

    fn prepare(&self) {
        (**self).prepare();
    }

    fn summaries(&self) -> Result<(Vec<Summary>, Vec<Finding>), SourceError> {
        (**self).summaries()
    }

    fn load(&self, id: &ConversationId) -> Result<Vec<Conversation>, SourceError> {
        (**self).load(id)
    }

    fn load_beyond(
        &self,
        id: &ConversationId,
        known: &HashSet<&str>,
    ) -> Result<Vec<Conversation>, SourceError> {
        (**self).load_beyond(id, known)
    }

    fn load_some(
        &self,
        id: &ConversationId,
        messages: &HashSet<&str>,
    ) -> Result<Option<Vec<Conversation>>, SourceError> {
        (**self).load_some(id, messages)
    }

    fn kept_files(&self, id: &ConversationId) -> Result<Decoded<KeptFiles>, SourceError> {
        (**self).kept_files(id)
    }

    fn belongings(&self) -> Result<Vec<(ConversationId, Workspace)>, SourceError> {
        (**self).belongings()
    }

    fn requests(&self, ids: &BTreeSet<&str>) -> Result<Vec<RequestFact>, SourceError> {
        (**self).requests(ids)
    }

    fn files(&self) -> Vec<(Layer, PathBuf)> {
        (**self).files()
    }

    fn holdings(&self) -> Result<Vec<Holding>, SourceError> {
        (**self).holdings()
    }

    fn nested(&self) -> Result<Vec<Summary>, SourceError> {
        (**self).nested()
    }

    fn lies_inside(&self, id: &ConversationId, parent: &ConversationId) -> bool {
        (**self).lies_inside(id, parent)
    }

    fn changes(&self, since: Option<&Mark>) -> Result<Changes, SourceError> {
        (**self).changes(since)
    }

    fn kind(&self) -> &'static str {
        (**self).kind()
    }

    fn summaries_of(&self, ids: &BTreeSet<ConversationId>) -> Result<Vec<Summary>, SourceError> {
        (**self).summaries_of(ids)
    }

    fn message(&self, conversation: &ConversationId, at: &Origin) -> Result<Option<Message>, SourceError> {
        (**self).message(conversation, at)
    }

    fn ids(&self, beginning: &str) -> Result<Vec<ConversationId>, SourceError> {
        (**self).ids(beginning)
    }
}

/// A source could not be read at all.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}", place.display())]
pub struct SourceError {
    /// The file or folder.
    pub place: PathBuf,
    /// Why.
    #[source]
    pub because: Box<dyn Error + Send + Sync>,
}

impl SourceError {
    /// `place` cannot be read, because of `because`.
    pub fn new(place: impl Into<PathBuf>, because: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { place: place.into(), because: because.into() }
    }
}
