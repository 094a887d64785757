//! Names that Cursor makes out of paths: project slugs, chat folders, workspace ids.
//!
//! A slug loses letters, so it is never turned back by guessing alone: paths are matched against it, or
//! a given lister of folders is asked. Nothing here touches the disk.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use md5::{Digest, Md5};

/// The slug of a path: every run of anything but ASCII letters and digits is one `-`, none at the ends.
pub fn slug(path: &str) -> String {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

/// Whether `path` has the slug `slug`; the letter of a Windows drive may differ in case.
pub fn matches(slug_text: &str, path: &str) -> bool {
    let slug_text = slug_text.trim_matches('-');
    let of_path = slug(path);
    of_path == slug_text || (is_windows(path) && same_but_drive(&of_path, slug_text))
}

/// Of the known paths, those whose slug is `slug`; without repeats, in the given order.
pub fn candidates<'a>(slug_text: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for path in known {
        if matches(slug_text, path) && !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

/// The folder whose slug is `slug` and in which most of `paths` lie, however deep: paths of files, not folders.
///
/// Every beginning of every path is tried; the longest wins, then the most frequent.
pub fn folder_of<'a>(slug_text: &str, paths: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
    for path in paths {
        if let Some(folder) = beginning_with_slug(slug_text, path) {
            *votes.entry(folder).or_default() += 1;
        }
    }
    let best = votes.into_iter().max_by_key(|(folder, count)| (*count, folder.len()))?;
    Some(best.0.to_owned())
}

/// The longest beginning of `path`, up to a separator, whose slug is `slug`.
pub fn beginning_with_slug<'a>(slug_text: &str, path: &'a str) -> Option<&'a str> {
    let ends = path.char_indices().filter(|(_, c)| matches!(c, '/' | '\\'));
    let mut ends: Vec<usize> = ends.map(|(at, _)| at).filter(|at| *at > 0).collect();
    ends.push(path.len());
    let beginnings = ends.into_iter().rev().map(|end| &path[..end]);
    let mut beginnings = beginnings.filter(|beginning| !beginning.ends_with(['/', '\\']));
    beginnings.find(|beginning| matches(slug_text, beginning))
}

/// The folder of `chats/` that the command line agent uses for sessions in `cwd`.
pub fn chats_folder(cwd: &str) -> String {
    md5_hex(cwd)
}

/// The name of an SDK agent's folder below `agents/`, without the `agent-` that newer versions put before it.
pub fn sdk_agent_folder(agent_id: &str) -> String {
    use sha2::Sha256;
    Sha256::digest(agent_id.as_bytes()).iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// The folder of `workspaceStorage/` for a local folder; `salt` is its inode on Linux, its birth time in ms elsewhere.
pub fn workspace_id(fs_path: &str, salt: Option<u64>) -> String {
    let salt = salt.filter(|salt| *salt != 0);
    md5_hex(&salt.map_or_else(|| fs_path.to_owned(), |salt| format!("{fs_path}{salt}")))
}

/// The folder of `workspaceStorage/` for a folder on another host, by its URI as written.
pub fn remote_workspace_id(uri: &str) -> String {
    md5_hex(uri)
}

/// The MD5 of `text` in lower-case hex.
pub fn md5_hex(text: &str) -> String {
    let mut hex = String::with_capacity(32);
    for byte in Md5::digest(text.as_bytes()) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

fn is_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1) == Some(&b':')
}

fn same_but_drive(one: &str, other: &str) -> bool {
    let drives = one.get(..1).zip(other.get(..1));
    drives.is_some_and(|(a, b)| a.eq_ignore_ascii_case(b)) && one.get(1..) == other.get(1..)
}
