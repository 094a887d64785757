//! The strings inside JSON, found and read without building a tree: values may be megabytes long, and strings are nearly all
//! there is in them.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2};

/// Where the strings of `json` stand, names of fields included, without their quotes.
pub fn strings(json: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let begin = at + memchr(b'"', json.as_bytes().get(at..)?)? + 1;
        let end = end_of_string(json.as_bytes(), begin);
        at = end + 1;
        Some(begin..end)
    })
}

/// Where the string whose first character stands at `at` ends: at its closing quote, or at the end of everything.
pub(crate) fn end_of_string(json: &[u8], mut at: usize) -> usize {
    while let Some(found) = json.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if json[at] == b'"' {
            return at;
        }
        at += 2;
    }
    json.len()
}

/// The text of a string literal, its quotes left out.
pub fn unescaped(literal: &str) -> Cow<'_, str> {
    if !literal.contains('\\') {
        return Cow::Borrowed(literal);
    }
    let mut text = String::with_capacity(literal.len());
    pieces(literal, |_, piece| match piece {
        JsonPiece::Plain(plain) => text.push_str(plain),
        JsonPiece::Escape(c) => text.push(c),
    });
    Cow::Owned(text)
}

/// A piece of a string literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonPiece<'a> {
    /// Text that stands for itself.
    Plain(&'a str),
    /// An escape, and the character that it stands for. Half of a surrogate pair alone is a replacement character.
    Escape(char),
}

/// Every piece of a string literal, and where it begins.
pub fn pieces<'a>(literal: &'a str, mut give: impl FnMut(usize, JsonPiece<'a>)) {
    let mut at = 0;
    while let Some(found) = memchr(b'\\', &literal.as_bytes()[at..]) {
        if found > 0 {
            give(at, JsonPiece::Plain(&literal[at..at + found]));
        }
        at += found;
        let (meant, length) = match literal[at + 1..].chars().next() {
            Some('n') => ('\n', 2),
            Some('t') => ('\t', 2),
            Some('r') => ('\r', 2),
            Some('b') => ('\u{8}', 2),
            Some('f') => ('\u{c}', 2),
            Some('u') => by_number(&literal[at..]),
            Some(other) => (other, 1 + other.len_utf8()),
            None => ('\\', 1),
        };
        give(at, JsonPiece::Escape(meant));
        at += length;
    }
    if at < literal.len() {
        give(at, JsonPiece::Plain(&literal[at..]));
    }
}

/// What `\uXXXX`, or a pair of them, stands for, and how long it is.
fn by_number(escape: &str) -> (char, usize) {
    let unit = |at: usize| {
        let digits = escape.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(0) else { return ('\u{fffd}', 2) };
    let pair = [first, unit(6).unwrap_or(0)];
    let is_pair = (0xd800..0xdc00).contains(&first) && (0xdc00..0xe000).contains(&pair[1]);
    let units = if is_pair { &pair[..] } else { &pair[..1] };
    let meant = char::decode_utf16(units.iter().copied()).next().and_then(Result::ok).unwrap_or('\u{fffd}');
    (meant, 6 * units.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_found_and_read() {
        let json = r#"{"a":"b \"c\" \\d","n":12,"e":["é","\u00e9","\ud83d\ude00","\ud83d"]}"#;
        let texts: Vec<_> = strings(json).map(|range| unescaped(&json[range])).collect();
        assert_eq!(texts, ["a", r#"b "c" \d"#, "n", "e", "é", "é", "😀", "\u{fffd}"]);
        assert_eq!(strings("\"cut off").next(), Some(1..8));
    }
}
