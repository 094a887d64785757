//! Steps of a turn: words, a tool call or a thought.

use backscroll_model::ToolCall;
use jiff::Timestamp;

use super::graph::Graph;
use super::tool;
use super::wire::Message;

/// One thing the agent did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// It spoke.
    Said {
        /// The words.
        text: String,
        /// When it began to.
        at: Option<Timestamp>,
    },
    /// It used a tool.
    Called(Box<ToolCall>),
    /// It thought.
    Thought {
        /// The thought.
        text: String,
        /// How long it took.
        duration_ms: Option<u64>,
        /// When it began to.
        at: Option<Timestamp>,
    },
}

impl Step {
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
pub(super) fn step(bytes: &[u8], graph: &mut Graph<'_>) -> Option<Step> {
    let message = Message::whole(bytes)?;
    if let Some(call) = message.bytes(2) {
        return tool::read(call, graph).map(|call| Step::Called(Box::new(call)));
    }
    if let Some(said) = message.message(1) {
        return Some(Step::Said {
            text: said.text(1).unwrap_or_default(),
            at: said.time(2).or_else(|| said.time(3)),
        });
    }
    message.message(3).map(|thought| Step::Thought {
        text: thought.text(1).unwrap_or_default(),
        duration_ms: thought.number(2),
        at: thought.time(3).or_else(|| thought.time(4)),
    })
}
