//! What a search tells.

use backscroll_index::IndexError;
use backscroll_index::search::{Facets, Hit, Note, Rung, Snippet, Total};
use backscroll_model::{Message, Summary};

use crate::AskError;

/// How much of each hit is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Showing {
    /// The approximate length of a snippet in characters.
    pub room: usize,
    /// The same for the first hit of the first conversation, where it is another.
    pub first_room: Option<usize>,
    /// The number of neighbouring messages before and after each hit.
    pub context: u64,
}

impl Default for Showing {
    fn default() -> Self {
        Self { room: 160, first_room: None, context: 0 }
    }
}

/// The answer to a search.
#[derive(Debug, Default)]
pub struct Found {
    /// The conversations, in the asked order.
    pub conversations: Vec<FoundConversation>,
    /// How much there is in all.
    pub total: Total,
    /// What the reader should know about the way in which it was found.
    pub notes: Vec<Note>,
    /// The answer counted by facts, if that was asked for.
    pub facets: Option<Facets>,
}

/// One conversation and what matched in it.
#[derive(Debug)]
pub struct FoundConversation {
    /// The conversation.
    pub summary: Summary,
    /// The best hits, best first.
    pub hits: Vec<FoundHit>,
    /// How many more there are.
    pub more: usize,
    /// How well it answers.
    pub rung: Rung,
    /// Words asked for that it does not have.
    pub missing: Vec<String>,
    /// Words that the index does not have, and what was found instead.
    pub corrected: Vec<(String, String)>,
}

/// One message, or a title, that matched.
#[derive(Debug)]
pub struct FoundHit {
    /// Which message.
    pub hit: Hit,
    /// The stretch that shows best why; `None` if the message has gone since or has no text.
    pub snippet: Option<Snippet>,
    /// Neighbouring messages, in order, if they were asked for.
    pub nearby: Vec<Nearby>,
}

/// A message near a hit.
#[derive(Debug)]
pub struct Nearby {
    /// Its number in the conversation, from zero.
    pub number: u64,
    /// The message.
    pub message: Message,
}

/// A search could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The index cannot be used.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A store cannot be read.
    #[error(transparent)]
    Ask(#[from] AskError),
}
