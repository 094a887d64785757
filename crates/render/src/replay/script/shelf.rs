//! The files as they stand at one step of the play, and what came of each before: steps tell of them one after the other,
//! and checkpoints correct what the steps made of them.

use std::collections::HashMap;

use super::Trouble;
use super::differences::{Row, Splice, between};
use super::file_text::FileText;
use super::files::{Change, How, PlayedFile, heard};
use super::hunks::lines_of;
use super::kept::Told;
use super::witness::Witness;

/// All states together may take about so many bytes in the page; later ones are left out, and that is told.
const MOST_BYTES: usize = 24 * 1024 * 1024;

/// The files as they stand at one step.
#[derive(Default)]
pub(super) struct Shelf {
    pub(super) files: Vec<PlayedFile>,
    now: Vec<Standing>,
    by_path: HashMap<String, usize>,
    bytes: usize,
}

/// One file at this step.
#[derive(Default)]
struct Standing {
    text: FileText,
    /// The text in front of the last change: as it was known from earlier steps, as it was known when checkpoints had
    /// been heard too, and as the change told that it had been.
    old: FileText,
    known: FileText,
    before: FileText,
    /// The kept state that the text is, if nothing has touched it since.
    kept: Option<usize>,
}

impl Shelf {
    /// A step tells of a file.
    pub(super) fn hear(&mut self, step: usize, path: String, witness: Witness) {
        let is_full = self.bytes > MOST_BYTES;
        let number = self.number(path);
        let (Some(file), Some(now)) = (self.files.get_mut(number), self.now.get_mut(number)) else { return };
        if is_full {
            let is_first = file.changes.last().is_none_or(|change| change.trouble != Some(Trouble::Cut));
            file.changes.extend(is_first.then(|| left_out(step, &now.text)));
            return;
        }
        let heard = heard(&now.text, witness);
        // What a checkpoint just told of the file belongs to what is known before this step.
        let told_by_checkpoint = file.changes.pop_if(|last| last.step == step && last.how == How::Kept);
        now.known = std::mem::take(&mut now.text);
        if told_by_checkpoint.is_none() {
            now.old = now.known.clone();
        }
        let (old, before, after) = (now.old.rows(), heard.before.rows(), heard.after.rows());
        let (told, changed) = (between(&old, &before), between(&before, &after));
        self.bytes += size(&told) + size(&changed);
        let is_cut = after.contains(&Row::Cut).then_some(Trouble::Cut);
        let trouble = heard.trouble.or(told_by_checkpoint.and_then(|change| change.trouble)).or(is_cut);
        file.changes.push(Change { step, how: heard.how, told, changed, trouble, kept: false });
        (now.before, now.text, now.kept) = (heard.before, heard.after, None);
    }

    /// A checkpoint in front of `step` tells what a file holds.
    pub(super) fn keep_before(&mut self, step: usize, told: Told<'_>) {
        let Some((number, kept)) = self.news(told) else { return };
        self.correct(number, step, kept);
    }

    /// A checkpoint behind `step` tells what a file holds; the message began with the step `since`.
    pub(super) fn keep_after(&mut self, since: usize, step: usize, told: Told<'_>) {
        let Some((number, kept)) = self.news(told) else { return };
        let (Some(file), Some(now)) = (self.files.get_mut(number), self.now.get_mut(number)) else { return };
        let Some(last) = file.changes.last_mut().filter(|last| last.step >= since && last.how != How::Kept)
        else {
            return self.correct(number, step, kept);
        };
        let agrees = now.text.agrees_with(&kept);
        // Where the text before is known to the last line, what a step that fitted nowhere did is known after all.
        if now.known.is_whole() && last.trouble.is_some() {
            now.before = now.known.clone();
            last.told = between(&now.old.rows(), &now.before.rows());
        }
        last.changed = between(&now.before.rows(), &kept.rows());
        self.bytes += size(&last.changed);
        last.trouble = match last.trouble {
            Some(Trouble::Contradiction) => Some(Trouble::NotAsKept),
            _ if !agrees => Some(Trouble::NotAsKept),
            Some(Trouble::Unplaced) if now.before.is_whole() => None,
            other => other,
        };
        last.kept = true;
        now.text = kept;
    }

    /// The file that a checkpoint tells of, and its text, unless that is how it stands already.
    fn news(&mut self, told: Told<'_>) -> Option<(usize, FileText)> {
        if self.bytes > MOST_BYTES {
            return None;
        }
        let number = self.number(told.path.to_owned());
        let now = self.now.get_mut(number)?;
        if now.kept == Some(told.number) {
            return None;
        }
        now.kept = Some(told.number);
        Some((number, FileText::whole(lines_of(told.text))))
    }

    /// Puts what a checkpoint kept in the place of what was known.
    fn correct(&mut self, number: usize, step: usize, kept: FileText) {
        let (Some(file), Some(now)) = (self.files.get_mut(number), self.now.get_mut(number)) else { return };
        if now.text == kept {
            return;
        }
        let agrees = now.text.agrees_with(&kept);
        let told = between(&now.text.rows(), &kept.rows());
        self.bytes += size(&told);
        let trouble = (!agrees).then_some(Trouble::NotAsKept);
        file.changes.push(Change { step, how: How::Kept, told, changed: Vec::new(), trouble, kept: true });
        now.old = std::mem::replace(&mut now.text, kept);
        now.before = now.text.clone();
    }

    fn number(&mut self, path: String) -> usize {
        *self.by_path.entry(path).or_insert_with_key(|path| {
            self.files.push(PlayedFile { path: path.clone(), changes: Vec::new() });
            self.now.push(Standing::default());
            self.files.len() - 1
        })
    }
}

/// About how much room splices take in the page.
fn size(splices: &[Splice]) -> usize {
    splices.iter().flat_map(|splice| &splice.added).map(Row::size).sum::<usize>() + 20
}

fn left_out(step: usize, text: &FileText) -> Change {
    let everything = Splice { at: 0, removed: text.rows().len(), added: vec![Row::Cut] };
    let told = vec![everything];
    Change { step, how: How::Seen, told, changed: Vec::new(), trouble: Some(Trouble::Cut), kept: false }
}
