//! Hexadecimal text, both ways. Nothing else.

/// `bytes` in lower case.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for &byte in bytes {
        text.push(char::from(digit(byte >> 4)));
        text.push(char::from(digit(byte & 15)));
    }
    text
}

/// Whether `text` spells `bytes`, in lower case.
pub(crate) fn spells(text: &str, bytes: &[u8]) -> bool {
    text.len() == bytes.len() * 2
        && text
            .as_bytes()
            .chunks_exact(2)
            .zip(bytes)
            .all(|(pair, &byte)| *pair == [digit(byte >> 4), digit(byte & 15)])
}

/// Blobs are many and their names are long, so this is asked millions of times.
fn digit(nibble: u8) -> u8 {
    match nibble {
        0..=9 => b'0' + nibble,
        _ => b'a' - 10 + (nibble & 15),
    }
}

/// The bytes that `text` spells, if it is hexadecimal throughout.
pub(crate) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let nibble = |&byte: &u8| char::from(byte).to_digit(16);
    if !text.len().is_multiple_of(2) {
        return None;
    }
    text.chunks_exact(2).map(|pair| u8::try_from(nibble(&pair[0])? * 16 + nibble(&pair[1])?).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        assert_eq!(encode(&[0, 171, 255]), "00abff");
        assert!(spells("00abff", &[0, 171, 255]));
        assert!(!spells("00abfe", &[0, 171, 255]) && !spells("00ab", &[0, 171, 255]));
        assert_eq!(decode(b"00ABff"), Some(vec![0, 171, 255]));
        assert_eq!(decode(b"0"), None);
        assert_eq!(decode(b"zz"), None);
    }
}
