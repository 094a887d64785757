//! A block of code or output under its caption, with a button that copies it.

use maud::{Markup, Render, html};

/// A block whose content is `inside`, under `caption`. `kind` is one of our own classes.
pub(super) fn block(kind: &'static str, caption: &impl Render, inside: &Markup) -> Markup {
    html! {
        figure class={ "block " (kind) } {
            figcaption {
                span.caption { (caption) }
                (copy_button("block", "Copy"))
            }
            pre tabindex="0" { code { (inside) } }
        }
    }
}

/// A button that copies; it is shown only where the script runs.
pub(super) fn copy_button(what: &'static str, label: &'static str) -> Markup {
    html! { button.copy type="button" data-copy=(what) { (label) } }
}

/// Says that `lines` lines were left out.
pub(super) fn left_out(lines: usize) -> Markup {
    html! {
        @if lines > 0 {
            p.left-out { "… " (lines) @if lines == 1 { " more line" } @else { " more lines" } ", not shown at this level of detail" }
        }
    }
}
