//! Hexadecimal text, both ways.

/// `bytes` in lower case.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    push(bytes, &mut text);
    text
}

/// Puts `bytes`, in lower case, behind what `text` holds.
pub fn push(bytes: &[u8], text: &mut String) {
    for &byte in bytes {
        text.push(char::from(digit(byte >> 4)));
        text.push(char::from(digit(byte & 15)));
    }
}

/// There are millions of blobs, and their names are long, so this has to be fast.
fn digit(nibble: u8) -> u8 {
    match nibble {
        0..=9 => b'0' + nibble,
        _ => b'a' - 10 + (nibble & 15),
    }
}

/// The bytes that `text` spells, if it is hexadecimal throughout.
pub fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let (pairs, []) = text.as_chunks::<2>() else { return None };
    let mut seen = 0;
    let bytes = pairs.iter().map(|&pair| byte(pair, &mut seen)).collect();
    (seen < NO_DIGIT).then_some(bytes)
}

/// The bytes that `text` spells, if there are exactly `N` of them.
pub fn decode_array<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let (pairs, []) = text.as_chunks::<2>() else { return None };
    let pairs: &[[u8; 2]; N] = pairs.try_into().ok()?;
    let mut seen = 0;
    let bytes = pairs.map(|pair| byte(pair, &mut seen));
    (seen < NO_DIGIT).then_some(bytes)
}

/// The byte that two digits spell. `seen` collects what was looked up, so that all digits are checked at once, which is
/// much faster than checking each.
fn byte([high, low]: [u8; 2], seen: &mut u8) -> u8 {
    let (high, low) = (DIGITS[usize::from(high)], DIGITS[usize::from(low)]);
    *seen |= high | low;
    (high << 4) | (low & 15)
}

/// The value of each byte as a digit.
const DIGITS: [u8; 256] = {
    let mut digits = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        digits[b"0123456789abcdef"[value as usize] as usize] = value;
        digits[b"0123456789ABCDEF"[value as usize] as usize] = value;
        value += 1;
    }
    digits
};
const NO_DIGIT: u8 = 0x80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        assert_eq!(encode(&[0, 171, 255]), "00abff");
        assert_eq!(decode(b"00ABff"), Some(vec![0, 171, 255]));
        assert_eq!(decode(b"0"), None);
        assert_eq!(decode(b"zz"), None);
        assert_eq!(decode_array(b"00ABff"), Some([0, 171, 255]));
        assert_eq!(decode_array::<2>(b"00ABff"), None);
        assert_eq!(decode_array::<1>(b"g0"), None);
    }
}
