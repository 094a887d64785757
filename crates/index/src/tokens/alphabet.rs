//! What each character is to the tokeniser, and how letters are folded: case and marks do not matter to a search.

/// What a byte of UTF-8 is.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Class {
    /// Between words.
    Separator = 0,
    /// `a`–`z`.
    Lower = 1,
    /// `A`–`Z`.
    Upper = 2,
    /// `0`–`9`.
    Digit = 4,
    /// `_`.
    Underscore = 8,
    /// Part of a character beyond ASCII.
    Beyond = 16,
}

/// The class of each byte.
pub(super) const CLASS: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut classes = [Class::Separator; 256];
    let mut byte = 0_u8;
    loop {
        classes[byte as usize] = match byte {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            b'_' => Class::Underscore,
            0x80.. => Class::Beyond,
            _ => Class::Separator,
        };
        if byte == u8::MAX {
            return classes;
        }
        byte += 1;
    }
}

/// What a character beyond ASCII is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Belongs to a word: a letter, a digit, or a mark on one.
    Word,
    /// Of a script that writes words without spaces, or sticks endings to them.
    Dense,
    /// Between words.
    Separator,
}

/// What a character beyond ASCII is.
pub(super) fn kind(character: char) -> Kind {
    if is_dense(character) {
        Kind::Dense
    } else if character.is_alphanumeric() || is_mark(character) {
        Kind::Word
    } else {
        Kind::Separator
    }
}

/// Han, Kana, Hangul syllables, Bopomofo.
fn is_dense(character: char) -> bool {
    matches!(character,
        '\u{2E80}'..='\u{2FDF}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{3035}'
        | '\u{3041}'..='\u{3096}' | '\u{309D}'..='\u{309F}' | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{312F}'
        | '\u{3131}'..='\u{318E}' | '\u{31A0}'..='\u{31BF}' | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' | '\u{FF66}'..='\u{FF9F}'
        | '\u{20000}'..='\u{3FFFF}')
}

/// Marks that sit on letters. Every script's punctuation is left out; of the rest in the blocks of living scripts
/// nothing but marks remains.
fn is_mark(character: char) -> bool {
    match character {
        '\u{37E}'
        | '\u{387}'
        | '\u{55A}'..='\u{55F}'
        | '\u{589}'..='\u{58F}'
        | '\u{5BE}'
        | '\u{5C0}'
        | '\u{5C3}'
        | '\u{5C6}'
        | '\u{5F3}'
        | '\u{5F4}'
        | '\u{600}'..='\u{60F}'
        | '\u{61B}'..='\u{61F}'
        | '\u{66A}'..='\u{66D}'
        | '\u{6D4}'
        | '\u{964}'
        | '\u{965}'
        | '\u{970}'
        | '\u{E3F}'
        | '\u{E4F}'
        | '\u{E5A}'
        | '\u{E5B}'
        | '\u{F04}'..='\u{F17}'
        | '\u{10FB}'
        | '\u{1360}'..='\u{1368}'
        | '\u{1680}'
        | '\u{17D4}'..='\u{17DB}'
        | '\u{1800}'..='\u{180A}' => false,
        '\u{300}'..='\u{36F}'
        | '\u{483}'..='\u{1FFF}'
        | '\u{20D0}'..='\u{20FF}'
        | '\u{3099}'
        | '\u{309A}'
        | '\u{FE20}'..='\u{FE2F}' => true,
        _ => false,
    }
}

/// What the letters from `À` to `ſ` fold to; `?` where lower case is all there is to do.
const LATIN: &[u8] =
    b"aaaaaa?ceeeeiiii?nooooo??uuuuy??aaaaaa?ceeeeiiii?nooooo??uuuuy?yaaaaaaccccccccdd??eeeeeeeeeegggg\
    gggghh??iiiiiiiii???jjkk?llllll????nnnnnn???oooooo??rrrrrrsssssssstttt??uuuuuuuuuuuuwwyyyzzzzzz?";
/// The same from `Ḁ` to `ỿ`.
const LATIN_ADDITIONAL: &[u8] =
    b"aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmmmmmnnnnnnnnoooooooopppprrrrrrrr\
    ssssssssssttttttttuuuuuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwy??????aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee\
    eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy??????";

/// Appends `word` in lower case and without marks on Latin letters.
pub fn fold_into(word: &str, out: &mut String) {
    for character in word.chars() {
        match character {
            '\0'..='\x7F' => out.push(character.to_ascii_lowercase()),
            '\u{C0}'..='\u{17F}' => fold_by(LATIN, 0xC0, character, out),
            '\u{300}'..='\u{36F}' => {}
            '\u{1E00}'..='\u{1EFF}' => fold_by(LATIN_ADDITIONAL, 0x1E00, character, out),
            _ => out.extend(character.to_lowercase()),
        }
    }
}

fn fold_by(table: &[u8], first: u32, character: char, out: &mut String) {
    let place = usize::try_from(u32::from(character) - first).ok();
    match place.and_then(|place| table.get(place)) {
        Some(letter) if *letter != b'?' => out.push(char::from(*letter)),
        _ => out.extend(character.to_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_case_are_folded_away() {
        let fold = |word: &str| {
            let mut out = String::new();
            fold_into(word, &mut out);
            out
        };
        let table = [
            ("Größe", "große"),
            ("e\u{301}te\u{301}", "ete"),
            ("ĆWIERĆ", "cwierc"),
            ("VIỆT", "viet"),
            ("ПРИВЕТ", "привет"),
            ("Œuvre", "œuvre"),
        ];
        for (word, expected) in table {
            assert_eq!(fold(word), expected, "{word}");
        }
    }
}
