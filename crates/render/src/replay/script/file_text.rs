//! What is known of a file's text: lines with their numbers, gaps, and stretches of which nobody knows where they stand.
//!
//! Nothing is guessed: what contradicts the text that was known makes it unknown again, and says so.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Longer files are cut: their end is not shown.
const MOST_LINES: usize = 20_000;

/// What was wrong with what a step says about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trouble {
    /// It does not fit what was known, so what was known is no longer believed.
    Contradiction,
    /// Where in the file it happened is not known.
    Unplaced,
    /// The file is not as it was left: something outside of the conversation changed it.
    ChangedOutside,
    /// What the steps made of the file is not what the editor's own checkpoint kept.
    NotAsKept,
    /// The file, or all files together, are too large to be kept whole.
    Cut,
}

/// A file's text, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct FileText {
    pub(super) numbered: Vec<Option<Line>>,
    /// Whether the file ends where `numbered` does.
    pub(super) ends: bool,
    /// Stretches that stand somewhere in the file.
    pub(super) elsewhere: Vec<Vec<Line>>,
    pub(super) is_cut: bool,
}

impl FileText {
    pub(super) fn whole(mut lines: Vec<Line>) -> Self {
        let is_cut = lines.len() > MOST_LINES;
        lines.truncate(MOST_LINES);
        let numbered = lines.into_iter().map(Some).collect();
        Self { numbered, ends: !is_cut, elsewhere: Vec::new(), is_cut }
    }

    pub(super) fn is_whole(&self) -> bool {
        self.ends && self.elsewhere.is_empty() && self.numbered.iter().all(Option::is_some)
    }

    /// Whether nothing that is known speaks against the file being `whole`. An empty last line is none: it is only how a
    /// last line that ends is sometimes told.
    pub(super) fn agrees_with(&self, whole: &Self) -> bool {
        let told: Vec<Line> = whole.numbered.iter().flatten().cloned().collect();
        let ended =
            |lines: usize, last: Option<&Line>| lines - usize::from(last.is_some_and(|line| line.is_empty()));
        let known_end = ended(self.numbered.len(), self.numbered.last().and_then(Option::as_ref));
        let told_end = ended(told.len(), told.last());
        let fits = self.numbered.iter().take(known_end).zip(&told);
        known_end <= told.len()
            && (!self.ends || known_end == told_end)
            && fits.into_iter().all(|(known, line)| known.as_ref().is_none_or(|known| known == line))
            && self.elsewhere.iter().all(|stretch| holds(&told, stretch))
    }

    pub(super) fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::with_capacity(self.numbered.len() + 1);
        let mut unknown = 0;
        for line in &self.numbered {
            match line {
                None => unknown += 1,
                Some(line) => {
                    rows.extend((unknown > 0).then_some(Row::Gap(Some(unknown))));
                    unknown = 0;
                    rows.push(Row::Line(line.clone()));
                }
            }
        }
        if !self.ends {
            rows.push(if self.is_cut { Row::Cut } else { Row::Gap(None) });
        } else if unknown > 0 {
            rows.push(Row::Gap(Some(unknown)));
        }
        for stretch in self.elsewhere.iter().filter(|stretch| !stretch.is_empty()) {
            rows.push(Row::Elsewhere);
            rows.extend(stretch.iter().cloned().map(Row::Line));
        }
        rows
    }

    /// The text when `lines` were seen from line `first` on, counted from zero, in a file of `total` lines.
    pub(super) fn seen(
        &self,
        first: usize,
        mut lines: Vec<Line>,
        total: Option<usize>,
    ) -> (Self, Option<Trouble>) {
        let end = first.saturating_add(lines.len());
        if first == 0 && total == Some(lines.len()) {
            let differs = !self.fits(0, &lines) || (self.ends && self.numbered.len() != end);
            return (Self::whole(lines), differs.then_some(Trouble::ChangedOutside));
        }
        let as_known =
            self.fits(first, &lines) && total.is_none_or(|total| !self.ends || self.numbered.len() == total);
        let mut now = if as_known { self.clone() } else { Self::default() };
        lines.truncate(MOST_LINES.saturating_sub(first));
        now.is_cut |= end > MOST_LINES || total.is_some_and(|total| total > MOST_LINES);
        let length = now
            .numbered
            .len()
            .max(first.saturating_add(lines.len()).min(MOST_LINES))
            .max(total.unwrap_or(0).min(MOST_LINES));
        now.numbered.resize(length, None);
        now.elsewhere.retain(|stretch| !holds(&lines, stretch));
        for (place, line) in now.numbered.iter_mut().skip(first).zip(lines) {
            *place = Some(line);
        }
        now.ends = !now.is_cut && (now.ends || total.is_some());
        (now, (!as_known).then_some(Trouble::ChangedOutside))
    }

    /// The text when `old` was replaced by `new`; `None` if it is not known where `old` stands.
    pub(super) fn replaced(&self, old: &str, new: &str, everywhere: bool) -> Option<Self> {
        let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
        let joined = |lines: &[Line]| lines.iter().fold(String::new(), |text, line| text + line + "\n");
        let runs = self.runs();
        let numbered: Vec<String> = runs.iter().map(|(_, lines)| joined(lines)).collect();
        let elsewhere: Vec<String> = self.elsewhere.iter().map(|lines| joined(lines)).collect();
        let found: usize = numbered.iter().chain(&elsewhere).map(|text| text.matches(&old).count()).sum();
        if old.is_empty() || found == 0 || (found > 1 && !everywhere) {
            return None;
        }
        let mut now = self.clone();
        for ((start, lines), text) in runs.iter().zip(&numbered).rev().filter(|(_, text)| text.contains(&old))
        {
            let changed = text.replace(&old, &new);
            now.numbered
                .splice(start..&(start + lines.len()), changed.lines().map(|line| Some(Line::from(line))));
        }
        for (stretch, text) in
            now.elsewhere.iter_mut().zip(&elsewhere).filter(|(_, text)| text.contains(&old))
        {
            *stretch = lines_of(&text.replace(&old, &new));
        }
        now.bound();
        Some(now)
    }

    /// Whether `lines` may stand at `place`: nothing that is known speaks against it.
    pub(super) fn fits(&self, place: usize, lines: &[Line]) -> bool {
        if self.ends && place.saturating_add(lines.len()) > self.numbered.len() {
            return false;
        }
        let known = self.numbered.iter().skip(place);
        known.zip(lines).all(|(known, line)| known.as_ref().is_none_or(|known| known == line))
    }

    /// Stretches of numbered lines that are known, with the place of the first.
    pub(super) fn runs(&self) -> Vec<(usize, Vec<Line>)> {
        let mut runs: Vec<(usize, Vec<Line>)> = Vec::new();
        let mut goes_on = false;
        for (place, line) in self.numbered.iter().enumerate() {
            match (line, runs.last_mut().filter(|_| goes_on)) {
                (Some(line), Some((_, run))) => run.push(line.clone()),
                (Some(line), None) => runs.push((place, vec![line.clone()])),
                (None, _) => {}
            }
            goes_on = line.is_some();
        }
        runs
    }

    /// Lets go of what is too much to keep.
    pub(super) fn bound(&mut self) {
        if self.numbered.len() > MOST_LINES {
            self.numbered.truncate(MOST_LINES);
            (self.ends, self.is_cut) = (false, true);
        }
        let mut room = MOST_LINES;
        for stretch in self.elsewhere.iter_mut().rev() {
            stretch.truncate(room);
            room -= stretch.len();
        }
    }
}

pub(super) fn holds(lines: &[Line], stretch: &[Line]) -> bool {
    stretch.is_empty() || lines.windows(stretch.len()).any(|window| window == stretch)
}

/// A text before and after a change; both know what the change says about either.
pub(super) struct Changed {
    pub(super) before: FileText,
    pub(super) after: FileText,
    pub(super) trouble: Option<Trouble>,
}

/// Where a stretch stands.
#[derive(Clone, Copy)]
enum Spot {
    Numbered(usize),
    Elsewhere(usize, usize),
}

/// One hunk in its place.
struct Placed {
    spot: Spot,
    before: Vec<Line>,
    after: Vec<Line>,
}

impl FileText {
    /// The text before and after the changes of `section`.
    pub(super) fn changed(&self, section: &Section) -> Changed {
        let known = self.without_told_again(section).with_a_line(section);
        known.placed(section).unwrap_or_else(|trouble| match trouble {
            Trouble::Unplaced => known.loosened().placed_or_elsewhere(section, trouble),
            _ => Self::default().placed_or_elsewhere(section, trouble),
        })
    }

    /// The same without stretches that `section` tells again, now with their place.
    fn without_told_again(&self, section: &Section) -> Self {
        let mut known = self.clone();
        if section.is_numbered() {
            let told: Vec<Vec<Line>> = section.hunks.iter().map(Hunk::before).collect();
            known
                .elsewhere
                .retain(|stretch| !told.iter().any(|old| holds(old, stretch) || holds(stretch, old)));
        }
        known
    }

    /// The same, where an empty file is one empty line, as in the editor.
    fn with_a_line(mut self, section: &Section) -> Self {
        let begins_empty = || {
            section.hunks.first().is_some_and(|hunk| matches!(&hunk.before()[..], [line] if line.is_empty()))
        };
        if self.is_whole() && self.numbered.is_empty() && begins_empty() {
            self.numbered.push(Some(Line::from("")));
        }
        self
    }

    /// Every hunk in its place, or somewhere.
    fn placed_or_elsewhere(&self, section: &Section, trouble: Trouble) -> Changed {
        let mut after = self.clone();
        let mut placed = Vec::new();
        for hunk in &section.hunks {
            let (old, new) = (hunk.before(), hunk.after());
            let spot = after.spot(hunk.place, &old, section.is_numbered()).unwrap_or_else(|_| {
                after.elsewhere.push(old.clone());
                Spot::Elsewhere(after.elsewhere.len() - 1, 0)
            });
            after.put(spot, old.len(), &new);
            placed.push(Placed { spot, before: old, after: new });
        }
        let mut before = after.clone();
        for done in placed.iter().rev() {
            before.put(done.spot, done.after.len(), &done.before);
        }
        before.bound();
        after.bound();
        let is_placed = placed.iter().all(|done| matches!(done.spot, Spot::Numbered(_)));
        let trouble = Some(trouble).filter(|trouble| !is_placed || *trouble != Trouble::Unplaced);
        Changed { before, after, trouble }
    }

    /// The same, if every hunk has a place.
    fn placed(&self, section: &Section) -> Result<Changed, Trouble> {
        let mut trial = self.clone();
        for hunk in &section.hunks {
            let (old, new) = (hunk.before(), hunk.after());
            let spot = trial.spot(hunk.place, &old, section.is_numbered())?;
            trial.put(spot, old.len(), &new);
        }
        let mut changed = self.placed_or_elsewhere(section, Trouble::Unplaced);
        // Every hunk has found its place, be it in a stretch whose own place is not known.
        changed.trouble = None;
        Ok(changed)
    }

    fn spot(&self, place: usize, old: &[Line], is_numbered: bool) -> Result<Spot, Trouble> {
        let is_near = place.saturating_add(old.len()) <= MOST_LINES;
        if is_numbered && is_near && self.fits(place, old) {
            return Ok(Spot::Numbered(place));
        }
        let missing = if self.is_whole() || (is_numbered && is_near) {
            Trouble::Contradiction
        } else {
            Trouble::Unplaced
        };
        if old.is_empty() {
            let is_empty_file = self.is_whole() && self.numbered.is_empty();
            return if is_empty_file { Ok(Spot::Numbered(0)) } else { Err(Trouble::Unplaced) };
        }
        let stands = |at: &usize| {
            let window = self.numbered.iter().skip(*at).take(old.len());
            window.zip(old).all(|(known, line)| known.as_ref() == Some(line))
        };
        let places: Vec<usize> =
            (0..(self.numbered.len() + 1).saturating_sub(old.len())).filter(stands).take(64).collect();
        if places.contains(&place) {
            return Ok(Spot::Numbered(place));
        }
        let stretches: Vec<(usize, usize)> = self
            .elsewhere
            .iter()
            .enumerate()
            .filter_map(|(number, stretch)| Some((number, place_in(stretch, old)?)))
            .collect();
        match (places.as_slice(), stretches.as_slice()) {
            ([at], []) => Ok(Spot::Numbered(*at)),
            ([], [(number, at)]) => Ok(Spot::Elsewhere(*number, *at)),
            ([], []) => Err(missing),
            _ => Err(Trouble::Unplaced),
        }
    }

    /// Puts `new` in the place of `count` lines at `spot`.
    fn put(&mut self, spot: Spot, count: usize, new: &[Line]) {
        match spot {
            Spot::Numbered(place) => {
                let end = place + count;
                if self.numbered.len() < end {
                    self.numbered.resize(end, None);
                }
                self.numbered.splice(place..end, new.iter().cloned().map(Some));
            }
            Spot::Elsewhere(number, at) => {
                if let Some(stretch) = self.elsewhere.get_mut(number) {
                    let end = (at + count).min(stretch.len());
                    stretch.splice(at.min(end)..end, new.iter().cloned());
                }
            }
        }
    }

    /// The same when somewhere in what is not known lines came or went: only what stands before the first gap
    /// keeps its numbers.
    fn loosened(&self) -> Self {
        let sure = self.numbered.iter().take_while(|line| line.is_some()).count();
        let loose = self.runs().into_iter().filter(|(start, _)| *start >= sure && sure < self.numbered.len());
        let elsewhere = loose.map(|(_, lines)| lines).chain(self.elsewhere.iter().cloned()).collect();
        let whole = self.is_whole();
        let numbered = if whole { Vec::new() } else { self.numbered.iter().take(sure).cloned().collect() };
        Self { numbered, ends: false, elsewhere, is_cut: self.is_cut }
    }
}

/// Where `wanted` stands in `lines`, if it does so once.
fn place_in(lines: &[Line], wanted: &[Line]) -> Option<usize> {
    let mut places = lines.windows(wanted.len().max(1)).enumerate().filter(|(_, window)| *window == wanted);
    let (place, _) = places.next()?;
    places.next().is_none().then_some(place)
}

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

const LONGEST_LINE: usize = 2_000;

/// When more rows than this differ, they are replaced as one: comparing them would take too long.
const MOST_ROWS: usize = 4_000;

/// One row of a file as it is shown. In JSON a line is text, a gap its number of lines (zero if unknown),
/// the rest negative.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Row {
    /// A line.
    Line(std::sync::Arc<str>),
    /// Lines that are not known.
    Gap(Option<usize>),
    /// What follows stands somewhere in the file.
    Elsewhere,
    /// There is more, which was not kept.
    Cut,
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Line(line) => serializer.serialize_str(&shown(line)),
            Self::Gap(lines) => serializer.serialize_u64(lines.unwrap_or(0) as u64),
            Self::Elsewhere => serializer.serialize_i64(-1),
            Self::Cut => serializer.serialize_i64(-2),
        }
    }
}

impl Row {
    /// About how much room it takes in the page.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Line(line) => line.len().min(LONGEST_LINE) + 3,
            Self::Gap(_) | Self::Elsewhere | Self::Cut => 3,
        }
    }
}

fn shown(line: &Line) -> std::borrow::Cow<'_, str> {
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]).into(),
        None => (&**line).into(),
    }
}

/// Rows cut out at a place of the earlier state, and rows put there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// The place in the earlier state.
    pub at: usize,
    /// How many rows go.
    pub removed: usize,
    /// The rows that come.
    pub added: Vec<Row>,
}

impl Serialize for Splice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.at, self.removed, &self.added).serialize(serializer)
    }
}

/// The splices that make `after` out of `before`, in order of place.
pub(super) fn between(before: &[Row], after: &[Row]) -> Vec<Splice> {
    let same_start = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (old, new) = (&before[same_start..], &after[same_start..]);
    let same_end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - same_end], &new[..new.len() - same_end]);
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    if old.len() + new.len() > MOST_ROWS {
        return vec![Splice { at: same_start, removed: old.len(), added: new.to_vec() }];
    }
    let splice = |operation: DiffOp| match operation {
        DiffOp::Equal { .. } => None,
        DiffOp::Delete { old_index, old_len, .. } => {
            Some(Splice { at: same_start + old_index, removed: old_len, added: Vec::new() })
        }
        DiffOp::Insert { old_index, new_index, new_len } => Some(Splice {
            at: same_start + old_index,
            removed: 0,
            added: new[new_index..new_index + new_len].to_vec(),
        }),
        DiffOp::Replace { old_index, old_len, new_index, new_len } => Some(Splice {
            at: same_start + old_index,
            removed: old_len,
            added: new[new_index..new_index + new_len].to_vec(),
        }),
    };
    capture_diff_slices(Algorithm::Myers, old, new).into_iter().filter_map(splice).collect()
}
