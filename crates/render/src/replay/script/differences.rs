//! What changed from one state of a file to the next, as the player gets it: rows cut out and put in.

use serde::{Serialize, Serializer};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::hunks::Line;

/// Longer lines are shown cut.
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
