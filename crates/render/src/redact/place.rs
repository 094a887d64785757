//! Where in a conversation something stands, for people.

use std::fmt;

/// Where in a conversation a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The number of the message, counted from one; `None` for what stands beside the messages.
    pub message: Option<usize>,
    /// Whether it is one of the messages that the conversation does not list.
    pub is_orphan: bool,
    /// Which of its texts.
    pub field: &'static str,
}

impl Place {
    pub(super) fn beside(field: &'static str) -> Self {
        Self { message: None, is_orphan: false, field }
    }

    pub(super) fn field(self, field: &'static str) -> Self {
        Self { field, ..self }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.message, self.is_orphan) {
            (None, _) => f.write_str(self.field),
            (Some(number), false) => write!(f, "message {number}, {}", self.field),
            (Some(number), true) => write!(f, "unlisted message {number}, {}", self.field),
        }
    }
}
