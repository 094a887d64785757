//! The walk over a conversation: facts, title, messages, orphans, what is left to say.

use std::io::{self, Write};

use backscroll_model::{Conversation, Origin};

use super::blocks::Blocks;
use super::message::Turns;
use super::{Look, facts, findings, front_matter, inline, message, part, prose, quote};
use crate::Detail;

/// The title of a conversation may be a whole prompt; a heading need not.
const LONGEST_TITLE: usize = 120;

/// Writes `conversation` as a Markdown document.
pub fn conversation(conversation: &Conversation, look: &Look<'_>, out: impl Write) -> io::Result<()> {
    let mut blocks = Blocks::new(out);
    if look.front_matter {
        blocks.block(&front_matter::of(conversation, look))?;
    }
    let title = conversation.summary.title.as_deref().unwrap_or_default();
    let title = Some(inline::first_words(title, LONGEST_TITLE)).filter(|title| !title.is_empty());
    blocks.block(&format!("# {}", title.as_deref().unwrap_or("Untitled conversation")))?;
    if !look.front_matter {
        facts::list(&mut blocks, conversation, look)?;
    }
    started(&mut blocks, conversation, look)?;
    if look.detail >= Detail::Normal && !conversation.facts.todos.is_empty() {
        blocks.block("**To do**")?;
        part::todos(&mut blocks, &conversation.facts.todos)?;
    }
    read_from(&mut blocks, &conversation.summary.origins, look)?;
    Turns::new(look, &conversation.summary.origins).write(&mut blocks, &conversation.messages)?;
    unsent(&mut blocks, conversation)?;
    orphans(&mut blocks, conversation, look)?;
    findings::write(&mut blocks, &conversation.findings, look)
}

/// Where the conversations before and behind this one are.
fn started<W: Write>(blocks: &mut Blocks<W>, conversation: &Conversation, look: &Look<'_>) -> io::Result<()> {
    if let Some(link) = conversation.summary.parent.as_ref().and_then(|parent| look.link_to(parent.as_str()))
    {
        blocks.block(&format!("Started by {link}."))?;
    }
    let children: Vec<String> =
        conversation.children.iter().filter_map(|child| look.link_to(child.as_str())).collect();
    if children.is_empty() { Ok(()) } else { blocks.block(&format!("Started {}.", children.join(", "))) }
}

/// Which places tell of the conversation.
fn read_from<W: Write>(blocks: &mut Blocks<W>, origins: &[Origin], look: &Look<'_>) -> io::Result<()> {
    if !look.detail.shows_origins() || origins.is_empty() {
        return Ok(());
    }
    blocks.block("**Read from**")?;
    origins.iter().try_for_each(|origin| blocks.item(&message::place(origin)))
}

fn unsent<W: Write>(blocks: &mut Blocks<W>, conversation: &Conversation) -> io::Result<()> {
    match conversation.facts.draft.as_deref().map(prose::typed).filter(|draft| !draft.is_empty()) {
        Some(draft) => {
            blocks.block("## Never sent")?;
            blocks.block(&quote::quoted(&draft))
        }
        None => Ok(()),
    }
}

fn orphans<W: Write>(blocks: &mut Blocks<W>, conversation: &Conversation, look: &Look<'_>) -> io::Result<()> {
    let orphans = &conversation.orphans;
    if orphans.is_empty() {
        return Ok(());
    }
    if look.detail.shows_orphans() {
        blocks.block("## Stored, but not listed")?;
        return Turns::of_orphans(look, &conversation.summary.origins).write(blocks, orphans);
    }
    let number = u64::try_from(orphans.len()).unwrap_or(u64::MAX);
    let told = crate::terminal::folded::counted(number, "stored message");
    blocks.block(&format!("*{told} that the conversation does not list: see `--detail full`*"))
}
