//! What an agent wrote, split into words and thoughts.
//!
//! Thoughts stand in `<think>` blocks, in the text dialect also after `[Thinking]`, or were removed and left `[REDACTED]`.

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

/// The pieces of `text`, in order. Blank stretches are none. `has_marks` says that `[Thinking]` marks a thought.
pub(super) fn pieces(text: &str, has_marks: bool) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut words: Vec<&str> = Vec::new();
    let lines: Vec<&str> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let closings = think_closings(&lines);
    let marked = |line| if has_marks { after_thinking(line) } else { None };
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if let (Some(first), Some(close)) = (line.strip_prefix("<think>"), closings[at]) {
            flush(&mut words, &mut found);
            at = think_block(&lines, first, at, close, &mut words, &mut found);
        } else if let Some(first) = marked(line) {
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

/// Splits what follows `[Thinking] ` into the thought and the words that come after it, one line break later, without any mark.
///
/// Single breaks inside of a thought cannot be told from that one, so the words begin at the first line right below another,
/// except in a list, a table or an indented block. GPT models summarise a thought in sections: a bold headline, a blank line, a
/// paragraph; the next headline stands right below the paragraph. An empty thought has nothing but words after it. Where the mark
/// stands alone, without the space that follows it elsewhere, the thought is the paragraph below it.
fn sections<'a>(first: &'a str, is_alone: bool, lines: &[&'a str]) -> (Vec<&'a str>, Vec<&'a str>) {
    if is_alone {
        let end = lines.iter().position(|line| line.trim().is_empty()).unwrap_or(lines.len());
        return (lines[..end].to_vec(), lines[end..].to_vec());
    }
    if first.trim().is_empty() {
        return (Vec::new(), lines.to_vec());
    }
    let has_sections = is_headline(first);
    let begins_words = |above: &str, line: &str| {
        let goes_on = line.trim().is_empty()
            || above.trim().is_empty()
            || (is_of_block(line) && is_of_block(above))
            || (has_sections && (is_headline(above) || is_headline(line)));
        !goes_on
    };
    let above = std::iter::once(&first).chain(lines);
    let end = above.zip(lines).position(|(above, line)| begins_words(above, line)).unwrap_or(lines.len());
    let thought = std::iter::once(first).chain(lines[..end].iter().copied()).collect();
    (thought, lines[end..].to_vec())
}

/// Whether the line is a list item, a table row or indented.
fn is_of_block(line: &str) -> bool {
    let behind_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = behind_number.len() < line.len()
        && (behind_number.starts_with(". ") || behind_number.starts_with(") "));
    is_numbered
        || line.starts_with(char::is_whitespace)
        || ["- ", "* ", "+ ", "• ", "|"].iter().any(|mark| line.starts_with(mark))
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
