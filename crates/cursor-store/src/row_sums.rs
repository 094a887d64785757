//! What is remembered of the rows of each conversation: how many they are, and a fingerprint of them. There may be a million
//! conversations, so all their ids stand in one text, and nothing is held in small pieces.

use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How many rows, and a fingerprint of all of them, in any order. It is short, because a million of them may be remembered.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sum(pub(crate) u64, pub(crate) u32);

impl Sum {
    /// One row.
    pub(crate) fn of(print: u64) -> Self {
        Self(1, u32::try_from(print >> 32).unwrap_or_default())
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.0 += other.0;
        self.1 = self.1.wrapping_add(other.1);
    }
}

/// The rows of each conversation, by its id.
#[derive(Debug, Default, Clone)]
pub(crate) struct Sums {
    ids: String,
    /// Where each id stands, and its rows.
    each: Vec<(usize, usize, Sum)>,
}

impl Sums {
    /// Adds rows of a conversation. After the last, [`in_order`](Self::in_order) is called.
    pub(crate) fn add(&mut self, id: &str, sum: Sum) {
        match self.each.last_mut() {
            Some((start, end, last)) if &self.ids[*start..*end] == id => last.add(sum),
            _ => {
                let start = self.ids.len();
                self.ids.push_str(id);
                self.each.push((start, self.ids.len(), sum));
            }
        }
    }

    /// The same in the order of ids, one for each conversation.
    pub(crate) fn in_order(mut self) -> Self {
        let id = |one: &(usize, usize, Sum)| &self.ids[one.0..one.1];
        self.each.sort_unstable_by(|one, other| id(one).cmp(id(other)));
        self.each.dedup_by(|next, first| {
            let is_same = id(next) == id(first);
            if is_same {
                first.2.add(next.2);
            }
            is_same
        });
        self
    }

    /// The rows of one conversation.
    pub(crate) fn get(&self, id: &str) -> Option<Sum> {
        let at = self.each.binary_search_by(|(start, end, _)| self.ids[*start..*end].cmp(id)).ok()?;
        Some(self.each[at].2)
    }

    /// Every conversation with its rows, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Sum)> {
        self.each.iter().map(|(start, end, sum)| (&self.ids[*start..*end], *sum))
    }

    /// Conversations of which only one of these has rows, or each has others.
    pub(crate) fn differing<'a>(&'a self, now: &'a Self) -> impl Iterator<Item = &'a str> {
        let missing = self.iter().filter(|(id, _)| now.get(id).is_none());
        let changed = now.iter().filter(|(id, sum)| self.get(id) != Some(*sum));
        missing.chain(changed).map(|(id, _)| id)
    }
}

/// As a list of ids and sums.
impl Serialize for Sums {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Sums {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Sums;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of ids and sums")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Sums, A::Error> {
                let mut sums = Sums::default();
                while let Some((id, sum)) = list.next_element::<(String, Sum)>()? {
                    sums.add(&id, sum);
                }
                Ok(sums.in_order())
            }
        }
        deserializer.deserialize_seq(Each)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_added_up_whatever_their_order_and_read_back_as_they_were() {
        let mut sums = Sums::default();
        for (id, print) in
            [("b", 1_u64 << 32), ("b", 2 << 32), ("a", 3 << 32), ("\"c", 4 << 32), ("b", 5 << 32)]
        {
            sums.add(id, Sum::of(print));
        }
        let sums = sums.in_order();
        let all = [("\"c", Sum(1, 4)), ("a", Sum(1, 3)), ("b", Sum(3, 8))];
        assert_eq!(sums.iter().collect::<Vec<_>>(), all);
        assert_eq!((sums.get("b"), sums.get("d")), (Some(Sum(3, 8)), None));
        let text = serde_json::to_string(&sums).unwrap();
        let read: Sums = serde_json::from_str(&text).unwrap();
        assert_eq!(read.iter().collect::<Vec<_>>(), all);
        let mut others = Sums::default();
        for (id, sum) in [("a", Sum(1, 3)), ("b", Sum(2, 8)), ("e", Sum(1, 1))] {
            others.add(id, sum);
        }
        assert_eq!(sums.differing(&others.in_order()).collect::<Vec<_>>(), ["\"c", "b", "e"]);
    }
}
