//! The alphabets that tokens are made of.

/// What a part of a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alphabet {
    /// `0-9`.
    Digit,
    /// `0-9a-f`.
    Hex,
    /// The same, in capitals too.
    AnyHex,
    /// Small letters and digits.
    Lower,
    /// Capitals and digits.
    Upper,
    /// `A-Z2-7`.
    Base32,
    /// Letters and digits.
    Plain,
    /// Letters, digits, `_` and `-`.
    Url,
    /// The same and `=`.
    UrlPadded,
    /// Letters, digits, `_`, `-` and `.`.
    Dotted,
    /// Letters, digits, `_`, `~` and `.`.
    Tilde,
    /// The same and `-`.
    TildeDash,
    /// Letters, digits, `+` and `/`.
    Base64,
    /// The same, `=`, `_` and `-`.
    AnyBase64,
    /// Letters, digits, `.` and `/`.
    Crypt,
}

impl Alphabet {
    pub(crate) fn named(letter: char) -> Option<Self> {
        ALL.iter().find(|(named, _)| *named == letter).map(|(_, alphabet)| *alphabet)
    }

    /// True if a byte belongs to it.
    pub(crate) fn has(self, byte: u8) -> bool {
        TABLES[self as usize][usize::from(byte)]
    }

    const fn holds(self, byte: u8) -> bool {
        let is_plain = byte.is_ascii_alphanumeric();
        match self {
            Self::Digit => byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
            Self::AnyHex => byte.is_ascii_hexdigit(),
            Self::Lower => byte.is_ascii_lowercase() || byte.is_ascii_digit(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Base32 => byte.is_ascii_uppercase() || matches!(byte, b'2'..=b'7'),
            Self::Plain => is_plain,
            Self::Url => is_plain || matches!(byte, b'_' | b'-'),
            Self::UrlPadded => is_plain || matches!(byte, b'_' | b'-' | b'='),
            Self::Dotted => is_plain || matches!(byte, b'_' | b'-' | b'.'),
            Self::Tilde => is_plain || matches!(byte, b'_' | b'~' | b'.'),
            Self::TildeDash => is_plain || matches!(byte, b'_' | b'~' | b'.' | b'-'),
            Self::Base64 => is_plain || matches!(byte, b'+' | b'/'),
            Self::AnyBase64 => is_plain || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'='),
            Self::Crypt => is_plain || matches!(byte, b'.' | b'/'),
        }
    }

    /// How many bytes at the beginning of `text` belong to it. What ends a sentence does not.
    pub(crate) fn run(self, text: &str) -> usize {
        let length = text.bytes().take_while(|byte| self.has(*byte)).count();
        text[..length].trim_end_matches('.').len()
    }
}

/// Every alphabet and its letter in a shape, in the order of their definition.
const ALL: [(char, Alphabet); 15] = [
    ('d', Alphabet::Digit),
    ('h', Alphabet::Hex),
    ('H', Alphabet::AnyHex),
    ('l', Alphabet::Lower),
    ('u', Alphabet::Upper),
    ('b', Alphabet::Base32),
    ('a', Alphabet::Plain),
    ('w', Alphabet::Url),
    ('x', Alphabet::UrlPadded),
    ('t', Alphabet::Dotted),
    ('z', Alphabet::Tilde),
    ('Z', Alphabet::TildeDash),
    ('p', Alphabet::Base64),
    ('B', Alphabet::AnyBase64),
    ('c', Alphabet::Crypt),
];

/// The bytes of each alphabet.
static TABLES: [[bool; 256]; ALL.len()] = {
    let mut tables = [[false; 256]; ALL.len()];
    let mut number = 0;
    while number < ALL.len() {
        let mut byte = 0;
        while byte < 128_u8 {
            tables[number][byte as usize] = ALL[number].1.holds(byte);
            byte += 1;
        }
        number += 1;
    }
    tables
};
