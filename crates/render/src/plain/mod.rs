//! A conversation as plain text: no markup, lines as long as they were, nothing in it that a terminal would obey.

mod conversation;
mod part;

pub use conversation::{Look, conversation};
