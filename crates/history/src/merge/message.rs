//! What another layer adds to a message that the spine has.

use backscroll_model::{AtIs, Fact, Message, Part, Payload, ToolCall, ToolStatus};

/// Takes over what `message` lacks and `other` knows of it as a whole.
pub(super) fn complete(message: &mut Message, other: &Message) {
    if certainty(other.at.is) < certainty(message.at.is) {
        message.at = other.at;
        message.note(Fact::Time, None, &other.origin);
    }
    if message.model.is_none() && other.model.is_some() {
        message.model.clone_from(&other.model);
        message.note(Fact::Model, None, &other.origin);
    }
    if message.tokens.is_none() && other.tokens.is_some() {
        message.tokens = other.tokens;
        message.note(Fact::Tokens, None, &other.origin);
    }
    if message.request_id.is_none() && other.request_id.is_some() {
        message.request_id.clone_from(&other.request_id);
        message.note(Fact::Request, None, &other.origin);
    }
    message.simulated |= other.simulated;
    if message.origin != other.origin && !message.also.contains(&other.origin) {
        message.also.push(other.origin.clone());
    }
}

/// Gives a listed message whose row is gone what another layer has of it.
pub(super) fn refill(message: &mut Message, from: Message) {
    complete(message, &from);
    message.note(Fact::Text, None, &from.origin);
    message.parts = from.parts;
}

/// The id of the call that a part is.
pub(super) fn call_of(part: &Part) -> Option<String> {
    match part {
        Part::ToolCall(call) => call.id.clone(),
        _ => None,
    }
}

fn certainty(is: AtIs) -> u8 {
    match is {
        AtIs::Exact => 0,
        AtIs::Interpolated => 1,
        AtIs::Conversation => 2,
        AtIs::Unknown => 3,
    }
}

/// Takes over what a piece lacks and the same piece in another layer has; gives what that was.
pub(super) fn complete_part(part: &mut Part, other: &Part) -> Vec<Fact> {
    match (part, other) {
        (Part::ToolCall(call), Part::ToolCall(other)) => return complete_call(call, other),
        (Part::Thinking { text, duration_ms }, Part::Thinking { text: told, duration_ms: took }) => {
            *duration_ms = duration_ms.or(*took);
            if text.is_empty() && !told.is_empty() {
                text.clone_from(told);
                return vec![Fact::Thinking];
            }
        }
        _ => {}
    }
    Vec::new()
}

fn complete_call(call: &mut ToolCall, other: &ToolCall) -> Vec<Fact> {
    let mut taken = Vec::new();
    let hollow = |payload: &Option<Payload>| payload.as_ref().is_none_or(Payload::is_hollow);
    if hollow(&call.arguments) && !hollow(&other.arguments) {
        call.arguments.clone_from(&other.arguments);
        taken.push(Fact::Arguments);
    }
    if hollow(&call.result) && !hollow(&other.result) {
        call.result.clone_from(&other.result);
        taken.push(Fact::Result);
    }
    if call.error.is_none() && other.error.is_some() && !taken.contains(&Fact::Result) {
        taken.push(Fact::Result);
    }
    if call.diff.is_none() && other.diff.is_some() {
        taken.push(Fact::Diff);
    }
    if matches!(call.status, ToolStatus::Unknown) {
        call.status = other.status;
    }
    let texts = [
        (&mut call.id, &other.id),
        (&mut call.error, &other.error),
        (&mut call.decision, &other.decision),
        (&mut call.diff, &other.diff),
        (&mut call.child, &other.child),
    ];
    for (own, told) in texts {
        if own.is_none() {
            own.clone_from(told);
        }
    }
    call.started_at = call.started_at.or(other.started_at);
    call.ended_at = call.ended_at.or(other.ended_at);
    taken
}
