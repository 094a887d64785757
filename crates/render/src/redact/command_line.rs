//! Passwords among the words of a command: `curl -u mira:…`, `sshpass -p …`, `mysql -p…`, `docker login -p …`.
//!
//! Options whose name sounds secret (`--password …`) are found like every other name.

use std::ops::Range;

use super::find::{Find, Surety};
use super::likely;
use super::trigger::Trigger;

/// How a command takes its password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// `-u name:password`.
    BehindName,
    /// `-p password`.
    Apart,
    /// `-ppassword`.
    Attached,
    /// `-passin pass:password`.
    Marked,
    /// The first word in quotes.
    Quoted,
}

/// A command, a word that must follow it, its options, and what they take.
type Command = (&'static str, Option<&'static str>, &'static [&'static str], Way);

const COMMANDS: &[Command] = &[
    ("curl", None, &["-u", "--user", "-U", "--proxy-user"], Way::BehindName),
    ("sshpass", None, &["-p"], Way::Apart),
    ("sshpass", None, &["-p"], Way::Attached),
    ("mysql", None, &["-p"], Way::Attached),
    ("mysqldump", None, &["-p"], Way::Attached),
    ("mysqladmin", None, &["-p"], Way::Attached),
    ("mariadb", None, &["-p"], Way::Attached),
    ("redis-cli", None, &["-a"], Way::Apart),
    ("mongosh", None, &["-p"], Way::Apart),
    ("mongodump", None, &["-p"], Way::Apart),
    ("mongorestore", None, &["-p"], Way::Apart),
    ("sqlcmd", None, &["-P"], Way::Apart),
    ("ldapsearch", None, &["-w"], Way::Apart),
    ("docker", Some("login"), &["-p"], Way::Apart),
    ("podman", Some("login"), &["-p"], Way::Apart),
    ("helm", Some("login"), &["-p"], Way::Apart),
    ("az", Some("login"), &["-p"], Way::Apart),
    ("keytool", None, &["-storepass", "-keypass"], Way::Apart),
    ("zip", None, &["-P"], Way::Apart),
    ("openssl", None, &["-passin", "-passout", "-pass"], Way::Marked),
    ("ConvertTo-SecureString", None, &[], Way::Quoted),
];

/// A command is no longer than this.
const LONGEST: usize = 1000;

pub(super) fn words() -> impl Iterator<Item = (String, Trigger)> {
    COMMANDS.iter().enumerate().map(|(number, command)| (format!("{} ", command.0), Trigger::Command(number)))
}

/// The passwords of the command that begins at `start`, its name and a space before `end`.
pub(super) fn at(number: usize, text: &str, start: usize, end: usize, finds: &mut Vec<Find>) {
    let Some((_, second, options, way)) = COMMANDS.get(number) else { return };
    let begins = text[..start].bytes().next_back().is_none_or(|byte| !is_of_a_word(byte));
    if !begins {
        return;
    }
    let typed = typed(text, end);
    if second.is_some_and(|second| !typed.iter().any(|word| text.get(word.range.clone()) == Some(second))) {
        return;
    }
    let word = |at: usize| typed.get(at).map(|word| (word.range.start, &text[word.range.clone()]));
    for (at, Typed { is_quoted, .. }) in typed.iter().enumerate() {
        let Some((begin, here)) = word(at) else { continue };
        let password = match way {
            Way::Quoted => (*is_quoted).then_some((begin, here)),
            Way::Attached => {
                options.iter().find_map(|option| Some((begin + option.len(), here.strip_prefix(option)?)))
            }
            _ if !options.contains(&here) => None,
            Way::Apart => word(at + 1),
            Way::Marked => {
                word(at + 1).and_then(|(begin, next)| Some((begin + 5, next.strip_prefix("pass:")?)))
            }
            Way::BehindName => word(at + 1).and_then(|(begin, next)| {
                let colon = next.find(':')?;
                Some((begin + colon + 1, &next[colon + 1..]))
            }),
        };
        if let Some((begin, password)) = password.filter(|(_, password)| is_password(password)) {
            finds.push(Find::new(begin..begin + password.len(), "password", password, Surety::Placed));
        }
    }
}

/// Before the name of a command stands nothing that could be part of it; a path may.
fn is_of_a_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn is_password(text: &str) -> bool {
    text.len() >= 4
        && !text.starts_with(['-', '%', '@', '<'])
        && !text.contains(['$', '{', '}', '(', ')', '‹', '*'])
        && !likely::is_placeholder(text)
}

/// A word of a command, its quotes left out.
struct Typed {
    range: Range<usize>,
    is_quoted: bool,
}

/// The words from `at` to the end of the command.
fn typed(text: &str, at: usize) -> Vec<Typed> {
    let bytes = text.as_bytes();
    let last = bytes.len().min(at + LONGEST);
    let mut words = Vec::new();
    let mut at = at;
    while at < last {
        match bytes[at] {
            b' ' | b'\t' => at += 1,
            // A line may go on behind a backslash, or in PowerShell behind a tick.
            b'\\' | b'`' if bytes[at + 1..].starts_with(b"\n") => at += 2,
            b'\\' | b'`' if bytes[at + 1..].starts_with(b"\r\n") => at += 3,
            b'\n' | b'\r' | b'|' | b';' | b'&' | b'`' | b')' => break,
            quote @ (b'"' | b'\'') => {
                let begin = at + 1;
                let Some(length) = bytes[begin..last].iter().position(|byte| *byte == quote) else { break };
                words.push(Typed { range: begin..begin + length, is_quoted: true });
                at = begin + length + 1;
            }
            _ => {
                let ends = |byte: &u8| {
                    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'|' | b';' | b'`')
                };
                let length = bytes[at..last].iter().position(ends).unwrap_or(last - at);
                words.push(Typed { range: at..at + length, is_quoted: false });
                at += length.max(1);
            }
        }
    }
    words.retain(|word| text.get(word.range.clone()).is_some());
    words
}
