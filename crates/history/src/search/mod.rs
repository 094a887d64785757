//! Search: the index tells where, the sources tell what. Text is not stored in the index, so every snippet is made from the
//! message as its store holds it now.

mod exact;
mod read_back;
mod reader;
mod related;
mod words;

use backscroll_index::IndexError;
use backscroll_index::search::{Facets, Note, Total};
use backscroll_model::FoundConversation;

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
