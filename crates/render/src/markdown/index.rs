//! The list of exported conversations, by workspace, newest first: the `README.md` of a folder.

use std::collections::BTreeMap;
use std::io::{self, Write};

use jiff::tz::TimeZone;

use super::blocks::Blocks;
use super::inline;
use crate::html::IndexEntry;
use crate::list::short_workspace;
use crate::terminal::folded::counted;

/// How much of a title stands in the list.
const LONGEST_TITLE: usize = 100;

/// Writes the list of `entries`, days in `time_zone`.
pub fn index(entries: &[IndexEntry], time_zone: &TimeZone, out: impl Write) -> io::Result<()> {
    let mut blocks = Blocks::new(out);
    blocks.block("# Conversations")?;
    let number = u64::try_from(entries.len()).unwrap_or(u64::MAX);
    blocks.block(&format!("{}, by workspace, latest first.", counted(number, "conversation")))?;
    for (name, path, entries) in by_workspace(entries) {
        blocks.block(&format!("## {}", inline::escaped(&name)))?;
        if let Some(path) = path {
            blocks.block(&inline::code(path))?;
        }
        for entry in entries {
            blocks.item(&line(entry, time_zone))?;
        }
    }
    Ok(())
}

/// The path and host of a workspace.
type Place<'a> = Option<(&'a str, Option<&'a str>)>;

type Group<'a> = (String, Option<&'a str>, Vec<&'a IndexEntry>);

/// The entries of each workspace. Two workspaces may share their short name, but not their path and host.
/// What belongs to none comes last.
fn by_workspace(entries: &[IndexEntry]) -> Vec<Group<'_>> {
    let mut groups: BTreeMap<(bool, String, Place<'_>), Vec<&IndexEntry>> = BTreeMap::new();
    for entry in entries {
        let workspace = entry.summary.workspace.as_ref();
        let name = workspace.map_or_else(|| "No workspace".to_owned(), short_workspace);
        let key = workspace.map(|workspace| (workspace.path.as_str(), workspace.remote.as_deref()));
        groups.entry((key.is_none(), name, key)).or_default().push(entry);
    }
    let groups = groups.into_iter().map(|((_, name, key), mut entries)| {
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.summary.recency()));
        (name, key.map(|(path, _)| path), entries)
    });
    groups.collect()
}

fn line(entry: &IndexEntry, time_zone: &TimeZone) -> String {
    let summary = &entry.summary;
    let title = inline::first_words(summary.title.as_deref().unwrap_or_default(), LONGEST_TITLE);
    let title = if title.is_empty() { "Untitled conversation".to_owned() } else { title };
    let mut line = format!("[{title}]({})", inline::destination(&entry.address));
    if let Some(at) = summary.recency() {
        line = format!("{} · {line}", at.to_zoned(time_zone.clone()).strftime("%Y-%m-%d"));
    }
    match summary.messages {
        Some(messages) => format!("{line} · {}", counted(messages, "message")),
        None => line,
    }
}
