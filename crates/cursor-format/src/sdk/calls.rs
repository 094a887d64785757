//! Tool calls out of events: several events tell of one call, the last one tells how it ended.

use std::collections::HashMap;

use backscroll_model::{Payload, ToolCall, ToolStatus};

use super::event::{CallEvent, Event, SdkMessage};
use super::outcome;
use crate::call_name::call_name;
use crate::edit_diff;

/// One call of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The run it belongs to.
    pub run_id: String,
    /// The event that told of it first.
    pub first_seq: i64,
    /// The call.
    pub call: ToolCall,
    /// The answer as text: what the model was shown.
    pub output: String,
    /// The SDK cut its arguments or its result.
    pub is_truncated: bool,
}

/// The calls that `events` tell of, in the order in which they were told of first.
pub fn collapse<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut places: HashMap<(&str, &str), usize> = HashMap::new();
    for event in events {
        let SdkMessage::ToolCall(told) = &event.says else {
            continue;
        };
        let id = told.call_id.as_deref();
        let known = id.and_then(|id| places.get(&(event.run_id.as_str(), id)).copied());
        let place = known.unwrap_or_else(|| {
            calls.push(begun(event, told));
            calls.len() - 1
        });
        if let Some(id) = id {
            places.insert((&event.run_id, id), place);
        }
        tell(&mut calls[place], event, told);
    }
    calls
}

fn begun(event: &Event, told: &CallEvent) -> Call {
    Call {
        run_id: event.run_id.clone(),
        first_seq: event.seq,
        call: ToolCall { id: told.call_id.clone(), started_at: event.at, ..ToolCall::default() },
        output: String::new(),
        is_truncated: false,
    }
}

fn tell(known: &mut Call, event: &Event, told: &CallEvent) {
    let call = &mut known.call;
    if !told.name.is_empty() {
        call.raw_name.clone_from(&told.name);
    }
    if let Some(arguments) =
        told.arguments.as_ref().filter(|given| !given.is_hollow() || call.arguments.is_none())
    {
        call.arguments = Some(arguments.clone());
    }
    call.name = call_name(&call.raw_name, None, call.arguments.as_ref());
    known.is_truncated |= told.is_truncated;
    call.status = status(&told.status);
    if matches!(call.status, ToolStatus::Running | ToolStatus::Pending) {
        return;
    }
    call.ended_at = event.at;
    let outcome = outcome::unwrap(told.result.as_ref());
    if outcome.is_error {
        call.status = ToolStatus::Error;
    }
    if call.status == ToolStatus::Error {
        call.error = Some(outcome.output.clone()).filter(|reason| !reason.is_empty());
    }
    let from_arguments = || edit_diff::from_arguments(&call.name, call.arguments.as_ref()?);
    call.diff = outcome.diff.or_else(from_arguments);
    call.result = outcome.value.filter(|value| *value != Payload::Text(String::new()));
    known.output = outcome.output;
}

/// The status that a word of the SDK names.
fn status(word: &str) -> ToolStatus {
    match word.to_ascii_lowercase().as_str() {
        "completed" | "success" | "finished" => ToolStatus::Completed,
        "error" | "failed" => ToolStatus::Error,
        "running" | "started" => ToolStatus::Running,
        "pending" | "queued" => ToolStatus::Pending,
        "cancelled" | "canceled" | "rejected" => ToolStatus::Cancelled,
        _ => ToolStatus::Unknown,
    }
}
