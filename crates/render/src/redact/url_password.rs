//! Passwords and tokens in URLs and connection strings: `scheme://user:password@host`. Only they go.

use super::encodings::{hex, percent_decoded};
use super::find::{Find, Surety};
use super::likely;
use super::trigger::Trigger;
use super::user_rule::around;

const PLAIN: &str = "://";
const ENCODED: &str = "%3A%2F%2F";
/// Behind this stands `user/password@host`.
const SLASHED: &str = "jdbc:oracle:thin:";

/// A token that stands in the place of a user is at least so long.
const SHORTEST_TOKEN: usize = 20;

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
    let addresses = [PLAIN, ENCODED].into_iter().map(|word| (word.to_owned(), Trigger::Url));
    addresses.chain([(SLASHED.to_owned(), Trigger::SlashPassword)])
}

/// The password of the URL whose scheme ends at `start`.
pub(super) fn at(text: &str, start: usize, end: usize) -> Option<Find> {
    let is_encoded = text.as_bytes().get(start) == Some(&b'%');
    let (colon, at_sign) = if is_encoded { ("%3A", "%40") } else { (":", "@") };
    let authority = authority(text.get(end..)?, is_encoded);
    let host = rfind(authority, at_sign)?;
    let user = &authority[..host];
    let behind_colon = find(user, colon).map(|at| at + colon.len());
    let password = behind_colon.unwrap_or_default();
    let written = &user[password..];
    let secret = percent_decoded(written).unwrap_or_else(|| written.to_owned());
    let host = authority.get(host + at_sign.len()..).unwrap_or_default();
    let is_token = secret.len() >= SHORTEST_TOKEN && likely::is_generated(&secret);
    if behind_colon.is_none() && (!is_token || secret.contains('.')) {
        return None;
    }
    if likely::is_placeholder(&secret) || is_example(host) || host.is_empty() || is_code(written) {
        return None;
    }
    let kind = match behind_colon {
        None => "url-token",
        Some(_) if is_connection(&text[..start]) => "connection-password",
        Some(_) => "url-password",
    };
    let range = end + password..end + password + written.len();
    Some(Find::new(range, kind, secret, Surety::Placed))
}

/// The password of `user/password@host` at `begin`.
pub(super) fn behind_slash(text: &str, begin: usize) -> Option<Find> {
    let rest = &text[around(text, begin, 0, LONGEST)];
    let (user, behind) = rest.split_once('/')?;
    let (password, _) = behind.split_once('@')?;
    let is_plain =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"');
    let is_one = is_plain(user) && is_plain(password);
    let start = begin + user.len() + 1;
    (is_one && !is_code(password) && !likely::is_placeholder(password))
        .then(|| Find::new(start..start + password.len(), "connection-password", password, Surety::Placed))
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
