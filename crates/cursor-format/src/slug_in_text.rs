//! The folder that a slug stands for, looked for in the raw beginning of a file: without decoding it, so that a listing can
//! afford it.
//!
//! A path counts only if all of it up to a separator or the end of a string gives the slug. What JSON escapes is read as
//! it stands: a path that is not found this way is one less hint, never a wrong one.

use std::collections::BTreeMap;

use crate::slug;

/// So many bytes between two words of a slug are looked at: all of them would take for ever where a file holds nothing else.
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
    let proven = found.into_iter().filter(|(path, _)| slug::matches(slug_text, path));
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
                prop_assert!(slug::matches(&slug, &found));
            }
        }

        #[test]
        fn a_path_in_an_argument_is_found(words in proptest::collection::vec("[a-z]{1,4}[ _.]?[0-9a-z]{1,3}", 1..5)) {
            let path = format!("/{}", words.join("/"));
            let text = format!("{{\"path\":\"{path}/x\"}}");
            let found = folder_in(&slug::slug(&path), &text);
            prop_assert_eq!(found, Some(path));
        }
    }
}
