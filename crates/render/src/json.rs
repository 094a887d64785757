//! JSON as the outer contract spells it, written straight into a writer. One object, no line break in it.
//!
//! The types of the model write themselves. Here stands what the contract arranges in another way.
//!
//! Fields of the contract are always there, `null` or empty where nothing is known. Fields besides the contract stand
//! among them without changing their order.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;

use backscroll_model::wire::{path, time};
use backscroll_model::{
    AtIs, Attachment, Code, Conversation, ConversationId, Coverage, Drift, Event, EventKind, FactOrigin,
    Facts, Finding, Flag, HeadChange, Image, Layer, Message, MessageId, Origin, Part, Role, ScoredCommit,
    Sender, SourceReport, Spilled, StoredKind, Summary, Surface, Todo, Tokens, ToolCall, Workspace,
};
use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::ser::Formatter;

use crate::{IndexReport, ShownConversation, ShownHit};
use backscroll_redact::Sighting;

/// The fields in the order of the contract.
#[derive(Serialize)]
pub(super) struct WireSummary<'a> {
    schema: &'static str,
    id: &'a ConversationId,
    surface: Surface,
    title: Option<&'a str>,
    workspace: Option<&'a Workspace>,
    #[serde(serialize_with = "time::serialize")]
    created_at: Option<Timestamp>,
    #[serde(serialize_with = "time::serialize")]
    updated_at: Option<Timestamp>,
    mode: Option<&'a str>,
    models: &'a [String],
    messages: Option<u64>,
    flags: &'a BTreeSet<Flag>,
    parent: Option<&'a ConversationId>,
    origins: &'a [Origin],
}

impl<'a> WireSummary<'a> {
    pub(super) fn new(summary: &'a Summary) -> Self {
        Self {
            schema: "backscroll.summary/1",
            id: &summary.id,
            surface: summary.surface,
            title: summary.title.as_deref(),
            workspace: summary.workspace.as_ref(),
            created_at: summary.created_at,
            updated_at: summary.updated_at,
            mode: summary.mode.as_deref(),
            models: &summary.models,
            messages: summary.messages,
            flags: &summary.flags,
            parent: summary.parent.as_ref(),
            origins: &summary.origins,
        }
    }
}

/// The fields in the order of the contract.
#[derive(Serialize)]
pub(super) struct WireConversation<'a> {
    schema: &'static str,
    id: &'a ConversationId,
    surface: Surface,
    title: Option<&'a str>,
    workspace: Option<&'a Workspace>,
    #[serde(serialize_with = "time::serialize")]
    created_at: Option<Timestamp>,
    #[serde(serialize_with = "time::serialize")]
    updated_at: Option<Timestamp>,
    mode: Option<&'a str>,
    models: &'a [String],
    flags: &'a BTreeSet<Flag>,
    parent: Option<&'a ConversationId>,
    children: &'a [ConversationId],
    #[serde(flatten)]
    facts: &'a Facts,
    #[serde(serialize_with = "messages")]
    messages: &'a [Message],
    #[serde(serialize_with = "messages")]
    orphans: &'a [Message],
    origins: &'a [Origin],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    fact_origins: &'a [FactOrigin],
    coverage: Coverage,
    findings: &'a [Finding],
}

impl<'a> WireConversation<'a> {
    pub(super) fn new(conversation: &'a Conversation) -> Self {
        let summary = &conversation.summary;
        Self {
            schema: "backscroll.conversation/1",
            id: &summary.id,
            surface: summary.surface,
            title: summary.title.as_deref(),
            workspace: summary.workspace.as_ref(),
            created_at: summary.created_at,
            updated_at: summary.updated_at,
            mode: summary.mode.as_deref(),
            models: &summary.models,
            flags: &summary.flags,
            parent: summary.parent.as_ref(),
            children: &summary.children,
            facts: &conversation.facts,
            messages: &conversation.messages,
            orphans: &conversation.orphans,
            origins: &summary.origins,
            fact_origins: &conversation.fact_origins,
            coverage: conversation.coverage,
            findings: &conversation.findings,
        }
    }
}

/// The fields in the order of the contract, then ours.
#[derive(Serialize)]
struct WireMessage<'a> {
    id: &'a MessageId,
    role: Role,
    #[serde(serialize_with = "time::serialize")]
    at: Option<Timestamp>,
    at_is: AtIs,
    model: Option<&'a str>,
    #[serde(serialize_with = "parts")]
    parts: &'a [Part],
    tokens: Option<Tokens>,
    origin: &'a Origin,
    request_id: Option<&'a str>,
    also: &'a [Origin],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    fact_origins: &'a [FactOrigin],
    flags: &'static [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<&'a Sender>,
}

impl<'a> WireMessage<'a> {
    fn new(message: &'a Message) -> Self {
        // In full, so that a new field cannot be forgotten.
        let Message {
            id,
            role,
            at,
            model,
            parts,
            tokens,
            request_id,
            origin,
            also,
            fact_origins,
            deleted,
            sender,
        } = message;
        Self {
            id,
            role: *role,
            at: at.at,
            at_is: at.is,
            model: model.as_deref(),
            parts,
            tokens: *tokens,
            origin,
            request_id: request_id.as_deref(),
            also,
            fact_origins,
            flags: if *deleted { &["deleted"] } else { &[] },
            sender: sender.as_ref(),
        }
    }
}

/// The parts of a message, one object each, told apart by `type`.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum WirePart<'a> {
    Text { text: &'a str },
    Thinking { text: &'a str, duration_ms: Option<u64> },
    ToolCall(&'a ToolCall),
    Image(&'a Image),
    Attachment(&'a Attachment),
    Code(&'a Code),
    Summary { text: &'a str },
    Error { text: &'a str },
    Todos { todos: &'a [Todo] },
}

impl<'a> WirePart<'a> {
    fn new(part: &'a Part) -> Self {
        match part {
            Part::Text(text) => Self::Text { text },
            Part::Thinking { text, duration_ms } => Self::Thinking { text, duration_ms: *duration_ms },
            Part::ToolCall(call) => Self::ToolCall(call),
            Part::Image(image) => Self::Image(image),
            Part::Attachment(attachment) => Self::Attachment(attachment),
            Part::Code(code) => Self::Code(code),
            Part::Summary(text) => Self::Summary { text },
            Part::Error(text) => Self::Error { text },
            Part::Todos(todos) => Self::Todos { todos },
        }
    }
}

fn messages<S: Serializer>(messages: &[Message], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(messages.iter().map(WireMessage::new))
}

fn parts<S: Serializer>(parts: &[Part], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(parts.iter().map(WirePart::new))
}

/// The fields in the order of the contract; those that an event does not carry are not there.
#[derive(Serialize)]
struct WireEvent<'a> {
    schema: &'static str,
    seq: u64,
    #[serde(serialize_with = "time::serialize")]
    seen_at: Option<Timestamp>,
    event: &'static str,
    conversation: &'a ConversationId,
    surface: Surface,
    title: Option<&'a str>,
    workspace: Option<&'a Workspace>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<WireEventMessage<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<WireChanges<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<WireUsage>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum WireEventMessage<'a> {
    Whole(Box<WireMessage<'a>>),
    Named { id: &'a MessageId },
}

/// Each fact that changed: what it was, and what it is.
#[derive(Serialize, Default)]
struct WireChanges<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<(Option<&'a str>, Option<&'a str>)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flags: Option<(&'a BTreeSet<Flag>, &'a BTreeSet<Flag>)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<(Option<&'a Workspace>, Option<&'a Workspace>)>,
}

#[derive(Serialize)]
struct WireUsage {
    input: u64,
    output: u64,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
}

impl<'a> WireEvent<'a> {
    fn new(event: &'a Event, seq: u64, seen_at: Timestamp) -> Self {
        let summary = &*event.summary;
        let mut wire = Self {
            schema: "backscroll.event/1",
            seq,
            seen_at: Some(seen_at),
            event: event.kind.name(),
            conversation: &summary.id,
            surface: summary.surface,
            title: summary.title.as_deref(),
            workspace: summary.workspace.as_ref(),
            revision: None,
            message: None,
            changes: None,
            tokens: None,
        };
        let whole = |message| Some(WireEventMessage::Whole(Box::new(WireMessage::new(message))));
        match &event.kind {
            EventKind::Conversation => {}
            EventKind::Message(message) => (wire.revision, wire.message) = (Some(1), whole(message)),
            EventKind::MessageChanged { message, revision } => {
                (wire.revision, wire.message) = (Some(*revision), whole(message));
            }
            EventKind::ConversationChanged(changes) => wire.changes = Some(WireChanges::new(changes)),
            EventKind::Usage { message, tokens } => {
                let Tokens { input, output, cache_read, cache_write, .. } = *tokens;
                wire.message = Some(WireEventMessage::Named { id: message });
                wire.tokens = Some(WireUsage { input, output, cache_read, cache_write });
            }
            EventKind::Deleted(message) => {
                wire.message = message.as_ref().map(|id| WireEventMessage::Named { id });
            }
        }
        wire
    }
}

impl<'a> WireChanges<'a> {
    fn new(changes: &'a [HeadChange]) -> Self {
        let mut wire = Self::default();
        for change in changes {
            match change {
                HeadChange::Title(before, now) => wire.title = Some((before.as_deref(), now.as_deref())),
                HeadChange::Flags(before, now) => wire.flags = Some((before, now)),
                HeadChange::Workspace(before, now) => wire.workspace = Some((before.as_ref(), now.as_ref())),
            }
        }
        wire
    }
}

#[derive(Serialize)]
struct WireCount {
    schema: &'static str,
    conversations: usize,
    messages: usize,
    is: &'static str,
}

/// The fields in the order of the contract; those after `snippet` were added.
#[derive(Serialize)]
pub(super) struct WireHit<'a> {
    schema: &'static str,
    conversation: &'a ConversationId,
    message: Option<&'a MessageId>,
    title: Option<&'a str>,
    workspace: Option<&'a Workspace>,
    role: Role,
    #[serde(serialize_with = "time::serialize")]
    at: Option<Timestamp>,
    part: &'a str,
    score: f64,
    snippet: String,
    more: usize,
    #[serde(rename = "match")]
    matched: &'a str,
    missing: &'a [String],
    corrected: BTreeMap<&'a str, &'a str>,
}

impl<'a> WireHit<'a> {
    pub(super) fn new(found: &ShownConversation<'a>, hit: &ShownHit<'a>) -> Self {
        Self {
            schema: "backscroll.hit/1",
            conversation: &found.summary.id,
            message: hit.message,
            title: found.summary.title.as_deref(),
            workspace: found.summary.workspace.as_ref(),
            role: hit.role,
            at: hit.at,
            part: hit.snippet.part,
            score: (hit.score * 1000.0).round() / 1000.0,
            snippet: hit.snippet.marked(),
            more: found.more,
            matched: found.matched,
            missing: found.missing,
            corrected: found
                .corrected
                .iter()
                .map(|(typed, meant)| (typed.as_str(), meant.as_str()))
                .collect(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct WireSource<'a> {
    schema: &'static str,
    layers: &'a [Layer],
    #[serde(serialize_with = "path::serialize")]
    file: &'a Path,
    bytes: Option<u64>,
    log_bytes: u64,
    conversations: u64,
    messages: Option<u64>,
    #[serde(serialize_with = "time::serialize")]
    first_at: Option<Timestamp>,
    #[serde(serialize_with = "time::serialize")]
    last_at: Option<Timestamp>,
    tracked_lines: Option<u64>,
    commits: &'a [ScoredCommit],
    spilled: Option<Spilled>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<u64>,
    is_backup: bool,
    health: &'static str,
    unreadable: Option<&'a str>,
    findings: &'a [Finding],
    #[serde(skip_serializing_if = "Option::is_none")]
    kinds: Option<&'a [StoredKind]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    free_bytes: Option<u64>,
}

impl<'a> WireSource<'a> {
    pub(super) fn new(report: &'a SourceReport) -> Self {
        Self {
            schema: "backscroll.source/1",
            layers: &report.layers,
            file: &report.file,
            bytes: report.bytes,
            log_bytes: report.log_bytes,
            conversations: report.conversations,
            messages: report.messages,
            first_at: report.first_at,
            last_at: report.last_at,
            tracked_lines: report.tracked_lines,
            commits: &report.commits,
            spilled: report.spilled,
            notes: report.notes,
            is_backup: report.is_backup,
            health: report.health(),
            unreadable: report.unreadable.as_deref(),
            findings: &report.findings,
            kinds: report.contents.as_ref().map(|contents| &contents.kinds[..]),
            free_bytes: report.contents.as_ref().map(|contents| contents.free_bytes),
        }
    }
}

#[derive(Serialize)]
pub(super) struct WireIndex<'a> {
    schema: &'static str,
    #[serde(serialize_with = "path::serialize")]
    place: &'a Path,
    format: i32,
    exists: bool,
    fresh: bool,
    changed: Option<u64>,
    conversations: u64,
    messages: u64,
    unread: u64,
    text_bytes: u64,
    disk_bytes: u64,
    #[serde(serialize_with = "time::serialize")]
    refreshed_at: Option<Timestamp>,
}

impl<'a> WireIndex<'a> {
    pub(super) fn new(report: &'a IndexReport) -> Self {
        Self {
            schema: "backscroll.index/1",
            place: &report.place,
            format: report.format,
            exists: report.is_there,
            fresh: report.is_there && report.changed == Some(0),
            changed: report.changed,
            conversations: report.conversations,
            messages: report.messages,
            unread: report.unread,
            text_bytes: report.text_bytes,
            disk_bytes: report.disk_bytes,
            refreshed_at: report.refreshed_at,
        }
    }
}

/// Where a secret stands, never what it is.
#[derive(Serialize)]
pub(super) struct WireSighting<'a> {
    schema: &'static str,
    conversation: Option<&'a str>,
    file: Option<&'a str>,
    message: Option<usize>,
    unlisted: bool,
    field: Option<&'static str>,
    line: usize,
    kind: &'a str,
    placeholder: &'a str,
    masked: &'a str,
}

impl<'a> WireSighting<'a> {
    pub(super) fn new(sighting: &'a Sighting, conversation: Option<&'a str>, file: Option<&'a str>) -> Self {
        Self {
            schema: "backscroll.secret/1",
            conversation,
            file,
            message: sighting.place.and_then(|place| place.message),
            unlisted: sighting.place.is_some_and(|place| place.is_orphan),
            field: sighting.place.map(|place| place.field),
            line: sighting.line,
            kind: &sighting.kind,
            placeholder: &sighting.placeholder,
            masked: &sighting.masked,
        }
    }
}

/// Writes `summary` as one object of `backscroll.summary/1`.
pub fn summary(summary: &Summary, out: impl Write) -> io::Result<()> {
    write(&WireSummary::new(summary), out)
}

/// Writes `conversation` as one object of `backscroll.conversation/1`.
pub fn conversation(conversation: &Conversation, out: impl Write) -> io::Result<()> {
    write(&WireConversation::new(conversation), out)
}

/// Writes `event`, the one with this number, as one object of `backscroll.event/1`.
pub fn event(event: &Event, seq: u64, seen_at: Timestamp, out: impl Write) -> io::Result<()> {
    write(&WireEvent::new(event, seq, seen_at), out)
}

/// Writes how many conversations and messages a search finds as one `backscroll.count/1`.
pub fn count(conversations: usize, messages: usize, at_least: bool, out: impl Write) -> io::Result<()> {
    let is = if at_least { "at-least" } else { "exact" };
    write(&WireCount { schema: "backscroll.count/1", conversations, messages, is }, out)
}

/// Writes `hit`, which belongs to `found`, as one object of `backscroll.hit/1`.
pub fn hit(found: &ShownConversation<'_>, hit: &ShownHit<'_>, out: impl Write) -> io::Result<()> {
    write(&WireHit::new(found, hit), out)
}

/// Writes `finding` as it stands in a conversation's `findings`.
pub fn finding(finding: &Finding, out: impl Write) -> io::Result<()> {
    write(finding, out)
}

/// Writes `report` as one object of `backscroll.source/1`.
pub fn source(report: &SourceReport, out: impl Write) -> io::Result<()> {
    write(&WireSource::new(report), out)
}

/// Writes `drift` as one object of `backscroll.drift/1`.
pub fn drift(drift: &Drift, out: impl Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct WireDrift<'a> {
        schema: &'static str,
        #[serde(flatten)]
        drift: &'a Drift,
    }
    write(&WireDrift { schema: "backscroll.drift/1", drift }, out)
}

/// Writes `report` as one object of `backscroll.index/1`.
pub fn index(report: &IndexReport, out: impl Write) -> io::Result<()> {
    write(&WireIndex::new(report), out)
}

/// Writes `sighting` as one object of `backscroll.secret/1`; it stands in a conversation or in a file.
pub fn sighting(
    sighting: &Sighting,
    conversation: Option<&str>,
    file: Option<&str>,
    out: impl Write,
) -> io::Result<()> {
    write(&WireSighting::new(sighting, conversation, file), out)
}

fn write(wire: &impl Serialize, out: impl Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, OneLine);
    wire.serialize(&mut serializer).map_err(io::Error::from)
}

/// Compact JSON that is one line for everybody.
pub(super) struct OneLine;

impl Formatter for OneLine {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        escaped(out, fragment)
    }

    fn write_raw_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        escaped(out, fragment)
    }
}

fn escaped<W: ?Sized + Write>(out: &mut W, text: &str) -> io::Result<()> {
    // Most text is plain, and that is seen at once.
    if text.is_ascii() {
        return out.write_all(text.as_bytes());
    }
    let mut rest = text;
    while let Some(at) = rest.find(['\u{85}', '\u{2028}', '\u{2029}']) {
        let (before, from) = rest.split_at(at);
        out.write_all(before.as_bytes())?;
        let Some(found) = from.chars().next() else { break };
        write!(out, "\\u{:04x}", u32::from(found))?;
        rest = &from[found.len_utf8()..];
    }
    out.write_all(rest.as_bytes())
}
