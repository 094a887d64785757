//! Long text folded to one line.

use std::fmt::Write as _;

use crate::text::one_line;

/// No terminal is wider; more of the text need not be looked at.
const LOOKED_AT: usize = 2_000;

/// The beginning of `text` as one line.
pub(crate) fn first_words(text: &str) -> String {
    let text = text.trim_start();
    if text.len() <= LOOKED_AT {
        return one_line(text);
    }
    let end = text.char_indices().nth(LOOKED_AT).map_or(text.len(), |(at, _)| at);
    one_line(&text[..end])
}

/// How long something took: `1.2 s`, `3 min 20 s`.
pub(crate) fn duration(milliseconds: u64) -> String {
    match milliseconds {
        0..100 => format!("{milliseconds} ms"),
        100..60_000 => format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100),
        _ => format!("{} min {} s", milliseconds / 60_000, milliseconds % 60_000 / 1_000),
    }
}

/// A number with its thousands apart: `12,345`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 message`, `2 messages`.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    let mut counted = grouped(number);
    let plural = if number == 1 { "" } else { "s" };
    write!(counted, " {thing}{plural}").expect("writing to a string cannot fail");
    counted
}
