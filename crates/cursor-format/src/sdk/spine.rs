//! The messages of an agent: along its transcript where there is one, else out of the events of its runs.

use std::collections::{HashMap, HashSet};

use backscroll_model::{AtIs, Fact, Message, Moment, Origin, Part, Role, ToolCall};

use super::calls::Call;
use super::event::{CallEvent, Event, SdkMessage};
use super::run::Run;
use super::{lacking, pairing};
use crate::call_name::call_name;
use crate::user_text;

/// What is known of one run: the run, its events and its calls.
pub(super) struct Told<'a> {
    pub(super) run: &'a Run,
    pub(super) events: Vec<&'a Event>,
    pub(super) calls: Vec<Call>,
}

/// The transcript's messages, each prompt with its run, completed; runs without a prompt stand at the end.
pub(super) fn along(transcript: Vec<Message>, told: Vec<Told<'_>>, origin: &Origin) -> Vec<Message> {
    let mut turns: Vec<Vec<Message>> = vec![Vec::new()];
    for message in transcript {
        if message.role == Role::User && !message.simulated && !message.parts.is_empty() {
            turns.push(Vec::new());
        }
        if let Some(turn) = turns.last_mut() {
            turn.push(message);
        }
    }
    let mut turns = turns.into_iter();
    // What stands before the first prompt belongs to no run.
    let mut messages = turns.next().unwrap_or_default();
    let mut turns: Vec<Vec<Message>> = turns.collect();
    let mut told = told.into_iter();
    let runs: Vec<Told<'_>> = told.by_ref().take(turns.len()).collect();
    // A run may have gone on over several prompts: turns without a run of their own are looked through, too.
    let (with_run, without_run) = turns.split_at_mut(runs.len());
    for (turn, told) in with_run.iter_mut().zip(runs) {
        let mut left = pairing::pair(turn, told.calls, origin);
        for other in without_run.iter_mut() {
            left = pairing::pair(other, left, origin);
        }
        lacking::bring(turn, without_run, told.run, &told.events, origin);
        add_missing(turn, left, told.run, origin);
        complete(turn, told.run, &told.events, origin);
    }
    messages.extend(turns.into_iter().flatten());
    for told in told {
        messages.extend(out_of_events(told, origin));
    }
    messages
}

/// The messages that the events of one run tell.
pub(super) fn out_of_events(told: Told<'_>, origin: &Origin) -> Vec<Message> {
    let key = |seq: i64| origin.with_key(format!("run_events/{}/{seq}", told.run.run_id));
    let id = |seq: i64| format!("{}:{seq}", told.run.run_id);
    let known: HashSet<String> = told.calls.iter().filter_map(|call| call.call.id.clone()).collect();
    let mut calls: HashMap<i64, ToolCall> =
        told.calls.into_iter().map(|call| (call.first_seq, call.call)).collect();
    let mut messages: Vec<Message> = Vec::new();
    for event in &told.events {
        if let SdkMessage::User(text) = &event.says {
            let user = user_text::unwrap(text);
            let role = if user.is_context { Role::System } else { Role::User };
            let mut message = Message::new(id(event.seq), role, key(event.seq));
            message.at = Moment::exact_or_unknown(user.at.or(event.at));
            message.parts = user.into_parts();
            messages.push(message);
            continue;
        }
        let parts = parts(event, &known, &mut calls);
        if parts.is_empty() {
            continue;
        }
        if messages.last().is_none_or(|last| last.role != Role::Assistant) {
            let mut message = Message::new(id(event.seq), Role::Assistant, key(event.seq));
            message.at = Moment::exact_or_unknown(event.at);
            messages.push(message);
        }
        if let Some(message) = messages.last_mut() {
            for part in parts {
                append(&mut message.parts, part);
            }
        }
    }
    let has_words =
        messages.iter().any(|message| message.role == Role::Assistant && !message.text().is_empty());
    if let Some(result) = told.run.result.clone().filter(|_| !has_words) {
        let place = origin.with_key(format!("runs/{}", told.run.run_id));
        let mut message = Message::new(format!("{}:result", told.run.run_id), Role::Assistant, place);
        message.parts.push(Part::Text(result));
        messages.push(message);
    }
    complete(&mut messages, told.run, &told.events, origin);
    messages
}

fn parts(event: &Event, known: &HashSet<String>, calls: &mut HashMap<i64, ToolCall>) -> Vec<Part> {
    match &event.says {
        SdkMessage::Assistant { texts, calls: named } => {
            let words = texts.iter().filter(|text| !text.is_empty()).cloned().map(Part::Text);
            // Calls have events of their own; one that has none is known from here alone.
            let untold =
                named.iter().filter(|call| call.call_id.as_ref().is_none_or(|id| !known.contains(id)));
            words.chain(untold.map(|call| Part::ToolCall(Box::new(named_only(call))))).collect()
        }
        SdkMessage::Thinking { text, duration_ms } if !text.is_empty() => {
            vec![Part::Thinking { text: text.clone(), duration_ms: *duration_ms }]
        }
        SdkMessage::ToolCall(_) => {
            calls.remove(&event.seq).map(|call| Part::ToolCall(Box::new(call))).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn named_only(call: &CallEvent) -> ToolCall {
    ToolCall {
        id: call.call_id.clone(),
        name: call_name(&call.name, None, call.arguments.as_ref()),
        raw_name: call.name.clone(),
        arguments: call.arguments.clone(),
        ..ToolCall::default()
    }
}

/// Words and thoughts arrive in pieces: pieces that follow each other are one.
fn append(parts: &mut Vec<Part>, part: Part) {
    match (parts.last_mut(), part) {
        (Some(Part::Text(before)), Part::Text(text)) => before.push_str(&text),
        (Some(Part::Thinking { text: before, duration_ms: known }), Part::Thinking { text, duration_ms }) => {
            before.push_str(&text);
            *known = duration_ms.or(*known);
        }
        (_, part) => parts.push(part),
    }
}

/// Adds the calls that the transcript lacks after what the agent said.
fn add_missing(turn: &mut Vec<Message>, calls: Vec<Call>, run: &Run, origin: &Origin) {
    if calls.is_empty() {
        return;
    }
    if turn.last().is_none_or(|last| last.role != Role::Assistant) {
        let place = origin.with_key(format!("runs/{}", run.run_id));
        turn.push(Message::new(format!("{}:calls", run.run_id), Role::Assistant, place));
    }
    if let Some(last) = turn.last_mut() {
        let parts = calls.into_iter().map(|call| Part::ToolCall(Box::new(call.call)));
        last.parts.extend(parts);
    }
}

/// Gives the messages of one run what the run knows: model, request, times, tokens, the reason why it failed.
fn complete(turn: &mut [Message], run: &Run, events: &[&Event], origin: &Origin) {
    let place = origin.with_key(format!("runs/{}", run.run_id));
    // The last words were spoken when the run ended.
    if let Some(last) = turn.last_mut().filter(|last| last.role == Role::Assistant) {
        if last.at.at.is_none() && run.finished_at.is_some() {
            last.at = Moment::exact_or_unknown(run.finished_at);
            last.note(Fact::Time, None, &place);
        }
        if let (None, Some(usage)) = (last.tokens, run.usage) {
            last.tokens = Some(usage.tokens());
            last.note(Fact::Tokens, None, &place);
        }
    }
    for message in turn.iter_mut() {
        if message.request_id.is_none() && run.request_id.is_some() {
            message.request_id.clone_from(&run.request_id);
            message.note(Fact::Request, None, &place);
        }
        if message.model.is_none() && run.model.is_some() {
            message.model.clone_from(&run.model);
            message.note(Fact::Model, None, &place);
        }
        if message.at.at.is_some() {
            continue;
        }
        if message.role == Role::User && run.began_at().is_some() {
            message.note(Fact::Time, None, &place);
        }
        let first_call = message.tool_calls().find_map(|call| call.started_at);
        message.at = match (message.role, first_call) {
            (Role::User, _) => Moment::exact_or_unknown(run.began_at()),
            (_, Some(at)) => Moment { at: Some(at), is: AtIs::Interpolated },
            _ => Moment::default(),
        };
    }
    let failed = events.iter().rev().find_map(|event| match &event.says {
        SdkMessage::Failed(reason) => Some(reason.clone()),
        _ => None,
    });
    let Some(last) = turn.last_mut() else { return };
    if let Some(reason) = run.error.clone().or(failed) {
        last.parts.push(Part::Error(reason));
        last.also.push(place);
    }
}
