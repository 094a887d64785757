//! Text as a quotation: a mark before every line, so that nothing in it reaches beyond.

/// `text` as a block quotation.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + text.len() / 16 + 2);
    for line in text.lines() {
        quoted.push('>');
        if !line.is_empty() {
            quoted.push(' ');
            quoted.push_str(line);
        }
        quoted.push('\n');
    }
    quoted
}
