//! What hides a secret from a plain search, and the text without it: escapes, colours, characters that cannot be seen, line
//! ends of a terminal or a diff, base64.
//!
//! A [`View`] is the text without what hides, and knows for each of its bytes where it stands in the text.

use std::borrow::Cow;
use std::ops::Range;

use percent_encoding::percent_decode_str;

use crate::finder::Find;

/// How an escape of a terminal is written.
const ESCAPES: &[&[u8]] = &[b"\x1b[", b"\\u001b[", b"\\u001B[", b"\\x1b[", b"\\x1B[", b"\\033[", b"\\e["];

/// Characters without a width, soft hyphens and marks of direction.
const UNSEEN: &[char] = &[
    '\u{ad}', '\u{34f}', '\u{61c}', '\u{180e}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}',
    '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2060}', '\u{2061}', '\u{2062}',
    '\u{2063}', '\u{2064}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}', '\u{feff}',
];

/// How they are spelled where a text is escaped.
const UNSEEN_SPELLED: &[&str] = &[
    "\\u00ad", "\\u200b", "\\u200c", "\\u200d", "\\u200e", "\\u200f", "\\u2060", "\\ufeff", "&#8203;",
    "&zwnj;", "&shy;",
];

/// Spaces that programs do not take for one.
const WIDE_SPACES: &[char] =
    &['\u{a0}', '\u{2002}', '\u{2003}', '\u{2007}', '\u{2009}', '\u{200a}', '\u{202f}', '\u{3000}'];

/// Numbers of a colour are no longer than this.
const LONGEST_COLOUR: usize = 20;

/// The value of a hexadecimal digit.
pub(crate) fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// What percent signs stand for, or `None` where there are none or they make no text.
pub(crate) fn percent_decoded(text: &str) -> Option<String> {
    match percent_decode_str(text).decode_utf8() {
        Ok(Cow::Owned(decoded)) => Some(decoded),
        Ok(Cow::Borrowed(_)) | Err(_) => None,
    }
}

/// Whether a word may begin at `at`: nothing that belongs to it stands before, escapes and colours aside.
pub(crate) fn begins_fresh(text: &str, at: usize) -> bool {
    let before = &text.as_bytes()[..at];
    match before {
        [] | [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [.., b'%', high, low] if hex(*high).is_some() && hex(*low).is_some() => true,
        [.., b'\\', b'u', a, b, c, d] if [a, b, c, d].into_iter().all(|digit| hex(*digit).is_some()) => true,
        [.., last] => (!last.is_ascii_alphanumeric() && *last != b'_') || ends_in_colour(before),
    }
}

fn is_colour_number(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b';'
}

/// Whether `before` ends with a colour.
pub(crate) fn ends_in_colour(before: &[u8]) -> bool {
    let Some((b'm' | b'K', before)) = before.split_last() else { return false };
    let numbers =
        before.iter().rev().take(LONGEST_COLOUR).take_while(|byte| is_colour_number(**byte)).count();
    let before = &before[..before.len() - numbers];
    ESCAPES.iter().any(|escape| before.ends_with(escape))
}

/// How long the colours are that `text` begins with.
pub(crate) fn colour_length(text: &[u8]) -> usize {
    let mut length = 0;
    while let Some(escape) = ESCAPES.iter().find(|escape| text[length..].starts_with(escape)) {
        let rest = &text[length + escape.len()..];
        let numbers = rest.iter().take(LONGEST_COLOUR).take_while(|byte| is_colour_number(**byte)).count();
        if !matches!(rest.get(numbers), Some(b'm' | b'K')) {
            break;
        }
        length += escape.len() + numbers + 1;
    }
    length
}

/// A text without what hides secrets in it.
#[derive(Debug, Default)]
pub(crate) struct View {
    pub(crate) text: String,
    /// The pieces of the text that it is made of, in order.
    spans: Vec<Span>,
}

/// A stretch of text that stands in a view.
#[derive(Debug)]
struct Span {
    /// Where it begins in the view.
    at: usize,
    /// Where it stands in the text.
    range: Range<usize>,
    /// True if it stands for one letter.
    is_spelled: bool,
}

impl View {
    /// Adds the text that stands at `at`.
    pub(crate) fn push(&mut self, text: &str, at: usize) {
        if !text.is_empty() {
            self.spans.push(Span { at: self.text.len(), range: at..at + text.len(), is_spelled: false });
            self.text.push_str(text);
        }
    }

    /// Adds the letter that is spelled in `range`.
    fn push_letter(&mut self, letter: char, range: Range<usize>) {
        self.spans.push(Span { at: self.text.len(), range, is_spelled: true });
        self.text.push(letter);
    }

    /// Where a byte of the view stands in the text.
    fn place(&self, at: usize) -> Option<Range<usize>> {
        let number = self.spans.partition_point(|stretch| stretch.at <= at).checked_sub(1)?;
        let Span { at: begin, range, is_spelled } = self.spans.get(number)?;
        let start = range.start + at - begin;
        Some(if *is_spelled { range.clone() } else { start..start + 1 }).filter(|_| at < self.text.len())
    }

    /// The find, in places of the text that this is a view of.
    pub(crate) fn outside(&self, find: Find) -> Option<Find> {
        let start = self.place(find.range.start)?.start;
        let end = self.place(find.range.end.checked_sub(1)?)?.end;
        Some(Find { range: start..end, ..find })
    }

    /// The text without colours, characters that cannot be seen and the marks before its lines; escapes, percent codes and wide
    /// spaces are what they stand for. `None` if that is the text itself.
    pub(crate) fn decoded(text: &str) -> Option<Self> {
        let mut view = Self::default();
        let mut from = 0;
        let mut at = mark_length_at(text);
        let mut skip = |view: &mut Self, at: usize, length: usize, meant: Option<char>| {
            view.push(&text[from..at], from);
            if let Some(meant) = meant {
                view.push_letter(meant, at..at + length);
            }
            from = at + length;
        };
        if at > 0 {
            skip(&mut view, 0, at, None);
        }
        let may_hide = |byte: &u8| matches!(byte, 0x1b | b'\\' | b'&' | b'%' | b'\n') || !byte.is_ascii();
        while let Some(plain) = text.as_bytes()[at..].iter().position(may_hide) {
            at += plain;
            let rest = &text[at..];
            let letter = rest.chars().next().unwrap_or_default();
            let (length, meant) = match letter {
                '\u{1b}' | '\\' | '&' | '%' => spelled_at(rest),
                '\n' => match mark_length_at(&rest[1..]) {
                    0 => (0, None),
                    mark => (1 + mark, Some('\n')),
                },
                _ if UNSEEN.contains(&letter) => (letter.len_utf8(), None),
                _ if WIDE_SPACES.contains(&letter) => (letter.len_utf8(), Some(' ')),
                _ => (0, None),
            };
            if length > 0 {
                skip(&mut view, at, length, meant);
            }
            at += length.max(letter.len_utf8());
        }
        if from == 0 {
            return None;
        }
        view.push(&text[from..], from);
        Some(view)
    }
}

/// How long the mark is with which a line begins: a diff's, a quotation's, or its number, behind which a sign stands.
fn mark_length_at(line: &str) -> usize {
    let bytes = line.as_bytes();
    let spaces = bytes.iter().take(8).take_while(|byte| **byte == b' ').count();
    let digits = bytes[spaces..].iter().take(8).take_while(|byte| byte.is_ascii_digit()).count();
    let number = spaces + digits;
    match (bytes.first(), &bytes[number..]) {
        (_, [b'|' | b'\t' | b':', ..]) if digits > 0 => number + 1,
        (_, [0xe2, 0x86, 0x92, ..]) if digits > 0 => number + '→'.len_utf8(),
        (Some(b'+'), _) => 1,
        // `- name` is an item of a list.
        (Some(b'-'), _)
            if bytes.get(1) != Some(&b'-')
                && (bytes.get(1) != Some(&b' ') || bytes.get(2) == Some(&b' ')) =>
        {
            1
        }
        (Some(b'>'), _) => 1 + usize::from(bytes.get(1) == Some(&b' ')),
        _ => place_length_at(line),
    }
}

/// The name of a file is no longer than this.
const LONGEST_FILE_NAME: usize = 120;

/// How long the name of a file and the number of a line are with which a line of `grep` begins.
fn place_length_at(line: &str) -> usize {
    let bytes = line.as_bytes();
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-');
    let name = bytes.iter().take(LONGEST_FILE_NAME).take_while(is_of_name).count();
    let digits = bytes[name..].iter().skip(1).take(8).take_while(|byte| byte.is_ascii_digit()).count();
    let sign = bytes.get(name).filter(|sign| matches!(sign, b':' | b'-'));
    let is_place = digits > 0 && sign.is_some() && bytes.get(name + 1 + digits) == sign;
    if is_place && line[..name].contains(['.', '/']) { name + digits + 2 } else { 0 }
}

/// How long the colour, or the character that cannot be seen or is spelled in another way, is that `text` begins with, and which
/// letter is meant.
fn spelled_at(text: &str) -> (usize, Option<char>) {
    if let Some(code) = text.strip_prefix('%') {
        return percent_at(code);
    }
    let begins = |word: &str| text.get(..word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word));
    let unseen = UNSEEN_SPELLED.iter().find(|spelled| begins(spelled)).map_or(0, |spelled| spelled.len());
    let hidden = colour_length(text.as_bytes()).max(unseen);
    if hidden > 0 {
        return (hidden, None);
    }
    if let Some((length, letter)) = number_at(text) {
        return (length, Some(letter));
    }
    let spelled = SPELLED.iter().find(|(spelled, _)| text.starts_with(spelled));
    spelled.map_or((0, None), |(spelled, letter)| (spelled.len(), Some(*letter)))
}

/// What begins a letter that is spelled by its number, the base of the number, its digits (0: any), and what ends it.
const NUMBERS: &[(&str, u32, usize, &str)] = &[
    ("\\u{", 16, 0, "}"),
    ("\\u", 16, 4, ""),
    ("\\U", 16, 8, ""),
    ("\\x{", 16, 0, "}"),
    ("\\x", 16, 2, ""),
    ("\\", 8, 3, ""),
    ("&#x", 16, 0, ";"),
    ("&#", 10, 0, ";"),
];

/// The letter that is spelled by its number at the beginning of `text`, and the length of its spelling.
fn number_at(text: &str) -> Option<(usize, char)> {
    NUMBERS.iter().find_map(|(begin, base, digits, end)| {
        let rest = text.get(..begin.len()).filter(|here| here.eq_ignore_ascii_case(begin));
        let rest = &text[rest?.len()..];
        let most = if *digits == 0 { 7 } else { *digits };
        let length = rest.chars().take(most).take_while(|c| c.is_digit(*base)).count();
        if length == 0 || (*digits > 0 && length < *digits) || !rest[length..].starts_with(end) {
            return None;
        }
        let letter = match u8::try_from(u32::from_str_radix(&rest[..length], *base).ok()?).ok()? {
            0xa0 => ' ',
            letter @ b' '..=b'~' => char::from(letter),
            _ => return None,
        };
        Some((begin.len() + length + end.len(), letter))
    })
}

/// How letters are spelled in strings of programs and in HTML.
const SPELLED: &[(&str, char)] = &[
    ("\\r\\n", '\n'),
    ("\\n", '\n'),
    ("\\t", '\t'),
    ("\\\\", '\\'),
    ("\\\"", '"'),
    ("\\'", '\''),
    ("\\/", '/'),
    ("&quot;", '"'),
    ("&apos;", '\''),
    ("&amp;", '&'),
    ("&lt;", '<'),
    ("&gt;", '>'),
];

/// How long a percent sign with the digits behind it is, encoded once or twice, and which letter is meant.
fn percent_at(code: &str) -> (usize, Option<char>) {
    let (before, digits) = match code.strip_prefix("25") {
        Some(digits) => (3, digits),
        None => (1, code),
    };
    let number = digits.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    match number.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
        Some(letter @ (b' '..=b'~' | b'\n')) => (before + 2, Some(letter.into())),
        _ => (0, None),
    }
}

/// Letters, digits and these.
pub(crate) const fn table(others: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128_u8 {
        table[byte as usize] = byte.is_ascii_alphanumeric();
        byte += 1;
    }
    let mut at = 0;
    while at < others.len() {
        table[others[at] as usize] = true;
        at += 1;
    }
    table
}

/// A secret in base64 has at least this many letters: the shortest token has sixteen.
const SHORTEST_BASE64: usize = 22;

fn is_base64(byte: u8) -> bool {
    const TABLE: [bool; 256] = table(b"+/-_");
    TABLE[usize::from(byte)]
}

/// The pieces of base64 that hold text, each with that text.
pub(crate) fn encoded_texts(text: &str) -> Vec<(Range<usize>, String)> {
    let bytes = text.as_bytes();
    let mut all = Vec::new();
    let mut begin = 0;
    // What does not belong to a stretch is looked for from its end: whatever stands before it is then too short.
    while let Some(window) = bytes.get(begin..begin + SHORTEST_BASE64) {
        if let Some(other) = window.iter().rposition(|byte| !is_base64(*byte)) {
            begin += other + 1;
            continue;
        }
        let found = encoded_at(text, begin);
        begin += SHORTEST_BASE64;
        begin += bytes[begin..].iter().take_while(|byte| is_base64(**byte)).count();
        all.extend(found);
    }
    all
}

/// The text that the stretch of base64 at `begin` stands for, and where it is; a path or a name may stand before it.
fn encoded_at(text: &str, begin: usize) -> Option<(Range<usize>, String)> {
    let run = &text.as_bytes()[begin..];
    // Nearly all pieces are names and paths.
    let starts = run.iter().take_while(|byte| is_base64(**byte)).enumerate();
    let starts = starts.filter(|(_, byte)| !byte.is_ascii_alphanumeric()).map(|(at, _)| at + 1);
    let mut starts = std::iter::once(0).chain(starts.take(16));
    let start = begin + starts.find(|start| begins_as_text(&run[*start..]))?;
    let end = start + text.as_bytes()[start..].iter().take_while(|byte| is_base64(**byte)).count();
    if end - start < SHORTEST_BASE64 {
        return None;
    }
    let padding = text[end..].bytes().take(2).take_while(|byte| *byte == b'=').count();
    if padding == 0 && goes_on_below(text, start..end) {
        return None;
    }
    let decoded = String::from_utf8(base64_decoded(&text[start..end])).ok()?;
    decoded.bytes().all(is_of_text).then_some((start..end + padding, decoded))
}

/// Whether this is a line in the middle of a file in base64: the one before and the one behind it are as long.
fn goes_on_below(text: &str, line: Range<usize>) -> bool {
    let length = |bytes: &mut dyn Iterator<Item = &u8>| bytes.take_while(|byte| is_base64(**byte)).count();
    let bytes = text.as_bytes();
    let before = bytes[..line.start].strip_suffix(b"\n").map(|bytes| length(&mut bytes.iter().rev()));
    let behind = bytes[line.end..].strip_prefix(b"\n").map(|bytes| length(&mut bytes.iter()));
    before == Some(line.len()) && behind == before
}

/// Whether the first letters of base64 stand for text.
fn begins_as_text(run: &[u8]) -> bool {
    let is_text = |four: &[u8]| {
        let held =
            four.iter().fold(0, |held, byte| held << 6 | u32::from(base64_value(*byte).unwrap_or_default()));
        let [_, one, two, three] = held.to_be_bytes();
        [one, two, three].into_iter().all(is_of_text)
    };
    run.len() >= 16 && run.chunks_exact(4).take(4).all(is_text)
}

fn is_of_text(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t')
}

/// The bytes that `text` stands for, up to the first character that is not base64. Spaces and line ends are jumped over.
pub(crate) fn base64_decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let Some(value) = base64_value(byte) else { break };
        held = (held << 6 | u32::from(value)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xff).unwrap_or_default());
        }
    }
    bytes
}

fn base64_value(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_known_raw_and_spelled() {
        for escape in ["\u{1b}", "\\u001b", "\\x1B", "\\033"] {
            let colour = format!("{escape}[1;32m");
            assert!(ends_in_colour(format!("x={colour}").as_bytes()), "{colour}");
            assert_eq!(colour_length(format!("{colour}{colour}key").as_bytes()), 2 * colour.len());
        }
        assert!(!ends_in_colour(b"item") && !ends_in_colour(b"[1m") && !ends_in_colour(b""));
        assert_eq!((colour_length(b"key"), colour_length(b"\x1b[1"), colour_length(b"\x1b[2J")), (0, 0, 0));
    }

    #[test]
    fn what_hides_is_left_out_and_places_are_kept() {
        let text = "é a\u{200b}b\u{1b}[01;31m\u{1b}[Kc\u{1b}[m\u{1b}[K d\\u200be";
        let view = View::decoded(text).expect("it hides something");
        assert_eq!(view.text, "é abc de");
        let find = Find::new(3..6, "x", "abc", crate::finder::Surety::Certain);
        let outside = view.outside(find).map(|find| text[find.range].to_owned());
        assert_eq!(outside.as_deref(), Some("a\u{200b}b\u{1b}[01;31m\u{1b}[Kc"));
    }

    #[test]
    fn text_in_base64_is_read() {
        let text = "see x/aGVsbG8gdGhlcmUsIHdob2xlIHdvcmxkIQ== and AAAAAAAAAAAAAAAAAAAAAAAAAAAA\n";
        let found = encoded_texts(text);
        assert_eq!(found.len(), 1);
        assert_eq!(&text[found[0].0.clone()], "aGVsbG8gdGhlcmUsIHdob2xlIHdvcmxkIQ==");
        assert_eq!(found[0].1, "hello there, whole world!");
    }
}
