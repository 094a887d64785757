//! Whether a text looks like a secret: made by chance, and not by people or for a document.

/// Words that stand in the place of a secret.
const STAND_INS: &[&str] = &[
    "example",
    "your",
    "changeme",
    "change_me",
    "change-me",
    "placeholder",
    "xxxx",
    "****",
    "....",
    "dummy",
    "sample",
    "redacted",
    "insert",
    "replace",
    "fake",
    "mock",
    "123456789",
    "abcdefgh",
    "qwerty",
    "deadbeef",
    "cafebabe",
    "notreal",
    "not-real",
    "lorem",
    "foobar",
    "test_key",
    "testkey",
    "test-key",
    "-here",
    "_here",
    "my_secret",
    "my-secret",
    "mysecret",
    "supersecret",
    "super_secret",
    "super-secret",
    "todo",
    "undefined",
    "process.env",
    "hidden",
    "secret_key",
    "secret-key",
    "0000000000",
];

/// Whole texts that stand in the place of a password.
const NO_PASSWORDS: &[&str] = &[
    "pass",
    "password",
    "passwd",
    "pwd",
    "secret",
    "token",
    "user",
    "username",
    "none",
    "null",
    "nil",
    "true",
    "false",
    "test",
    "key",
    "string",
    "mypassword",
    "mypass",
    "foo",
    "bar",
    "baz",
    "admin",
    "root",
    "guest",
    "x",
    "xx",
    "xxx",
    "p",
    "pw",
    "..",
    "...",
    "hunter2",
    "apikey",
    "api_key",
    "value",
    "empty",
    "required",
    "optional",
];

/// Whether this is written where a secret would stand.
pub(super) fn is_placeholder(text: &str) -> bool {
    let small = text.to_ascii_lowercase();
    let first = text.bytes().next();
    let is_one_letter = text.bytes().all(|byte| Some(byte) == first);
    is_one_letter
        || NO_PASSWORDS.contains(&small.as_str())
        || STAND_INS.iter().any(|word| small.contains(word))
        || text.contains('‹')
}

/// Whether this looks made by chance. For tokens that give themselves away already.
pub(super) fn is_random(text: &str) -> bool {
    let look = Look::at(text);
    look.digits >= 1 && look.distinct >= 8 && look.has_turns(10) && !is_placeholder(text)
}

/// Whether this looks made by a generator. For values that only their name gives away.
pub(super) fn is_generated(text: &str) -> bool {
    let look = Look::at(text);
    let letters = look.small + look.capital;
    let has_digits = look.digits >= 2 && letters >= 2 && look.has_turns(20);
    // Chance may leave digits out; people who write names in humps do not put capitals side by side again and again.
    let has_capitals = look.length >= 20 && look.has_turns(40) && look.capital_runs >= 2;
    (has_digits || has_capitals) && look.distinct >= 8 && !is_placeholder(text) && !is_words(text)
}

/// Whether this is a name that programmers make of words: `NonEmptyString128`, `sign_in_v2_password`.
fn is_words(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut pieces, mut digit_groups, mut before) = (Vec::<std::ops::Range<usize>>::new(), 0, b' ');
    for (at, byte) in bytes.iter().enumerate() {
        let is_hump = byte.is_ascii_uppercase() && !before.is_ascii_uppercase();
        match pieces.last_mut() {
            Some(piece) if byte.is_ascii_alphabetic() && !is_hump && piece.end == at => piece.end = at + 1,
            _ if byte.is_ascii_alphabetic() => pieces.push(at..at + 1),
            _ => digit_groups += usize::from(byte.is_ascii_digit() && !before.is_ascii_digit()),
        }
        before = *byte;
    }
    let letters: usize = pieces.iter().map(ExactSizeIterator::len).sum();
    let words = pieces.iter().filter(|piece| is_word(&bytes[(*piece).clone()]));
    let (count, spelled) = words.fold((0, 0), |(count, spelled), word| (count + 1, spelled + word.len()));
    count >= 2 && digit_groups <= 2 && spelled * 10 >= letters * 7
}

/// Whether letters make a word: it can be spoken, and capitals stand where they do in names.
fn is_word(letters: &[u8]) -> bool {
    let is_vowel = |letter: &u8| b"aeiouy".contains(&letter.to_ascii_lowercase());
    let is_spelled =
        letters.iter().all(u8::is_ascii_uppercase) || letters.iter().skip(1).all(u8::is_ascii_lowercase);
    let consonants = letters.split(is_vowel).map(<[u8]>::len).max().unwrap_or_default();
    (3..=13).contains(&letters.len()) && is_spelled && consonants <= 4 && letters.iter().any(is_vowel)
}

/// Whether this can hardly be anything but a secret, though it may be short.
pub(super) fn is_strange(text: &str) -> bool {
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    letters >= 2 && is_distinctive(text) && !is_placeholder(text) && !is_words(text)
}

/// Whether this is as good as unique: it may be taken out wherever it stands.
pub(super) fn is_distinctive(text: &str) -> bool {
    let look = Look::at(text);
    let length = text.len();
    text.contains('\n')
        || (length >= 16 && look.digits >= 1 && look.distinct >= 8)
        || (length >= 10 && look.classes() >= 3 && look.distinct >= 7)
}

/// Whether this looks like a password that somebody chose: letters, and something else.
pub(super) fn is_chosen(text: &str) -> bool {
    let look = Look::at(text);
    let is_mixed = look.small + look.capital >= 1 && (look.digits >= 1 || look.marks >= 1);
    is_mixed && look.distinct >= 5 && !is_placeholder(text)
}

/// Whether this is a UUID.
pub(super) fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.len() == 5
        && groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// What a text is made of.
#[derive(Debug, Default)]
struct Look {
    small: usize,
    capital: usize,
    digits: usize,
    /// Signs that names do not have.
    marks: usize,
    distinct: usize,
    /// How often small letters, capitals and digits take turns.
    turns: usize,
    /// How often capitals stand side by side.
    capital_runs: usize,
    length: usize,
}

impl Look {
    fn at(text: &str) -> Self {
        let mut look = Self { length: text.len(), ..Self::default() };
        let mut met = [false; 256];
        let (mut before, mut run) = (0, 0);
        for byte in text.bytes() {
            met[usize::from(byte)] = true;
            let class = match byte {
                b'a'..=b'z' => 1,
                b'A'..=b'Z' => 2,
                b'0'..=b'9' => 3,
                _ => 0,
            };
            match class {
                1 => look.small += 1,
                2 => look.capital += 1,
                3 => look.digits += 1,
                _ if matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'?' | b'~') => {
                    look.marks += 1;
                }
                _ => {}
            }
            if class != 0 && before != 0 && class != before {
                look.turns += 1;
            }
            before = class;
            run = if class == 2 { run + 1 } else { 0 };
            look.capital_runs += usize::from(run == 2);
        }
        look.distinct = met.iter().filter(|met| **met).count();
        look
    }

    fn has_turns(&self, percent: usize) -> bool {
        self.turns * 100 >= self.length * percent
    }

    fn classes(&self) -> usize {
        [self.small, self.capital, self.digits, self.marks].iter().filter(|count| **count > 0).count()
    }
}

/// How an escape is written.
const ESCAPES: &[&[u8]] = &[b"\x1b[", b"\\u001b[", b"\\u001B[", b"\\x1b[", b"\\x1B[", b"\\033[", b"\\e["];

/// Numbers of a colour are no longer than this.
const LONGEST_COLOUR: usize = 20;

fn is_colour_number(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b';'
}

/// Whether `before` ends with a colour.
pub(super) fn ends_in_colour(before: &[u8]) -> bool {
    let Some((b'm' | b'K', before)) = before.split_last() else { return false };
    let numbers =
        before.iter().rev().take(LONGEST_COLOUR).take_while(|byte| is_colour_number(**byte)).count();
    let before = &before[..before.len() - numbers];
    ESCAPES.iter().any(|escape| before.ends_with(escape))
}

/// How long the colours are that `text` begins with.
pub(super) fn colour_length(text: &[u8]) -> usize {
    let mut length = 0;
    while let Some(escape) = ESCAPES.iter().find(|escape| text[length..].starts_with(escape)) {
        let rest = &text[length + escape.len()..];
        let numbers = rest.iter().take(LONGEST_COLOUR).take_while(|byte| is_colour_number(**byte)).count();
        if !matches!(rest.get(numbers), Some(b'm' | b'K')) {
            break;
        }
        length += escape.len() + numbers + 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::{colour_length, ends_in_colour, is_generated, is_words};

    #[test]
    fn names_made_of_words_are_told_from_chance() {
        for name in
            ["NonEmptyString128", "X25519PrivateKey", "XmlStringMaxLen256", "sign_in_v2_submit_password"]
        {
            assert!(is_words(name) && !is_generated(name), "{name}");
        }
        for chance in
            ["kX9dQ2mVb7Lr3TzP", "MfGmzWkpAePcEJIukB4geqNfngAFTClo", "9f86d081884c7d65", "k3j9d8f2w5q1z7x4"]
        {
            assert!(!is_words(chance) && is_generated(chance), "{chance}");
        }
    }

    #[test]
    fn colours_are_known_raw_and_spelled() {
        for escape in ["\u{1b}", "\\u001b", "\\x1B", "\\033"] {
            let colour = format!("{escape}[1;32m");
            assert!(ends_in_colour(format!("x={colour}").as_bytes()), "{colour}");
            assert_eq!(colour_length(format!("{colour}{colour}key").as_bytes()), 2 * colour.len());
        }
        assert!(!ends_in_colour(b"item") && !ends_in_colour(b"[1m") && !ends_in_colour(b""));
        assert_eq!((colour_length(b"key"), colour_length(b"\x1b[1"), colour_length(b"\x1b[2J")), (0, 0, 0));
    }
}
