//! Unified diffs: one way to make them, whatever layer has the change.

use similar::TextDiff;

/// When more lines than this differ, both sides are shown whole: the work grows with the square of the difference.
const MOST_LINES: usize = 20_000;

/// What changed in the file at `path` from `before` to `after`, or `None` if nothing did. An empty side is no file.
pub fn unified(path: &str, before: &str, after: &str) -> Option<String> {
    let name = |side: &str| if side.is_empty() { "/dev/null" } else { path };
    between(name(before), name(after), before, after, true)
}

/// The change that replaces one stretch of the file at `path` by another: where it stands is not known.
pub(crate) fn replaced(path: &str, old: &str, new: &str) -> Option<String> {
    between(path, path, old, new, false)
}

fn between(from: &str, to: &str, before: &str, after: &str, is_whole_file: bool) -> Option<String> {
    if before == after {
        return None;
    }
    if differing_lines(before, after) > MOST_LINES {
        return Some(one_by_the_other(from, to, before, after));
    }
    let diff = TextDiff::from_lines(before, after);
    Some(diff.unified_diff().header(from, to).missing_newline_hint(is_whole_file).to_string())
}

/// How many lines are left to compare when the common beginning and end are taken off.
fn differing_lines(before: &str, after: &str) -> usize {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rests = old[same_start..].iter().rev().zip(new[same_start..].iter().rev());
    let same_end = rests.take_while(|(a, b)| a == b).count();
    old.len() + new.len() - 2 * (same_start + same_end)
}

fn one_by_the_other(from: &str, to: &str, before: &str, after: &str) -> String {
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
    fn stretches_have_no_end_of_file() {
        assert_eq!(replaced("a", "x", "y").unwrap(), "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n");
        assert_eq!(replaced("a", "x\n", "").unwrap(), "--- a\n+++ a\n@@ -1 +0,0 @@\n-x\n");
    }

    #[test]
    fn very_long_changes_are_shown_whole_and_small_ones_in_long_files_are_not() {
        let long = "x\n".repeat(2 * MOST_LINES);
        assert!(unified("a", &long, "y\n").unwrap().ends_with("-x\n+y\n"));
        let small = unified("a", &long, &format!("{long}y\n")).unwrap();
        assert!(small.lines().count() < 10, "{small}");
    }
}
