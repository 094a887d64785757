//! What would mean something else in a longer document, said in another way: headings, reference links, typed lines.
//!
//! Headings go down by three levels, below the headings of turns, so that the outline stays that of the conversation. A
//! reference link becomes an inline one, because two messages may define the same label.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, LinkType, Parser, Tag, TagEnd};

use super::edits::Edits;
use super::prose::options;

/// How far headings go down: below the title, the prompts and the answers.
pub(super) const DOWN: usize = 3;

/// The lowest heading.
const LOWEST: usize = 6;

/// Collects the changes. Where lines were broken on purpose, breaks stay breaks.
pub(super) fn collect(text: &str, keeps_lines: bool, edits: &mut Edits) {
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
pub(super) fn lower(text: &str, heading: &Range<usize>, level: usize, edits: &mut Edits) {
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
    let address = super::inline::destination(address);
    edits.replace(from..to, format!("(<{address}>{title})"));
}
