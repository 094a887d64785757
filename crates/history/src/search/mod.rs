//! Search: the index tells where, the sources tell what. Text is not stored in the index, so every snippet is made from the
//! message as its store holds it now.

mod exact;
mod found;
mod read_back;
mod reader;
mod related;
mod words;

pub use found::{Found, FoundConversation, FoundHit, Nearby, SearchError, Showing};
