//! Search by words.

use backscroll_index::Index;
use backscroll_index::search::Request;
use backscroll_model::{FoundConversation, Hit, Message, Part, Role};

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

    /// What was said to what was hit: to a prompt the last words of the assistant before the next prompt, to a question of the
    /// assistant what the user answered.
    pub fn reply(&self, index: &Index, to: &Hit) -> Result<Option<Message>, SearchError> {
        let (first, last) = (to.number.saturating_add(1), to.number.saturating_add(LONGEST_TURN));
        let mut after = index.messages(&to.conversation, first, last)?;
        let turn = after.iter().take_while(|message| message.role != Role::User).count();
        let mut reader = MessageReader::new(self);
        match to.role {
            Role::User => {
                after.truncate(turn);
                let said = after.iter().rev().filter(|message| message.role == Role::Assistant).take(TRIED);
                let mut read = said.filter_map(|message| reader.message(message));
                Ok(read.find(|message| !message.text().trim().is_empty()))
            }
            Role::Assistant => {
                let Some(asked) = reader.message(to) else { return Ok(None) };
                let chosen =
                    asked.tool_calls().filter(|call| call.name == "ask").find_map(|call| call.result.clone());
                if let Some(chosen) = chosen {
                    let parts = vec![Part::Text(chosen.as_str().to_owned())];
                    return Ok(Some(Message { role: Role::User, parts, ..asked }));
                }
                let answer = after.get(turn).filter(|_| ends_with_question(&asked.text()));
                Ok(answer.and_then(|answer| reader.message(answer)))
            }
            Role::System | Role::Tool => Ok(None),
        }
    }
}

fn ends_with_question(text: &str) -> bool {
    let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    last.contains(['?', '？', '؟'])
}
