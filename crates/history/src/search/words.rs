//! Search by words.

use backscroll_index::Index;
use backscroll_index::search::Request;
use backscroll_model::{FoundConversation, Hit, Message, Role};

use super::reader::MessageReader;
use super::{Found, SearchError, Showing, read_back};
use crate::History;

/// The number of messages after a prompt among which its reply is looked for.
const LONGEST_TURN: u64 = 400;
/// The number of these that are read, the last first: the reply is mostly at the end.
const TRIED: usize = 6;

impl History {
    /// The conversations that answer `request`, with what matched in them.
    pub fn search(&self, index: &Index, request: &Request, showing: Showing) -> Result<Found, SearchError> {
        let answer = index.search(request)?;
        let mut reader = MessageReader::new(self);
        let mut conversations = Vec::with_capacity(answer.groups.len());
        for group in answer.groups {
            let summary = group.summary;
            let mut hits = Vec::with_capacity(group.hits.len());
            for hit in group.hits {
                let is_first = conversations.is_empty() && hits.is_empty();
                let room = showing.first_room.filter(|_| is_first).unwrap_or(showing.room);
                let showing = Showing { room, ..showing };
                hits.push(read_back::told(&mut reader, index, &summary, hit, &answer.matcher, showing)?);
            }
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

    /// The reply to the prompt that was hit: the last words of the assistant before the next prompt.
    pub fn reply(&self, index: &Index, prompt: &Hit) -> Result<Option<Message>, SearchError> {
        let (first, last) = (prompt.number.saturating_add(1), prompt.number.saturating_add(LONGEST_TURN));
        let mut turn = index.messages(&prompt.conversation, first, last)?;
        turn.truncate(turn.iter().take_while(|message| message.role != Role::User).count());
        let mut reader = MessageReader::new(self);
        let said = turn.iter().rev().filter(|message| message.role == Role::Assistant).take(TRIED);
        let mut read = said.filter_map(|message| reader.message(message));
        Ok(read.find(|message| !message.text().trim().is_empty()))
    }
}
