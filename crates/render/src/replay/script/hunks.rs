//! Unified diffs, read: files, hunks, lines. Numbers are believed only where they can be real.

use std::sync::Arc;

/// One line of a file, shared by all states that hold it.
pub(super) type Line = Arc<str>;

/// What a hunk says of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// It is there before and after.
    Stays(Line),
    /// It was there.
    Goes(Line),
    /// It is there now.
    Comes(Line),
}

/// One stretch of changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Hunk {
    /// Where it begins in the file as it becomes, counted from zero.
    pub(super) place: usize,
    old_start: usize,
    /// Its lines.
    pub(super) lines: Vec<Said>,
}

impl Hunk {
    /// The lines that it expects to find.
    pub(super) fn before(&self) -> Vec<Line> {
        let found = self.lines.iter().filter_map(|line| match line {
            Said::Stays(line) | Said::Goes(line) => Some(line.clone()),
            Said::Comes(_) => None,
        });
        found.collect()
    }

    /// The lines that it leaves behind.
    pub(super) fn after(&self) -> Vec<Line> {
        let left = self.lines.iter().filter_map(|line| match line {
            Said::Stays(line) | Said::Comes(line) => Some(line.clone()),
            Said::Goes(_) => None,
        });
        left.collect()
    }
}

/// What a diff says of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Section {
    /// The file before; `None` if the diff names none, or `/dev/null`.
    pub(super) old_path: Option<String>,
    /// The file after, likewise.
    pub(super) new_path: Option<String>,
    /// There was no file before.
    pub(super) creates: bool,
    /// There is no file afterwards.
    pub(super) deletes: bool,
    /// The changes, in order.
    pub(super) hunks: Vec<Hunk>,
}

impl Section {
    /// Whether the line numbers can be those of the file. Diffs that were made out of replaced strings and patches
    /// without numbers count from one, and their hunks follow each other without a gap.
    pub(super) fn is_numbered(&self) -> bool {
        let follow = self
            .hunks
            .windows(2)
            .any(|pair| pair[0].old_start.saturating_add(pair[0].before().len()) >= pair[1].old_start);
        let is_first_later = self.hunks.first().is_some_and(|hunk| hunk.old_start > 1);
        (self.hunks.len() > 1 || is_first_later) && !follow
    }
}

/// The lines of `text`, without their ends.
pub(super) fn lines_of(text: &str) -> Vec<Line> {
    text.lines().map(Line::from).collect()
}

/// Reads a unified diff of any number of files. What is no diff gives nothing.
pub(super) fn sections(diff: &str) -> Vec<Section> {
    let mut reader = Reader::default();
    let mut lines = diff.lines().peekable();
    while let Some(line) = lines.next() {
        if reader.is_inside() && !line.starts_with("@@ -") {
            reader.body(line);
        } else if let Some(old) = line.strip_prefix("--- ")
            && let Some(new) = lines.peek().and_then(|next| next.strip_prefix("+++ "))
        {
            reader.file(old, new);
            lines.next();
        } else if let Some(header) = line.strip_prefix("@@ -") {
            reader.hunk(header);
        }
    }
    reader.sections.retain(|section| !section.hunks.is_empty() || section.creates || section.deletes);
    reader.sections
}

#[derive(Default)]
struct Reader {
    sections: Vec<Section>,
    old_left: usize,
    new_left: usize,
}

impl Reader {
    fn is_inside(&self) -> bool {
        self.old_left > 0 || self.new_left > 0
    }

    fn file(&mut self, old: &str, new: &str) {
        let path = |side: &str| {
            let named = side.split('\t').next().unwrap_or(side).trim();
            (named != "/dev/null" && !named.is_empty()).then(|| named.to_owned())
        };
        let (mut old_path, mut new_path) = (path(old), path(new));
        let strip =
            |path: &Option<String>, before: &str| path.as_ref()?.strip_prefix(before).map(str::to_owned);
        // The letters of git stand on both sides, or beside no file.
        if old_path.is_none()
            || new_path.is_none()
            || strip(&old_path, "a/").is_some() && strip(&new_path, "b/").is_some()
        {
            old_path = strip(&old_path, "a/").or(old_path);
            new_path = strip(&new_path, "b/").or(new_path);
        }
        let (creates, deletes) = (old.trim() == "/dev/null", new.trim() == "/dev/null");
        self.sections.push(Section { old_path, new_path, creates, deletes, hunks: Vec::new() });
    }

    /// `1,3 +1,4 @@ …`
    fn hunk(&mut self, header: &str) {
        let ranges = header.split(" @@").next().unwrap_or_default();
        let (old, new) = ranges.split_once(" +").unwrap_or((ranges, "1"));
        let (Some((old_start, old_count)), Some((new_start, new_count))) = (range(old), range(new)) else {
            return;
        };
        if self.sections.is_empty() {
            self.sections.push(Section::default());
        }
        (self.old_left, self.new_left) = (old_count, new_count);
        // A side without lines names the line before it.
        let place = if new_count == 0 { new_start } else { new_start.saturating_sub(1) };
        if let Some(section) = self.sections.last_mut() {
            section.hunks.push(Hunk { place, old_start, lines: Vec::new() });
        }
    }

    fn body(&mut self, line: &str) {
        let Some(hunk) = self.sections.last_mut().and_then(|section| section.hunks.last_mut()) else {
            return;
        };
        let rest = |sign: char| line.strip_prefix(sign).map(Line::from);
        if let Some(came) = rest('+') {
            self.new_left = self.new_left.saturating_sub(1);
            hunk.lines.push(Said::Comes(came));
        } else if let Some(gone) = rest('-') {
            self.old_left = self.old_left.saturating_sub(1);
            hunk.lines.push(Said::Goes(gone));
        } else if !line.starts_with('\\') {
            // An empty line often loses its leading space.
            self.old_left = self.old_left.saturating_sub(1);
            self.new_left = self.new_left.saturating_sub(1);
            hunk.lines.push(Said::Stays(rest(' ').unwrap_or_else(|| Line::from(line))));
        }
    }
}

/// `3` or `3,4`.
fn range(text: &str) -> Option<(usize, usize)> {
    let (start, count) = text.trim().split_once(',').unwrap_or((text.trim(), "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}
