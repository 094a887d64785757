//! Messages in slices, so that ten thousand of them are never in one answer.

use std::collections::BTreeMap;

use backscroll_model::{Conversation, Message};
use backscroll_render::Detail;
use backscroll_render::html::{Look, begins_anew, message};
use jiff::tz::TimeZone;

use crate::link;

/// How many messages are sent at once.
pub(super) const SLICE: usize = 100;

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

/// The messages from `from` on, as many as a slice has.
pub(super) fn render(conversation: &Conversation, from: usize, look: &Look) -> String {
    let mut html = String::new();
    let mut before = from.checked_sub(1).and_then(|at| conversation.messages.get(at));
    for (at, shown) in conversation.messages.iter().enumerate().skip(from).take(SLICE) {
        html.push_str(&message(shown, at + 1, begins_anew(before, shown), look).0);
        before = Some(shown);
    }
    html
}

/// Addresses of every conversation that this one names.
fn links(conversation: &Conversation) -> BTreeMap<String, String> {
    let children =
        conversation.children.iter().chain(&conversation.summary.parent).map(|id| id.as_str().to_owned());
    let started =
        conversation.messages.iter().flat_map(Message::tool_calls).filter_map(|call| call.child.clone());
    children.chain(started).map(|id| (id.clone(), link::conversation(&id.as_str().into()))).collect()
}
