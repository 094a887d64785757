//! Values for YAML front matter. Every stored text is quoted and escaped, so that none is taken for anything but text.

use std::fmt::Write;

/// `text` as a double-quoted YAML scalar on one line.
pub(super) fn quoted(text: &str) -> String {
    let mut scalar = String::with_capacity(text.len() + 2);
    scalar.push('"');
    for c in text.chars() {
        match c {
            '"' => scalar.push_str("\\\""),
            '\\' => scalar.push_str("\\\\"),
            '\n' => scalar.push_str("\\n"),
            '\r' => scalar.push_str("\\r"),
            '\t' => scalar.push_str("\\t"),
            c if is_unprintable(c) => {
                // All of these lie in the plane that four digits name.
                write!(scalar, "\\u{:04X}", u32::from(c)).expect("writing to a string cannot fail");
            }
            c => scalar.push(c),
        }
    }
    scalar.push('"');
    scalar
}

/// What YAML does not allow, takes for a line break, or an editor would obey.
fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn every_text_is_one_quoted_line() {
        let table = [
            ("yes", "\"yes\""),
            ("a: b # c", "\"a: b # c\""),
            ("---\nb: c", "\"---\\nb: c\""),
            ("\"\\", "\"\\\"\\\\\""),
            ("\u{0}\u{85}\u{202e}\u{2028}", "\"\\u0000\\u0085\\u202E\\u2028\""),
            ("日本", "\"日本\""),
        ];
        for (text, expected) in table {
            assert_eq!(quoted(text), expected);
        }
    }
}
