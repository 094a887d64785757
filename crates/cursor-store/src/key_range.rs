//! Keys by range: the only way in which rows are looked for.
//!
//! `LIKE 'x%'` cannot use the index of Cursor's tables and scans the whole file; `key >= a AND key < b` can.

/// All keys from `from` up to, but without, `before`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRange {
    /// The first key that may be in it.
    pub from: String,
    /// The first key that is not.
    pub before: String,
}

impl KeyRange {
    /// All keys that begin with `prefix`.
    pub fn under(prefix: &str) -> Self {
        Self { from: prefix.to_owned(), before: after(prefix) }
    }

    /// The part of this range at or after `key`.
    #[must_use]
    pub fn starting_at(&self, key: impl Into<String>) -> Self {
        Self { from: key.into(), before: self.before.clone() }
    }

    /// The part of this range before `key`.
    #[must_use]
    pub fn ending_before(&self, key: impl Into<String>) -> Self {
        Self { from: self.from.clone(), before: key.into() }
    }
}

/// The first key after all keys that begin with `prefix`.
pub(crate) fn after(prefix: &str) -> String {
    let mut rest = prefix.to_owned();
    while let Some(last) = rest.pop() {
        if let Some(next) = char::from_u32(u32::from(last) + 1) {
            rest.push(next);
            return rest;
        }
    }
    char::MAX.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_a_range() {
        let range = KeyRange::under("composerData:");
        assert_eq!((range.from.as_str(), range.before.as_str()), ("composerData:", "composerData;"));
        assert_eq!(after("a\u{10FFFF}"), "b");
        assert_eq!(after(""), "\u{10FFFF}");
    }
}
