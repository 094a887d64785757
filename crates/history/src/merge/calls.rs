//! What one layer adds to a call of a tool that another layer has.

use backscroll_model::{Fact, Layer, Payload, ToolCall, ToolStatus};

fn is_hollow(payload: Option<&Payload>) -> bool {
    payload.is_none_or(Payload::is_hollow)
}

/// What was taken over from another layer, and whether both say something different of how the call ended.
#[derive(Debug, Default)]
pub(super) struct Completed {
    pub(super) taken: Vec<Fact>,
    pub(super) contradicts: bool,
}

/// Takes over what `call` lacks and `other` has. How a call ended is taken as a whole, never the result of one layer with
/// the error of another.
pub(super) fn complete(call: &mut ToolCall, other: &ToolCall, layer: Layer) -> Completed {
    let mut done = Completed::default();
    // Events know that a call was stopped with its run; what the blobs hold then was written for the model afterwards.
    if layer == Layer::SdkIndex
        && other.status == ToolStatus::Cancelled
        && call.status != ToolStatus::Completed
    {
        call.status = ToolStatus::Cancelled;
    }
    if is_hollow(call.arguments.as_ref()) && !is_hollow(other.arguments.as_ref()) {
        call.arguments.clone_from(&other.arguments);
        done.taken.push(Fact::Arguments);
    }
    done.contradicts =
        matches!((success(call), success(other)), (Some(mine), Some(theirs)) if mine != theirs);
    if !done.contradicts {
        complete_outcome(call, other, &mut done.taken);
    }
    let texts =
        [(&mut call.id, &other.id), (&mut call.decision, &other.decision), (&mut call.child, &other.child)];
    for (own, theirs) in texts {
        if own.is_none() {
            own.clone_from(theirs);
        }
    }
    if call.notes.is_empty() {
        call.notes.clone_from(&other.notes);
    }
    call.started_at = call.started_at.or(other.started_at);
    call.ended_at = call.ended_at.or(other.ended_at);
    done
}

fn complete_outcome(call: &mut ToolCall, other: &ToolCall, taken: &mut Vec<Fact>) {
    if is_hollow(call.result.as_ref()) && !is_hollow(other.result.as_ref()) {
        call.result.clone_from(&other.result);
        taken.push(Fact::Result);
    }
    if call.error.is_none() && other.error.is_some() {
        call.error.clone_from(&other.error);
        if !taken.contains(&Fact::Result) {
            taken.push(Fact::Result);
        }
    }
    if call.diff.is_none() && other.diff.is_some() {
        call.diff.clone_from(&other.diff);
        taken.push(Fact::Diff);
    }
    if call.status == ToolStatus::Unknown {
        call.status = other.status;
    }
}

/// Whether a call succeeded; `None` if nothing says so.
fn success(call: &ToolCall) -> Option<bool> {
    if call.error.is_some() || call.status == ToolStatus::Error {
        return Some(false);
    }
    (call.status == ToolStatus::Completed || !is_hollow(call.result.as_ref())).then_some(true)
}
