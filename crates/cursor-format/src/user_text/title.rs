//! A one-line title out of a message.

use super::tags;
use super::unwrapping::unwrap;

/// Titles are cut here, in characters.
const LONGEST: usize = 120;

/// The first line of the words in `text`, without tags and control characters; `None` if there is none.
pub fn title_line(text: &str) -> Option<String> {
    let user = unwrap(text);
    let words = without_tags(&user.text);
    let mut lines = words.lines().map(|line| {
        let visible = line.chars().filter(|c| !c.is_control() || c.is_whitespace());
        let shown: String = visible.collect();
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    let line = lines.find(|line| !line.is_empty())?;
    Some(line.chars().take(LONGEST).collect::<String>().trim_end().to_owned())
}

/// `text` without the tags that have a partner; `Vec<String>` has none and stays.
fn without_tags(text: &str) -> String {
    let elements = tags::elements(text, "");
    let mut cuts = Vec::new();
    for element in elements {
        cuts.push(element.start..element.inner_start);
        cuts.push(element.inner_start + element.inner.len()..element.end);
    }
    cuts.sort_by_key(|cut| cut.start);
    let mut rest = String::with_capacity(text.len());
    let mut at = 0;
    for cut in cuts {
        if cut.start >= at {
            rest.push_str(&text[at..cut.start]);
            at = cut.end;
        }
    }
    rest.push_str(&text[at..]);
    rest
}
