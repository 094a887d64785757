//! Tabs, said in spaces where they could decide what a line means.
//!
//! Behind a mark of quotation a tab changes its width, and parsers do not agree on one that stands before such a mark. So
//! tabs become spaces, up to the next of the stops that Markdown knows. Blocks of code that stand by themselves keep theirs:
//! nobody's Makefile is spoilt.

use std::borrow::Cow;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use super::prose::options;

/// The distance of the stops.
const STOP: usize = 4;

/// `text` with spaces for its tabs.
pub(super) fn as_spaces(text: &str) -> Cow<'_, str> {
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
