//! Splits a text transcript at its role markers.

use backscroll_model::{FindingKind, Part, Role};

use super::{body, ending, marker};
use crate::transcript::builder::Builder;

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
            _ => body::read(said, number, builder),
        }
    }
    let broken_off = starts.last().and_then(|(line, role)| ending::breaks_off_in(*role, &lines[line + 1..]));
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

/// Text without a speaker is nobody's; it is kept and told of.
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
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let after_blank = index == 0 || lines[index - 1].trim().is_empty();
        if let Some(role) = marker::role(line).filter(|_| after_blank)
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
