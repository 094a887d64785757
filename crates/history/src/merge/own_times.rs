//! Messages of which only the conversation's own time is known, once everybody has told theirs: a teller may know other
//! times of the conversation than those that are believed in the end.

use backscroll_model::{AtIs, Conversation, Message, Moment};
use jiff::Timestamp;

/// Makes every time that is called the conversation's own its beginning or its last change. Where neither fits between the
/// neighbours, it is as near to them as can be: a neighbour's time.
pub(crate) fn settle(conversation: &mut Conversation) {
    let begun = conversation.summary.created_at;
    let changed = conversation.summary.updated_at;
    let messages = &mut conversation.messages;
    let is_foreign =
        |message: &Message| message.at.is == AtIs::Conversation && ![begun, changed].contains(&message.at.at);
    let mut looked = 0;
    while let Some(next) = messages[looked..].iter().position(is_foreign) {
        let from = looked + next;
        looked = from + messages[from..].iter().take_while(|message| is_foreign(message)).count();
        let before = from.checked_sub(1).and_then(|at| messages[at].at.at);
        let after = messages.get(looked).and_then(|message| message.at.at);
        let own = if from == 0 { begun.or(changed) } else { changed.or(begun) };
        if let Some(at) = between(own, before, after) {
            messages[from..looked].iter_mut().for_each(|message| message.at = at);
        }
    }
}

fn between(own: Option<Timestamp>, before: Option<Timestamp>, after: Option<Timestamp>) -> Option<Moment> {
    let fits =
        |at: &Timestamp| before.is_none_or(|before| before <= *at) && after.is_none_or(|after| *at <= after);
    let at = own.filter(fits).or(before).or(after)?;
    Some(Moment { at: Some(at), is: AtIs::Conversation })
}
