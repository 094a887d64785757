//! Unified diffs: one way to make them, whatever layer told of a change.

use similar::TextDiff;

/// Texts with more lines than this together are not compared line by line: it could take minutes.
const MOST_LINES: usize = 60_000;

/// The unified diff from `before` to `after`, or `None` if nothing changed.
pub fn unified(path: &str, before: &str, after: &str) -> Option<String> {
    if before == after {
        return None;
    }
    if before.lines().count() + after.lines().count() > MOST_LINES {
        return Some(replaced_whole(path, before, after));
    }
    let (from, to) = headers(path, before.is_empty(), after.is_empty());
    let diff = TextDiff::from_lines(before, after);
    Some(diff.unified_diff().context_radius(3).header(&from, &to).to_string())
}

/// The two header names; a side that does not exist is `/dev/null`, as git writes it.
pub(crate) fn headers(path: &str, created: bool, deleted: bool) -> (String, String) {
    let name = |absent: bool| {
        if absent { "/dev/null".to_owned() } else { path.to_owned() }
    };
    (name(created), name(deleted))
}

fn replaced_whole(path: &str, before: &str, after: &str) -> String {
    let (from, to) = headers(path, before.is_empty(), after.is_empty());
    let mut diff = format!("--- {from}\n+++ {to}\n");
    diff.push_str(&hunk_header(1, before.lines().count(), 1, after.lines().count()));
    for (sign, text) in [('-', before), ('+', after)] {
        for line in text.lines() {
            diff.push(sign);
            diff.push_str(line);
            diff.push('\n');
        }
    }
    diff
}

/// `@@ -1,3 +1,4 @@`, with a newline.
pub(crate) fn hunk_header(old_start: usize, old_lines: usize, new_start: usize, new_lines: usize) -> String {
    let start = |start: usize, lines: usize| {
        if lines == 0 { start.saturating_sub(1) } else { start }
    };
    format!(
        "@@ -{},{old_lines} +{},{new_lines} @@\n",
        start(old_start, old_lines),
        start(new_start, new_lines)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_its_surroundings() {
        let diff = unified("a.rs", "one\ntwo\nthree\n", "one\n2\nthree\n").unwrap();
        assert_eq!(diff, "--- a.rs\n+++ a.rs\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
        assert_eq!(unified("a.rs", "same", "same"), None);
        assert!(unified("a.rs", "", "new\n").unwrap().starts_with("--- /dev/null\n+++ a.rs\n"));
    }

    #[test]
    fn very_long_texts_are_replaced_as_a_whole() {
        let long = "x\n".repeat(MOST_LINES);
        let diff = unified("a", &long, "y\n").unwrap();
        assert!(diff.ends_with("-x\n+y\n"));
    }
}
