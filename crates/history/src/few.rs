//! A few conversations, or one message: for the price of what is asked.

use std::collections::BTreeSet;

use backscroll_model::{ConversationId, Message, Origin, Summary};

use crate::history::{AskError, History, Listing, Tellings};
use crate::merge;

/// Gives conversations that others name as theirs their parent. [`History::summaries_of`] leaves that to whoever has
/// the summaries of all.
pub fn link_children(summaries: &mut [Summary]) {
    merge::link_children(summaries);
}

impl History {
    /// What a listing of everything tells of these conversations, in order of id, but for parents that only the parent
    /// tells of: see [`link_children`]. An id that is not there is gone.
    pub fn summaries_of(&self, ids: &BTreeSet<ConversationId>) -> Listing {
        std::thread::scope(|scope| {
            scope.spawn(|| self.sources().iter().for_each(|source| source.prepare()));
            self.few_in_turn(ids)
        })
    }

    fn few_in_turn(&self, ids: &BTreeSet<ConversationId>) -> Listing {
        let mut listing = Listing::default();
        let mut told = Tellings::default();
        for source in self.sources() {
            match source.summaries_of(ids) {
                Ok(summaries) => told.add(source.as_ref(), summaries),
                Err(error) => listing.unreadable.push(error),
            }
        }
        // Those of which at most a transcript tells may lie inside of others.
        if ids.iter().any(|id| told.may_be_nested(id)) {
            for source in self.sources() {
                match source.nested() {
                    Ok(mut nested) => {
                        nested.retain(|summary| ids.contains(&summary.id));
                        told.add_nested(nested);
                    }
                    Err(error) => listing.unreadable.push(error),
                }
            }
        }
        listing.summaries = self.merged(told);
        listing.summaries.sort_by(|a, b| a.id.cmp(&b.id));
        listing
    }

    /// The message of `conversation` that was read at `at`; `None` if it is not there any more. A source that can tell
    /// it alone does so; what other places know of it is then left out.
    pub fn message(&self, conversation: &ConversationId, at: &Origin) -> Result<Option<Message>, AskError> {
        for source in self.sources() {
            if let Some(message) = source.message(conversation, at)? {
                return Ok(Some(message));
            }
        }
        match self.load(conversation) {
            Ok(whole) => {
                let mut messages = whole.messages.into_iter().chain(whole.orphans);
                Ok(messages.find(|message| message.origin == *at))
            }
            Err(AskError::NoMatch { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
