//! `agent.v1.ToolCall`: one use of a tool, as steps and the editor's `toolCallBinary` hold it.

use backscroll_model::{Decoded, Finding, FindingKind, Origin, Payload, ToolCall, ToolStatus};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::Value as Json;

use super::graph::{Graph, Place};
use super::root::Reference;
use super::tool_fields::USUAL;
use super::tool_schema::{self, Outcome, Tool};
use super::tool_value;
use super::wire::{Message, Value};
use crate::call_name::{call_name, may_be_relay};
use crate::{Blobs, diff, tool_names};

/// Fields of a tool call that are not the tool itself.
const HOOKS: u32 = 54;
const CALL_ID: u32 = 57;
const STARTED_AT: u32 = 59;
const ENDED_AT: u32 = 60;
const TRUNCATED: u32 = 34;

/// Reads the bytes of a tool call; `None`, with a finding, if they name no tool.
pub fn tool_call(bytes: &[u8], at: &Origin, blobs: &dyn Blobs) -> Decoded<Option<ToolCall>> {
    let mut graph = Graph::new(Place { blobs, root: at.clone(), prefix: "agentKv:blob:" });
    let call = read(bytes, Payloads::Read, &mut graph);
    if call.is_none() && graph.findings.is_empty() {
        let says = "a tool call names no tool";
        graph.report(FindingKind::Undecodable, at.clone(), says);
    }
    Decoded { value: call, findings: graph.findings }
}

/// Reads the editor's `toolCallBinary`: the same in base64.
pub fn tool_call_from_base64(text: &str, at: &Origin, blobs: &dyn Blobs) -> Decoded<Option<ToolCall>> {
    if let Ok(bytes) = STANDARD.decode(text.trim()) {
        return tool_call(&bytes, at, blobs);
    }
    let says = "a tool call is not in base64";
    Decoded { value: None, findings: vec![Finding::new(FindingKind::Undecodable, at.clone(), says)] }
}

/// When the call in an editor's `toolCallBinary` began and ended, without reading the call itself.
pub fn tool_call_times(text: &str) -> (Option<Timestamp>, Option<Timestamp>) {
    let bytes = STANDARD.decode(text.trim()).unwrap_or_default();
    let message = Message::read(&bytes);
    (message.time(STARTED_AT), message.time(ENDED_AT))
}

/// Whether what a tool was given and what it answered is read with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Payloads {
    /// It is.
    Read,
    /// It is not: somebody else tells it.
    Left,
}

/// Reads a tool call on the way through a graph.
pub(super) fn read(bytes: &[u8], payloads: Payloads, graph: &mut Graph<'_>) -> Option<ToolCall> {
    let message = Message::read(bytes);
    if let Some(error) = message.error {
        let says = format!("a tool call cannot be read to its end: {error}");
        graph.report(FindingKind::Damaged, graph.root().clone(), says);
    }
    if let Some(original) = message.message(TRUNCATED).and_then(|cut| cut.bytes(1)) {
        return follow(original, payloads, graph);
    }
    let (number, body) = message.fields.iter().find_map(|field| match field.value {
        Value::Bytes(body) if !matches!(field.number, HOOKS | CALL_ID) => Some((field.number, body)),
        _ => None,
    })?;
    let known = tool_schema::by_number(number);
    let raw_name = known.map_or_else(|| format!("field_{number}"), |tool| tool.name.to_owned());
    if known.is_none() {
        let says = format!("a tool call uses the unknown tool number {number}");
        graph.report(FindingKind::Unknown, graph.root().clone(), says);
    }
    let mut call = ToolCall {
        id: message.words(CALL_ID),
        name: tool_names::canonical(&raw_name, None),
        raw_name,
        started_at: message.time(STARTED_AT),
        ended_at: message.time(ENDED_AT),
        ..ToolCall::default()
    };
    call.status = if call.started_at.is_some() { ToolStatus::Running } else { ToolStatus::Pending };
    fill(&mut call, body, known, payloads, graph);
    Some(call)
}

/// A call that was cut short names the step that has it whole.
fn follow(original: &[u8], payloads: Payloads, graph: &mut Graph<'_>) -> Option<ToolCall> {
    let Reference::Blob(id) = Reference::of(original) else {
        return None;
    };
    if !graph.enter(Some(id)) {
        return None;
    }
    let step = graph.fetch(id, "a tool call that was cut short");
    let call = step.and_then(|step| {
        let step = Message::read(&step);
        read(step.bytes(2)?, payloads, graph)
    });
    graph.leave();
    call
}

fn fill(call: &mut ToolCall, body: &[u8], known: Option<Tool>, payloads: Payloads, graph: &mut Graph<'_>) {
    let tool = known.unwrap_or(Tool { name: "", arguments: &[], success: &[], others: &[] });
    let body = Message::read(body);
    let mut arguments = body.bytes(1).map(|bytes| tool_value::object(bytes, tool.arguments, graph, 0));
    if let Some(Json::Object(fields)) = &mut arguments {
        // Older builds keep the call's id among the arguments.
        let id = fields.remove("toolCallId");
        call.id = call.id.take().or_else(|| text(id.as_ref()?));
    }
    if let Some(arguments) = &arguments {
        call.child = text(&arguments["agentId"]).or_else(|| text(&arguments["resume"]));
        let is_asked = payloads == Payloads::Read || may_be_relay(&call.raw_name, None);
        let given = if is_asked { payload(arguments) } else { None };
        call.name = call_name(&call.raw_name, None, given.as_ref());
        call.arguments = given.filter(|_| payloads == Payloads::Read);
    }
    if let Some(result) = body.bytes(2) {
        let told = finish(call, result, tool, graph);
        call.result = if payloads == Payloads::Read { payload(&told) } else { None };
    }
}

/// Reads how the call ended, and gives everything that it answered.
fn finish(call: &mut ToolCall, result: &[u8], tool: Tool, graph: &mut Graph<'_>) -> Json {
    let message = Message::read(result);
    let success = Outcome { number: 1, name: "success", status: ToolStatus::Completed, fields: tool.success };
    let others = if tool.others.is_empty() { USUAL } else { tool.others };
    let mut told = serde_json::Map::new();
    for field in &message.fields {
        let outcome = std::iter::once(&success).chain(others).find(|one| one.number == field.number);
        if let (Some(outcome), Value::Bytes(bytes)) = (outcome, field.value) {
            let fields = tool_value::object(bytes, outcome.fields, graph, 0);
            call.status = outcome.status;
            call.decision = (outcome.name == "rejected").then(|| "rejected".to_owned());
            if outcome.status != ToolStatus::Completed {
                call.error = Some(reason(outcome.name, &fields));
            }
            call.child = text(&fields["agentId"]).or_else(|| call.child.take());
            call.diff = diff_of(&fields);
            told.insert(outcome.name.to_owned(), fields);
        } else if let Value::Varint(number) = field.value {
            told.insert(result_flag(field.number), number.cast_signed().into());
        } else {
            // Beside the outcome, or an outcome that has no name yet: nothing of it is lost.
            if field.number < 100 {
                call.status = ToolStatus::Unknown;
            }
            told.insert(result_flag(field.number), unnamed(field.value, graph));
        }
    }
    Json::Object(told)
}

fn result_flag(number: u32) -> String {
    match number {
        101 => "sandboxPolicy".to_owned(),
        102 => "isBackground".to_owned(),
        103 => "terminalsFolder".to_owned(),
        104 => "pid".to_owned(),
        other => format!("field_{other}"),
    }
}

fn unnamed(value: Value<'_>, graph: &mut Graph<'_>) -> Json {
    match value {
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) if !text.contains(char::is_control) => Json::String(text.to_owned()),
            _ => tool_value::object(bytes, &[], graph, 0),
        },
        Value::Varint(number) => number.into(),
        Value::Fixed64(bits) => f64::from_bits(bits).into(),
        Value::Fixed32(bits) => f32::from_bits(bits).into(),
    }
}

fn reason(outcome: &str, fields: &Json) -> String {
    let said = ["error", "reason", "message", "abortReason"].iter().find_map(|name| text(&fields[*name]));
    let code = || Some(format!("exit code {}", fields["exitCode"].as_i64()?));
    said.or_else(code).unwrap_or_else(|| outcome.to_owned())
}

fn diff_of(fields: &Json) -> Option<String> {
    if let Some(diff) = text(&fields["diffString"]) {
        return Some(diff);
    }
    let after = fields["afterFullFileContent"].as_str()?;
    let before = fields["beforeFullFileContent"].as_str().unwrap_or_default();
    diff::unified(fields["path"].as_str().unwrap_or("file"), before, after)
}

fn text(value: &Json) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn payload(value: &Json) -> Option<Payload> {
    serde_json::value::to_raw_value(value).ok().map(Payload::Json)
}
