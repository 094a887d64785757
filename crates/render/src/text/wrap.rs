//! Lines broken to a width, between words where possible. Gives ranges, so that styles found in the unbroken line
//! still apply.

use std::ops::Range;

use super::width::cells_of;

/// Where `line` breaks so that its first piece takes at most `first` cells and each other at most `rest`.
pub(crate) fn wrap(line: &str, first: usize, rest: usize) -> Vec<Range<usize>> {
    // No character takes more cells than bytes.
    if line.len() <= first {
        return vec![0..line.len()];
    }
    let mut pieces = Vec::new();
    let (mut room, rest) = (first.max(1), rest.max(1));
    let (mut start, mut used) = (0, 0);
    // The last space after a word: where the piece would end, and the cells up to what follows.
    let mut space: Option<(usize, usize)> = None;
    let mut has_word = false;
    for (at, c) in line.char_indices() {
        let cells = cells_of(c);
        while used + cells > room && at > start {
            let (end, next, left) = match space.take() {
                Some((end, cells_before)) => (end, end + 1, used - cells_before),
                None => (at, at, 0),
            };
            pieces.push(start..end);
            (start, used, room, has_word) = (next, left, rest, next < at);
        }
        if c == ' ' && at == start && !pieces.is_empty() {
            start += 1; // The space at which the line broke is not repeated.
            continue;
        }
        used += cells;
        if c != ' ' {
            has_word = true;
        } else if has_word {
            space = Some((at, used));
        }
    }
    if start < line.len() || pieces.is_empty() {
        pieces.push(start..line.len());
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn lines_break_between_words_and_only_else_inside_them() {
        let table: [(&str, usize, &[&str]); 9] = [
            ("", 5, &[""]),
            ("short", 5, &["short"]),
            ("two words", 5, &["two", "words"]),
            ("two words", 8, &["two", "words"]),
            ("abcdefghij", 4, &["abcd", "efgh", "ij"]),
            ("a abcdefgh", 4, &["a", "abcd", "efgh"]),
            ("    code here", 8, &["    code", "here"]),
            ("日本語です", 4, &["日本", "語で", "す"]),
            ("ab   cd", 3, &["ab", "cd"]),
        ];
        for (line, width, expected) in table {
            let pieces: Vec<_> = wrap(line, width, width).into_iter().map(|range| &line[range]).collect();
            assert_eq!(pieces, expected, "{line:?} at {width}");
        }
    }
}
