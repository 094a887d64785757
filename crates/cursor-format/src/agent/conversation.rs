//! A whole conversation out of a root and its blobs.
//!
//! The prompt's messages (field 1) give the order and the words; turns give ids and times, and the messages that
//! left the prompt when it was summed up.

use std::collections::HashMap;

use backscroll_model::{
    AtIs, ConversationId, Coverage, Decoded, Facts, FindingKind, Message, MessageId, Moment, Part, Role,
    Todo, ToolStatus,
};
use jiff::Timestamp;

use super::align::align;
use super::assemble::{Draft, assemble};
use super::earlier;
use super::graph::{Graph, Place};
use super::listing::Listing;
use super::opened;
use super::refill::refill;
use super::root::{Reference, Root, Subagent, root};
use super::told::{self, Told};
use super::tool_value::todo_status;
use super::wire;
use crate::BlobId;

/// What a graph tells of a conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentConversation {
    /// What was said, in order.
    pub messages: Vec<Message>,
    /// The account of stored messages; answers of tools count, though they are shown with their calls.
    pub coverage: Coverage,
    /// Context, branches, todos, plans and files.
    pub facts: Facts,
    /// The folders it worked in, as URIs; the last is the latest.
    pub workspace_uris: Vec<String>,
    /// The working directory that the prompt names.
    pub working_directory: Option<String>,
    /// The mode's name.
    pub mode: Option<String>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// Models that messages name, in the order of first mention.
    pub models: Vec<String>,
    /// The agents it started, by id.
    pub children: Vec<ConversationId>,
    /// The same, with their own states.
    pub subagents: Vec<Subagent>,
    /// How many turns the root lists.
    pub turns: usize,
}

/// Reads the conversation whose root is the blob that `root_id` spells; `None` if that blob is not there.
pub fn conversation_at(root_id: &str, place: &Place<'_>) -> Decoded<Option<AgentConversation>> {
    let mut graph = Graph::new(place.clone());
    let Some(id) = BlobId::spelled(root_id.as_bytes()) else {
        let says = "the root has a name that no blob can have";
        graph.report(FindingKind::DanglingReference, place.root.clone(), says);
        return Decoded { value: None, findings: graph.findings };
    };
    let Some(bytes) = graph.fetch(id, "the root") else {
        return Decoded { value: None, findings: graph.findings };
    };
    let value = read(&bytes, &mut graph);
    Decoded { value: Some(value), findings: graph.findings }
}

/// Reads the conversation with this root.
pub fn conversation(root_bytes: &[u8], place: &Place<'_>) -> Decoded<AgentConversation> {
    let mut graph = Graph::new(place.clone());
    let value = read(root_bytes, &mut graph);
    Decoded { value, findings: graph.findings }
}

fn read(bytes: &[u8], graph: &mut Graph<'_>) -> AgentConversation {
    let at = graph.root().clone();
    let mut found = Vec::new();
    let root = root(bytes, &at).report_to(&mut found);
    graph.findings.extend(found);
    let (listing, mut turns) = listed_and_told(&root, graph);
    let mut coverage = listing.coverage;
    let mut drafts = assemble(listing.messages);
    align(&mut drafts, &mut turns);
    let refilled = refill(&mut drafts, &mut turns);
    if refilled > 0 {
        let says = format!("{refilled} messages whose blobs are gone are told by their turns");
        graph.report(FindingKind::Inferred, at, says);
    }
    let stored = drafts.len();
    earlier::insert(&mut drafts, &mut turns);
    count(&mut coverage, drafts.len() - stored);
    settle(&mut drafts);
    drafts.extend(pending(assemble(listing.pending)));
    let working_directory = drafts.iter().find_map(working_directory);
    let mut messages: Vec<Message> = drafts.into_iter().map(|draft| draft.message).collect();
    drop_hidden_thoughts(&mut messages, graph);
    make_ids_unique(&mut messages);
    date_the_first(&mut messages, root.facts.started_at);
    let models = models(&messages);
    AgentConversation {
        children: children(&root, &messages),
        facts: facts(&root, graph),
        messages,
        coverage,
        working_directory,
        mode: root.facts.mode.map(str::to_owned),
        started_at: root.facts.started_at,
        models,
        turns: root.turns.len(),
        workspace_uris: root.facts.workspace_uris,
        subagents: root.subagents,
    }
}

/// So few messages are not worth a thread.
const FEW: usize = 256;

/// Reads stored messages and turns: at the same time, where there are many.
fn listed_and_told<'a>(root: &Root, graph: &mut Graph<'a>) -> (Listing, Vec<Told<'a>>) {
    let place = graph.place().clone();
    if let Some(ahead) = place.blobs.messages_ahead() {
        let mut beside = graph.beside();
        let turns = told::turns(root, &mut beside);
        let listing = Listing::read(root, opened::open_ahead(&root.messages, &place, ahead), graph);
        graph.absorb(beside);
        return (listing, turns);
    }
    let fetched = opened::fetch(&root.messages, graph);
    if root.messages.len() <= FEW {
        let listing = Listing::read(root, fetched.open(), graph);
        return (listing, told::turns(root, graph));
    }
    let mut beside = graph.beside();
    let (opened, turns) = fetched.open_beside(|| told::turns(root, &mut beside));
    let listing = Listing::read(root, opened, graph);
    graph.absorb(beside);
    (listing, turns)
}

/// Messages that only turns tell are listed by these, and read.
fn count(coverage: &mut Coverage, added: usize) {
    let added = u64::try_from(added).unwrap_or(u64::MAX);
    coverage.listed += added;
    coverage.read += added;
}

/// A call at the very end without an answer was still running.
fn settle(drafts: &mut [Draft]) {
    let Some(last) = drafts.last_mut() else { return };
    for part in &mut last.message.parts {
        if let Part::ToolCall(call) = part
            && call.result.is_none()
            && call.status == ToolStatus::Unknown
        {
            call.status = ToolStatus::Running;
        }
    }
}

fn pending(mut drafts: Vec<Draft>) -> Vec<Draft> {
    for part in drafts.iter_mut().flat_map(|draft| &mut draft.message.parts) {
        if let Part::ToolCall(call) = part
            && call.result.is_none()
        {
            call.status = ToolStatus::Pending;
        }
    }
    drafts
}

/// The line by which old system prompts and `<user_info>` name the folder.
fn working_directory(draft: &Draft) -> Option<String> {
    if draft.message.role == Role::Assistant {
        return None;
    }
    let text = draft.message.text();
    let mut lines = draft.raw.lines().chain(text.lines());
    lines.find_map(named_folder)
}

/// The folder that one line of a prompt names.
pub(super) fn named_folder(line: &str) -> Option<String> {
    let line = line.trim();
    let named = line.strip_prefix("Workspace Path: ").or_else(|| line.strip_prefix("Working directory: "))?;
    Some(named.trim().to_owned())
}

fn drop_hidden_thoughts(messages: &mut [Message], graph: &mut Graph<'_>) {
    let mut hidden = 0_u64;
    for message in messages {
        message.parts.retain(|part| {
            let is_hidden = matches!(part, Part::Thinking { text, .. } if text.is_empty());
            hidden += u64::from(is_hidden);
            !is_hidden
        });
    }
    if hidden > 0 {
        let says = format!("{hidden} thoughts are stored encrypted or empty");
        graph.report(FindingKind::Undecodable, graph.root().with_key("thoughts"), says);
    }
}

pub(super) fn make_ids_unique(messages: &mut [Message]) {
    let mut seen: HashMap<&str, usize> = HashMap::with_capacity(messages.len());
    let mut again = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        let times = seen.entry(message.id.as_str()).or_default();
        *times += 1;
        if *times > 1 {
            again.push((place, MessageId::new(format!("{}-{times}", message.id))));
        }
    }
    for (place, id) in again {
        messages[place].id = id;
    }
}

fn date_the_first(messages: &mut [Message], started_at: Option<Timestamp>) {
    let first = messages.iter_mut().find(|message| message.role == Role::User);
    if let (Some(first), Some(_)) = (first, started_at)
        && first.at.at.is_none()
    {
        first.at = Moment { at: started_at, is: AtIs::Conversation };
    }
}

fn models(messages: &[Message]) -> Vec<String> {
    let mut models: Vec<String> = Vec::new();
    for model in messages.iter().filter_map(|message| message.model.as_ref()) {
        if !models.contains(model) {
            models.push(model.clone());
        }
    }
    models
}

fn children(root: &Root, messages: &[Message]) -> Vec<ConversationId> {
    let mut ids: Vec<&str> = root.subagents.iter().map(|agent| agent.id.as_str()).collect();
    let calls = messages.iter().flat_map(Message::tool_calls);
    ids.extend(calls.filter_map(|call| call.child.as_deref()));
    let mut children: Vec<ConversationId> = Vec::new();
    for id in ids.into_iter().map(ConversationId::from) {
        if !children.contains(&id) {
            children.push(id);
        }
    }
    children
}

fn facts(root: &Root, graph: &mut Graph<'_>) -> Facts {
    let mut plans = root.facts.plans.clone();
    plans.extend(words(root.plan.as_ref(), "the plan", graph));
    let mut todos = Vec::new();
    for reference in &root.todos {
        let Some((_, bytes)) = graph.resolve(reference, "a thing to do") else {
            continue;
        };
        let todo = wire::Message::read(&bytes);
        todos.push(Todo {
            id: todo.words(1),
            content: todo.text(2).unwrap_or_default(),
            status: todo.number(3).map(|number| todo_status(number).to_owned()),
        });
    }
    let mut branches = root.facts.branches.clone();
    branches.extend(root.facts.branch.clone().filter(|branch| !root.facts.branches.contains(branch)));
    Facts {
        context: root.facts.context,
        branch: root.facts.branch.clone().or_else(|| branches.last().cloned()),
        branches,
        todos,
        files: root.facts.files.clone(),
        plans,
        ..Facts::default()
    }
}

/// The text in field 1 of what is referred to.
pub(super) fn words(reference: Option<&Reference>, what: &str, graph: &mut Graph<'_>) -> Option<String> {
    let (_, bytes) = graph.resolve(reference?, what)?;
    wire::Message::read(&bytes).words(1)
}
