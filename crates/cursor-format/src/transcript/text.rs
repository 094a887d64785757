//! The plain text dialect. Its grammar is ambiguous: what a tool wrote may look like a marker.
//!
//! In a call, `  key: value` opens an argument; its value may continue over lines that are not indented, blank ones too.
//! No line says that a transcript is complete, but some ends cannot be meant.

use std::collections::HashSet;

use backscroll_model::{FindingKind, Part, Payload, Role};

use super::decoding::Builder;
use super::visible::think_closings;
use crate::known;
use crate::wire_json::quoted;

/// Reads the whole text.
pub(in crate::transcript) fn read(text: &str, builder: &mut Builder) {
    let lines = lines(text);
    let starts = role_lines(&lines);
    let first = starts.first().map_or(lines.len(), |(line, _)| *line);
    before_the_first(&lines[..first], builder);
    for (index, (line, role)) in starts.iter().enumerate() {
        let end = starts.get(index + 1).map_or(lines.len(), |(next, _)| *next);
        let number = line + 1;
        builder.count_record();
        builder.begin(number.to_string(), &format!("line {number}"), *role);
        let said = &lines[number..end];
        match role {
            Role::User => builder.add_user_text(without_blank_ends(said).join("\n").as_str()),
            _ => read_body(said, number, builder),
        }
    }
    let broken_off = starts.last().and_then(|(line, role)| breaks_off_in(*role, &lines[line + 1..]));
    if let Some(what) = broken_off {
        let last = format!("line {}", lines.len());
        builder.find(FindingKind::Incomplete, &last, format!("the file ends within {what}"));
    }
}

/// How many messages the text holds.
pub(in crate::transcript) fn count(text: &str) -> u64 {
    let lines = lines(text);
    let starts = role_lines(&lines);
    let first = starts.first().map_or(lines.len(), |(line, _)| *line);
    starts.len() as u64 + u64::from(!is_blank(&lines[..first]))
}

fn lines(text: &str) -> Vec<&str> {
    text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect()
}

fn is_blank(lines: &[&str]) -> bool {
    lines.iter().all(|line| line.trim().is_empty())
}

/// Text without a speaker is nobody's; it is kept and reported.
fn before_the_first(lines: &[&str], builder: &mut Builder) {
    if !is_blank(lines) {
        let text = without_blank_ends(lines).join("\n");
        builder.find(FindingKind::Unknown, "line 1", "text before the first role marker");
        builder.begin("0", "line 1", Role::System);
        builder.add(Part::Text(text));
    }
}

/// The lines that begin a message. A marker stands alone after a blank line, and not inside a query or a thought.
fn role_lines(lines: &[&str]) -> Vec<(usize, Role)> {
    let queries = Span::new(lines, "<user_query>", "</user_query>");
    let thoughts = Span::new(lines, "<think>", "</think>");
    let (mut in_query, mut in_thought) = (false, false);
    let mut found: Vec<(usize, Role)> = Vec::new();
    // Cursor wraps everything that the user says. Where it did so at first, `user:` before anything else is text.
    let is_wrapped = |at: usize| {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        next.starts_with('<') || next.starts_with("[Image]")
    };
    let first = lines.iter().position(|line| role(line) == Some(Role::User));
    let all_wrapped = first.is_some_and(is_wrapped);
    let may_begin = |at: usize, role: Role| {
        role != Role::User || !all_wrapped || is_wrapped(at) || is_blank(&lines[at + 1..])
    };
    for (index, line) in lines.iter().enumerate() {
        let before = index.checked_sub(1).map_or("", |before| lines[before].trim_end());
        // Some builds leave out the blank line between a query and its answer.
        let is_answer = |role: &Role| *role == Role::Assistant && before.ends_with("</user_query>");
        if let Some(role) = role(line).filter(|role| before.trim().is_empty() || is_answer(role))
            && may_begin(index, role)
            && !(in_query && queries.closes_after(index))
            && !(in_thought && thoughts.closes_after(index))
        {
            found.push((index, role));
            (in_query, in_thought) = (false, false);
            continue;
        }
        let speaks = found.last().map(|(_, role)| *role);
        in_query = speaks == Some(Role::User) && queries.is_open_after(line, in_query);
        in_thought = speaks == Some(Role::Assistant) && thoughts.is_open_after(line, in_thought);
    }
    found
}

/// Where a kind of block opens and closes.
struct Span {
    open: &'static str,
    close: &'static str,
    closes_first: Vec<bool>,
}

impl Span {
    fn new(lines: &[&str], open: &'static str, close: &'static str) -> Self {
        let mut closes_first = vec![false; lines.len()];
        let mut closes = false;
        for (index, line) in lines.iter().enumerate().rev() {
            closes_first[index] = closes;
            if line.starts_with(open) {
                closes = line.contains(close);
            } else if line.trim_end().ends_with(close) {
                closes = true;
            }
        }
        Self { open, close, closes_first }
    }

    /// Whether, after this line, the block closes before another one opens.
    fn closes_after(&self, index: usize) -> bool {
        self.closes_first[index]
    }

    fn is_open_after(&self, line: &str, was_open: bool) -> bool {
        match (line.rfind(self.open), line.rfind(self.close)) {
            (Some(opened), Some(closed)) => opened > closed,
            (Some(_), None) => was_open || line.starts_with(self.open),
            (None, Some(_)) => false,
            (None, None) => was_open,
        }
    }
}

fn without_blank_ends<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let is_blank = |line: &&str| line.trim().is_empty();
    let first = lines.iter().position(|line| !is_blank(line)).unwrap_or(lines.len());
    let last = lines.iter().rposition(|line| !is_blank(line)).map_or(first, |last| last + 1);
    &lines[first..last]
}

/// Reads the lines of one message; `first` is the number of the line above them.
fn read_body(lines: &[&str], first: usize, builder: &mut Builder) {
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
                let (arguments, used) = arguments(glued, block);
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

/// The arguments in `block`, the lines up to the next marker, and how many of these lines belong to the call.
///
/// `glued` is what stood right behind the tool's name: the beginning of a free-form input.
pub(super) fn arguments(glued: &str, block: &[&str]) -> (Option<Payload>, usize) {
    if !glued.trim().is_empty() {
        let lines: Vec<&str> =
            std::iter::once(glued).chain(without_separator(block).iter().copied()).collect();
        return (Some(Payload::Text(lines.join("\n"))), block.len());
    }
    match block.first() {
        None => (None, 0),
        // Nothing was given: what follows the blank line is the agent's own text.
        Some(line) if line.trim().is_empty() => (None, 0),
        Some(line) if opens(line).is_none() => {
            (Some(Payload::Text(without_separator(block).join("\n"))), block.len())
        }
        Some(_) => (Some(keyed(without_separator(block))), block.len()),
    }
}

/// A blank line separates the last call from its results; it is no part of the value.
fn without_separator<'a, 'b>(block: &'b [&'a str]) -> &'b [&'a str] {
    match block.split_last() {
        Some((&"", rest)) => rest,
        _ => block,
    }
}

fn keyed(block: &[&str]) -> Payload {
    let mut fields: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut seen = HashSet::new();
    for line in block {
        let open = fields.last().map(|(key, _)| *key);
        let taken = opens(line).filter(|(key, _)| !seen.contains(key) && may_open(key, open));
        match (taken, fields.last_mut()) {
            (Some((key, value)), _) => {
                seen.insert(key);
                fields.push((key, vec![value]));
            }
            (None, Some((_, value))) => value.push(line),
            (None, None) => {}
        }
    }
    let shown: Vec<String> = fields
        .iter()
        .map(|(key, lines)| format!("{}:{}", quoted(key), value(key, &lines.join("\n"))))
        .collect();
    Payload::from_text(format!("{{{}}}", shown.join(",")))
}

/// Inside a long text only a name that a tool really has opens an argument.
fn may_open(key: &str, open: Option<&str>) -> bool {
    let inside_long = open.is_some_and(known::is_long_argument);
    !inside_long || known::is_argument(key)
}

fn opens(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.strip_prefix("  ")?.split_once(':')?;
    let value = if value.is_empty() { value } else { value.strip_prefix(' ')? };
    let is_key = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_key.then_some((key, value))
}

/// Numbers, booleans, arrays and objects were written as JSON, texts as they are.
fn value(key: &str, text: &str) -> String {
    let is_json = !known::is_long_argument(key)
        && key != "command"
        && matches!(Payload::from_text(text.to_owned()), Payload::Json(_));
    if is_json { text.trim().to_owned() } else { quoted(text) }
}

/// What the last message, of these lines, breaks off in.
fn breaks_off_in(role: Role, lines: &[&str]) -> Option<&'static str> {
    let is_open = |open: &str, close: &str| {
        let opened = lines.iter().rposition(|line| line.starts_with(open));
        opened.is_some_and(|opened| !lines[opened..].iter().any(|line| line.contains(close)))
    };
    if role == Role::User {
        return is_open("<user_query>", "</user_query>").then_some("a query");
    }
    if is_open("<think>", "</think>") {
        return Some("a thought");
    }
    let last = lines.iter().rev().find_map(|line| marker(line));
    matches!(last, Some(Marker::Call { .. })).then_some("a call")
}

/// A marker inside what the agent said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marker<'a> {
    /// `[Tool call] Name`, with anything that is glued to the name.
    Call {
        /// The tool's name.
        name: &'a str,
        /// The beginning of a free-form input, without any separator.
        glued: &'a str,
    },
    /// `[Tool result] Name`.
    Result(&'a str),
}

/// The role that a line alone names.
pub(super) fn role(line: &str) -> Option<Role> {
    match line.trim_end() {
        "user:" => Some(Role::User),
        "assistant:" | "A:" => Some(Role::Assistant),
        _ => None,
    }
}

/// The marker that `line` is. Any other bracketed word at the start of a line is just text.
fn marker(line: &str) -> Option<Marker<'_>> {
    if let Some(rest) = line.strip_prefix("[Tool call] ") {
        let (name, glued) = split_name(rest)?;
        return Some(Marker::Call { name, glued });
    }
    let (name, rest) = split_name(line.strip_prefix("[Tool result] ")?)?;
    rest.trim().is_empty().then_some(Marker::Result(name))
}

/// A tool's name and what follows it.
fn split_name(text: &str) -> Option<(&str, &str)> {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
    let end = text.find(|c: char| !is_of_name(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    (!name.is_empty()).then_some((name, rest))
}
