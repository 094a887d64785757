//! What stands around the conversation where the player runs: the bar, the files, the player, the help. Without
//! JavaScript none of it is seen.

use maud::{Markup, html};

use super::data_block::raw;

/// How fast it can be played.
const SPEEDS: &[&str] = &["0.5", "1", "1.5", "2", "4", "8"];

/// Keys and what they do.
const KEYS: &[(&[&str], &str)] = &[
    (&["Space"], "play or pause"),
    (&["←", "→"], "previous and next step"),
    (&["↑", "↓"], "previous and next chapter (also p and n)"),
    (&["Home", "End"], "beginning and end"),
    (&["<", ">"], "slower and faster"),
    (&["e"], "next edit"),
    (&["s"], "next command"),
    (&["x"], "next error"),
    (&["f"], "files: shown or hidden"),
    (&["l"], "follow the play again"),
    (&["d"], "light or dark"),
    (&["?"], "this help"),
];

/// The bar on top.
pub(super) fn bar(title: &str) -> Markup {
    html! {
        a.skip href="#conversation" { "Skip to the conversation" }
        div.bar {
            span.name { (title) }
            div.controls role="group" aria-label="View" {
                button.sheet-button type="button" data-sheet="chapters" aria-expanded="false" aria-controls="chapters" { "Chapters" }
                button.sheet-button type="button" data-sheet="files" aria-expanded="false" aria-controls="files" { "Files" }
                button.icon #theme type="button" title="Light or dark (d)" aria-label="Light or dark" { "◐" }
                button.icon #ask-replay-help type="button" title="Keys (?)" aria-label="Keys" { "?" }
            }
        }
    }
}

/// The files as they stand.
pub(super) fn files() -> Markup {
    html! {
        aside.shelf #files aria-label="Files at this moment" hidden {
            div.tabs #tabs role="tablist" aria-label="Touched files" {}
            div.file-head {
                span.path #file-path {}
                span.file-kept #file-kept hidden title="Cursor's own checkpoint says that the file stood just so" { "✓ checkpoint" }
                span.file-change #file-change {}
                button #unpin type="button" hidden title="Show the file of the step again" { "Follow edits" }
            }
            p.trouble #file-trouble role="note" hidden {}
            div.file-view #file-view role="tabpanel" tabindex="0" aria-labelledby="file-path" { div.file-rows #file-rows {} }
        }
    }
}

/// The player.
pub(super) fn player() -> Markup {
    html! {
        p.later-toast #later hidden aria-live="polite" {}
        button.follow #follow type="button" hidden { "Follow ↓" }
        section.player #player aria-label="Player" {
            div.scrub {
                canvas #marks aria-hidden="true" {}
                input #position type="range" min="0" max="1000" value="0" step="1" aria-label="Position";
                output.tip #tip hidden {}
            }
            div.buttons {
                (button("previous-chapter", "Previous chapter (↑)", "M6 5v14M19 5 9 12l10 7z"))
                (button("previous-step", "Previous step (←)", "M15 5 6 12l9 7z"))
                button.play #play-pause type="button" title="Play or pause (space)" aria-label="Play" aria-pressed="false" {
                    (raw(r#"<svg viewBox="0 0 24 24" aria-hidden="true"><path class="is-paused" d="M7 4v16l13-8z"/><path class="is-playing" d="M6 4h4v16H6zM14 4h4v16h-4z"/></svg>"#))
                }
                (button("next-step", "Next step (→)", "m9 5 9 7-9 7z"))
                (button("next-chapter", "Next chapter (↓)", "M18 5v14M5 5l10 7-10 7z"))
                span.clock { span #elapsed { "0:00" } " / " span #total { "0:00" } }
                span.now { time #real {} span #turn {} }
                span.caption #caption {}
                span.legend #legend role="group" aria-label="Go to the next" {}
                label.speed {
                    span.spoken { "Speed" }
                    select #speed {
                        @for speed in SPEEDS { option value=(speed) selected[*speed == "1"] { (speed) "×" } }
                    }
                }
            }
        }
    }
}

fn button(id: &'static str, says: &'static str, shape: &'static str) -> Markup {
    html! {
        button.icon id=(id) type="button" title=(says) aria-label=(says) {
            (raw(r#"<svg viewBox="0 0 24 24" aria-hidden="true"><path d=""#)) (raw(shape)) (raw(r#""/></svg>"#))
        }
    }
}

/// The help on keys.
pub(super) fn help() -> Markup {
    html! {
        dialog #replay-help aria-labelledby="replay-help-title" {
            h2 #replay-help-title { "Keys" }
            dl {
                @for (keys, does) in KEYS {
                    div { dt { @for key in *keys { kbd { (key) } " " } } dd { (does) } }
                }
            }
            form method="dialog" { button type="submit" { "Close" } }
        }
    }
}
