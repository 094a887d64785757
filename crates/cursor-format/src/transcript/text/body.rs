//! What the agent said in one message of a text transcript: text and thoughts, calls and results.

use backscroll_model::Payload;

use super::call;
use super::marker::{Marker, marker};
use crate::transcript::builder::Builder;
use crate::transcript::visible::think_closings;

/// Reads the lines of one message; `first` is the number of the line above them.
pub(super) fn read(lines: &[&str], first: usize, builder: &mut Builder) {
    let mut text_from = 0;
    let mut at = 0;
    let closings = think_closings(lines);
    while at < lines.len() {
        if let Some(close) = closings[at].filter(|_| lines[at].starts_with("<think>")) {
            at = close + 1;
            continue;
        }
        let Some(found) = marker(lines[at]) else {
            at += 1;
            continue;
        };
        add_text(&lines[text_from..at], first + text_from + 1, builder);
        let end = (at + 1..lines.len()).find(|next| marker(lines[*next]).is_some()).unwrap_or(lines.len());
        let block = &lines[at + 1..end];
        let used = match found {
            Marker::Call { name, glued } => {
                let (arguments, used) = call::arguments(glued, block);
                builder.add_call(None, name, arguments);
                used
            }
            Marker::Result(name) => {
                let body = result_body(block);
                let key = format!("line {}", first + at + 1);
                let result = (!body.is_empty()).then(|| Payload::from_text(body.join("\n")));
                builder.answer(None, Some(name), result, &key);
                body.len()
            }
        };
        at += 1 + used;
        text_from = at;
    }
    add_text(&lines[text_from..], first + text_from + 1, builder);
}

fn add_text(lines: &[&str], number: usize, builder: &mut Builder) {
    if lines.iter().any(|line| !line.trim().is_empty()) {
        builder.add_agent_text(&lines.join("\n"), &format!("line {number}"));
    }
}

/// Results are elided: a blank line follows. Where one is not, it goes on to the next marker.
fn result_body<'a, 'b>(block: &'b [&'a str]) -> &'b [&'a str] {
    match block.first() {
        Some(line) if !line.trim().is_empty() => block,
        _ => &[],
    }
}
