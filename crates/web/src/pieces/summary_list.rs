//! Conversations in a list: title, where, when, how much.

use backscroll_model::{Flag, Summary, Surface};
use backscroll_render::list::{relative, short_workspace};
use jiff::Zoned;
use maud::{Markup, html};

use super::{count, plural};
use crate::link;

/// One line of the list.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    pub(crate) summary: &'a Summary,
    /// What was found in it, already marked up.
    pub(crate) found: Vec<Markup>,
}

impl<'a> Row<'a> {
    /// A line that tells of the conversation alone.
    pub(crate) fn of(summary: &'a Summary) -> Self {
        Self { summary, found: Vec::new() }
    }
}

/// The list of `rows`, seen from `now`. The script moves through it by key.
pub(crate) fn summary_list(rows: &[Row<'_>], now: &Zoned) -> Markup {
    html! {
        ol.conversations { @for row in rows { (line(row, now)) } }
    }
}

fn line(row: &Row<'_>, now: &Zoned) -> Markup {
    let summary = row.summary;
    let title = summary.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    html! {
        li.conversation data-id=(summary.id) {
            a.title href=(link::conversation(&summary.id)) {
                bdi { @match title { Some(title) => (shortened(title)), None => span.untitled { "Untitled" } } }
            }
            p.meta {
                @if let Some(workspace) = &summary.workspace {
                    a.workspace href=(link::workspace(workspace)) title=(workspace.path) { (short_workspace(workspace)) }
                }
                @if let Some(at) = summary.recency() {
                    time datetime=(at) title=(at.to_zoned(now.time_zone().clone()).strftime("%A %-d %B %Y, %H:%M")) { (relative(at, now)) }
                }
                @if let Some(messages) = summary.messages { span { (plural(messages, "message")) } }
                span.surface { (surface_name(summary.surface)) }
                @for model in summary.models.iter().take(2) { span.model { (model) } }
                @if summary.models.len() > 2 { span.model { "+" (count(summary.models.len() - 2)) } }
                @for flag in summary.flags.iter().filter(|flag| **flag != Flag::Empty || summary.messages.is_none()) {
                    span.tag { (flag.name()) }
                }
            }
            @for found in &row.found { (found) }
        }
    }
}

/// Where it was held, for people.
pub(crate) fn surface_name(surface: Surface) -> &'static str {
    match surface {
        Surface::Ide => "editor",
        Surface::IdeChat => "old chat",
        Surface::Cli => "command line",
        Surface::Sdk => "SDK",
        Surface::Transcript => "transcript",
    }
}

/// A title is a line, however much was stored for it.
fn shortened(title: &str) -> String {
    const LONGEST: usize = 200;
    let line = title.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().nth(LONGEST).is_none() {
        return line;
    }
    line.chars().take(LONGEST).chain(['…']).collect()
}
