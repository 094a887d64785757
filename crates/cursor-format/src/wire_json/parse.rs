//! The one way in: parse, and if that fails, repair and parse again.

use std::cell::OnceCell;

use serde::de::Deserialize;

use super::repair::repair;

/// Parses `bytes`; if that fails, parses a repaired copy, which is then left in `repaired`.
pub(crate) fn parse<'a, T: Deserialize<'a>>(
    bytes: &'a [u8],
    repaired: &'a OnceCell<Vec<u8>>,
) -> Result<T, serde_json::Error> {
    match serde_json::from_slice(bytes) {
        Ok(value) => Ok(value),
        Err(first) => match repair(bytes) {
            Some(better) => serde_json::from_slice(repaired.get_or_init(|| better)),
            None => Err(first),
        },
    }
}
