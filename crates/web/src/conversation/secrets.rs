//! Takes secrets out of what is made to be passed on.

use std::io;

use backscroll_model::Conversation;
use backscroll_render::redact::{RedactOptions, Redactor};

/// The same conversation without its secrets, and without what else the user wants out.
pub(super) fn redacted(conversation: &Conversation, options: &RedactOptions) -> io::Result<Conversation> {
    let mut copy = conversation.clone();
    let mut redactor = Redactor::new(options).map_err(io::Error::other)?;
    redactor.conversation(&mut copy);
    Ok(copy)
}
