//! What the agent's own account of an editor conversation has that the record and its bubbles lack.
//!
//! A source gives the account's outline first. It is compared here with the record, and only turns that the record lacks
//! are asked for.

use std::collections::HashMap;

use backscroll_model::{
    Finding, FindingKind, Flag, Fragment, Layer, Message, Part, Payload, Role, Sender, ToolCall, ToolStatus,
    TurnOutline,
};

/// Which turns of an account are needed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NeededTurns {
    /// None: the record has them all.
    Nothing,
    /// Those with these numbers.
    Turns(Vec<usize>),
    /// Everything, because the record says too little to compare.
    All,
}

/// What is needed of the account that `outline` is of, beside `record`.
pub(crate) fn wanted(outline: &Fragment, record: Option<&Fragment>) -> NeededTurns {
    let turns = outline.outline.as_deref().unwrap_or_default();
    let Some(record) = record.filter(|record| !record.messages.is_empty()) else { return NeededTurns::All };
    let names_model = record.summary.models.is_empty() && !outline.summary.models.is_empty();
    let is_trouble = |finding: &Finding| finding.kind != FindingKind::Drift;
    if outline.findings.iter().any(is_trouble) || names_model {
        return NeededTurns::All;
    }
    let prompts = Prompts::new(&record.messages);
    let is_lacking =
        |turn: &TurnOutline| prompts.find(turn).is_none_or(|asked| lacks(turn, &record.messages[asked..]));
    let lacking = turns.iter().enumerate().filter(|(_, turn)| is_lacking(turn)).map(|(number, _)| number);
    match lacking.collect::<Vec<usize>>() {
        lacking if lacking.is_empty() => NeededTurns::Nothing,
        lacking => NeededTurns::Turns(lacking),
    }
}

/// Where the user's messages are, by their own ids and by those of their requests; the first of each.
struct Prompts<'a> {
    by_id: HashMap<&'a str, usize>,
    by_request: HashMap<&'a str, usize>,
}

impl<'a> Prompts<'a> {
    fn new(messages: &'a [Message]) -> Self {
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
    fn find(&self, turn: &TurnOutline) -> Option<usize> {
        let by_id = turn.user_message_id.as_deref().and_then(|id| self.by_id.get(id));
        let by_request = turn.request_id.as_deref().and_then(|request| self.by_request.get(request));
        by_id.into_iter().chain(by_request).min().copied()
    }
}

/// Whether a turn has more messages than the record, or answers that the record lacks. `from_prompt` are the record's
/// messages from the one on with which the turn began.
fn lacks(turn: &TurnOutline, from_prompt: &[Message]) -> bool {
    let following = from_prompt.iter().skip(1).position(|message| message.role == Role::User);
    let own = &from_prompt[..following.map_or(from_prompt.len(), |at| at + 1)];
    let answers = own.get(1..).unwrap_or_default();
    let is_unanswered = |call: &ToolCall| {
        call.status == ToolStatus::Completed && call.result.as_ref().is_none_or(Payload::is_hollow)
    };
    answers.len() < turn.steps
        || own.iter().any(|message| message.parts.is_empty())
        || answers.iter().flat_map(Message::tool_calls).any(is_unanswered)
}

/// Makes the fragments of one editor conversation ready for merging: the account's outline names the models of turns, and
/// what it read of system prompts is left out beside a record, which never has any.
pub(super) fn prepare(fragments: &mut [Fragment]) {
    let is_account = |fragment: &Fragment| fragment.layer() == Layer::AgentBlobs;
    let is_record = |fragment: &Fragment| fragment.layer() == Layer::IdeGlobal;
    let is_deleted = |fragment: &Fragment| fragment.summary.flags.contains(&Flag::Deleted);
    let is_gone = fragments.iter().any(|fragment| is_record(fragment) && is_deleted(fragment));
    let mut turns: Vec<TurnOutline> = Vec::new();
    for account in fragments.iter_mut().filter(|fragment| is_account(fragment)) {
        turns.extend(account.outline.take().unwrap_or_default());
        // It was of the record, and is left over with the bubbles.
        if is_gone {
            account.summary.flags.insert(Flag::Deleted);
        }
    }
    let records = fragments.iter_mut().filter(|fragment| is_record(fragment));
    let mut has_messages = false;
    for record in records.filter(|record| !record.messages.is_empty()) {
        has_messages = true;
        name_models(&turns, &mut record.messages);
        name_senders(&turns, &mut record.messages);
    }
    if has_messages {
        fragments.iter_mut().filter(|fragment| is_account(fragment)).for_each(leave_out_system_prompts);
    }
}

/// The model that a turn was routed to, for messages that name none.
fn name_models(turns: &[TurnOutline], messages: &mut [Message]) {
    let mut places: HashMap<String, usize> = HashMap::new();
    for (at, message) in messages.iter().enumerate() {
        places.entry(message.id.as_str().to_owned()).or_insert(at);
    }
    for turn in turns.iter().filter(|turn| turn.model.is_some()) {
        let asked = turn.user_message_id.as_deref().and_then(|id| places.get(id));
        let Some(asked) = asked else { continue };
        let following = messages[asked + 1..].iter_mut().take_while(|message| message.role != Role::User);
        for message in following.filter(|message| message.model.is_none()) {
            message.model.clone_from(&turn.model);
        }
    }
}

/// Who wrote what the user was said to ask, and what hooks added to it.
fn name_senders(turns: &[TurnOutline], messages: &mut [Message]) {
    let known = turns.iter().filter(|turn| turn.sender.is_some() || !turn.context.is_empty());
    let mut turns: HashMap<&str, &TurnOutline> =
        known.filter_map(|turn| Some((turn.user_message_id.as_deref()?, turn))).collect();
    for message in messages.iter_mut().filter(|message| message.role == Role::User) {
        let Some(turn) = turns.remove(message.id.as_str()) else { continue };
        message.sender = Sender::merged(message.sender.take(), turn.sender.clone());
        let added = turn.context.iter().map(|context| Part::Attachment(Box::new(context.clone())));
        let new: Vec<Part> = added.filter(|part| !message.parts.contains(part)).collect();
        message.parts.extend(new);
    }
}

/// Bubbles never hold what the editor wrote before a turn. If the account's were shown where it happens to be read, a
/// message more or less would depend on whether some answer was pruned.
fn leave_out_system_prompts(fragment: &mut Fragment) {
    let is_prompt = |message: &Message| message.role == Role::System;
    for prompt in fragment.messages.iter().filter(|message| is_prompt(message)) {
        let coverage = &mut fragment.coverage;
        coverage.listed = coverage.listed.saturating_sub(1);
        let account = if prompt.parts.is_empty() { &mut coverage.empty } else { &mut coverage.read };
        *account = account.saturating_sub(1);
    }
    fragment.messages.retain(|message| !is_prompt(message));
}
