//! Turns that the prompt no longer holds, because it was summed up, become messages of their own.

use backscroll_model::{Message, Moment, Part, Role};

use super::align::{once, take_user};
use super::assemble::Draft;
use super::graph::Graph;
use super::step::Step;
use super::told::{Told, ToldStep};

/// Puts the messages of turns that no draft tells where they belong.
pub(super) fn insert(drafts: &mut Vec<Draft>, turns: &mut [Told<'_>], graph: &mut Graph<'_>) {
    let mut position = drafts.len();
    let mut first = vec![None; turns.len()];
    for (place, draft) in drafts.iter().enumerate() {
        if let Some(turn) = draft.turn {
            first[turn].get_or_insert(place);
        }
    }
    let mut pieces: Vec<(usize, Vec<Draft>)> = Vec::new();
    for (number, turn) in turns.iter_mut().enumerate().rev() {
        position = first[number].map_or(position, |place: usize| place.min(position));
        if turn.is_matched {
            continue;
        }
        // The summary stands for what comes before it.
        while position > 0 && drafts[position - 1].is_summary {
            position -= 1;
        }
        pieces.push((position, told(number, turn, graph)));
    }
    if pieces.is_empty() {
        return;
    }
    // From front to back; turns were visited from the last to the first.
    let mut old = std::mem::take(drafts).into_iter();
    let mut taken = 0;
    for (position, piece) in pieces.into_iter().rev() {
        drafts.extend(old.by_ref().take(position.saturating_sub(taken)));
        taken = taken.max(position);
        drafts.extend(piece);
    }
    drafts.extend(old);
}

/// The messages of a turn, up to the first step that a draft tells.
pub(super) fn told(number: usize, turn: &mut Told<'_>, graph: &mut Graph<'_>) -> Vec<Draft> {
    let mut messages = Vec::new();
    if let Some((user, blob)) = &turn.user {
        let origin = graph.origin_of(*blob);
        let mut message = Message::new(short(&origin.key), Role::User, origin);
        if !user.text.is_empty() {
            message.parts.push(Part::Text(user.text.clone()));
        }
        take_user(&mut message, user);
        messages.push(message);
    }
    let untold = turn.steps.iter().take_while(|step| !step.is_used.get());
    messages.extend(spoken(untold, graph));
    messages.into_iter().map(|message| of_turn(message, number, turn)).collect()
}

/// The message as one of this turn.
pub(super) fn of_turn(mut message: Message, number: usize, turn: &Told<'_>) -> Draft {
    message.request_id.clone_from(&turn.request_id);
    message.model.clone_from(&turn.model);
    let mut draft = Draft::new(message);
    draft.turn = Some(number);
    draft
}

/// The assistant's messages that these steps make up.
pub(super) fn spoken<'a>(
    steps: impl Iterator<Item = &'a ToldStep<'a>>,
    graph: &mut Graph<'_>,
) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    for step in steps {
        // Words or a thought after a tool begin the next message.
        let begins = !matches!(step.step, Step::Called(_)) && ends_with_call(messages.last());
        if messages.is_empty() || begins {
            let origin = graph.origin_of(step.blob);
            messages.push(Message::new(short(&origin.key), Role::Assistant, origin));
        }
        if let Some(message) = messages.last_mut() {
            add(message, step, graph);
        }
    }
    messages
}

fn add(message: &mut Message, step: &ToldStep<'_>, graph: &mut Graph<'_>) {
    if message.at.at.is_none() {
        message.at = Moment::exact_or_unknown(step.step.at());
    }
    message.parts.push(match &step.step {
        Step::Said { text, .. } => Part::Text(text.clone().into_owned()),
        Step::Called(call) => Part::ToolCall(Box::new(step.whole(call, graph))),
        Step::Thought { text, duration_ms, .. } => {
            Part::Thinking { text: once(text).to_owned(), duration_ms: *duration_ms }
        }
    });
}

fn ends_with_call(message: Option<&Message>) -> bool {
    message.is_some_and(|message| matches!(message.parts.last(), Some(Part::ToolCall(_))))
}

/// The first digits of the blob's id.
pub(super) fn short(key: &str) -> String {
    let id = key.rsplit(':').next().unwrap_or(key);
    id.chars().take(16).collect()
}
