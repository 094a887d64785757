//! How a document is written: which messages and parts it shows, where a heading names the speaker. The same for every format
//! that people read.

use std::collections::BTreeMap;

use backscroll_model::{Message, Part, Role, named};
use jiff::tz::TimeZone;

/// How a document is written.
#[derive(Debug, Clone)]
pub struct Options {
    /// How much of the conversation is shown.
    pub detail: Detail,
    /// The zone of times.
    pub time_zone: TimeZone,
    /// Whether it shares its file with other conversations.
    pub is_shared: bool,
    /// Addresses of other conversations by their ids. Others are named but not linked.
    pub links: BTreeMap<String, String>,
    /// Titles of other conversations by their ids. Others are called by their ids.
    pub titles: BTreeMap<String, String>,
    /// The address of the page that lists all conversations.
    pub index: Option<String>,
}

impl Options {
    /// A document in a file of its own, without others beside it.
    pub fn alone(detail: Detail, time_zone: TimeZone) -> Self {
        let (links, titles) = (BTreeMap::new(), BTreeMap::new());
        Self { detail, time_zone, is_shared: false, links, titles, index: None }
    }
}

/// A message that a document shows.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// The message.
    pub message: &'a Message,
    /// Its number among all messages of its list, from one.
    pub number: usize,
    /// Whether a heading names its speaker.
    pub has_heading: bool,
}

/// Whether a heading names the speaker of `message`, if `before` is shown before it: at each prompt, and where the speaker or
/// the model changes.
pub fn starts_heading(before: Option<&Message>, message: &Message) -> bool {
    before.is_none_or(|before| {
        message.role == Role::User
            || before.role != message.role
            || before.deleted != message.deleted
            || before.sender != message.sender
            || (message.model.is_some() && before.model != message.model)
    })
}

named! {
    /// How much of a conversation is written, the least first.
    #[derive(Default)]
    pub enum Detail {
        /// What people said: the words of the user and of the assistant.
        Talk = "talk",
        /// Thinking and tools too, folded; what was changed; what stood beside the words.
        #[default]
        Normal = "normal",
        /// Everything: whole results, the text of attachments, system messages, orphans, origins, findings.
        Full = "full",
    }
}

impl Detail {
    /// The messages that are written, in order.
    pub fn shown(self, messages: &[Message]) -> impl Iterator<Item = Shown<'_>> {
        let shown = messages.iter().zip(1..).filter(move |(message, _)| self.shows_message(message));
        shown.scan(None, |before, (message, number)| {
            let has_heading = starts_heading(before.replace(message), message);
            Some(Shown { message, number, has_heading })
        })
    }

    /// Whether a part of this kind is written at all.
    ///
    /// Errors belong to the talk: without them an answer that broke off would look complete.
    pub fn shows_part(self, part: &Part) -> bool {
        match part {
            Part::Text(text) => !text.trim().is_empty(),
            Part::Error(_) => true,
            Part::Thinking { .. }
            | Part::ToolCall(_)
            | Part::Image(_)
            | Part::Attachment(_)
            | Part::Code(_)
            | Part::Summary(_)
            | Part::Todos(_) => self >= Self::Normal,
        }
    }

    /// Whether a message is written at all: system messages and what a tool said alone are not part of the talk.
    pub fn shows_message(self, message: &Message) -> bool {
        let is_of_interest = match message.role {
            Role::User | Role::Assistant => true,
            Role::Tool => self >= Self::Normal,
            Role::System => self == Self::Full,
        };
        is_of_interest && (self == Self::Full || message.parts.iter().any(|part| self.shows_part(part)))
    }

    /// Whether messages that the conversation does not list follow it.
    pub fn shows_orphans(self) -> bool {
        self == Self::Full
    }

    /// Whether the origin of each message is shown.
    pub fn shows_origins(self) -> bool {
        self == Self::Full
    }
}
