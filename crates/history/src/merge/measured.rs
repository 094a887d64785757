//! What was measured of a conversation's turns while they went on: tokens and times, given to the messages of the turn.
//!
//! A turn is known by its request, else by when it was asked for, else by its place. What a store has of its own is believed first.

use std::collections::HashMap;
use std::ops::Range;

use backscroll_model::{AtIs, Conversation, Fact, FactOrigin, Message, Moment, RequestFact, Role, Tokens};
use jiff::Timestamp;

use super::conversation::requests_of;

/// A prompt and a hook that ran for it are not further apart, in milliseconds: some stores know a time to the minute.
const APART: i64 = 60_000;

/// Gives messages the tokens and times of their turns, and adds up what no store has.
pub(super) fn add(whole: &mut Conversation) {
    let facts = std::mem::take(&mut whole.facts.requests);
    let mut measured: Vec<&RequestFact> = facts.iter().filter(|fact| is_of_hook(fact)).collect();
    measured.sort_by_key(|fact| fact.asked_at.or(fact.answered_at));
    let is_counted = whole.facts.tokens.is_some();
    let turns = turns(&whole.messages);
    let placed = placed(&measured, &whole.messages, &turns);
    let mut sum: Option<Tokens> = None;
    let mut origin = None;
    for (fact, number) in measured.into_iter().zip(placed) {
        let counts = match number {
            Some(number) => give(&mut whole.messages[turns[number].clone()], fact),
            // The turn is not known; another store may have counted its tokens.
            None => !is_counted,
        };
        if let Some(tokens) = fact.tokens.filter(|_| counts) {
            sum = Some(sum.map_or(tokens, |sum| sum.plus(tokens)));
            origin = origin.or_else(|| fact.origin.clone());
        }
    }
    whole.facts.requests = facts;
    if let Some(sum) = sum {
        whole.facts.tokens = Some(whole.facts.tokens.map_or(sum, |known| known.plus(sum)));
        let noted = origin.filter(|_| !is_counted).map(|origin| FactOrigin {
            fact: Fact::Tokens,
            call: None,
            origin,
        });
        whole.fact_origins.extend(noted);
    }
}

/// The turn that each measurement is of: by its request, else by when it was asked for. Where as many are left as there are turns without
/// any, they are in the same order.
fn placed(measured: &[&RequestFact], messages: &[Message], turns: &[Range<usize>]) -> Vec<Option<usize>> {
    let asked = requests_of(messages);
    let mut by_request: HashMap<&str, usize> = HashMap::new();
    for (number, turn) in turns.iter().enumerate() {
        for request in asked[turn.clone()].iter().flatten() {
            by_request.entry(request).or_insert(number);
        }
    }
    let mut placed: Vec<Option<usize>> =
        measured.iter().map(|fact| by_request.get(fact.request_id.as_str()).copied()).collect();
    let mut taken = vec![false; turns.len()];
    for number in placed.iter().flatten() {
        taken[*number] = true;
    }
    for (fact, place) in measured.iter().zip(&mut placed).filter(|(_, place)| place.is_none()) {
        *place = fact.asked_at.and_then(|at| nearest(messages, turns, &taken, at));
        if let Some(number) = *place {
            taken[number] = true;
        }
    }
    let is_measured =
        |turn: &Range<usize>| messages[turn.clone()].iter().any(|message| message.tokens.is_some());
    let free: Vec<usize> = (0..turns.len()).filter(|at| !taken[*at] && !is_measured(&turns[*at])).collect();
    let mut in_order = placed.clone();
    let left = in_order.iter_mut().filter(|place| place.is_none());
    for (place, turn) in left.zip(&free) {
        *place = Some(*turn);
    }
    let left = placed.iter().filter(|place| place.is_none()).count();
    // They were measured one after the other.
    if left == free.len() && in_order.is_sorted() { in_order } else { placed }
}

fn is_of_hook(fact: &RequestFact) -> bool {
    fact.tokens.is_some() || fact.asked_at.is_some() || fact.answered_at.is_some()
}

/// The turns of a conversation: a prompt and what follows it up to the next one.
fn turns(messages: &[Message]) -> Vec<Range<usize>> {
    let starts: Vec<usize> = messages
        .iter()
        .enumerate()
        .filter(|(_, message)| message.role == Role::User)
        .map(|(at, _)| at)
        .collect();
    let ends = starts.iter().copied().skip(1).chain([messages.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// The turn whose prompt was said about `at`, if its time is known and no other measurement is of it.
fn nearest(messages: &[Message], turns: &[Range<usize>], taken: &[bool], at: Timestamp) -> Option<usize> {
    let apart = |turn: &Range<usize>| {
        let said = messages[turn.start].at;
        let said = said.at.filter(|_| said.is == AtIs::Exact)?;
        Some((said.as_millisecond() - at.as_millisecond()).abs()).filter(|apart| *apart <= APART)
    };
    let free = turns.iter().enumerate().filter(|(number, _)| !taken[*number]);
    free.filter_map(|(number, turn)| Some((apart(turn)?, number))).min().map(|(_, number)| number)
}

/// Gives the messages of a turn what they lack; says whether no store had counted its tokens.
fn give(turn: &mut [Message], fact: &RequestFact) -> bool {
    let is_new = turn.iter().all(|message| message.tokens.is_none());
    if let Some(prompt) = turn.first_mut() {
        date(prompt, fact.asked_at, fact);
    }
    let answer = turn.iter_mut().rev().find(|message| message.role == Role::Assistant);
    if let Some(answer) = answer {
        date(answer, fact.answered_at, fact);
        if is_new && fact.tokens.is_some() {
            answer.tokens = fact.tokens;
            note(answer, Fact::Tokens, fact);
        }
    }
    is_new
}

fn date(message: &mut Message, at: Option<Timestamp>, fact: &RequestFact) {
    if let Some(at) = at.filter(|_| message.at.is != AtIs::Exact) {
        message.at = Moment::exact(at);
        note(message, Fact::Time, fact);
    }
}

fn note(message: &mut Message, what: Fact, fact: &RequestFact) {
    if let Some(origin) = &fact.origin {
        message.note(what, None, origin);
    }
}
