//! Values whose name gives them away: `API_KEY=…`, `"token": "…"`, `password = '…'`, `--token …`, `Password=…;`.

use std::ops::Range;

use super::assignment_value::{self, Value, Written};
use super::beside;
use super::encodings::percent_decoded;
use super::find::{Find, Surety};
use super::finder::Seen;
use super::likely;
use super::secret_name::{self, kind_of};
use super::trigger::Trigger;

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
    let (kind, value) = match assignment_value::after(text, start, name_end) {
        Some(value) => (kind()?, value),
        None => (kind()?, beside::after(text, name_start, name_end)?),
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
            let behind = assignment_value::bare(text, value.end + 1, false);
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
            ("password", Written::Loose) => secret.len() >= 10 && likely::is_generated(&secret),
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
