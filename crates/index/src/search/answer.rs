//! The answer to a question.

use backscroll_model::{ConversationId, MessageId, Moment, Origin, Role, Summary};

use super::facets::Facets;

/// What was found.
#[derive(Debug, Default)]
pub struct Answer {
    /// The conversations, in the asked order.
    pub groups: Vec<Group>,
    /// How much there is in all.
    pub total: Total,
    /// What the reader should know about the way in which it was found.
    pub notes: Vec<Note>,
    /// The answer counted by facts, if that was asked for.
    pub facets: Option<Facets>,
}

/// How much was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Total {
    /// Conversations.
    pub conversations: usize,
    /// Messages and titles.
    pub hits: usize,
    /// There are more: only the newest were looked at.
    pub at_least: bool,
}

/// Something the reader should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The words stand in very many messages; only so many of the newest were ranked.
    NewestOnly(usize),
    /// No message holds all the words; these conversations do.
    ConversationWide,
    /// So many messages may hold what was asked for, and could not be read back to see.
    Unread(usize),
}

/// One conversation and what matched in it.
#[derive(Debug)]
pub struct Group {
    /// The conversation.
    pub summary: Summary,
    /// Its rank; higher is better.
    pub score: f64,
    /// The best hits, best first.
    pub hits: Vec<Hit>,
    /// How many more there are.
    pub more: usize,
}

/// One message, or a title, that matched.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The conversation.
    pub conversation: ConversationId,
    /// The message; of a title, the conversation's first. `None` if there is none.
    pub message: Option<MessageId>,
    /// Its number in the conversation, from zero.
    pub number: u64,
    /// The title or the draft matched, not the message.
    pub is_title: bool,
    /// What stands in the conversation's input box and was never sent, if that may have matched.
    pub draft: Option<String>,
    /// The message is stored, and its conversation does not list it: its number is one behind the last.
    pub is_orphan: bool,
    /// Who speaks.
    pub role: Role,
    /// When.
    pub at: Moment,
    /// Where it was read.
    pub origin: Option<Origin>,
    /// Its rank; higher is better.
    pub score: f64,
}
