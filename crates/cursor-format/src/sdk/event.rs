//! Events of a run, each an envelope with a message inside, or the message bare; and the tool calls that they make up:
//! several events are about one call, the last one has its outcome.

use std::collections::HashMap;

use backscroll_model::{Decoded, Finding, FindingKind, Origin, Payload, Tokens, ToolCall, ToolStatus};
use jiff::Timestamp;
use serde_json::value::RawValue;

use super::rows::EventRow;
use super::run::usage;
use crate::tool_names::call_name;
use crate::wire_json::{Object, time};
use crate::{edit_diff, wire_json};

/// A tool call as one event has it; several events may be about one call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallEvent {
    /// Names the call over all its events.
    pub call_id: Option<String>,
    /// The tool, as stored.
    pub name: String,
    /// `running`, `completed`, `error`, as stored.
    pub status: String,
    /// What the tool was given.
    pub arguments: Option<Payload>,
    /// What it answered, still wrapped.
    pub result: Option<Payload>,
    /// Arguments or result were cut by the SDK.
    pub is_truncated: bool,
}

/// What an event says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SdkMessage {
    /// The user's prompt.
    User(String),
    /// Words of the agent, and the calls named among them.
    Assistant {
        /// The words.
        texts: Vec<String>,
        /// The calls.
        calls: Vec<CallEvent>,
    },
    /// A thought.
    Thinking {
        /// The thought.
        text: String,
        /// How long it took.
        duration_ms: Option<u64>,
    },
    /// A tool call, at one of its stages.
    ToolCall(CallEvent),
    /// Tokens used.
    Usage(Tokens),
    /// How far the run is, or a task of it.
    Progress {
        /// Which of them, and its status: `task: done`.
        title: String,
        /// What is said about it.
        text: Option<String>,
    },
    /// A summary of what was said before, after which the talk was shortened.
    Summary(String),
    /// The run failed, for this reason.
    Failed(String),
    /// What a run was begun with, where its row does not say.
    Begun {
        /// The model.
        model: Option<String>,
        /// The request.
        request_id: Option<String>,
    },
    /// Known, and with nothing in it to show.
    Nothing,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SdkEvent {
    /// The run it belongs to.
    pub run_id: String,
    /// Its place in the run.
    pub seq: i64,
    /// When it was stored.
    pub at: Option<Timestamp>,
    /// What it says.
    pub says: SdkMessage,
}

impl SdkEvent {
    /// Decodes a row.
    pub fn from_row(row: &EventRow, origin: &Origin) -> Decoded<Self> {
        let mut findings = Vec::new();
        let says = row.payload_json.as_deref().map(|payload| says(payload, row.event_type.as_deref()));
        let key = || origin.with_key(format!("run_events/{}/{}", row.run_id, row.seq));
        let says = match says {
            Some(Ok(says)) => says,
            Some(Err((kind, what))) => {
                findings.push(Finding::new(kind, key(), what));
                SdkMessage::Nothing
            }
            None => {
                if let Some(elsewhere) = &row.payload_ref {
                    let what = format!("the payload lies elsewhere: {elsewhere}");
                    findings.push(Finding::new(FindingKind::DanglingReference, key(), what));
                }
                SdkMessage::Nothing
            }
        };
        let value = Self {
            run_id: row.run_id.clone(),
            seq: row.seq,
            at: row.created_at.as_deref().and_then(time),
            says,
        };
        Decoded { value, findings }
    }
}

/// The tool calls in the payload of an event.
pub(crate) fn calls_in(payload: &str) -> Vec<CallEvent> {
    match says(payload, None) {
        Ok(SdkMessage::ToolCall(call)) => vec![call],
        Ok(SdkMessage::Assistant { calls, .. }) => calls,
        _ => Vec::new(),
    }
}

fn says(payload: &str, event_type: Option<&str>) -> Result<SdkMessage, (FindingKind, String)> {
    let Some(envelope) = Object::read(payload) else {
        return Err((FindingKind::Undecodable, "the payload is no JSON object".to_owned()));
    };
    let kind = envelope.text("type");
    let message = match kind.as_deref() {
        Some("sdk_message" | "sdkMessage") => envelope.object("message").unwrap_or_default(),
        _ => envelope,
    };
    let kind = message.text("type").or_else(|| event_type.map(str::to_owned)).unwrap_or_default();
    Ok(match kind.as_str() {
        "user" => SdkMessage::User(content(&message).0.join("\n")),
        "assistant" => {
            let (texts, calls) = content(&message);
            SdkMessage::Assistant { texts, calls }
        }
        "thinking" => SdkMessage::Thinking {
            text: message.first_text(&["text", "thinking"]).unwrap_or_default(),
            duration_ms: message.count("thinking_duration_ms").or_else(|| message.count("durationMs")),
        },
        "tool_call" => SdkMessage::ToolCall(call(&message)),
        "usage" => {
            let raw = message.raw("usage").map_or(payload, RawValue::get);
            usage(raw).map_or(SdkMessage::Nothing, SdkMessage::Usage)
        }
        "task" | "status" => progress(&kind, &message),
        "result" | "error" => ended(&message),
        "system" | "request" => SdkMessage::Begun {
            model: message.raw("model").and_then(model),
            request_id: message.first_text(&["request_id", "requestId"]),
        },
        "done" => SdkMessage::Nothing,
        other => return Err((FindingKind::Unknown, format!("a message of type {other:?}"))),
    })
}

/// A task without a status is what a compaction left of the talk. What a run's status says without words, its row says, too.
fn progress(kind: &str, message: &Object<'_>) -> SdkMessage {
    let text = message.first_text(&["text", "message"]).filter(|text| !text.trim().is_empty());
    let status =
        message.raw("status").map(|raw| wire_json::text(raw).unwrap_or_else(|| raw.get().to_owned()));
    let is_bad = status.as_deref().is_some_and(is_failure);
    match (kind, status, text) {
        ("task", None, Some(text)) => SdkMessage::Summary(text),
        ("status", Some(_), Some(text)) if is_bad => SdkMessage::Failed(text),
        ("task", Some(status), text) => SdkMessage::Progress { title: format!("task: {status}"), text },
        (_, status, Some(text)) => {
            let title = status.map_or_else(|| kind.to_owned(), |status| format!("{kind}: {status}"));
            SdkMessage::Progress { title, text: Some(text) }
        }
        _ => SdkMessage::Nothing,
    }
}

fn is_failure(status: &str) -> bool {
    matches!(status.to_ascii_lowercase().as_str(), "error" | "failed")
}

/// The model is a name, or an object with an id.
fn model(raw: &RawValue) -> Option<String> {
    wire_json::text(raw).or_else(|| Object::parse(raw)?.first_text(&["id", "name"]))
}

fn ended(message: &Object<'_>) -> SdkMessage {
    let inside = message.object("error").and_then(|error| error.text("message"));
    let reason = inside.or_else(|| message.first_text(&["error", "message"]));
    let is_bad =
        message.text("status").is_some_and(|status| is_failure(&status)) || message.raw("error").is_some();
    match reason {
        Some(reason) => SdkMessage::Failed(reason),
        None if is_bad => SdkMessage::Failed("error".to_owned()),
        None => SdkMessage::Nothing,
    }
}

fn call(message: &Object<'_>) -> CallEvent {
    CallEvent {
        call_id: message.first_text(&["call_id", "callId", "id"]),
        name: message.first_text(&["name", "tool", "toolName"]).unwrap_or_default(),
        status: message.text("status").unwrap_or_default(),
        arguments: message.raw("args").or_else(|| message.raw("input")).map(Payload::from_raw),
        result: message.raw("result").map(Payload::from_raw),
        is_truncated: message.raw("truncated").is_some_and(|raw| !matches!(raw.get(), "false" | "{}")),
    }
}

/// The texts and calls of a message, whose content is a string or blocks, inside `message` or beside it.
fn content(message: &Object<'_>) -> (Vec<String>, Vec<CallEvent>) {
    let (mut texts, mut calls) = (Vec::new(), Vec::new());
    let inner = message.object("message");
    let found = inner.as_ref().and_then(|inner| inner.raw("content"));
    let fields = ["content", "text", "message"];
    let Some(raw) = found.or_else(|| fields.iter().find_map(|field| message.raw(field))) else {
        return (texts, calls);
    };
    if let Some(text) = wire_json::text(raw) {
        texts.push(text);
        return (texts, calls);
    }
    for block in serde_json::from_str::<Vec<&RawValue>>(raw.get()).unwrap_or_default() {
        let Some(object) = Object::parse(block) else {
            texts.extend(wire_json::text(block));
            continue;
        };
        match object.text("type").as_deref() {
            Some("tool_use" | "tool_call") => calls.push(call(&object)),
            _ => texts.push(object.text("text").unwrap_or_else(|| block.get().to_owned())),
        }
    }
    (texts, calls)
}

/// One call of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The run it belongs to.
    pub run_id: String,
    /// The event that named it first.
    pub first_seq: i64,
    /// The event that said how it ended.
    pub ended_seq: Option<i64>,
    /// The call.
    pub call: ToolCall,
    /// The SDK cut its arguments or its result.
    pub is_truncated: bool,
}

/// The calls that `events` are about, in the order of first mention.
pub fn collapse<'a>(events: impl IntoIterator<Item = &'a SdkEvent>) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut places: HashMap<(&str, &str), usize> = HashMap::new();
    for event in events {
        let SdkMessage::ToolCall(part) = &event.says else {
            continue;
        };
        let id = part.call_id.as_deref();
        let known = id.and_then(|id| places.get(&(event.run_id.as_str(), id)).copied());
        let place = known.unwrap_or_else(|| {
            calls.push(begun(event, part));
            calls.len() - 1
        });
        if let Some(id) = id {
            places.insert((&event.run_id, id), place);
        }
        update(&mut calls[place], event, part);
    }
    calls
}

fn begun(event: &SdkEvent, part: &CallEvent) -> Call {
    Call {
        run_id: event.run_id.clone(),
        first_seq: event.seq,
        ended_seq: None,
        call: ToolCall { id: part.call_id.clone(), started_at: event.at, ..ToolCall::default() },
        is_truncated: false,
    }
}

fn update(known: &mut Call, event: &SdkEvent, part: &CallEvent) {
    let call = &mut known.call;
    if !part.name.is_empty() {
        call.raw_name.clone_from(&part.name);
    }
    if let Some(arguments) =
        part.arguments.as_ref().filter(|given| !given.is_hollow() || call.arguments.is_none())
    {
        call.arguments = Some(arguments.clone());
    }
    call.name = call_name(&call.raw_name, None, call.arguments.as_ref());
    known.is_truncated |= part.is_truncated;
    call.status = status(&part.status);
    if matches!(call.status, ToolStatus::Running | ToolStatus::Pending) {
        return;
    }
    call.ended_at = event.at;
    known.ended_seq = known.ended_seq.or(Some(event.seq));
    let outcome = unwrap_result(part.result.as_ref());
    if outcome.is_error {
        call.status = ToolStatus::Error;
    }
    if call.status == ToolStatus::Error {
        call.error = Some(outcome.output).filter(|reason| !reason.is_empty());
    }
    let from_arguments = || edit_diff::from_arguments(&call.name, call.arguments.as_ref()?);
    call.diff = outcome.diff.or_else(from_arguments);
    call.result = outcome.value.filter(|value| *value != Payload::Text(String::new()));
}

/// The status that a word of the SDK names.
fn status(word: &str) -> ToolStatus {
    match word.to_ascii_lowercase().as_str() {
        "completed" | "success" | "finished" => ToolStatus::Completed,
        "error" | "failed" => ToolStatus::Error,
        "running" | "started" => ToolStatus::Running,
        "pending" | "queued" => ToolStatus::Pending,
        "cancelled" | "canceled" | "rejected" => ToolStatus::Cancelled,
        _ => ToolStatus::Unknown,
    }
}

/// A tool's answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// The answer without its envelope, as stored.
    pub value: Option<Payload>,
    /// The answer as text: what the model was shown.
    pub output: String,
    /// It failed: a bad status, or an exit code other than zero.
    pub is_error: bool,
    /// What it changed, where it says so.
    pub diff: Option<String>,
}

/// Takes `result` out of its envelope.
pub fn unwrap_result(result: Option<&Payload>) -> Outcome {
    let json = match result {
        None => return Outcome::default(),
        Some(Payload::Text(text)) => {
            return Outcome { value: result.cloned(), output: text.clone(), ..Outcome::default() };
        }
        Some(Payload::Json(json)) => json,
    };
    let Some(envelope) = Object::parse(json) else {
        return plain(Payload::Json(json.clone()), false);
    };
    let is_bad = envelope.text("status").is_some_and(|status| {
        matches!(status.to_ascii_lowercase().as_str(), "error" | "failed" | "failure" | "rejected")
    });
    let inside = envelope.raw("value").or_else(|| envelope.raw("error").filter(|_| is_bad));
    let is_bare = envelope.raw("status").is_none() && envelope.raw("value").is_none();
    match inside {
        Some(inside) => plain(Payload::from_raw(inside), is_bad),
        None if is_bare => plain(Payload::Json(json.clone()), is_bad),
        None => Outcome { is_error: is_bad, ..Outcome::default() },
    }
}

fn plain(value: Payload, is_bad: bool) -> Outcome {
    let mut outcome = Outcome { is_error: is_bad, ..Outcome::default() };
    if let Payload::Json(json) = &value
        && let Some(object) = Object::parse(json)
    {
        let exit_code = object.integer("exitCode").or_else(|| object.integer("exit_code"));
        outcome.is_error |= exit_code.is_some_and(|code| code != 0);
        outcome.is_error |= object.raw("isError").is_some_and(|raw| raw.get() == "true");
        outcome.diff = object.first_text(&["diffString", "diff"]).filter(|diff| !diff.is_empty());
        let reason = || reason(&object).filter(|_| is_bad);
        let output = shown(&object, outcome.diff.as_deref()).or_else(reason);
        outcome.output = output.unwrap_or_else(|| json.get().to_owned());
    } else if !value.is_hollow() {
        value.as_str().clone_into(&mut outcome.output);
    }
    outcome.value = Some(value);
    outcome
}

/// Why it failed, where a field says so in words.
fn reason(object: &Object<'_>) -> Option<String> {
    let inside = object.object("error").and_then(|error| error.text("message"));
    inside.or_else(|| object.first_text(&["error", "message", "reason"])).filter(|reason| !reason.is_empty())
}

fn shown(object: &Object<'_>, diff: Option<&str>) -> Option<String> {
    if object.raw("stdout").is_some() || object.raw("stderr").is_some() {
        let stdout = object.text("stdout").unwrap_or_default();
        let stdout = stdout.strip_suffix('\n').unwrap_or(&stdout);
        let stderr = object.text("stderr").unwrap_or_default();
        return Some(match (stdout.is_empty(), stderr.is_empty()) {
            (_, true) => stdout.to_owned(),
            (true, false) => format!("[stderr]\n{stderr}"),
            (false, false) => format!("{stdout}\n[stderr]\n{stderr}"),
        });
    }
    object.text("content").or_else(|| diff.map(str::to_owned)).or_else(|| blocks(object))
}

/// The words in the blocks of `content`, as MCP servers answer.
fn blocks(object: &Object<'_>) -> Option<String> {
    let of = |block: &&serde_json::value::RawValue| {
        let block = Object::parse(block)?;
        block.text("text").or_else(|| block.object("text")?.text("text"))
    };
    let texts: Vec<String> = object.items("content")?.iter().filter_map(of).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
