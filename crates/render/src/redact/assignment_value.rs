//! What stands behind a name: the sign between them, the quotes, and where the value ends.

use std::ops::Range;

use super::colour;

/// A value behind a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) range: Range<usize>,
    pub(super) written: Written,
}

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// In quotes.
    Quoted,
    /// Without.
    Bare,
    /// As a variable of the environment.
    Variable,
    /// Among the settings of a connection string.
    Connection,
    /// In a place where many other things stand as well: an argument, a cell of a table, a sentence.
    Loose,
}

/// A value is no longer than this.
const LONGEST: usize = 2048;

/// The value that follows the name which ends at `name_end` and holds `in_name`.
pub(super) fn after(text: &str, in_name: usize, name_end: usize) -> Option<Value> {
    let bytes = text.as_bytes();
    let (mut at, sign) = sign(bytes, name_end, is_option(bytes, in_name))?;
    if sign == Sign::Colon {
        at = type_skipped(text, at);
    }
    let is_tight = sign == Sign::Equals && bytes.get(at).is_some_and(|byte| !byte.is_ascii_whitespace());
    at += bytes.get(at..)?.iter().take(4).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    at += colour::length(&bytes[at..]);
    at += line_end_skipped(&bytes[at..]);
    // `b"…"`, `r'…'`, `@"…"`: the quote alone counts.
    if let [b'b' | b'r' | b'f' | b'u' | b'@' | b'$', b'"' | b'\'', ..] = &bytes[at..] {
        at += 1;
    }
    // A quote may stand behind backslashes, if all of this is inside a string.
    let slashes = bytes.get(at..)?.iter().take(8).take_while(|byte| **byte == b'\\').count();
    match bytes.get(at + slashes)? {
        quote @ (b'"' | b'\'' | b'`') => quoted(text, at + slashes + 1, *quote),
        // `[NAME]: value` is code.
        _ if slashes > 0 || bytes.get(name_end) == Some(&b']') => None,
        _ if sign == Sign::Colon && bytes.get(at.wrapping_sub(1)) != Some(&b' ') => None,
        _ => bare(text, at, is_tight),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Equals,
    Colon,
    Space,
}

/// Whether the name is an option of a command: `--token`.
fn is_option(bytes: &[u8], in_name: usize) -> bool {
    let belongs = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'-');
    let before: Vec<&u8> = bytes[..in_name].iter().rev().take(40).take_while(belongs).collect();
    before.ends_with(&[&b'-', &b'-'])
}

/// Where the value may begin, and what stands before it.
fn sign(bytes: &[u8], name_end: usize, is_option: bool) -> Option<(usize, Sign)> {
    let mut at = name_end;
    at += colour::length(bytes.get(at..)?);
    // The closing quote of the name, with its backslashes, and a bracket.
    at += bytes
        .get(at..)?
        .iter()
        .take(10)
        .take_while(|byte| matches!(byte, b'\\' | b'"' | b'\'' | b'`' | b']'))
        .count();
    let spaces = bytes.get(at..)?.iter().take(24).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    match bytes.get(at + spaces..)? {
        [b'=', b'=' | b'~', ..] | [b':', b':', ..] => None,
        [b'=', b'>', ..] | [b':', b'=', ..] => Some((at + spaces + 2, Sign::Equals)),
        [b'=', ..] => Some((at + spaces + 1, Sign::Equals)),
        [b':', ..] => Some((at + spaces + 1, Sign::Colon)),
        [b'%', b'3', b'D' | b'd', ..] => Some((at + spaces + 3, Sign::Equals)),
        _ if is_option && spaces > 0 => Some((at, Sign::Space)),
        _ => None,
    }
}

/// In `token: string = "…"` the value stands behind the type.
fn type_skipped(text: &str, at: usize) -> usize {
    let is_type = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, ' ' | '&' | '\'' | '<' | '>' | '|' | '?' | '_' | '.')
    };
    let rest = &text[at..];
    let length =
        rest.char_indices().take(40).take_while(|(_, c)| is_type(*c)).map(|(at, c)| at + c.len_utf8()).last();
    let length = length.unwrap_or(0);
    let behind = rest[length..].strip_prefix('=').filter(|rest| !rest.starts_with('='));
    let is_quote = behind.is_some_and(|rest| rest.trim_start_matches(' ').starts_with(['"', '\'', '`']));
    if is_quote { at + length + 1 } else { at }
}

/// In a shell a line may go on behind a backslash.
fn line_end_skipped(bytes: &[u8]) -> usize {
    let rest = bytes.strip_prefix(b"\\\n").or_else(|| bytes.strip_prefix(b"\\\r\n"));
    let spaces = |rest: &[u8]| rest.iter().take(16).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    rest.map_or(0, |rest| bytes.len() - rest.len() + spaces(rest))
}

pub(super) fn quoted(text: &str, begin: usize, quote: u8) -> Option<Value> {
    let rest = text.get(begin..)?;
    let end = rest.bytes().take(LONGEST).position(|byte| byte == quote || byte == b'\n')?;
    if rest.as_bytes()[end] != quote {
        return None;
    }
    let value = rest[..end].trim_end_matches('\\');
    Some(Value { range: begin..begin + value.len(), written: Written::Quoted })
}

pub(super) fn bare(text: &str, begin: usize, is_tight: bool) -> Option<Value> {
    let rest = text.get(begin..)?;
    let bytes = rest.as_bytes();
    let ends = |at: usize, byte: u8| {
        byte.is_ascii_whitespace()
            || byte.is_ascii_control()
            || matches!(
                byte,
                b'"' | b'\''
                    | b'`'
                    | b','
                    | b';'
                    | b'&'
                    | b'<'
                    | b'>'
                    | b'('
                    | b')'
                    | b'['
                    | b']'
                    | b'{'
                    | b'}'
                    | b'|'
                    | b'\\'
            )
            || (byte == b'%' && is_encoded_end(&bytes[at..]))
    };
    let end = bytes
        .iter()
        .enumerate()
        .take(LONGEST)
        .position(|(at, byte)| ends(at, *byte))
        .unwrap_or(bytes.len().min(LONGEST));
    let value = rest.get(..end)?;
    let next = bytes.get(end);
    // What is called, indexed or built is code, and what is itself given a value is a type.
    let is_type = rest[end..].trim_start_matches(' ').starts_with('=');
    if next == Some(&b'(') && bytes.get(end + 1).is_some_and(|byte| matches!(byte, b'"' | b'\'')) {
        // `Buffer.from("…")`: what is made of a secret.
        return quoted(text, begin + end + 2, bytes[end + 1])
            .map(|value| Value { written: Written::Loose, ..value });
    }
    if value.is_empty() || is_type || matches!(next, Some(b'(' | b'[' | b'{' | b'<')) {
        return None;
    }
    if is_member(value) {
        return None;
    }
    let is_connection = is_tight && (next == Some(&b';') || connects(text, begin));
    let value = value.trim_end_matches(['.', ':']);
    // Behind the value of a variable no such sign stands, but behind a type or a constant of a program.
    let is_code = !is_tight && matches!(next, Some(b';' | b',' | b')' | b'|'));
    if is_code && next == Some(&b';') && is_name(value) {
        return None;
    }
    let written = match (is_connection, is_code) {
        (true, _) => Written::Connection,
        (false, true) => Written::Loose,
        (false, false) => Written::Bare,
    };
    Some(Value { range: begin..begin + value.len(), written })
}

/// Whether this is code that names a thing inside another: `module.Type`, `self.tokens`.
fn is_member(value: &str) -> bool {
    value.contains('.') && value.split('.').all(is_name)
}

/// Whether this may be the name of something in a program.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A space, a quote, a line end or an ampersand, spelled with a percent sign.
fn is_encoded_end(bytes: &[u8]) -> bool {
    let code = bytes.get(1..3).unwrap_or_default().to_ascii_uppercase();
    [b"20", b"22", b"26", b"0A", b"0D", b"3B"].iter().any(|end| code == **end)
}

/// Whether the line names a server and a user besides.
fn connects(text: &str, at: usize) -> bool {
    let start = text[..at].rfind(['\n', '"', '\'']).map_or(0, |found| found + 1);
    let before = text[start..at].to_ascii_lowercase();
    let mut tail = before.len().saturating_sub(400);
    while !before.is_char_boundary(tail) {
        tail += 1;
    }
    let before = &before[tail..];
    ["server=", "data source=", "host=", "user id=", "uid="].iter().any(|word| before.contains(word))
        && before.contains(';')
}
