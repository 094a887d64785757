//! What the SDK's index has of one conversation: an agent's row, its runs and their events.

use std::collections::{BTreeSet, HashMap, HashSet};

use backscroll_model::{
    Attachment, AttachmentKind, Attribution, ConversationId, Coverage, Finding, FindingKind, Flag, Fragment,
    Layer, Message, Moment, Origin, Part, RequestFact, Role, Summary, Surface, Tokens, ToolCall, ToolStatus,
    Workspace,
};

use super::event;
use super::event::{Call, CallEvent, SdkEvent, SdkMessage};
use super::rows::{AgentRow, EventRow};
use super::run::{Run, RunStatus};
use crate::placeholders::is_placeholder_title;
use crate::placeholders::known_model;
use crate::tool_names::call_name;
use crate::wire_json::time;
use crate::{uri, user_text};

/// What a list says about an agent.
pub fn summary(agent: &AgentRow, runs: &[Run], origin: &Origin) -> Summary {
    let place = origin.with_key(format!("agents/{}", agent.agent_id)).as_layer(Layer::SdkIndex);
    let mut summary = Summary::new(ConversationId::new(&agent.agent_id), Surface::Sdk, place);
    if agent.status.as_deref().is_some_and(|status| status.eq_ignore_ascii_case("ARCHIVED")) {
        summary.flags.insert(Flag::Archived);
    }
    summary.title = agent.name.clone().filter(|name| !is_placeholder_title(name.trim()));
    summary.workspace = agent.workspace_ref.as_deref().and_then(workspace);
    summary.created_at = agent.created_at.as_deref().and_then(time);
    summary.updated_at = agent.updated_at.as_deref().and_then(time);
    for run in Run::in_order(runs) {
        summary.created_at = summary.created_at.or_else(|| run.began_at());
        summary.updated_at = summary.updated_at.max(run.finished_at);
        summary.models.extend(run.model.filter(|model| !summary.models.contains(model)));
    }
    summary
}

/// What the index has of an agent's conversation.
pub fn assemble(agent: &AgentRow, runs: &[Run], events: &[EventRow], origin: &Origin) -> Fragment {
    let origin = origin.clone().as_layer(Layer::SdkIndex);
    let mut fragment = Fragment::new(summary(agent, runs, &origin));
    let mut runs = Run::in_order(runs);
    let events = decode(events, &origin, &mut fragment.findings);
    take_usage(&mut runs, &events);
    take_beginnings(&mut runs, &events);
    let records = by_run(&runs, &events, &origin, &mut fragment.findings);
    fragment.messages = records.iter().flat_map(|record| of_run(record, &origin)).collect();
    fragment.facts.requests = runs.iter().filter_map(|run| request(run, &origin)).collect();
    let usages = runs.iter().filter_map(|run| run.usage);
    fragment.facts.tokens = usages.reduce(Tokens::plus);
    fragment.coverage = coverage(&fragment.messages);
    if fragment.summary.title.is_none() {
        fragment.summary.title = user_text::first_title(&fragment.messages);
    }
    fragment
}

/// What a run says of its request: other layers may have messages of it that no event has.
fn request(run: &Run, origin: &Origin) -> Option<RequestFact> {
    Some(RequestFact {
        request_id: run.request_id.clone()?,
        model: Some(run.model.clone()?),
        origin: Some(origin.with_key(format!("runs/{}", run.run_id))),
        ..RequestFact::default()
    })
}

fn decode(rows: &[EventRow], origin: &Origin, findings: &mut Vec<Finding>) -> Vec<SdkEvent> {
    let mut seen = BTreeSet::new();
    let mut rows: Vec<&EventRow> = rows.iter().collect();
    rows.sort_by_key(|row| row.seq);
    // What was sent again under the same key was said once.
    let mut keys = HashSet::new();
    rows.retain(|row| row.idempotency_key.as_ref().is_none_or(|key| keys.insert((&row.run_id, key))));
    let mut events = Vec::with_capacity(rows.len());
    for row in rows {
        let decoded = SdkEvent::from_row(row, origin);
        // The same trouble in a thousand events is reported once.
        findings.extend(decoded.findings.into_iter().filter(|one| seen.insert((one.kind, one.says.clone()))));
        events.push(decoded.value);
    }
    events
}

/// Older stores have no usage column; then the last `usage` message of a run counts.
fn take_usage(runs: &mut [Run], events: &[SdkEvent]) {
    let mut usages: HashMap<&str, Tokens> = HashMap::new();
    for event in events {
        if let SdkMessage::Usage(usage) = &event.says {
            usages.insert(&event.run_id, *usage);
        }
    }
    for run in runs {
        run.usage = run.usage.or_else(|| usages.get(run.run_id.as_str()).copied());
    }
}

/// Older stores have no column for the request, and a run may name no model; then what it began with counts.
fn take_beginnings(runs: &mut [Run], events: &[SdkEvent]) {
    for event in events {
        let SdkMessage::Begun { model, request_id } = &event.says else { continue };
        for run in runs.iter_mut().filter(|run| run.run_id == event.run_id) {
            let known = model.as_deref().and_then(known_model).map(str::to_owned);
            run.model = run.model.take().or(known);
            run.request_id = run.request_id.take().or_else(|| request_id.clone());
        }
    }
}

fn by_run<'a>(
    runs: &'a [Run],
    events: &'a [SdkEvent],
    origin: &Origin,
    findings: &mut Vec<Finding>,
) -> Vec<RunRecord<'a>> {
    let mut calls: HashMap<String, Vec<Call>> = HashMap::new();
    let stopped: HashSet<&str> =
        runs.iter().filter(|run| run.was_stopped()).map(|run| run.run_id.as_str()).collect();
    for mut call in event::collapse(events) {
        let is_open = matches!(call.call.status, ToolStatus::Running | ToolStatus::Pending);
        if is_open && stopped.contains(call.run_id.as_str()) {
            call.call.status = ToolStatus::Cancelled;
        }
        if call.is_truncated {
            let place = origin.with_key(format!("run_events/{}/{}", call.run_id, call.first_seq));
            findings.push(Finding::new(FindingKind::CutShort, place, "the SDK cut this tool call short"));
        }
        calls.entry(call.run_id.clone()).or_default().push(call);
    }
    let mut by_run: HashMap<&str, Vec<&SdkEvent>> = HashMap::new();
    for event in events {
        by_run.entry(&event.run_id).or_default().push(event);
    }
    let records = runs
        .iter()
        .map(|run| RunRecord {
            run,
            events: by_run.remove(run.run_id.as_str()).unwrap_or_default(),
            calls: calls.remove(&run.run_id).unwrap_or_default(),
        })
        .collect();
    for (run_id, events) in by_run {
        let place = origin.with_key(format!("run_events/{run_id}"));
        let what = format!("{} events of a run that is not there", events.len());
        findings.push(Finding::new(FindingKind::DanglingReference, place, what));
    }
    records
}

/// Prompts whose words are in other layers are missing here.
fn coverage(messages: &[Message]) -> Coverage {
    let listed = messages.len() as u64;
    let missing = messages.iter().filter(|message| message.parts.is_empty()).count() as u64;
    Coverage { listed, read: listed - missing, missing, ..Coverage::default() }
}

/// The folder is a path, or an address.
fn workspace(reference: &str) -> Option<Workspace> {
    Some(uri::place(reference)?.into_workspace(Attribution::Record))
}

/// What is known of one run: the run, its events and its calls.
struct RunRecord<'a> {
    pub(super) run: &'a Run,
    pub(super) events: Vec<&'a SdkEvent>,
    pub(super) calls: Vec<Call>,
}

impl RunRecord<'_> {
    fn message(&self, name: &str, role: Role, place: Origin) -> Message {
        Message::new(format!("{}:{name}", self.run.run_id), role, place)
    }

    /// Why the run failed, if it did.
    fn failure(&self) -> Option<String> {
        let failed = self.events.iter().rev().find_map(|event| match &event.says {
            SdkMessage::Failed(reason) => Some(reason.clone()),
            _ => None,
        });
        self.run.failure().or(failed)
    }

    /// What the events say: the user's words, where they are there at all, and one message for each step of the agent, which is
    /// words, thoughts and the calls that follow them, up to one that began after these had ended: the agent had their answers then.
    fn said(&self, origin: &Origin) -> Vec<Message> {
        let of_event = |event: &SdkEvent, role| {
            let key = origin.with_key(format!("run_events/{}/{}", self.run.run_id, event.seq));
            self.message(&event.seq.to_string(), role, key)
        };
        let known: HashSet<&str> = self.calls.iter().filter_map(|call| call.call.id.as_deref()).collect();
        let calls: HashMap<i64, &ToolCall> =
            self.calls.iter().map(|call| (call.first_seq, &call.call)).collect();
        let mut messages: Vec<Message> = Vec::new();
        for event in &self.events {
            if let SdkMessage::User(text) = &event.says {
                let user = user_text::unwrap(text);
                let role = if user.is_context { Role::System } else { Role::User };
                let mut message = of_event(event, role);
                message.at = Moment::exact_or_unknown(user.at.or(event.at));
                message.parts = user.into_parts();
                messages.push(message);
                continue;
            }
            for part in parts(event, &known, &calls) {
                let begins_step =
                    |last: &Message| begins_step(last, &part) || self.has_answers(last, event.seq);
                if messages.last().is_none_or(|last| last.role != Role::Assistant || begins_step(last)) {
                    let mut message = of_event(event, Role::Assistant);
                    message.at = Moment::exact_or_unknown(event.at);
                    messages.push(message);
                }
                if let Some(message) = messages.last_mut() {
                    append(&mut message.parts, part);
                }
            }
        }
        messages.retain(|message| !message.parts.is_empty());
        messages
    }

    /// Whether every call of a message had ended before the event `seq`, with which another begins.
    fn has_answers(&self, message: &Message, seq: i64) -> bool {
        // One of which only the end is known may have begun at any time.
        if self.calls.iter().any(|call| call.first_seq == seq && call.ended_seq == Some(seq)) {
            return false;
        }
        let has_ended = |asked: &ToolCall| {
            let told = self.calls.iter().find(|call| call.call.id.is_some() && call.call.id == asked.id);
            told.and_then(|call| call.ended_seq).is_some_and(|ended| ended < seq)
        };
        let mut calls = message.tool_calls().peekable();
        calls.peek().is_some() && calls.all(has_ended)
    }
}

/// The messages of one run: its prompt, and what was done about it.
fn of_run(record: &RunRecord<'_>, origin: &Origin) -> Vec<Message> {
    let run = record.run;
    let place = origin.with_key(format!("runs/{}", run.run_id));
    let mut messages = record.said(origin);
    let answers = messages.iter().filter(|message| message.role == Role::Assistant);
    let words = bare(&answers.map(Message::text).collect::<String>());
    if let Some(result) = run.result.clone().filter(|result| !words.contains(&bare(result))) {
        let mut last = record.message("result", Role::Assistant, place.clone());
        last.parts.push(Part::Text(result));
        messages.push(last);
    }
    if let Some(reason) = record.failure() {
        if messages.last().is_none_or(|last| last.role != Role::Assistant) {
            messages.push(record.message("error", Role::Assistant, place.clone()));
        }
        if let Some(last) = messages.last_mut() {
            last.parts.push(Part::Error(reason));
            last.also.extend((last.origin != place).then(|| place.clone()));
        }
    }
    let has_prompt = messages.iter().any(|message| message.role == Role::User);
    if !has_prompt && (!messages.is_empty() || run.status != RunStatus::Queued) {
        messages.insert(0, record.message("prompt", Role::User, place));
    }
    complete(&mut messages, run);
    messages
}

/// Whether a part is the first of another step: words and thoughts after a call.
fn begins_step(message: &Message, part: &Part) -> bool {
    !matches!(part, Part::ToolCall(_)) && matches!(message.parts.last(), Some(Part::ToolCall(_)))
}

fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn parts(event: &SdkEvent, known: &HashSet<&str>, calls: &HashMap<i64, &ToolCall>) -> Vec<Part> {
    match &event.says {
        SdkMessage::Assistant { texts, calls: named } => {
            let words = texts.iter().filter(|text| !text.is_empty()).cloned().map(Part::Text);
            // Calls have events of their own; one that has none is known from here alone.
            let unknown = named
                .iter()
                .filter(|call| call.call_id.as_ref().is_none_or(|id| !known.contains(id.as_str())));
            words.chain(unknown.map(|call| Part::ToolCall(Box::new(named_only(call))))).collect()
        }
        SdkMessage::Thinking { text, duration_ms } => {
            vec![Part::Thinking { text: text.clone(), duration_ms: *duration_ms }]
        }
        SdkMessage::Summary(text) => vec![Part::Summary(text.clone())],
        SdkMessage::Progress { title, text } => {
            let progress = Attachment::new(AttachmentKind::Context).titled(title);
            vec![Part::Attachment(Box::new(Attachment { text: text.clone(), ..progress }))]
        }
        SdkMessage::ToolCall(_) => {
            calls.get(&event.seq).map(|call| Part::ToolCall(Box::new((*call).clone()))).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn named_only(call: &CallEvent) -> ToolCall {
    ToolCall {
        id: call.call_id.clone(),
        name: call_name(&call.name, None, call.arguments.as_ref()),
        raw_name: call.name.clone(),
        arguments: call.arguments.clone(),
        ..ToolCall::default()
    }
}

/// Words and thoughts arrive in pieces: pieces that follow each other are one. A piece that says how long a thought took, with
/// words or without, ends it.
fn append(parts: &mut Vec<Part>, part: Part) {
    match (parts.last_mut(), part) {
        (Some(Part::Text(before)), Part::Text(text)) => before.push_str(&text),
        (
            Some(Part::Thinking { text: before, duration_ms: known @ None }),
            Part::Thinking { text, duration_ms },
        ) => {
            before.push_str(&text);
            *known = duration_ms;
        }
        (_, Part::Thinking { text, .. }) if text.is_empty() => {}
        (_, part) => parts.push(part),
    }
}

/// Gives the messages of one run what the run knows: model, request, times, tokens.
fn complete(messages: &mut [Message], run: &Run) {
    // The last words were spoken when the run ended.
    if let Some(last) = messages.last_mut().filter(|last| last.role == Role::Assistant) {
        if last.at.at.is_none() {
            last.at = Moment::exact_or_unknown(run.finished_at);
        }
        last.tokens = run.usage;
    }
    for message in messages {
        message.request_id.clone_from(&run.request_id);
        message.model.clone_from(&run.model);
        if message.at.at.is_none() && message.role == Role::User {
            message.at = Moment::exact_or_unknown(run.began_at());
        }
    }
}
