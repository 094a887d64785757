//! The walk over a conversation: header, messages, orphans, findings.

use std::io::{self, Write};

use backscroll_model::{Conversation, Message, Role};

use super::folded::counted;
use super::page::Page;
use super::{View, findings, header, message};

/// Writes `conversation` for people to read.
pub fn conversation(conversation: &Conversation, view: &View, out: impl Write) -> io::Result<()> {
    let mut page = Page::new(view, out);
    header::write(&mut page, conversation)?;
    write_messages(&mut page, &conversation.messages)?;
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

/// So few messages are not worth a thread.
const FEW: usize = 1_000;

/// Writes `messages`; where they are many, the second half is made up while the first is written. It begins with a
/// message of the user, which looks the same whatever stands before it.
fn write_messages<W: Write>(page: &mut Page<'_, W>, messages: &[Message]) -> io::Result<()> {
    let middle = messages.len() / 2;
    let half = messages[middle..].iter().position(|message| message.role == Role::User);
    let (Some(half), true) = (half, messages.len() > FEW) else {
        return message::write_all(page, messages);
    };
    let (first, second) = messages.split_at(middle + half);
    let view = page.view;
    std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            let mut sheet = Page::continued(view, Vec::new());
            message::write_all(&mut sheet, second).map(|()| sheet)
        });
        message::write_all(page, first)?;
        page.append(&second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?)
    })
}
