//! What one column of one row of the full-text table is filled with.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};

use super::alphabet::fold_into;
use super::walk::{Sink, walk};

/// Collects the words of the texts of one column. Made once and used again for every row.
#[derive(Debug, Default)]
pub struct Stream {
    words: String,
    wholes: String,
    /// Whole identifiers that stand in `wholes` already, by hash.
    known: HashSet<u64>,
}

impl Stream {
    /// Adds the words of one text.
    pub fn add(&mut self, text: &str) {
        walk(text, self);
    }

    /// Everything that was added, ready for the table: the pieces in their order, then whole identifiers.
    pub fn finish(&mut self) -> &str {
        self.words.push_str(&self.wholes);
        self.wholes.clear();
        &self.words
    }

    /// Forgets everything but the memory it holds.
    pub fn clear(&mut self) {
        self.words.clear();
        self.wholes.clear();
        self.known.clear();
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.wholes.is_empty()
    }

    /// Keeps the whole that was written to `wholes` from `start` on, unless it is known already.
    fn keep_whole(&mut self, start: usize) {
        let mut hasher = DefaultHasher::new();
        hasher.write(&self.wholes.as_bytes()[start..]);
        if self.known.insert(hasher.finish()) {
            self.wholes.push(' ');
        } else {
            self.wholes.truncate(start);
        }
    }
}

impl Sink for Stream {
    fn piece(&mut self, text: &str, _start: usize) {
        if text.is_ascii() {
            self.words.push_str(text);
        } else {
            fold_into(text, &mut self.words);
        }
        self.words.push(' ');
    }

    fn number(&mut self, text: &str, _start: usize) {
        whole_number(text, &mut self.words);
        self.words.push(' ');
    }

    fn end_of_number(&mut self, text: &str, start: usize) {
        self.identifier(text, start);
    }

    fn identifier(&mut self, text: &str, _start: usize) {
        let start = self.wholes.len();
        whole_identifier(text, &mut self.wholes);
        self.keep_whole(start);
    }

    fn file_name(&mut self, text: &str, _start: usize) {
        let start = self.wholes.len();
        whole_file_name(text, &mut self.wholes);
        self.keep_whole(start);
    }

    fn dense_end(&mut self, last: &str, start: usize, _alone: bool) {
        self.piece(last, start);
    }
}

/// `fooBar` and `foo_bar` as `foobar`.
pub(super) fn whole_identifier(text: &str, out: &mut String) {
    text.split('_').for_each(|piece| fold_into(piece, out));
}

/// `sync-engine.test.ts` as `sync_engine_test_ts`.
pub(super) fn whole_file_name(text: &str, out: &mut String) {
    for (number, piece) in text.split(['.', '-', '_']).filter(|piece| !piece.is_empty()).enumerate() {
        if number > 0 {
            out.push('_');
        }
        fold_into(piece, out);
    }
}

/// `1.2.3` as `1_2_3`.
pub(super) fn whole_number(text: &str, out: &mut String) {
    out.extend(
        text.chars().map(|character| if character == '.' { '_' } else { character.to_ascii_lowercase() }),
    );
}
