//! Stored messages that no root lists: what abandoned branches left behind. Must not look for an order.

use backscroll_model::{Decoded, Message, Origin};

use super::assemble::{Listed, Name, assemble};
use super::earlier::short;
use super::message::message;

/// Reads message blobs that stand alone, in the given order; answers are given to the calls that asked for them.
pub fn loose_messages<'a>(
    blobs: impl IntoIterator<Item = (&'a str, Origin, &'a [u8])>,
) -> Decoded<Vec<Message>> {
    let mut findings = Vec::new();
    let mut listed = Vec::new();
    for (id, origin, bytes) in blobs {
        let stored = message(bytes, &origin).report_to(&mut findings);
        listed.extend(stored.map(|stored| Listed::stored(Name::Other(short(id)), origin, stored)));
    }
    let messages = assemble(listed).into_iter().map(|draft| draft.message);
    Decoded { value: messages.filter(|message| !message.parts.is_empty()).collect(), findings }
}
