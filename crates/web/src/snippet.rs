//! A few words around what was found, with the find marked.

use maud::{Markup, html};

/// Characters shown before and after.
const AROUND: usize = 70;

/// Where `wanted` first stands in `text`, whatever the case, with what stands around it; `None` if nowhere.
pub(crate) fn around(text: &str, wanted: &str) -> Option<Markup> {
    let (from, to) = position(text, wanted)?;
    let before: Vec<char> = text[..from].chars().rev().take(AROUND).collect();
    let is_cut_before = text[..from].chars().nth(AROUND).is_some();
    let before: String = before.into_iter().rev().collect();
    let after: String = text[to..].chars().take(AROUND).collect();
    let is_cut_after = text[to..].chars().nth(AROUND).is_some();
    Some(html! {
        span.snippet { @if is_cut_before { "…" } (before) mark { (&text[from..to]) } (after) @if is_cut_after { "…" } }
    })
}

/// The bytes at which `wanted` stands. Lower case may be longer or shorter than the text, so letters are compared one by one.
fn position(text: &str, wanted: &str) -> Option<(usize, usize)> {
    let wanted: Vec<char> = wanted.chars().flat_map(char::to_lowercase).collect();
    let first = *wanted.first()?;
    let begins = |c: char| c.to_lowercase().next() == Some(first);
    text.char_indices().filter(|(_, c)| begins(*c)).find_map(|(from, _)| {
        let mut left = wanted.iter();
        for (at, c) in text[from..].char_indices() {
            for lower in c.to_lowercase() {
                match left.next() {
                    Some(expected) if *expected == lower => {}
                    // The wanted text ends inside of a letter, or differs.
                    _ => return None,
                }
            }
            if left.len() == 0 {
                return Some((from, from + at + c.len_utf8()));
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_find_is_marked_whatever_the_case() {
        let told = |text: &str, wanted: &str| around(text, wanted).map(maud::PreEscaped::into_string);
        assert_eq!(
            told("See TIDES.py", "tides").as_deref(),
            Some("<span class=\"snippet\">See <mark>TIDES</mark>.py</span>")
        );
        assert_eq!(
            told("a < b", "< b").as_deref(),
            Some("<span class=\"snippet\">a <mark>&lt; b</mark></span>")
        );
        assert_eq!(told("aab", "ab").as_deref(), Some("<span class=\"snippet\">a<mark>ab</mark></span>"));
        assert_eq!(told("", "x"), None);
        assert_eq!(told("x", ""), None);
        assert!(told(&"ü".repeat(500), "ÜÜ").is_some_and(|told| told.ends_with("…</span>")));
        assert!(told("İstanbul", "i̇s").is_some());
    }
}
