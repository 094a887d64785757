//! The one pass over a text that finds its words. What becomes of them is the [`Sink`]'s affair.

use super::alphabet::{CLASS, Class, Kind, kind};
use super::file_names;
use super::identifier;

/// No token is longer than this many bytes; the rest of a longer one is left out.
pub const LONGEST: usize = 64;

/// A stretch of base64 at least this long is taken for data, not for a path.
const DATA: usize = 256;

/// Where the words go, in the order of the text.
pub trait Sink {
    /// A word, or a piece of one, which begins at `start`.
    fn piece(&mut self, text: &str, start: usize);
    /// A number with dots, which begins at `start`.
    fn number(&mut self, text: &str, start: usize);
    /// An identifier of several pieces, as a whole. Told after its pieces.
    fn identifier(&mut self, text: &str, start: usize);
    /// The name of a file, as a whole. Told after its pieces.
    fn file_name(&mut self, text: &str, start: usize);
    /// A run of a dense script has ended; `last` is its last character, which begins at `start`. It is `alone` if the
    /// run has no other, and so was not told in a pair.
    fn dense_end(&mut self, last: &str, start: usize, alone: bool);
}

/// Tells `sink` every word of `text`.
pub fn walk(text: &str, sink: &mut impl Sink) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut name_start = 0;
    while let Some(byte) = bytes.get(at) {
        match CLASS[usize::from(*byte)] {
            Class::Separator => {
                at += 1;
                if !matches!(byte, b'.' | b'-') {
                    name_start = at;
                }
            }
            Class::Beyond => match beyond(text, at) {
                (Kind::Separator, width) => {
                    at += width;
                    name_start = at;
                }
                (Kind::Dense, _) => {
                    at = dense(text, at, sink);
                    name_start = at;
                }
                (Kind::Word, _) => {
                    at = word(text, at, sink);
                    at = file_name(text, name_start, at, sink);
                }
            },
            Class::Digit | Class::Lower | Class::Upper => {
                at = match number_end(bytes, at) {
                    Some((start, end)) => {
                        sink.number(&text[start..end], start);
                        end
                    }
                    None => word(text, at, sink),
                };
                at = file_name(text, name_start, at, sink);
            }
            Class::Underscore => {
                at = word(text, at, sink);
                at = file_name(text, name_start, at, sink);
            }
        }
    }
}

/// The kind and width of the character beyond ASCII at `at`.
fn beyond(text: &str, at: usize) -> (Kind, usize) {
    let character = text.get(at..).and_then(|rest| rest.chars().next());
    character.map_or((Kind::Separator, 1), |character| (kind(character), character.len_utf8()))
}

/// Tells the word that begins at `start`, and gives its end.
fn word(text: &str, start: usize, sink: &mut impl Sink) -> usize {
    let bytes = text.as_bytes();
    let mut end = start;
    let mut classes = 0_u8;
    let mut after_first = 0_u8;
    while let Some(byte) = bytes.get(end) {
        let class = CLASS[usize::from(*byte)];
        let width = match class {
            Class::Separator => break,
            Class::Beyond => match beyond(text, end) {
                (Kind::Word, width) => width,
                _ => break,
            },
            _ => 1,
        };
        if end > start {
            after_first |= class as u8;
        }
        classes |= class as u8;
        end += width;
    }
    let run = &text[start..end];
    let has_hump =
        after_first & Class::Upper as u8 != 0 && classes & (Class::Lower as u8 | Class::Beyond as u8) != 0;
    if !has_hump && classes & Class::Underscore as u8 == 0 {
        sink.piece(cut(run), start);
        return end;
    }
    compound(text, start, end, sink)
}

/// Tells the pieces of an identifier and then the whole.
fn compound(text: &str, start: usize, end: usize, sink: &mut impl Sink) -> usize {
    let run = &text[start..end];
    let count = identifier::pieces(run).count();
    if identifier::is_code(run, count) {
        sink.piece(cut(run), start);
        return end.max(data_end(text.as_bytes(), start));
    }
    for (from, to) in identifier::pieces(run) {
        sink.piece(cut(&run[from..to]), start + from);
    }
    if count > 1 && run.len() <= LONGEST {
        sink.identifier(run, start);
    }
    end
}

/// Where base64 data that begins at `start` ends; `start` if it is too short to be data.
fn data_end(bytes: &[u8], start: usize) -> usize {
    let is_data = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let length = bytes[start..].iter().take_while(|byte| is_data(byte)).count();
    if length >= DATA { start + length } else { start }
}

/// Start (without a `v`) and end of the number with dots at `at`, such as `1.2.3`, `v0.9rc1`, `127.0.0.1`.
fn number_end(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let start = if matches!(bytes[at], b'v' | b'V') { at + 1 } else { at };
    if !is_digit(start) {
        return None;
    }
    let digits = |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(start);
    let first = end;
    while bytes.get(end) == Some(&b'.') && is_digit(end + 1) {
        end = digits(end + 1);
    }
    if end == first {
        return None;
    }
    let suffix = bytes[end..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    (end + suffix - start <= LONGEST).then_some((start, end + suffix))
}

/// If what stands from `name_start` is a file's name whose last dot follows at `at`, tells it with its ending; gives
/// where to go on.
fn file_name(text: &str, name_start: usize, at: usize, sink: &mut impl Sink) -> usize {
    let bytes = text.as_bytes();
    if bytes.get(at) != Some(&b'.') {
        return at;
    }
    let ending = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let end = at + 1 + ending;
    let goes_on = match bytes.get(end) {
        Some(b'.' | b'-') => {
            bytes.get(end + 1).is_some_and(|byte| CLASS[usize::from(*byte)] != Class::Separator)
        }
        Some(b'_' | b'(') => true,
        _ => false,
    };
    if goes_on || end - name_start > LONGEST || !file_names::is_ending(&text[at + 1..end]) {
        return at;
    }
    word(text, at + 1, sink);
    sink.file_name(&text[name_start..end], name_start);
    end
}

/// Tells the pairs of neighbours in the dense run that begins at `start`, and gives its end.
fn dense(text: &str, start: usize, sink: &mut impl Sink) -> usize {
    let mut previous = start;
    let mut end = start;
    while let Some((Kind::Dense, width)) = beyond_or_end(text, end) {
        if end > start {
            sink.piece(&text[previous..end + width], previous);
        }
        previous = end;
        end += width;
    }
    sink.dense_end(&text[previous..end], previous, previous == start);
    end
}

fn beyond_or_end(text: &str, at: usize) -> Option<(Kind, usize)> {
    let character = text.get(at..)?.chars().next()?;
    Some(if character.is_ascii() { (Kind::Separator, 1) } else { (kind(character), character.len_utf8()) })
}

/// The beginning of `word`, as much as is kept.
fn cut(word: &str) -> &str {
    if word.len() <= LONGEST {
        return word;
    }
    let end = (0..=LONGEST).rev().find(|end| word.is_char_boundary(*end));
    &word[..end.unwrap_or(0)]
}
