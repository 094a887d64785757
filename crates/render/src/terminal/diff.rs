//! Unified diffs: how much they change, and their lines in colour.

use std::io::{self, Write};

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

impl std::fmt::Display for DiffStat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "+{} −{}", self.added, self.removed)
    }
}

/// Counts the lines that `diff` adds and removes.
///
/// Inside a hunk every line counts by its sign, even one that looks like a file heading (`--- a comment`); how long a
/// hunk is, its own heading tells.
pub fn diff_stat(diff: &str) -> DiffStat {
    let mut stat = DiffStat::default();
    let (mut old, mut new) = (0_u64, 0_u64);
    for line in diff.lines() {
        let is_heading = old == 0 && new == 0 && (line.starts_with("+++ ") || line.starts_with("--- "));
        if let Some(lengths) = hunk_lengths(line) {
            (old, new) = lengths;
        } else if is_heading {
        } else if line.starts_with('+') {
            stat.added += 1;
            new = new.saturating_sub(1);
        } else if line.starts_with('-') {
            stat.removed += 1;
            old = old.saturating_sub(1);
        } else if !line.starts_with('\\') {
            (old, new) = (old.saturating_sub(1), new.saturating_sub(1));
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

/// Writes `diff` in colour.
pub(super) fn write<W: Write>(page: &mut Page<'_, W>, indent: usize, diff: &str) -> io::Result<()> {
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
