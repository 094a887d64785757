//! How a diff changes what is known of a file: where its hunks stand, and what becomes of the rest when they fit nowhere.

use super::file_text::{FileText, MOST_LINES, Trouble, holds};
use super::hunks::{Hunk, Line, Section};

/// A text before and after a change; both know what the change told of either.
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

    /// The same, where an empty file is told as one empty line, as the editor does.
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

    /// Where `old` stands, if that can be known.
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
