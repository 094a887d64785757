//! Turns read to the last step, so that messages can be compared with them.

use std::borrow::Cow;
use std::cell::Cell;

use backscroll_model::{FindingKind, Payload, ToolCall, ToolStatus};
use jiff::Timestamp;
use serde_json::json;

use super::graph::Graph;
use super::root::{Reference, Root};
use super::step::{Step, step};
use super::tool::Payloads;
use super::turn::{AgentTurn, ShellTurn, Turn, UserMessage, turn, user_message};
use super::wire::Message;
use crate::BlobId;

/// A turn with everything in it.
#[derive(Debug, Default)]
pub(super) struct Told<'a> {
    /// The user's message, and the blob that holds it.
    pub(super) user: Option<(UserMessage, Option<BlobId>)>,
    pub(super) steps: Vec<ToldStep<'a>>,
    pub(super) request_id: Option<String>,
    pub(super) model: Option<String>,
    /// When the turn was recorded.
    pub(super) at: Option<Timestamp>,
    /// A message tells its user's words.
    pub(super) is_matched: bool,
}

/// A step, and whether a message tells it, too.
#[derive(Debug)]
pub(super) struct ToldStep<'a> {
    pub(super) step: Step<'a>,
    /// The blob that holds it; `None` if it stands in the root itself.
    pub(super) blob: Option<BlobId>,
    pub(super) is_used: Cell<bool>,
}

impl ToldStep<'_> {
    /// Its call with what the tool was given and what it answered.
    pub(super) fn whole(&self, call: &ToolCall, graph: &mut Graph<'_>) -> ToolCall {
        let is_left = call.arguments.is_none() && call.result.is_none();
        let bytes = self.blob.filter(|_| is_left).and_then(|id| graph.fetch_if_there(id, "a step"));
        match bytes.and_then(|bytes| step(&bytes, Payloads::Read, graph).map(Step::into_owned)) {
            Some(Step::Called(whole)) => *whole,
            _ => call.clone(),
        }
    }
}

/// Reads every turn that a root lists.
pub(super) fn turns<'a>(root: &Root, graph: &mut Graph<'a>) -> Vec<Told<'a>> {
    turns_where(root, graph, &|_| true)
}

/// Reads those turns that are wanted by number; of the others only the user's words, which show where they stand.
pub(super) fn turns_where<'a>(
    root: &Root,
    graph: &mut Graph<'a>,
    is_wanted: &dyn Fn(usize) -> bool,
) -> Vec<Told<'a>> {
    let mut all = Vec::with_capacity(root.turns.len());
    for (number, reference) in root.turns.iter().enumerate() {
        let Some(bytes) = graph.resolve(reference, "a turn") else {
            continue;
        };
        let mut told = match turn(&bytes, root.turn_shape) {
            Some(Turn::Agent(mut agent)) => {
                if !is_wanted(number) {
                    agent.steps.clear();
                }
                agent_turn(agent, graph)
            }
            Some(Turn::Shell(_)) if !is_wanted(number) => continue,
            Some(Turn::Shell(shell)) => shell_turn(&shell, reference.id(), graph),
            None => {
                let at = graph.origin_of(reference.id());
                graph.report(FindingKind::Undecodable, at, "a turn is no protobuf message");
                continue;
            }
        };
        told.at = root.turn_times.get(number).copied().flatten();
        all.push(told);
    }
    all
}

fn agent_turn<'a>(agent: AgentTurn, graph: &mut Graph<'a>) -> Told<'a> {
    let user = agent.user.and_then(|reference| {
        let bytes = graph.resolve(&reference, "a user's message")?;
        let user = user_message(&bytes, graph);
        if user.is_none() {
            let says = "a user's message is no protobuf message";
            graph.report(FindingKind::Undecodable, graph.origin_of(reference.id()), says);
        }
        Some((user?, reference.id()))
    });
    let mut steps = Vec::with_capacity(agent.steps.len());
    for reference in &agent.steps {
        let Some(bytes) = graph.resolve(reference, "a step") else {
            continue;
        };
        let blob = reference.id();
        // What can be read again is left until somebody asks: nearly always a message tells it already.
        let payloads = if blob.is_some() { Payloads::Left } else { Payloads::Read };
        // Where the store lends a blob, its words are not copied: most are told by a message already.
        let step = match &bytes {
            Cow::Borrowed(bytes) => step(bytes, payloads, graph),
            Cow::Owned(bytes) => step(bytes, payloads, graph).map(Step::into_owned),
        };
        match step {
            Some(step) => steps.push(ToldStep { step, blob, is_used: Cell::new(false) }),
            None => graph.report(FindingKind::Unknown, graph.origin_of(blob), "a step is of no known kind"),
        }
    }
    Told { user, steps, request_id: agent.request_id, model: agent.model, at: None, is_matched: false }
}

/// A command that the user ran: their words, and what the shell made of them.
fn shell_turn<'a>(shell: &ShellTurn, blob: Option<BlobId>, graph: &mut Graph<'a>) -> Told<'a> {
    let mut read = |reference: &Option<Reference>, what| graph.resolve(reference.as_ref()?, what);
    let command = read(&shell.command, "a shell command");
    let output = read(&shell.output, "a shell command's output");
    let command = command.and_then(|bytes| Message::read(&bytes).text(1)).unwrap_or_default();
    let result = output.as_deref().map(Message::read).map(|output| {
        let code = output.number(3).unwrap_or_default().cast_signed();
        json!({ "stdout": output.text(1), "stderr": output.text(2), "exitCode": code }).to_string()
    });
    let call = ToolCall {
        name: "shell".to_owned(),
        raw_name: "shell".to_owned(),
        arguments: Some(Payload::from_text(json!({ "command": command }).to_string())),
        status: if result.is_some() { ToolStatus::Completed } else { ToolStatus::Unknown },
        result: result.map(Payload::from_text),
        ..ToolCall::default()
    };
    let user = UserMessage { text: command, ..UserMessage::default() };
    Told {
        user: Some((user, blob)),
        steps: vec![ToldStep { step: Step::Called(Box::new(call)), blob, is_used: Cell::new(false) }],
        ..Told::default()
    }
}
