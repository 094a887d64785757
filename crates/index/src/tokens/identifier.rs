//! Splitting one run of letters, digits and `_` into the words that it was put together from.

use super::alphabet::{CLASS, Class};

/// A run with more small pieces than this is no name but a code, such as base64.
const SHORTEST_MEAN_PIECE: usize = 3;
/// Shorter runs are never taken for codes.
const SHORTEST_CODE: usize = 20;

/// The pieces of `run` as ranges: at `_`, before an upper letter after a lower one, and before the last of several
/// upper letters or a digit when a lower one follows (`parseHTTPHeader`, `sha256Sum`).
pub(super) fn pieces(run: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    let bytes = run.as_bytes();
    let mut start = 0;
    std::iter::from_fn(move || {
        while bytes.get(start) == Some(&b'_') {
            start += 1;
        }
        if start >= bytes.len() {
            return None;
        }
        let end = (start + 1..bytes.len()).find(|at| begins_piece(bytes, *at)).unwrap_or(bytes.len());
        let piece = (start, end);
        start = end;
        Some(piece)
    })
}

/// Whether a new piece (or `_`) begins at `at`, which is not the first byte.
fn begins_piece(bytes: &[u8], at: usize) -> bool {
    let class = |at: usize| bytes.get(at).map_or(Class::Separator, |byte| CLASS[usize::from(*byte)]);
    match class(at) {
        Class::Underscore => true,
        Class::Upper => match class(at - 1) {
            Class::Lower | Class::Beyond => true,
            Class::Upper | Class::Digit => class(at + 1) == Class::Lower,
            _ => false,
        },
        _ => false,
    }
}

/// Whether the run, which has so many pieces, is a code rather than a name.
pub(super) fn is_code(run: &str, pieces: usize) -> bool {
    run.len() >= SHORTEST_CODE && run.len() < pieces * SHORTEST_MEAN_PIECE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_fall_into_their_words() {
        let split = |run: &str| pieces(run).map(|(a, b)| run[a..b].to_owned()).collect::<Vec<_>>().join(" ");
        let table = [
            ("fooBar", "foo Bar"),
            ("snake_case_name", "snake case name"),
            ("__init__", "init"),
            ("parseHTTPHeader", "parse HTTP Header"),
            ("sha256Sum", "sha256 Sum"),
            ("MAX_FILE_SIZE", "MAX FILE SIZE"),
            ("A1B2C3", "A1B2C3"),
            ("GitHub", "Git Hub"),
            ("utf8", "utf8"),
            ("größeMax", "größe Max"),
            ("_", ""),
        ];
        for (run, expected) in table {
            assert_eq!(split(run), expected, "{run}");
        }
    }
}
