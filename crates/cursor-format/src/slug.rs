//! Names that Cursor makes out of paths: project slugs, chat folders, workspace ids.
//!
//! A slug loses letters, so it is never turned back by guessing alone: paths are matched against it, looked for in the raw
//! beginning of a file, or found with a given lister of folders. Nothing here touches the disk.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use backscroll_model::hex;
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

/// The folders that stand for the folder `cwd`: that of `chats/` and of SDK stores until 1.0.32, and that of SDK stores since 1.1.
pub fn hashed_folders(cwd: &str) -> [String; 2] {
    [chats_folder(cwd), sha256_hex(cwd)]
}

/// The name of an SDK agent's folder below `agents/`, without the `agent-` that newer versions put before it.
pub fn sdk_agent_folder(agent_id: &str) -> String {
    sha256_hex(agent_id)
}

/// Longer names of files are cut.
const LONGEST_FILE_NAME: usize = 200;

/// The name that Cursor gives the transcript of the agent `id`, without its ending: as in an address, with `_` for `%`.
pub fn transcript_name(id: &str) -> String {
    let mut name = String::with_capacity(id.len());
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            name.push(char::from(byte));
        } else {
            let _ = write!(name, "_{byte:02X}");
        }
    }
    name.truncate(LONGEST_FILE_NAME);
    name
}

/// Whether a name may be that of a transcript whose agent's id was written in another way.
pub fn may_be_transcript_name(name: &str) -> bool {
    let is_code = |at: usize| {
        let code = name.as_bytes().get(at + 1..at + 3);
        code.is_some_and(|code| code.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F')))
    };
    name.len() >= LONGEST_FILE_NAME || name.match_indices('_').any(|(at, _)| is_code(at))
}

fn sha256_hex(text: &str) -> String {
    hex::encode(&sha2::Sha256::digest(text.as_bytes()))
}

/// The MD5 of `text` in lower-case hex.
pub fn md5_hex(text: &str) -> String {
    hex::encode(&Md5::digest(text.as_bytes()))
}

fn is_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1) == Some(&b':')
}

fn same_but_drive(one: &str, other: &str) -> bool {
    let drives = one.get(..1).zip(other.get(..1));
    drives.is_some_and(|(a, b)| a.eq_ignore_ascii_case(b)) && one.get(1..) == other.get(1..)
}

/// More folders than this are not asked: a slug of single letters can branch without end.
const MOST_FOLDERS: usize = 10_000;

/// The folders below `root` (such as `/` or `C:\\`) whose slug is `slug_text`, most separators first. `children` names the folders
/// inside a folder.
pub fn unslug(slug_text: &str, root: &str, children: &dyn Fn(&str) -> Vec<String>) -> Vec<String> {
    let separator = if root.contains('\\') { '\\' } else { '/' };
    let (mut asked, mut found) = (0, Vec::new());
    let bare_root = root.trim_end_matches(separator);
    // Folders to visit are kept on a list, not on the stack; short names first, so `/` comes before `-`.
    let mut open = vec![(bare_root.to_owned(), below(slug_text.trim_matches('-'), &slug(root)).to_owned())];
    while let Some((folder, rest)) = open.pop() {
        if rest.is_empty() {
            found.push(folder);
            continue;
        }
        if asked == MOST_FOLDERS {
            break;
        }
        asked += 1;
        let shown = if folder == bare_root { root } else { &folder };
        let mut next = Vec::new();
        for name in children(shown) {
            if let Some(left) = left_after(&rest, &slug(&name)) {
                next.push((left.len(), format!("{folder}{separator}{name}"), left.to_owned()));
            }
        }
        // The last on the list is visited first: the child that uses up the least of the slug.
        next.sort();
        open.extend(next.into_iter().map(|(_, child, left)| (child, left)));
    }
    found
}

/// What is left of a slug below its root; the letter of a drive may differ in case.
fn below<'a>(wanted: &'a str, root: &str) -> &'a str {
    match wanted.get(..root.len()) {
        Some(beginning) if beginning.eq_ignore_ascii_case(root) => wanted[root.len()..].trim_matches('-'),
        _ => wanted,
    }
}

/// What is left of `rest` after `taken`, if it begins with it at a boundary.
fn left_after<'a>(rest: &'a str, taken: &str) -> Option<&'a str> {
    if taken.is_empty() {
        return None;
    }
    let left = rest.strip_prefix(taken)?;
    if left.is_empty() { Some(left) } else { left.strip_prefix('-') }
}

/// The maximum number of bytes searched between two words of a slug: all of them would take for ever where a file holds nothing else.
const LONGEST_GAP: usize = 32;

/// The folder with the slug `slug_text` that `text` names most often; of several the longest.
pub fn folder_in(slug_text: &str, text: &str) -> Option<String> {
    let slug_text = slug_text.trim_matches('-');
    let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
    for at in starts(slug_text, text) {
        if let Some(end) = end_of(slug_text.as_bytes(), text.as_bytes(), at) {
            *votes.entry(&text[at..end]).or_default() += 1;
        }
    }
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for (path, count) in votes {
        *found.entry(path.replace("\\\\", "\\").replace("\\/", "/")).or_default() += count;
    }
    let proven = found.into_iter().filter(|(path, _)| matches(slug_text, path));
    proven.max_by_key(|(path, count)| (*count, path.len())).map(|(path, _)| path)
}

/// Where an absolute path with this slug may begin: at a slash or at the letter of a drive, with nothing before that it may
/// belong to. Only where the slug's first word stands is looked closer.
fn starts(slug_text: &str, text: &str) -> Vec<usize> {
    let first = slug_text.split('-').next().unwrap_or_default();
    let bytes = text.as_bytes();
    let mut starts: Vec<usize> = match first.len() {
        0 => Vec::new(),
        1 => text.match_indices('/').map(|(at, _)| at).filter(|at| is_free(&bytes[..*at])).collect(),
        _ => text.match_indices(first).filter_map(|(at, _)| slash_before(bytes, at)).collect(),
    };
    if first.len() == 1 {
        let drives = text.match_indices(':').filter_map(|(colon, _)| drive(bytes, colon));
        starts.extend(drives.filter(|at| is_free(&bytes[..*at])));
    }
    starts
}

/// The slash with which the path begins whose first word stands at `word`.
fn slash_before(bytes: &[u8], word: usize) -> Option<usize> {
    let gap = (word.saturating_sub(LONGEST_GAP)..word).rev();
    let mut gap = gap.take_while(|at| !bytes[*at].is_ascii_alphanumeric());
    gap.find(|at| bytes[*at] == b'/' && is_free(&bytes[..*at]))
}

/// Where the drive begins whose colon stands at `colon`.
fn drive(bytes: &[u8], colon: usize) -> Option<usize> {
    let letter = colon.checked_sub(1)?;
    let is_rooted = matches!(bytes.get(colon + 1), Some(b'/' | b'\\'));
    (is_rooted && bytes[letter].is_ascii_alphabetic()).then_some(letter)
}

/// Whether what stands before a path is no part of it. A letter behind a backslash is a line break that JSON escapes.
fn is_free(before: &[u8]) -> bool {
    match before {
        [.., b'\\', b'n' | b't' | b'r'] | [] => true,
        [.., last] => !last.is_ascii_alphanumeric() && !b"./\\:_-~%$}".contains(last) && last.is_ascii(),
    }
}

/// Where the path at `start` ends if its slug is `wanted`.
fn end_of(wanted: &[u8], bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    for (number, word) in wanted.split(|byte| *byte == b'-').enumerate() {
        let gap = bytes[at..].iter().take_while(|byte| !byte.is_ascii_alphanumeric());
        let gap = gap.take_while(|byte| !byte.is_ascii_control() && !b"\"<>|*?`".contains(byte));
        let gap = gap.take(LONGEST_GAP).count();
        // Only a drive begins with a letter.
        if gap == 0 && (number > 0 || bytes[at] == b'/') {
            return None;
        }
        at += gap;
        let found = bytes.get(at..at.checked_add(word.len())?)?;
        let is_drive = number == 0 && gap == 0;
        if found != word && !(is_drive && found.eq_ignore_ascii_case(word)) {
            return None;
        }
        at += word.len();
    }
    let next = bytes.get(at)?;
    (b"/\\\"'`".contains(next) || next.is_ascii_control()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_path_counts_if_all_of_it_gives_the_slug() {
        let table = [
            ("home-dev-my-app", r#"{"path":"/home/dev/my-app/src/x.rs"}"#, Some("/home/dev/my-app")),
            ("home-dev-my-app", "cd /home/dev/my_app\nls", Some("/home/dev/my_app")),
            ("home-dev-my-app", r#""text":"see:\n/home/dev/my app/x""#, Some("/home/dev/my app")),
            (
                "home-dev-my-app",
                r"`/home/dev/my/app/a` /home/dev/my-app/b '/home/dev/my-app'",
                Some("/home/dev/my-app"),
            ),
            ("c-Users-dev-APP-7", r#"{"path":"C:\\Users\\dev\\APP_7\\x.java"}"#, Some(r"C:\Users\dev\APP_7")),
            ("c-Users-dev-APP-7", "path: c:\\Users\\dev\\APP_7\\x.java", Some(r"c:\Users\dev\APP_7")),
            ("c-Users-dev-APP-7", "path: c:/Users/dev/APP_7/x.java", Some("c:/Users/dev/APP_7")),
            ("home-dev-app", "/home/dev/app-old/x /home/dev/app.txt /home/dev/apple/x", None),
            ("home-dev-app", "../home/dev/app/x https://home/dev/app/x a/home/dev/app/x", None),
            ("home-dev-app", "/home/dev/app", None),
            ("home-dev-app", "/home\"/dev/app/x /home\n/dev/app/x", None),
            ("home-dev-app", "home/dev/app/x", None),
            ("c-app", "cd /c/app/x\n", Some("/c/app")),
            ("hidden-app", r#""/.hidden/app/x""#, Some("/.hidden/app")),
            ("", "/ ", None),
        ];
        for (slug, text, expected) in table {
            assert_eq!(folder_in(slug, text).as_deref(), expected, "{slug} in {text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_found_has_the_slug(text in "[/\\\\:\"a-cé \\-n]{0,60}", slug in "[a-c]{0,2}(-[a-c]){0,3}") {
            if let Some(found) = folder_in(&slug, &text) {
                prop_assert!(matches(&slug, &found));
            }
        }

        #[test]
        fn a_path_in_an_argument_is_found(words in proptest::collection::vec("[a-z]{1,4}[ _.]?[0-9a-z]{1,3}", 1..5)) {
            let path = format!("/{}", words.join("/"));
            let text = format!("{{\"path\":\"{path}/x\"}}");
            let found = folder_in(&slug(&path), &text);
            prop_assert_eq!(found, Some(path));
        }
    }
}
