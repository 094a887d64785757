//! JSON as the outer contract spells it, written straight into a writer. One object, no line break in it.
//!
//! The types of the model write themselves. Here stands what the contract arranges in another way.
//!
//! Fields of the contract are always there, `null` or empty where nothing is known. Fields besides the contract stand
//! among them without changing their order.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use backscroll_model::wire::time;
use backscroll_model::{
    Attachment, Code, Conversation, Drift, Event, EventKind, Flag, FoundConversation, FoundHit, HeadChange,
    Image, IndexStatus, Message, Part, Snippet, SourceReport, Summary, Todo, Tokens, ToolCall, Workspace,
};
use jiff::Timestamp;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::json;
use serde_json::ser::Formatter;

use backscroll_redact::Sighting;

/// The fields of a message in the order of the contract, then ours.
struct WireMessage<'a>(&'a Message);

impl Serialize for WireMessage<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
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
        } = self.0;
        let flags: &[&str] = if *deleted { &["deleted"] } else { &[] };
        let mut fields = serializer.serialize_map(None)?;
        fields.serialize_entry("id", id)?;
        fields.serialize_entry("role", role)?;
        fields.serialize_entry("at", &Time(at.at))?;
        fields.serialize_entry("at_is", &at.is)?;
        fields.serialize_entry("model", model)?;
        fields.serialize_entry("parts", &parts.iter().map(WirePart::new).collect::<Vec<_>>())?;
        fields.serialize_entry("tokens", tokens)?;
        fields.serialize_entry("origin", origin)?;
        fields.serialize_entry("request_id", request_id)?;
        fields.serialize_entry("also", also)?;
        if !fact_origins.is_empty() {
            fields.serialize_entry("fact_origins", fact_origins)?;
        }
        fields.serialize_entry("flags", flags)?;
        if let Some(sender) = sender {
            fields.serialize_entry("sender", sender)?;
        }
        fields.end()
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

/// A time as the contract writes it.
#[derive(Serialize)]
struct Time(#[serde(serialize_with = "time::serialize")] Option<Timestamp>);

/// An object that is written field by field, in the order of the contract.
struct Object<W> {
    out: W,
    before: char,
}

impl<W: Write> Object<W> {
    fn new(schema: &str, out: W) -> io::Result<Self> {
        let mut object = Self { out, before: '{' };
        object.field("schema", schema)?;
        Ok(object)
    }

    fn field(&mut self, name: &str, value: impl Serialize) -> io::Result<()> {
        write!(self.out, "{}\"{name}\":", self.before)?;
        self.before = ',';
        write(&value, &mut self.out)
    }

    /// Writes every field of `value` as one of this object.
    fn fields_of(&mut self, value: &impl Serialize) -> io::Result<()> {
        let mut object = Vec::new();
        write(value, &mut object)?;
        let fields = object.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}")).unwrap_or_default();
        if !fields.is_empty() {
            write!(self.out, "{}", self.before)?;
            self.out.write_all(fields)?;
            self.before = ',';
        }
        Ok(())
    }

    fn end(mut self) -> io::Result<()> {
        self.out.write_all(b"}")
    }
}

/// The fields with which both a summary and a conversation begin.
fn head(summary: &Summary, object: &mut Object<impl Write>) -> io::Result<()> {
    object.field("id", &summary.id)?;
    object.field("surface", summary.surface)?;
    object.field("title", &summary.title)?;
    object.field("workspace", &summary.workspace)?;
    object.field("created_at", Time(summary.created_at))?;
    object.field("updated_at", Time(summary.updated_at))?;
    if summary.is_updated_by_file {
        object.field("updated_is", "file")?;
    }
    object.field("mode", &summary.mode)?;
    object.field("models", &summary.models)
}

/// Writes `summary` as one object of `backscroll.summary/1`.
pub fn summary(summary: &Summary, out: impl Write) -> io::Result<()> {
    let mut object = Object::new("backscroll.summary/1", out)?;
    head(summary, &mut object)?;
    object.field("messages", summary.messages)?;
    object.field("flags", &summary.flags)?;
    object.field("parent", &summary.parent)?;
    object.field("origins", &summary.origins)?;
    object.end()
}

/// Writes `conversation` as one object of `backscroll.conversation/1`.
pub fn conversation(conversation: &Conversation, out: impl Write) -> io::Result<()> {
    let summary = &conversation.summary;
    let mut object = Object::new("backscroll.conversation/1", out)?;
    head(summary, &mut object)?;
    object.field("flags", &summary.flags)?;
    object.field("parent", &summary.parent)?;
    object.field("children", &summary.children)?;
    object.fields_of(&conversation.facts)?;
    object.field("messages", conversation.messages.iter().map(WireMessage).collect::<Vec<_>>())?;
    object.field("orphans", conversation.orphans.iter().map(WireMessage).collect::<Vec<_>>())?;
    object.field("origins", &summary.origins)?;
    if !conversation.fact_origins.is_empty() {
        object.field("fact_origins", &conversation.fact_origins)?;
    }
    object.field("coverage", conversation.coverage)?;
    object.field("findings", &conversation.findings)?;
    object.end()
}

/// Writes `event`, the one with this number, as one object of `backscroll.event/1`; fields that it does not carry are not there.
pub fn event(event: &Event, seq: u64, seen_at: Timestamp, out: impl Write) -> io::Result<()> {
    let summary = &event.summary;
    let mut object = Object::new("backscroll.event/1", out)?;
    object.field("seq", seq)?;
    object.field("seen_at", Time(Some(seen_at)))?;
    object.field("event", event.kind.name())?;
    object.field("conversation", &summary.id)?;
    object.field("surface", summary.surface)?;
    object.field("title", &summary.title)?;
    object.field("workspace", &summary.workspace)?;
    match &event.kind {
        EventKind::Conversation | EventKind::Deleted(None) => {}
        EventKind::Message(message) => {
            object.field("revision", 1)?;
            object.field("message", WireMessage(message))?;
        }
        EventKind::MessageChanged { message, revision } => {
            object.field("revision", revision)?;
            object.field("message", WireMessage(message))?;
        }
        EventKind::ConversationChanged(changes) => object.field("changes", WireChanges::new(changes))?,
        EventKind::Usage { message, tokens } => {
            object.field("message", json!({ "id": message }))?;
            let Tokens { input, output, cache_read, cache_write, .. } = *tokens;
            object.field("tokens", WireUsage { input, output, cache_read, cache_write })?;
        }
        EventKind::Deleted(Some(id)) => object.field("message", json!({ "id": id }))?,
    }
    object.end()
}

#[derive(Serialize)]
struct WireUsage {
    input: u64,
    output: u64,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
}

/// Each fact that changed: what it was, and what it is.
#[derive(Serialize, Default)]
struct WireChanges<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<(&'a Option<String>, &'a Option<String>)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flags: Option<(&'a BTreeSet<Flag>, &'a BTreeSet<Flag>)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<(&'a Option<Workspace>, &'a Option<Workspace>)>,
}

impl<'a> WireChanges<'a> {
    fn new(changes: &'a [HeadChange]) -> Self {
        let mut wire = Self::default();
        for change in changes {
            match change {
                HeadChange::Title(before, now) => wire.title = Some((before, now)),
                HeadChange::Flags(before, now) => wire.flags = Some((before, now)),
                HeadChange::Workspace(before, now) => wire.workspace = Some((before, now)),
            }
        }
        wire
    }
}

/// Writes how many conversations and messages a search finds as one `backscroll.count/1`.
pub fn count(conversations: usize, messages: usize, at_least: bool, out: impl Write) -> io::Result<()> {
    let mut object = Object::new("backscroll.count/1", out)?;
    object.field("conversations", conversations)?;
    object.field("messages", messages)?;
    object.field("is", if at_least { "at-least" } else { "exact" })?;
    object.end()
}

/// Writes `hit`, which belongs to `found`, as one object of `backscroll.hit/1`. Fields after `snippet` are ours.
pub fn hit(found: &FoundConversation, hit: &FoundHit, out: impl Write) -> io::Result<()> {
    let corrected: BTreeMap<&str, &str> =
        found.corrected.iter().map(|(typed, meant)| (typed.as_str(), meant.as_str())).collect();
    let mut object = Object::new("backscroll.hit/1", out)?;
    object.field("conversation", &found.summary.id)?;
    object.field("message", &hit.hit.message)?;
    object.field("title", &found.summary.title)?;
    object.field("workspace", &found.summary.workspace)?;
    object.field("role", hit.hit.role)?;
    object.field("at", Time(hit.hit.at.at))?;
    object.field("part", hit.part())?;
    object.field("score", (hit.hit.score * 1000.0).round() / 1000.0)?;
    object.field("snippet", hit.snippet.as_ref().map(Snippet::marked).unwrap_or_default())?;
    object.field("more", found.more)?;
    object.field("match", found.rung.name())?;
    object.field("missing", &found.missing)?;
    object.field("corrected", corrected)?;
    object.end()
}

/// Writes `report` as one object of `backscroll.source/1`.
pub fn source(report: &SourceReport, out: impl Write) -> io::Result<()> {
    let mut object = Object::new("backscroll.source/1", out)?;
    object.field("layers", &report.layers)?;
    object.field("file", report.file.to_string_lossy())?;
    object.field("bytes", report.bytes)?;
    object.field("log_bytes", report.log_bytes)?;
    object.field("conversations", report.conversations)?;
    object.field("messages", report.messages)?;
    object.field("first_at", Time(report.first_at))?;
    object.field("last_at", Time(report.last_at))?;
    object.field("tracked_lines", report.tracked_lines)?;
    object.field("commits", &report.commits)?;
    object.field("spilled", report.spilled)?;
    if let Some(notes) = report.notes {
        object.field("notes", notes)?;
    }
    object.field("is_backup", report.is_backup)?;
    object.field("health", report.health())?;
    object.field("unreadable", &report.unreadable)?;
    object.field("findings", &report.findings)?;
    if let Some(contents) = &report.contents {
        object.field("kinds", &contents.kinds)?;
        object.field("free_bytes", contents.free_bytes)?;
    }
    object.end()
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

/// Writes `status` as one object of `backscroll.index/1`.
pub fn index(status: &IndexStatus, out: impl Write) -> io::Result<()> {
    let changed = status.holds.as_ref().map(|held| held.stale);
    let held = status.holds.clone().unwrap_or_default();
    let mut object = Object::new("backscroll.index/1", out)?;
    object.field("place", status.place.to_string_lossy())?;
    object.field("format", status.version)?;
    object.field("exists", status.holds.is_some())?;
    object.field("fresh", changed == Some(0))?;
    object.field("changed", changed)?;
    object.field("conversations", held.conversations)?;
    object.field("messages", held.messages)?;
    object.field("unread", held.unread)?;
    object.field("text_bytes", held.text_bytes)?;
    object.field("disk_bytes", status.disk_bytes)?;
    object.field("refreshed_at", Time(held.refreshed_at))?;
    object.end()
}

/// Writes `sighting` as one object of `backscroll.secret/1`: its place in a conversation or a file, never what it is.
pub fn sighting(
    sighting: &Sighting,
    conversation: Option<&str>,
    file: Option<&str>,
    out: impl Write,
) -> io::Result<()> {
    let place = sighting.place;
    let mut object = Object::new("backscroll.secret/1", out)?;
    object.field("conversation", conversation)?;
    object.field("file", file)?;
    object.field("message", place.and_then(|place| place.message))?;
    object.field("unlisted", place.is_some_and(|place| place.is_orphan))?;
    object.field("field", place.map(|place| place.field))?;
    object.field("line", sighting.line)?;
    object.field("kind", &sighting.kind)?;
    object.field("placeholder", &sighting.placeholder)?;
    object.field("masked", &sighting.masked)?;
    object.end()
}

fn write(wire: &impl Serialize, out: impl Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, OneLine);
    wire.serialize(&mut serializer).map_err(io::Error::from)
}

/// Compact JSON that is one line for everybody.
struct OneLine;

impl Formatter for OneLine {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        escaped(out, fragment)
    }

    fn write_raw_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        escaped(out, fragment)
    }
}

fn escaped<W: ?Sized + Write>(out: &mut W, text: &str) -> io::Result<()> {
    /// The bytes that these characters begin with.
    const FIRST: [u8; 2] = [0xC2, 0xE2];
    let breaks_line = |text: &str| {
        let mut begins = memchr::memchr2_iter(FIRST[0], FIRST[1], text.as_bytes());
        begins.find(|at| text[*at..].starts_with(['\u{85}', '\u{2028}', '\u{2029}']))
    };
    let mut rest = text;
    while let Some(at) = breaks_line(rest) {
        let (before, from) = rest.split_at(at);
        out.write_all(before.as_bytes())?;
        let Some(found) = from.chars().next() else { break };
        write!(out, "\\u{:04x}", u32::from(found))?;
        rest = &from[found.len_utf8()..];
    }
    out.write_all(rest.as_bytes())
}
