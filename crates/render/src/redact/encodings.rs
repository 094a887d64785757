//! The disguises in which a secret may stand: percent signs, JSON's backslashes. Pure text, both ways.

use std::fmt::Write;

use super::colour;

/// What percent signs stand for, or `None` where there are none or they make no text.
pub(super) fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return None;
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    let mut is_changed = false;
    while let Some(&byte) = bytes.get(at) {
        let pair =
            (byte == b'%').then(|| Some((hex(*bytes.get(at + 1)?)?, hex(*bytes.get(at + 2)?)?))).flatten();
        if let Some((high, low)) = pair {
            decoded.push(high * 16 + low);
            at += 3;
            is_changed = true;
        } else {
            decoded.push(byte);
            at += 1;
        }
    }
    is_changed.then(|| String::from_utf8(decoded).ok()).flatten()
}

/// The text itself, and how it stands in a URL and in a JSON string.
pub(super) fn disguises(secret: &str) -> Vec<String> {
    let mut all = vec![secret.to_owned()];
    for other in [
        percent_encoded(secret, true),
        percent_encoded(secret, false),
        json_escaped(secret),
        secret.replace('/', "\\/"),
    ] {
        if !all.contains(&other) {
            all.push(other);
        }
    }
    all
}

fn percent_encoded(text: &str, in_capitals: bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            encoded.push(char::from(byte));
        } else if in_capitals {
            let _ = write!(encoded, "%{byte:02X}");
        } else {
            let _ = write!(encoded, "%{byte:02x}");
        }
    }
    encoded
}

fn json_escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

/// The value of a hexadecimal digit.
pub(super) fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Whether a word may begin at `at`: nothing that belongs to it stands before, escapes and colours aside.
pub(super) fn begins_fresh(text: &str, at: usize) -> bool {
    let before = &text.as_bytes()[..at];
    match before {
        [] | [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [.., b'%', high, low] if hex(*high).is_some() && hex(*low).is_some() => true,
        [.., b'\\', b'u', a, b, c, d] if [a, b, c, d].into_iter().all(|digit| hex(*digit).is_some()) => true,
        [.., last] => (!last.is_ascii_alphanumeric() && *last != b'_') || colour::ends(before),
    }
}
