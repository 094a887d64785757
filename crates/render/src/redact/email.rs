//! E-mail addresses, where they are to go. The host stays, and so do addresses of machines and repositories.

use super::find::{Find, Surety};
use super::trigger::Trigger;

/// What follows the last dot of a file name, not of a host.
const FILE_ENDINGS: &[&str] = &[
    "png",
    "jpg",
    "jpeg",
    "gif",
    "svg",
    "webp",
    "ico",
    "js",
    "ts",
    "tsx",
    "jsx",
    "mjs",
    "cjs",
    "json",
    "css",
    "scss",
    "html",
    "md",
    "rs",
    "py",
    "go",
    "rb",
    "java",
    "kt",
    "c",
    "h",
    "cpp",
    "toml",
    "yaml",
    "yml",
    "lock",
    "txt",
    "service",
    "socket",
    "timer",
    "target",
    "mount",
    "local",
    "localhost",
    "test",
    "example",
    "invalid",
];

pub(super) fn words(is_wanted: bool) -> impl Iterator<Item = (String, Trigger)> {
    is_wanted
        .then(|| ("@".to_owned(), Trigger::Email))
        .into_iter()
        .chain(is_wanted.then(|| ("%40".to_owned(), Trigger::Email)))
}

/// The address around the sign at `sign`.
pub(super) fn at(text: &str, sign: usize) -> Option<Find> {
    let after = sign + if text.as_bytes().get(sign) == Some(&b'%') { 3 } else { 1 };
    let bytes = text.as_bytes();
    let is_local = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(*byte, b'.' | b'_' | b'+' | b'-');
    let is_host = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(*byte, b'.' | b'-');
    let local_length = bytes[..sign].iter().rev().take(64).take_while(|byte| is_local(byte)).count();
    let mut start = sign - local_length;
    // A letter that belongs to an escape does not belong to the address.
    if bytes[..start].last() == Some(&b'\\') && local_length > 1 {
        start += 1;
    }
    let host_length = bytes.get(after..)?.iter().take(253).take_while(|byte| is_host(byte)).count();
    let host = text[after..after + host_length].trim_end_matches(['.', '-']);
    let local = &text[start..sign];
    let (name, ending) = host.rsplit_once('.')?;
    let is_address = local.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !name.is_empty()
        && (2..=24).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_address || stays(local, ending, bytes.get(after + host.len())) {
        return None;
    }
    let secret = format!("{local}@{host}").to_lowercase();
    Some(Find::new(start..sign, "email", secret, Surety::Personal))
}

/// Whether the address is nobody's.
fn stays(local: &str, ending: &str, next: Option<&u8>) -> bool {
    // `git@host.com:group/project` is how a repository is reached.
    let is_repository = local == "git" || (next == Some(&b':') && local.len() <= 3);
    let is_machine = matches!(local, "noreply" | "no-reply");
    is_repository || is_machine || FILE_ENDINGS.contains(&ending.to_ascii_lowercase().as_str())
}
