//! The door to all dialects: bytes of a transcript in, messages and findings out.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use backscroll_model::{
    Coverage, Decoded, Finding, FindingKind, Layer, Message, Moment, Origin, Part, Payload, Role, ToolCall,
    ToolStatus,
};

use super::visible::Piece;
use super::{json, text, visible};
use crate::limits::{MOST_MESSAGES, too_many};
use crate::tool_names::call_name;
use crate::{edit_diff, user_text};

/// How a transcript was written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `user:` and `assistant:` lines.
    Text,
    /// One JSON array.
    Json,
    /// One JSON record a line.
    Jsonl,
}

impl Dialect {
    /// The dialect of a file with this extension.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "txt" => Some(Self::Text),
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            _ => None,
        }
    }

    /// The dialect of a file that begins so, whatever it is called.
    pub fn of_beginning(start: &[u8]) -> Option<Self> {
        let start = readable(start);
        let start = start.trim_start();
        let first = start.lines().next().unwrap_or_default().trim_end();
        let speaks = start.contains("\"role\"");
        match start.chars().next() {
            Some('[') if speaks => Some(Self::Json),
            Some('{') if speaks || first.contains("\"type\"") => Some(Self::Jsonl),
            _ if matches!(first, "user:" | "assistant:") => Some(Self::Text),
            _ => None,
        }
    }

    /// The layer that such a transcript is reported as.
    pub fn layer(self) -> Layer {
        match self {
            Self::Text => Layer::TranscriptText,
            Self::Json => Layer::TranscriptJson,
            Self::Jsonl => Layer::TranscriptJsonl,
        }
    }
}

/// What a transcript says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transcript {
    /// What was said, in the file's order.
    pub messages: Vec<Message>,
    /// The account of the messages.
    pub coverage: Coverage,
    /// How many records the file holds: lines, items or role markers, whether they became messages or not.
    pub records: u64,
}

/// Decodes a transcript. `origin` names the file; messages and findings get a key of their own in it.
pub fn decode(dialect: Dialect, bytes: &[u8], origin: &Origin) -> Decoded<Transcript> {
    let mut builder = Builder::new(origin.clone().as_layer(dialect.layer()));
    let text = readable(bytes);
    if std::str::from_utf8(bytes).is_err() {
        builder.find(FindingKind::Damaged, "file", "some bytes are no UTF-8 and are shown as \u{fffd}");
    }
    if memchr::memchr(0, bytes).is_some() {
        builder.find(FindingKind::Damaged, "file", "some bytes are zero and are left out");
    }
    match dialect {
        Dialect::Text => text::read(&text, &mut builder),
        Dialect::Json => json::read_array(&text, &mut builder),
        Dialect::Jsonl => json::read_lines(&text, &mut builder),
    }
    builder.finish()
}

/// The bytes as text without a byte order mark and zeros, which a lost page leaves; what is no UTF-8 is replaced.
pub(super) fn readable(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if memchr::memchr(0, bytes).is_none() {
        return String::from_utf8_lossy(bytes);
    }
    let filled: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
    Cow::Owned(String::from_utf8_lossy(&filled).into_owned())
}

/// Where a call stands: its message and its part.
type CallPosition = (usize, usize);

pub(super) struct Builder {
    origin: Origin,
    transcript: Transcript,
    findings: Vec<Finding>,
    by_name: HashMap<String, VecDeque<CallPosition>>,
    by_id: HashMap<String, CallPosition>,
    /// Messages of the user that hold a text which is nothing but the editor's context.
    with_context: HashSet<usize>,
    redacted: Option<(String, u64)>,
    unknown: BTreeMap<String, (String, u64)>,
    /// The number of messages beyond the limit. Their parts are left out, too.
    left_out: usize,
}

impl Builder {
    pub(super) fn new(origin: Origin) -> Self {
        Self {
            origin,
            transcript: Transcript::default(),
            findings: Vec::new(),
            by_name: HashMap::new(),
            by_id: HashMap::new(),
            with_context: HashSet::new(),
            redacted: None,
            unknown: BTreeMap::new(),
            left_out: 0,
        }
    }

    /// Reports something at `key`.
    pub(super) fn find(&mut self, kind: FindingKind, key: &str, says: impl Into<String>) {
        let at = self.origin.with_key(key);
        self.findings.push(Finding::new(kind, at, says));
    }

    /// Reports something not known, once for each `what`.
    pub(super) fn find_unknown(&mut self, key: &str, what: impl Into<String>) {
        let seen = self.unknown.entry(what.into());
        seen.or_insert_with(|| (key.to_owned(), 0)).1 += 1;
    }

    /// Counts a record, whatever becomes of it.
    pub(super) fn count_record(&mut self) {
        self.transcript.records += 1;
    }

    /// Counts a record that should have been a message and could not be read.
    pub(super) fn count_undecodable(&mut self) {
        self.transcript.coverage.listed += 1;
        self.transcript.coverage.undecodable += 1;
    }

    /// Begins a message; parts that follow are its own. What was asked before a prompt is answered before it.
    pub(super) fn begin(&mut self, id: impl Into<String>, key: &str, role: Role) {
        if role == Role::User {
            self.by_name.clear();
        }
        if self.transcript.messages.len() == MOST_MESSAGES {
            self.left_out += 1;
            return;
        }
        let message = Message::new(id, role, self.origin.with_key(key));
        self.transcript.messages.push(message);
    }

    /// The message that was begun last, unless it is beyond the limit.
    fn last(&mut self) -> Option<&mut Message> {
        self.transcript.messages.last_mut().filter(|_| self.left_out == 0)
    }

    /// Notes when the message that was begun last was said, and by which model.
    pub(super) fn note(&mut self, at: Option<jiff::Timestamp>, model: Option<&str>) {
        if let Some(message) = self.last() {
            message.at = Moment::exact_or_unknown(at);
            message.model = model.map(str::to_owned);
        }
    }

    pub(super) fn has_messages(&self) -> bool {
        !self.transcript.messages.is_empty()
    }

    /// Adds a part to the message that was begun last.
    pub(super) fn add(&mut self, part: Part) {
        let index = self.transcript.messages.len().checked_sub(1).filter(|_| self.left_out == 0);
        let (Some(index), Some(message)) = (index, self.transcript.messages.last_mut()) else {
            return;
        };
        if let Part::ToolCall(call) = &part {
            let place = (index, message.parts.len());
            self.by_name.entry(call.raw_name.clone()).or_default().push_back(place);
            if let Some(id) = &call.id {
                self.by_id.insert(id.clone(), place);
            }
        }
        message.parts.push(part);
    }

    /// Adds what a user's text holds: context first, then pictures, then words.
    pub(super) fn add_user_text(&mut self, text: &str) {
        let user = user_text::unwrap(text);
        let (at, is_context) = (user.at, user.is_context);
        for part in user.into_parts() {
            self.add(part);
        }
        let place = self.transcript.messages.len();
        if let Some(message) = self.last() {
            if message.at.at.is_none() {
                message.at = Moment::exact_or_unknown(at);
            }
            if is_context {
                self.with_context.insert(place - 1);
            }
        }
    }

    /// Adds what the agent wrote: words and thoughts.
    pub(super) fn add_agent_text(&mut self, text: &str, key: &str) {
        let has_marks = self.origin.layer == Layer::TranscriptText;
        for piece in visible::pieces(text, has_marks) {
            match piece {
                Piece::Words(words) => self.add(Part::Text(words)),
                Piece::Thought(text) => self.add(Part::Thinking { text, duration_ms: None }),
                Piece::Redacted => self.note_redacted(key),
            }
        }
    }

    pub(super) fn note_redacted(&mut self, key: &str) {
        self.redacted.get_or_insert_with(|| (key.to_owned(), 0)).1 += 1;
    }

    /// Adds a call.
    pub(super) fn add_call(&mut self, id: Option<String>, raw_name: &str, arguments: Option<Payload>) {
        self.add(Part::ToolCall(Box::new(call(id, raw_name, arguments))));
    }

    /// A result arrived. Without a call that waits for it, it stands as a call of its own.
    pub(super) fn answer(
        &mut self,
        id: Option<&str>,
        name: Option<&str>,
        result: Option<Payload>,
        key: &str,
    ) {
        let place = id.and_then(|id| self.by_id.get(id).copied()).or_else(|| self.waiting(name?));
        let call = place.and_then(|(message, part)| {
            match self.transcript.messages.get_mut(message)?.parts.get_mut(part)? {
                Part::ToolCall(call) => Some(call),
                _ => None,
            }
        });
        if let Some(call) = call {
            call.status = ToolStatus::Completed;
            call.result = result;
            return;
        }
        self.find(FindingKind::DanglingReference, key, "a tool result without a call");
        if !self.has_messages() {
            self.begin("0", key, Role::Tool);
        }
        let mut lone = call_without_arguments(id, name.unwrap_or_default());
        lone.result = result;
        self.add(Part::ToolCall(Box::new(lone)));
    }

    fn waiting(&mut self, name: &str) -> Option<CallPosition> {
        let queue = self.by_name.get_mut(name)?;
        while let Some((message, part)) = queue.pop_front() {
            let waits = matches!(
                self.transcript.messages.get(message).and_then(|m| m.parts.get(part)),
                Some(Part::ToolCall(call)) if call.status == ToolStatus::Unknown
            );
            if waits {
                return Some((message, part));
            }
        }
        None
    }

    /// Closes the account.
    pub(super) fn finish(mut self) -> Decoded<Transcript> {
        if let Some((key, times)) = self.redacted.take() {
            let says = format!("thinking was removed from this transcript ({times} times [REDACTED])");
            self.find(FindingKind::CutShort, &key, says);
        }
        if self.left_out > 0 {
            self.findings.push(too_many(self.left_out, &self.origin));
        }
        for (what, (key, times)) in std::mem::take(&mut self.unknown) {
            self.find(FindingKind::Unknown, &key, format!("{what} ({times} times)"));
        }
        for (place, message) in self.transcript.messages.iter_mut().enumerate() {
            let is_context = |part: &Part| matches!(part, Part::Attachment(_));
            if self.with_context.contains(&place) && message.parts.iter().all(is_context) {
                message.role = Role::System;
            }
            self.transcript.coverage.listed += 1;
            if message.parts.is_empty() {
                self.transcript.coverage.empty += 1;
            } else {
                self.transcript.coverage.read += 1;
            }
        }
        Decoded { value: self.transcript, findings: self.findings }
    }
}

fn call(id: Option<String>, raw_name: &str, arguments: Option<Payload>) -> ToolCall {
    let name = call_name(raw_name, None, arguments.as_ref());
    let diff = arguments.as_ref().and_then(|given| edit_diff::from_arguments(&name, given));
    ToolCall { id, name, raw_name: raw_name.to_owned(), arguments, diff, ..ToolCall::default() }
}

fn call_without_arguments(id: Option<&str>, raw_name: &str) -> ToolCall {
    ToolCall { status: ToolStatus::Completed, ..call(id.map(str::to_owned), raw_name, None) }
}
