//! Every touched file through the whole play: what each step told of it, applied one after the other.

use backscroll_model::{Conversation, Side};
use serde::Serialize;

use super::differences::Splice;
use super::file_text::FileText;
use super::hunks::lines_of;
use super::kept::Kept;
use super::shelf::Shelf;
use super::witness::{self, Witness};
use super::{Step, Trouble, paths};

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
    /// Nothing: a checkpoint tells how it stood.
    Kept,
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
    /// Whether the editor's own checkpoint says that the file stood so afterwards.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}

/// One file through the play. At first nothing of it is known: one gap of unknown length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlayedFile {
    /// Its name, relative to the workspace where it lies in it.
    pub path: String,
    /// What happened to it, in order.
    pub changes: Vec<Change>,
}

/// The files that the parts of `steps` touch, and that checkpoints kept.
pub(super) fn of(conversation: &Conversation, steps: &[Step]) -> Vec<PlayedFile> {
    let workspace = conversation.summary.workspace.as_ref().map(|workspace| workspace.path.as_str());
    let kept = Kept::of(conversation, workspace);
    let mut shelf = Shelf::default();
    let mut since = 0;
    for (number, step) in steps.iter().enumerate() {
        let Some(message) = conversation.messages.get(step.message) else { continue };
        let is_other = |other: Option<&Step>| other.is_none_or(|other| other.message != step.message);
        if is_other(number.checked_sub(1).and_then(|before| steps.get(before))) {
            since = number;
            kept.at(message, Side::Before).for_each(|told| shelf.keep_before(number, told));
        }
        for (path, witness) in message.parts.get(step.part).map(witness::of).unwrap_or_default() {
            shelf.hear(number, paths::one_name(&path, workspace), witness);
        }
        if is_other(steps.get(number + 1)) {
            kept.at(message, Side::After).for_each(|told| shelf.keep_after(since, number, told));
        }
    }
    // A file that checkpoints name and that never held anything is nothing to show.
    shelf.files.retain(|file| !file.changes.is_empty());
    shelf.files
}

/// A file before, as it is now known to have been before, and after.
pub(super) struct Heard {
    pub(super) how: How,
    pub(super) before: FileText,
    pub(super) after: FileText,
    pub(super) trouble: Option<Trouble>,
}

/// What `witness` makes of `text`.
pub(super) fn heard(text: &FileText, witness: Witness) -> Heard {
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
