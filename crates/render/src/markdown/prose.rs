//! Stored words, made fit for a document of ours: still Markdown, but unable to reach beyond their place.
//!
//! First the text is rewritten where it would mean something else in a longer document:
//!
//! - Tabs become spaces, up to the next of the stops that Markdown knows: behind a mark of quotation a tab changes its
//!   width, and parsers do not agree on one before such a mark. Blocks of code of their own keep their tabs.
//! - Headings go down by three levels, below the headings of turns, so that the outline stays that of the conversation.
//! - A reference link becomes an inline one, because two messages may define the same label.
//!
//! Then what would leak is found by a parser and made plain, until nothing leaks:
//!
//! - HTML may leave an element open and swallow the rest: a block of it becomes a block of code, a tag within a line is
//!   escaped.
//! - Definitions of links and footnotes hold for the whole document: they are shown as text.
//! - A fence that is not closed swallows what follows: it is closed.
//! - `[!NOTE]` in a quotation and `%%` mean something to GitHub and to Obsidian: they are escaped.
//!
//! A text that does not come to rest, or is too long to be parsed, is shown as a block of code. Most texts pass unchanged, without being parsed.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::blocks::{self, fence_for};
use crate::text::sanitise;

/// A text at rest needs one round; each escape may uncover one more sign.
const ROUNDS: usize = 6;

/// A longer text is not parsed: that takes up to sixty times as much memory.
const LONGEST: usize = 1 << 20;

/// What GitHub and Obsidian understand besides plain Markdown, as far as it changes what is text.
pub(super) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// Words that stand as they are.
pub(super) fn standing(text: &str) -> String {
    prose(text, false)
}

/// Words whose lines were broken on purpose, as people type them: fit to be quoted.
pub(super) fn typed(text: &str) -> String {
    prose(text, true)
}

fn prose(text: &str, keeps_lines: bool) -> String {
    let text = sanitise(text);
    let text = as_spaces(without_blank_ends(&text));
    if !(is_suspicious(&text) || keeps_lines && text.contains('\n')) {
        return text.into_owned();
    }
    if text.len() > LONGEST {
        return blocks::fenced("markdown", &text);
    }
    let mut edits = Edits::default();
    collect_rewritten(&text, keeps_lines, &mut edits);
    let mut text = changed(text, edits);
    for _ in 0..ROUNDS {
        let mut edits = Edits::default();
        collect_leaks(&text, &mut edits);
        if edits.is_empty() {
            return text.into_owned();
        }
        text = changed(text, edits);
    }
    blocks::fenced("markdown", &text)
}

fn changed(text: Cow<'_, str>, edits: Edits) -> Cow<'_, str> {
    if edits.is_empty() { text } else { Cow::Owned(edits.apply(&text)) }
}

/// `text` without blank lines around it. The indentation of its first line may mean code, and stays.
fn without_blank_ends(text: &str) -> &str {
    let text = text.trim_end();
    let first = text.len() - text.trim_start().len();
    let line = text.get(..first).and_then(|blank| blank.rfind('\n')).map_or(0, |at| at + 1);
    text.get(line..).unwrap_or_default()
}

/// Whether `text` might hold something that has to be changed. Cheap, and wrong only by saying yes.
fn is_suspicious(text: &str) -> bool {
    const SIGNS: [&str; 9] = ["<", "]:", "[^", "[!", "```", "~~~", "%%", "==", "--"];
    text.contains('#') || SIGNS.iter().any(|sign| text.contains(sign)) || ends_like_underline(text)
}

/// Whether a line is one dash or one equals sign, which makes a heading of what stands above.
fn ends_like_underline(text: &str) -> bool {
    text.lines().any(|line| matches!(line.trim_matches([' ', '\t', '>']), "-" | "="))
}

/// Changes to one text, in any order.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    pub(super) fn replace(&mut self, range: Range<usize>, new: impl Into<String>) {
        self.0.push((range, new.into()));
    }

    pub(super) fn insert(&mut self, at: usize, new: impl Into<String>) {
        self.replace(at..at, new);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The changed text. Of two changes to the same stretch, the one that begins first counts.
    pub(super) fn apply(mut self, text: &str) -> String {
        self.0.sort_by_key(|(range, _)| range.start);
        let mut changed = String::with_capacity(text.len() + 16 * self.0.len());
        let mut done = 0;
        for (range, new) in self.0 {
            let Some(kept) = text.get(done..range.start) else { continue };
            changed.push_str(kept);
            changed.push_str(&new);
            done = range.end;
        }
        changed.push_str(text.get(done..).unwrap_or_default());
        changed
    }
}

/// What must be escaped for a tag within a line to be shown as it is.
const SIGNS: &[char] = &['\\', '*', '_', '[', ']', '<', '>', '&', '!', '~', '|', '$'];

/// What is no sign by itself but one to those who read it.
const FOREIGN: [&str; 3] = ["[^", "[!", "%%"];

/// Collects the changes that `text` needs. None means that nothing leaks.
fn collect_leaks(text: &str, edits: &mut Edits) {
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
                    Tag::Heading { level, .. } if *level as usize <= DOWN => {
                        lower(text, &range, *level as usize, edits);
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
    definitions(text, &Ranges::new(shown), edits);
    foreign_signs(text, &Ranges::new(literal), edits);
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

/// Escapes a tag within a line. In a table, a bar and what escapes it belong to the table. A backtick behind a backslash could
/// still end a code span that begins before the tag, so it is spelled.
fn escape_tag(text: &str, tag: &Range<usize>, in_table: bool, edits: &mut Edits) {
    let Some(source) = text.get(tag.clone()) else { return };
    for (at, c) in source.char_indices() {
        let at = tag.start + at;
        if c == '`' {
            edits.replace(at..at + 1, "&#96;");
        } else if SIGNS.contains(&c) && !(in_table && matches!(c, '|' | '\\')) {
            edits.insert(at, "\\");
        }
    }
}

/// Shows definitions of links: a bracket at the beginning of a line that no event reports.
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
    fn new(mut ranges: Vec<Range<usize>>) -> Self {
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

/// How far headings go down: below the title, the prompts and the answers.
const DOWN: usize = 3;

const LOWEST: usize = 6;

/// Collects the changes. Where lines were broken on purpose, breaks stay breaks.
fn collect_rewritten(text: &str, keeps_lines: bool, edits: &mut Edits) {
    let mut in_heading = false;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                in_heading = true;
                lower(text, &range, level as usize, edits);
            }
            Event::End(TagEnd::Heading(_)) => in_heading = false,
            Event::Start(
                Tag::Link { link_type, dest_url, title, .. } | Tag::Image { link_type, dest_url, title, .. },
            ) => inlined(text, &range, link_type, &dest_url, &title, edits),
            Event::SoftBreak if keeps_lines && !in_heading => edits.insert(range.start, "  "),
            _ => {}
        }
    }
}

/// Puts a heading three levels lower.
fn lower(text: &str, heading: &Range<usize>, level: usize, edits: &mut Edits) {
    let Some(source) = text.get(heading.clone()) else { return };
    let indent = source.len() - source.trim_start().len();
    let first = heading.start + indent;
    let source = source.trim();
    let body = source.trim_start_matches('#');
    let signs = source.len() - body.len();
    let is_underlined = signs != level || !(body.is_empty() || body.starts_with([' ', '\t', '\n']));
    let more = LOWEST.min(level + DOWN) - level;
    if !is_underlined {
        return edits.insert(first, "#".repeat(more));
    }
    let Some(above) = source.rfind('\n') else { return };
    let underline = source.get(above + 1..).unwrap_or_default();
    let signs = underline.len() - underline.trim_end_matches(['=', '-']).len();
    edits.replace(first + source.len() - signs..first + source.len(), "");
    let content = source.get(..above).unwrap_or_default();
    // A heading of several lines cannot be said in another way: it becomes a paragraph.
    if !content.contains('\n') {
        let mark = "#".repeat(level + more);
        edits.insert(first, format!("{mark} "));
        if content.trim_end().ends_with('#') {
            edits.insert(first + content.trim_end().len(), format!(" {mark}"));
        }
    }
}

/// Makes an inline link of a link by reference.
fn inlined(
    text: &str,
    link: &Range<usize>,
    kind: LinkType,
    address: &CowStr<'_>,
    title: &CowStr<'_>,
    edits: &mut Edits,
) {
    let Some(source) = text.get(link.clone()) else { return };
    // Where the label begins and ends: of `[text][label]`, `[text][]` and `[text]`.
    let rest = text.get(link.end..).unwrap_or_default();
    let (from, to) = match kind {
        LinkType::Shortcut => (link.end, link.end),
        LinkType::Collapsed if !source.ends_with("[]") && rest.starts_with("[]") => (link.end, link.end + 2),
        LinkType::Reference | LinkType::Collapsed => match source.rfind('[') {
            Some(at) => (link.start + at, link.end),
            None => return,
        },
        _ => return,
    };
    let title = title.replace('\\', "\\\\").replace('"', "\\\"").replace('&', "\\&").replace('\n', " ");
    let title = if title.is_empty() { title } else { format!(" \"{title}\"") };
    let address = super::blocks::destination(address);
    edits.replace(from..to, format!("(<{address}>{title})"));
}

/// The distance of the stops.
const STOP: usize = 4;

fn as_spaces(text: &str) -> Cow<'_, str> {
    if !text.contains('\t') {
        return Cow::Borrowed(text);
    }
    let expanded: String = text.split_inclusive('\n').map(line_as_spaces).collect();
    let code = lines_of_code(&expanded);
    let mut code = code.iter().copied().peekable();
    let lines = text.split_inclusive('\n').enumerate().map(|(number, line)| {
        while code.next_if(|known| *known < number).is_some() {}
        // Behind a mark of quotation a tab is narrower, and a fence that it held off would close the block.
        let keeps_tabs = code.peek() == Some(&number) && !line.trim_start().starts_with(['`', '~']);
        if keeps_tabs { Cow::Borrowed(line) } else { line_as_spaces(line) }
    });
    Cow::Owned(lines.collect())
}

fn line_as_spaces(line: &str) -> Cow<'_, str> {
    if !line.contains('\t') {
        return Cow::Borrowed(line);
    }
    let mut spaces = String::with_capacity(line.len() + STOP);
    let mut column = 0;
    for c in line.chars() {
        if c == '\t' {
            let width = STOP - column % STOP;
            spaces.extend(std::iter::repeat_n(' ', width));
            column += width;
        } else {
            spaces.push(c);
            column += 1;
        }
    }
    Cow::Owned(spaces)
}

/// The numbers of the lines inside of fences that stand in no list and no quotation, and are not indented.
fn lines_of_code(text: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    let (mut depth, mut at, mut line) = (0_usize, 0, 0);
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                let is_fenced = matches!(tag, Tag::CodeBlock(CodeBlockKind::Fenced(_)));
                let begins_a_line = range.start == 0 || text.as_bytes().get(range.start - 1) == Some(&b'\n');
                let begins_with_fence =
                    text.get(range.start..).is_some_and(|code| code.starts_with(['`', '~']));
                if depth == 0 && is_fenced && begins_a_line && begins_with_fence {
                    let newlines = |from: usize, to: usize| {
                        text.get(from..to).map_or(0, |between| between.matches('\n').count())
                    };
                    line += newlines(at, range.start);
                    at = range.start;
                    lines.extend(line + 1..=line + newlines(range.start, range.end));
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::Edits;

    #[test]
    fn edits_are_made_in_order_and_never_twice() {
        let mut edits = Edits::default();
        edits.replace(4..5, "E");
        edits.insert(0, ">");
        edits.replace(1..3, "");
        edits.replace(2..4, "lost");
        edits.insert(6, "!");
        assert_eq!(edits.apply("abcdef"), ">adEf!");
    }
}
