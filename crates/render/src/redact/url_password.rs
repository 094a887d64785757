//! Passwords in URLs and connection strings: `scheme://user:password@host`. Only the password goes.

use super::encodings::{hex, percent_decoded};
use super::find::{Find, Surety};
use super::likely;
use super::trigger::Trigger;

const PLAIN: &str = "://";
const ENCODED: &str = "%3A%2F%2F";

/// A name and a password are no longer than this.
const LONGEST: usize = 400;

/// Schemes under which databases and queues are reached.
const CONNECTIONS: &[&str] = &[
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mongodb",
    "mongodb+srv",
    "redis",
    "rediss",
    "amqp",
    "amqps",
    "mssql",
    "sqlserver",
    "clickhouse",
    "cockroachdb",
    "neo4j",
    "nats",
    "kafka",
    "ldap",
    "ldaps",
    "couchdb",
    "jdbc",
];

pub(super) fn words() -> impl Iterator<Item = (String, Trigger)> {
    [PLAIN, ENCODED].into_iter().map(|word| (word.to_owned(), Trigger::Url))
}

/// The password of the URL whose scheme ends at `start`.
pub(super) fn at(text: &str, start: usize, end: usize) -> Option<Find> {
    let is_encoded = text.as_bytes().get(start) == Some(&b'%');
    let (colon, at_sign) = if is_encoded { ("%3A", "%40") } else { (":", "@") };
    let authority = authority(text.get(end..)?, is_encoded);
    let host = rfind(authority, at_sign)?;
    let user = &authority[..host];
    let password = find(user, colon)? + colon.len();
    let written = &user[password..];
    let secret = percent_decoded(written).unwrap_or_else(|| written.to_owned());
    let host = authority.get(host + at_sign.len()..).unwrap_or_default();
    if likely::is_placeholder(&secret) || is_example(host) || host.is_empty() || is_code(written) {
        return None;
    }
    let kind = if is_connection(&text[..start]) { "connection-password" } else { "url-password" };
    let range = end + password..end + password + written.len();
    Some(Find::new(range, kind, secret, Surety::Placed))
}

/// What stands between the slashes and the path.
fn authority(rest: &str, is_encoded: bool) -> &str {
    let bytes = rest.as_bytes();
    let ends = |at: usize, byte: u8| {
        let is_end = byte.is_ascii_whitespace()
            || matches!(
                byte,
                b'/' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'?' | b',' | b'(' | b')' | b'|'
            );
        is_end
            || (is_encoded
                && (byte == b'&'
                    || rest.get(at..at + 3).is_some_and(|code| code.eq_ignore_ascii_case("%2F"))))
    };
    let end = bytes.iter().enumerate().take(LONGEST).position(|(at, byte)| ends(at, *byte));
    let mut end = end.unwrap_or(bytes.len().min(LONGEST));
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    &rest[..end]
}

/// `word` may be spelled in capitals or not.
fn find(text: &str, word: &str) -> Option<usize> {
    text.find(word).or_else(|| text.find(&word.to_ascii_lowercase()))
}

fn rfind(text: &str, word: &str) -> Option<usize> {
    text.rfind(word).or_else(|| text.rfind(&word.to_ascii_lowercase()))
}

/// Hosts that documents use.
fn is_example(host: &str) -> bool {
    let name = host.split([':', '%']).next().unwrap_or_default().to_ascii_lowercase();
    let of = |domain: &str| name == domain || name.ends_with(&format!(".{domain}"));
    of("example.com") || of("example.org") || of("example.net") || of("example") || of("invalid")
}

/// A password that is not written down, but put in by a program.
fn is_code(written: &str) -> bool {
    let is_format =
        written.starts_with('%') && written.as_bytes().get(1).is_some_and(|byte| hex(*byte).is_none());
    is_format
        || written.starts_with('$')
        || written.contains("$(")
        || written.contains(['{', '}', '[', ']', '*', '‹'])
}

fn is_connection(before: &str) -> bool {
    let scheme = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '+').next().unwrap_or_default();
    CONNECTIONS.iter().any(|known| known.eq_ignore_ascii_case(scheme))
}
