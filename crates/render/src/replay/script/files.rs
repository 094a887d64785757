//! Every touched file through the whole play: what each step told of it, applied one after the other.

use std::collections::HashMap;

use backscroll_model::Conversation;
use serde::Serialize;

use super::differences::{Row, Splice, between};
use super::file_text::FileText;
use super::hunks::lines_of;
use super::witness::{self, Witness};
use super::{Step, Trouble, paths};

/// All states together may take about so many bytes in the page; later ones are left out, and that is told.
const MOST_BYTES: usize = 24 * 1024 * 1024;

/// What a step did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// It was read, or given along.
    Seen,
    /// Stretches of it changed.
    Edited,
    /// It was written whole.
    Written,
    /// It was deleted.
    Deleted,
}

/// What one step told of a file and did to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The step.
    pub step: usize,
    /// What it did.
    pub how: How,
    /// What it told of the file as it was before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<Splice>,
    /// What it changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Splice>,
    /// What was wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<Trouble>,
}

/// One file through the play. At first nothing of it is known: one gap of unknown length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlayedFile {
    /// Its name, relative to the workspace where it lies in it.
    pub path: String,
    /// What happened to it, in order.
    pub changes: Vec<Change>,
}

/// The files that the parts of `steps` touch.
pub(super) fn of(conversation: &Conversation, steps: &[Step]) -> Vec<PlayedFile> {
    let workspace = conversation.summary.workspace.as_ref().map(|workspace| workspace.path.as_str());
    let mut shelf = Shelf::default();
    for (number, step) in steps.iter().enumerate() {
        let part = conversation.messages.get(step.message).and_then(|message| message.parts.get(step.part));
        for (path, witness) in part.map(witness::of).unwrap_or_default() {
            shelf.hear(number, paths::one_name(&path, workspace), witness);
        }
    }
    shelf.files
}

/// The files as they stand at one step.
#[derive(Default)]
struct Shelf {
    files: Vec<PlayedFile>,
    texts: Vec<FileText>,
    by_path: HashMap<String, usize>,
    bytes: usize,
}

/// A file before, as it is now known to have been before, and after.
struct Heard {
    how: How,
    before: FileText,
    after: FileText,
    trouble: Option<Trouble>,
}

impl Shelf {
    fn hear(&mut self, step: usize, path: String, witness: Witness) {
        let number = *self.by_path.entry(path).or_insert_with_key(|path| {
            self.files.push(PlayedFile { path: path.clone(), changes: Vec::new() });
            self.texts.push(FileText::default());
            self.files.len() - 1
        });
        let (Some(file), Some(text)) = (self.files.get_mut(number), self.texts.get_mut(number)) else {
            return;
        };
        if self.bytes > MOST_BYTES {
            let is_first = file.changes.last().is_none_or(|change| change.trouble != Some(Trouble::Cut));
            file.changes.extend(is_first.then(|| left_out(step, text)));
            return;
        }
        let heard = heard(text, witness);
        let (old, before, after) = (text.rows(), heard.before.rows(), heard.after.rows());
        let (told, changed) = (between(&old, &before), between(&before, &after));
        let added = told.iter().chain(&changed).flat_map(|splice| &splice.added);
        self.bytes += added.map(Row::size).sum::<usize>() + 40;
        *text = heard.after;
        let is_cut = after.contains(&Row::Cut).then_some(Trouble::Cut);
        file.changes.push(Change { step, how: heard.how, told, changed, trouble: heard.trouble.or(is_cut) });
    }
}

fn left_out(step: usize, text: &FileText) -> Change {
    let everything = Splice { at: 0, removed: text.rows().len(), added: vec![Row::Cut] };
    Change { step, how: How::Seen, told: vec![everything], changed: Vec::new(), trouble: Some(Trouble::Cut) }
}

fn heard(text: &FileText, witness: Witness) -> Heard {
    let was_known = text.is_whole();
    match witness {
        Witness::Seen { first, lines, total } => {
            let (after, trouble) = text.seen(first, lines, total);
            Heard { how: How::Seen, before: after.clone(), after, trouble }
        }
        Witness::Whole { before, after } => {
            let told = before.map(|before| FileText::whole(lines_of(&before)));
            let differs = told.as_ref().is_some_and(|told| was_known && told != text && told.is_whole());
            let before = told.unwrap_or_else(|| text.clone());
            let after = FileText::whole(lines_of(&after));
            Heard { how: How::Written, before, after, trouble: differs.then_some(Trouble::ChangedOutside) }
        }
        Witness::Replaced { old, new, everywhere, diff } => {
            if let Some(after) = text.replaced(&old, &new, everywhere) {
                return Heard { how: How::Edited, before: text.clone(), after, trouble: None };
            }
            match diff {
                Some(section) => heard(text, Witness::Changed(section)),
                None => Heard {
                    how: How::Edited,
                    before: FileText::default(),
                    after: FileText::default(),
                    trouble: Some(if was_known { Trouble::Contradiction } else { Trouble::Unplaced }),
                },
            }
        }
        Witness::Changed(section) => {
            let changed = text.changed(&section);
            Heard { how: How::Edited, before: changed.before, after: changed.after, trouble: changed.trouble }
        }
        Witness::Gone => {
            let after = FileText::whole(Vec::new());
            Heard { how: How::Deleted, before: text.clone(), after, trouble: None }
        }
    }
}
