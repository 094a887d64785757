//! What another layer adds to a message that the spine has.

use backscroll_model::{AtIs, Message, Part, Payload, ToolCall, ToolStatus};

/// Takes over what `message` lacks and `other` knows of it as a whole.
pub(super) fn complete(message: &mut Message, other: &Message) {
    if certainty(other.at.is) < certainty(message.at.is) {
        message.at = other.at;
    }
    message.model = message.model.take().or_else(|| other.model.clone());
    message.tokens = message.tokens.or(other.tokens);
    message.request_id = message.request_id.take().or_else(|| other.request_id.clone());
    message.simulated |= other.simulated;
    if message.origin != other.origin && !message.also.contains(&other.origin) {
        message.also.push(other.origin.clone());
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

/// Takes over what a piece lacks and the same piece in another layer has.
pub(super) fn complete_part(part: &mut Part, other: &Part) {
    match (part, other) {
        (Part::ToolCall(call), Part::ToolCall(other)) => complete_call(call, other),
        (Part::Thinking { text, duration_ms }, Part::Thinking { text: told, duration_ms: took }) => {
            *duration_ms = duration_ms.or(*took);
            if text.is_empty() {
                text.clone_from(told);
            }
        }
        _ => {}
    }
}

fn complete_call(call: &mut ToolCall, other: &ToolCall) {
    let hollow = |payload: &Option<Payload>| payload.as_ref().is_none_or(Payload::is_hollow);
    if hollow(&call.arguments) && !hollow(&other.arguments) {
        call.arguments.clone_from(&other.arguments);
    }
    if hollow(&call.result) && !hollow(&other.result) {
        call.result.clone_from(&other.result);
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
}
