//! The parts of a message as lines of text.

use std::io::{self, Write};

use backscroll_model::{Part, ToolCall};

use super::Look;
use crate::Detail;
use crate::terminal::diff_stat;
use crate::terminal::folded::first_words;
use crate::terminal::payload::main_argument;
use crate::text::{cut, one_line, sanitise};

/// How much of a folded text is told.
const FOLDED: usize = 160;

/// What stands before the lines of something that belongs to the line above.
const BELOW: &str = "    ";

/// Writes one part.
pub(super) fn write(part: &Part, look: &Look, out: &mut impl Write) -> io::Result<()> {
    match part {
        Part::Text(text) => lines(text, "", out),
        Part::Thinking { text, .. } => unfolding("thought", text, look, out),
        Part::Summary(text) => unfolding("summary of what was said before", text, look, out),
        Part::ToolCall(call) => tool_call(call, look, out),
        Part::Image(image) => {
            let told = image.path.as_deref().or(image.description.as_deref()).map(one_line);
            writeln!(out, "[image {}]", told.unwrap_or_default())
        }
        Part::Attachment(attached) => {
            let told = [&attached.path, &attached.title].into_iter().flatten().map(|text| one_line(text));
            writeln!(out, "[{} {}]", attached.kind.name(), told.collect::<Vec<_>>().join(" "))?;
            match attached.text.as_deref().filter(|_| look.detail == Detail::Full) {
                Some(text) => lines(text, BELOW, out),
                None => Ok(()),
            }
        }
        Part::Code(code) => {
            writeln!(out, "[code {}]", code.path.as_deref().map(one_line).unwrap_or_default())?;
            lines(code.diff.as_deref().unwrap_or(&code.text), BELOW, out)
        }
        Part::Error(text) => writeln!(out, "[error: {}]", one_line(text)),
        Part::Todos(todos) => todos.iter().try_for_each(|todo| {
            let is_done = matches!(todo.status.as_deref(), Some("completed" | "done"));
            writeln!(out, "[{}] {}", if is_done { "x" } else { " " }, one_line(&todo.content))
        }),
    }
}

/// Writes `text` as it is, each line behind `lead`.
pub(super) fn lines(text: &str, lead: &str, out: &mut impl Write) -> io::Result<()> {
    sanitise(text).trim_end().lines().try_for_each(|line| writeln!(out, "{lead}{line}"))
}

fn unfolding(name: &str, text: &str, look: &Look, out: &mut impl Write) -> io::Result<()> {
    if look.detail == Detail::Full {
        writeln!(out, "[{name}]")?;
        return lines(text, BELOW, out);
    }
    writeln!(out, "[{name}: {}]", cut(&first_words(text), FOLDED))
}

fn tool_call(call: &ToolCall, look: &Look, out: &mut impl Write) -> io::Result<()> {
    let name = one_line(if call.name.is_empty() { &call.raw_name } else { &call.name });
    let argument =
        call.arguments.as_ref().and_then(main_argument).map(|text| format!(" {}", cut(&text, FOLDED)));
    let stat = call.diff.as_deref().map(diff_stat).map(|stat| format!(" {stat}"));
    let error = call.error.as_deref().map(|error| format!(" — {}", cut(&first_words(error), FOLDED)));
    let besides = [argument, stat, error].into_iter().flatten().collect::<String>();
    writeln!(out, "[{} {name}{besides}]", call.status.name())?;
    if look.detail == Detail::Full {
        for payload in
            [&call.arguments, &call.result].into_iter().flatten().filter(|payload| !payload.is_hollow())
        {
            lines(payload.as_str(), BELOW, out)?;
        }
    }
    call.diff.as_deref().map_or(Ok(()), |diff| lines(diff, BELOW, out))
}
