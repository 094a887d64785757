//! A few messages of a huge conversation, without reading the rest of it. Merging needs everything that is told; so the few
//! are merged alone, which is a guess. Whether the whole has the very same, the index vouches for each.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use backscroll_index::{Index, IndexError, VouchedMessage};
use backscroll_model::{Conversation, ConversationId, Message, Role, Source};

use crate::History;
use crate::merge;

/// Whole turns are read, because layers are compared turn by turn; so far a turn's ends are looked for.
const LONGEST_TURN: u64 = 60;

/// Messages of a conversation that were read without the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadAlone {
    /// How many messages the conversation has in all.
    pub total: u64,
    /// The first of those that were asked for, in order: up to one that cannot be told alone.
    pub messages: Vec<AloneMessage>,
}

/// A message that was read without the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct AloneMessage {
    /// The message.
    pub message: Message,
    /// Whether the whole has the very same, but for [`Message::also`]; else it has one with this id here, which may differ.
    pub is_sure: bool,
}

impl History {
    /// The messages of a conversation with the numbers in `wanted`, without the price of the others; `index`, which must
    /// be fresh, knows which there are, and whether each is as [`load`](History::load) tells it. `None` if it does not
    /// know the conversation.
    pub fn read_alone(
        &self,
        index: &Index,
        id: &ConversationId,
        wanted: Range<u64>,
    ) -> Result<Option<ReadAlone>, IndexError> {
        let around = wanted.start.saturating_sub(LONGEST_TURN)..wanted.end.saturating_add(LONGEST_TURN);
        let Some(vouched) = index.vouched(id, around.start, around.end)? else { return Ok(None) };
        let turns = whole_turns(&vouched.messages, &wanted);
        let ids: HashSet<&str> = turns.iter().map(|message| message.id.as_str()).collect();
        let live = self.sources().iter().filter(|source| !source.is_backup());
        let tellings = live.filter_map(|source| told(&**source, id, &ids)).flatten().collect();
        let guessed = merge::tellings(tellings).map(|guess| guess.messages).unwrap_or_default();
        let mut guessed: HashMap<String, Message> =
            guessed.into_iter().map(|message| (message.id.as_str().to_owned(), message)).collect();
        let asked = vouched.messages.iter().filter(|message| wanted.contains(&message.number));
        let told = asked.map_while(|known| {
            let message = guessed.remove(known.id.as_str())?;
            Some(AloneMessage { is_sure: known.is(&message), message })
        });
        Ok(Some(ReadAlone { total: vouched.total, messages: told.collect() }))
    }
}

/// What `source` tells. One that cannot be read is none: whoever loads the whole hears of it.
fn told(source: &dyn Source, id: &ConversationId, ids: &HashSet<&str>) -> Option<Vec<Conversation>> {
    source.load_some(id, ids).ok().flatten()
}

/// Those of `messages` that are `wanted`, with the rest of the turns to which they belong.
fn whole_turns<'a>(messages: &'a [VouchedMessage], wanted: &Range<u64>) -> &'a [VouchedMessage] {
    let begins = |message: &VouchedMessage| message.role == Role::User;
    let first = messages.partition_point(|message| message.number < wanted.start);
    let end = messages.partition_point(|message| message.number < wanted.end);
    // The first wanted one may begin a turn itself.
    let before = messages.get(..=first).unwrap_or(messages);
    let from = before.iter().rposition(begins).unwrap_or(0);
    let to = messages[end..].iter().position(begins).map_or(messages.len(), |after| end + after);
    messages.get(from..to).unwrap_or_default()
}
