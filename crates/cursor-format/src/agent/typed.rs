//! The protobuf messages of a graph, each with what it is: for those who look at field numbers instead of meanings.

use backscroll_model::named;

use super::graph::{Graph, GraphLocation};
use super::root::{Reference, Root, TurnShape};
use super::tool_schema;
use super::wire::{Field, ProtoMessage, Value};
use crate::hex;

named! {
    /// What a protobuf message is.
    pub enum ProtoKind {
        /// The root of a conversation.
        Root = "root",
        /// A turn, which holds an agent's or a shell's.
        Turn = "turn",
        /// A turn of the agent.
        AgentTurn = "agent turn",
        /// A turn of the shell.
        ShellTurn = "shell turn",
        /// A message of the user.
        UserMessage = "user message",
        /// A step, which holds words, a thought or a tool call.
        Step = "step",
        /// Words of the agent.
        AssistantMessage = "assistant message",
        /// A thought.
        Thinking = "thinking",
        /// A tool call.
        ToolCall = "tool call",
    }
}

/// One message of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedMessage<'a> {
    /// What it is.
    pub kind: ProtoKind,
    /// The numbers of its fields.
    pub numbers: &'a [u32],
    /// The names of tools that it says are a server's or a user's.
    pub custom_tools: &'a [String],
    /// The key of the blob that holds it; `None` if the root does.
    pub blob: Option<&'a str>,
}

/// The names of the tools that stored calls have numbers for.
pub(crate) fn stored_tools() -> impl Iterator<Item = &'static str> {
    tool_schema::all().map(|tool| tool.name)
}

/// Whether a tool has this number.
pub(crate) fn is_known_tool(number: u32) -> bool {
    number == super::tool::TRUNCATED || tool_schema::by_number(number).is_some()
}

/// A message as numbered fields, one a line, nested messages indented; `None` if the bytes are no message.
pub fn numbered_fields(bytes: &[u8]) -> Option<String> {
    let message = ProtoMessage::whole(bytes).filter(|message| !message.fields.is_empty())?;
    Some(numbered(&message, 0))
}

/// Messages nested deeper than this are shown as bytes.
const DEEPEST: usize = 24;

fn numbered(message: &ProtoMessage<'_>, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    let line =
        |field: &Field<'_>| format!("{indent}{}: {}\n", field.number, value(field.value, depth, &indent));
    message.fields.iter().map(line).collect()
}

/// Text if it reads as text, else a message if it is one, else hexadecimal digits.
fn value(value: Value<'_>, depth: usize, indent: &str) -> String {
    let bytes = match value {
        Value::Varint(number) => return number.to_string(),
        Value::Fixed64(bits) => return format!("0x{bits:016x}"),
        Value::Fixed32(bits) => return format!("0x{bits:08x}"),
        Value::Bytes(bytes) => bytes,
    };
    let words = std::str::from_utf8(bytes).ok();
    let words = words.filter(|text| !text.contains(|c: char| c.is_control() && !c.is_whitespace()));
    let nested = ProtoMessage::whole(bytes).filter(|one| !one.fields.is_empty() && depth < DEEPEST);
    match (words, nested) {
        (None, _) if bytes.len() == 32 => hex::encode(bytes),
        // A message whose first field is a text begins like a text that begins with an empty line.
        (Some(words), nested) if nested.is_none() || !bytes.starts_with(b"\n") => format!("{words:?}"),
        (_, Some(nested)) => format!("{{\n{}{indent}}}", numbered(&nested, depth + 1)),
        (_, None) => hex::encode(bytes),
    }
}

/// Shows every message that the root `bytes` leads to through turns.
pub fn each_message(
    bytes: &[u8],
    root: &Root,
    place: &GraphLocation<'_>,
    each: &mut dyn FnMut(TypedMessage<'_>),
) {
    let mut walk = Walk { graph: Graph::new(place.clone()), each };
    walk.show(ProtoKind::Root, &ProtoMessage::read(bytes), None);
    for turn in &root.turns {
        walk.turn(turn, root.turn_shape);
    }
}

/// A turn lists the tools that were added for it (field 9); a call of an MCP server's tool (15) has in its arguments (1) the name
/// that the model was given (1) and the server's own (5).
fn custom_tools(kind: ProtoKind, message: &ProtoMessage<'_>) -> Vec<String> {
    match kind {
        ProtoKind::AgentTurn => message.texts(9),
        ProtoKind::ToolCall => {
            let arguments = message.message(15).and_then(|call| call.message(1));
            arguments.map(|given| [given.words(1), given.words(5)]).into_iter().flatten().flatten().collect()
        }
        _ => Vec::new(),
    }
}

struct Walk<'g, 'e> {
    graph: Graph<'g>,
    each: &'e mut dyn FnMut(TypedMessage<'_>),
}

impl Walk<'_, '_> {
    fn show(&mut self, kind: ProtoKind, message: &ProtoMessage<'_>, blob: Option<&str>) {
        let numbers: Vec<u32> = message.fields.iter().map(|field| field.number).collect();
        let custom_tools = custom_tools(kind, message);
        (self.each)(TypedMessage { kind, numbers: &numbers, custom_tools: &custom_tools, blob });
    }

    fn key(&self, reference: &Reference) -> Option<String> {
        reference.id().map(|id| self.graph.origin(id).key)
    }

    fn turn(&mut self, reference: &Reference, shape: TurnShape) {
        let key = self.key(reference);
        let Some(bytes) = self.graph.resolve(reference, "a turn") else { return };
        let Some(turn) = ProtoMessage::whole(&bytes) else { return };
        let inner = turn.bytes(1).and_then(ProtoMessage::whole);
        match (shape, inner) {
            (TurnShape::Wrapped, Some(agent)) => {
                self.show(ProtoKind::Turn, &turn, key.as_deref());
                self.agent_turn(&agent, key.as_deref());
            }
            (TurnShape::Wrapped, None) if turn.bytes(1).is_none() => {
                self.show(ProtoKind::Turn, &turn, key.as_deref());
                if let Some(shell) = turn.message(2) {
                    self.show(ProtoKind::ShellTurn, &shell, key.as_deref());
                }
            }
            _ => self.agent_turn(&turn, key.as_deref()),
        }
    }

    fn agent_turn(&mut self, turn: &ProtoMessage<'_>, blob: Option<&str>) {
        self.show(ProtoKind::AgentTurn, turn, blob);
        if let Some(user) = turn.bytes(1).map(Reference::from_bytes) {
            let key = self.key(&user);
            if let Some(bytes) = self.graph.resolve(&user, "a user's message") {
                self.show(ProtoKind::UserMessage, &ProtoMessage::read(&bytes), key.as_deref().or(blob));
            }
        }
        for step in turn.every(2).map(Reference::from_bytes) {
            let key = self.key(&step);
            if let Some(bytes) = self.graph.resolve(&step, "a step") {
                self.step(&ProtoMessage::read(&bytes), key.as_deref().or(blob));
            }
        }
    }

    fn step(&mut self, step: &ProtoMessage<'_>, blob: Option<&str>) {
        self.show(ProtoKind::Step, step, blob);
        let kinds = [ProtoKind::AssistantMessage, ProtoKind::ToolCall, ProtoKind::Thinking];
        for (number, kind) in (1..).zip(kinds) {
            if let Some(message) = step.message(number) {
                self.show(kind, &message, blob);
            }
        }
    }
}
