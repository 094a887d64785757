//! What a search found and how the index is, as values to be written out.

use std::ops::Range;
use std::path::PathBuf;

use backscroll_model::{Message, MessageId, Role, Summary};
use jiff::Timestamp;

/// One conversation and what matched in it.
#[derive(Debug, Clone)]
pub struct ShownConversation<'a> {
    /// The conversation.
    pub summary: &'a Summary,
    /// The best hits, best first.
    pub hits: Vec<ShownHit<'a>>,
    /// How many more there are.
    pub more: usize,
    /// How well it answers, by the outer contract's name.
    pub matched: &'a str,
    /// Words asked for that it does not have.
    pub missing: &'a [String],
    /// Words that nothing has, and what was found instead.
    pub corrected: &'a [(String, String)],
}

/// One message, or a title, that matched.
#[derive(Debug, Clone)]
pub struct ShownHit<'a> {
    /// The message; of a title, the conversation's first.
    pub message: Option<&'a MessageId>,
    /// Who speaks.
    pub role: Role,
    /// When.
    pub at: Option<Timestamp>,
    /// Its rank; higher is better.
    pub score: f64,
    /// The stretch that shows why.
    pub snippet: ShownSnippet<'a>,
    /// Its number in the conversation, from zero.
    pub number: u64,
    /// Neighbouring messages, in order, with their numbers in the conversation, from zero.
    pub nearby: Vec<(u64, &'a Message)>,
}

/// A stretch of text with the places that matched.
#[derive(Debug, Clone, Copy)]
pub struct ShownSnippet<'a> {
    /// The kind of part it stands in.
    pub part: &'a str,
    /// The stretch on one line.
    pub text: &'a str,
    /// Where the matches stand, in order, without overlaps, between characters.
    pub marks: &'a [Range<usize>],
}

impl<'a> ShownSnippet<'a> {
    /// The stretch in pieces; true for those that matched.
    pub fn pieces(&self) -> Vec<(bool, &'a str)> {
        let mut pieces = Vec::new();
        let mut from = 0;
        for mark in self.marks {
            pieces.extend(self.text.get(from..mark.start).map(|text| (false, text)));
            pieces.extend(self.text.get(mark.clone()).map(|text| (true, text)));
            from = mark.end;
        }
        pieces.extend(self.text.get(from..).map(|text| (false, text)));
        pieces.retain(|(_, text)| !text.is_empty());
        pieces
    }

    /// The stretch with `«` and `»` around what matched.
    pub fn marked(&self) -> String {
        let pieces = self.pieces().into_iter();
        pieces.map(|(matched, text)| if matched { format!("«{text}»") } else { text.to_owned() }).collect()
    }
}

/// What is known of the search index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexReport {
    /// Its folder.
    pub place: PathBuf,
    /// The version of its format.
    pub format: i32,
    /// Whether there is one that can be used.
    pub is_there: bool,
    /// How many conversations it holds.
    pub conversations: u64,
    /// How many messages.
    pub messages: u64,
    /// Conversations in it whose messages could not be read.
    pub unread: u64,
    /// The bytes of text whose words it holds.
    pub text_bytes: u64,
    /// The bytes that its files take.
    pub disk_bytes: u64,
    /// When it was last brought up to date.
    pub refreshed_at: Option<Timestamp>,
    /// How many conversations changed since; `None` if that cannot be told without reading them.
    pub changed: Option<u64>,
}
