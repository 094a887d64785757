//! Small changes to a text, collected first and made all at once.

use std::ops::Range;

/// Changes to one text, in any order.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    /// Puts `new` in the place of `range`.
    pub(super) fn replace(&mut self, range: Range<usize>, new: impl Into<String>) {
        self.0.push((range, new.into()));
    }

    /// Puts `new` before `at`.
    pub(super) fn insert(&mut self, at: usize, new: impl Into<String>) {
        self.replace(at..at, new);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The changed text. Of two changes to the same stretch, the one that begins first counts.
    pub(super) fn apply(mut self, text: &str) -> String {
        self.0.sort_by_key(|(range, _)| range.start);
        let mut changed = String::with_capacity(text.len() + 16 * self.0.len());
        let mut done = 0;
        for (range, new) in self.0 {
            let Some(kept) = text.get(done..range.start) else { continue };
            changed.push_str(kept);
            changed.push_str(&new);
            done = range.end;
        }
        changed.push_str(text.get(done..).unwrap_or_default());
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::Edits;

    #[test]
    fn edits_are_made_in_order_and_never_twice() {
        let mut edits = Edits::default();
        edits.replace(4..5, "E");
        edits.insert(0, ">");
        edits.replace(1..3, "");
        edits.replace(2..4, "lost");
        edits.insert(6, "!");
        assert_eq!(edits.apply("abcdef"), ">adEf!");
    }
}
