//! A whole conversation out of a root and its blobs.
//!
//! The prompt's messages (field 1) give the order and the words; turns give ids and times, and the messages that
//! left the prompt when it was summed up.

use std::borrow::Cow;
use std::collections::HashMap;

use backscroll_model::{
    AtIs, ConversationId, Coverage, Decoded, Facts, FindingKind, Message, MessageId, Moment, Part, Role,
    Sender, SenderKind, Todo, ToolStatus, TurnOutline, push_new,
};
use jiff::Timestamp;

use super::align::{align, refill};
use super::assemble::{AgentListing, Draft, add_named_elsewhere, assemble};
use super::graph::{Graph, GraphLocation};
use super::message::{Piece, StoredMessage, message};
use super::root::{Reference, Root, Utterance, root};
use super::tool::todo_status;
use super::turn::{Turn, turn, user_message};
use super::{align, turn, wire};
use crate::limits::{MOST_MESSAGES, too_many};
use crate::{BlobId, user_text};

/// What a graph says about a conversation.
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
    /// When its last turn was completed.
    pub completed_at: Option<Timestamp>,
    /// Models that messages name, in the order of first mention.
    pub models: Vec<String>,
    /// The agents it started, by id.
    pub children: Vec<ConversationId>,
}

/// Reads the conversation whose root is the blob that `root_id` spells; `None` if that blob is not there.
pub fn conversation_at(root_id: &str, place: &GraphLocation<'_>) -> Decoded<Option<AgentConversation>> {
    let mut graph = Graph::new(place.clone());
    let Some(id) = BlobId::spelled(root_id.as_bytes()) else {
        let says = "the root has a name that no blob can have";
        graph.report(FindingKind::DanglingReference, place.root.clone(), says);
        return Decoded { value: None, findings: graph.findings };
    };
    let Some(bytes) = graph.fetch(id, "the root") else {
        return Decoded { value: None, findings: graph.findings };
    };
    let value = read(root(&bytes, &place.root), &mut graph);
    Decoded { value: Some(value), findings: graph.findings }
}

/// Reads the conversation with this root.
pub fn conversation(root: Decoded<Root>, place: &GraphLocation<'_>) -> Decoded<AgentConversation> {
    let mut graph = Graph::new(place.clone());
    let value = read(root, &mut graph);
    Decoded { value, findings: graph.findings }
}

/// The messages of those turns of `root` that are wanted by number. Of the others only the user's words are there, so
/// that it shows where the wanted ones belong.
pub fn some_turns(
    root: &Root,
    place: &GraphLocation<'_>,
    is_wanted: &dyn Fn(usize) -> bool,
) -> Decoded<Vec<Message>> {
    let mut graph = Graph::new(place.clone());
    let mut turns = turn::read_turns(root, &mut graph, is_wanted);
    let drafts = turns
        .iter_mut()
        .enumerate()
        .flat_map(|(number, turn)| align::messages_of_turn(number, turn, &mut graph));
    let mut messages: Vec<Message> = drafts.map(|draft| draft.message).collect();
    make_ids_unique(&mut messages);
    Decoded { value: messages, findings: graph.findings }
}

fn read(root: Decoded<Root>, graph: &mut Graph<'_>) -> AgentConversation {
    let at = graph.root().clone();
    let mut root = root.report_to(&mut graph.findings);
    add_named_elsewhere(&mut root, graph);
    for list in [&mut root.messages, &mut root.turns] {
        if let Some(more) = list.len().checked_sub(MOST_MESSAGES).filter(|more| *more > 0) {
            list.truncate(MOST_MESSAGES);
            graph.findings.push(too_many(more, &at));
        }
    }
    let listing = AgentListing::read(&root, graph);
    let mut turns = turn::read_turns(&root, graph, &|_| true);
    // A long conversation needs all the room it can get.
    (root.messages, root.turns) = (Vec::new(), Vec::new());
    let mut coverage = listing.coverage;
    let mut drafts = listing.drafts;
    align(&mut drafts, &mut turns, graph);
    let refilled = refill(&mut drafts, &mut turns, graph);
    if refilled > 0 {
        let says = format!("{refilled} messages whose blobs are gone are read from their turns");
        graph.report(FindingKind::Inferred, at, says);
    }
    let stored = drafts.len();
    align::insert_unmatched_turns(&mut drafts, &mut turns, graph);
    count(&mut coverage, drafts.len() - stored);
    settle(&mut drafts);
    drafts.extend(pending(assemble(listing.pending)));
    let working_directory = drafts.iter().find_map(working_directory);
    let mut messages: Vec<Message> = drafts.into_iter().map(|draft| draft.message).collect();
    drop_hidden_thoughts(&mut messages, graph);
    count(&mut coverage, root.utterances.len());
    insert_utterances(&mut messages, std::mem::take(&mut root.utterances), graph);
    make_ids_unique(&mut messages);
    date_the_first(&mut messages, root.facts.started_at);
    date_the_last(&mut messages, root.facts.completed_at);
    let models = models(&messages);
    AgentConversation {
        children: children(&root, &messages),
        facts: facts(&root, graph),
        messages,
        coverage,
        working_directory,
        mode: root.facts.mode.map(str::to_owned),
        started_at: root.facts.started_at,
        completed_at: root.facts.completed_at,
        models,
        workspace_uris: root.facts.workspace_uris,
    }
}

/// Messages that are only in turns are listed by these, and read.
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
fn named_folder(line: &str) -> Option<String> {
    let line = line.trim();
    let labelled =
        || line.strip_prefix("Workspace Path: ").or_else(|| line.strip_prefix("Working directory: "));
    let named = labelled().or_else(|| user_text::told_folder(line))?;
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

fn make_ids_unique(messages: &mut [Message]) {
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

/// The last turn was completed at a known time: what it ended with was said by then.
fn date_the_last(messages: &mut [Message], completed_at: Option<Timestamp>) {
    let is_later =
        |message: &Message| message.at.at.is_none_or(|at| completed_at.is_some_and(|end| at <= end));
    if messages.iter().all(is_later)
        && let Some(last) = messages.last_mut()
        && last.at.at.is_none()
        && completed_at.is_some()
    {
        last.at = Moment { at: completed_at, is: AtIs::Interpolated };
    }
}

/// Puts what was said in a voice call behind the last message that it answers; what answers none comes at the end.
fn insert_utterances(messages: &mut Vec<Message>, utterances: Vec<Utterance>, graph: &Graph<'_>) {
    for (number, said) in utterances.into_iter().enumerate() {
        let id = said.id.unwrap_or_else(|| format!("utterance-{number}"));
        let at = graph.root().with_key(format!("{}#voice-{number}", graph.root().key));
        let mut message = Message::new(id, Role::Assistant, at);
        message.sender = Some(Sender::new(SenderKind::Voice));
        message.parts.push(Part::Text(said.text));
        let is_answered = |other: &Message| said.answers.iter().any(|id| id == other.id.as_str());
        let place = messages.iter().rposition(is_answered).map(|asked| {
            let turn = messages[asked + 1..].iter().take_while(|message| message.role != Role::User);
            asked + 1 + turn.count()
        });
        messages.insert(place.unwrap_or(messages.len()), message);
    }
}

fn models(messages: &[Message]) -> Vec<String> {
    let mut models: Vec<String> = Vec::new();
    for model in messages.iter().filter_map(|message| message.model.as_ref()) {
        push_new(&mut models, model.clone());
    }
    models
}

fn children(root: &Root, messages: &[Message]) -> Vec<ConversationId> {
    let mut ids: Vec<&str> = root.subagents.iter().map(|agent| agent.id.as_str()).collect();
    let calls = messages.iter().flat_map(Message::tool_calls);
    ids.extend(calls.filter_map(|call| call.child.as_deref()));
    let mut children: Vec<ConversationId> = Vec::new();
    for id in ids.into_iter().map(ConversationId::from) {
        push_new(&mut children, id);
    }
    children
}

fn facts(root: &Root, graph: &mut Graph<'_>) -> Facts {
    let mut plans = root.facts.plans.clone();
    plans.extend(words(root.plan.as_ref(), "the plan", graph));
    let mut todos = Vec::new();
    for reference in &root.todos {
        let Some(bytes) = graph.resolve(reference, "a thing to do") else {
            continue;
        };
        let todo = wire::ProtoMessage::read(&bytes);
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
        time_zone: root.facts.user_time_zone.clone(),
        ..Facts::default()
    }
}

/// The text in field 1 of what is referred to.
pub(super) fn words(reference: Option<&Reference>, what: &str, graph: &mut Graph<'_>) -> Option<String> {
    let bytes = graph.resolve(reference?, what)?;
    wire::ProtoMessage::read(&bytes).words(1)
}

/// The turns that `root` lists, in order; a turn that cannot be read has an empty outline.
pub fn skeleton(root: &Root, place: &GraphLocation<'_>) -> Decoded<Vec<TurnOutline>> {
    let mut graph = Graph::new(place.clone());
    let mut outlines = Vec::with_capacity(root.turns.len());
    for reference in &root.turns {
        let Some(bytes) = graph.resolve(reference, "a turn") else {
            outlines.push(TurnOutline::default());
            continue;
        };
        outlines.push(match turn(&bytes, root.turn_shape) {
            Some(Turn::Agent(agent)) => {
                let user = agent.user.and_then(|user| graph.resolve(&user, "a user's message"));
                let user = user.and_then(|bytes| user_message(&bytes, &mut graph)).unwrap_or_default();
                TurnOutline {
                    user_message_id: user.id,
                    request_id: agent.request_id,
                    steps: agent.steps.len(),
                    model: agent.model,
                    sender: user.sender,
                    context: user.attachments.into_iter().filter(turn::is_hook_context).collect(),
                }
            }
            Some(Turn::Shell(_)) => TurnOutline::default(),
            None => {
                let at = graph.origin_of(reference.id());
                graph.report(FindingKind::Undecodable, at, "a turn is no protobuf message");
                TurnOutline::default()
            }
        });
    }
    Decoded { value: outlines, findings: graph.findings }
}

/// The first model that any of the first `most` messages of `root` names. Builds that name it do so on every message of
/// the model's, so a few are enough. What cannot be read is reported by [`super::conversation`].
pub fn first_model(root: &Root, place: &GraphLocation<'_>, most: usize) -> Option<String> {
    root.messages.iter().take(most).find_map(|reference| {
        let stored = stored_message(reference, place)?;
        let in_thought = stored.pieces.iter().find_map(|piece| match piece {
            Piece::Thought { model, .. } => model.clone(),
            _ => None,
        });
        stored.model.clone().or(in_thought)
    })
}

/// The message that `reference` stands for, if it is there and can be read.
fn stored_message(reference: &Reference, place: &GraphLocation<'_>) -> Option<StoredMessage> {
    let bytes = match reference {
        Reference::Inline(bytes) => Cow::Borrowed(bytes.as_slice()),
        Reference::Blob(id) => place.blobs.blob(id).ok().flatten()?,
    };
    message(&bytes, &place.root).value
}

/// What a list shows of a conversation that nobody named.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Preview {
    /// The first line that the user typed.
    pub title: Option<String>,
    /// The folder that the prompt names.
    pub working_directory: Option<String>,
    /// Absolute paths at the ends of lines: one of them may be the folder, if something proves it.
    pub paths: Vec<String>,
}

/// The maximum number of paths that are kept.
const MOST_PATHS: usize = 64;

/// Looks at the root and at most `most` of its messages. What is missing or damaged is passed over:
/// reading the whole conversation reports it.
pub fn preview(root_id: &str, place: &GraphLocation<'_>, most: usize) -> Preview {
    let Some(id) = BlobId::spelled(root_id.as_bytes()) else { return Preview::default() };
    let Ok(Some(bytes)) = place.blobs.blob(&id) else { return Preview::default() };
    let mut root = root(&bytes, &place.root).value;
    if root.messages.is_empty() {
        add_named_elsewhere(&mut root, &mut Graph::new(place.clone()));
    }
    preview_of(&root.messages, place, most)
}

/// The same of the first of these messages.
pub fn preview_of(listed: &[Reference], place: &GraphLocation<'_>, most: usize) -> Preview {
    let mut preview = Preview::default();
    for reference in listed.iter().take(most) {
        let Some(stored) = stored_message(reference, place) else { continue };
        for piece in &stored.pieces {
            let Piece::Text(text) = piece else { continue };
            if matches!(stored.speaker, Role::System | Role::User) && preview.working_directory.is_none() {
                preview.working_directory = text.lines().find_map(named_folder);
                let room = MOST_PATHS.saturating_sub(preview.paths.len());
                preview.paths.extend(text.lines().filter_map(path_at_end).take(room));
            }
            if stored.speaker == Role::User && !user_text::unwrap(text).is_context {
                preview.title = user_text::title_line(text);
            }
            if preview.title.is_some() {
                return preview;
            }
        }
    }
    preview
}

/// The absolute path that a line such as `Folder: /home/dev/app` ends with.
fn path_at_end(line: &str) -> Option<String> {
    let (_, path) = line.trim().rsplit_once(": ")?;
    let bytes = path.as_bytes();
    let is_absolute = matches!(bytes, [b'/', ..]) || matches!(bytes, [_, b':', b'/' | b'\\', ..]);
    is_absolute.then(|| path.to_owned())
}
