//! Turns: one message of the user and what the agent did about it, or one shell command. Must not read steps.

use backscroll_model::{Attachment, Image};
use jiff::Timestamp;

use super::graph::Graph;
use super::root::{Reference, TurnShape, mode_name};
use super::selected;
use super::wire::Message;
use crate::rich_text;

/// One turn, its parts still to be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// The agent's.
    Agent(AgentTurn),
    /// A command that the user ran.
    Shell(ShellTurn),
}

/// A message of the user and the steps it led to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentTurn {
    /// The user's message.
    pub user: Option<Reference>,
    /// What the agent did, in order.
    pub steps: Vec<Reference>,
    /// The request; the same over all layers.
    pub request_id: Option<String>,
    /// The model that the request was routed to.
    pub model: Option<String>,
}

/// A command that the user ran in the agent's shell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShellTurn {
    /// The command.
    pub command: Option<Reference>,
    /// What it printed.
    pub output: Option<Reference>,
}

/// What a user wrote, as the turn keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserMessage {
    /// The words.
    pub text: String,
    /// The id, which is the editor's bubble id.
    pub id: Option<String>,
    /// The editor's rich text.
    pub rich_text: Option<String>,
    /// The mode at that moment.
    pub mode: Option<&'static str>,
    /// Not typed by the user, or typed for another purpose: why, as a number.
    pub simulated: Option<u64>,
    /// When it was sent.
    pub started_at: Option<Timestamp>,
    /// When it was answered.
    pub ended_at: Option<Timestamp>,
    /// Pictures.
    pub images: Vec<Image>,
    /// Files and the like.
    pub attachments: Vec<Attachment>,
}

/// Takes a turn apart.
pub(super) fn turn(bytes: &[u8], shape: TurnShape) -> Option<Turn> {
    let message = Message::whole(bytes)?;
    if shape == TurnShape::Direct {
        return Some(Turn::Agent(agent(&message)));
    }
    if let Some(shell) = message.message(2).filter(|_| message.bytes(1).is_none()) {
        return Some(Turn::Shell(ShellTurn {
            command: shell.bytes(1).map(Reference::of),
            output: shell.bytes(2).map(Reference::of),
        }));
    }
    let inner = Message::whole(message.bytes(1)?);
    Some(Turn::Agent(match inner {
        Some(inner) => agent(&inner),
        // An old turn in the new list: its first field is an id, not a message.
        None => agent(&message),
    }))
}

fn agent(message: &Message<'_>) -> AgentTurn {
    AgentTurn {
        user: message.bytes(1).map(Reference::of),
        steps: message.every(2).map(Reference::of).collect(),
        request_id: message.words(3),
        model: message.words(7),
    }
}

/// Reads a user's message; only a text that was put into a blob of its own is fetched.
pub(super) fn user_message(bytes: &[u8], graph: &mut Graph<'_>) -> Option<UserMessage> {
    let message = Message::whole(bytes)?;
    let context = message.message(3);
    let rich_text = words(&message, 8, 19, graph);
    let text = words(&message, 1, 18, graph)
        .or_else(|| Some(rich_text::read(rich_text.as_deref()?).text))
        .unwrap_or_default();
    let reason = message.number(9).filter(|&reason| reason != 0);
    let flagged = message.number(5).filter(|&flag| flag != 0);
    Some(UserMessage {
        text,
        id: message.words(2),
        rich_text,
        mode: message.number(4).and_then(mode_name),
        simulated: reason.or(flagged.map(|_| 0)),
        started_at: message.time(25),
        ended_at: message.time(26),
        images: context.as_ref().map(selected::images).unwrap_or_default(),
        attachments: context.as_ref().map(selected::attachments).unwrap_or_default(),
    })
}

fn words(message: &Message<'_>, inline: u32, blob: u32, graph: &mut Graph<'_>) -> Option<String> {
    if let Some(text) = message.words(inline) {
        return Some(text);
    }
    match Reference::of(message.bytes(blob)?) {
        Reference::Blob(id) => {
            let bytes = graph.fetch(id, "a user's text")?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
        Reference::Inline(_) => None,
    }
}
