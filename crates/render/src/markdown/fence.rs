//! Blocks of code, in fences longer than any run of ticks inside.

use crate::text::sanitise;

use super::inline::longest_run;

/// The shortest fence.
const SHORTEST: usize = 3;

/// Names of languages are short.
const LONGEST_LANGUAGE: usize = 20;

/// `text` as a block of code.
pub(super) fn fenced(language: &str, text: &str) -> String {
    let text = sanitise(text);
    let ticks = fence_for(&text);
    let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{ticks}{}\n{text}{newline}{ticks}\n", language_tag(language))
}

/// A fence that nothing in `text` closes.
pub(super) fn fence_for(text: &str) -> String {
    "`".repeat((longest_run(text, '`') + 1).max(SHORTEST))
}

/// The name of a language, if it can stand behind a fence.
fn language_tag(language: &str) -> &str {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '-' | '_' | '.');
    if language.len() <= LONGEST_LANGUAGE && language.chars().all(is_fit) { language } else { "" }
}

/// The language that the ending of `path` tells.
pub(super) fn language_of(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}
