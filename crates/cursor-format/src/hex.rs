//! Hexadecimal text, both ways. Nothing else.

/// `bytes` in lower case.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    bytes.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte & 15)]).collect()
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
        assert_eq!(decode(b"00ABff"), Some(vec![0, 171, 255]));
        assert_eq!(decode(b"0"), None);
        assert_eq!(decode(b"zz"), None);
    }
}
