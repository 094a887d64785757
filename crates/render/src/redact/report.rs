//! How many secrets of which kind were taken out. Never what they were.

use std::collections::BTreeMap;

/// How many secrets of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// Different ones.
    pub distinct: u64,
    /// The places where they stood.
    pub occurrences: u64,
}

/// How many secrets of which kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    kinds: BTreeMap<String, Count>,
}

impl Report {
    /// Whether nothing was taken out.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Each kind and how many, by name.
    pub fn kinds(&self) -> impl Iterator<Item = (&str, Count)> {
        self.kinds.iter().map(|(kind, count)| (kind.as_str(), *count))
    }

    /// All places where something was taken out.
    pub fn occurrences(&self) -> u64 {
        self.kinds.values().map(|count| count.occurrences).sum()
    }

    /// Takes in another report, whose secrets were numbered apart.
    pub fn add(&mut self, other: &Self) {
        for (kind, count) in &other.kinds {
            let sum = self.kinds.entry(kind.clone()).or_default();
            sum.distinct += count.distinct;
            sum.occurrences += count.occurrences;
        }
    }

    /// In a line for people: `2 github-token (5 places), 1 password`.
    pub fn told(&self) -> String {
        let told = self.kinds.iter().map(|(kind, Count { distinct, occurrences })| {
            if occurrences == distinct {
                format!("{distinct} {kind}")
            } else {
                format!("{distinct} {kind} ({occurrences} places)")
            }
        });
        told.collect::<Vec<_>>().join(", ")
    }

    pub(super) fn count_secret(&mut self, kind: &str) {
        self.of(kind).distinct += 1;
    }

    pub(super) fn count_place(&mut self, kind: &str) {
        self.of(kind).occurrences += 1;
    }

    fn of(&mut self, kind: &str) -> &mut Count {
        self.kinds.entry(kind.to_owned()).or_default()
    }
}
