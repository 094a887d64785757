//! One bubble: a row `bubbleId:<composer>:<bubble>`, or an element of an inline `conversation[]`.
//!
//! `type` is 1 for the user and 2 for the assistant. One turn of the assistant is many bubbles: each thought,
//! each text and each tool call (with its answer) has its own.

use std::cell::OnceCell;

use backscroll_model::{
    Code, Finding, FindingKind, Message, Moment, Origin, Part, Payload, Role, Sender, SenderKind, Todo,
    Tokens, ToolCall, ToolStatus,
};
use jiff::Timestamp;
use serde_json::value::RawValue;

use super::composer::model_name;
use super::tool_former::{Hints, WireObjects, WireTool};
use super::{attachments, diffs, tool_former};
use crate::agent::simulation;
use crate::known::{self, ObjectKind};
use crate::rich_text;
use crate::tool_names::call_name;
use crate::uri::place_of;
use crate::user_text::title_line;
use crate::wire_json::{Int, List, Text, Truth, When, elements, parse, string, wire};

fn is_known(field: &str) -> bool {
    known::is_known(ObjectKind::Bubble, field)
}

/// The id of a bubble inside its composer.
pub type BubbleId = String;

wire! {
    struct WireBubble<'a> {
        kind: Option<&'a RawValue> = "type",
        id: Text<'a> = "bubbleId",
        text: Text<'a> = "text",
        raw_text: Text<'a> = "rawText",
        content: Text<'a> = "content",
        message: Text<'a> = "message",
        /// The words are a thought.
        is_thought: Truth = "isThought",
        rich_text: Text<'a> = "richText",
        thinking: Option<&'a RawValue> = "thinking",
        thinking_blocks: Option<&'a RawValue> = "allThinkingBlocks",
        thinking_ms: Int = "thinkingDurationMs",
        code_blocks: List<WireCode<'a>> = "codeBlocks",
        code_block: WireCode<'a> = "codeBlock",
        todos: List<&'a RawValue> = "todos",
        /// JSON inside a string, `{"summary":…}`, up to 1.5.
        cached_summary: Option<&'a RawValue> = "cachedConversationSummary",
        summary: Option<&'a RawValue> = "conversationSummary",
        error: Option<&'a RawValue> = "errorDetails",
        created_at: When = "createdAt",
        timestamp: When = "timestamp",
        started_at: When = "startedAtMs",
        completed_at: When = "completedAtMs",
        timing: WireTiming = "timingInfo",
        request_id: Text<'a> = "requestId",
        model: WireModelInfo<'a> = "modelInfo",
        model_type: Text<'a> = "modelType",
        tokens: WireTokens = "tokenCount",
        tool: WireTool<'a> = "toolFormerData",
        context: WireContext<'a> = "context",
        relevant_files: List<Text<'a>> = "relevantFiles",
        workspace_uris: List<Text<'a>> = "workspaceUris",
        project_dir: Text<'a> = "workspaceProjectDir",
        is_nudge: Truth = "isNudge",
        is_simulated: Truth = "isSimulatedMsg",
        simulated_because: Option<&'a RawValue> = "simulatedMsgReason",
        simulated_about: WireSimulated<'a> = "simulatedMessageMetadata",
        spawned_by_call: Text<'a> = "subagentSpawnTaskToolCallId",
        is_plan_execution: Truth = "isPlanExecution",
        plan_id: Text<'a> = "planId",
        plan_title: Text<'a> = "planTitle",
        tool_results: List<WireToolResult<'a>> = "toolResults",
        suggested_diffs: List<WireSuggestedDiff<'a>> = "assistantSuggestedDiffs",
    }
    @lists attachments::is_list, @others is_known
}
wire! { struct WireContext<'a> {} @lists attachments::is_list }
wire! { struct WireSimulated<'a> { title: Text<'a> = "title", task_id: Text<'a> = "taskId", } }
wire! { struct WireSuggestedDiff<'a> { path: Text<'a> = "path", diff: Text<'a> = "diff", } }
wire! {
    struct WireToolResult<'a> {
        id: Text<'a> = "toolCallId",
        name: Text<'a> = "toolName",
        arguments: Option<&'a RawValue> = "args",
        content: Option<&'a RawValue> = "content",
        started_at: When = "startedAtMs",
        completed_at: When = "completedAtMs",
    }
}
wire! { struct WireThinking<'a> { text: Text<'a> = "text" | "thinking" | "content", redacted: Text<'a> = "redactedThinking", } }
wire! {
    struct WireCode<'a> {
        uri: Option<&'a RawValue> = "uri",
        content: Text<'a> = "content",
        language: Text<'a> = "languageId",
        version: Int = "version",
    }
}
wire! {
    /// `clientStartTime` counts from the start of a process except in the oldest bubbles; a time reads as such only
    /// if it is one.
    struct WireTiming {
        sent: When = "clientRpcSendTime",
        ended: When = "clientEndTime",
        started: When = "clientStartTime",
    }
}
wire! { struct WireModelInfo<'a> { name: Text<'a> = "modelName", } }
wire! { struct WireToolAgain<'a> { tool: WireObjects<'a> = "toolFormerData", } }
wire! { struct WireTokens { input: Int = "inputTokens", output: Int = "outputTokens", } }

/// A bubble.
#[derive(Debug)]
pub struct Bubble {
    /// The message it is.
    pub message: Message,
    /// The id that it gives itself.
    pub(crate) own_id: Option<BubbleId>,
    /// What is needed to complete it.
    pub(crate) pending: PendingRows,
}

/// What is needed to complete a message from other rows, and what it says about the conversation as a whole.
#[derive(Debug, Default)]
pub(crate) struct PendingRows {
    /// Its tool call's unfinished business.
    pub(crate) call: Option<Box<Hints>>,
    /// Its code blocks, by file and version: their text may stand in the composer's `codeBlockData`.
    pub(crate) code_versions: Vec<(Option<String>, Option<i64>)>,
    /// Files that it names as relevant.
    pub(crate) relevant_files: Vec<String>,
    /// Workspaces that it names.
    pub(crate) workspaces: Vec<String>,
    /// Fields that we do not know.
    pub(crate) unknown: Vec<String>,
}

/// Reads a bubble. `listed_as` is the type that its header gives, for bubbles that do not say.
pub fn bubble(
    id: &str,
    bytes: &[u8],
    at: &Origin,
    listed_as: Option<i64>,
    findings: &mut Vec<Finding>,
) -> Option<Bubble> {
    read(id, bytes, at, listed_as, findings).map_err(|no_bubble| findings.push(no_bubble)).ok()
}

/// The bubble, or why it is none.
fn read(
    id: &str,
    bytes: &[u8],
    at: &Origin,
    listed_as: Option<i64>,
    findings: &mut Vec<Finding>,
) -> Result<Bubble, Finding> {
    let repaired = OnceCell::new();
    let undecodable = |says: String| Finding::new(FindingKind::Undecodable, at.clone(), says);
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err(undecodable("the message is not a JSON object".to_owned()));
    }
    let wire: WireBubble<'_> =
        parse(bytes, &repaired).map_err(|error| undecodable(format!("the message is not JSON: {error}")))?;
    if repaired.get().is_some() {
        findings.push(Finding::new(FindingKind::Damaged, at.clone(), "invalid characters were replaced"));
    }
    if matches!(wire.text, Text::Odd) {
        findings.push(Finding::new(FindingKind::Damaged, at.clone(), "`text` is not text"));
    }
    let sound = repaired.get().map_or(bytes, Vec::as_slice);
    let stated = wire.kind.and_then(speaker);
    let known = [stated, listed_as].into_iter().flatten().find_map(role);
    let says = match wire.kind {
        _ if known.is_some() => None,
        Some(kind) => Some(format!("a message of unknown type {}", kind.get())),
        None => Some("a message of unknown type (none)".to_owned()),
    };
    let own_id = wire.id.owned();
    let bubble = decode(id, wire, known.unwrap_or(Role::Assistant), sound, at, findings);
    match says {
        // Words of an unknown speaker are words.
        Some(says) if bubble.message.parts.is_empty() => {
            Err(Finding::new(FindingKind::Unknown, at.clone(), says))
        }
        says => {
            findings.extend(says.map(|says| Finding::new(FindingKind::Unknown, at.clone(), says)));
            Ok(Bubble { own_id, ..bubble })
        }
    }
}

/// The number that a `type` means: 1 for the user, 2 for the assistant, who have been called by name, too.
pub(crate) fn speaker(kind: &RawValue) -> Option<i64> {
    match string(kind).as_deref() {
        Some("user" | "human") => Some(1),
        Some("ai" | "assistant") => Some(2),
        Some(digits) => digits.parse().ok(),
        None => kind.get().parse().ok(),
    }
}

fn role(kind: i64) -> Option<Role> {
    match kind {
        1 => Some(Role::User),
        2 => Some(Role::Assistant),
        _ => None,
    }
}

fn decode(
    id: &str,
    mut wire: WireBubble<'_>,
    role: Role,
    bytes: &[u8],
    at: &Origin,
    findings: &mut Vec<Finding>,
) -> Bubble {
    let mut message = Message::new(id, role, at.clone());
    let again = || serde_json::from_slice::<WireToolAgain<'_>>(bytes).ok().map(|again| again.tool);
    let called = tool_former::from_wire(std::mem::take(&mut wire.tool), again);
    if called.as_ref().is_some_and(|(_, hints)| hints.arguments_cut_off) {
        let says = "`rawArgs` is cut off; the client's `params` are shown";
        findings.push(Finding::new(FindingKind::Damaged, at.clone(), says));
    }
    message.at = Moment::exact_or_unknown(time(&wire, called.as_ref().and_then(|(call, _)| call.started_at)));
    message.model = wire
        .model
        .name
        .filled()
        .and_then(model_name)
        .or_else(|| wire.model_type.filled().and_then(model_name));
    message.request_id = wire.request_id.owned();
    message.tokens = tokens(&wire.tokens);
    message.sender = if role == Role::User { sender(&wire) } else { None };
    say(&mut wire, &mut message.parts);
    attachments::add(&wire.context.lists, &mut message.parts);
    attachments::add(&wire.lists, &mut message.parts);
    let mut pending = PendingRows {
        code_versions: wire.code_blocks.0.iter().map(WireCode::file_and_version).collect(),
        relevant_files: wire.relevant_files.0.iter().filter_map(Text::owned).collect(),
        workspaces: wire.workspace_uris.0.iter().chain([&wire.project_dir]).filter_map(Text::owned).collect(),
        unknown: wire.others.iter().map(|name| name.clone().into_owned()).collect(),
        call: None,
    };
    match called {
        None => add_code(&wire, &mut message.parts),
        Some((mut call, hints)) => {
            call.started_at = call.started_at.or(wire.started_at.0);
            call.ended_at = call.ended_at.or(wire.completed_at.0);
            diffs::complete(&mut call, hints.precomputed_diff.as_deref());
            message.parts.push(Part::ToolCall(Box::new(call)));
            pending.call = Some(Box::new(hints));
        }
    }
    add_tool_results(&wire, &mut message.parts);
    add_suggested_diffs(&wire, &mut message.parts);
    add_todos(&wire, &mut message.parts);
    let summaries = [wire.cached_summary, wire.summary].into_iter().flatten().filter_map(summary_text);
    message.parts.extend(summaries.map(Part::Summary));
    message.parts.extend(wire.error.and_then(error_words).map(Part::Error));
    Bubble { message, own_id: None, pending }
}

impl WireCode<'_> {
    fn file_and_version(&self) -> (Option<String>, Option<i64>) {
        (self.uri.and_then(place_of).map(|place| place.path), self.version.0)
    }
}

/// Who wrote what the user is said to ask: the agent that started this one, or the editor.
fn sender(wire: &WireBubble<'_>) -> Option<Sender> {
    if wire.spawned_by_call.filled().is_some() {
        return Some(Sender::new(SenderKind::Agent));
    }
    let reason = wire.simulated_because.and_then(|reason| match reason.get() {
        "null" | "0" | "\"\"" => None,
        number => string(reason).or_else(|| Some(simulation(number.parse().ok()?)?.to_owned())),
    });
    let about = &wire.simulated_about;
    let is_simulated = wire.is_plan_execution.0
        || wire.is_simulated.0
        || wire.is_nudge.0
        || reason.is_some()
        || about.title.filled().is_some()
        || wire.text.filled().is_some_and(|text| text.starts_with("<system_notification"));
    is_simulated.then(|| Sender {
        id: wire.plan_id.owned().or_else(|| about.task_id.owned()),
        name: wire.plan_title.owned().or_else(|| about.title.owned()).or(reason),
        ..Sender::new(SenderKind::Simulated)
    })
}

/// How long it took, where both ends are known.
fn duration(wire: &WireBubble<'_>) -> Option<u64> {
    let (from, to) = (wire.started_at.0?, wire.completed_at.0?);
    u64::try_from(to.as_millisecond() - from.as_millisecond()).ok()
}

/// Thinking, then text; the rich text only where the plain one is empty.
fn say(wire: &mut WireBubble<'_>, parts: &mut Vec<Part>) {
    let duration_ms = wire.thinking_ms.count().or_else(|| duration(wire));
    let mut thoughts: Vec<String> = wire.thinking.and_then(thought).into_iter().collect();
    if thoughts.is_empty() {
        thoughts
            .extend(wire.thinking_blocks.map(elements).unwrap_or_default().into_iter().filter_map(thought));
    }
    parts.extend(thoughts.into_iter().map(|text| Part::Thinking { text, duration_ms }));
    let plain = std::mem::take(&mut wire.text).into_owned();
    let plain = plain.or_else(|| wire.raw_text.owned()).or_else(|| wire.content.owned());
    let plain = plain.or_else(|| wire.message.owned());
    if let Some(text) = plain {
        parts.push(if wire.is_thought.0 { Part::Thinking { text, duration_ms } } else { Part::Text(text) });
    } else if let Some(source) = wire.rich_text.filled() {
        let rich = rich_text::read(source);
        if !rich.text.is_empty() {
            parts.push(Part::Text(rich.text));
        }
        for mention in rich.mentions {
            attachments::push_new(mention, parts);
        }
    }
}

/// The words of `thinking`: an object with `text`, or bare text.
fn thought(value: &RawValue) -> Option<String> {
    if let Some(text) = string(value) {
        return Some(text);
    }
    let wire: WireThinking<'_> = serde_json::from_str(value.get()).ok()?;
    wire.text.into_owned().or_else(|| wire.redacted.into_owned())
}

/// Code that the text does not already hold.
fn add_code(wire: &WireBubble<'_>, parts: &mut Vec<Part>) {
    for code in wire.code_blocks.0.iter().chain([&wire.code_block]) {
        let Some(content) = code.content.filled() else {
            continue;
        };
        let is_shown =
            parts.iter().any(|part| matches!(part, Part::Text(text) if text.contains(content.trim())));
        if !is_shown {
            let path = code.uri.and_then(place_of).map(|place| place.path);
            let code =
                Code { path, language: code.language.owned(), text: content.to_owned(), ..Code::default() };
            parts.push(Part::Code(Box::new(code)));
        }
    }
}

/// Answers that stand beside the message: those of its own call, and calls of which nothing else is stored.
fn add_tool_results(wire: &WireBubble<'_>, parts: &mut Vec<Part>) {
    for result in &wire.tool_results.0 {
        let raw_name = result.name.owned().unwrap_or_default();
        let id = result.id.owned();
        let content = result.content.filter(|content| content.get() != "null").map(stored_payload);
        let mut calls = parts.iter_mut().filter_map(|part| match part {
            Part::ToolCall(call) => Some(call),
            _ => None,
        });
        if let Some(call) = calls.find(|call| id.is_some() && call.id == id) {
            call.result = call.result.take().or(content);
            continue;
        }
        if raw_name.is_empty() && id.is_none() && content.is_none() {
            continue;
        }
        let arguments = result.arguments.filter(|arguments| arguments.get() != "null").map(stored_payload);
        parts.push(Part::ToolCall(Box::new(ToolCall {
            id,
            name: call_name(&raw_name, None, arguments.as_ref()),
            raw_name,
            status: if content.is_some() { ToolStatus::Completed } else { ToolStatus::Unknown },
            arguments,
            result: content,
            started_at: result.started_at.0,
            ended_at: result.completed_at.0,
            ..ToolCall::default()
        })));
    }
}

/// Text stands for itself; anything else is JSON.
fn stored_payload(value: &RawValue) -> Payload {
    string(value).map_or_else(|| Payload::from_raw(value), Payload::from_text)
}

fn add_suggested_diffs(wire: &WireBubble<'_>, parts: &mut Vec<Part>) {
    for suggested in &wire.suggested_diffs.0 {
        let Some(diff) = suggested.diff.owned() else { continue };
        let code = Code { path: suggested.path.owned(), diff: Some(diff), ..Code::default() };
        parts.push(Part::Code(Box::new(code)));
    }
}

fn add_todos(wire: &WireBubble<'_>, parts: &mut Vec<Part>) {
    let todos = todos(&wire.todos.0);
    if !todos.is_empty() {
        parts.push(Part::Todos(todos));
    }
}

fn time(wire: &WireBubble<'_>, started: Option<Timestamp>) -> Option<Timestamp> {
    let timing = &wire.timing;
    let ran = wire.started_at.0.or(wire.completed_at.0);
    wire.created_at
        .0
        .or(ran)
        .or(wire.timestamp.0)
        .or(timing.sent.0)
        .or(timing.ended.0)
        .or(timing.started.0)
        .or(started)
}

fn tokens(wire: &WireTokens) -> Option<Tokens> {
    let tokens = Tokens::new(wire.input.count().unwrap_or(0), wire.output.count().unwrap_or(0));
    (tokens != Tokens::default()).then_some(tokens)
}

/// The first line of a bubble of the user, for a conversation without a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstLine {
    /// A person wrote it, and it begins so, if it has words.
    ByPerson(Option<String>),
    /// No person wrote it.
    BySomebodyElse,
}

impl FirstLine {
    /// Reads a bubble.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let repaired = OnceCell::new();
        let Ok(mut wire) = parse::<WireBubble<'_>>(bytes, &repaired) else { return Self::ByPerson(None) };
        if sender(&wire).is_some() {
            return Self::BySomebodyElse;
        }
        let mut parts = Vec::new();
        say(&mut wire, &mut parts);
        Self::ByPerson(parts.iter().find_map(|part| match part {
            Part::Text(text) => title_line(text),
            _ => None,
        }))
    }
}

/// When a bubble was said, as its message tells it.
pub fn bubble_time(bytes: &[u8]) -> Option<Timestamp> {
    let repaired = OnceCell::new();
    let mut wire: WireBubble<'_> = parse(bytes, &repaired).ok()?;
    let called = tool_former::from_wire(std::mem::take(&mut wire.tool), || None);
    time(&wire, called.and_then(|(call, _)| call.started_at))
}

wire! {
    struct WireTodo<'a> { id: Text<'a> = "id", content: Text<'a> = "content", status: Text<'a> = "status", }
}

/// Things to do: objects, or JSON objects inside strings.
pub(crate) fn todos(values: &[&RawValue]) -> Vec<Todo> {
    let todo = |value: &&RawValue| {
        let inner = string(value);
        let json = inner.as_deref().unwrap_or(value.get());
        let wire: WireTodo<'_> = serde_json::from_str(json).unwrap_or_default();
        match (wire.content.owned(), &inner) {
            (Some(content), _) => Some(Todo { id: wire.id.owned(), content, status: wire.status.owned() }),
            (None, Some(text)) => Some(Todo { content: text.clone(), ..Todo::default() }),
            (None, None) => None,
        }
    };
    values.iter().filter_map(todo).collect()
}

wire! { struct WireSummary<'a> { summary: Option<&'a RawValue> = "summary", } }

/// How deep a summary may stand inside others.
const DEEPEST_SUMMARY: usize = 4;

/// The words of a summary: text, JSON inside text, or an object in an object.
pub(crate) fn summary_text(value: &RawValue) -> Option<String> {
    summary_within(value, DEEPEST_SUMMARY)
}

fn summary_within(value: &RawValue, depth: usize) -> Option<String> {
    let inner = string(value);
    let json = inner.as_deref().unwrap_or(value.get());
    let wire: WireSummary<'_> = serde_json::from_str(json).unwrap_or_default();
    match (wire.summary, inner.as_deref()) {
        (Some(deeper), _) if depth > 0 => summary_within(deeper, depth - 1),
        (_, Some(text)) => Some(text.to_owned()),
        (Some(_), None) => Some(value.get().to_owned()),
        (None, None) => None,
    }
}

wire! {
    struct WireError<'a> {
        error: Option<&'a RawValue> = "error",
        details: Option<&'a RawValue> = "details",
        title: Text<'a> = "title",
        detail: Text<'a> = "detail",
        message: Text<'a> = "message",
        to_user: Text<'a> = "clientVisibleErrorMessage",
        to_model: Text<'a> = "modelVisibleErrorMessage",
        code: Text<'a> = "code",
    }
}

/// How deep errors may stand inside errors.
const DEEPEST: usize = 6;

/// The words of an error: text, an object, or JSON inside a string. `None` if it says nothing.
pub(crate) fn error_words(value: &RawValue) -> Option<String> {
    let mut said = Vec::new();
    collect(value, DEEPEST, &mut said);
    (!said.is_empty()).then(|| said.join(": "))
}

/// The words of an error that is text, or JSON inside of it.
pub(crate) fn error_words_of(text: &str) -> Option<String> {
    let mut said = Vec::new();
    collect_text(text, DEEPEST, &mut said);
    (!said.is_empty()).then(|| said.join(": "))
}

fn collect_text(text: &str, depth: usize, said: &mut Vec<String>) {
    match serde_json::from_str::<&RawValue>(text) {
        Ok(inner) if depth > 0 && text.trim_start().starts_with('{') => collect(inner, depth - 1, said),
        _ if text.is_empty() => {}
        _ => add_words(text, said),
    }
}

fn collect(value: &RawValue, depth: usize, said: &mut Vec<String>) {
    if let Some(text) = string(value) {
        collect_text(&text, depth, said);
        return;
    }
    let Ok(wire) = serde_json::from_str::<WireError<'_>>(value.get()) else {
        return;
    };
    for text in [&wire.title, &wire.detail, &wire.message, &wire.to_user, &wire.to_model, &wire.code] {
        if let Some(text) = text.filled() {
            add_words(text, said);
        }
    }
    for inner in [wire.error, wire.details].into_iter().flatten() {
        if depth > 0 {
            collect(inner, depth - 1, said);
        }
    }
}

/// Adds `text` unless it was said already.
fn add_words(text: &str, said: &mut Vec<String>) {
    if !said.iter().any(|before| before.contains(text)) {
        said.push(text.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_found_in_objects_strings_and_json_inside_strings() {
        let table = [
            (r#""plain""#, Some("plain")),
            (
                r#"{"error":"{\"error\":\"ERROR_USER_ABORTED_REQUEST\",\"details\":{\"title\":\"User aborted request.\"}}"}"#,
                Some("ERROR_USER_ABORTED_REQUEST: User aborted request."),
            ),
            (
                r#""{\"clientVisibleErrorMessage\":\"no such dir\",\"modelVisibleErrorMessage\":\"no such dir\"}""#,
                Some("no such dir"),
            ),
            (
                r#"{"error":{"error":51,"details":{"title":"Limit","detail":"try later"}},"message":"try later"}"#,
                Some("try later: Limit"),
            ),
            ("{}", None),
        ];
        for (json, expected) in table {
            assert_eq!(
                error_words(&RawValue::from_string(json.into()).unwrap()).as_deref(),
                expected,
                "{json}"
            );
        }
    }
}
