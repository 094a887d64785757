//! A command and what it printed, as it stood in a terminal.

use backscroll_model::{Payload, ToolCall};
use maud::{Markup, html};

use super::stored::{bounded, shown};
use super::{Look, figure, language, payload};

/// Where tools keep the command.
pub(super) const COMMAND: &[&str] = &["command", "cmd"];

/// Where tools keep what it printed.
pub(super) const PRINTED: &[&str] = &["output", "stdout", "contents", "result"];

/// The command of `call`, if it is one.
pub(super) fn command(call: &ToolCall) -> Option<String> {
    match &call.arguments {
        Some(Payload::Text(text)) if !text.trim().is_empty() => Some(text.clone()),
        arguments => payload::field(arguments.as_ref(), COMMAND),
    }
}

/// What it printed: output, then errors.
fn printed(result: &Payload) -> Option<String> {
    if let Payload::Text(text) = result {
        return Some(text.clone()).filter(|text| !text.trim().is_empty());
    }
    let output = payload::field(Some(result), PRINTED);
    let errors = payload::field(Some(result), &["stderr"]);
    match (output, errors) {
        (Some(output), Some(errors)) => Some(format!("{}\n{errors}", output.trim_end())),
        (output, errors) => output.or(errors),
    }
}

/// The command of `call` behind a prompt.
pub(super) fn given(command: &str, look: &Look) -> Markup {
    let inside = html! {
        span.prompt aria-hidden="true" { "$ " }
        (look.highlighting.colour(&shown(command.trim_end()), language::named("bash")))
    };
    figure::block("terminal", &"command", &inside)
}

/// What the command printed; `None` where the answer is shaped in another way.
pub(super) fn answered(result: &Payload, look: &Look) -> Option<Markup> {
    let printed = printed(result)?;
    let (kept, lines) = bounded(printed.trim_end_matches('\n'), look.longest());
    Some(html! {
        (figure::block("terminal", &"output", &html! { (shown(kept)) }))
        (figure::left_out(lines))
    })
}
