//! Numbers as people read them.

use backscroll_render::list::size;

/// `1 234 567`, with thin spaces that do not break.
pub(crate) fn count(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut told = String::with_capacity(digits.len() + 8);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            told.push('\u{202f}');
        }
        told.push(digit);
    }
    told
}

/// `1 message`, `3 messages`.
pub(crate) fn plural(number: impl TryInto<u64>, of: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{} {of}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Bytes as people say them, with a space that does not break.
pub(crate) fn bytes(bytes: u64) -> String {
    size(bytes).replace(' ', "\u{a0}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!(count(7_u64), "7");
        assert_eq!(count(1_234_567_u64), "1\u{202f}234\u{202f}567");
        assert_eq!(plural(1_u64, "message"), "1 message");
        assert_eq!(plural(1_000_u64, "message"), "1\u{202f}000 messages");
        assert_eq!(bytes(1_083_670_528), "1.1\u{a0}GB");
        assert_eq!(bytes(12), "12\u{a0}B");
    }
}
