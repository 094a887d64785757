//! When something was said, and how surely we know it.

use jiff::Timestamp;

/// How a message's time is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum AtIs {
    /// Stored for this message.
    Exact,
    /// Lies between known neighbours.
    Interpolated,
    /// Only the conversation's own time is known.
    Conversation,
    /// Nothing is known.
    #[default]
    Unknown,
}

impl AtIs {
    /// The name that the outer contract uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Interpolated => "interpolated",
            Self::Conversation => "conversation",
            Self::Unknown => "unknown",
        }
    }
}

/// A time together with how it is known. `at` is `None` exactly when `is` is [`AtIs::Unknown`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Moment {
    /// The time.
    pub at: Option<Timestamp>,
    /// How it is known.
    pub is: AtIs,
}

impl Moment {
    /// A time that was stored for this very message.
    pub fn exact(at: Timestamp) -> Self {
        Self { at: Some(at), is: AtIs::Exact }
    }

    /// A stored time if there is one, else unknown.
    pub fn exact_or_unknown(at: Option<Timestamp>) -> Self {
        at.map_or_else(Self::default, Self::exact)
    }
}
