//! What would reach beyond its place in a document, found by a parser and made plain.
//!
//! - HTML may leave an element open and swallow the rest: a block of it becomes a block of code, a tag within a line is
//!   escaped.
//! - Definitions of links and footnotes hold for the whole document: they are shown as text.
//! - A fence that is not closed swallows what follows: it is closed.
//! - `[!NOTE]` in a quotation and `%%` mean something to GitHub and to Obsidian: they are escaped.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Parser, Tag, TagEnd};

use super::edits::Edits;
use super::fence::fence_for;
use super::prose::options;
use super::rewritten;

/// What must be escaped for a tag within a line to be shown as it is.
const SIGNS: &[char] = &['\\', '`', '*', '_', '[', ']', '<', '>', '&', '!', '~', '|', '$'];

/// What is no sign by itself but one to those who read it.
const FOREIGN: [&str; 3] = ["[^", "[!", "%%"];

/// Collects the changes that `text` needs. None means that nothing leaks.
pub(super) fn collect(text: &str, edits: &mut Edits) {
    let mut depth = 0_usize;
    let mut rows = 0_usize;
    let mut shown: Vec<Range<usize>> = Vec::new();
    let mut literal: Vec<Range<usize>> = Vec::new();
    // Inside of code and of addresses between angle brackets nothing can be escaped.
    let mut is_verbatim = false;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                match &tag {
                    Tag::HtmlBlock => {
                        fence_block(text, &range, edits);
                        shown.push(range);
                    }
                    Tag::CodeBlock(kind) => {
                        let is_fenced = matches!(kind, CodeBlockKind::Fenced(_));
                        if is_fenced && depth == 0 {
                            close(text, &range, edits);
                        }
                        is_verbatim = true;
                        shown.push(range);
                    }
                    Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. } => {
                        as_words(text, &range, rows > 0, edits);
                        is_verbatim = true;
                        shown.push(range);
                    }
                    Tag::Link { .. } | Tag::Image { .. } => shown.push(range),
                    Tag::Table(_) => rows += 1,
                    // What was escaped may have become a heading.
                    Tag::Heading { level, .. } if *level as usize <= rewritten::DOWN => {
                        rewritten::lower(text, &range, *level as usize, edits);
                    }
                    _ => {}
                }
                depth += 1;
            }
            Event::End(tag) => {
                depth = depth.saturating_sub(1);
                match tag {
                    TagEnd::CodeBlock | TagEnd::Link => is_verbatim = false,
                    TagEnd::Table => rows = rows.saturating_sub(1),
                    _ => {}
                }
            }
            Event::InlineHtml(_) => {
                escape_tag(text, &range, rows > 0, edits);
                shown.push(range);
            }
            Event::Text(_) if !is_verbatim => {
                literal.push(range.clone());
                shown.push(range);
            }
            Event::TaskListMarker(_) | Event::Code(_) => shown.push(range),
            _ => {}
        }
    }
    definitions(text, &Ranges::of(shown), edits);
    foreign_signs(text, &Ranges::of(literal), edits);
}

/// Makes a block of code of a block of HTML, at the same depth of lists and quotations.
fn fence_block(text: &str, block: &Range<usize>, edits: &mut Edits) {
    let Some(source) = text.get(block.clone()) else { return };
    let line = text.get(..block.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let prefix = text.get(line..block.start).unwrap_or_default();
    let inside = continued(prefix);
    let fence = fence_for(source);
    edits.insert(block.start, format!("{fence}html\n{inside}"));
    let newline = if source.ends_with('\n') { "" } else { "\n" };
    edits.insert(block.end, format!("{newline}{inside}{fence}\n"));
}

/// What stands before the next line of a block whose first line stands behind `prefix`: marks of quotation again, and
/// spaces in the place of a list's sign. A mark takes the space behind it for its own, so one that has none is given one.
fn continued(prefix: &str) -> String {
    let mut inside = String::with_capacity(prefix.len() + 1);
    let mut characters = prefix.chars().peekable();
    while let Some(c) = characters.next() {
        inside.push(if matches!(c, '>' | '\t') { c } else { ' ' });
        if c == '>' && !matches!(characters.peek(), Some(' ' | '\t')) {
            inside.push(' ');
        }
    }
    inside
}

/// Closes a block of code that the end of the text leaves open.
fn close(text: &str, block: &Range<usize>, edits: &mut Edits) {
    let is_last = text.get(block.end..).is_some_and(|rest| rest.trim().is_empty());
    let Some(source) = text.get(block.clone()).filter(|_| is_last) else { return };
    let source = source.trim_start();
    let Some(sign) = source.chars().next() else { return };
    let length = source.len() - source.trim_start_matches(sign).len();
    let closes = |line: &str| {
        // A tab reaches as far as four spaces, behind which nothing closes.
        let indent = &line[..line.len() - line.trim_start().len()];
        let line = line.trim();
        indent.len() < 4 && !indent.contains('\t') && line.len() >= length && line.chars().all(|c| c == sign)
    };
    let is_closed = source.trim_end().rsplit_once('\n').is_some_and(|(_, last)| closes(last));
    if !is_closed {
        let newline = if text.ends_with('\n') { "" } else { "\n" };
        edits.insert(text.len(), format!("{newline}{}\n", sign.to_string().repeat(length)));
    }
}

/// Makes words of an address between angle brackets that holds foreign signs: there nothing can be escaped.
fn as_words(text: &str, address: &Range<usize>, in_table: bool, edits: &mut Edits) {
    let source = text.get(address.clone()).unwrap_or_default();
    if !FOREIGN.iter().any(|sign| source.contains(sign)) {
        return;
    }
    let inside = address.start + 1..address.end.saturating_sub(1);
    edits.replace(address.start..inside.start, "");
    escape_tag(text, &inside, in_table, edits);
    edits.replace(inside.end..address.end, "");
}

/// Escapes a tag within a line. In a table, a bar and what escapes it belong to the table.
fn escape_tag(text: &str, tag: &Range<usize>, in_table: bool, edits: &mut Edits) {
    let Some(source) = text.get(tag.clone()) else { return };
    for (at, c) in source.char_indices() {
        if SIGNS.contains(&c) && !(in_table && matches!(c, '|' | '\\')) {
            edits.insert(tag.start + at, "\\");
        }
    }
}

/// Shows definitions of links: a bracket at the beginning of a line that no event tells of.
fn definitions(text: &str, shown: &Ranges, edits: &mut Edits) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start_matches(|c: char| {
            matches!(c, ' ' | '\t' | '>' | '-' | '+' | '*' | '.' | ')') || c.is_ascii_digit()
        });
        let at = start + line.len() - content.len();
        if content.starts_with('[') && !shown.hold(at) {
            edits.insert(at, "\\");
        }
        start += line.len();
    }
}

/// Escapes foreign signs.
fn foreign_signs(text: &str, literal: &Ranges, edits: &mut Edits) {
    for sign in FOREIGN {
        for (at, _) in text.match_indices(sign) {
            let before = text.get(..at).unwrap_or_default();
            let escapes = before.len() - before.trim_end_matches('\\').len();
            if escapes % 2 == 0 && literal.hold(at) && literal.hold(at + 1) {
                // The bracket stays as it is: it may be one of a pair.
                edits.insert(at + 1, "\\");
            }
        }
    }
}

/// Stretches of a text, in order of their beginning; some lie inside of others.
struct Ranges(Vec<Range<usize>>);

impl Ranges {
    fn of(mut ranges: Vec<Range<usize>>) -> Self {
        ranges.sort_by_key(|range| range.start);
        let mut joined: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        Self(joined)
    }

    fn hold(&self, at: usize) -> bool {
        let next = self.0.partition_point(|range| range.start <= at);
        next.checked_sub(1).and_then(|before| self.0.get(before)).is_some_and(|range| range.contains(&at))
    }
}
