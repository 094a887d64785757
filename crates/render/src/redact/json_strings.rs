//! The strings inside JSON: found, read without their escapes, and changed in place so that the rest stays to the letter.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

use super::find::Find;

/// Looks into every string of `json`. `find` gets the name of the field, where there is one, and the text without escapes;
/// what it finds is told in places of `json` itself.
pub(super) fn find_in(json: &str, find: &dyn Fn(Option<&str>, &str) -> Vec<Find>) -> Vec<Find> {
    let mut finds = Vec::new();
    let mut name: Option<Cow<'_, str>> = None;
    // In `{"name": "API_KEY", "value": "…"}` it is the neighbour that names the value.
    let mut neighbour: Option<Cow<'_, str>> = None;
    let mut at = 0;
    while let Some(quote) = next(json, at, b'"') {
        // Between two strings stands what tells whether the last one still names this one.
        let between = &json[at..quote];
        if between.bytes().any(|byte| matches!(byte, b',' | b'[' | b'{' | b']' | b'}')) {
            name = None;
        }
        if between.bytes().any(|byte| matches!(byte, b'{' | b'}')) {
            neighbour = None;
        }
        let end = end_of_string(json, quote + 1);
        let literal = &json[quote + 1..end];
        let text = unescaped(literal);
        let is_name = json[end..].get(1..).is_some_and(|rest| rest.trim_start().starts_with(':'));
        let named = name.as_deref().filter(|_| !is_name);
        let is = |words: &[&str]| {
            named.is_some_and(|name| words.iter().any(|word| name.eq_ignore_ascii_case(word)))
        };
        let found = find(if is(&["value"]) { neighbour.as_deref().or(named) } else { named }, &text);
        if is(&["name", "key"]) {
            neighbour = Some(text.clone());
        }
        if !found.is_empty() {
            let places = places(literal);
            finds.extend(found.into_iter().filter_map(|find| raw(find, literal, &places, quote + 1)));
        }
        name = is_name.then_some(text);
        at = (end + 1).min(json.len());
    }
    finds
}

/// The find, in places of the JSON.
fn raw(find: Find, literal: &str, places: &[usize], begin: usize) -> Option<Find> {
    let range: Range<usize> = if literal.contains('\\') {
        *places.get(find.range.start)?..*places.get(find.range.end)?
    } else {
        find.range
    };
    Some(Find { range: range.start + begin..range.end + begin, ..find })
}

fn next(json: &str, from: usize, byte: u8) -> Option<usize> {
    memchr::memchr(byte, json.as_bytes().get(from..)?).map(|found| from + found)
}

/// Where the string that begins at `at` ends: at its closing quote, or at the end of everything.
fn end_of_string(json: &str, mut at: usize) -> usize {
    let bytes = json.as_bytes();
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return at;
        }
        at += 2;
    }
    bytes.len()
}

/// The text of a string literal, its quotes left out.
fn unescaped(literal: &str) -> Cow<'_, str> {
    if !literal.contains('\\') {
        return Cow::Borrowed(literal);
    }
    let mut text = String::with_capacity(literal.len());
    each_char(literal, |_, c| text.push(c));
    Cow::Owned(text)
}

/// For every byte of the text, and for its end, where it stands in the literal.
fn places(literal: &str) -> Vec<usize> {
    let mut places = Vec::new();
    if literal.contains('\\') {
        each_char(literal, |at, c| places.extend(std::iter::repeat_n(at, c.len_utf8())));
        places.push(literal.len());
    }
    places
}

/// Every character that the literal stands for, and where its spelling begins.
fn each_char(literal: &str, mut give: impl FnMut(usize, char)) {
    let mut at = 0;
    while let Some(c) = literal[at..].chars().next() {
        if c != '\\' {
            give(at, c);
            at += c.len_utf8();
            continue;
        }
        let escape = literal[at + 1..].chars().next();
        let (meant, length) = match escape {
            Some('n') => ('\n', 2),
            Some('t') => ('\t', 2),
            Some('r') => ('\r', 2),
            Some('b') => ('\u{8}', 2),
            Some('f') => ('\u{c}', 2),
            Some('u') => by_number(&literal[at..]),
            Some(other) => (other, 1 + other.len_utf8()),
            None => ('\\', 1),
        };
        give(at, meant);
        at += length;
    }
}

/// What `\uXXXX`, or a pair of them, stands for, and how long it is.
fn by_number(escape: &str) -> (char, usize) {
    let unit = |at: usize| {
        let digits = escape.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(0) else { return ('\u{fffd}', 2) };
    let pair = [first, unit(6).unwrap_or(0)];
    let is_pair = (0xd800..0xdc00).contains(&first) && (0xdc00..0xe000).contains(&pair[1]);
    let units = if is_pair { &pair[..] } else { &pair[..1] };
    let meant = char::decode_utf16(units.iter().copied()).next().and_then(Result::ok).unwrap_or('\u{fffd}');
    (meant, 6 * units.len())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::find_in;

    #[test]
    fn a_value_is_named_by_its_neighbour() {
        let json = r#"[{"name":"API_KEY","value":"a"},{"value":"b"},{"Key":"X","other":"c","Value":"d"}]"#;
        let seen = RefCell::new(Vec::new());
        find_in(json, &|name, text| {
            seen.borrow_mut().extend(name.map(|name| format!("{name}={text}")));
            Vec::new()
        });
        assert_eq!(seen.into_inner(), ["name=API_KEY", "API_KEY=a", "value=b", "Key=X", "other=c", "X=d"]);
    }
}
