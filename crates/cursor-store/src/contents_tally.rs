//! Counting rows by kind. Names of kinds come out of stored keys, so there may be only so many of them.

use std::collections::{HashMap, HashSet};

use backscroll_cursor_format::ide::{kind_of_key, owner_of_key};
use backscroll_model::StoredKind;

/// Kinds that are told apart in one table; further ones are counted together.
const MOST_KINDS: usize = 64;
/// What names no kind, and what comes after too many.
const OTHER: &str = "other";

/// Rows and bytes of each kind.
#[derive(Debug, Default)]
pub(crate) struct Tally(HashMap<String, Number>);

#[derive(Debug, Default, Clone, Copy)]
struct Number {
    rows: u64,
    bytes: u64,
    orphaned: u64,
}

impl Tally {
    /// Counts a row by what its key says; it is orphaned if it belongs to none of `composers`.
    pub(crate) fn count_key(&mut self, key: &[u8], bytes: u64, composers: &HashSet<String>) {
        let is_orphaned = owner_of_key(key).is_some_and(|owner| !composers.contains(owner));
        self.count(kind_of_key(key).unwrap_or(OTHER), bytes, is_orphaned);
    }

    /// Counts a row of this kind.
    pub(crate) fn count(&mut self, kind: &str, bytes: u64, is_orphaned: bool) {
        self.put(kind, Number { rows: 1, bytes, orphaned: u64::from(is_orphaned) });
    }

    /// Adds what another one counted.
    pub(crate) fn add(&mut self, other: Self) {
        for (kind, number) in other.0 {
            self.put(&kind, number);
        }
    }

    fn put(&mut self, kind: &str, more: Number) {
        let kind = if self.0.contains_key(kind) || self.0.len() < MOST_KINDS { kind } else { OTHER };
        if !self.0.contains_key(kind) {
            self.0.insert(kind.to_owned(), Number::default());
        }
        if let Some(number) = self.0.get_mut(kind) {
            number.rows = number.rows.saturating_add(more.rows);
            number.bytes = number.bytes.saturating_add(more.bytes);
            number.orphaned = number.orphaned.saturating_add(more.orphaned);
        }
    }

    /// What was counted in this table.
    pub(crate) fn into_kinds(self, table: &str) -> Vec<StoredKind> {
        let kind = |(name, number): (String, Number)| StoredKind {
            table: Some(table.to_owned()),
            name,
            rows: number.rows,
            bytes: number.bytes,
            orphaned: number.orphaned,
        };
        self.0.into_iter().map(kind).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_many_kinds_there_are_few_are_kept() {
        let mut tally = Tally::default();
        let letters = |number: usize| String::from_utf8(vec![b'a'; number + 1]).unwrap();
        for number in 0..40 {
            for ending in ["x", "y", "z"] {
                tally.count_key(format!("{}{ending}:1", letters(number)).as_bytes(), 2, &HashSet::new());
            }
        }
        let mut twice = Tally::default();
        twice.add(tally);
        let kinds = twice.into_kinds("t");
        assert!(kinds.len() <= MOST_KINDS + 1, "{}", kinds.len());
        assert_eq!(
            kinds.iter().map(|kind| (kind.rows, kind.bytes)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1)),
            (120, 240)
        );
        assert!(kinds.iter().any(|kind| kind.name == OTHER && kind.rows > 50));
    }
}
