//! What the user typed, taken out of the wrappers that Cursor put around it.
//!
//! Agents' messages carry `<user_query>`, `<timestamp>`, `<attached_files>`, `<user_info>` and many more
//! tags. The words stay words; everything else becomes a time or attachments.

use backscroll_model::Attachment;
use jiff::Timestamp;

/// A user's message without its wrappers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserText {
    /// What the user typed, verbatim; empty if the message is context only.
    pub text: String,
    /// The time that a `<timestamp>` line gives.
    pub at: Option<Timestamp>,
    /// Context that stood around the words.
    pub attachments: Vec<Attachment>,
    /// Nothing was typed: the editor put the whole message there.
    pub is_context: bool,
}

/// Takes the wrappers off `text`.
pub fn unwrap(text: &str) -> UserText {
    UserText { text: text.to_owned(), ..UserText::default() }
}

/// The first line of `text` that is fit for a title.
pub fn title_line(text: &str) -> Option<String> {
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}
