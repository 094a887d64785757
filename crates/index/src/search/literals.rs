//! Words that whatever a pattern matches must hold, so that not every message need be read. Pure.
//!
//! Only words with white space on both sides inside of the pattern are sure to be whole words of the text.

use regex_syntax::hir::{Hir, HirKind};

use crate::tokens::Typed;

/// Words of a literal that stand between white space.
pub(super) fn of_literal(literal: &str) -> Vec<Typed> {
    let mut words: Vec<&str> = literal.split_whitespace().collect();
    if !literal.ends_with(char::is_whitespace) {
        words.pop();
    }
    if !literal.starts_with(char::is_whitespace) && !words.is_empty() {
        words.remove(0);
    }
    words.into_iter().map(Typed::of).filter(|typed| !typed.names.is_empty()).collect()
}

/// Words that every match of `pattern` holds.
pub(super) fn of_pattern(pattern: &Hir) -> Vec<Typed> {
    match pattern.kind() {
        HirKind::Literal(literal) => std::str::from_utf8(&literal.0).map(of_literal).unwrap_or_default(),
        HirKind::Concat(parts) => parts.iter().flat_map(of_pattern).collect(),
        HirKind::Capture(capture) => of_pattern(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => of_pattern(&repetition.sub),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sure_words_are_demanded() {
        let words = |typed: Vec<Typed>| {
            typed.iter().map(|one| one.pieces().join(" ")).collect::<Vec<_>>().join(" | ")
        };
        assert_eq!(words(of_literal("ibarHand")), "");
        assert_eq!(words(of_literal("cannot borrow fooBar as mut")), "borrow | foo bar | as");
        assert_eq!(words(of_literal(" let x ")), "let | x");
        let pattern = |text: &str| of_pattern(&regex_syntax::parse(text).expect("a pattern"));
        assert_eq!(words(pattern(r"error in line \d+ of")), "in | line");
        assert_eq!(words(pattern(r"(a b c|d e f)")), "");
        assert_eq!(words(pattern(r"(?i)a borrow c")), "");
    }
}
