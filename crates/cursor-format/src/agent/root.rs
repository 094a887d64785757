//! The root of a conversation (`ConversationStateStructure`): what it lists, without following any reference.

use backscroll_model::{ContextUsage, Decoded, Finding, FindingKind, Origin, push_new};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;

use super::graph::references;
use super::typed::ProtoKind;
use super::wire::{ProtoMessage, Value};
use crate::drift::DriftLog;
use crate::{BlobId, hex};

/// Something that a message refers to: a blob, or the thing itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// This blob.
    Blob(BlobId),
    /// The bytes themselves.
    Inline(Vec<u8>),
}

impl Reference {
    /// 32 bytes or 64 hexadecimal digits name a blob; anything else stands for itself.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let raw = <[u8; 32]>::try_from(bytes).ok().map(BlobId::from);
        raw.or_else(|| BlobId::spelled(bytes)).map_or_else(|| Self::Inline(bytes.to_vec()), Self::Blob)
    }

    /// The blob's id.
    pub fn id(&self) -> Option<BlobId> {
        match self {
            Self::Blob(id) => Some(*id),
            Self::Inline(_) => None,
        }
    }
}

/// How the root lists its turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TurnShape {
    /// Field 2, until October 2025: an agent's turn directly.
    #[default]
    Direct,
    /// Field 8: an agent's turn or a shell command.
    Wrapped,
}

/// An agent that this conversation started, with its own state where the root holds it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subagent {
    /// Its id.
    pub id: String,
    /// Its own root, to be given to [`super::conversation`].
    pub state: Option<Vec<u8>>,
    /// The blob that holds its state.
    pub state_blob: Option<BlobId>,
    /// When it was started.
    pub created_at: Option<Timestamp>,
    /// When it last worked.
    pub updated_at: Option<Timestamp>,
    /// Its model.
    pub model: Option<String>,
    /// The tool call that started it.
    pub tool_call_id: Option<String>,
}

/// What a root says besides messages and turns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RootFacts {
    /// How full the context was.
    pub context: Option<ContextUsage>,
    /// The folders it worked in, as URIs, in order.
    pub workspace_uris: Vec<String>,
    /// The mode's name.
    pub mode: Option<&'static str>,
    /// When the conversation began.
    pub started_at: Option<Timestamp>,
    /// The time zone of the user.
    pub user_time_zone: Option<String>,
    /// When the last turn was completed.
    pub completed_at: Option<Timestamp>,
    /// The branch it worked on.
    pub branch: Option<String>,
    /// Branches of the repositories it tracked.
    pub branches: Vec<String>,
    /// Files it read or changed.
    pub files: Vec<String>,
    /// Paths of plans.
    pub plans: Vec<String>,
}

/// Something said in a voice call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Utterance {
    /// Its id.
    pub id: Option<String>,
    /// The words.
    pub text: String,
    /// The messages that it answers, by id.
    pub answers: Vec<String>,
}

fn utterance(bytes: &[u8]) -> Utterance {
    let message = ProtoMessage::read(bytes);
    Utterance { id: message.words(1), text: message.text(3).unwrap_or_default(), answers: message.texts(4) }
}

/// A root, taken apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Root {
    /// The prompt's messages, in order.
    pub messages: Vec<Reference>,
    /// The turns, in order.
    pub turns: Vec<Reference>,
    /// How the turns are written.
    pub turn_shape: TurnShape,
    /// When each turn was recorded.
    pub turn_times: Vec<Option<Timestamp>>,
    /// Things to do.
    pub todos: Vec<Reference>,
    /// Assistant messages, as JSON, whose tools had not answered yet.
    pub pending: Vec<String>,
    /// A JSON message that stands behind the fields.
    pub tail: Option<Vec<u8>>,
    /// The summary and the plan.
    pub summary: Option<Reference>,
    /// The plan.
    pub plan: Option<Reference>,
    /// What was summarised away, oldest first.
    pub archives: Vec<Reference>,
    /// Agents that it started.
    pub subagents: Vec<Subagent>,
    /// What was said in a voice call.
    pub utterances: Vec<Utterance>,
    /// Blobs that fields name which we do not know.
    pub unknown: Vec<BlobId>,
    /// Everything else.
    pub facts: RootFacts,
}

/// The fields of a root that are read for what they are. Any other may name a blob that is a message.
const KNOWN: [u32; 29] = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 26, 27, 30, 31, 40, 43, 49,
];

/// Takes a root apart. What is damaged in it is salvaged as far as possible.
pub fn root(bytes: &[u8], at: &Origin) -> Decoded<Root> {
    let message = ProtoMessage::read(bytes);
    let references = |number| message.every(number).map(Reference::from_bytes).collect::<Vec<_>>();
    let wrapped = references(8);
    let (turns, turn_shape) =
        if wrapped.is_empty() { (references(2), TurnShape::Direct) } else { (wrapped, TurnShape::Wrapped) };
    let mut archives = references(11);
    archives.extend(references(13));
    archives.dedup();
    let timings = message.every(14).map(|timing| ProtoMessage::read(timing).time(2));
    let mut root = Root {
        messages: references(1),
        turns,
        turn_shape,
        turn_times: timings.collect(),
        todos: references(3),
        pending: message.texts(4),
        tail: None,
        summary: message.bytes(6).filter(|bytes| !bytes.is_empty()).map(Reference::from_bytes),
        plan: message.bytes(7).filter(|bytes| !bytes.is_empty()).map(Reference::from_bytes),
        archives,
        subagents: subagents(&message),
        utterances: message.every(43).map(utterance).collect(),
        unknown: unknown(&message),
        facts: facts(&message),
    };
    let mut findings = Vec::new();
    if let Some(wrong) = message.error {
        salvage(bytes.get(wrong.offset..).unwrap_or_default(), &mut root);
        let says = format!("the root cannot be read to its end: {wrong}");
        findings.push(Finding::new(FindingKind::Damaged, at.clone(), says));
    }
    let mut drift = DriftLog::default();
    drift.message(ProtoKind::Root, message.fields.iter().map(|field| field.number), &at.key);
    findings.extend(drift.findings(at));
    Decoded { value: root, findings }
}

/// How many turns a blob lists, if it has the form of a root: messages (field 1) and turns (field 8), each named by a blob. Where
/// nothing names the latest root of a store, it is the one with the most.
pub fn turns_if_root(bytes: &[u8]) -> Option<usize> {
    let message = ProtoMessage::whole(bytes).filter(|_| bytes.first() != Some(&b'{'))?;
    let names_blobs = |number| message.every(number).all(|value| Reference::from_bytes(value).id().is_some());
    let (messages, turns) = (message.every(1).count(), message.every(8).count());
    (messages > 0 && turns > 0 && names_blobs(1) && names_blobs(8)).then_some(turns)
}

/// The values of unknown fields that may name blobs, at any depth.
fn unknown(message: &ProtoMessage<'_>) -> Vec<BlobId> {
    let mut found = Vec::new();
    for field in message.fields.iter().filter(|field| !KNOWN.contains(&field.number)) {
        if let Value::Bytes(bytes) = field.value {
            match <[u8; 32]>::try_from(bytes) {
                Ok(id) => found.push(id.into()),
                Err(_) => found.extend(references(bytes)),
            }
        }
    }
    found
}

/// What can still be had from bytes that are no protobuf: a JSON message, or ids in the spelling of field 1.
fn salvage(rest: &[u8], root: &mut Root) {
    if rest.first() == Some(&b'{') {
        root.tail = Some(rest.to_vec());
        return;
    }
    let mut rest = rest;
    while let Some(start) = rest.windows(2).position(|pair| pair == [0x0a, 0x20]) {
        let Some(id) = rest.get(start + 2..start + 34) else {
            return;
        };
        root.messages.push(Reference::from_bytes(id));
        rest = &rest[start + 34..];
    }
}

fn facts(message: &ProtoMessage<'_>) -> RootFacts {
    let tokens = message.message(5);
    let mut files = message.texts(18);
    for (path, _) in message.map(12).chain(message.map(15)) {
        push_new(&mut files, path);
    }
    let tracked = message.every(21).filter_map(|repo| ProtoMessage::read(repo).words(2));
    let plans = message.map(20).filter_map(|(_, plan)| ProtoMessage::read(plan).words(2));
    RootFacts {
        context: tokens.map(|tokens| ContextUsage {
            used: tokens.number(1),
            limit: tokens.number(2),
            percent: None,
        }),
        workspace_uris: message.texts(9),
        mode: message.number(10).and_then(mode_name),
        started_at: message.time(26),
        user_time_zone: message.words(49),
        completed_at: message.message(40).and_then(|telemetry| telemetry.time(2)),
        branch: message.words(19),
        branches: tracked.collect(),
        files,
        plans: plans.collect(),
    }
}

fn subagents(message: &ProtoMessage<'_>) -> Vec<Subagent> {
    let mut all: Vec<Subagent> = Vec::new();
    for (id, state) in message.map(16) {
        let state = ProtoMessage::read(state);
        all.push(Subagent {
            id,
            state: state.bytes(1).map(<[u8]>::to_vec),
            created_at: state.time(2),
            updated_at: state.time(3),
            model: state.words(5),
            ..Subagent::default()
        });
    }
    for (id, blob) in message.map(31) {
        let state_blob = Reference::from_bytes(blob).id();
        match all.iter_mut().find(|known| known.id == id) {
            Some(known) => known.state_blob = state_blob,
            None => all.push(Subagent { id, state_blob, ..Subagent::default() }),
        }
    }
    for (call, run) in message.map(30) {
        let run = ProtoMessage::read(run);
        let Some(id) = run.words(2) else { continue };
        match all.iter_mut().find(|known| known.id == id) {
            Some(known) => known.tool_call_id = Some(call),
            None => all.push(Subagent {
                id,
                tool_call_id: Some(call),
                updated_at: run.time(9),
                ..Subagent::default()
            }),
        }
    }
    all
}

impl Subagent {
    /// Takes over what the blob that keeps its state says: the root, wrapped with its times, or the root itself.
    pub fn take_state(&mut self, bytes: &[u8]) {
        let message = ProtoMessage::read(bytes);
        let wrapped = message.bytes(1).filter(|wrapped| !matches!(wrapped.len(), 0 | 32));
        let Some(root) = wrapped.filter(|wrapped| ProtoMessage::whole(wrapped).is_some()) else {
            self.state = Some(bytes.to_vec());
            return;
        };
        self.state = Some(root.to_vec());
        self.created_at = self.created_at.or(message.time(2));
        self.updated_at = self.updated_at.or(message.time(3));
        self.model = self.model.take().or_else(|| message.words(5));
    }
}

/// The name of a mode's number.
pub(super) fn mode_name(number: u64) -> Option<&'static str> {
    Some(match number {
        1 => "agent",
        2 => "ask",
        3 => "plan",
        4 => "debug",
        5 => "triage",
        6 => "project",
        7 => "multitask",
        8 => "custom",
        _ => return None,
    })
}

/// A `conversationState` is spelled in no way we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("conversationState is neither `~` with base64 nor hexadecimal")]
pub struct StateError;

/// The root that an editor's `conversationState` holds: `~` and base64, or hexadecimal; `None` if empty.
pub fn conversation_state(text: &str) -> Result<Option<Vec<u8>>, StateError> {
    let text = text.trim();
    let bytes = match text.strip_prefix('~') {
        Some(coded) => STANDARD.decode(coded).map_err(|_| StateError)?,
        None => hex::decode(text.as_bytes()).ok_or(StateError)?,
    };
    Ok((!bytes.is_empty()).then_some(bytes))
}

/// A root as `conversationState` would hold it.
pub fn state_of_root(bytes: &[u8]) -> String {
    format!("~{}", STANDARD.encode(bytes))
}
