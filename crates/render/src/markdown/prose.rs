//! Stored words, made fit to stand in a document of ours: still Markdown, but unable to reach beyond their place.
//!
//! First the text is rewritten where it would mean something else in a longer document: tabs become spaces (`tabs.rs`),
//! headings go down, reference links become inline ones (`rewritten.rs`). Then what would leak is made plain (`leaks.rs`), until a parser finds nothing that
//! leaks; a text that does not come to rest is shown as a block of code. Most texts pass unchanged, without being parsed.

use std::borrow::Cow;

use pulldown_cmark::Options;

use super::edits::Edits;
use super::{fence, leaks, rewritten, tabs};
use crate::text::sanitise;

/// A text at rest needs one round; each escape may uncover one more sign.
const ROUNDS: usize = 6;

/// What GitHub and Obsidian understand besides plain Markdown, as far as it changes what is text.
pub(super) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// Words that stand as they are.
pub(super) fn standing(text: &str) -> String {
    prose(text, false)
}

/// Words whose lines were broken on purpose, as people type them: fit to be quoted.
pub(super) fn typed(text: &str) -> String {
    prose(text, true)
}

fn prose(text: &str, keeps_lines: bool) -> String {
    let text = sanitise(text);
    let text = tabs::as_spaces(without_blank_ends(&text));
    if !(is_suspicious(&text) || keeps_lines && text.contains('\n')) {
        return text.into_owned();
    }
    let mut edits = Edits::default();
    rewritten::collect(&text, keeps_lines, &mut edits);
    let mut text = changed(text, edits);
    for _ in 0..ROUNDS {
        let mut edits = Edits::default();
        leaks::collect(&text, &mut edits);
        if edits.is_empty() {
            return text.into_owned();
        }
        text = changed(text, edits);
    }
    fence::fenced("markdown", &text)
}

fn changed(text: Cow<'_, str>, edits: Edits) -> Cow<'_, str> {
    if edits.is_empty() { text } else { Cow::Owned(edits.apply(&text)) }
}

/// `text` without blank lines around it. The indentation of its first line may mean code, and stays.
fn without_blank_ends(text: &str) -> &str {
    let text = text.trim_end();
    let first = text.len() - text.trim_start().len();
    let line = text.get(..first).and_then(|blank| blank.rfind('\n')).map_or(0, |at| at + 1);
    text.get(line..).unwrap_or_default()
}

/// Whether `text` might hold something that has to be changed. Cheap, and wrong only by saying yes.
fn is_suspicious(text: &str) -> bool {
    const SIGNS: [&str; 9] = ["<", "]:", "[^", "[!", "```", "~~~", "%%", "==", "--"];
    text.contains('#') || SIGNS.iter().any(|sign| text.contains(sign)) || ends_like_underline(text)
}

/// Whether a line is one dash or one equals sign, which makes a heading of what stands above.
fn ends_like_underline(text: &str) -> bool {
    text.lines().any(|line| matches!(line.trim_matches([' ', '\t', '>']), "-" | "="))
}
