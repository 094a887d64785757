//! A caret under the place in a line that is spoken of.

use std::ops::Range;

use super::{sanitise, width};

/// `line` and below it carets under the bytes `at`. What commands a terminal is neutralised; line breaks become spaces.
pub fn pointed(line: &str, at: Range<usize>) -> String {
    let safe = |text: &str| sanitise(&text.replace(['\n', '\t', '\r'], " ")).into_owned();
    let start = at.start.min(line.len());
    let before = safe(line.get(..start).unwrap_or(line));
    let there = safe(line.get(start..at.end.min(line.len())).unwrap_or_default());
    let after = safe(line.get(at.end.min(line.len())..).unwrap_or_default());
    let carets = "^".repeat(width(&there).max(1));
    format!("  {before}{there}{after}\n  {}{carets}", " ".repeat(width(&before)))
}

#[cfg(test)]
mod tests {
    use super::pointed;

    #[test]
    fn the_caret_stands_under_its_place() {
        assert_eq!(pointed("x rol:user", 2..6), "  x rol:user\n    ^^^^");
        assert_eq!(pointed("自动 (b", 7..8), "  自动 (b\n       ^");
        assert_eq!(pointed("a OR", 4..4), "  a OR\n      ^");
        assert_eq!(pointed("a\u{1b}[31mb", 6..7), "  ab\n   ^");
    }
}
