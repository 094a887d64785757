//! The walk over a conversation: header, messages, orphans, findings.

use std::io::{self, Write};

use backscroll_model::Conversation;

use super::folded::counted;
use super::page::Page;
use super::{View, findings, header, message};

/// Writes `conversation` for people to read.
pub fn conversation(conversation: &Conversation, view: &View, out: impl Write) -> io::Result<()> {
    let mut page = Page::new(view, out);
    header::write(&mut page, conversation)?;
    message::write_all(&mut page, &conversation.messages)?;
    if !conversation.orphans.is_empty() {
        page.gap();
        let number = counted(u64::try_from(conversation.orphans.len()).unwrap_or(u64::MAX), "stored message");
        let heading = format!("── {number} that the conversation does not list ──");
        page.line(0, &[(page.palette.warning, &heading)])?;
        message::write_all(&mut page, &conversation.orphans)?;
    }
    if !conversation.findings.is_empty() {
        page.gap();
        if view.findings {
            findings::all(&mut page, &conversation.findings)?;
        } else {
            findings::tally(&mut page, &conversation.findings)?;
        }
    }
    Ok(())
}
