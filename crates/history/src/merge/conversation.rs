//! One conversation out of the fragments of several layers.

use std::collections::{BTreeSet, HashMap, HashSet};

use backscroll_model::{
    Conversation, Fact, Facts, Finding, FindingKind, Flag, Fragment, FragmentKind, Layer, Message, MessageId,
    RequestFact, Role, Sender, push_new,
};

use super::head::{extend_new, head, lost_record, origin_in, rank, spine_rank};
use super::messages::unite;
use super::{agent_turns, measured, prompts};

/// One conversation out of all fragments; `None` if nothing but evidence is there.
pub(crate) fn conversation(mut fragments: Vec<Fragment>) -> Option<Conversation> {
    agent_turns::prepare(&mut fragments);
    leave_out_search_words(&mut fragments);
    fragments.sort_by_key(|fragment| (fragment.messages.is_empty(), rank(fragment)));
    let (typed, fragments): (Vec<Fragment>, Vec<Fragment>) =
        fragments.into_iter().partition(|fragment| fragment.kind == FragmentKind::Prompts);
    let head = head(&fragments.iter().collect::<Vec<_>>())?;
    let mut whole = new_conversation(head.summary);
    whole.fact_origins = head.origins;
    complete_facts(&mut whole, &fragments);
    // Of two that rank the same, the longer one leads.
    let mut fragments = fragments;
    let longest_first = |fragment: &Fragment| std::cmp::Reverse(fragment.messages.len());
    fragments.sort_by_key(|fragment| {
        (fragment.messages.is_empty(), spine_rank(fragment), longest_first(fragment))
    });
    let mut fragments = fragments.into_iter();
    if let Some(spine) = fragments.next() {
        whole.messages = spine.messages;
        whole.orphans = spine.orphans;
        whole.coverage = spine.coverage;
        whole.findings = spine.findings;
    }
    for fragment in fragments {
        add(&mut whole, fragment);
    }
    drop_lost_prompts(&mut whole);
    for prompts in typed {
        prompts::add_unsaid(&mut whole, prompts);
    }
    if !whole.messages.is_empty() {
        let listed = whole.coverage.listed;
        whole.summary.messages = Some(listed.max(whole.summary.messages.unwrap_or(0)));
        whole.summary.flags.remove(&Flag::Empty);
    }
    whole.findings.extend(lost_record(&whole.summary));
    name_asking_agent(&mut whole);
    make_ids_unique(&mut whole);
    measured::add(&mut whole);
    name_requests(&mut whole);
    name_models(&mut whole);
    Some(whole)
}

/// The SDK's index knows when each prompt was asked, and never its words: one that no other layer has was never stored.
fn drop_lost_prompts(whole: &mut Conversation) {
    let before = whole.messages.len();
    whole.messages.retain(|message| !message.parts.is_empty() || message.origin.layer != Layer::SdkIndex);
    let lost = (before - whole.messages.len()) as u64;
    whole.coverage.listed = whole.coverage.listed.saturating_sub(lost);
    whole.coverage.missing = whole.coverage.missing.saturating_sub(lost);
}

/// What a subagent was first asked, its parent asked.
fn name_asking_agent(whole: &mut Conversation) {
    let parent = whole.summary.parent.as_ref().filter(|_| whole.summary.flags.contains(&Flag::Subagent));
    let first = whole.messages.iter_mut().find(|message| message.role == Role::User);
    if let (Some(parent), Some(first)) = (parent, first) {
        first.sender = Sender::merged(first.sender.take(), Some(Sender::agent(parent.as_str())));
    }
}

/// In some layers an id is only the number of a line. Where another message has it already, the layer's name is put before
/// it.
fn make_ids_unique(whole: &mut Conversation) {
    let mut taken: HashSet<MessageId> = HashSet::new();
    for message in whole.messages.iter_mut().chain(&mut whole.orphans) {
        if !taken.contains(&message.id) {
            taken.insert(message.id.clone());
            continue;
        }
        let named = format!("{}:{}", message.origin.layer.name(), message.id);
        let numbered = (2..).map(|number| format!("{named}:{number}"));
        let free = [named.clone()].into_iter().chain(numbered).map(MessageId::new);
        if let Some(id) = free.into_iter().find(|id| taken.insert(id.clone())) {
            message.id = id;
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "merging is what makes conversations")]
fn new_conversation(summary: backscroll_model::Summary) -> Conversation {
    Conversation::new(summary)
}

/// The words in the editor's search index are a last resort: where any message is known, only its title counts.
fn leave_out_search_words(fragments: &mut [Fragment]) {
    let is_search = |fragment: &Fragment| fragment.layer() == Layer::IdeSearch;
    if fragments.iter().any(|fragment| !is_search(fragment) && !fragment.messages.is_empty()) {
        for fragment in fragments.iter_mut().filter(|fragment| is_search(fragment)) {
            fragment.messages.clear();
            fragment.findings.clear();
        }
    }
}

/// Adds the messages of another fragment.
fn add(whole: &mut Conversation, fragment: Fragment) {
    let other = fragment.layer();
    add_findings(&mut whole.findings, fragment.findings);
    if !fragment.messages.is_empty() {
        // A fragment of a few turns, because no more were asked for, lists nothing.
        let has_all = fragment.coverage.listed > 0;
        let united = unite(&mut whole.messages, fragment.messages, &mut whole.findings);
        let refilled = united.refilled.min(whole.coverage.missing);
        whole.coverage.missing -= refilled;
        whole.coverage.listed += united.added;
        whole.coverage.read += united.added + refilled;
        report_one_sided(united.added, if has_all { united.lacking } else { 0 }, other, whole);
    }
    // Most have none, and there may be ten thousand of them.
    if fragment.orphans.is_empty() {
        return;
    }
    let known: HashSet<_> = whole.messages.iter().chain(&whole.orphans).map(|m| m.id.clone()).collect();
    let orphans: Vec<Message> =
        fragment.orphans.into_iter().filter(|orphan| !known.contains(&orphan.id)).collect();
    whole.coverage.orphaned += orphans.len() as u64;
    whole.orphans.extend(orphans);
}

/// Two fragments may come out of one file; what is wrong with it is reported once.
fn add_findings(findings: &mut Vec<Finding>, more: Vec<Finding>) {
    if more.is_empty() {
        return;
    }
    let known: BTreeSet<Finding> = findings.iter().cloned().collect();
    findings.extend(more.into_iter().filter(|finding| !known.contains(finding)));
}

fn report_one_sided(added: u64, unmatched: u64, other: Layer, whole: &mut Conversation) {
    let Some(at) = whole.summary.origins.first().cloned() else { return };
    if added > 0 {
        let says = format!("{added} messages are in {} alone", other.name());
        whole.findings.push(Finding::new(FindingKind::OneSided, at.clone(), says));
    }
    if unmatched > 0 {
        let says = format!("{unmatched} messages are not told by {}", other.name());
        whole.findings.push(Finding::new(FindingKind::OneSided, at, says));
    }
}

/// Each fact from the first fragment that has it; lists are united.
fn complete_facts(whole: &mut Conversation, fragments: &[Fragment]) {
    let mut facts = Facts::default();
    let mut origins = Vec::new();
    macro_rules! first {
        ($field:ident, $fact:expr, $is_known:expr) => {
            if let Some(from) = fragments.iter().find(|fragment| $is_known(&fragment.facts.$field)) {
                facts.$field = from.facts.$field.clone();
                origins.push(origin_in(from, $fact));
            }
        };
    }
    first!(tokens, Fact::Tokens, Option::is_some);
    first!(lines, Fact::Lines, Option::is_some);
    first!(context, Fact::Context, Option::is_some);
    first!(branch, Fact::Branch, Option::is_some);
    first!(todos, Fact::Todos, |todos: &Vec<_>| !todos.is_empty());
    first!(draft, Fact::Draft, Option::is_some);
    first!(cost_cents, Fact::Cost, Option::is_some);
    facts.time_zone = fragments.iter().find_map(|fragment| fragment.facts.time_zone.clone());
    for fragment in fragments {
        extend_new(&mut facts.branches, &fragment.facts.branches);
        extend_new(&mut facts.pull_requests, &fragment.facts.pull_requests);
        extend_new(&mut facts.files, &fragment.facts.files);
        extend_new(&mut facts.plans, &fragment.facts.plans);
        facts.requests.extend(fragment.facts.requests.iter().cloned());
    }
    // What only messages name counts where no head does: a listing reads no messages, and must not be contradicted.
    let held_in = fragments.iter().filter_map(|fragment| Some((fragment.facts.held_in.as_ref()?, fragment)));
    let held_in = held_in.min_by_key(|(workspace, _)| workspace.by);
    if let (None, Some((workspace, from))) = (&whole.summary.workspace, held_in) {
        whole.summary.workspace = Some(workspace.clone());
        let after_title = usize::from(whole.summary.title.is_some()).min(whole.fact_origins.len());
        whole.fact_origins.insert(after_title, origin_in(from, Fact::Workspace));
    }
    whole.facts = facts;
    whole.fact_origins.extend(origins);
}

/// The requests of messages that name no model and of which no fragment says anything.
pub(crate) fn unnamed_requests(whole: &Conversation) -> BTreeSet<&str> {
    let known: HashSet<&str> = whole.facts.requests.iter().map(|one| one.request_id.as_str()).collect();
    let requests = whole.messages.iter().zip(requests_of(&whole.messages));
    let nameless = requests.filter(|(message, _)| message.model.is_none());
    nameless.filter_map(|(_, request)| request).filter(|id| !known.contains(id)).collect()
}

/// Adds what is known of requests by a source that does not know the conversation.
pub(crate) fn add_requests(whole: &mut Conversation, requests: Vec<RequestFact>) {
    for request in &requests {
        extend_new(&mut whole.facts.files, &request.files);
    }
    whole.facts.requests.extend(requests);
    name_requests(whole);
    name_models(whole);
}

/// What was tracked of a request names the model of messages that name none.
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
pub(super) fn requests_of(messages: &[Message]) -> Vec<Option<&str>> {
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

/// The models of the conversation are those of its messages, then those that only a head names.
fn name_models(whole: &mut Conversation) {
    let mut models: Vec<String> = Vec::new();
    let spoken = whole.messages.iter().filter_map(|message| message.model.as_ref());
    for model in spoken.chain(&whole.summary.models) {
        push_new(&mut models, model.clone());
    }
    whole.summary.models = models;
}

/// Adds to `whole` what only a backup has: messages whose row is gone, and messages that are no longer listed.
pub(crate) fn add_backup(whole: &mut Conversation, fragment: Fragment) {
    // Its words are a last resort.
    if fragment.layer() == Layer::IdeSearch {
        return;
    }
    let mut places: HashMap<String, usize> =
        whole.messages.iter().enumerate().map(|(at, message)| (message.id.as_str().to_owned(), at)).collect();
    let mut has_added = false;
    for mut message in fragment.messages.into_iter().chain(fragment.orphans) {
        if message.parts.is_empty() || whole.orphans.iter().any(|orphan| orphan.id == message.id) {
            continue;
        }
        has_added = true;
        message.deleted = true;
        match places.get(message.id.as_str()) {
            Some(&at) if whole.messages[at].parts.is_empty() => refill(whole, at, message),
            Some(_) => {}
            None => {
                places.insert(message.id.as_str().to_owned(), usize::MAX);
                keep_apart(whole, message);
            }
        }
    }
    if has_added {
        extend_new(&mut whole.summary.origins, &fragment.summary.origins);
    }
}

/// A listed message whose row is gone, or empty, is read from the backup.
fn refill(whole: &mut Conversation, at: usize, from: Message) {
    let message = &mut whole.messages[at];
    let mut reported = whole.findings.iter().filter(|finding| finding.at == message.origin);
    let was_missing = reported.any(|finding| finding.kind == FindingKind::MissingMessage);
    let coverage = &mut whole.coverage;
    let account = if was_missing { &mut coverage.missing } else { &mut coverage.empty };
    if let Some(less) = account.checked_sub(1) {
        *account = less;
        coverage.read += 1;
    }
    message.also.push(std::mem::replace(&mut message.origin, from.origin));
    message.parts = from.parts;
    message.deleted = true;
    message.model = message.model.take().or(from.model);
    message.tokens = message.tokens.or(from.tokens);
}

/// A message that the conversation no longer lists follows apart, as orphans do.
fn keep_apart(whole: &mut Conversation, message: Message) {
    let says = "only a backup still has this message";
    whole.findings.push(Finding::new(FindingKind::OrphanMessage, message.origin.clone(), says));
    whole.coverage.orphaned += 1;
    whole.orphans.push(message);
}
