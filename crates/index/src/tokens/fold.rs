//! Upper and lower case and marks on letters do not matter to a search.

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
