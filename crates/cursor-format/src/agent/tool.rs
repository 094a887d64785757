//! `agent.v1.ToolCall`: one use of a tool, as steps and the editor's `toolCallBinary` hold it.

use backscroll_model::{
    Attachment, Decoded, Finding, FindingKind, Origin, Payload, TodoStatus, ToolCall, ToolStatus,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};

use super::graph::{Graph, GraphLocation};
use super::root::Reference;
use super::tool_schema;
use super::tool_schema::{Kind, Spec, Tool};
use super::turn;
use super::wire::{ProtoMessage, Value, readable};
use crate::tool_names::{call_name, may_be_relay};
use crate::{Blobs, diff, tool_names};

/// Fields of a tool call that are not the tool itself.
pub(super) const HOOKS: u32 = 54;
const CALL_ID: u32 = 57;
const STARTED_AT: u32 = 59;
const ENDED_AT: u32 = 60;
pub(super) const TRUNCATED: u32 = 34;

/// Reads the bytes of a tool call; `None`, with a finding, if they name no tool.
pub fn tool_call(bytes: &[u8], at: &Origin, blobs: &dyn Blobs) -> Decoded<Option<ToolCall>> {
    let mut graph = Graph::new(GraphLocation { blobs, root: at.clone(), prefix: crate::ide::keys::BLOBS });
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

/// What stands around the call in an editor's `toolCallBinary`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallFrame {
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// What hooks added to it.
    pub context: Vec<Attachment>,
}

/// What stands around the call in an editor's `toolCallBinary`, without reading the call itself.
pub fn tool_call_frame(text: &str) -> CallFrame {
    let bytes = STANDARD.decode(text.trim()).unwrap_or_default();
    let message = ProtoMessage::read(&bytes);
    CallFrame {
        started_at: message.time(STARTED_AT),
        ended_at: message.time(ENDED_AT),
        context: turn::hook_contexts_of_call(&message),
    }
}

/// Whether what a tool was given and what it answered is read with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Payloads {
    /// It is.
    Read,
    /// It is not: another place has it.
    Left,
}

/// Reads a tool call on the way through a graph.
pub(super) fn read(bytes: &[u8], payloads: Payloads, graph: &mut Graph<'_>) -> Option<ToolCall> {
    let message = ProtoMessage::read(bytes);
    if let Some(error) = message.error {
        let says = format!("a tool call cannot be read to its end: {error}");
        graph.report(FindingKind::Damaged, graph.root().clone(), says);
    }
    if let Some(cut) = message.message(TRUNCATED) {
        return cut_short(&cut, payloads, graph);
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

/// A call that was cut short names the step that has it whole, and shows what it looked like where that is gone.
fn cut_short(cut: &ProtoMessage<'_>, payloads: Payloads, graph: &mut Graph<'_>) -> Option<ToolCall> {
    if let Some(whole) = cut.bytes(1).and_then(|original| follow(original, payloads, graph)) {
        return Some(whole);
    }
    let preview = cut.bytes(5).filter(|_| graph.enter(None))?;
    let call = read(preview, Payloads::Read, graph);
    graph.leave();
    let mut call = call?;
    let size = cut.number(4).map(|bytes| format!(" of {bytes} bytes")).unwrap_or_default();
    call.notes.push(format!("only a preview{size} is stored"));
    Some(call)
}

/// A call that was cut short names the step that has it whole.
fn follow(original: &[u8], payloads: Payloads, graph: &mut Graph<'_>) -> Option<ToolCall> {
    let Reference::Blob(id) = Reference::from_bytes(original) else {
        return None;
    };
    if !graph.enter(Some(id)) {
        return None;
    }
    let step = graph.fetch(id, "a tool call that was cut short");
    let call = step.and_then(|step| {
        let step = ProtoMessage::read(&step);
        read(step.bytes(2)?, payloads, graph)
    });
    graph.leave();
    call
}

fn fill(
    call: &mut ToolCall,
    body: &[u8],
    known: Option<&'static Tool>,
    payloads: Payloads,
    graph: &mut Graph<'_>,
) {
    let tool = known.unwrap_or_else(tool_schema::unknown);
    let body = ProtoMessage::read(body);
    let mut arguments = body.bytes(1).map(|bytes| object(bytes, &tool.arguments, graph, 0));
    if let Some(Json::Object(fields)) = &mut arguments {
        // Older builds keep the call's id among the arguments.
        let id = fields.remove("toolCallId");
        call.id = call.id.take().or_else(|| text(id.as_ref()?));
    }
    if let Some(arguments) = &arguments {
        if arguments["argumentsRepaired"] == true {
            call.notes.push("Cursor repaired the arguments that the model gave".to_owned());
        }
        if starts_agent(tool) {
            call.child = text(&arguments["agentId"]).or_else(|| text(&arguments["resume"]));
        }
        let is_asked = payloads == Payloads::Read || may_be_relay(&call.raw_name, None);
        let given = if is_asked { payload(arguments) } else { None };
        call.name = call_name(&call.raw_name, None, given.as_ref());
        call.arguments = given.filter(|_| payloads == Payloads::Read);
    }
    if let Some(result) = body.bytes(2) {
        let outcome_json = finish(call, result, tool, graph);
        let is_kept = payloads == Payloads::Read || output_file(&outcome_json).is_some();
        call.result = if is_kept { payload(&outcome_json) } else { None };
    }
}

/// Whether the agent that a call names is one that it started; others are only asked or read.
fn starts_agent(tool: &Tool) -> bool {
    matches!(tool.name, "task" | "create_agent" | "create_project")
}

/// The file that holds the output of a call, where that was too long for the result.
pub(super) fn spilled(call: &ToolCall) -> Option<String> {
    let result: Json = serde_json::from_str(call.result.as_ref()?.as_str()).ok()?;
    output_file(&result).map(str::to_owned)
}

fn output_file(result: &Json) -> Option<&str> {
    let outcomes = ["success", "failure"].iter();
    outcomes.filter_map(|name| result.get(name)).find_map(|one| one["outputLocation"]["filePath"].as_str())
}

/// Reads how the call ended, and gives everything that it answered.
fn finish(call: &mut ToolCall, result: &[u8], tool: &Tool, graph: &mut Graph<'_>) -> Json {
    let message = ProtoMessage::read(result);
    let mut outcome_json = serde_json::Map::new();
    for field in &message.fields {
        let beside = tool.beside.iter().find(|one| one.number == field.number);
        if let (Some(spec), Value::Bytes(bytes)) = (beside, field.value) {
            let said = readable(bytes).into_owned();
            call.notes.extend((!said.is_empty()).then(|| format!("plan file: {said}")));
            outcome_json.insert(spec.name.to_owned(), Json::String(said));
            continue;
        }
        if let (Some(outcome), Value::Bytes(bytes)) = (tool.outcome(field.number), field.value) {
            let fields = object(bytes, &outcome.fields, graph, 0);
            call.status = outcome.status;
            call.decision = (outcome.name == "rejected").then(|| "rejected".to_owned());
            // A server of tools answers that it failed inside of a success.
            if outcome.name == "success" && fields["isError"] == true {
                call.status = ToolStatus::Error;
                call.error = Some(mcp_words(&fields)).filter(|words| !words.is_empty());
            }
            if outcome.status != ToolStatus::Completed {
                call.error = Some(reason(outcome.name, &fields));
            }
            if let Some(killed) = fields.get("oomKill") {
                let limit = killed["memoryLimitBytes"].as_i64();
                let limit = limit.map(|limit| format!(" (limit {limit} bytes)")).unwrap_or_default();
                call.notes.push(format!("killed: out of memory{limit}"));
            }
            if starts_agent(tool) {
                call.child = text(&fields["agentId"]).or_else(|| call.child.take());
            }
            call.diff = diff_of(&fields);
            outcome_json.insert(outcome.name.to_owned(), fields);
        } else if let Value::Varint(number) = field.value {
            outcome_json.insert(result_flag(field.number), number.cast_signed().into());
        } else {
            // Beside the outcome, or an outcome that has no name yet: nothing of it is lost.
            if field.number < 100 {
                call.status = ToolStatus::Unknown;
            }
            outcome_json.insert(result_flag(field.number), unnamed(field.value, graph));
        }
    }
    Json::Object(outcome_json)
}

/// The words in the blocks that a server of tools answered with.
fn mcp_words(fields: &Json) -> String {
    let mut words = Vec::new();
    let mut open: Vec<&Json> = vec![&fields["content"]];
    while let Some(value) = open.pop() {
        match value {
            Json::String(text) => words.push(text.as_str()),
            Json::Array(items) => open.extend(items.iter().rev()),
            Json::Object(fields) => open.extend(fields.values().rev()),
            _ => {}
        }
    }
    words.join("\n")
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
            _ => object(bytes, &[], graph, 0),
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

/// Messages nested deeper than this are kept as base64.
const DEEPEST: usize = 24;

/// A message as a JSON object.
pub(super) fn object(bytes: &[u8], specs: &[Spec], graph: &mut Graph<'_>, depth: usize) -> Json {
    let message = match ProtoMessage::whole(bytes) {
        Some(message) if depth <= DEEPEST => message,
        _ => return Json::String(base64_text(bytes)),
    };
    let mut object = Map::new();
    for field in &message.fields {
        let spec = specs.iter().find(|spec| spec.number == field.number);
        let (name, kind) = match spec {
            Some(spec) => (spec.name.to_owned(), &spec.kind),
            None => (format!("field_{}", field.number), &Kind::Any),
        };
        if let (Kind::Map(_) | Kind::Values, Value::Bytes(entry)) = (kind, field.value) {
            let entries = object.entry(name).or_insert_with(|| json!({}));
            if let Json::Object(entries) = entries {
                insert_entry(entries, entry, kind, graph, depth);
            }
            continue;
        }
        let value = value(field.value, kind, graph, depth);
        let is_list = spec.is_some_and(|spec| spec.is_list);
        add(&mut object, name, value, is_list);
    }
    Json::Object(object)
}

/// A field that comes several times becomes a list.
fn add(object: &mut Map<String, Json>, name: String, value: Json, is_list: bool) {
    match object.get_mut(&name) {
        Some(Json::Array(items)) => items.push(value),
        Some(first) => *first = Json::Array(vec![first.take(), value]),
        None if is_list => {
            object.insert(name, Json::Array(vec![value]));
        }
        None => {
            object.insert(name, value);
        }
    }
}

fn insert_entry(
    entries: &mut Map<String, Json>,
    entry: &[u8],
    kind: &Kind,
    graph: &mut Graph<'_>,
    depth: usize,
) {
    let entry = ProtoMessage::read(entry);
    let bytes = entry.bytes(2).unwrap_or_default();
    let value = match kind {
        Kind::Map(specs) => object(bytes, specs, graph, depth + 1),
        _ => dynamic(bytes, depth + 1),
    };
    entries.insert(entry.text(1).unwrap_or_default(), value);
}

fn value(value: Value<'_>, kind: &Kind, graph: &mut Graph<'_>, depth: usize) -> Json {
    let bytes = match value {
        Value::Bytes(bytes) => bytes,
        Value::Varint(number) => return number_as(number, kind),
        Value::Fixed64(bits) => return json!(f64::from_bits(bits)),
        Value::Fixed32(bits) => return json!(f32::from_bits(bits)),
    };
    match kind {
        Kind::Text => Json::String(readable(bytes).into_owned()),
        Kind::Bytes => Json::String(base64_text(bytes)),
        Kind::Message(specs) => object(bytes, specs, graph, depth + 1),
        Kind::SubagentType => Json::String(subagent_type(bytes)),
        Kind::BlobId => Json::String(
            Reference::from_bytes(bytes).id().map_or_else(|| base64_text(bytes), |id| id.to_string()),
        ),
        Kind::BlobText => blob_text(bytes, graph),
        _ => by_looks(bytes, depth + 1),
    }
}

fn number_as(number: u64, kind: &Kind) -> Json {
    match kind {
        Kind::Flag => Json::Bool(number != 0),
        Kind::TodoStatus => json!(todo_status(number)),
        _ => json!(number.cast_signed()),
    }
}

/// What a todo's status number means.
pub(super) fn todo_status(number: u64) -> &'static str {
    let status = match number {
        1 => TodoStatus::Pending,
        2 => TodoStatus::InProgress,
        3 => TodoStatus::Completed,
        4 => TodoStatus::Cancelled,
        _ => return "unknown",
    };
    status.name()
}

fn subagent_type(bytes: &[u8]) -> String {
    let message = ProtoMessage::read(bytes);
    let name = match message.fields.first().map(|field| field.number) {
        Some(2) => "computer_use",
        Some(3) => {
            let custom = message.message(3).and_then(|custom| custom.words(1));
            return custom.unwrap_or_else(|| "custom".to_owned());
        }
        Some(4) => "explore",
        Some(5) => "media_review",
        Some(6) => "bash",
        Some(7) => "browser_use",
        Some(8) => "shell",
        Some(9) => "vm_setup_helper",
        Some(10) => "debug",
        Some(11) => "cursor_guide",
        Some(12) => "watch_video",
        _ => "unspecified",
    };
    name.to_owned()
}

fn blob_text(bytes: &[u8], graph: &mut Graph<'_>) -> Json {
    let Reference::Blob(id) = Reference::from_bytes(bytes) else {
        return Json::String(base64_text(bytes));
    };
    let content = graph.fetch(id, "a file's content");
    match content.map(|bytes| String::from_utf8(bytes.into_owned())) {
        Some(Ok(text)) => Json::String(text),
        _ => json!({ "blobId": id.to_string() }),
    }
}

/// A `google.protobuf.Value`.
fn dynamic(bytes: &[u8], depth: usize) -> Json {
    let message = match ProtoMessage::whole(bytes) {
        Some(message) if depth <= DEEPEST => message,
        _ => return Json::String(base64_text(bytes)),
    };
    let Some(field) = message.fields.last() else {
        return Json::Null;
    };
    match (field.number, field.value) {
        (2, Value::Fixed64(bits)) => json!(f64::from_bits(bits)),
        (3, Value::Bytes(text)) => Json::String(String::from_utf8_lossy(text).into_owned()),
        (4, Value::Varint(flag)) => Json::Bool(flag != 0),
        (5, Value::Bytes(nested)) => ProtoMessage::read(nested)
            .map(1)
            .map(|(key, value)| (key, dynamic(value, depth + 1)))
            .collect::<Map<_, _>>()
            .into(),
        (6, Value::Bytes(nested)) => {
            let items = ProtoMessage::read(nested);
            let items = items.every(1).map(|item| dynamic(item, depth + 1));
            items.collect::<Vec<_>>().into()
        }
        (1, _) => Json::Null,
        _ => by_looks(bytes, depth + 1),
    }
}

/// Text if it reads as text, else a message if it is one, else base64.
fn by_looks(bytes: &[u8], depth: usize) -> Json {
    let text = std::str::from_utf8(bytes).ok().filter(|text| {
        let odd =
            |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{1b}' | '\u{7f}' | '\u{8}');
        !text.contains(odd)
    });
    let message = ProtoMessage::whole(bytes).filter(|_| depth <= DEEPEST && !bytes.is_empty());
    // A message whose first field is a text begins like a text that begins with an empty line.
    let begins_like_a_message = bytes.first() == Some(&b'\n');
    match (text, message) {
        (Some(text), None) => Json::String(text.to_owned()),
        (Some(text), Some(_)) if !begins_like_a_message => Json::String(text.to_owned()),
        (_, Some(message)) => {
            let mut object = Map::new();
            for field in &message.fields {
                let value = match field.value {
                    Value::Bytes(bytes) => by_looks(bytes, depth + 1),
                    Value::Varint(number) => json!(number.cast_signed()),
                    Value::Fixed64(bits) => json!(f64::from_bits(bits)),
                    Value::Fixed32(bits) => json!(f32::from_bits(bits)),
                };
                add(&mut object, format!("field_{}", field.number), value, false);
            }
            Json::Object(object)
        }
        (None, None) => Json::String(base64_text(bytes)),
    }
}

fn base64_text(bytes: &[u8]) -> String {
    format!("base64:{}", STANDARD.encode(bytes))
}
