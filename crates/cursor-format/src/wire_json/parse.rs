//! The one way in: what no parser accepts is repaired first.

use std::cell::OnceCell;

use memchr::memmem;
use serde::de::Deserialize;

use super::repair::repair;

/// Parses `bytes` at once, and repairs them only if that fails: for readers who keep nothing unparsed that matters.
pub(crate) fn parse_at_once<'a, T: Deserialize<'a>>(
    bytes: &'a [u8],
    repaired: &'a OnceCell<Vec<u8>>,
) -> Result<T, serde_json::Error> {
    serde_json::from_slice(bytes).or_else(|_| parse(bytes, repaired))
}

/// Parses `bytes`. If they are not valid, a repaired copy is parsed and left in `repaired`.
///
/// Halves of surrogate pairs are looked for beforehand: values that are kept unparsed would hide them until the
/// field that holds them is read, and is then lost.
pub(crate) fn parse<'a, T: Deserialize<'a>>(
    bytes: &'a [u8],
    repaired: &'a OnceCell<Vec<u8>>,
) -> Result<T, serde_json::Error> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !has_surrogates(bytes)
    {
        return serde_json::from_str(text);
    }
    match repair(bytes) {
        Some(better) => serde_json::from_slice(repaired.get_or_init(|| better)),
        None => serde_json::from_slice(bytes),
    }
}

/// Whether an escape in `bytes` may be half of a surrogate pair.
fn has_surrogates(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, b"\\u").any(|at| matches!(bytes.get(at + 2), Some(b'd' | b'D')))
}
