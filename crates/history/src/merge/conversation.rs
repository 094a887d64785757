//! Tellings of one conversation by live places, made one.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use backscroll_model::{
    Conversation, Fact, Facts, Finding, FindingKind, Flag, Layer, Message, Part, RequestFact,
};

use super::align::align;
use super::atoms::{Atom, Shared, atoms};
use super::message;
use super::summary::{layer, rank, summaries};
use super::unmix::unmix;
use super::{beside, fact_origins};

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
    Conversation { facts: telling.facts.clone(), ..Conversation::of(telling.summary.clone()) }
}

/// Adds what another telling knows.
fn add(whole: &mut Conversation, telling: Conversation) {
    let other = layer(&telling.summary);
    whole.findings.extend(telling.findings);
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

/// What bringing two layers together did.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct United {
    /// Messages that only the other layer has.
    pub(super) added: u64,
    /// Listed messages whose row is gone, which the other layer still has.
    pub(super) refilled: u64,
    /// Messages that the other layer lacks.
    pub(super) lacking: u64,
}

/// Brings `other` into `spine`.
pub(super) fn unite(
    spine: &mut Vec<Message>,
    mut other: Vec<Message>,
    findings: &mut Vec<Finding>,
) -> United {
    let mut united = United { refilled: refill_by_id(spine, &mut other), ..United::default() };
    unmix(spine, &other);
    unmix(&mut other, spine);
    let shared = Shared::between(spine, &other);
    let (left, right) = (atoms(spine, &shared), atoms(&other, &shared));
    let alignment = align(&left, &right);
    let mut partner: HashMap<usize, (usize, usize)> = HashMap::new();
    let mut same: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut matched: HashSet<usize> = HashSet::new();
    for &(mine, theirs) in &alignment.same {
        let (mine, theirs) = (&left[mine], &right[theirs]);
        let part = &mut spine[mine.message].parts[mine.part];
        let taken = message::complete_part(part, &other[theirs.message].parts[theirs.part]);
        let call = call_of(part);
        for fact in taken {
            spine[mine.message].note(fact, call.as_deref(), &other[theirs.message].origin);
        }
        message::complete(&mut spine[mine.message], &other[theirs.message]);
        partner.entry(theirs.message).or_insert((mine.message, mine.part));
        same.entry(theirs.message).or_default().push(mine.message);
        matched.insert(mine.message);
    }
    for &(mine, theirs) in &alignment.contradicting {
        let (at, told) = (&spine[left[mine].message].origin, &other[right[theirs].message].origin);
        let says = format!("told a little differently by {} ({})", told.layer.name(), told.key);
        findings.push(Finding::new(FindingKind::Contradiction, at.clone(), says));
    }
    let spoken = left.iter().map(|atom| atom.message).collect::<HashSet<_>>();
    united.lacking = spoken.difference(&matched).count() as u64;
    let mut news = News::sort(&alignment.only_other, &left, &right, &partner);
    for (after, message) in beside::bring(spine, &other, &same) {
        news.messages.entry(after).or_default().push(message);
    }
    united.refilled += news.refill(spine, &mut other);
    united.added = news.insert(spine, other);
    united
}

/// Listed messages without a row take what another layer has under the same id.
fn refill_by_id(spine: &mut [Message], other: &mut Vec<Message>) -> u64 {
    let mut refilled = 0;
    for message in spine.iter_mut().filter(|message| message.parts.is_empty()) {
        let Some(at) = other.iter().position(|told| told.id == message.id && !told.parts.is_empty()) else {
            continue;
        };
        refill(message, other.remove(at));
        refilled += 1;
    }
    refilled
}

fn refill(message: &mut Message, from: Message) {
    message::complete(message, &from);
    message.note(Fact::Text, None, &from.origin);
    message.parts = from.parts;
}

/// The id of the call that a part is.
fn call_of(part: &Part) -> Option<String> {
    match part {
        Part::ToolCall(call) => call.id.clone(),
        _ => None,
    }
}

/// What only the other layer has.
#[derive(Default)]
struct News {
    /// Parts of messages that the spine has: spine message, after which part, and whose part.
    parts: Vec<(usize, usize, usize, usize)>,
    /// Whole messages, by the spine message that they follow (`None`: before all).
    messages: BTreeMap<Option<usize>, Vec<usize>>,
}

impl News {
    fn sort(
        only_other: &[(Option<usize>, usize)],
        left: &[Atom],
        right: &[Atom],
        partner: &HashMap<usize, (usize, usize)>,
    ) -> Self {
        let mut news = Self::default();
        let mut placed: HashSet<usize> = HashSet::new();
        for &(after, theirs) in only_other {
            let atom = &right[theirs];
            if let Some(&(message, part)) = partner.get(&atom.message) {
                news.parts.push((message, part, atom.message, atom.part));
            } else if placed.insert(atom.message) {
                let after = after.map(|after| left[after].message);
                news.messages.entry(after).or_default().push(atom.message);
            }
        }
        news
    }

    /// A message that would stand beside a listed one of the same role whose row is gone is that message.
    fn refill(&mut self, spine: &mut [Message], other: &mut [Message]) -> u64 {
        let mut refilled = 0;
        for (after, list) in &mut self.messages {
            let mut next = after.map_or(0, |after| after + 1);
            list.retain(|at| {
                let told = &mut other[*at];
                let Some(lost) =
                    spine.get_mut(next).filter(|lost| lost.parts.is_empty() && lost.role == told.role)
                else {
                    return true;
                };
                let blank = Message::new(String::new(), told.role, told.origin.clone());
                refill(lost, std::mem::replace(told, blank));
                next += 1;
                refilled += 1;
                false
            });
        }
        refilled
    }

    /// Puts the news in their places; gives how many messages were added.
    fn insert(self, spine: &mut Vec<Message>, mut other: Vec<Message>) -> u64 {
        for (message, part, from, which) in self.parts.into_iter().rev() {
            let new = std::mem::replace(&mut other[from].parts[which], Part::Text(String::new()));
            let place = if matches!(new, Part::Thinking { .. }) { part } else { part + 1 };
            let fact = match &new {
                Part::Thinking { .. } => Fact::Thinking,
                Part::ToolCall(_) => Fact::Call,
                _ => Fact::Text,
            };
            spine[message].note(fact, call_of(&new).as_deref(), &other[from].origin);
            let parts = &mut spine[message].parts;
            parts.insert(place.min(parts.len()), new);
        }
        let added: u64 = self.messages.values().map(|list| list.len() as u64).sum();
        if added == 0 {
            return 0;
        }
        let mut other: Vec<Option<Message>> = other.into_iter().map(Some).collect();
        let mut take = |after: Option<usize>, into: &mut Vec<Message>| {
            for at in self.messages.get(&after).into_iter().flatten() {
                into.extend(other.get_mut(*at).and_then(Option::take));
            }
        };
        let mut all = Vec::with_capacity(spine.len());
        take(None, &mut all);
        for (at, message) in std::mem::take(spine).into_iter().enumerate() {
            all.push(message);
            take(Some(at), &mut all);
        }
        *spine = all;
        added
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
    let nameless = whole.messages.iter().filter(|message| message.model.is_none());
    nameless.filter_map(|message| message.request_id.as_deref()).filter(|id| !known.contains(id)).collect()
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
    for message in whole.messages.iter_mut().filter(|message| message.model.is_none()) {
        let request = message.request_id.as_deref().and_then(|request| requests.get(request));
        let Some(request) = request else { continue };
        message.model.clone_from(&request.model);
        if let Some(origin) = &request.origin {
            message.note(Fact::Model, None, origin);
        }
    }
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
