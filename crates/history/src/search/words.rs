//! Search by words.

use backscroll_index::Index;
use backscroll_index::search::Request;
use backscroll_model::{ConversationId, Message};

use super::found::{Found, FoundConversation, SearchError, Showing};
use super::read_back;
use super::reader::Reader;
use crate::History;

impl History {
    /// The conversations that answer `request`, with what matched in them.
    pub fn search(&self, index: &Index, request: &Request, showing: Showing) -> Result<Found, SearchError> {
        self.search_cleaned(index, request, showing, &mut |_, _| {})
    }

    /// The same, with snippets of messages that `clean` has changed: what is cut out of a message must not show half of
    /// what would have been removed from the whole.
    pub fn search_cleaned(
        &self,
        index: &Index,
        request: &Request,
        showing: Showing,
        clean: &mut dyn FnMut(&ConversationId, &mut Message),
    ) -> Result<Found, SearchError> {
        let answer = index.search(request)?;
        let mut reader = Reader::of(self, clean);
        let mut conversations = Vec::with_capacity(answer.groups.len());
        for group in answer.groups {
            let summary = group.summary;
            let hits = group.hits.into_iter();
            let hits =
                hits.map(|hit| read_back::told(&mut reader, index, &summary, hit, &answer.matcher, showing));
            let hits = hits.collect::<Result<_, SearchError>>()?;
            conversations.push(FoundConversation {
                summary,
                hits,
                more: group.more,
                rung: group.rung,
                missing: group.missing,
                corrected: group.corrected,
            });
        }
        Ok(Found { conversations, total: answer.total, notes: answer.notes, facets: answer.facets })
    }
}
