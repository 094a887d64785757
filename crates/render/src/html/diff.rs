//! Unified diffs, line by line.

use maud::{Markup, Render, html};

use super::figure;
use super::stored::shown;
use crate::terminal::{DiffLine, diff_lines, diff_stat};

/// A diff in colour, under how much it changes.
pub fn diff(changed: &str) -> Markup {
    captioned(changed, &"diff")
}

/// A diff under `caption` and how much it changes.
pub(super) fn captioned(changed: &str, caption: &impl Render) -> Markup {
    block(changed, html! { (caption) " " (stat(changed)) })
}

/// How much a diff changes: `+3 −1`.
pub(super) fn stat(changed: &str) -> Markup {
    let stat = diff_stat(changed);
    html! { span.stat { span.added { "+" (stat.added) } " " span.removed { "−" (stat.removed) } } }
}

/// A diff in colour under just `caption`.
pub(super) fn block(changed: &str, caption: impl Render) -> Markup {
    let changed = shown(changed);
    let lines = html! {
        @for (kind, line) in diff_lines(&changed) { span class=[class(kind)] { (line) } }
    };
    figure::block("diff", &caption, &lines)
}

fn class(kind: DiffLine) -> Option<&'static str> {
    match kind {
        DiffLine::Added => Some("added"),
        DiffLine::Removed => Some("removed"),
        DiffLine::Heading => Some("heading"),
        DiffLine::Hunk => Some("hunk"),
        DiffLine::Same => None,
    }
}
