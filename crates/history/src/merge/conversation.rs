//! Tellings of one conversation by live places, made one.

use std::collections::{BTreeSet, HashMap, HashSet};

use backscroll_model::{
    Conversation, Fact, Facts, Finding, FindingKind, Flag, Layer, Message, RequestFact, Role,
};

use super::fact_origins;
use super::summary::{layer, rank, summaries};
use super::unite::unite;

/// One conversation out of all; `None` if there are none.
pub(crate) fn tellings(mut told: Vec<Conversation>) -> Option<Conversation> {
    // Of two that rank the same, the longer one leads.
    let longest_first = |telling: &Conversation| std::cmp::Reverse(telling.messages.len());
    told.sort_by_key(|telling| (telling.messages.is_empty(), rank(&telling.summary), longest_first(telling)));
    if told.iter().all(|telling| layer(&telling.summary) == Layer::Tracking) {
        return None;
    }
    let summary = summaries(told.iter().map(|telling| telling.summary.clone()).collect())?;
    let witnesses: Vec<Conversation> = told.iter().map(without_messages).collect();
    let mut told = told.into_iter();
    let mut whole = told.next()?;
    for telling in told {
        add(&mut whole, telling);
    }
    let messages = whole.coverage.listed;
    whole.summary = summary;
    whole.fact_origins = fact_origins::of(&whole, &witnesses);
    if !whole.messages.is_empty() {
        whole.summary.messages = Some(messages.max(whole.summary.messages.unwrap_or(0)));
        whole.summary.flags.remove(&Flag::Empty);
    }
    name_requests(&mut whole);
    name_models(&mut whole);
    Some(whole)
}

fn without_messages(telling: &Conversation) -> Conversation {
    let fact_origins = telling.fact_origins.clone();
    Conversation { facts: telling.facts.clone(), fact_origins, ..Conversation::of(telling.summary.clone()) }
}

/// Adds what another telling knows.
fn add(whole: &mut Conversation, telling: Conversation) {
    let other = layer(&telling.summary);
    add_findings(&mut whole.findings, telling.findings);
    for child in telling.children {
        if !whole.children.contains(&child) {
            whole.children.push(child);
        }
    }
    complete_facts(&mut whole.facts, telling.facts);
    if !telling.messages.is_empty() {
        // A layer that tells but a few turns, because it was asked for no more, does not list what it tells.
        let tells_all = telling.coverage.listed > 0;
        let united = unite(&mut whole.messages, telling.messages, &mut whole.findings);
        let refilled = united.refilled.min(whole.coverage.missing);
        whole.coverage.missing -= refilled;
        whole.coverage.listed += united.added;
        whole.coverage.read += united.added + refilled;
        tell_one_sided(united.added, if tells_all { united.lacking } else { 0 }, other, whole);
    }
    let known: HashSet<_> = whole.messages.iter().chain(&whole.orphans).map(|m| m.id.clone()).collect();
    let orphans: Vec<Message> =
        telling.orphans.into_iter().filter(|orphan| !known.contains(&orphan.id)).collect();
    whole.coverage.orphaned += orphans.len() as u64;
    whole.orphans.extend(orphans);
}

/// Two tellings may come out of one file; what is wrong with it is told once.
fn add_findings(findings: &mut Vec<Finding>, told: Vec<Finding>) {
    let known: BTreeSet<Finding> = findings.iter().cloned().collect();
    findings.extend(told.into_iter().filter(|finding| !known.contains(finding)));
}

fn tell_one_sided(added: u64, unmatched: u64, other: Layer, whole: &mut Conversation) {
    let Some(at) = whole.summary.origins.first().cloned() else { return };
    if added > 0 {
        let says = format!("{added} messages are told by {} alone", other.name());
        whole.findings.push(Finding::new(FindingKind::OneSided, at.clone(), says));
    }
    if unmatched > 0 {
        let says = format!("{unmatched} messages are not told by {}", other.name());
        whole.findings.push(Finding::new(FindingKind::OneSided, at, says));
    }
}

fn complete_facts(facts: &mut Facts, other: Facts) {
    facts.tokens = facts.tokens.or(other.tokens);
    facts.lines = facts.lines.or(other.lines);
    facts.context = facts.context.or(other.context);
    facts.branch = facts.branch.take().or(other.branch);
    facts.draft = facts.draft.take().or(other.draft);
    facts.cost_cents = facts.cost_cents.or(other.cost_cents);
    if facts.todos.is_empty() {
        facts.todos = other.todos;
    }
    let lists = [
        (&mut facts.branches, other.branches),
        (&mut facts.pull_requests, other.pull_requests),
        (&mut facts.files, other.files),
        (&mut facts.plans, other.plans),
    ];
    facts.requests.extend(other.requests);
    facts.held_in = facts.held_in.take().into_iter().chain(other.held_in).min_by_key(|held_in| held_in.by);
    for (own, told) in lists {
        for item in told {
            if !own.contains(&item) {
                own.push(item);
            }
        }
    }
}

/// The requests of messages that name no model, of which nobody who knows the conversation told anything.
pub(crate) fn unnamed_requests(whole: &Conversation) -> BTreeSet<&str> {
    let known: HashSet<&str> = whole.facts.requests.iter().map(|one| one.request_id.as_str()).collect();
    let requests = whole.messages.iter().zip(requests_of(&whole.messages));
    let nameless = requests.filter(|(message, _)| message.model.is_none());
    nameless.filter_map(|(_, request)| request).filter(|id| !known.contains(id)).collect()
}

/// Adds what is known of requests by somebody who does not know the conversation.
pub(crate) fn with_requests(whole: &mut Conversation, told: Vec<RequestFact>) {
    for file in told.iter().flat_map(|request| &request.files) {
        if !whole.facts.files.contains(file) {
            whole.facts.files.push(file.clone());
        }
    }
    whole.facts.requests.extend(told);
    name_requests(whole);
    name_models(whole);
}

/// Whoever watched a request from outside names the model of messages that name none.
fn name_requests(whole: &mut Conversation) {
    let known = whole.facts.requests.iter().filter(|request| request.model.is_some());
    let requests: HashMap<&str, &RequestFact> =
        known.map(|request| (request.request_id.as_str(), request)).collect();
    let asked = requests_of(&whole.messages);
    let tracked: Vec<Option<&RequestFact>> = asked.into_iter().map(|id| requests.get(id?).copied()).collect();
    let nameless = whole.messages.iter_mut().zip(tracked).filter(|(message, _)| message.model.is_none());
    for (message, request) in nameless {
        let Some(request) = request else { continue };
        message.model.clone_from(&request.model);
        if let Some(origin) = &request.origin {
            message.note(Fact::Model, None, origin);
        }
    }
}

/// The request that each message is of. An answer that names none is of the request that asked for it.
fn requests_of(messages: &[Message]) -> Vec<Option<&str>> {
    let mut asked = None;
    let mut requests = Vec::with_capacity(messages.len());
    for message in messages {
        if message.role == Role::User || message.request_id.is_some() {
            asked = message.request_id.as_deref();
        }
        requests.push(asked.filter(|_| message.role != Role::System));
    }
    requests
}

/// The models of the conversation are those of its messages, then those that only an index names.
fn name_models(whole: &mut Conversation) {
    let mut models: Vec<String> = Vec::new();
    let spoken = whole.messages.iter().filter_map(|message| message.model.as_ref());
    for model in spoken.chain(&whole.summary.models) {
        if !models.contains(model) {
            models.push(model.clone());
        }
    }
    whole.summary.models = models;
}
