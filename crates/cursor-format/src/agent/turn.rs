//! Turns and their steps: one message of the user and what the agent did about it, or one shell command.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::HashMap;

use backscroll_model::{
    Attachment, AttachmentKind, FindingKind, Image, Payload, Sender, SenderKind, ToolCall, ToolStatus,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::json;

use super::graph::Graph;
use super::root::{Reference, Root, TurnShape};
use super::tool;
use super::tool::Payloads;
use super::wire::{ProtoMessage, Value};
use crate::{BlobId, rich_text};

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
    /// Who wrote it, if no person did.
    pub sender: Option<Sender>,
    /// When it was sent.
    pub started_at: Option<Timestamp>,
    /// Pictures.
    pub images: Vec<Image>,
    /// Files and the like.
    pub attachments: Vec<Attachment>,
}

/// Takes a turn apart.
pub(super) fn turn(bytes: &[u8], shape: TurnShape) -> Option<Turn> {
    let message = ProtoMessage::whole(bytes)?;
    if shape == TurnShape::Direct {
        return Some(Turn::Agent(agent(&message)));
    }
    if let Some(shell) = message.message(2).filter(|_| message.bytes(1).is_none()) {
        return Some(Turn::Shell(ShellTurn {
            command: shell.bytes(1).map(Reference::from_bytes),
            output: shell.bytes(2).map(Reference::from_bytes),
        }));
    }
    let inner = ProtoMessage::whole(message.bytes(1)?);
    Some(Turn::Agent(match inner {
        Some(inner) => agent(&inner),
        // An old turn in the new list: its first field is an id, not a message.
        None => agent(&message),
    }))
}

fn agent(message: &ProtoMessage<'_>) -> AgentTurn {
    AgentTurn {
        user: message.bytes(1).map(Reference::from_bytes),
        steps: message.every(2).map(Reference::from_bytes).collect(),
        request_id: message.words(3),
        model: message.words(7),
    }
}

/// Reads a user's message; only a text that was put into a blob of its own is fetched.
pub(super) fn user_message(bytes: &[u8], graph: &mut Graph<'_>) -> Option<UserMessage> {
    let message = ProtoMessage::whole(bytes)?;
    let context = message.message(3);
    let rich_text = words(&message, 8, 19, graph);
    let text = words(&message, 1, 18, graph).or_else(|| Some(rich_text::read(&rich_text?).text));
    let text = text.unwrap_or_default();
    let mut attachments = context.as_ref().map(attachments).unwrap_or_default();
    attachments.extend(message.every(21).map(hook_context));
    Some(UserMessage {
        id: message.words(2),
        sender: sender(&message, text.trim().is_empty()),
        started_at: message.time(25),
        images: context.as_ref().map(images).unwrap_or_default(),
        attachments,
        text,
    })
}

/// Who wrote a user's message: another agent (27, 29), a voice call (28), the editor (5, 9, 14, 15), or, where it has no words
/// of its own, a hook (21).
fn sender(message: &ProtoMessage<'_>, is_wordless: bool) -> Option<Sender> {
    let is_set = |number| message.number(number).is_some_and(|flag| flag != 0);
    let stated = message.message(29);
    let name = stated.as_ref().and_then(|sender| sender.words(3));
    let id = || stated.as_ref().and_then(|sender| sender.words(2));
    if let Some(agent) = message.words(27) {
        return Some(Sender::agent(agent).named(name));
    }
    if is_set(28) {
        return Some(Sender { id: id(), name, ..Sender::new(SenderKind::Voice) });
    }
    let is_agent = stated.as_ref().is_some_and(|sender| match sender.words(1) {
        Some(kind) => !kind.eq_ignore_ascii_case("user"),
        None => sender.number(1) != Some(SENT_BY_USER) && (sender.words(2).is_some() || name.is_some()),
    });
    if is_agent {
        return Some(Sender { id: id(), name, ..Sender::new(SenderKind::Agent) });
    }
    let plan = message.message(14);
    let about = message.message(15);
    if is_set(5) || is_set(9) || plan.is_some() || about.is_some() {
        let id = about.as_ref().and_then(|about| about.words(2)).or_else(|| plan.as_ref()?.words(1));
        let title = about.and_then(|about| about.words(1)).or_else(|| plan?.words(2));
        let reason = || message.number(9).and_then(simulation).map(str::to_owned);
        return Some(Sender { id, name: title.or_else(reason), ..Sender::new(SenderKind::Simulated) });
    }
    let hook = message.every(21).next().filter(|_| is_wordless)?;
    Some(Sender::new(SenderKind::Hook).named(ProtoMessage::read(hook).words(1)))
}

/// The kind of a sender (29) that is the user, numbered as the audience of a reply (32) is.
const SENT_BY_USER: u64 = 1;

/// Why the editor spoke in the user's name.
pub(crate) fn simulation(reason: u64) -> Option<&'static str> {
    match reason {
        1 => Some("plan execution"),
        2 => Some("commit reminder"),
        3 => Some("background task completion"),
        _ => None,
    }
}

/// What a hook added: `{1 event, 2 content}`.
fn hook_context(bytes: &[u8]) -> Attachment {
    let hook = ProtoMessage::read(bytes);
    let title = hook.words(1).map_or_else(|| "hook".to_owned(), |event| format!("hook {event}"));
    let context = Attachment::new(AttachmentKind::Context).titled(title);
    match hook.words(2) {
        Some(words) => context.saying(words),
        None => context,
    }
}

/// Whether a hook added this.
pub(super) fn is_hook_context(attachment: &Attachment) -> bool {
    let is_hook = |title: &str| title == "hook" || title.starts_with("hook ");
    attachment.kind == AttachmentKind::Context && attachment.title.as_deref().is_some_and(is_hook)
}

/// What hooks added to a tool call.
pub(super) fn hook_contexts_of_call(call: &ProtoMessage<'_>) -> Vec<Attachment> {
    call.every(tool::HOOKS).map(hook_context).collect()
}

fn words(message: &ProtoMessage<'_>, inline: u32, blob: u32, graph: &mut Graph<'_>) -> Option<String> {
    if let Some(text) = message.words(inline) {
        return Some(text);
    }
    match Reference::from_bytes(message.bytes(blob)?) {
        Reference::Blob(id) => {
            let bytes = graph.fetch(id, "a user's text")?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
        Reference::Inline(_) => None,
    }
}

/// The pictures of a selected context.
pub(super) fn images(context: &ProtoMessage<'_>) -> Vec<Image> {
    context
        .every(1)
        .map(|bytes| {
            let image = ProtoMessage::read(bytes);
            let nested = image.message(9);
            let data = image.bytes(8).or_else(|| nested.as_ref()?.bytes(2));
            let blob = image.bytes(1).or_else(|| nested.as_ref()?.bytes(1));
            let blob = blob.and_then(|id| Some(format!("blob {}", Reference::from_bytes(id).id()?)));
            Image {
                path: image.words(3).or_else(|| blob.clone()),
                media_type: image.words(7),
                data: data.map(|bytes| STANDARD.encode(bytes)),
                description: image.words(3).and(blob),
            }
        })
        .collect()
}

/// Everything else that was selected.
pub(super) fn attachments(context: &ProtoMessage<'_>) -> Vec<Attachment> {
    let mut all = Vec::new();
    for field in &context.fields {
        if let (Some(kind), Value::Bytes(bytes)) = (kind(field.number), field.value) {
            all.push(attachment(kind, bytes));
        }
    }
    all
}

fn kind(number: u32) -> Option<AttachmentKind> {
    Some(match number {
        3 | 16 => AttachmentKind::Context,
        4 => AttachmentKind::File,
        5 => AttachmentKind::Selection,
        6 | 7 | 15 => AttachmentKind::Terminal,
        8 => AttachmentKind::Folder,
        9 => AttachmentKind::Link,
        10 => AttachmentKind::Rule,
        11 | 18 => AttachmentKind::Diff,
        12 => AttachmentKind::Command,
        13 => AttachmentKind::Doc,
        14 => AttachmentKind::Mention,
        17 => AttachmentKind::Commit,
        _ => return None,
    })
}

/// The layouts of selected things differ and are not all known, so their texts are distinguished by their looks.
fn attachment(kind: AttachmentKind, bytes: &[u8]) -> Attachment {
    let mut attachment = Attachment::new(kind);
    let Some(message) = ProtoMessage::whole(bytes) else {
        return attachment.saying(String::from_utf8_lossy(bytes));
    };
    for field in &message.fields {
        let Value::Bytes(bytes) = field.value else {
            continue;
        };
        let Ok(text) = std::str::from_utf8(bytes) else {
            continue;
        };
        if text.is_empty() || text.contains(|c: char| c.is_control() && !c.is_whitespace()) {
            continue;
        }
        let place = match () {
            () if text.contains('\n') => &mut attachment.text,
            () if looks_like_a_place(text) => &mut attachment.path,
            () => &mut attachment.title,
        };
        place.get_or_insert_with(|| text.to_owned());
    }
    attachment
}

fn looks_like_a_place(text: &str) -> bool {
    text.starts_with(['/', '~', '.']) || text.contains("://") || text.get(1..3) == Some(":\\")
}

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
    let message = ProtoMessage::whole(bytes)?;
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

/// A turn with everything in it.
#[derive(Debug, Default)]
pub(super) struct ReadTurn<'a> {
    /// The user's message, and the blob that holds it.
    pub(super) user: Option<(UserMessage, Option<BlobId>)>,
    pub(super) steps: Vec<TurnStep<'a>>,
    pub(super) request_id: Option<String>,
    pub(super) model: Option<String>,
    /// When the turn was recorded.
    pub(super) at: Option<Timestamp>,
    /// A message has its user's words.
    pub(super) is_matched: bool,
}

/// A step, and whether a message has it, too.
#[derive(Debug)]
pub(super) struct TurnStep<'a> {
    pub(super) step: Step<'a>,
    /// The blob that holds it; `None` if it is in the root itself.
    pub(super) blob: Option<BlobId>,
    /// What hooks added to it.
    pub(super) context: Vec<Attachment>,
    pub(super) is_used: Cell<bool>,
}

impl TurnStep<'_> {
    /// Its call with what the tool was given and what it answered.
    pub(super) fn whole(&self, call: &ToolCall, graph: &mut Graph<'_>) -> ToolCall {
        let is_left = call.arguments.is_none();
        let bytes = self.blob.filter(|_| is_left).and_then(|id| graph.fetch_if_there(id, "a step"));
        match bytes.and_then(|bytes| step(&bytes, Payloads::Read, graph).map(Step::into_owned)) {
            Some(Step::Called(whole)) => *whole,
            _ => call.clone(),
        }
    }
}

/// Reads those turns that are wanted by number; of the others only the user's words, which show where they stand.
pub(super) fn read_turns<'a>(
    root: &Root,
    graph: &mut Graph<'a>,
    is_wanted: &dyn Fn(usize) -> bool,
) -> Vec<ReadTurn<'a>> {
    let mut all = Vec::with_capacity(root.turns.len());
    for (number, reference) in root.turns.iter().enumerate() {
        let Some(bytes) = graph.resolve(reference, "a turn") else {
            continue;
        };
        let mut read = match turn(&bytes, root.turn_shape) {
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
        read.at = root.turn_times.get(number).copied().flatten();
        all.push(read);
    }
    all
}

fn agent_turn<'a>(agent: AgentTurn, graph: &mut Graph<'a>) -> ReadTurn<'a> {
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
        // What can be read again is left until somebody asks: nearly always a message has it already.
        let payloads = if blob.is_some() { Payloads::Left } else { Payloads::Read };
        // Where the store lends a blob, its words are not copied: most are in a message already.
        let step = match &bytes {
            Cow::Borrowed(bytes) => step(bytes, payloads, graph),
            Cow::Owned(bytes) => step(bytes, payloads, graph).map(Step::into_owned),
        };
        match step {
            Some(step) => {
                let call =
                    matches!(step, Step::Called(_)).then(|| ProtoMessage::read(&bytes).message(2)).flatten();
                let context = call.as_ref().map(hook_contexts_of_call).unwrap_or_default();
                steps.push(TurnStep { step, blob, context, is_used: Cell::new(false) });
            }
            None => graph.report(FindingKind::Unknown, graph.origin_of(blob), "a step is of no known kind"),
        }
    }
    ReadTurn { user, steps, request_id: agent.request_id, model: agent.model, at: None, is_matched: false }
}

/// A command that the user ran: their words, and what the shell made of them.
fn shell_turn<'a>(shell: &ShellTurn, blob: Option<BlobId>, graph: &mut Graph<'a>) -> ReadTurn<'a> {
    let mut read = |reference: &Option<Reference>, what| graph.resolve(reference.as_ref()?, what);
    let command = read(&shell.command, "a shell command");
    let output = read(&shell.output, "a shell command's output");
    let command = command.and_then(|bytes| ProtoMessage::read(&bytes).text(1)).unwrap_or_default();
    let result = output.as_deref().map(ProtoMessage::read).map(|output| {
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
    ReadTurn {
        user: Some((user, blob)),
        steps: vec![TurnStep {
            step: Step::Called(Box::new(call)),
            blob,
            context: Vec::new(),
            is_used: Cell::new(false),
        }],
        ..ReadTurn::default()
    }
}

/// Steps by what names them.
pub(super) struct StepIndex<'t> {
    turns: &'t [ReadTurn<'t>],
    calls: HashMap<&'t str, (usize, usize)>,
    /// Made only if somebody asks beyond one short turn.
    texts: OnceCell<HashMap<&'t str, Vec<(usize, usize)>>>,
}

/// The steps of a turn that has no more are looked through faster than all are sorted.
const SHORT: usize = 32;

impl<'t> StepIndex<'t> {
    /// The steps of `turns`.
    pub(super) fn new(turns: &'t [ReadTurn<'t>]) -> Self {
        let mut calls = HashMap::with_capacity(turns.len());
        for (spot, one) in steps(turns) {
            if let Step::Called(call) = &one.step
                && let Some(id) = &call.id
            {
                calls.insert(id.as_str(), spot);
            }
        }
        Self { turns, calls, texts: OnceCell::new() }
    }

    /// The turns whose steps these are.
    pub(super) fn turns(&self) -> &'t [ReadTurn<'t>] {
        self.turns
    }

    /// The step that is this call: by its id, else by what it is. Steps of 2025 often have no id; of those that say nothing
    /// against it, one that was given nothing comes in the order of the calls.
    pub(super) fn call(
        &self,
        call: &ToolCall,
        current: Option<usize>,
        graph: &mut Graph<'_>,
    ) -> Option<(usize, usize)> {
        if let Some(spot) = call.id.as_ref().and_then(|id| self.calls.get(id.as_str())) {
            return Some(*spot);
        }
        let turn = current?;
        let mut nameless = None;
        for (place, one) in self.turns[turn].steps.iter().enumerate().filter(|(_, one)| !one.is_used.get()) {
            let Step::Called(step) = &one.step else { continue };
            if step.id.is_some() || step.kind() != call.kind() {
                continue;
            }
            let step = one.whole(step, graph);
            if step.is_same_as(call) {
                return Some((turn, place));
            }
            let says_nothing = step.about().is_none() || call.about().is_none();
            if nameless.is_none() && says_nothing && step.may_be(call) {
                nameless = Some((turn, place));
            }
        }
        nameless
    }

    /// A step that says or thinks this and that no message has yet: in the current turn, where there is one, or in
    /// those right behind it whose prompt no message has, because its blob could not be read.
    pub(super) fn text(&self, text: &str, current: Option<usize>) -> Option<(usize, usize)> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        let Some(current) = current else { return self.free(text).next_back() };
        self.in_turn(text, current).or_else(|| {
            let is_lost = |turn: usize| !self.turns[turn].is_matched;
            self.free(text).find(|(turn, _)| *turn > current && (current + 1..=*turn).all(is_lost))
        })
    }

    fn in_turn(&self, text: &str, turn: usize) -> Option<(usize, usize)> {
        if self.turns[turn].steps.len() > SHORT {
            return self.free(text).find(|spot| spot.0 == turn);
        }
        let is_it = |one: &TurnStep<'_>| one.step.words() == Some(text) && !one.is_used.get();
        self.turns[turn].steps.iter().position(is_it).map(|place| (turn, place))
    }

    /// Every step that says this and that no message has yet.
    fn free(&self, text: &str) -> impl DoubleEndedIterator<Item = (usize, usize)> {
        let spots = self.texts.get_or_init(|| texts(self.turns)).get(text).map_or(&[][..], Vec::as_slice);
        spots.iter().copied().filter(|(turn, place)| !self.turns[*turn].steps[*place].is_used.get())
    }
}

/// All steps, each with its turn's number and its own.
fn steps<'t>(turns: &'t [ReadTurn<'t>]) -> impl Iterator<Item = ((usize, usize), &'t TurnStep<'t>)> {
    turns.iter().enumerate().flat_map(|(turn, one_turn)| {
        one_turn.steps.iter().enumerate().map(move |(place, one)| ((turn, place), one))
    })
}

/// Where each text is said or thought.
fn texts<'t>(turns: &'t [ReadTurn<'t>]) -> HashMap<&'t str, Vec<(usize, usize)>> {
    let mut texts = HashMap::<&str, Vec<_>>::new();
    for (spot, one) in steps(turns) {
        if let Some(words) = one.step.words() {
            texts.entry(words).or_default().push(spot);
        }
    }
    texts
}
