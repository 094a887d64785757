//! Stored text inside of a line of ours: a heading, a label, an address. It stays text there, whatever it holds.

use std::fmt::Write;

use crate::text::{cut, one_line};

/// What Markdown would take for a sign inside of a line.
const SIGNS: &[char] =
    &['\\', '`', '*', '_', '[', ']', '<', '>', '&', '!', '~', '|', '$', '#', '%', '=', '^'];

/// `text` on one line, all its signs escaped.
pub(super) fn words(text: &str) -> String {
    escaped(&one_line(text))
}

/// The beginning of `text` on one line, at most `cells` wide, all its signs escaped.
pub(super) fn first_words(text: &str, cells: usize) -> String {
    escaped(&cut(&crate::terminal::folded::first_words(text), cells))
}

/// `text` with every sign escaped.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if SIGNS.contains(&c) {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

/// `text` on one line as a span of code.
pub(super) fn code(text: &str) -> String {
    let text = one_line(text);
    if text.is_empty() {
        return String::new();
    }
    let ticks = "`".repeat(longest_run(&text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// `text` on one line, fit to stand between HTML tags.
pub(super) fn html(text: &str) -> String {
    let text = one_line(text);
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c => safe.push(c),
        }
    }
    safe
}

/// `address` as the destination of a link: what cannot stand in one is percent-encoded.
pub(super) fn destination(address: &str) -> String {
    let mut safe = String::with_capacity(address.len());
    for byte in address.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~/:?#@!$&'*+,;=%".contains(&byte);
        if is_plain {
            safe.push(char::from(byte));
        } else {
            write!(safe, "%{byte:02X}").expect("writing to a string cannot fail");
        }
    }
    safe
}

/// The length of the longest run of `sign` in `text`.
pub(super) fn longest_run(text: &str, sign: char) -> usize {
    let (mut longest, mut here) = (0, 0);
    for c in text.chars() {
        here = if c == sign { here + 1 } else { 0 };
        longest = longest.max(here);
    }
    longest
}
