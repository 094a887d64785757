//! What a step is, in a few words: the line below the player's buttons.

use backscroll_model::{Part, ToolCall};

use crate::terminal::payload::main_argument;
use crate::text::{cut, one_line};

/// Longer captions would not fit below the buttons.
const LONGEST: usize = 90;

/// The caption of `part`.
pub(super) fn of(part: &Part) -> String {
    let words = match part {
        Part::Text(text) | Part::Summary(text) | Part::Error(text) | Part::Thinking { text, .. } => {
            first_line(text)
        }
        Part::ToolCall(call) => of_call(call),
        Part::Image(image) => ["picture", image.path.as_deref().unwrap_or_default()].join(" "),
        Part::Attachment(attached) => {
            let named = attached.path.as_deref().or(attached.title.as_deref()).unwrap_or_default();
            format!("{} {named}", attached.kind.name())
        }
        Part::Code(code) => ["code for", code.path.as_deref().unwrap_or("a file")].join(" "),
        Part::Todos(todos) => format!("{} things to do", todos.len()),
    };
    cut(&one_line(words.trim()), LONGEST)
}

/// The first line of `text` that says something, at most so long that it need not be read whole.
pub(super) fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.trim_start_matches(['#', '>', ' ']).chars().take(2 * LONGEST).collect()
}

fn of_call(call: &ToolCall) -> String {
    let name = if call.name.is_empty() { &call.raw_name } else { &call.name };
    let about = call.arguments.as_ref().and_then(main_argument);
    let about = about.or_else(|| call.touches().map(|(path, _)| path));
    match (name.as_str(), about) {
        ("shell", Some(command)) => format!("$ {command}"),
        (_, Some(about)) => format!("{name} {about}"),
        (_, None) => name.clone(),
    }
}
