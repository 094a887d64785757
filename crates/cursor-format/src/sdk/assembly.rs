//! One conversation out of an agent's row, its runs, their events, and its transcript.

use std::collections::{BTreeSet, HashMap};

use backscroll_model::{
    Attribution, Conversation, ConversationId, Coverage, Decoded, Finding, FindingKind, Layer, Message,
    Origin, Role, Summary, Surface, Workspace,
};

use super::calls::{self, Call};
use super::event::{Event, SdkMessage};
use super::rows::{AgentRow, EventRow, RunRow};
use super::run::Run;
use super::spine::{self, Told};
use super::usage::Usage;
use crate::placeholders::known_model;
use crate::transcript::Transcript;
use crate::wire_json::time;
use crate::{uri, user_text};

/// What a list tells of an agent.
pub fn summary(agent: &AgentRow, runs: &[RunRow], origin: &Origin) -> Summary {
    let place = origin.with_key(format!("agents/{}", agent.agent_id)).as_layer(Layer::SdkIndex);
    let mut summary = Summary::new(ConversationId::new(&agent.agent_id), Surface::Sdk, place);
    summary.title = agent.name.clone().filter(|name| !name.trim().is_empty());
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

/// Tells an agent's conversation. The transcript is the spine; what it lacks comes from the events.
pub fn assemble(
    agent: &AgentRow,
    runs: &[RunRow],
    events: &[EventRow],
    transcript: Option<Decoded<Transcript>>,
    origin: &Origin,
) -> Conversation {
    let origin = origin.clone().as_layer(Layer::SdkIndex);
    let mut conversation = Conversation::of(summary(agent, runs, &origin));
    let mut runs = Run::in_order(runs);
    let events = decode(events, &origin, &mut conversation.findings);
    take_usage(&mut runs, &events);
    take_beginnings(&mut runs, &events);
    let told = told(&runs, &events, &origin, &mut conversation.findings);
    let mut undecodable = 0;
    let transcript = transcript.map(|transcript| transcript.report_to(&mut conversation.findings));
    conversation.messages = match transcript.filter(|transcript| !transcript.messages.is_empty()) {
        Some(transcript) => {
            undecodable = transcript.coverage.undecodable;
            if let Some(first) = transcript.messages.first() {
                conversation.summary.origins.push(first.origin.with_key("file"));
            }
            spine::along(transcript.messages, told, &origin)
        }
        None => told.into_iter().flat_map(|told| spine::out_of_events(told, &origin)).collect(),
    };
    let usages = runs.iter().filter_map(|run| run.usage);
    conversation.facts.tokens = usages.reduce(Usage::plus).map(Usage::tokens);
    conversation.coverage = coverage(&conversation.messages, undecodable);
    if conversation.summary.title.is_none() {
        conversation.summary.title = title(&conversation.messages);
    }
    conversation
}

fn decode(rows: &[EventRow], origin: &Origin, findings: &mut Vec<Finding>) -> Vec<Event> {
    let mut seen = BTreeSet::new();
    let mut rows: Vec<&EventRow> = rows.iter().collect();
    rows.sort_by_key(|row| row.seq);
    let mut events = Vec::with_capacity(rows.len());
    for row in rows {
        let decoded = Event::of(row, origin);
        // The same trouble in a thousand events is told once.
        findings.extend(decoded.findings.into_iter().filter(|one| seen.insert((one.kind, one.says.clone()))));
        events.push(decoded.value);
    }
    events
}

/// Older stores have no usage column; then the last `usage` message of a run counts.
fn take_usage(runs: &mut [Run], events: &[Event]) {
    let mut told: HashMap<&str, Usage> = HashMap::new();
    for event in events {
        if let SdkMessage::Usage(usage) = &event.says {
            told.insert(&event.run_id, *usage);
        }
    }
    for run in runs {
        run.usage = run.usage.or_else(|| told.get(run.run_id.as_str()).copied());
    }
}

/// Older stores have no column for the request, and a run may name no model; then what it began with tells.
fn take_beginnings(runs: &mut [Run], events: &[Event]) {
    for event in events {
        let SdkMessage::Begun { model, request_id } = &event.says else { continue };
        for run in runs.iter_mut().filter(|run| run.run_id == event.run_id) {
            let known = model.as_deref().and_then(known_model).map(str::to_owned);
            run.model = run.model.take().or(known);
            run.request_id = run.request_id.take().or_else(|| request_id.clone());
        }
    }
}

fn told<'a>(
    runs: &'a [Run],
    events: &'a [Event],
    origin: &Origin,
    findings: &mut Vec<Finding>,
) -> Vec<Told<'a>> {
    let mut calls: HashMap<String, Vec<Call>> = HashMap::new();
    for call in calls::collapse(events) {
        if call.is_truncated {
            let place = origin.with_key(format!("run_events/{}/{}", call.run_id, call.first_seq));
            findings.push(Finding::new(FindingKind::Damaged, place, "the SDK cut this tool call short"));
        }
        calls.entry(call.run_id.clone()).or_default().push(call);
    }
    let mut by_run: HashMap<&str, Vec<&Event>> = HashMap::new();
    for event in events {
        by_run.entry(&event.run_id).or_default().push(event);
    }
    let told = runs
        .iter()
        .map(|run| Told {
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
    told
}

fn coverage(messages: &[Message], undecodable: u64) -> Coverage {
    let empty = messages.iter().filter(|message| message.parts.is_empty()).count() as u64;
    let all = messages.len() as u64;
    Coverage { listed: all + undecodable, read: all - empty, empty, undecodable, ..Coverage::default() }
}

fn title(messages: &[Message]) -> Option<String> {
    let typed = messages.iter().filter(|message| message.role == Role::User && !message.simulated);
    typed.map(Message::text).find_map(|text| user_text::title_line(&text))
}

/// The folder is a path, or an address.
fn workspace(reference: &str) -> Option<Workspace> {
    Some(uri::place(reference)?.into_workspace(Attribution::Record))
}
