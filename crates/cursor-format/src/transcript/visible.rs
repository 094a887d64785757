//! What an agent wrote, split into words and thoughts.
//!
//! Thoughts stand in `<think>` blocks, after `[Thinking]`, or were removed and left `[REDACTED]`.

/// One stretch of an agent's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Words for the user.
    Words(String),
    /// A thought.
    Thought(String),
    /// A thought was removed here.
    Redacted,
}

const THINKING: &str = "[Thinking]";
const REDACTED: &str = "[REDACTED]";

/// The pieces of `text`, in order. Blank stretches are none.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut words: Vec<&str> = Vec::new();
    let lines: Vec<&str> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let closings = think_closings(&lines);
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if let (Some(first), Some(close)) = (line.strip_prefix("<think>"), closings[at]) {
            flush(&mut words, &mut found);
            at = think_block(&lines, first, at, close, &mut words, &mut found);
        } else if let Some(first) = after_thinking(line) {
            flush(&mut words, &mut found);
            let end = (at + 1..lines.len()).find(|next| begins_thought(&lines, &closings, *next));
            let end = end.unwrap_or(lines.len());
            let (thought, rest) = sections(first, line == THINKING, &lines[at + 1..end]);
            push_thought(&thought, &mut found);
            words.extend(rest);
            at = end;
        } else {
            words.push(line);
            at += 1;
        }
    }
    flush(&mut words, &mut found);
    found
}

/// Reads a `<think>` block and gives the line after it; words after the closing tag are kept as words.
fn think_block<'a>(
    lines: &[&'a str],
    first: &'a str,
    at: usize,
    close: usize,
    words: &mut Vec<&'a str>,
    found: &mut Vec<Piece>,
) -> usize {
    let closing_line = if close == at { first } else { lines[close] };
    let (last, after) = closing_line.split_once("</think>").unwrap_or((closing_line, ""));
    let mut thought = if close == at { Vec::new() } else { vec![first] };
    if close > at {
        thought.extend(&lines[at + 1..close]);
    }
    thought.push(last);
    push_thought(&thought, found);
    if !after.trim().is_empty() {
        words.push(after);
    }
    close + 1
}

/// What stands behind the mark.
fn after_thinking(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(THINKING)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
}

fn begins_thought(lines: &[&str], closings: &[Option<usize>], at: usize) -> bool {
    after_thinking(lines[at]).is_some() || (lines[at].starts_with("<think>") && closings[at].is_some())
}

/// Splits what follows `[Thinking]` into the thought and the words that come after it without any mark.
///
/// GPT models summarise a thought in sections: a bold headline, a blank line, a paragraph. A line right below the
/// paragraph is the next headline, or the first of the words. A thought without a headline goes on to the end, and an
/// empty one has nothing but words after it. Where the mark stands alone, without the space that follows it elsewhere, the thought
/// is the paragraph below it.
fn sections<'a>(first: &'a str, is_alone: bool, lines: &[&'a str]) -> (Vec<&'a str>, Vec<&'a str>) {
    if is_alone {
        let end = lines.iter().position(|line| line.trim().is_empty()).unwrap_or(lines.len());
        return (lines[..end].to_vec(), lines[end..].to_vec());
    }
    if first.trim().is_empty() {
        return (Vec::new(), lines.to_vec());
    }
    if !is_headline(first) {
        return (std::iter::once(first).chain(lines.iter().copied()).collect(), Vec::new());
    }
    let mut above = first;
    let mut end = lines.len();
    for (index, line) in lines.iter().enumerate() {
        let goes_on =
            line.trim().is_empty() || above.trim().is_empty() || is_headline(above) || is_headline(line);
        if !goes_on {
            end = index;
            break;
        }
        above = line;
    }
    let thought = std::iter::once(first).chain(lines[..end].iter().copied()).collect();
    (thought, lines[end..].to_vec())
}

fn is_headline(line: &str) -> bool {
    let line = line.trim();
    line.len() > 4 && line.starts_with("**") && line.ends_with("**") && line.matches("**").count() == 2
}

/// For every line the first one, from it on, that closes a `<think>` block before another one opens.
pub(super) fn think_closings(lines: &[&str]) -> Vec<Option<usize>> {
    let mut next = vec![None; lines.len()];
    let mut close = None;
    for index in (0..lines.len()).rev() {
        if lines[index].contains("</think>") {
            close = Some(index);
        }
        next[index] = close;
        if lines[index].starts_with("<think>") {
            close = None;
        }
    }
    next
}

fn push_thought(lines: &[&str], found: &mut Vec<Piece>) {
    let text = lines.join("\n");
    let text = text.trim_matches('\n');
    match text.trim() {
        "" => {}
        REDACTED => found.push(Piece::Redacted),
        _ => found.push(Piece::Thought(text.to_owned())),
    }
}

fn flush(words: &mut Vec<&str>, found: &mut Vec<Piece>) {
    let text = std::mem::take(words).join("\n");
    let mut rest = text.trim_matches('\n');
    let mut was_redacted = false;
    while let Some(before) = rest.trim_end().strip_suffix(REDACTED) {
        if !before.is_empty() && !before.ends_with(char::is_whitespace) {
            break;
        }
        was_redacted = true;
        rest = before.trim_end();
    }
    if !rest.trim().is_empty() {
        found.push(Piece::Words(rest.to_owned()));
    }
    if was_redacted {
        found.push(Piece::Redacted);
    }
}
