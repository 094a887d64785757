//! Messages in slices, so that ten thousand of them are never in one answer.

use std::collections::BTreeMap;
use std::ops::Range;

use backscroll_model::{Conversation, Message};
use backscroll_render::Detail;
use backscroll_render::html::{Look, begins_anew, message};
use jiff::tz::TimeZone;

use crate::link;

/// How many messages are sent at once.
pub(super) const SLICE: usize = 100;

/// What is rendered is sent when it is at least so many bytes: colouring the rest takes longer than sending.
pub(super) const PIECE: usize = 16 * 1024;

/// Where the slice with this message begins.
pub(super) fn beginning(at: usize) -> usize {
    at / SLICE * SLICE
}

/// How the messages of `conversation` look here: everything is there, the page decides what is folded.
pub(super) fn look(conversation: &Conversation, time_zone: TimeZone) -> Look {
    let mut look = Look::new(Detail::Normal, time_zone);
    look.links = links(conversation);
    look.pictures = Some(link::of_conversation(&conversation.summary.id, "picture"));
    look
}

/// The messages from `from` on, `count` of them, but at most as many as a slice has.
pub(super) fn render(conversation: &Conversation, from: usize, count: Option<usize>, look: &Look) -> String {
    let mut html = String::new();
    let until = from.saturating_add(count.unwrap_or(SLICE).min(SLICE));
    render_between(conversation, from..until, look, &mut |piece| html.push_str(&piece));
    html
}

/// Hands over the messages with these numbers, from zero, a few at a time.
pub(super) fn render_between(
    conversation: &Conversation,
    numbers: Range<usize>,
    look: &Look,
    take: &mut dyn FnMut(String),
) {
    let messages = &conversation.messages;
    let before = numbers.start.checked_sub(1).and_then(|at| messages.get(at));
    let end = numbers.end.min(messages.len());
    render_messages(messages.get(numbers.start..end).unwrap_or_default(), numbers.start, before, look, take);
}

/// Hands over these messages, of which the first has the number `from` and follows `before`.
pub(super) fn render_messages<'a>(
    messages: &'a [Message],
    from: usize,
    mut before: Option<&'a Message>,
    look: &Look,
    take: &mut dyn FnMut(String),
) {
    let mut html = String::new();
    for (at, shown) in messages.iter().enumerate() {
        html.push_str(&render_one(shown, from + at, before, look));
        before = Some(shown);
        if html.len() >= PIECE {
            take(std::mem::take(&mut html));
        }
    }
    take(html);
}

/// One message with this number, from zero, which follows `before`.
pub(super) fn render_one(shown: &Message, number: usize, before: Option<&Message>, look: &Look) -> String {
    message(shown, number + 1, begins_anew(before, shown), look).into_string()
}

/// Addresses of every conversation that this one names.
pub(super) fn links(conversation: &Conversation) -> BTreeMap<String, String> {
    let children =
        conversation.children.iter().chain(&conversation.summary.parent).map(|id| id.as_str().to_owned());
    let started =
        conversation.messages.iter().flat_map(Message::tool_calls).filter_map(|call| call.child.clone());
    children.chain(started).map(|id| (id.clone(), link::conversation(&id.as_str().into()))).collect()
}
