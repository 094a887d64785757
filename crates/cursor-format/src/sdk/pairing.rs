//! Which call of a run is which `tool_use` of its transcript.
//!
//! The transcript names no ids. The tool must be the same; the same primary argument is preferred over the same place.

use backscroll_model::{Fact, Message, Origin, Part, ToolCall};

use super::calls::Call;
use super::primary::primary_argument;

/// A call that is still to be found in the transcript.
struct Waiting {
    call: Call,
    primary: Option<String>,
}

/// Completes the calls in `messages` from `calls`, and gives the calls that the messages do not have.
pub(super) fn pair(messages: &mut [Message], calls: Vec<Call>, origin: &Origin) -> Vec<Call> {
    let waiting = calls.into_iter().map(|call| {
        let primary = call.call.arguments.as_ref().and_then(primary_argument);
        Some(Waiting { call, primary })
    });
    let mut waiting: Vec<Option<Waiting>> = waiting.collect();
    for by_argument in [true, false] {
        for message in messages.iter_mut() {
            let mut enriched_from = Vec::new();
            for part in &mut message.parts {
                let Part::ToolCall(told) = part else { continue };
                // A call that already has its answer needs none and takes none away from the others.
                if told.result.is_some() || told.id.is_some() {
                    continue;
                }
                if let Some(found) = take_same(told, &mut waiting, by_argument) {
                    let key = format!("run_events/{}/{}", found.run_id, found.first_seq);
                    enriched_from.push((found.call.id.clone(), origin.with_key(key)));
                    enrich(told, found.call);
                }
            }
            for (call, place) in enriched_from {
                message.note(Fact::Result, call.as_deref(), &place);
                message.also.push(place);
            }
        }
    }
    waiting.into_iter().flatten().map(|left| left.call).collect()
}

fn take_same(told: &ToolCall, waiting: &mut [Option<Waiting>], by_argument: bool) -> Option<Call> {
    let primary = told.arguments.as_ref().and_then(primary_argument);
    if by_argument && primary.is_none() {
        return None;
    }
    let place = waiting.iter().position(|one| {
        one.as_ref()
            .is_some_and(|one| one.call.call.name == told.name && (!by_argument || one.primary == primary))
    })?;
    waiting[place].take().map(|one| one.call)
}

/// The transcript's name and arguments stay; the rest comes from the events.
fn enrich(told: &mut ToolCall, call: ToolCall) {
    told.arguments = told.arguments.take().filter(|given| !given.is_hollow()).or(call.arguments);
    told.diff = call.diff.or(told.diff.take());
    told.id = call.id;
    told.result = call.result;
    told.error = call.error;
    told.status = call.status;
    told.started_at = call.started_at;
    told.ended_at = call.ended_at;
}
