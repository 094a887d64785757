//! A conversation and what it started, as an outline.

use std::io::{self, Write};

use backscroll_model::Summary;

use super::View;
use super::folded::counted;
use super::page::Page;
use crate::text::{cut, one_line};

/// A conversation in an outline.
#[derive(Debug, Clone)]
pub struct Branch {
    /// What it is.
    pub summary: Summary,
    /// How many messages were read; `None` if it could not be loaded.
    pub messages: Option<u64>,
    /// What it started.
    pub children: Vec<Branch>,
}

/// Writes the outline of `root`, one line a conversation.
pub fn tree(root: &Branch, view: &View, out: impl Write) -> io::Result<()> {
    let mut page = Page::new(view, out);
    // A stack instead of recursion: how deep a store nests is not ours to trust.
    let mut open = vec![(root, String::new(), String::new())];
    while let Some((branch, lead, below)) = open.pop() {
        line(&mut page, branch, &lead)?;
        let last = branch.children.len().saturating_sub(1);
        for (number, child) in branch.children.iter().enumerate().rev() {
            let (turn, bar) = if number == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            open.push((child, format!("{below}{turn}"), format!("{below}{bar}")));
        }
    }
    Ok(())
}

fn line<W: Write>(page: &mut Page<'_, W>, branch: &Branch, lead: &str) -> io::Result<()> {
    let palette = page.palette;
    let title = branch.summary.title.as_deref().map(one_line).filter(|title| !title.is_empty());
    let count = branch.messages.map_or_else(
        || " · not in any store".to_owned(),
        |messages| format!(" · {}", counted(messages, "message")),
    );
    let id = cut(&one_line(branch.summary.id.as_str()), 13);
    let spans = [
        (palette.dim, lead),
        (palette.id, id.as_str()),
        (palette.plain, " "),
        (palette.strong, title.as_deref().unwrap_or("(untitled)")),
        (palette.dim, count.as_str()),
    ];
    page.line(0, &spans)
}
