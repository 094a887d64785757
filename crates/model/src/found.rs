//! What a search found, and how the index is: made by `index` and `history`, drawn by every face.

use std::ops::Range;
use std::path::PathBuf;

use jiff::Timestamp;

use crate::{ConversationId, Message, MessageId, Moment, Origin, Role, Summary};

named! {
    /// How well a conversation answers, best first.
    pub enum Rung {
        /// One message, or the title, has all that is asked for.
        All = "all",
        /// The conversation has all of it, in several messages.
        Conversation = "conversation",
        /// The conversation has some of it.
        Some = "some",
    }
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

/// One message, or a title, that matched, and what is shown of it.
#[derive(Debug)]
pub struct FoundHit {
    /// Which message.
    pub hit: Hit,
    /// The stretch that shows best why; `None` if the message has gone since or has no text.
    pub snippet: Option<Snippet>,
    /// Neighbouring messages, in order, with their numbers in the conversation, if they were asked for.
    pub nearby: Vec<(u64, Message)>,
}

impl FoundHit {
    /// The kind of part it is in, as the outer contract calls it.
    pub fn part(&self) -> &'static str {
        self.snippet.as_ref().map_or("text", |snippet| snippet.part)
    }
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
    /// What is in the conversation's input box and was never sent, if that may have matched.
    pub draft: Option<String>,
    /// What the conversation's record notes besides, if that may have matched.
    pub noted: Option<String>,
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

/// A stretch of text with the places that matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// The kind of part it is in, as the outer contract calls it.
    pub part: &'static str,
    /// The stretch on one line; `…` stands where it was cut.
    pub text: String,
    /// Where in it the matches stand, in order, without overlaps.
    pub marks: Vec<Range<usize>>,
}

impl Snippet {
    /// The stretch in pieces; true for those that matched.
    pub fn pieces(&self) -> Vec<(bool, &str)> {
        let mut pieces = Vec::new();
        let mut from = 0;
        for mark in &self.marks {
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexStatus {
    /// Its folder.
    pub place: PathBuf,
    /// The format that this program reads and writes.
    pub version: i32,
    /// The bytes that its files take.
    pub disk_bytes: u64,
    /// What it holds; `None` if there is no index, or one of another version.
    pub holds: Option<IndexHoldings>,
}

/// What an index holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexHoldings {
    /// Conversations.
    pub conversations: u64,
    /// Messages, orphans included.
    pub messages: u64,
    /// The bytes of text whose words it has.
    pub text_bytes: u64,
    /// Conversations whose messages could not be read.
    pub unread: u64,
    /// When it was last brought up to date.
    pub refreshed_at: Option<Timestamp>,
    /// Conversations whose words are not there yet, or older ones.
    pub stale: u64,
}
