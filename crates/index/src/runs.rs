//! Where the runs of words that a first build wrote stand among those that come later.
//!
//! The full-text engine keeps runs on levels: new ones on the lowest, and where a level has several, they become one on the next.
//! A first build leaves a few huge runs on the lowest level, so the first few refreshes, however small, would merge all that there
//! is and leave the file twice as large. On a higher level they stay out of the way until refreshes have added as much.

use rusqlite::{Connection, OptionalExtension as _};

use crate::IndexError;

/// The row in which the engine keeps which runs there are.
const STRUCTURE: i64 = 10;

/// What stands behind the four bytes of the engine's own counter in the kind of structure that we know.
const KIND: [u8; 4] = [0xFF, 0, 0, 1];

/// Where the number of levels stands.
const LEVELS_AT: usize = 8;

/// So many empty levels are put beneath the runs.
const BENEATH: u8 = 3;

/// Raises the runs of a first build. The engine must not be asked any more over this connection, which remembers the
/// structure. Another structure than the one we know is left as it is: that costs time later, and nothing else.
pub(crate) fn raise(connection: &Connection) -> Result<(), IndexError> {
    let mut find = connection.prepare("SELECT block FROM words_data WHERE id = ?1")?;
    let structure: Option<Vec<u8>> = find.query_row([STRUCTURE], |row| row.get(0)).optional()?;
    if let Some(raised) = structure.as_deref().and_then(raised) {
        connection.execute("UPDATE words_data SET block = ?2 WHERE id = ?1", (STRUCTURE, raised))?;
    }
    Ok(())
}

/// The structure with empty levels beneath its only one; `None` if it is not of the kind that we know.
///
/// The counter, the kind, the number of levels, of runs, of writes; then for each level how many of its runs are being merged, how
/// many it has, and those. All numbers take one byte up to 127 and more beyond that.
fn raised(structure: &[u8]) -> Option<Vec<u8>> {
    if structure.get(4..LEVELS_AT)? != KIND || *structure.get(LEVELS_AT)? != 1 {
        return None;
    }
    let runs_end = end_of_number(structure, LEVELS_AT + 1)?;
    let level = end_of_number(structure, runs_end)?;
    let (before, level) = (structure.get(..level)?, structure.get(level..)?);
    let mut raised = before.to_vec();
    raised[LEVELS_AT] = 1 + BENEATH;
    raised.extend((0..BENEATH).flat_map(|_| [0, 0]));
    raised.extend(level);
    Some(raised)
}

/// Where the number that begins at `at` ends.
fn end_of_number(bytes: &[u8], at: usize) -> Option<usize> {
    let length = bytes.get(at..)?.iter().take(9).position(|byte| byte & 0x80 == 0)?;
    Some(at + length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_left_alone() {
        let known = [&[0, 0, 0, 7, 0xFF, 0, 0, 1, 1, 1, 0x81, 5][..], b"level"].concat();
        let expected = [&[0, 0, 0, 7, 0xFF, 0, 0, 1, 4, 1, 0x81, 5, 0, 0, 0, 0, 0, 0][..], b"level"].concat();
        assert_eq!(raised(&known), Some(expected));
        for other in [&b""[..], &[0, 0, 0, 7, 1, 2], &[0, 0, 0, 7, 0xFF, 0, 0, 2, 1, 1, 1], &known[..10]] {
            assert_eq!(raised(other), None);
        }
        let mut twice = known;
        twice[LEVELS_AT] = 2;
        assert_eq!(raised(&twice), None, "it has levels already");
    }
}
