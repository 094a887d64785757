//! Control characters from stored text never reach the terminal.
//!
//! A conversation may hold whatever a web page or a tool printed: colour codes, titles, cursor movements, words that
//! run backwards. Colour and cursor sequences go; every other control character is shown by its picture.

use std::borrow::Cow;

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
}
