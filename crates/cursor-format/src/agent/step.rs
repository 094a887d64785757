//! Steps of a turn: words, a tool call or a thought.

use std::borrow::Cow;

use backscroll_model::ToolCall;
use jiff::Timestamp;

use super::graph::Graph;
use super::tool::{self, Payloads};
use super::wire::Message;

/// One thing the agent did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'a> {
    /// It spoke.
    Said {
        /// The words.
        text: Cow<'a, str>,
        /// When it began to.
        at: Option<Timestamp>,
    },
    /// It used a tool.
    Called(Box<ToolCall>),
    /// It thought.
    Thought {
        /// The thought.
        text: Cow<'a, str>,
        /// How long it took.
        duration_ms: Option<u64>,
        /// When it began to.
        at: Option<Timestamp>,
    },
}

impl Step<'_> {
    /// The same, borrowed from nobody.
    pub(super) fn into_owned(self) -> Step<'static> {
        match self {
            Self::Said { text, at } => Step::Said { text: text.into_owned().into(), at },
            Self::Called(call) => Step::Called(call),
            Self::Thought { text, duration_ms, at } => {
                Step::Thought { text: text.into_owned().into(), duration_ms, at }
            }
        }
    }

    /// What was said or thought, without white space around it.
    pub(super) fn words(&self) -> Option<&str> {
        match self {
            Self::Said { text, .. } | Self::Thought { text, .. } => Some(text.trim()),
            Self::Called(_) => None,
        }
    }

    /// When it began, or else when it ended.
    pub fn at(&self) -> Option<Timestamp> {
        match self {
            Self::Said { at, .. } | Self::Thought { at, .. } => *at,
            Self::Called(call) => call.started_at.or(call.ended_at),
        }
    }
}

/// Reads a step; `None` if it is of no known kind.
pub(super) fn step<'a>(bytes: &'a [u8], payloads: Payloads, graph: &mut Graph<'_>) -> Option<Step<'a>> {
    let message = Message::whole(bytes)?;
    if let Some(call) = message.bytes(2) {
        return tool::read(call, payloads, graph).map(|call| Step::Called(Box::new(call)));
    }
    if let Some(said) = message.message(1) {
        return Some(Step::Said { text: said.readable(1), at: said.time(2).or_else(|| said.time(3)) });
    }
    message.message(3).map(|thought| Step::Thought {
        text: thought.readable(1),
        duration_ms: thought.number(2),
        at: thought.time(3).or_else(|| thought.time(4)),
    })
}
