//! Mending JSON that no parser accepts: invalid UTF-8, and halves of surrogate pairs as JavaScript writes them.

use std::borrow::Cow;

/// A copy of `bytes` without invalid UTF-8 and without halves of surrogate pairs, if there are any.
pub(super) fn repair(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(bytes);
    let was_sound = matches!(text, Cow::Borrowed(_));
    let mended = mend_surrogates(&text);
    match mended {
        Some(mended) => Some(mended.into_bytes()),
        None if was_sound => None,
        None => Some(text.into_owned().into_bytes()),
    }
}

/// Replaces `\ud83d` without its other half by `\ufffd`, if there is any.
fn mend_surrogates(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let (mut copied, mut here) = (0, 0);
    while let Some(&byte) = bytes.get(here) {
        if byte != b'\\' {
            here += 1;
            continue;
        }
        match surrogate(bytes, here) {
            Some(0xD800..=0xDBFF) if matches!(surrogate(bytes, here + 6), Some(0xDC00..=0xDFFF)) => {
                here += 12;
            }
            Some(_) => {
                out.extend_from_slice(&bytes[copied..here]);
                out.extend_from_slice(b"\\ufffd");
                here += 6;
                copied = here;
            }
            None => here += 2,
        }
    }
    if copied == 0 {
        return None;
    }
    out.extend_from_slice(&bytes[copied..]);
    String::from_utf8(out).ok()
}

/// The code unit of a `\uXXXX` escape at `at`, if it is half of a surrogate pair.
fn surrogate(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at.checked_add(6)?)?;
    let digits = escape.strip_prefix(b"\\u")?;
    let unit = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (0xD800..=0xDFFF).contains(&unit).then_some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_pairs_are_replaced_and_whole_pairs_stay() {
        let mended = |text: &str| repair(text.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(mended(r#""a\ud83d""#).as_deref(), Some(r#""a\ufffd""#));
        assert_eq!(mended(r#""\ud83d\ude00""#), None);
        assert_eq!(mended(r#""\ude00\ud83d""#).as_deref(), Some(r#""\ufffd\ufffd""#));
        assert_eq!(mended(r#""\\ud83d""#), None);
        assert_eq!(repair(b"\"\xff\"").unwrap(), "\"\u{fffd}\"".as_bytes());
    }
}
