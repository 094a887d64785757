//! Tool calls: one line that says what was done and how it went, and what unfolds below it.

use backscroll_model::{Payload, ToolCall, ToolStatus, argument};
use maud::{Markup, html};
use syntect::parsing::SyntaxReference;

use super::stored::{bounded, in_a_line, shown};
use super::{Look, code};
use crate::Detail;
use crate::phrases::took;
use crate::terminal::payload::{Fields, fields, main_argument, readable};
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
                @for note in &call.notes { p.note { (shown(note)) } }
                (body(call, look))
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
            @if let Some(changed) = &call.diff { " " (code::stat(changed)) }
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

fn child_link(child: &str, look: &Look) -> Markup {
    html! {
        @if let Some(address) = look.options.links.get(child) {
            a.child href=(address) { "→ " (look.called(child)) }
        } @else {
            span.child { "→ " (look.called(child)) }
        }
    }
}

/// Where tools keep the content of a file that they read.
const CONTENTS: &[&str] = &["contents", "content", "fileContents", "text"];

pub(super) fn body(call: &ToolCall, look: &Look) -> Markup {
    let command = (call.name == "shell").then(|| command(call)).flatten();
    html! {
        @if call.raw_name != call.name && !call.raw_name.is_empty() && look.options.detail == Detail::Full {
            p.note { "stored as " code { (in_a_line(&call.raw_name, 120)) } }
        }
        @if let Some(changed) = &call.diff {
            (code::captioned(changed, &call.touches().map(|(path, _)| in_a_line(&path, 200)).unwrap_or_default()))
        }
        @if let Some(command) = &command { (given(command, look)) }
        @if let Some(arguments) = &call.arguments {
            @if !is_told_already(call, command.as_ref(), look) {
                div.given { (whole("arguments", arguments, &hidden(command.as_ref(), look), look)) }
            }
        }
        @if let Some(error) = &call.error { p.failure { (shown(error)) } }
        @if let Some(result) = &call.result {
            // What an edit answers is the editor's bookkeeping; what it changed stands above.
            @if !result.is_hollow() && (call.diff.is_none() || look.options.detail == Detail::Full) { div.result { (answer(call, result, look)) } }
        }
    }
}

/// Whether the arguments only repeat the diff or the command; the whole story repeats them all the same.
fn is_told_already(call: &ToolCall, command: Option<&String>, look: &Look) -> bool {
    let is_repeated =
        call.diff.is_some() || command.is_some_and(|_| matches!(call.arguments, Some(Payload::Text(_))));
    is_repeated && look.options.detail < Detail::Full
}

/// Arguments that stand elsewhere.
fn hidden(command: Option<&String>, look: &Look) -> Vec<&'static str> {
    if command.is_some() { [argument::COMMAND, bookkeeping(look)].concat() } else { Vec::new() }
}

/// What the editor notes about a command for itself.
fn bookkeeping(look: &Look) -> &'static [&'static str] {
    if look.options.detail == Detail::Full { &[] } else { &["notInterrupted", "rejected", "options"] }
}

fn answer(call: &ToolCall, result: &Payload, look: &Look) -> Markup {
    let printed = (call.name == "shell").then(|| answered(result, look)).flatten();
    if let Some(printed) = printed {
        let elsewhere = [PRINTED, &["stderr"], bookkeeping(look)].concat();
        return html! {
            (printed)
            @if matches!(result, Payload::Json(_)) { (whole("result", result, &elsewhere, look)) }
        };
    }
    let contents = (call.name == "read").then(|| field(Some(result), CONTENTS)).flatten();
    match (contents, result) {
        (Some(contents), _) => html! {
            (code::of_file(call.touches().map(|(path, _)| path).as_deref(), &contents, look))
            (whole("result", result, CONTENTS, look))
        },
        (None, Payload::Text(text)) if call.name == "read" => {
            code::of_file(call.touches().map(|(path, _)| path).as_deref(), text, look)
        }
        (None, result) => whole("result", result, &[], look),
    }
}

/// Where tools keep what it printed.
const PRINTED: &[&str] = &["output", "stdout", "contents", "result"];

pub(super) fn command(call: &ToolCall) -> Option<String> {
    match &call.arguments {
        Some(Payload::Text(text)) if !text.trim().is_empty() => Some(text.clone()),
        arguments => field(arguments.as_ref(), argument::COMMAND),
    }
}

/// What it printed: output, then errors.
fn printed(result: &Payload) -> Option<String> {
    if let Payload::Text(text) = result {
        return Some(text.clone()).filter(|text| !text.trim().is_empty());
    }
    let output = field(Some(result), PRINTED);
    let errors = field(Some(result), &["stderr"]);
    match (output, errors) {
        (Some(output), Some(errors)) => Some(format!("{}\n{errors}", output.trim_end())),
        (output, errors) => output.or(errors),
    }
}

/// The command of `call` behind a prompt.
pub(super) fn given(command: &str, look: &Look) -> Markup {
    let inside = html! {
        span.prompt aria-hidden="true" { "$ " }
        (look.highlighting.colour(&shown(command.trim_end()), code::language_named("bash")))
    };
    code::block("terminal", &"command", &inside)
}

/// What the command printed; `None` where the answer is shaped in another way.
pub(super) fn answered(result: &Payload, look: &Look) -> Option<Markup> {
    let printed = printed(result)?;
    let (kept, lines) = bounded(printed.trim_end_matches('\n'), look.longest());
    Some(html! {
        (code::block("terminal", &"output", &html! { (shown(kept)) }))
        (code::left_out(lines))
    })
}

/// All of `payload` under `name`, without the fields that are shown elsewhere.
pub(super) fn whole(name: &'static str, payload: &Payload, without: &[&str], look: &Look) -> Markup {
    let Some(Fields(mut fields)) = fields(payload) else {
        return html! { @if !payload.is_hollow() { (payload_text(name, payload.as_str(), None, look)) } };
    };
    fields.retain(|(key, value)| {
        !without.contains(&key.as_str()) && !matches!(value.get(), "null" | "\"\"" | "[]" | "{}")
    });
    let (long, short): (Vec<_>, Vec<_>) =
        fields.into_iter().map(|(key, value)| (key, readable(value))).partition(|(_, text)| is_long(text));
    html! {
        @if !short.is_empty() {
            dl.fields {
                @for (key, value) in &short {
                    div { dt { (in_a_line(key, 80)) } dd { (shown(value)) } }
                }
            }
        }
        @for (key, value) in &long {
            (payload_text(&in_a_line(key, 80), value, payload_json(value), look))
        }
    }
}

pub(super) fn payload_text(name: &str, text: &str, syntax: Option<&SyntaxReference>, look: &Look) -> Markup {
    let (kept, lines) = bounded(text, look.longest());
    html! {
        (code::block("output", &name, &look.highlighting.colour(&shown(kept), syntax)))
        (code::left_out(lines))
    }
}

/// The field of `payload` that is called one of `names`, if it is text with anything in it.
pub(super) fn field(payload: Option<&Payload>, names: &[&str]) -> Option<String> {
    let fields = payload?.text_fields();
    let found = names.iter().find_map(|name| fields.iter().find(|(key, _)| key == name));
    found.map(|(_, text)| text.clone()).filter(|text| !text.trim().is_empty())
}

fn is_long(text: &str) -> bool {
    text.len() > 160 || text.trim_end().contains('\n')
}

fn payload_json(text: &str) -> Option<&'static SyntaxReference> {
    code::language_named("json").filter(|_| text.starts_with(['{', '[']))
}
