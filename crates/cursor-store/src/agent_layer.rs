//! The agent's own account of an editor conversation: the graph of blobs under `conversationState`.
//!
//! It mostly repeats the bubbles. So its outline is compared first, which costs one small blob for each turn; only
//! where it knows a turn or an answer that the bubbles lack is that turn read.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use backscroll_cursor_format::Blobs;
use backscroll_cursor_format::agent::{self, Place, TurnOutline};
use backscroll_cursor_format::ide::{fill_times, keys};
use backscroll_cursor_format::uri::place;
use backscroll_model::{
    Attribution, Conversation, Finding, FindingKind, Flag, Layer, Message, Origin, Payload, Role, Summary,
    Surface, ToolStatus,
};

/// So many messages are looked at to see whether the account names models.
const TELLING: usize = 12;

/// How much of a conversation is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of it.
    Whole,
    /// A few of its turns.
    Part,
}

/// Only the whole account could tell.
#[derive(Debug)]
pub(crate) struct NeedsWhole;

/// Compares the agent's account with `conversation` and gives what it has more, as a telling of its own.
pub(crate) fn telling(
    state: &str,
    blobs: &dyn Blobs,
    file: &Arc<Path>,
    conversation: &mut Conversation,
) -> Option<Conversation> {
    // The whole can always be told.
    telling_to(Extent::Whole, state, blobs, file, conversation).unwrap_or_default()
}

/// The same, where `conversation` may be but a part: turns that it does not have are none of its business.
pub(crate) fn telling_to(
    extent: Extent,
    state: &str,
    blobs: &dyn Blobs,
    file: &Arc<Path>,
    conversation: &mut Conversation,
) -> Result<Option<Conversation>, NeedsWhole> {
    let key = format!("{}{}#conversationState", keys::COMPOSERS, conversation.summary.id);
    let root = Origin::new(Layer::AgentBlobs, Arc::clone(file), key);
    let bytes = match agent::conversation_state(state) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok(None),
        Err(error) => {
            conversation.findings.push(Finding::new(FindingKind::Undecodable, root, error.to_string()));
            return Ok(None);
        }
    };
    let place = Place { blobs, root: root.clone(), prefix: keys::BLOBS };
    let outline = agent::skeleton(&bytes, &place);
    name_models(&outline.value, conversation);
    let is_whole_needed = conversation.messages.is_empty()
        || !outline.findings.is_empty()
        || (conversation.summary.models.is_empty() && agent::names_a_model(&bytes, &place, TELLING));
    if is_whole_needed {
        return if extent == Extent::Part {
            Err(NeedsWhole)
        } else {
            Ok(Some(whole(&bytes, &place, conversation)))
        };
    }
    let prompts = Prompts::of(&conversation.messages);
    let is_lacking = |turn: &TurnOutline| match prompts.asked(turn) {
        Some(asked) => lacks(turn, &conversation.messages[asked..]),
        None => extent == Extent::Whole,
    };
    let lacking: Vec<bool> = outline.value.iter().map(is_lacking).collect();
    if !lacking.contains(&true) {
        conversation.summary.origins.push(root);
        return Ok(None);
    }
    let told = agent::some_turns(&bytes, &place, &|turn| lacking.get(turn) == Some(&true));
    let mut telling = Conversation::of(Summary::new(conversation.summary.id.clone(), Surface::Ide, root));
    telling.messages = told.report_to(&mut telling.findings);
    Ok(Some(telling))
}

/// All that the agent's account tells.
fn whole(bytes: &[u8], place: &Place<'_>, beside: &Conversation) -> Conversation {
    let mut findings = Vec::new();
    let told = agent::conversation(bytes, place).report_to(&mut findings);
    let mut summary = Summary::new(beside.summary.id.clone(), Surface::Ide, place.root.clone());
    summary.created_at = told.started_at;
    summary.models = told.models;
    summary.mode = told.mode;
    summary.messages = beside.summary.messages;
    if told.messages.is_empty() {
        summary.flags.insert(Flag::Empty);
    }
    let mut conversation = Conversation::of(summary);
    conversation.children = told.children;
    conversation.facts = told.facts;
    let uris = told.workspace_uris.iter().chain(&told.working_directory);
    conversation.facts.held_in =
        uris.last().and_then(|uri| self::place(uri)).map(|p| p.into_workspace(Attribution::AgentLocation));
    conversation.messages = told.messages;
    conversation.coverage = told.coverage;
    conversation.findings = findings;
    if !beside.messages.is_empty() {
        leave_out_prompts(&mut conversation);
    }
    fill_times(&mut conversation);
    conversation
}

/// Bubbles never tell what the editor wrote before a turn. Where the graph happens to be read, telling it would make one
/// more message of a conversation depend on whether some answer was pruned.
fn leave_out_prompts(conversation: &mut Conversation) {
    let is_prompt = |message: &Message| message.role == Role::System;
    for prompt in conversation.messages.iter().filter(|message| is_prompt(message)) {
        let coverage = &mut conversation.coverage;
        coverage.listed = coverage.listed.saturating_sub(1);
        let account = if prompt.parts.is_empty() { &mut coverage.empty } else { &mut coverage.read };
        *account = account.saturating_sub(1);
    }
    conversation.messages.retain(|message| !is_prompt(message));
}

/// Where the user's messages stand, by their own ids and by those of their requests; the first of each.
struct Prompts<'a> {
    by_id: HashMap<&'a str, usize>,
    by_request: HashMap<&'a str, usize>,
}

impl<'a> Prompts<'a> {
    fn of(messages: &'a [Message]) -> Self {
        let (mut by_id, mut by_request) = (HashMap::new(), HashMap::new());
        for (at, message) in messages.iter().enumerate().filter(|(_, message)| message.role == Role::User) {
            by_id.entry(message.id.as_str()).or_insert(at);
            if let Some(request) = &message.request_id {
                by_request.entry(request.as_str()).or_insert(at);
            }
        }
        Self { by_id, by_request }
    }

    /// The message with which `turn` began.
    fn asked(&self, turn: &TurnOutline) -> Option<usize> {
        let by_id = turn.user_message_id.as_deref().and_then(|id| self.by_id.get(id));
        let by_request = turn.request_id.as_deref().and_then(|request| self.by_request.get(request));
        by_id.into_iter().chain(by_request).min().copied()
    }
}

/// Whether a turn has more messages than the bubbles tell, or answers that they lack. `from_prompt` are the
/// conversation's messages from that on with which the turn began.
fn lacks(turn: &TurnOutline, from_prompt: &[Message]) -> bool {
    let following = from_prompt.iter().skip(1).position(|message| message.role == Role::User);
    let turn_of = &from_prompt[..following.map_or(from_prompt.len(), |at| at + 1)];
    let answers = turn_of.get(1..).unwrap_or_default();
    let is_unanswered = |call: &backscroll_model::ToolCall| {
        call.status == ToolStatus::Completed && call.result.as_ref().is_none_or(Payload::is_hollow)
    };
    answers.len() < turn.steps
        || turn_of.iter().any(|message| message.parts.is_empty())
        || answers.iter().flat_map(Message::tool_calls).any(is_unanswered)
}

/// The model that a turn was routed to, for messages that name none.
fn name_models(outline: &[TurnOutline], conversation: &mut Conversation) {
    let mut places: HashMap<String, usize> = HashMap::new();
    for (at, message) in conversation.messages.iter().enumerate() {
        places.entry(message.id.as_str().to_owned()).or_insert(at);
    }
    for turn in outline.iter().filter(|turn| turn.model.is_some()) {
        let asked = turn.user_message_id.as_deref().and_then(|id| places.get(id));
        let Some(asked) = asked else { continue };
        let following = conversation.messages[asked + 1..].iter_mut().take_while(|m| m.role != Role::User);
        following.filter(|message| message.model.is_none()).for_each(|m| m.model.clone_from(&turn.model));
    }
}
