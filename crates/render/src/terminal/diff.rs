//! Unified diffs: how much they change, and their lines in colour.

use std::io;

use super::Palette;
use super::page::{Page, TAB};
use crate::text::sanitise;

/// Lines added and removed by a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiffStat {
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
}

impl std::ops::AddAssign for DiffStat {
    fn add_assign(&mut self, other: Self) {
        self.added = self.added.saturating_add(other.added);
        self.removed = self.removed.saturating_add(other.removed);
    }
}

impl std::fmt::Display for DiffStat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "+{} −{}", self.added, self.removed)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiffLine {
    /// It was added.
    Added,
    /// It was removed.
    Removed,
    /// It names a file.
    Heading,
    /// It begins a hunk.
    Hunk,
    /// It stands on both sides, or says something about the line before.
    Same,
}

/// The lines of `diff`, each with its line break, and what they are.
///
/// Inside a hunk every line counts by its sign, even one that looks like a file heading (`--- a comment`); how long a
/// hunk is, its own heading tells.
pub(crate) fn diff_lines(diff: &str) -> impl Iterator<Item = (DiffLine, &str)> {
    let (mut old, mut new) = (0_u64, 0_u64);
    diff.split_inclusive('\n').map(move |line| {
        let kind = if let Some(lengths) = hunk_lengths(line) {
            (old, new) = lengths;
            DiffLine::Hunk
        } else if old == 0 && new == 0 && (line.starts_with("+++ ") || line.starts_with("--- ")) {
            DiffLine::Heading
        } else if line.starts_with('+') {
            new = new.saturating_sub(1);
            DiffLine::Added
        } else if line.starts_with('-') {
            old = old.saturating_sub(1);
            DiffLine::Removed
        } else {
            if !line.starts_with('\\') {
                (old, new) = (old.saturating_sub(1), new.saturating_sub(1));
            }
            DiffLine::Same
        };
        (kind, line)
    })
}

/// Counts the lines that `diff` adds and removes.
pub fn diff_stat(diff: &str) -> DiffStat {
    let mut stat = DiffStat::default();
    for (kind, _) in diff_lines(diff) {
        match kind {
            DiffLine::Added => stat.added += 1,
            DiffLine::Removed => stat.removed += 1,
            DiffLine::Heading | DiffLine::Hunk | DiffLine::Same => {}
        }
    }
    stat
}

/// How many old and new lines the hunk has that `line` begins: `@@ -1,3 +1,4 @@`.
fn hunk_lengths(line: &str) -> Option<(u64, u64)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let length = |range: &str| range.split_once(',').map_or(Some(1), |(_, length)| length.parse().ok());
    Some((length(old)?, length(new)?))
}

pub(super) fn write(page: &mut Page<'_>, indent: usize, diff: &str) -> io::Result<()> {
    let Palette { good, bad, id, plain, .. } = page.palette;
    for line in sanitise(diff).lines() {
        let style = match line.as_bytes().first() {
            Some(b'+') => good,
            Some(b'-') => bad,
            Some(b'@') => id,
            _ => plain,
        };
        let line = line.replace('\t', TAB);
        page.broken(indent, 2, &line, &[(0..line.len(), style)])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_not_counted_but_lines_that_look_like_them_are() {
        let table = [
            ("", 0, 0),
            ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n", 1, 1),
            ("--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n--- old comment\n+++ new\n+more\n", 2, 1),
            ("@@ -1 +0,0 @@\n-a\n--- b/y\n+++ b/y\n@@ -0,0 +1 @@\n+b\n", 1, 1),
            ("+a\n+b\n-c\n", 2, 1),
            ("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b", 1, 1),
        ];
        for (diff, added, removed) in table {
            assert_eq!(diff_stat(diff), DiffStat { added, removed }, "{diff}");
        }
    }
}
