//! How many cells text takes, and text cut to fit.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How many cells `text` takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// How many cells `c` takes. Most are plain letters, which need no table.
pub(super) fn cells_of(c: char) -> usize {
    if matches!(c, ' '..='~') { 1 } else { c.width().unwrap_or(0) }
}

/// `text`, cut with `…` if it takes more than `cells`.
pub fn cut(text: &str, cells: usize) -> String {
    if fits(text, cells) {
        return text.to_owned();
    }
    let end = end_of(text.char_indices(), cells.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    let kept = text[..end].trim_end();
    if cells == 0 { String::new() } else { format!("{kept}…") }
}

/// `text`, cut at its front if it takes more than `cells`: the end of a path tells more than its beginning.
pub fn cut_front(text: &str, cells: usize) -> String {
    if fits(text, cells) {
        return text.to_owned();
    }
    let start =
        end_of(text.char_indices().rev(), cells.saturating_sub(1)).map_or(0, |(at, c)| at + c.len_utf8());
    if cells == 0 { String::new() } else { format!("…{}", &text[start..]) }
}

/// Whether `text` takes at most `cells`, without measuring much more than that.
pub(crate) fn fits(text: &str, cells: usize) -> bool {
    // No character takes more cells than bytes.
    text.len() <= cells || end_of(text.char_indices(), cells).is_none()
}

/// The first character that no longer fits.
fn end_of(characters: impl Iterator<Item = (usize, char)>, cells: usize) -> Option<(usize, char)> {
    let mut used = 0;
    for (at, c) in characters {
        used += cells_of(c);
        if used > cells {
            return Some((at, c));
        }
    }
    None
}
