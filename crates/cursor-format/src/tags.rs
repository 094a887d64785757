//! Tags in text, found in one pass and paired by name. Knows nothing of what they mean.

use std::collections::HashMap;

/// A stretch between an opening tag and its closing tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Element<'a> {
    /// The tag's name.
    pub(crate) name: &'a str,
    /// What stands after the name in the opening tag.
    pub(crate) attributes: &'a str,
    /// What stands between the tags.
    pub(crate) inner: &'a str,
    /// Where the opening tag begins.
    pub(crate) start: usize,
    /// Where the inner text begins.
    pub(crate) inner_start: usize,
    /// Where the closing tag ends.
    pub(crate) end: usize,
}

impl<'a> Element<'a> {
    /// The value of the attribute `name="…"`.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'a str> {
        let mut rest = self.attributes;
        while let Some((key, after)) = rest.split_once("=\"") {
            let (value, after) = after.split_once('"')?;
            if key.trim() == name {
                return Some(value);
            }
            rest = after;
        }
        None
    }
}

struct Tag<'a> {
    name: &'a str,
    attributes: &'a str,
    closes: bool,
    start: usize,
    end: usize,
}

/// Attributes longer than this are no attributes.
const LONGEST_TAG: usize = 2_000;

/// Every pair of tags in `text`, in order of their opening tags; inner pairs stand after the outer one.
///
/// An opening tag without a closing one is plain text. `outermost` names the tag whose first opening wins if
/// openings and closings do not balance: a `<user_query>` typed inside a query still leaves one query.
pub(crate) fn elements<'a>(text: &'a str, outermost: &str) -> Vec<Element<'a>> {
    let tags = tags(text);
    let mut open: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut last_close: HashMap<&str, usize> = HashMap::new();
    let mut partner = vec![None; tags.len()];
    for (index, tag) in tags.iter().enumerate() {
        if tag.closes {
            last_close.insert(tag.name, index);
            if let Some(opening) = open.get_mut(tag.name).and_then(Vec::pop) {
                partner[opening] = Some(index);
            }
        } else {
            open.entry(tag.name).or_default().push(index);
        }
    }
    if let (Some(&first), Some(&last)) =
        (open.get(outermost).and_then(|left| left.first()), last_close.get(outermost))
        && first < last
    {
        partner[first] = Some(last);
    }
    let pairs = partner.iter().enumerate();
    pairs
        .filter_map(|(opening, closing)| Some((&tags[opening], &tags[(*closing)?])))
        .map(|(opening, closing)| Element {
            name: opening.name,
            attributes: opening.attributes,
            inner: &text[opening.end..closing.start],
            start: opening.start,
            inner_start: opening.end,
            end: closing.end,
        })
        .collect()
}

fn tags(text: &str) -> Vec<Tag<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|ahead| at + ahead) {
        at = start + 1;
        let closes = bytes.get(at) == Some(&b'/');
        let name_start = at + usize::from(closes);
        let name_length = bytes[name_start..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
            .count();
        let name_end = name_start + name_length;
        if !bytes.get(name_start).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let Some(length) =
            bytes[name_end..].iter().take(LONGEST_TAG).position(|byte| matches!(byte, b'>' | b'<'))
        else {
            continue;
        };
        let attributes = &text[name_end..name_end + length];
        let well_formed = attributes.is_empty() || (!closes && attributes.starts_with(char::is_whitespace));
        if bytes[name_end + length] == b'>' && well_formed && !attributes.ends_with('/') {
            let end = name_end + length + 1;
            let name = &text[name_start..name_end];
            found.push(Tag { name, attributes, closes, start, end });
            at = end;
        }
    }
    found
}
