//! Stored text in a page: without control characters, cut where it is endless, and addresses only where they may be
//! followed. Escaping is the work of `maud`.

use std::borrow::Cow;

use crate::text::{one_line, sanitise};

/// `text` as it may stand in a page.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    sanitise(text)
}

/// `text` on one line, of at most `longest` characters.
pub(super) fn in_a_line(text: &str, longest: usize) -> String {
    // Four times as much is looked at, since white space may go away.
    let line = one_line(beginning(text, longest.saturating_mul(4)));
    let cut = beginning(&line, longest);
    if cut.len() < line.len() { format!("{}…", cut.trim_end()) } else { line }
}

pub(super) fn beginning(text: &str, longest: usize) -> &str {
    let end = text.char_indices().nth(longest).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

/// `text` up to `longest` characters, ending with a whole line where there is one, and how many lines were left out.
pub(super) fn bounded(text: &str, longest: Option<usize>) -> (&str, usize) {
    let kept = longest.map_or(text, |longest| beginning(text, longest));
    if kept.len() == text.len() {
        return (text, 0);
    }
    let kept = kept.rfind('\n').map_or(kept, |end| &kept[..=end]);
    (kept, text[kept.len()..].lines().count())
}

/// `address`, if a page may link to it.
pub(super) fn followable(address: &str) -> Option<&str> {
    let (scheme, rest) = address.split_once(':')?;
    let is_known = ["http", "https", "mailto"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let is_whole = !rest.is_empty() && !address.chars().any(|c| c.is_control() || c.is_whitespace());
    (is_known && is_whole).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::{followable, *};

    #[test]
    fn long_text_ends_with_a_whole_line() {
        assert_eq!(bounded("one\ntwo\nthree", Some(9)), ("one\ntwo\n", 1));
        assert_eq!(bounded("one\ntwo", Some(100)), ("one\ntwo", 0));
        assert_eq!(bounded("日本語です", Some(2)), ("日本", 1));
        assert_eq!(bounded("one\ntwo", None), ("one\ntwo", 0));
    }

    #[test]
    fn a_line_is_cut_between_characters() {
        assert_eq!(in_a_line("  日本\n語です  ", 4), "日本 語…");
        assert_eq!(in_a_line("two\twords", 40), "two words");
    }

    #[test]
    fn only_the_web_and_mail() {
        for good in ["https://example.invalid/a?b#c", "HTTP://example.invalid", "mailto:a@example.invalid"] {
            assert_eq!(followable(good), Some(good));
        }
        let bad = [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "java\nscript:alert(1)",
            " javascript:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "//example.invalid",
            "src/main.rs",
            "#m1",
            "https:",
            "",
        ];
        for bad in bad {
            assert_eq!(followable(bad), None, "{bad:?}");
        }
    }
}
