//! Values whose name gives them away: `API_KEY=…`, `"token": "…"`, `password = '…'`, `--token …`, `Password=…;`.

use super::assignment_value::{self, Value, Written};
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
    let words =
        ["passw", "passphrase", "pwd", "secret", "token", "key", "credential", "auth", "_pass", "_pw"];
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
    let value = assignment_value::after(text, start, name_end)?;
    let mut name_start =
        start - bytes[..start].iter().rev().take(LONGEST_NAME).take_while(|byte| is_name(byte)).count();
    // In `\nTOKEN=…` the `n` belongs to the escape.
    if bytes[..name_start].last() == Some(&b'\\') && name_end - name_start > 1 {
        name_start += 1;
    }
    let name = text[name_start..name_end].trim_start_matches('-');
    let kind = kind_of(name)?;
    let is_variable = value.written == Written::Bare && secret_name::is_variable(name);
    let written = if is_variable { Written::Variable } else { value.written };
    secret(kind, text, &Value { written, ..value })
}

/// The whole text, where it is the value of a field whose name sounds secret.
pub(super) fn of_field(name: &str, text: &str) -> Option<Find> {
    let kind = kind_of(name)?;
    secret(kind, text, &Value { range: 0..text.len(), written: Written::Quoted })
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
            (_, Written::Variable) => secret.len() >= 12 && likely::is_random(&secret),
            _ => secret.len() >= 16 && likely::is_generated(&secret),
        };
    is_secret.then(|| Find::new(value.range.clone(), kind, secret, Surety::Named))
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether the value is plainly something else: code, a path, an address, a hash that says so.
fn stays(value: &str) -> bool {
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
