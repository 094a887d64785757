//! What became of a source since it was last looked at. How a source finds out is its own affair.

use std::collections::BTreeSet;

use crate::ConversationId;

/// How far a source had been read. Its text means something to that source alone; others keep it and hand it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark(pub String);

impl Mark {
    /// The mark of a source before it had anything: whatever it tells came since.
    pub fn before_anything() -> Self {
        Self(String::new())
    }
}

/// What happened since a mark was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changes {
    /// Nothing. The old mark stays good.
    Nothing,
    /// Just these conversations came, changed or went.
    These {
        /// All of them, those that are gone included: asking for one of them tells which it is.
        conversations: BTreeSet<ConversationId>,
        /// Where the source stands now.
        mark: Mark,
    },
    /// Anything may have changed: the source was never looked at, or cannot tell.
    Anything {
        /// Where the source stands now.
        mark: Mark,
    },
}
