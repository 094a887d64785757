//! Text from a store, made fit for a terminal: nothing in it commands the terminal, and it fits its cells.
//!
//! A conversation may hold whatever a web page or a tool printed: colour codes, titles, cursor movements, words that run
//! backwards. Colour and cursor sequences go; every other control character is shown by its picture.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use backscroll_model::ToolStatus;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Invisible characters that give their direction to those beside them.
pub const DIRECTION_MARKS: [char; 3] = ['\u{61c}', '\u{200e}', '\u{200f}'];

/// `text` with nothing in it that a terminal would obey, but for line breaks and tabs.
pub fn sanitise(text: &str) -> Cow<'_, str> {
    if is_safe(text) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_unsafe) {
        let (before, found) = rest.split_at(at);
        safe.push_str(before);
        rest = match control_sequence(found) {
            Some(length) => &found[length..],
            None => replace_first(found, &mut safe),
        };
    }
    safe.push_str(rest);
    Cow::Owned(safe)
}

/// `text` with control characters and marks of direction as JSON escapes (`\u009b`), but for line breaks and tabs. JSON means
/// the same as before, and a terminal obeys none of it.
pub fn escape_controls(text: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| is_unsafe(c) || DIRECTION_MARKS.contains(&c);
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if is_escaped(c) && !(c == '\r' && rest.as_str().starts_with('\n')) {
            // All of these have four digits; writing to a string cannot fail.
            let _ = write!(safe, "\\u{:04x}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// `text` on one line: sanitised, with every run of white space as one space.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(1024));
    for word in sanitise(text).split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Whether nothing in `text` is unsafe. Nearly nothing is, so single bytes are looked at before any character is.
fn is_safe(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(may_be_unsafe) {
        let mut from = rest[at..].chars();
        if from.next().is_some_and(is_unsafe) {
            return false;
        }
        rest = from.as_str();
    }
    true
}

/// Whether a character that is unsafe may begin with this byte.
fn may_be_unsafe(byte: u8) -> bool {
    match byte {
        b'\n' | b'\t' => false,
        0x00..0x20 | 0x7f | 0xc2 | 0xe2 => true,
        _ => false,
    }
}

fn is_unsafe(c: char) -> bool {
    let is_control = c.is_control() && !matches!(c, '\n' | '\t');
    is_control || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The length of the colour or cursor sequence that `text` begins with: `ESC [`, parameters, one final letter.
fn control_sequence(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\x1b[").or_else(|| text.strip_prefix('\u{9b}'))?;
    let begun = text.len() - parameters.len();
    let length = parameters.bytes().position(|byte| !matches!(byte, 0x20..=0x3f))?;
    let is_final = matches!(parameters.as_bytes()[length], 0x40..=0x7e);
    is_final.then_some(begun + length + 1)
}

/// Writes a picture of the first character of `text`, and gives what follows it.
fn replace_first<'a>(text: &'a str, safe: &mut String) -> &'a str {
    let mut rest = text.chars();
    match rest.next() {
        Some('\r') if rest.as_str().starts_with('\n') => {}
        Some(c @ '\0'..='\u{1f}') => safe.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')),
        Some('\u{7f}') => safe.push('\u{2421}'),
        _ => safe.push('\u{fffd}'),
    }
    rest.as_str()
}

/// How many cells `text` takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// How many cells `c` takes. Most are plain letters, which need no table.
fn cells_of(c: char) -> usize {
    if matches!(c, ' '..='~') { 1 } else { c.width().unwrap_or(0) }
}

/// `text`, cut with `…` if it takes more than `cells`.
pub fn cut(text: &str, cells: usize) -> String {
    if fits(text, cells) {
        return text.to_owned();
    }
    let end = end_of(text.char_indices(), cells.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    let kept = text[..end].trim_end();
    if cells == 0 { String::new() } else { format!("{kept}…") }
}

/// `text`, cut at its front if it takes more than `cells`: the end of a path tells more than its beginning.
pub fn cut_front(text: &str, cells: usize) -> String {
    if fits(text, cells) {
        return text.to_owned();
    }
    let start =
        end_of(text.char_indices().rev(), cells.saturating_sub(1)).map_or(0, |(at, c)| at + c.len_utf8());
    if cells == 0 { String::new() } else { format!("…{}", &text[start..]) }
}

/// Whether `text` takes at most `cells`, without measuring much more than that.
pub(crate) fn fits(text: &str, cells: usize) -> bool {
    // No character takes more cells than bytes.
    text.len() <= cells || end_of(text.char_indices(), cells).is_none()
}

/// The first character that no longer fits.
fn end_of(characters: impl Iterator<Item = (usize, char)>, cells: usize) -> Option<(usize, char)> {
    let mut used = 0;
    for (at, c) in characters {
        used += cells_of(c);
        if used > cells {
            return Some((at, c));
        }
    }
    None
}

/// Where `line` breaks so that its first piece takes at most `first` cells and each other at most `rest`.
pub(crate) fn wrap(line: &str, first: usize, rest: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    // No character takes more cells than bytes.
    if line.len() <= first {
        pieces.push(0..line.len());
        return pieces;
    }
    let (mut room, rest) = (first.max(1), rest.max(1));
    let (mut start, mut used) = (0, 0);
    // The last space after a word: where the piece would end, and the cells up to what follows.
    let mut space: Option<(usize, usize)> = None;
    let mut has_word = false;
    for (at, c) in line.char_indices() {
        let cells = cells_of(c);
        while used + cells > room && at > start {
            let (end, next, left) = match space.take() {
                Some((end, cells_before)) => (end, end + 1, used - cells_before),
                None => (at, at, 0),
            };
            pieces.push(start..end);
            (start, used, room, has_word) = (next, left, rest, next < at);
        }
        if c == ' ' && at == start && !pieces.is_empty() {
            start += 1; // The space at which the line broke is not repeated.
            continue;
        }
        used += cells;
        if c != ' ' {
            has_word = true;
        } else if has_word {
            space = Some((at, used));
        }
    }
    if start < line.len() || pieces.is_empty() {
        pieces.push(start..line.len());
    }
    pieces
}

/// `line` and below it carets under the bytes `at`. What commands a terminal is neutralised; line breaks become spaces.
pub fn pointed(line: &str, at: Range<usize>) -> String {
    let safe = |text: &str| sanitise(&text.replace(['\n', '\t', '\r'], " ")).into_owned();
    let start = at.start.min(line.len());
    let before = safe(line.get(..start).unwrap_or(line));
    let there = safe(line.get(start..at.end.min(line.len())).unwrap_or_default());
    let after = safe(line.get(at.end.min(line.len())..).unwrap_or_default());
    let carets = "^".repeat(width(&there).max(1));
    format!("  {before}{there}{after}\n  {}{carets}", " ".repeat(width(&before)))
}

pub(crate) fn status_sign(status: ToolStatus) -> &'static str {
    match status {
        ToolStatus::Completed => "✓",
        ToolStatus::Error => "✗",
        ToolStatus::Cancelled => "⊘",
        ToolStatus::Running => "◌",
        ToolStatus::Pending => "○",
        ToolStatus::Unknown => "·",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_that_begins_something_unsafe_is_never_passed_over() {
        let unsafe_ones = (char::MIN..=char::MAX).filter(|c| is_unsafe(*c));
        for c in unsafe_ones {
            assert!(!is_safe(&format!("é – {c}")), "{c:?}");
        }
        assert!(is_safe("a\tb\né – ™ ” \u{a0} 日本"));
    }

    #[test]
    fn lines_break_between_words_and_only_else_inside_them() {
        let table: [(&str, usize, &[&str]); 9] = [
            ("", 5, &[""]),
            ("short", 5, &["short"]),
            ("two words", 5, &["two", "words"]),
            ("two words", 8, &["two", "words"]),
            ("abcdefghij", 4, &["abcd", "efgh", "ij"]),
            ("a abcdefgh", 4, &["a", "abcd", "efgh"]),
            ("    code here", 8, &["    code", "here"]),
            ("日本語です", 4, &["日本", "語で", "す"]),
            ("ab   cd", 3, &["ab", "cd"]),
        ];
        for (line, width, expected) in table {
            let pieces: Vec<_> = wrap(line, width, width).into_iter().map(|range| &line[range]).collect();
            assert_eq!(pieces, expected, "{line:?} at {width}");
        }
    }

    #[test]
    fn the_caret_stands_under_its_place() {
        assert_eq!(pointed("x rol:user", 2..6), "  x rol:user\n    ^^^^");
        assert_eq!(pointed("自动 (b", 7..8), "  自动 (b\n       ^");
        assert_eq!(pointed("a OR", 4..4), "  a OR\n      ^");
        assert_eq!(pointed("a\u{1b}[31mb", 6..7), "  ab\n   ^");
    }
}
