//! A unified diff out of two contents of a file, where they are small enough to compare.

use similar::TextDiff;

/// Contents of more lines than this are not compared: the work grows with the square of the difference.
const MOST_LINES: usize = 20_000;

/// What changed between `before` and `after`; `None` if nothing did, or the contents are too long.
pub(super) fn unified(path: &str, before: &str, after: &str) -> Option<String> {
    let lines = |text: &str| text.lines().count();
    if before == after || lines(before) + lines(after) > MOST_LINES {
        return None;
    }
    let diff = TextDiff::from_lines(before, after);
    let shown = path.trim_start_matches('/');
    Some(diff.unified_diff().header(&format!("a/{shown}"), &format!("b/{shown}")).to_string())
}
