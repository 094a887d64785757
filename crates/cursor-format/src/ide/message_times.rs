//! Times for messages that have none of their own.
//!
//! Between two messages with known times, times are spread evenly and called interpolated. Before the first and
//! after the last known one, only the conversation's own times are left: its beginning and its last change, or the
//! nearest known time where these contradict it.

use backscroll_model::{AtIs, Conversation, Message, Moment};
use jiff::Timestamp;

/// Gives every message of `conversation` a time, as surely as can be told.
pub fn fill(conversation: &mut Conversation) {
    let created = conversation.summary.created_at;
    let updated = conversation.summary.updated_at;
    spread(&mut conversation.messages, created, updated);
}

fn spread(messages: &mut [Message], created: Option<Timestamp>, updated: Option<Timestamp>) {
    let known: Vec<(usize, Timestamp)> =
        messages.iter().enumerate().filter_map(|(at, message)| Some((at, message.at.at?))).collect();
    let (Some(&(first, first_time)), Some(&(last, last_time))) = (known.first(), known.last()) else {
        set_all(messages, created.or(updated));
        return;
    };
    set_all(&mut messages[..first], created.filter(|created| *created <= first_time).or(Some(first_time)));
    set_all(&mut messages[last + 1..], updated.filter(|updated| *updated >= last_time).or(Some(last_time)));
    for pair in known.windows(2) {
        let &[(left, from), (right, to)] = pair else {
            continue;
        };
        let steps = i64::try_from(right - left).unwrap_or(i64::MAX);
        let span = to.as_millisecond() - from.as_millisecond();
        for (step, message) in (1..).zip(&mut messages[left + 1..right]) {
            let at = Timestamp::from_millisecond(from.as_millisecond() + span / steps * step).ok();
            message.at = Moment { at, is: AtIs::Interpolated };
        }
    }
}

fn set_all(messages: &mut [Message], at: Option<Timestamp>) {
    let is = if at.is_some() { AtIs::Conversation } else { AtIs::Unknown };
    for message in messages {
        message.at = Moment { at, is };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backscroll_model::{Layer, Origin, Role};
    use std::path::Path;

    #[test]
    fn times_are_known_spread_or_the_conversations_own() {
        let origin = Origin::new(Layer::IdeGlobal, Path::new("x"), "k");
        let at = |ms: i64| Timestamp::from_millisecond(1_700_000_000_000 + ms).unwrap();
        let mut messages: Vec<Message> =
            (0..6).map(|n| Message::new(n.to_string(), Role::User, origin.clone())).collect();
        messages[1].at = Moment::exact(at(100));
        messages[4].at = Moment::exact(at(400));
        spread(&mut messages, Some(at(0)), Some(at(900)));
        let told: Vec<_> = messages.iter().map(|m| (m.at.at.unwrap(), m.at.is)).collect();
        assert_eq!(
            told,
            [
                (at(0), AtIs::Conversation),
                (at(100), AtIs::Exact),
                (at(200), AtIs::Interpolated),
                (at(300), AtIs::Interpolated),
                (at(400), AtIs::Exact),
                (at(900), AtIs::Conversation),
            ]
        );
    }
}
