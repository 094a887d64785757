//! The list of chapters: links to prompts, which the player turns into places in the play.

use maud::{Markup, html};

use super::script::{Chapter, Play};
use super::spans::rough;

/// The chapters of `play`.
pub(super) fn chapter_list(play: &Play) -> Markup {
    html! {
        nav.chapters #chapters aria-label="Chapters" {
            h2 { "Chapters" }
            ol {
                @for chapter in &play.chapters {
                    @if let Some(step) = play.steps.get(chapter.step) {
                        li {
                            a href={ "#m" (step.message + 1) } data-step=(chapter.step) {
                                @if let Some(idle) = step.idle { span.pause { (rough(idle)) " later" } }
                                span.title { (chapter.title) }
                                span.meta { (about(chapter)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// `gpt-5 · 3 min · 2 edits · 1 command`.
fn about(chapter: &Chapter) -> String {
    let counted = |count: usize, one: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        more => Some(format!("{more} {one}s")),
    };
    let told = [
        chapter.model.clone(),
        chapter.took.map(rough),
        counted(chapter.edits, "edit"),
        counted(chapter.commands, "command"),
        counted(chapter.errors, "error"),
    ];
    told.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
