//! A one-line title out of a message.

use super::tags;
use super::unwrapping::unwrap;

/// No title is longer, in characters.
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
    lines.find(|line| !line.is_empty()).map(cut)
}

/// `line`, with `…` in the place of what is too much.
fn cut(line: String) -> String {
    if line.chars().nth(LONGEST).is_none() {
        return line;
    }
    let kept: String = line.chars().take(LONGEST - 1).collect();
    format!("{}…", kept.trim_end())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_is_seen_to_be_cut() {
        let words = |count: usize| "word ".repeat(count).trim_end().to_owned();
        let table = [
            (words(24), words(24)),
            (words(25), format!("{}…", words(24))),
            ("é".repeat(LONGEST), "é".repeat(LONGEST)),
            ("é".repeat(LONGEST + 1), format!("{}…", "é".repeat(LONGEST - 1))),
            (format!("{}\nand more", "x".repeat(LONGEST)), "x".repeat(LONGEST)),
        ];
        for (text, expected) in table {
            assert_eq!(title_line(&text), Some(expected), "{text}");
        }
    }
}
