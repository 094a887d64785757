//! Keys by range: the only way in which rows are looked for.
//!
//! `LIKE 'x%'` cannot use the index of Cursor's tables and scans the whole file; `key >= a AND key < b` can.

/// All keys from `from` up to, but without, `before`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRange {
    /// The first key that may be in it.
    pub from: Vec<u8>,
    /// The first key that is not.
    pub before: Vec<u8>,
}

impl KeyRange {
    /// All keys that begin with `prefix`.
    pub fn under(prefix: &str) -> Self {
        Self { from: prefix.as_bytes().to_vec(), before: after(prefix.as_bytes()) }
    }

    /// The part of this range at or after `key`.
    #[must_use]
    pub fn starting_at(&self, key: impl Into<Vec<u8>>) -> Self {
        Self { from: key.into(), before: self.before.clone() }
    }

    /// The part of this range before `key`.
    #[must_use]
    pub fn ending_before(&self, key: impl Into<Vec<u8>>) -> Self {
        Self { from: self.from.clone(), before: key.into() }
    }
}

/// The first key after all keys that begin with `prefix`. Keys are compared as bytes, and are not always UTF-8.
pub(crate) fn after(prefix: &[u8]) -> Vec<u8> {
    let mut rest = prefix.to_vec();
    while let Some(last) = rest.pop() {
        if let Some(next) = last.checked_add(1) {
            rest.push(next);
            return rest;
        }
    }
    vec![u8::MAX; 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_a_range() {
        let range = KeyRange::under("composerData:");
        assert_eq!((&range.from[..], &range.before[..]), (&b"composerData:"[..], &b"composerData;"[..]));
        assert_eq!(after(b"a\xff\xff"), b"b");
        assert!(after(b"") > "\u{10FFFF}".into());
    }
}
