//! How much of a conversation a document holds. The same three steps for every format that people read.

use backscroll_model::{Message, Part, Role, named};

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

    /// Whether it is told where each message was read.
    pub fn shows_origins(self) -> bool {
        self == Self::Full
    }
}
