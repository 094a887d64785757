//! What of the agent's words is compared: all but white space, and but `<think>` blocks, which Cursor leaves out of transcripts.

use std::ops::Range;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// The compared characters of `text`, with their places. A text that is nothing but thoughts is compared as it is.
pub(super) fn compared(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut blocks = think_blocks(text);
    let starts = std::iter::once(0).chain(blocks.iter().map(|block| block.end));
    let ends = blocks.iter().map(|block| block.start).chain([text.len()]);
    if starts.zip(ends).all(|(start, end)| text[start..end].trim().is_empty()) {
        blocks.clear();
    }
    let mut blocks = blocks.into_iter().peekable();
    text.char_indices().filter(move |(at, c)| {
        while blocks.next_if(|block| block.end <= *at).is_some() {}
        !c.is_whitespace() && blocks.peek().is_none_or(|block| !block.contains(at))
    })
}

/// The compared characters alone.
pub(super) fn words(text: &str) -> String {
    compared(text).map(|(_, c)| c).collect()
}

/// Closed blocks of thoughts, wherever they stand.
fn think_blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find(OPEN).map(|at| from + at) {
        let Some(close) = text[open..].find(CLOSE) else { break };
        from = open + close + CLOSE.len();
        blocks.push(open..from);
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn closed_blocks_are_not_compared() {
        let table = [
            ("a b", "ab"),
            ("a <think>b\nc</think> d", "ad"),
            ("<think>a</think>b<think></think>c", "bc"),
            ("</think>a<think>", "</think>a<think>"),
            ("<think>a<think>b</think>c</think>", "c</think>"),
            (" <think>a</think>\n", "<think>a</think>"),
        ];
        for (text, expected) in table {
            assert_eq!(words(text), expected, "{text}");
        }
    }
}
