//! A conversation as plain text: no markup, lines as long as they were, nothing in it that a terminal would obey.

use std::io::{self, Write};

use backscroll_model::{Conversation, Message, Part, Role, TodoStatus, ToolCall};

use crate::phrases::{counted, first_words, minute};
use crate::terminal::diff_stat;
use crate::terminal::payload::main_argument;
use crate::text::{cut, one_line, sanitise, width};
use crate::{Detail, Options, Shown};

/// Writes `conversation` as plain text.
pub fn conversation(conversation: &Conversation, look: &Options, mut out: impl Write) -> io::Result<()> {
    let summary = &conversation.summary;
    let title = summary.title.as_deref().map(one_line).filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| "Untitled conversation".to_owned());
    writeln!(out, "{title}\n{}", "=".repeat(width(&title).min(100)))?;
    let workspace = summary.workspace.as_ref().map(|workspace| one_line(&workspace.path));
    let days = summary.created_at.map(|at| time(at, look));
    let facts =
        [workspace, Some(summary.surface.name().to_owned()), summary.mode.as_deref().map(one_line), days];
    let models = summary.models.iter().map(|model| one_line(model));
    writeln!(out, "{}", facts.into_iter().flatten().chain(models).collect::<Vec<_>>().join(" · "))?;
    writeln!(out, "id {}", one_line(summary.id.as_str()))?;
    messages(&conversation.messages, look, &mut out)?;
    if let Some(draft) = conversation.facts.draft.as_deref().filter(|draft| !draft.trim().is_empty()) {
        writeln!(out, "\n── never sent ──")?;
        lines(draft, "", &mut out)?;
    }
    if !conversation.orphans.is_empty() {
        let number = counted(conversation.orphans.len(), "stored message");
        if look.detail.shows_orphans() {
            writeln!(out, "\n── {number} that the conversation does not list ──")?;
            messages(&conversation.orphans, look, &mut out)?;
        } else {
            writeln!(out, "\n({number} that the conversation does not list: see --detail full)")?;
        }
    }
    if look.detail == Detail::Full {
        for finding in &conversation.findings {
            writeln!(out, "\n{}: {}", finding.kind.name(), one_line(&finding.says))?;
        }
    }
    Ok(())
}

fn messages(messages: &[Message], look: &Options, out: &mut impl Write) -> io::Result<()> {
    for Shown { message, has_heading, .. } in look.detail.shown(messages) {
        if has_heading {
            writeln!(out, "\n── {} ──", speaker(message, look))?;
        }
        if look.detail.shows_origins() {
            let origin = &message.origin;
            let place = format!("{} {} {}", origin.layer.name(), origin.file.display(), origin.key);
            writeln!(out, "(from {})", one_line(&place))?;
        }
        for part in message.parts.iter().filter(|part| look.detail.shows_part(part)) {
            write(part, look, out)?;
        }
    }
    Ok(())
}

/// Who speaks, by which model, when.
fn speaker(message: &Message, look: &Options) -> String {
    let who = one_line(&message.speaker());
    let model = message.model.as_deref().filter(|_| message.role == Role::Assistant).map(one_line);
    let at = minute(message.at, &look.time_zone);
    let deleted = message.deleted.then(|| "deleted".to_owned());
    [Some(who), model, at, deleted].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn time(at: jiff::Timestamp, look: &Options) -> String {
    at.to_zoned(look.time_zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// How much of a folded text is shown.
const FOLDED: usize = 160;

/// What stands before the lines of something that belongs to the line above.
const BELOW: &str = "    ";

pub(super) fn write(part: &Part, look: &Options, out: &mut impl Write) -> io::Result<()> {
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
            let is_done = todo.progress() == TodoStatus::Completed;
            writeln!(out, "[{}] {}", if is_done { "x" } else { " " }, one_line(&todo.content))
        }),
    }
}

/// Writes `text` as it is, each line behind `lead`.
pub(super) fn lines(text: &str, lead: &str, out: &mut impl Write) -> io::Result<()> {
    sanitise(text).trim_end().lines().try_for_each(|line| writeln!(out, "{lead}{line}"))
}

fn unfolding(name: &str, text: &str, look: &Options, out: &mut impl Write) -> io::Result<()> {
    if look.detail == Detail::Full {
        writeln!(out, "[{name}]")?;
        return lines(text, BELOW, out);
    }
    writeln!(out, "[{name}: {}]", cut(&first_words(text), FOLDED))
}

fn tool_call(call: &ToolCall, look: &Options, out: &mut impl Write) -> io::Result<()> {
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
