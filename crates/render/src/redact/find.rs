//! A secret that was found in a text: where it stands, what it is, and which of two overlapping ones counts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// The kind of a secret; the placeholder is named by it.
pub(super) type Kind = Cow<'static, str>;

/// How sure a find is. Where two overlap, the surer one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Surety {
    /// Personal, not secret: an address, a name.
    Personal,
    /// Its name sounds secret, and it looks random.
    Named,
    /// It stands where secrets stand.
    Placed,
    /// Nothing else looks like this.
    Certain,
}

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Find {
    /// Where it stands.
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
    /// The secret without its disguise: by this it is known again.
    pub(super) secret: String,
    pub(super) surety: Surety,
}

impl Find {
    pub(super) fn new(
        range: Range<usize>,
        kind: impl Into<Kind>,
        secret: impl Into<String>,
        surety: Surety,
    ) -> Self {
        Self { range, kind: kind.into(), secret: secret.into(), surety }
    }
}

/// Those of `finds` that count: no two overlap, and they stand in order.
pub(super) fn settled(mut finds: Vec<Find>) -> Vec<Find> {
    if finds.len() < 2 {
        return finds;
    }
    finds.sort_by(|a, b| {
        let length = |find: &Find| find.range.len();
        b.surety.cmp(&a.surety).then(length(b).cmp(&length(a))).then(a.range.start.cmp(&b.range.start))
    });
    let mut taken: BTreeMap<usize, Find> = BTreeMap::new();
    for find in finds {
        let before = taken.range(..find.range.end).next_back();
        if before.is_none_or(|(_, before)| before.range.end <= find.range.start) {
            taken.insert(find.range.start, find);
        }
    }
    taken.into_values().collect()
}
