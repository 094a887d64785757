//! One event of a run: an envelope with a message inside, or the message bare.

use backscroll_model::{Decoded, Finding, FindingKind, Origin, Payload};
use jiff::Timestamp;
use serde_json::value::RawValue;

use super::rows::EventRow;
use super::usage::Usage;
use crate::wire_json::{self, Object, time};

/// A tool call as one event tells it; several events tell of one call.
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
    Usage(Usage),
    /// The run's status changed, or a task told how far it is.
    Progress(String),
    /// The run failed, for this reason.
    Failed(String),
    /// What a run was begun with, where its row does not tell.
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
pub struct Event {
    /// The run it belongs to.
    pub run_id: String,
    /// Its place in the run.
    pub seq: i64,
    /// When it was stored.
    pub at: Option<Timestamp>,
    /// What it says.
    pub says: SdkMessage,
}

impl Event {
    /// Decodes a row.
    pub fn of(row: &EventRow, origin: &Origin) -> Decoded<Self> {
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
            Usage::read(raw).map_or(SdkMessage::Nothing, SdkMessage::Usage)
        }
        "status" | "task" => {
            let told = message.first_text(&["message", "text", "status"]);
            told.map_or(SdkMessage::Nothing, SdkMessage::Progress)
        }
        "result" | "error" => ended(&message),
        "system" | "request" => SdkMessage::Begun {
            model: message.raw("model").and_then(model),
            request_id: message.first_text(&["request_id", "requestId"]),
        },
        "done" => SdkMessage::Nothing,
        other => return Err((FindingKind::Unknown, format!("a message of type {other:?}"))),
    })
}

/// The model is a name, or an object with an id.
fn model(raw: &RawValue) -> Option<String> {
    wire_json::text(raw).or_else(|| Object::of(raw)?.first_text(&["id", "name"]))
}

fn ended(message: &Object<'_>) -> SdkMessage {
    let inside = message.object("error").and_then(|error| error.text("message"));
    let reason = inside.or_else(|| message.first_text(&["error", "message"]));
    let status = message.text("status").unwrap_or_default().to_ascii_lowercase();
    let is_bad = matches!(status.as_str(), "error" | "failed") || message.raw("error").is_some();
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
        let Some(object) = Object::of(block) else {
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
