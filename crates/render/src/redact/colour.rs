//! The colours of a terminal, which stand before a secret or between its name and its value: raw, or spelled as programs
//! spell them.

/// How an escape is written.
const ESCAPES: &[&[u8]] = &[b"\x1b[", b"\\u001b[", b"\\u001B[", b"\\x1b[", b"\\x1B[", b"\\033[", b"\\e["];

/// Numbers of a colour are no longer than this.
const LONGEST: usize = 20;

fn is_number(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b';'
}

/// Whether `before` ends with a colour.
pub(super) fn ends(before: &[u8]) -> bool {
    let Some((b'm' | b'K', before)) = before.split_last() else { return false };
    let numbers = before.iter().rev().take(LONGEST).take_while(|byte| is_number(**byte)).count();
    let before = &before[..before.len() - numbers];
    ESCAPES.iter().any(|escape| before.ends_with(escape))
}

/// How long the colours are that `text` begins with.
pub(super) fn length(text: &[u8]) -> usize {
    let mut length = 0;
    while let Some(escape) = ESCAPES.iter().find(|escape| text[length..].starts_with(escape)) {
        let rest = &text[length + escape.len()..];
        let numbers = rest.iter().take(LONGEST).take_while(|byte| is_number(**byte)).count();
        if !matches!(rest.get(numbers), Some(b'm' | b'K')) {
            break;
        }
        length += escape.len() + numbers + 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::{ends, length};

    #[test]
    fn colours_are_known_raw_and_spelled() {
        for escape in ["\u{1b}", "\\u001b", "\\x1B", "\\033"] {
            let colour = format!("{escape}[1;32m");
            assert!(ends(format!("x={colour}").as_bytes()), "{colour}");
            assert_eq!(length(format!("{colour}{colour}key").as_bytes()), 2 * colour.len());
        }
        assert!(!ends(b"item") && !ends(b"[1m") && !ends(b""));
        assert_eq!((length(b"key"), length(b"\x1b[1"), length(b"\x1b[2J")), (0, 0, 0));
    }
}
