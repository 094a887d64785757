//! How a mark is written: one line that tells whether anything happened at all, then what is remembered.
//!
//! An unchanged source is recognised by the first line alone, however much is remembered.

use backscroll_model::Mark;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Changes whenever what is remembered changes its form: marks of another form are not understood.
const FORM: &str = "1";

/// Whether `mark` was made when the source stood as `stamp` says.
pub(crate) fn is_at(mark: &Mark, stamp: u64) -> bool {
    mark.0.lines().next() == Some(&first_line(stamp))
}

/// A mark of a source that stands as `stamp` says.
pub(crate) fn write(stamp: u64, remembered: &impl Serialize) -> Mark {
    // Numbers, texts and lists of them: nothing that JSON could refuse.
    let json = serde_json::to_string(remembered).unwrap_or_default();
    Mark(format!("{}\n{json}", first_line(stamp)))
}

/// What a mark remembers; nothing for a mark that was made before there was anything; `None` where it is not
/// understood, or where there is no mark.
pub(crate) fn read<T: DeserializeOwned + Default>(mark: Option<&Mark>) -> Option<T> {
    let mark = mark?;
    if *mark == Mark::before_anything() {
        return Some(T::default());
    }
    let (first, json) = mark.0.split_once('\n')?;
    (first.split(' ').next() == Some(FORM)).then(|| serde_json::from_str(json).ok()).flatten()
}

fn first_line(stamp: u64) -> String {
    format!("{FORM} {stamp:x}")
}
