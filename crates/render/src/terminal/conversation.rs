//! A conversation from its facts to its findings, and the tree of those it started.

use std::io::{self, Write};

use backscroll_model::{Conversation, Finding, Message, Summary, Workspace};

use super::page::{Page, StoredValues};
use super::{View, hits, message};
use crate::phrases::{counted, finding_counts, grouped, other_tokens, time_span};
use crate::text::{cut, one_line};

/// Writes `conversation` for people to read.
pub fn conversation(conversation: &Conversation, view: &View, mut out: impl Write) -> io::Result<()> {
    write_whole(Page::new(view, &mut out), conversation)
}

/// The same, with the values that it was read from: those of its record first, those of each message beside it.
pub fn conversation_as_stored<'a>(
    conversation: &Conversation,
    view: &'a View,
    stored: StoredValues<'a>,
    mut out: impl Write,
) -> io::Result<()> {
    let mut page = Page::new(view, &mut out);
    page.stored = Some(stored);
    write_whole(page, conversation)
}

fn write_whole(mut page: Page<'_>, conversation: &Conversation) -> io::Result<()> {
    write_header(&mut page, conversation)?;
    message::write_all(&mut page, &conversation.messages)?;
    if !conversation.orphans.is_empty() {
        page.gap();
        let number = counted(conversation.orphans.len(), "stored message");
        let heading = format!("── {number} that the conversation does not list ──");
        page.line(0, &[(page.palette.warning, &heading)])?;
        message::write_all(&mut page, &conversation.orphans)?;
    }
    if !conversation.findings.is_empty() {
        page.gap();
        if page.view.findings {
            all(&mut page, &conversation.findings)?;
        } else {
            let (total, kinds) = finding_counts(&conversation.findings);
            let line = format!("{total} ({kinds}); see them with --findings");
            page.broken(0, 2, &line, &[(0..line.len(), page.palette.warning)])?;
        }
    }
    Ok(())
}

fn write_header(page: &mut Page<'_>, conversation: &Conversation) -> io::Result<()> {
    let summary = &conversation.summary;
    let title = summary.title.as_deref().map(one_line).filter(|title| !title.is_empty());
    // Where nobody gave a name, the title is the first line that the user wrote, and that may be a whole page.
    let title = title.map_or_else(|| "(untitled)".to_owned(), |title| cut(&title, 2 * page.width()));
    page.broken(0, 0, &title, &[(0..title.len(), page.palette.strong)])?;
    if let Some(workspace) = &summary.workspace {
        let place = place(workspace);
        page.broken(0, 2, &place, &[(0..place.len(), page.palette.path)])?;
    }
    let kind = [Some(summary.surface.name().to_owned()), summary.mode.as_deref().map(one_line)];
    let models = summary.models.iter().map(|model| one_line(model));
    facts(page, kind.into_iter().flatten().chain(models))?;
    facts(page, time_span(summary, &page.view.time_zone, "%Y-%m-%d %H:%M").into_iter())?;
    facts(page, counts(conversation).into_iter())?;
    facts(page, besides(conversation).into_iter())?;
    let id = format!("id {}", one_line(summary.id.as_str()));
    page.broken(0, 3, &id, &[(0..id.len(), page.palette.dim)])?;
    if page.view.origins {
        hits::header_places(page, conversation)?;
    }
    page.rule()?;
    conversation.facts.todos.iter().try_for_each(|todo| message::todo_line(page, todo))
}

fn facts(page: &mut Page<'_>, facts: impl Iterator<Item = String>) -> io::Result<()> {
    let line = facts.collect::<Vec<_>>().join(" · ");
    if line.is_empty() { Ok(()) } else { page.broken(0, 2, &line, &[(0..line.len(), page.palette.dim)]) }
}

fn place(workspace: &Workspace) -> String {
    let host = workspace.remote.as_deref().map(|remote| format!(" on {}", one_line(remote)));
    format!("{}{}", one_line(&workspace.path), host.unwrap_or_default())
}

fn counts(conversation: &Conversation) -> Vec<String> {
    let facts = &conversation.facts;
    let mut counts = vec![counted(conversation.messages.len(), "message")];
    let calls = conversation.messages.iter().flat_map(Message::tool_calls).count();
    if calls > 0 {
        counts.push(counted(calls, "tool call"));
    }
    if let Some(lines) = facts.lines {
        counts.push(format!("+{} −{} lines", grouped(lines.added), grouped(lines.removed)));
    }
    if let Some(tokens) = facts.tokens {
        let (input, output) = (grouped(tokens.input), grouped(tokens.output));
        counts.push(format!("{input} tokens in, {output} out{}", other_tokens(tokens)));
    }
    counts
}

fn besides(conversation: &Conversation) -> Vec<String> {
    let (summary, facts) = (&conversation.summary, &conversation.facts);
    let mut besides: Vec<String> = summary.flags.iter().map(|flag| flag.name().to_owned()).collect();
    besides.extend(summary.parent.as_ref().map(|parent| format!("started by {}", one_line(parent.as_str()))));
    besides.extend(facts.branch.as_deref().map(|branch| format!("branch {}", one_line(branch))));
    besides.extend(facts.pull_requests.iter().map(|request| one_line(request)));
    let children = conversation.summary.children.len();
    if children > 0 {
        besides.push(format!("started {}", counted(children, "conversation")));
    }
    besides.extend(facts.draft.as_deref().map(|draft| format!("unsent: {}", one_line(draft))));
    besides
}

fn all(page: &mut Page<'_>, findings: &[Finding]) -> io::Result<()> {
    for finding in findings {
        let kind = finding.kind.name();
        let line = format!("{kind}: {}", one_line(&finding.says));
        page.broken(0, 2, &line, &[(0..kind.len(), page.palette.warning)])?;
        let origin = &finding.at;
        let place = one_line(&format!("{} {} {}", origin.layer.name(), origin.file.display(), origin.key));
        page.broken(2, 2, &place, &[(0..place.len(), page.palette.dim)])?;
    }
    Ok(())
}

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
pub fn tree(root: &Branch, view: &View, mut out: impl Write) -> io::Result<()> {
    let mut page = Page::new(view, &mut out);
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

fn line(page: &mut Page<'_>, branch: &Branch, lead: &str) -> io::Result<()> {
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
