//! Tool calls: one line each, which unfolds.

use backscroll_model::{ToolCall, ToolStatus};
use maud::{Markup, html};

use super::stored::in_a_line;
use super::{Look, diff, tool_body};
use crate::terminal::folded::duration;
use crate::terminal::payload::main_argument;
use crate::text::status_sign;

/// A change of at most this many lines stands open.
const SHORT_DIFF: usize = 30;

/// One use of a tool: its line, and all that is known of it below.
pub fn tool_call(call: &ToolCall, look: &Look) -> Markup {
    let is_open = call
        .diff
        .as_deref()
        .is_some_and(|changed| changed.lines().take(SHORT_DIFF + 1).count() <= SHORT_DIFF);
    html! {
        details.part.tool data-status=(call.status.name()) open[is_open] {
            summary { (line(call, look)) }
            div.inside {
                // A link does not stand in what unfolds: one click cannot mean two things.
                @if let Some(child) = &call.child { p.started { "Started " (child_link(child, look)) } }
                (tool_body::body(call, look))
            }
        }
    }
}

fn line(call: &ToolCall, look: &Look) -> Markup {
    let name = if call.name.is_empty() { &call.raw_name } else { &call.name };
    let argument = call.arguments.as_ref().and_then(main_argument);
    html! {
        (status(call.status))
        span.name { (in_a_line(name, 80)) }
        @if let Some(argument) = argument { " " code.argument { (in_a_line(&argument, 240)) } }
        span.besides {
            @if let Some(changed) = &call.diff { " " (diff::stat(changed)) }
            @if let Some(took) = took(call) { " " span.took { (took) } }
            @if let Some(decision) = &call.decision { " " span.tag { (in_a_line(decision, 40)) } }
            @if let Some(child) = &call.child { " " span.child { "→ " (look.called(child)) } }
        }
        @if let Some(error) = &call.error { " " span.failure { (in_a_line(error, 120)) } }
    }
}

/// A sign for the eye, a word for those who listen.
fn status(status: ToolStatus) -> Markup {
    let sign = status_sign(status);
    html! { span.status title=(status.name()) { span aria-hidden="true" { (sign) } span.spoken { (status.name()) " " } } }
}

fn took(call: &ToolCall) -> Option<String> {
    let milliseconds = call.ended_at?.as_millisecond().checked_sub(call.started_at?.as_millisecond())?;
    u64::try_from(milliseconds).ok().map(duration)
}

fn child_link(child: &str, look: &Look) -> Markup {
    html! {
        @if let Some(address) = look.links.get(child) {
            a.child href=(address) { "→ " (look.called(child)) }
        } @else {
            span.child { "→ " (look.called(child)) }
        }
    }
}
