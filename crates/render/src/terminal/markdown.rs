//! Words as Markdown, lightly styled. Nothing is taken away: what is copied from the terminal is what was said.

use std::io::{self, Write};
use std::ops::Range;

use anstyle::Style;
use memchr::{memchr2, memmem};

use super::Palette;
use super::page::{Page, TAB};
use crate::text::sanitise;

/// Writes `text`, `indent` cells deep.
pub(super) fn write<W: Write>(page: &mut Page<'_, W>, indent: usize, text: &str) -> io::Result<()> {
    let text = sanitise(text);
    let mut fence: Option<&str> = None;
    for line in text.trim_matches('\n').lines() {
        let expanded;
        let line = if line.contains('\t') {
            expanded = line.replace('\t', TAB);
            &expanded
        } else {
            line
        };
        let mark = fence_mark(line);
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {
                page.broken(indent, 0, line, &[(0..line.len(), page.palette.code)])?;
                continue;
            }
            (None, None) => {
                page.broken(indent, hanging(line), line, &styles(line, &page.palette))?;
                continue;
            }
        }
        page.line(indent, &[(page.palette.dim, line)])?;
    }
    Ok(())
}

fn fence_mark(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark))
}

/// How far further pieces of a list item or a quotation stand in.
fn hanging(line: &str) -> usize {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let after_digits = &text[digits..];
    let mark = if ["- ", "* ", "+ ", "> "].iter().any(|mark| text.starts_with(mark)) {
        2
    } else if (1..4).contains(&digits) && (after_digits.starts_with(". ") || after_digits.starts_with(") ")) {
        digits + 2
    } else {
        0
    };
    line.len() - text.len() + mark
}

fn styles(line: &str, palette: &Palette) -> Vec<(Range<usize>, Style)> {
    let is_heading = line.trim_start_matches('#').starts_with(' ') && line.starts_with('#');
    if is_heading {
        return vec![(0..line.len(), palette.strong)];
    }
    let mut styles = Vec::new();
    let mut at = 0;
    while let Some((range, style)) = next_mark(line, at, palette) {
        at = range.end;
        styles.push((range, style));
    }
    styles
}

/// The next `**strong**` or `` `code` `` from `at` on.
fn next_mark(line: &str, at: usize, palette: &Palette) -> Option<(Range<usize>, Style)> {
    let closed = |mark: &[u8]| {
        let start = at + memmem::find(line.as_bytes().get(at..)?, mark)?;
        let inside = start + mark.len();
        let length = memmem::find(line.as_bytes().get(inside..)?, mark).filter(|length| *length > 0)?;
        Some(start..inside + length + mark.len())
    };
    // Most lines have no mark at all.
    memchr2(b'*', b'`', line.as_bytes().get(at..)?)?;
    let strong = closed(b"**").map(|range| (range, palette.strong));
    let code = closed(b"`").map(|range| (range, palette.code));
    [strong, code].into_iter().flatten().min_by_key(|(range, _)| range.start)
}
