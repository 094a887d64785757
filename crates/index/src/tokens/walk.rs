//! The one pass over a text that finds its words. What becomes of them is the [`Sink`]'s affair.

use super::alphabet::{CLASS, Class, Kind, kind};

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
    /// What follows the last dot of a number, if it has letters: `0f64` of `20.0f64`. Given after the number.
    fn end_of_number(&mut self, text: &str, start: usize);
    /// An identifier of several pieces, as a whole. Given after its pieces.
    fn identifier(&mut self, text: &str, start: usize);
    /// The name of a file, as a whole. Given after its pieces.
    fn file_name(&mut self, text: &str, start: usize);
    /// A run of a dense script has ended; `last` is its last character, which begins at `start`. It is `alone` if the
    /// run has no other, and so was not given in a pair.
    fn dense_end(&mut self, last: &str, start: usize, alone: bool);
}

/// Gives `sink` every word of `text`.
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
                        number(&text[start..end], start, sink);
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

/// Gives the sink the word that begins at `start`, and returns its end.
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

/// Gives the sink the pieces of an identifier and then the whole.
fn compound(text: &str, start: usize, end: usize, sink: &mut impl Sink) -> usize {
    let run = &text[start..end];
    let count = pieces(run).count();
    if is_code(run, count) {
        sink.piece(cut(run), start);
        return end.max(data_end(text.as_bytes(), start));
    }
    for (from, to) in pieces(run) {
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

fn number(text: &str, start: usize, sink: &mut impl Sink) {
    sink.number(text, start);
    if let Some(dot) = text.rfind('.')
        && text.as_bytes()[dot..].iter().any(u8::is_ascii_alphabetic)
    {
        sink.end_of_number(&text[dot + 1..], start + dot + 1);
    }
}

/// If what stands from `name_start` is a file's name whose last dot follows at `at`, gives it to the sink with its ending; returns
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
    if goes_on || end - name_start > LONGEST || !is_ending(&text[at + 1..end]) {
        return at;
    }
    word(text, at + 1, sink);
    sink.file_name(&text[name_start..end], name_start);
    end
}

/// Gives the sink the pairs of neighbours in the dense run that begins at `start`, and returns its end.
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

/// A run with more small pieces than this is no name but a code, such as base64.
const SHORTEST_MEAN_PIECE: usize = 3;
/// Shorter runs are never taken for codes.
const SHORTEST_CODE: usize = 20;

/// The pieces of `run` as ranges: at `_`, before an upper letter after a lower one, and before the last of several
/// upper letters or a digit when a lower one follows (`parseHTTPHeader`, `sha256Sum`).
pub(super) fn pieces(run: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    let bytes = run.as_bytes();
    let mut start = 0;
    std::iter::from_fn(move || {
        while bytes.get(start) == Some(&b'_') {
            start += 1;
        }
        if start >= bytes.len() {
            return None;
        }
        let end = (start + 1..bytes.len()).find(|at| begins_piece(bytes, *at)).unwrap_or(bytes.len());
        let piece = (start, end);
        start = end;
        Some(piece)
    })
}

/// Whether a new piece (or `_`) begins at `at`, which is not the first byte.
fn begins_piece(bytes: &[u8], at: usize) -> bool {
    let class = |at: usize| bytes.get(at).map_or(Class::Separator, |byte| CLASS[usize::from(*byte)]);
    match class(at) {
        Class::Underscore => true,
        Class::Upper => match class(at - 1) {
            Class::Lower | Class::Beyond => true,
            Class::Upper | Class::Digit => class(at + 1) == Class::Lower,
            _ => false,
        },
        _ => false,
    }
}

/// Whether the run, which has this many pieces, is a code rather than a name.
fn is_code(run: &str, pieces: usize) -> bool {
    run.len() >= SHORTEST_CODE && run.len() < pieces * SHORTEST_MEAN_PIECE
}

/// Endings of the kinds of files that developers name, by their length, from one to ten.
const ENDINGS: [&str; 10] = [
    "c h m r",
    "rs py go js ts md cc cs kt rb sh pl hs ml ex db tf fs vb mm hh jl",
    "tsx jsx mjs cjs mts cts css cpp hpp cxx php sql xml yml txt log lua csv tsv env ini cfg zip png jpg gif svg pdf mdx mdc vue zig nix exs erl clj elm bat ps1 htm rst bak pem key crt",
    "dart lock html json toml yaml java scss sass less bash fish conf diff webp jpeg wasm",
    "proto swift scala jsonl jsonc ipynb plist patch cmake vscdb",
    "gradle svelte sqlite",
    "graphql parquet",
    "",
    "",
    "properties dockerfile",
];

/// Whether `ending` is the ending of a kind of file that developers name.
fn is_ending(ending: &str) -> bool {
    let of_its_length = ending.len().checked_sub(1).and_then(|place| ENDINGS.get(place));
    of_its_length.is_some_and(|list| list.split(' ').any(|known| known.eq_ignore_ascii_case(ending)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_fall_into_their_words() {
        let split = |run: &str| pieces(run).map(|(a, b)| run[a..b].to_owned()).collect::<Vec<_>>().join(" ");
        let table = [
            ("fooBar", "foo Bar"),
            ("snake_case_name", "snake case name"),
            ("__init__", "init"),
            ("parseHTTPHeader", "parse HTTP Header"),
            ("sha256Sum", "sha256 Sum"),
            ("MAX_FILE_SIZE", "MAX FILE SIZE"),
            ("A1B2C3", "A1B2C3"),
            ("GitHub", "Git Hub"),
            ("utf8", "utf8"),
            ("größeMax", "größe Max"),
            ("_", ""),
        ];
        for (run, expected) in table {
            assert_eq!(split(run), expected, "{run}");
        }
    }
}
