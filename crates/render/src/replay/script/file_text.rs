//! What is known of a file's text: lines with their numbers, gaps, and stretches of which nobody knows where they stand.
//!
//! Nothing is guessed: what contradicts the text that was known makes it unknown again, and says so.

use serde::Serialize;

use super::differences::Row;
use super::hunks::Line;

/// Longer files are cut: their end is not shown.
pub(super) const MOST_LINES: usize = 20_000;

/// What was wrong with what a step told of a file.
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
    /// A file with just these lines.
    pub(super) fn whole(mut lines: Vec<Line>) -> Self {
        let is_cut = lines.len() > MOST_LINES;
        lines.truncate(MOST_LINES);
        let numbered = lines.into_iter().map(Some).collect();
        Self { numbered, ends: !is_cut, elsewhere: Vec::new(), is_cut }
    }

    /// Whether every line is known.
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

    /// As it is shown.
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
            *stretch = super::hunks::lines_of(&text.replace(&old, &new));
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

/// Whether `stretch` stands in `lines`.
pub(super) fn holds(lines: &[Line], stretch: &[Line]) -> bool {
    stretch.is_empty() || lines.windows(stretch.len()).any(|window| window == stretch)
}
