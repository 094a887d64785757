//! Nothing that a terminal obeys survives.

use backscroll_render::text::{cut, cut_front, one_line, sanitise, width};
use proptest::prelude::*;

#[test]
fn known_tricks_are_neutralised() {
    let table = [
        ("plain\ttext\n", "plain\ttext\n"),
        ("a\r\nb", "a\nb"),
        ("a\rb", "a␍b"),
        ("\u{1b}[31mred\u{1b}[0m", "red"),
        ("\u{1b}[2J\u{1b}[1;1H", ""),
        ("\u{9b}31mred", "red"),
        ("\u{1b}]0;title\u{7}", "␛]0;title␇"),
        ("\u{1b}[31", "␛[31"),
        ("\u{1b}[31é", "␛[31é"),
        ("\u{1b}\u{1b}[31m[0m", "␛[0m"),
        ("\0\u{7f}\u{85}", "␀␡\u{fffd}"),
        ("\u{202e}abc\u{202c}\u{2066}", "\u{fffd}abc\u{fffd}\u{fffd}"),
        ("日本語 ü", "日本語 ü"),
    ];
    for (text, expected) in table {
        assert_eq!(sanitise(text), expected, "{text:?}");
    }
}

#[test]
fn cut_text_fits_and_says_so() {
    assert_eq!(cut("abcdef", 4), "abc…");
    assert_eq!(cut("abcd", 4), "abcd");
    assert_eq!(cut("日本語", 4), "日…");
    assert_eq!(cut_front("abcdef", 4), "…def");
    assert_eq!(cut("abc", 0), "");
}

fn is_obeyed(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}

/// Text with far more controls in it than chance would give.
fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        "[\u{0}-\u{20}\u{7f}-\u{9f}\u{202a}-\u{202e}\u{2066}-\u{2069}]{0,8}",
        "\u{1b}\\[[0-9;?]{0,4}[a-zA-Z]?",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn nothing_that_is_obeyed_survives(text in nasty()) {
        let safe = sanitise(&text).into_owned();
        prop_assert!(!safe.chars().any(is_obeyed), "{safe:?}");
        prop_assert!(sanitise(&safe) == safe, "twice is once");
        prop_assert!(!one_line(&text).contains(['\n', '\t']));
    }

    #[test]
    fn harmless_text_stays_as_it_is(text in "[^\\p{C}\u{202a}-\u{202e}\u{2066}-\u{2069}]*") {
        prop_assert!(sanitise(&text) == text);
    }

    #[test]
    fn cutting_always_fits(text in nasty(), cells in 0_usize..30) {
        let line = one_line(&text);
        prop_assert!(width(&cut(&line, cells)) <= cells.max(width(&line).min(cells)) + joined(&line));
        prop_assert!(width(&cut_front(&line, cells)) <= cells + joined(&line));
    }
}

/// Text that is one picture may be measured wider by its characters than as a whole, and in odd scripts narrower.
fn joined(line: &str) -> usize {
    let by_character: usize = line.chars().map(|c| width(c.encode_utf8(&mut [0; 4]))).sum();
    width(line).abs_diff(by_character)
}
