//! Something that happened to a conversation while somebody watched.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::{Flag, Message, MessageId, Summary, Tokens, Workspace};

/// Something that happened to one conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The conversation, as it is now.
    pub summary: Arc<Summary>,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    /// The conversation is seen for the first time.
    Conversation,
    /// A message is seen for the first time: once for each message id.
    Message(Box<Message>),
    /// Words, parts or results of a message changed.
    MessageChanged {
        /// The message as it is now.
        message: Box<Message>,
        /// How many states of it were seen, the first included.
        revision: u32,
    },
    /// Title, flags or workspace changed; nothing of that if the conversation was reported as deleted and is stored again.
    ConversationChanged(Vec<HeadChange>),
    /// Measured tokens arrived.
    Usage {
        /// The message that they were counted for.
        message: MessageId,
        /// The tokens.
        tokens: Tokens,
    },
    /// The message, or the conversation where none is named, is no longer stored.
    Deleted(Option<MessageId>),
}

impl EventKind {
    /// Its name in `backscroll.event/1`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Conversation => "conversation",
            Self::Message(_) => "message",
            Self::MessageChanged { .. } => "message-changed",
            Self::ConversationChanged(_) => "conversation-changed",
            Self::Usage { .. } => "usage",
            Self::Deleted(_) => "deleted",
        }
    }
}

/// A fact about a conversation that changed: before, and now.
#[derive(Debug, Clone, PartialEq)]
pub enum HeadChange {
    /// The title.
    Title(Option<String>, Option<String>),
    /// The flags.
    Flags(BTreeSet<Flag>, BTreeSet<Flag>),
    /// The workspace.
    Workspace(Option<Workspace>, Option<Workspace>),
}
