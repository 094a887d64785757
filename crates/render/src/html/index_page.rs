//! The list of exported conversations, by workspace, newest first.

use std::collections::BTreeMap;
use std::io::{self, Write};

use backscroll_model::Summary;
use jiff::tz::TimeZone;
use maud::{Markup, html};

use super::page::{beginning, end};
use super::stored::in_a_line;
use crate::list::short_workspace;
use crate::terminal::folded::{counted, grouped};

/// One conversation of the list.
#[derive(Debug, Clone)]
pub struct IndexEntry {
    /// Where its page lies: a relative address, encoded as one.
    pub address: String,
    /// What is known of it.
    pub summary: Summary,
}

/// Writes the list of `entries` as a page of its own, times in `time_zone`.
pub fn index_page(entries: &[IndexEntry], time_zone: &TimeZone, mut out: impl Write) -> io::Result<()> {
    out.write_all(beginning("Conversations", "lists").0.as_bytes())?;
    let number = counted(u64::try_from(entries.len()).unwrap_or(u64::MAX), "conversation");
    let head = html! {
        header.about {
            h1 { "Conversations" }
            p.place { (number) }
            label.filter { span.spoken { "Filter conversations" } input #filter type="search" placeholder="Filter  /" autocomplete="off"; }
            output #found aria-live="polite" {}
        }
    };
    out.write_all(b"<main id=\"conversation\">")?;
    out.write_all(head.0.as_bytes())?;
    for (name, (path, entries)) in by_workspace(entries) {
        out.write_all(group(&name, path.as_deref(), &entries, time_zone).0.as_bytes())?;
    }
    out.write_all(b"</main>")?;
    out.write_all(end().0.as_bytes())
}

type Group<'a> = (Option<String>, Vec<&'a IndexEntry>);

fn by_workspace(entries: &[IndexEntry]) -> BTreeMap<String, Group<'_>> {
    let mut groups: BTreeMap<String, Group<'_>> = BTreeMap::new();
    for entry in entries {
        let workspace = entry.summary.workspace.as_ref();
        let name = workspace.map_or_else(|| "No workspace".to_owned(), short_workspace);
        let group = groups
            .entry(name)
            .or_insert_with(|| (workspace.map(|workspace| workspace.path.clone()), Vec::new()));
        group.1.push(entry);
    }
    for (_, entries) in groups.values_mut() {
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.summary.recency()));
    }
    groups
}

fn group(name: &str, path: Option<&str>, entries: &[&IndexEntry], time_zone: &TimeZone) -> Markup {
    html! {
        section.group {
            h2 { (in_a_line(name, 120)) @if let Some(path) = path { " " span.path { (in_a_line(path, 300)) } } }
            ul { @for entry in entries { (line(entry, time_zone)) } }
        }
    }
}

fn line(entry: &IndexEntry, time_zone: &TimeZone) -> Markup {
    let summary = &entry.summary;
    let title = summary.title.as_deref().map(|title| in_a_line(title, 160)).filter(|title| !title.is_empty());
    html! {
        li.entry {
            a href=(entry.address) { (title.as_deref().unwrap_or("Untitled conversation")) }
            p {
                @if let Some(at) = summary.recency() {
                    time datetime=(at) { (at.to_zoned(time_zone.clone()).strftime("%-d %b %Y")) }
                }
                span { (summary.surface.name()) }
                @if let Some(number) = summary.messages { span { (grouped(number)) @if number == 1 { " message" } @else { " messages" } } }
                @for model in summary.models.iter().take(3) { span { (in_a_line(model, 60)) } }
            }
        }
    }
}
