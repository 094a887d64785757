//! What unfolds below a tool call: what was changed, what it was given, what it answered.

use backscroll_model::{Payload, ToolCall};
use maud::{Markup, html};

use super::stored::{in_a_line, shown};
use super::{Look, code, diff, payload, shell_output};
use crate::Detail;

/// Where tools keep the content of a file that they read.
const CONTENTS: &[&str] = &["contents", "content", "fileContents", "text"];

/// Everything below the line of `call`.
pub(super) fn body(call: &ToolCall, look: &Look) -> Markup {
    let command = (call.name == "shell").then(|| shell_output::command(call)).flatten();
    html! {
        @if call.raw_name != call.name && !call.raw_name.is_empty() && look.detail == Detail::Full {
            p.note { "stored as " code { (in_a_line(&call.raw_name, 120)) } }
        }
        @if let Some(changed) = &call.diff {
            (diff::captioned(changed, &call.touches().map(|(path, _)| in_a_line(&path, 200)).unwrap_or_default()))
        }
        @if let Some(command) = &command { (shell_output::given(command, look)) }
        @if let Some(arguments) = &call.arguments {
            @if !is_told_already(call, command.as_ref(), look) {
                div.given { (payload::whole("arguments", arguments, &hidden(command.as_ref(), look), look)) }
            }
        }
        @if let Some(error) = &call.error { p.failure { (shown(error)) } }
        @if let Some(result) = &call.result {
            // What an edit answers is the editor's bookkeeping; what it changed stands above.
            @if !result.is_hollow() && (call.diff.is_none() || look.detail == Detail::Full) { div.result { (answer(call, result, look)) } }
        }
    }
}

/// Whether the arguments only repeat the diff or the command; the whole story repeats them all the same.
fn is_told_already(call: &ToolCall, command: Option<&String>, look: &Look) -> bool {
    let is_repeated =
        call.diff.is_some() || command.is_some_and(|_| matches!(call.arguments, Some(Payload::Text(_))));
    is_repeated && look.detail < Detail::Full
}

/// Arguments that stand elsewhere.
fn hidden(command: Option<&String>, look: &Look) -> Vec<&'static str> {
    if command.is_some() { [shell_output::COMMAND, bookkeeping(look)].concat() } else { Vec::new() }
}

/// What the editor notes about a command for itself.
fn bookkeeping(look: &Look) -> &'static [&'static str] {
    if look.detail == Detail::Full { &[] } else { &["notInterrupted", "rejected", "options"] }
}

fn answer(call: &ToolCall, result: &Payload, look: &Look) -> Markup {
    let printed = (call.name == "shell").then(|| shell_output::answered(result, look)).flatten();
    if let Some(printed) = printed {
        let elsewhere = [shell_output::PRINTED, &["stderr"], bookkeeping(look)].concat();
        return html! {
            (printed)
            @if matches!(result, Payload::Json(_)) { (payload::whole("result", result, &elsewhere, look)) }
        };
    }
    let contents = (call.name == "read").then(|| payload::field(Some(result), CONTENTS)).flatten();
    match (contents, result) {
        (Some(contents), _) => html! {
            (code::of_file(call.touches().map(|(path, _)| path).as_deref(), &contents, look))
            (payload::whole("result", result, CONTENTS, look))
        },
        (None, Payload::Text(text)) if call.name == "read" => {
            code::of_file(call.touches().map(|(path, _)| path).as_deref(), text, look)
        }
        (None, result) => payload::whole("result", result, &[], look),
    }
}
