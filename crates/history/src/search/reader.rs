//! Reads single messages, hit after hit. What has to be read as a whole conversation is read once for all its hits, and only
//! from the source that holds it, unless several places tell what is looked for.

use backscroll_index::Located;
use backscroll_model::{Conversation, ConversationId, FragmentKind, Hit, Message, MessageId, Origin, Scope};

use crate::History;

/// Reads messages of a history. Hits of one conversation are best asked for one after the other.
pub(super) struct MessageReader<'a> {
    history: &'a History,
    /// The conversation that was read last. Only one is kept: they may be large.
    last: Option<LastLoaded>,
}

struct LastLoaded {
    id: ConversationId,
    /// All places were asked, as for the index.
    is_whole: bool,
    messages: Vec<Message>,
}

impl<'a> MessageReader<'a> {
    /// A reader of `history`.
    pub(super) fn new(history: &'a History) -> Self {
        Self { history, last: None }
    }

    /// The message of `hit`. One that has gone since, or lies in a store that cannot be read now, is shown without its
    /// text: the listing reports the store.
    pub(super) fn message(&mut self, hit: &Hit) -> Option<Message> {
        let at = hit.origin.as_ref()?;
        let id = &hit.conversation;
        if let Some(known) = self.known(id, at) {
            return Some(known);
        }
        let messages = self.in_store(hit, at);
        let mut found = messages.iter().find(|message| message.origin == *at).cloned();
        if messages.len() > 1 {
            self.last = Some(LastLoaded { id: id.clone(), is_whole: false, messages });
        }
        if let Some(message) = &mut found {
            self.history.clean_message(id, message);
        }
        // Merging may have made it of what several layers have.
        found.or_else(|| self.merged_message(hit))
    }

    /// The message of `hit` as the index saw it: with what other rows and other places tell of it.
    pub(super) fn merged_message(&mut self, hit: &Hit) -> Option<Message> {
        self.read_whole(&hit.conversation);
        self.known(&hit.conversation, hit.origin.as_ref()?)
    }

    /// Reads the whole conversation, so that none of its messages need be read alone.
    pub(super) fn read_whole(&mut self, id: &ConversationId) {
        if self.last.as_ref().is_some_and(|last| last.is_whole && last.id == *id) {
            return;
        }
        let read = self.history.load(id).ok();
        let messages = read.into_iter().flat_map(messages).collect();
        self.last = Some(LastLoaded { id: id.clone(), is_whole: true, messages });
    }

    fn known(&self, id: &ConversationId, at: &Origin) -> Option<Message> {
        let last = self.last.as_ref().filter(|last| last.id == *id)?;
        let mut known = last.messages.iter().find(|message| message.origin == *at).cloned()?;
        if !last.is_whole {
            self.history.clean_message(id, &mut known);
        }
        Some(known)
    }

    /// What the store has that the hit was read from: its message, or all of the conversation where that costs the same.
    fn in_store(&self, hit: &Hit, at: &Origin) -> Vec<Message> {
        let wanted = hit.message.iter().map(MessageId::as_str).collect();
        let located = self.history.located(&hit.conversation).into_iter();
        let here = located.filter(|one| one.entry.file == at.file && one.entry.kind == FragmentKind::Account);
        let load =
            |one: Located| self.history.sources()[one.source].load(&one.entry, Scope::Messages(&wanted));
        let loaded = here.filter_map(|one| load(one).ok()).flatten();
        loaded.flat_map(|fragment| fragment.messages.into_iter().chain(fragment.orphans)).collect()
    }
}

fn messages(whole: Conversation) -> impl Iterator<Item = Message> {
    whole.messages.into_iter().chain(whole.orphans)
}
