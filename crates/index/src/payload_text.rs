//! The text that a tool's JSON stands for: strings without their escapes, everything else as it is written. One pass, no tree,
//! since results may be megabytes long. Names of fields are text too.

use std::borrow::Cow;

use backscroll_model::Payload;
use memchr::{memchr, memchr2};

/// The text of `payload`, as it is searched.
pub fn payload_text(payload: &Payload) -> Cow<'_, str> {
    match payload {
        Payload::Text(text) => Cow::Borrowed(text),
        Payload::Json(json) => Cow::Owned(json_text(json.get())),
    }
}

/// Strings are told without quotes and escapes, the marks between them as spaces.
fn json_text(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(quote) = memchr(b'"', rest.as_bytes()) {
        outside(&rest[..quote], &mut text);
        let string = &rest[quote + 1..];
        let end = end_of_string(string);
        unescape(&string[..end], &mut text);
        rest = string.get(end + 1..).unwrap_or_default();
    }
    outside(rest, &mut text);
    text
}

/// Numbers and words between strings; brackets, colons and commas only part them.
fn outside(json: &str, text: &mut String) {
    text.extend(json.chars().map(|c| if matches!(c, '{' | '}' | '[' | ']' | ':' | ',') { ' ' } else { c }));
}

/// Where the string at the beginning of `rest` ends.
fn end_of_string(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return at;
        }
        at += 2;
    }
    rest.len()
}

/// The string's own text. Half of a surrogate pair that stands alone is told as a replacement character.
fn unescape(string: &str, text: &mut String) {
    let mut rest = string;
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        let escaped = rest[at + 1..].chars().next();
        let after = at + 1 + escaped.map_or(0, char::len_utf8);
        rest = &rest[after..];
        match escaped {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b' | 'f') => text.push(' '),
            Some('u') => rest = unescape_unit(rest, text),
            Some(other) => text.push(other),
            None => {}
        }
    }
    text.push_str(rest);
}

/// Reads what follows `\u`, a second half included; gives what is left.
fn unescape_unit<'a>(rest: &'a str, text: &mut String) -> &'a str {
    let unit = |digits: &str| u16::from_str_radix(digits, 16).ok();
    let Some(first) = rest.get(..4).and_then(unit) else { return rest };
    let mut left = &rest[4..];
    let mut units = vec![first];
    let second = left.strip_prefix("\\u").and_then(|digits| unit(digits.get(..4)?));
    if let (0xD800..0xDC00, Some(second @ 0xDC00..0xE000)) = (first, second) {
        units.push(second);
        left = &left[6..];
    }
    text.push_str(&String::from_utf16_lossy(&units));
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_as_the_text_it_stands_for() {
        let told = |json: &str| {
            let payload = Payload::from_text(json.to_owned());
            payload_text(&payload).split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(told(r#"{"output":"a\nb \"c\" \\d","code":12}"#), r#"output a b "c" \d code 12"#);
        assert_eq!(told(r#"["é","\u00e9","\ud83d\ude00","\ud83d"]"#), "é é 😀 \u{fffd}");
        assert_eq!(told("plain \\n text"), "plain \\n text");
    }
}
