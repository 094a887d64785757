//! How much of a conversation is played: from one message or moment to another. What lies outside is taken out.

use std::collections::HashSet;

use backscroll_model::{Conversation, Message};
use jiff::Timestamp;

/// One end of what is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The message with this number, counted from one.
    Message(usize),
    /// The first or last message that is known to lie on the inner side of this moment.
    Moment(Timestamp),
}

/// Takes out the messages before `from` and behind `to`, both included in what stays, and all that is told of the
/// conversation as a whole where something was taken out.
pub fn narrow(conversation: &mut Conversation, from: Option<End>, to: Option<End>) {
    let count = conversation.messages.len();
    let after = |moment: Timestamp, message: &Message| message.at.at.is_some_and(|at| at >= moment);
    let first = match from {
        None => 0,
        Some(End::Message(number)) => number.saturating_sub(1),
        Some(End::Moment(moment)) => {
            conversation.messages.iter().position(|message| after(moment, message)).unwrap_or(count)
        }
    };
    let before = |moment: Timestamp, message: &Message| message.at.at.is_some_and(|at| at <= moment);
    let end = match to {
        None => count,
        Some(End::Message(number)) => number.min(count),
        Some(End::Moment(moment)) => conversation
            .messages
            .iter()
            .rposition(|message| before(moment, message))
            .map_or(0, |last| last + 1),
    };
    if first == 0 && end == count {
        return;
    }
    conversation.messages.truncate(end);
    conversation.messages.drain(..first.min(end));
    let left: HashSet<&str> = conversation.messages.iter().map(|message| message.id.as_str()).collect();
    conversation.kept_files.retain(|checkpoint| left.contains(checkpoint.message.as_str()));
    // Sums, files, drafts and things to do of the whole conversation would tell of what was taken out.
    conversation.facts = backscroll_model::Facts::default();
    conversation.orphans.clear();
    conversation.findings.clear();
}
