//! Private keys between their two lines: as they are, on one line with `\n`, in diffs, behind line numbers, in base64.

use super::base64_text;
use super::find::{Find, Surety};
use super::trigger::Trigger;

const BEGIN: &str = "-----BEGIN";
/// The same in base64.
const ENCODED: &str = "LS0tLS1CRUdJTi";
const KIND: &str = "private-key";

/// A block is no longer than this.
const LONGEST: usize = 32 * 1024;
/// A key has at least so many letters of base64.
const SHORTEST: usize = 48;

pub(super) fn words() -> impl Iterator<Item = (String, Trigger)> {
    [(BEGIN, Trigger::KeyBlock), (ENCODED, Trigger::EncodedKeyBlock)]
        .into_iter()
        .map(|(word, what)| (word.to_owned(), what))
}

/// The block that begins at `start`, whole or cut off.
pub(super) fn at(text: &str, start: usize) -> Option<Find> {
    let rest = clipped(text.get(start..)?);
    let label = rest.strip_prefix(BEGIN)?;
    let label_end = label.find("-----").filter(|length| *length <= 60)?;
    let spoken = label[..label_end].replace("%20", " ").replace('+', " ");
    if !spoken.contains("PRIVATE KEY") {
        return None;
    }
    let body_start = BEGIN.len() + label_end + "-----".len();
    let body = &rest[body_start..];
    let mark = text[..start]
        .chars()
        .next_back()
        .filter(|c| matches!(c, '+' | '-'))
        .filter(|_| is_line_start(text, start - 1));
    let (body, end) = match body.find("-----END") {
        Some(length) => (&body[..length], body_start + length + end_line(&body[length..])),
        None => (cut_off(body), body_start + cut_off(body).len()),
    };
    let lines = lines(body, mark);
    let letters: usize = lines.iter().map(String::len).sum();
    let is_key = letters >= SHORTEST && letters * 10 >= body.len() * 5;
    is_key.then(|| Find::new(start..start + end, KIND, format!("{}\n", lines.join("\n")), Surety::Certain))
}

/// The block in base64 that begins at `start`.
pub(super) fn encoded_at(text: &str, start: usize) -> Option<Find> {
    let rest = clipped(text.get(start..)?);
    if !rest.starts_with(ENCODED) {
        return None;
    }
    let is_letter =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_');
    let length = rest.bytes().take_while(|byte| is_letter(*byte)).count();
    let decoded = String::from_utf8_lossy(&base64_text::decoded(&rest[..length])).into_owned();
    let label = decoded.get(..60.min(decoded.len())).unwrap_or_default();
    if !label.contains("PRIVATE KEY") {
        return None;
    }
    // The same key has the same placeholder, in base64 or not.
    let secret = at(&decoded, 0).map_or_else(|| rest[..length].to_owned(), |find| find.secret);
    Some(Find::new(start..start + length, KIND, secret, Surety::Certain))
}

fn clipped(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
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

/// The lines of base64 in a body, without what stands before them: a diff's mark, a line's number, quotes.
fn lines(body: &str, mark: Option<char>) -> Vec<String> {
    let plain = body
        .replace("\\r", "")
        .replace("\\n", "\n")
        .replace("%0A", "\n")
        .replace("%2B", "+")
        .replace("%2F", "/")
        .replace("%3D", "=");
    let of_key = plain.lines().map(|line| {
        let line = line.trim_end();
        let line = mark.and_then(|mark| line.strip_prefix(mark)).unwrap_or(line).trim();
        let line = line
            .split_once('|')
            .filter(|(number, _)| number.trim().bytes().all(|b| b.is_ascii_digit()))
            .map_or(line, |(_, rest)| rest);
        line.trim_matches(['"', '\'', ',', ' ', '>', '\\']).to_owned()
    });
    let is_base64 = |line: &String| {
        !line.is_empty()
            && line.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
    };
    of_key.filter(is_base64).collect()
}
