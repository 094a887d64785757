//! How many tokens a text has at most, for any text. No tokenizer is here: its table is a hundred times as large as the rest of a
//! brief's code. What follows is true of `o200k_base`, the vocabulary of current models, and a test compares.
//!
//! A tokenizer of this kind first cuts a text into pieces, mostly words with the space before them, then joins neighbours of each piece
//! as long as its vocabulary has the result. So no piece has more tokens than bytes; a piece that is in the vocabulary is one
//! token; and where the vocabulary has all pairs of letters, no two neighbours stay single.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words that are one token as they are, with a capital, with a space before them, and with both.
static COMMON: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("../assets/common-words.txt").lines().collect());

/// Letters of pairs that are not in the vocabulary; `gk` is none either.
const RARE: [char; 4] = ['j', 'q', 'x', 'z'];

/// The maximum number of tokens of a text. Of lines that are put together, their sum.
pub fn most_tokens(text: &str) -> usize {
    let (mut count, mut at) = (0, 0);
    while let Some(c) = text[at..].chars().next() {
        let length = word(&text[at..]);
        let piece = &text[at..at + length.max(c.len_utf8())];
        count += if length == 0 { piece.len() } else { of_word(text, at, piece) };
        at += piece.len();
    }
    count
}

/// The length of the word at the beginning, with a space before it and a capital: bytes of ASCII; 0 if there is none. Digits are one, too.
fn word(text: &str) -> usize {
    let bytes = text.as_bytes();
    let run = |from: usize, is: fn(&u8) -> bool| bytes[from..].iter().take_while(|byte| is(byte)).count();
    let digits = run(0, u8::is_ascii_digit);
    if digits > 0 {
        return digits;
    }
    let space = usize::from(bytes.first() == Some(&b' '));
    let capital = usize::from(bytes.get(space).is_some_and(u8::is_ascii_uppercase));
    match run(space + capital, u8::is_ascii_lowercase) {
        0 => 0,
        letters => space + capital + letters,
    }
}

/// The maximum for the word `piece`, which stands at `at`.
fn of_word(text: &str, at: usize, piece: &str) -> usize {
    let before = text[..at].chars().next_back().unwrap_or('\n');
    let after = text[at + piece.len()..].chars().next().unwrap_or('\n');
    if piece.starts_with(|c: char| c.is_ascii_digit()) {
        // Three are a piece; a digit of another script may stand before them in the first.
        return piece.len().div_ceil(3) + usize::from(!before.is_ascii());
    }
    let is_whole = match piece.chars().next() {
        Some(' ') => true,
        // A capital ends the piece before it, any other sign may belong to this one.
        Some('A'..='Z') => matches!(before, '\n' | '0'..='9' | 'a'..='z'),
        _ => matches!(before, '\n' | '0'..='9'),
    };
    let is_piece = is_whole && before.is_ascii() && after.is_ascii() && after != '\'';
    let letters = piece.trim_start();
    if is_piece && COMMON.contains(letters.to_ascii_lowercase().as_str()) {
        return 1;
    }
    // What stands behind an apostrophe, and other scripts, may be cut elsewhere.
    let is_ordinary = |c: char| c.is_ascii() && c != '\'';
    if !is_ordinary(before) || !is_ordinary(after) || letters.contains(RARE) || letters.contains("gk") {
        return piece.len();
    }
    // Of three letters at least two are joined. With a capital not all pairs are in the vocabulary.
    let capital = letters.starts_with(|c: char| c.is_ascii_uppercase());
    let alone = if capital { piece.len() - letters.len() + 1 } else { 0 };
    alone + (2 * (piece.len() - alone) + 1) / 3
}
