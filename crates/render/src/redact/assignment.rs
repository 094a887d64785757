//! Values whose name gives them away: `API_KEY=…`, `"token": "…"`, `password = '…'`, `--token …`, `Password=…;`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::finder::{Find, Seen, Surety, Trigger};
use super::likely;
use super::options::around;
use super::secret_name::{self, is_variable, kind_of};
use super::vault::percent_decoded;

/// Names are no longer than this.
const LONGEST_NAME: usize = 80;

/// Values longer than this are no secrets of this kind, but blobs.
const LONGEST_VALUE: usize = 1024;

pub(super) fn words() -> impl Iterator<Item = (String, Trigger)> {
    let words = [
        "passw",
        "passphrase",
        "pwd",
        "secret",
        "token",
        "key",
        "credential",
        "auth",
        "_pass",
        "_pw",
        "requirepass",
    ];
    words.into_iter().map(|word| (word.to_owned(), Trigger::Assignment))
}

/// The secret behind the name that holds the word between `start` and `end`.
pub(super) fn at(text: &str, start: usize, end: usize, seen: &mut Seen) -> Option<Find> {
    if start < seen.name_end {
        return None;
    }
    let bytes = text.as_bytes();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(*byte, b'_' | b'-');
    let name_end = end + bytes[end..].iter().take(LONGEST_NAME).take_while(|byte| is_name(byte)).count();
    seen.name_end = name_end;
    let mut name_start =
        start - bytes[..start].iter().rev().take(LONGEST_NAME).take_while(|byte| is_name(byte)).count();
    // In `\nTOKEN=…` the `n` belongs to the escape.
    if bytes[..name_start].last() == Some(&b'\\') && name_end - name_start > 1 {
        name_start += 1;
    }
    let name = text[name_start..name_end].trim_start_matches('-');
    let kind = || kind_of(name).or_else(|| kind_of(with_word_before(text, name_start, name_end)?));
    let (kind, value) = match assigned_after(text, start, name_end) {
        Some(value) => (kind()?, value),
        None => (kind()?, value_beside(text, name_start, name_end)?),
    };
    let is_variable = value.written == Written::Bare && secret_name::is_variable(name);
    let written = if is_variable { Written::Variable } else { value.written };
    let range = if is_authorization(name) { scheme_skipped(text, value.range) } else { value.range };
    secret(kind, text, &Value { range, written })
}

/// The name with the word before it: people write `API key`.
fn with_word_before(text: &str, name_start: usize, name_end: usize) -> Option<&str> {
    let before = text[..name_start].strip_suffix(' ')?;
    let length = before.bytes().rev().take(LONGEST_NAME).take_while(u8::is_ascii_alphanumeric).count();
    (length > 0).then(|| &text[before.len() - length..name_end])
}

fn is_authorization(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with("authorization")
}

/// In `Authorization: ApiKey …` the secret stands behind the name of the scheme.
fn scheme_skipped(text: &str, value: Range<usize>) -> Range<usize> {
    let is_scheme =
        |word: &str| word.len() <= 16 && word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    match text[value.clone()].split_once(' ') {
        Some((scheme, secret)) if is_scheme(scheme) => value.end - secret.len()..value.end,
        None if is_scheme(&text[value.clone()]) && text[value.end..].starts_with(' ') => {
            let behind = bare(text, value.end + 1, false);
            behind.map_or(value, |behind| behind.range)
        }
        _ => value,
    }
}

/// The whole text, where it is the value of a field whose name sounds secret.
pub(super) fn of_field(name: &str, text: &str) -> Option<Find> {
    let kind = kind_of(name)?;
    let range = if is_authorization(name) { scheme_skipped(text, 0..text.len()) } else { 0..text.len() };
    secret(kind, text, &Value { range, written: Written::Quoted })
}

fn secret(kind: &'static str, text: &str, value: &Value) -> Option<Find> {
    let raw = text.get(value.range.clone())?;
    let secret = percent_decoded(raw).unwrap_or_else(|| raw.to_owned());
    let is_secret = (6..=LONGEST_VALUE).contains(&secret.len())
        && !stays(&secret)
        && match (kind, value.written) {
            ("password", Written::Connection) => !likely::is_placeholder(&secret),
            ("password", Written::Variable) => !is_setting(&secret) && !likely::is_placeholder(&secret),
            ("password", Written::Quoted) => secret.len() >= 8 && likely::is_chosen(&secret),
            ("password", Written::Bare) => {
                secret.len() >= 8 && likely::is_chosen(&secret) && has_digit(&secret)
            }
            ("password", Written::Loose) => secret.len() >= 10 && likely::is_strange(&secret),
            (_, Written::Variable) => secret.len() >= 12 && likely::is_random(&secret),
            _ => secret.len() >= 16 && likely::is_generated(&secret),
        };
    is_secret.then(|| Find::new(value.range.clone(), kind, secret, Surety::Named))
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether the value is plainly something else: code, a path, an address, a hash that says so.
pub(super) fn stays(value: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "./",
        "../",
        "~/",
        "$",
        "@",
        "#",
        "sha1-",
        "sha256-",
        "sha384-",
        "sha512-",
        "sha256:",
        "sha512:",
        "data:",
        "arn:",
        "ssh-",
        "http:",
        "https:",
        "vault:",
        "secret:",
        "op://",
        "projects/",
        "{",
        "[",
        "%",
    ];
    value.contains(char::is_whitespace)
        || value.contains(['<', '>', '{', '(', '`', '"', '\\', '‹', '|'])
        || value.contains("://")
        || value.contains("::")
        || value.contains("...")
        || BEGINNINGS.iter().any(|begin| value.starts_with(begin))
        || value.get(1..3).is_some_and(|drive| drive == ":\\" || drive == ":/")
        || likely::is_uuid(value)
}

/// Whether the value of a variable is a setting, not a secret.
fn is_setting(value: &str) -> bool {
    value.starts_with('/')
        || value.contains('/')
        || value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

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
const LONGEST_ASSIGNED: usize = 2048;

/// The value that follows the name which ends at `name_end` and holds `in_name`.
fn assigned_after(text: &str, in_name: usize, name_end: usize) -> Option<Value> {
    let bytes = text.as_bytes();
    let (mut at, sign) = sign(bytes, name_end, is_option(bytes, in_name))?;
    if sign == Sign::Colon {
        at = type_skipped(text, at);
    }
    let is_tight = sign == Sign::Equals && bytes.get(at).is_some_and(|byte| !byte.is_ascii_whitespace());
    at += bytes.get(at..)?.iter().take(4).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    at += likely::colour_length(&bytes[at..]);
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
    at += likely::colour_length(bytes.get(at..)?);
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
    let end = rest.bytes().take(LONGEST_ASSIGNED).position(|byte| byte == quote || byte == b'\n')?;
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
        .take(LONGEST_ASSIGNED)
        .position(|(at, byte)| ends(at, *byte))
        .unwrap_or(bytes.len().min(LONGEST_ASSIGNED));
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

/// How far behind its name a value may begin.
const FAR: usize = 300;

/// How far before its name a word may stand that tells what it is.
const NEAR: usize = 120;

/// A way in which a value stands beside its name.
struct Way {
    /// What stands before the name.
    begins: fn(before: &str, name: &str) -> bool,
    /// What stands between them.
    between: Regex,
    takes: Takes,
}

/// What is taken for a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// Whatever would be one behind a sign.
    AsIfSigned,
    /// A string.
    Argument,
    /// Anything that can hardly be something else.
    Cell,
    /// All up to the closing tag.
    Element,
}

static WAYS: LazyLock<Vec<Way>> = LazyLock::new(|| {
    let way = |begins, between, takes| Way {
        begins,
        between: Regex::new(between).expect("the pattern is written here"),
        takes,
    };
    vec![
        // `name: API_KEY` and in the next line `value: …`; `<add key="ApiKey" value="…"`; a variable and its default.
        way(
            |before, _| before.trim_end().ends_with(['"', '\'', ':', '=']),
            r#"^["'\\]*\s*[,;{]?\s*(?:(?:type|sensitive|nullable|description)\s*=\s*(?:"[^"\n]*"|\w+)\s*)*["'\\]*(?:[Vv]alue|default)["'\\]*\s*[:=][ \t]*"#,
            Takes::AsIfSigned,
        ),
        // `define("API_KEY", "…")`, `setApiKey("…")`.
        way(|before, _| before.ends_with(['"', '\'']), r#"^["'],\s*"#, Takes::Argument),
        way(|before, _| !before.ends_with(['"', '\'']), r"^\(\s*", Takes::Argument),
        // `storePassword "…"`, `ALTER USER mira PASSWORD '…'`.
        way(|_, _| true, r"^[ \t]+", Takes::Argument),
        // `set -x API_KEY …`, `setx API_KEY …`, `ENV DB_PASSWORD …`, `gh secret set API_KEY --body …`.
        way(
            |before, name| is_variable(name) && sets(before),
            r"^[ \t]+(?:(?:--body|-b|--value)[ =])?",
            Takes::AsIfSigned,
        ),
        // `<password>…</password>`.
        way(|before, _| before.ends_with('<'), "^>", Takes::Element),
        // `| API_KEY | … |`.
        way(|before, _| before.trim_end_matches(['`', ' ']).ends_with('|'), r"^`? *\| *", Takes::Cell),
        // `The password is …`.
        way(|_, _| true, r"^[ \t]+(?:is|was)[ \t]*:?[ \t]+", Takes::AsIfSigned),
        // `machine git.test login mira password …`, `requirepass …`.
        way(is_listed, r"^[ \t]+", Takes::AsIfSigned),
    ]
});

/// The value that stands beside the name between `start` and `end`.
fn value_beside(text: &str, start: usize, end: usize) -> Option<Value> {
    let (before, behind) = (&text[around(text, start, NEAR, 0)], &text[around(text, end, 0, FAR)]);
    let name = &text[start..end];
    WAYS.iter().filter(|way| (way.begins)(before, name)).find_map(|way| {
        let at = end + way.between.find(behind)?.end();
        let value = value_of_way(text, at, way.takes)?;
        match way.takes {
            Takes::AsIfSigned | Takes::Element => Some(value),
            Takes::Argument if value.written != Written::Quoted => None,
            Takes::Argument | Takes::Cell => Some(Value { written: Written::Loose, ..value }),
        }
    })
}

/// The value that begins at `at`, in quotes or not; in a tag it ends where the next one begins.
fn value_of_way(text: &str, at: usize, takes: Takes) -> Option<Value> {
    if takes == Takes::Element {
        let rest = text.get(at..)?;
        let length = rest.bytes().take(FAR).position(|byte| matches!(byte, b'<' | b'\n'))?;
        let is_closed = length > 0 && rest[length..].starts_with("</");
        return is_closed.then_some(Value { range: at..at + length, written: Written::Quoted });
    }
    match text.as_bytes().get(at)? {
        quote @ (b'"' | b'\'' | b'`') => quoted(text, at + 1, *quote),
        _ => bare(text, at, false),
    }
}

/// Whether the words before a variable say that it is being set.
fn sets(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let said = line.split_whitespace().rfind(|word| !word.starts_with('-'));
    said.is_some_and(|word| ["set", "setx", "setenv", "ENV", "ARG"].contains(&word))
}

/// Whether this is a line of a file in which a space stands between names and values.
fn is_listed(before: &str, name: &str) -> bool {
    let is_netrc = name == "password" && before.contains("machine ") && before.contains("login ");
    is_netrc || name == "requirepass"
}
