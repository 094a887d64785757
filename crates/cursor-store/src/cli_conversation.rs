//! A whole session of the command line agent, out of the blobs that its latest root leads to.

use std::thread;

use backscroll_cursor_format::agent::{self, AgentConversation, Place, ReadingAhead, Root};
use backscroll_cursor_format::ide::fill_times;
use backscroll_cursor_format::transcript::absolute_paths;
use backscroll_cursor_format::uri::place;
use backscroll_cursor_format::{BlobId, Blobs, RowsError, user_text};
use backscroll_model::{AtIs, Attribution, Conversation, Decoded, Holding, Layer, Message, Moment, Role};

use crate::blob_index::BlobIndex;
use crate::blob_reader::BlobReader;
use crate::blob_table::BlobTable;
use crate::cli_head::{CliHead, CliSession};
use crate::connections::Connections;
use crate::known_paths::KnownPaths;
use crate::read_only_db::{ReadError, ReadOnlyDb};

impl CliSession {
    /// All that the session tells. What cannot be read is told of as a finding.
    pub(crate) fn load(&self, known: &KnownPaths) -> Conversation {
        if !self.has_store() {
            let head = self.head();
            let mut conversation = Conversation::of(self.summary(&head, known));
            conversation.findings = head.findings;
            return conversation;
        }
        let read = Connections::to(&self.store).ask(|db| self.load_from(db, known));
        read.unwrap_or_else(|error| {
            let head = self.head();
            let mut conversation = Conversation::of(self.summary(&head, known));
            conversation.findings = head.findings;
            let trouble = self.unreadable(&error);
            if !conversation.findings.contains(&trouble) {
                conversation.findings.push(trouble);
            }
            conversation
        })
    }

    /// The latest root, without anything that it leads to.
    pub(crate) fn root_in(&self, db: &ReadOnlyDb) -> Result<Option<Root>, ReadError> {
        let mut head = CliHead::default();
        self.read_meta(db, &mut head)?;
        let (Some(root), Some(blobs)) = (head.meta.root_id, BlobTable::of(db)?) else {
            return Ok(None);
        };
        let Some(id) = BlobId::spelled(root.as_bytes()) else { return Ok(None) };
        let bytes = blobs.blob(&id).map_err(|because| self.read_error(because))?;
        Ok(bytes.map(|bytes| agent::root(&bytes, &self.origin(&root)).value))
    }

    /// How many messages the latest root lists, and how many agents it keeps beside its own conversation. Of a session that
    /// was compacted the root lists but the end: it is read. A store that cannot be read is told of by the listing.
    pub(crate) fn holding(&self) -> Holding {
        let root = Connections::to(&self.store).ask(|db| self.root_in(db));
        let is_compacted = |root: &Root| root.summary.is_some() || !root.archives.is_empty();
        let messages = root.as_ref().ok().map(|root| match root {
            Some(root) if is_compacted(root) => self.load(&KnownPaths::default()).coverage.listed,
            Some(root) => {
                (root.messages.len() + root.pending.len() + usize::from(root.tail.is_some())) as u64
            }
            None => 0,
        });
        let kept = self.subagents().map_or(0, |kept| kept.len() as u64);
        let holding = Holding::of(Layer::CliStore, &*self.store);
        Holding { conversations: Some(1 + kept), messages, ..holding }
    }

    fn load_from(&self, db: &ReadOnlyDb, known: &KnownPaths) -> Result<Conversation, ReadError> {
        let mut head = self.head_with(db)?;
        let mut conversation = Conversation::of(self.summary(&head, known));
        conversation.findings.append(&mut head.findings);
        let Some(blobs) = BlobTable::of(db)? else { return Ok(conversation) };
        let reader = BlobReader::of(blobs);
        let unreached = thread::scope(|scope| {
            let index = BlobIndex::of(&reader, ReadingAhead::new(scope, self.origin("blobs")))?;
            if let Some(root) = &head.meta.root_id {
                let place = Place { blobs: &index, root: self.origin(root), prefix: "" };
                let Decoded { value, findings } = agent::conversation_at(root, &place);
                match value {
                    Some(value) => take_over(&mut conversation, Decoded { value, findings }),
                    None => conversation.findings.extend(findings),
                }
            }
            index.unreached().map_err(|because| self.read_error(because))
        })?;
        self.add_unreached(&reader, unreached, &mut conversation)?;
        if conversation.summary.title.is_none() {
            conversation.summary.title = first_line(&conversation);
        }
        let held_in = &mut conversation.facts.held_in;
        if held_in.as_ref().is_none_or(|known| known.by > Attribution::AgentLocation) {
            let proven = self.proven(&absolute_paths(&conversation.messages));
            *held_in = proven.or(held_in.take());
        }
        anchor_times(&mut conversation);
        Ok(conversation)
    }

    fn head_with(&self, db: &ReadOnlyDb) -> Result<CliHead, ReadError> {
        let mut head = CliHead::default();
        self.read_session_file(&mut head);
        self.read_meta(db, &mut head)?;
        Ok(head)
    }

    pub(crate) fn read_error(&self, because: RowsError) -> ReadError {
        match because.downcast::<ReadError>() {
            Ok(error) => *error,
            Err(other) => ReadError::Other { path: self.store.to_path_buf(), because: other },
        }
    }
}

/// Puts what the graph tells into `conversation`.
pub(crate) fn take_over(conversation: &mut Conversation, told: Decoded<AgentConversation>) {
    conversation.findings.extend(told.findings);
    let told = told.value;
    let summary = &mut conversation.summary;
    summary.created_at = summary.created_at.or(told.started_at);
    summary.mode = summary.mode.take().or(told.mode);
    let last_used = summary.models.first().cloned();
    for model in told.models {
        if !summary.models.contains(&model) {
            summary.models.push(model);
        }
    }
    summary.children.clone_from(&told.children);
    conversation.children = told.children;
    conversation.facts = told.facts;
    let named = |uri: Option<&String>, by| Some(place(uri?)?.into_workspace(by));
    conversation.facts.held_in = named(told.workspace_uris.last(), Attribution::AgentLocation)
        .or_else(|| named(told.working_directory.as_ref(), Attribution::Message));
    conversation.messages = told.messages;
    conversation.coverage = told.coverage;
    // The model that the session used last is the last resort for messages that name none.
    let nameless = conversation.messages.iter_mut().filter(|message| message.role == Role::Assistant);
    for message in nameless.filter(|message| message.model.is_none()) {
        message.model.clone_from(&last_used);
    }
}

pub(crate) fn first_line(conversation: &Conversation) -> Option<String> {
    let typed =
        conversation.messages.iter().filter(|message| message.role == Role::User && !message.simulated);
    typed.map(Message::text).find_map(|text| user_text::title_line(&text))
}

/// The session began with its first message and was last changed by its last; between, times are spread.
fn anchor_times(conversation: &mut Conversation) {
    let (created, updated) = (conversation.summary.created_at, conversation.summary.updated_at);
    let known = || conversation.messages.iter().filter_map(|message| message.at.at);
    let (first, last) = (known().min(), known().max());
    let begun = created.filter(|at| first.is_none_or(|first| *at <= first));
    let ended = updated.filter(|at| last.or(begun).is_none_or(|last| *at >= last));
    let of_conversation = |at| Moment { at: Some(at), is: AtIs::Conversation };
    if let (Some(message), Some(at)) = (conversation.messages.first_mut(), begun)
        && message.at.at.is_none()
    {
        message.at = of_conversation(at);
    }
    if let (Some(message), Some(at)) = (conversation.messages.last_mut(), ended)
        && message.at.at.is_none()
    {
        message.at = of_conversation(at);
    }
    fill_times(conversation);
}
