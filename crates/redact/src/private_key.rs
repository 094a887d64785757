//! Private keys and JSON web tokens: PEM blocks whole, cut off at either end, in base64.

use std::ops::Range;

use crate::alphabet::Alphabet;
use crate::disguise::{base64_decoded, begins_fresh};
use crate::finder::{Find, Surety, Trigger};
use crate::likely;
use crate::options::around;

/// How every header begins: `{"` in base64.
const WEB_TOKEN: &str = "eyJ";

pub(crate) fn web_token_words() -> impl Iterator<Item = (String, Trigger)> {
    [(WEB_TOKEN.to_owned(), Trigger::JsonWebToken)].into_iter()
}

/// The token at `start`, and where nothing that belongs to one goes on.
pub(crate) fn web_token_at(text: &str, start: usize) -> (usize, Option<Find>) {
    let rest = &text[around(text, start, 0, LONGEST_KEY)];
    if !rest.starts_with(WEB_TOKEN) || !begins_fresh(text, start) {
        return (start, None);
    }
    let mut begin = 0;
    let length = Alphabet::Dotted.run(rest);
    // Any piece may be the header.
    while let Some(piece) = rest[begin..length].split('.').next().filter(|piece| !piece.is_empty()) {
        let find = web_token(text, start + begin..start + length).filter(|_| piece.starts_with(WEB_TOKEN));
        if find.is_some() {
            return (start + length, find);
        }
        begin = (begin + piece.len() + 1).min(length);
    }
    (start + length, None)
}

/// The token that begins where `range` does and goes on to its end.
fn web_token(text: &str, range: Range<usize>) -> Option<Find> {
    let Range { start, end } = range;
    let mut pieces = text[range].splitn(4, '.');
    let header = pieces.next()?;
    let payload = pieces.next()?;
    let signature = pieces.next()?;
    if header.len() > LONGEST_HEADER {
        return None;
    }
    let decoded = base64_decoded(header);
    let is_header = decoded.first() == Some(&b'{') && names_field(&decoded, b"\"alg\"");
    let is_one = is_header
        && payload.len() + signature.len() >= 30
        && !signature.is_empty()
        && !likely::is_example(&text[start..end]);
    let find = || Find::new(start..end, "jwt", &text[start..end], Surety::Certain);
    is_one.then(|| Find { is_open: true, ..find() })
}

/// Maximum length of the header of a token.
const LONGEST_HEADER: usize = 4096;

fn names_field(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}

const KEY_BEGIN: &str = "-----BEGIN";
/// The same in base64.
const KEY_ENCODED: &str = "LS0tLS1CRUdJTi";
const KEY_END: &str = "-----END";
const KEY_KIND: &str = "private-key";

/// A block is no longer than this.
const LONGEST_KEY: usize = 32 * 1024;
/// The minimum number of base64 letters in a key.
const SHORTEST_KEY: usize = 48;
/// What is left of one has at least so many.
const SHORTEST_TAIL: usize = 24;
/// No line of a key is longer than this.
const LONGEST_LINE: usize = 120;
/// Lines of a key this long are known again by themselves.
pub(crate) const TELLING_LINE: usize = 40;

pub(crate) fn words() -> impl Iterator<Item = (String, Trigger)> {
    [
        (KEY_BEGIN, Trigger::KeyBlock),
        (KEY_END, Trigger::KeyTail),
        (KEY_ENCODED, Trigger::EncodedKeyBlock),
        ("private-lines:", Trigger::PrivateLines),
    ]
    .into_iter()
    .map(|(word, what)| (word.to_owned(), what))
}

/// The block that begins at `start`, whole or cut off.
pub(crate) fn block_at(text: &str, start: usize) -> Option<Find> {
    let rest = &text[around(text, start, 0, LONGEST_KEY)];
    let label = rest.strip_prefix(KEY_BEGIN)?;
    let label_end = label.find("-----").filter(|length| *length <= 60)?;
    let spoken = label[..label_end].replace("%20", " ").replace('+', " ");
    if !is_label(&spoken) {
        return None;
    }
    let body_start = KEY_BEGIN.len() + label_end + "-----".len();
    let body = &rest[body_start..];
    let mark = text[..start]
        .chars()
        .next_back()
        .filter(|c| matches!(c, '+' | '-'))
        .filter(|_| is_line_start(text, start - 1));
    let (body, end) = match body.find(KEY_END).filter(|end| !body[..*end].contains(KEY_BEGIN)) {
        Some(length) => (&body[..length], body_start + length + end_line(&body[length..])),
        None => (cut_off(body), body_start + cut_off(body).len()),
    };
    let lines = lines(body, mark);
    let letters: usize = lines.iter().map(String::len).sum();
    let is_key = letters >= SHORTEST_KEY && letters * 10 >= body.len() * 5;
    is_key
        .then(|| Find::new(start..start + end, KEY_KIND, format!("{}\n", lines.join("\n")), Surety::Certain))
}

/// The last lines of a block whose beginning is missing; its last line begins at `end`.
pub(crate) fn tail_at(text: &str, end: usize) -> Option<Find> {
    let label = text.get(end..)?.strip_prefix(KEY_END)?;
    let label_end = label.find("-----").filter(|length| *length <= 60)?;
    if !is_label(&label[..label_end]) {
        return None;
    }
    let ends_line = |before: &str| {
        ["\r\n", "\n", "\\\\n", "\\n"].iter().find(|end| before.ends_with(*end)).map(|end| end.len())
    };
    // What stands before the last line: a diff's mark, a line's number.
    let is_mark = |c: char| matches!(c, ' ' | '\t' | '+' | '-' | '|' | '>' | ':' | '→') || c.is_ascii_digit();
    let mark = text[..end].chars().next_back().filter(|c| matches!(c, '+' | '-'));
    let mut before = text[..end].trim_end_matches(is_mark);
    let (mut start, mut key) = (end, Vec::<String>::new());
    while let Some(length) = ends_line(before) {
        let rest = &before[..before.len() - length];
        let near = &rest[around(rest, rest.len(), LONGEST_LINE, 0)];
        let line = ["\n", "\\n"].iter().filter_map(|end| Some(near.rfind(end)? + end.len())).max();
        let line = rest.len() - near.len() + line.unwrap_or_default();
        let Some(letters) = lines(&rest[line..], mark).pop() else {
            // The first line may stand behind a quote.
            let run = rest.bytes().rev().take_while(|byte| Alphabet::Base64.has(*byte)).count();
            if run >= TELLING_LINE && rest[..rest.len() - run].ends_with(['"', '\'', '`', ' ']) {
                start = rest.len() - run;
                key.insert(0, rest[start..].to_owned());
            }
            break;
        };
        // Only the last line may be short.
        if rest.len() - line > LONGEST_LINE || (!key.is_empty() && letters.len() < TELLING_LINE) {
            break;
        }
        start = line + rest[line..].find(&letters).unwrap_or_default();
        key.insert(0, letters);
        before = &text[..line];
    }
    let letters: usize = key.iter().map(String::len).sum();
    let stop = end + KEY_END.len() + label_end + "-----".len();
    (letters >= SHORTEST_TAIL)
        .then(|| Find::new(start..stop, KEY_KIND, format!("{}\n", key.join("\n")), Surety::Placed))
}

/// The block in base64 that begins at `start`.
pub(crate) fn encoded_block_at(text: &str, start: usize) -> Option<Find> {
    let rest = &text[around(text, start, 0, LONGEST_KEY)];
    if !rest.starts_with(KEY_ENCODED) {
        return None;
    }
    let is_letter =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_');
    let run = |from: usize| rest[from..].bytes().take_while(|byte| is_letter(*byte)).count();
    let mut length = run(0);
    // Lines of this length go on in the next.
    let line = length;
    let mut last = line;
    while last == line && line >= TELLING_LINE {
        let behind = rest[length..].trim_start_matches(['\r', '\n', ' ', '\t']);
        let begin = rest.len() - behind.len();
        last = if begin > length { run(begin) } else { 0 };
        if last == 0 || last > line {
            break;
        }
        length = begin + last;
    }
    let decoded = String::from_utf8_lossy(&base64_decoded(&rest[..length])).into_owned();
    let label = decoded.get(..60.min(decoded.len())).unwrap_or_default();
    if !label.contains("PRIVATE KEY") {
        return None;
    }
    // The same key has the same placeholder, in base64 or not. A program that knows how keys begin holds much besides.
    let block = block_at(&decoded, 0).filter(|find| find.range.len() * 2 >= decoded.len())?;
    Some(Find::new(start..start + length, KEY_KIND, block.secret, Surety::Certain))
}

/// Whether the first line of a block says that a key follows.
fn is_label(label: &str) -> bool {
    label.contains("PRIVATE KEY") || label.contains("Static key")
}

/// The lines of a key that `PuTTY` wrote; their number stands at `end`.
pub(crate) fn private_lines_at(text: &str, end: usize) -> Option<Find> {
    let rest = &text[around(text, end, 0, LONGEST_KEY)];
    let (count, body) = rest.split_once('\n')?;
    let count: usize = count.trim().parse().ok()?;
    let length = body.split_inclusive('\n').take(count).map(str::len).sum();
    let key = lines(&body[..length], None);
    let start = end + rest.len() - body.len();
    let letters: usize = key.iter().map(String::len).sum();
    (key.len() == count && letters >= SHORTEST_TAIL).then(|| {
        let length = body[..length].trim_end().len();
        Find::new(start..start + length, KEY_KIND, format!("{}\n", key.join("\n")), Surety::Certain)
    })
}

/// Lengths of the lines of a key.
const LINE_LENGTHS: [usize; 2] = [64, 70];

/// Minimum and maximum number of such lines in a piece of a key. What is longer is a file.
const LINES: std::ops::RangeInclusive<usize> = 3..=60;

/// Lines before a piece in which the name of a certificate or a signature may stand.
const LINES_BEFORE: usize = 4;

/// Pieces of keys without their first and their last line: lines of base64 of the length that only they have.
pub(crate) fn pieces(text: &str) -> Vec<Find> {
    let mut finds = Vec::new();
    let mut piece: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n').chain([""]) {
        let found = line_of_piece(line).map(|range| at + range.start..at + range.end);
        let goes_on =
            found.as_ref().is_some_and(|one| piece.last().is_none_or(|last| last.len() == one.len()));
        if !goes_on {
            if let (Some(first), Some(last)) = (piece.first(), piece.last())
                && LINES.contains(&piece.len())
                && !is_named_block(text, first.start, at, line)
            {
                let lines: Vec<&str> = piece.iter().map(|line| &text[line.clone()]).collect();
                let key = format!("{}\n", lines.join("\n"));
                finds.push(Find::new(first.start..last.end, KEY_KIND, key, Surety::Placed));
            }
            piece.clear();
        }
        piece.extend(found);
        at += line.len();
    }
    finds
}

/// The base64 in a line, if it is as long as a line of a key and made by chance.
fn line_of_piece(line: &str) -> Option<Range<usize>> {
    if line.len() < LINE_LENGTHS[0] || line.len() > 2 * LONGEST_LINE {
        return None;
    }
    let is_of_key = |byte: u8| Alphabet::Base64.has(byte);
    let bytes = line.as_bytes();
    // Half of the shortest length away from any other letter stands the middle of such a line.
    let mut at = LINE_LENGTHS[0] - 1;
    while let Some(byte) = bytes.get(at) {
        if is_of_key(*byte) {
            let begin = at - bytes[..at].iter().rev().take_while(|byte| is_of_key(**byte)).count();
            let end = at + bytes[at..].iter().take_while(|byte| is_of_key(**byte)).count();
            let run = &line[begin..end];
            // `sha384-…` is as long.
            let is_hash = begin > 0 && bytes[..begin].ends_with(b"-") && begin > 1;
            let is_line = LINE_LENGTHS.contains(&run.len()) && !is_hash && likely::is_base64_by_chance(run);
            return is_line.then_some(begin..end);
        }
        at += 1;
    }
    None
}

/// Whether a block with a name of its own, or one that is found as a whole, holds the lines from `start` to `end`. Then comes `next`.
fn is_named_block(text: &str, start: usize, end: usize, next: &str) -> bool {
    let near = &text[around(text, start, LONGEST_LINE * (LINES_BEFORE + 1), 0)];
    near.rsplit('\n').take(LINES_BEFORE + 1).any(|line| line.contains(KEY_BEGIN))
        || next.contains(KEY_END)
        || text[end..].starts_with(KEY_END)
}

fn is_line_start(text: &str, at: usize) -> bool {
    at == 0 || text[..at].ends_with('\n') || text[..at].ends_with("\\n")
}

/// How long the last line of a block is.
fn end_line(from: &str) -> usize {
    let label = "-----END".len();
    from[label..]
        .find("-----")
        .filter(|length| *length <= 60)
        .map_or(label, |length| label + length + "-----".len())
}

/// The lines of a key whose end is missing.
fn cut_off(body: &str) -> &str {
    let body = &body[..body.find(KEY_BEGIN).unwrap_or(body.len())];
    let is_of_key = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '+' | '/' | '=' | '\n' | '\r' | ' ' | '\\' | '|' | '>' | '-' | ':' | ',')
    };
    let end = body.find(|c: char| !is_of_key(c)).unwrap_or(body.len());
    // Words after an empty line are not the key's.
    let mut kept = 0;
    for line in body[..end].split_inclusive('\n') {
        let letters = line.trim().trim_start_matches(['+', '-', ' ', '>']);
        let is_words = letters.contains(' ') && !letters.contains(':');
        if is_words && !letters.contains("\\n") {
            break;
        }
        kept += line.len();
    }
    &body[..kept]
}

/// The lines of base64 in a body, without what stands around them: a diff's mark, a line's number, quotes, the sign of a comment,
/// the name of a file.
fn lines(body: &str, mark: Option<char>) -> Vec<String> {
    let plain = body
        .replace("\\r", "")
        .replace("\\n", "\n")
        .replace("%0A", "\n")
        .replace("%2B", "+")
        .replace("%2F", "/")
        .replace("%3D", "=");
    let is_base64 = |line: &str| line.bytes().all(|byte| Alphabet::Base64.has(byte) || byte == b'=');
    let mut of_key = Vec::new();
    for line in plain.lines() {
        let line = mark.and_then(|mark| line.strip_prefix(mark)).unwrap_or(line);
        // The name of a file and the number of a line.
        let is_place = |word: &&str| word.contains('.') || word.bytes().all(|byte| byte.is_ascii_digit());
        let words = line.split(is_around).filter(|word| word.contains(|c| !matches!(c, '/' | '+')));
        let words: Vec<&str> = words.skip_while(is_place).collect();
        let is_key = |word: &&&str| word.len() >= TELLING_LINE && is_base64(word);
        let long = words.iter().filter(is_key).count();
        match &words[..] {
            // A line may stand alone, whatever its length.
            [word] if is_base64(word) => of_key.push((*word).to_owned()),
            // The lines of a key may have become one.
            _ if long > 0 => {
                let behind = words.iter().rposition(|word| is_key(&word)).unwrap_or_default();
                let rest = words.get(behind + 1).filter(|word| is_base64(word) && long == behind + 1);
                let long = words.iter().filter(is_key);
                of_key.extend(long.chain(rest).map(|word| (*word).to_owned()));
            }
            _ => {}
        }
    }
    of_key
}

/// What may stand around a line of a key.
fn is_around(c: char) -> bool {
    c.is_ascii_whitespace()
        || matches!(c, '"' | '\'' | '`' | ',' | ';' | '>' | '<' | '\\' | '|' | '#' | '*' | ':' | '(' | ')')
}
