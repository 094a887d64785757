//! Times for messages that have none of their own.
//!
//! Between two messages with known times, times are spread evenly and called interpolated. Before the first and
//! after the last known one, only the conversation's own times are left: its beginning and its last change. Where these
//! contradict the known ones, the nearest known time is held on to, and called interpolated too: a time that is called the
//! conversation's own is its beginning or its last change to the letter.

use backscroll_model::{AtIs, Conversation, Message, Moment};
use jiff::Timestamp;

/// Gives every message of `conversation` a time, as surely as can be told.
pub fn fill(conversation: &mut Conversation) {
    let ended = conversation.summary.updated_at;
    fill_until(conversation, ended);
}

/// The same where nothing but a file's time may tell of the last change, which copying changes: `ended` is what is
/// stored of it. The file's time dates messages only where there is no other.
pub fn fill_until(conversation: &mut Conversation, ended: Option<Timestamp>) {
    let summary = &conversation.summary;
    let own = Own { begun: summary.created_at, ended, changed: summary.updated_at };
    spread(&mut conversation.messages, own);
}

/// The conversation's own times.
#[derive(Clone, Copy)]
struct Own {
    begun: Option<Timestamp>,
    /// Its last change, as stored.
    ended: Option<Timestamp>,
    /// Its last change, as told by anything.
    changed: Option<Timestamp>,
}

impl Own {
    /// This time, which is known of another message or is the conversation's own.
    fn held(self, at: Timestamp) -> Moment {
        let is_own = [self.begun, self.ended].contains(&Some(at));
        Moment { at: Some(at), is: if is_own { AtIs::Conversation } else { AtIs::Interpolated } }
    }
}

fn spread(messages: &mut [Message], own: Own) {
    let known: Vec<(usize, Timestamp)> =
        messages.iter().enumerate().filter_map(|(at, message)| Some((at, message.at.at?))).collect();
    let (Some(&(first, first_time)), Some(&(last, last_time))) = (known.first(), known.last()) else {
        let at = own.begun.or(own.changed);
        let is = if at.is_some() { AtIs::Conversation } else { AtIs::Unknown };
        set_all(messages, Moment { at, is });
        return;
    };
    let begun = own.begun.filter(|begun| *begun <= first_time);
    set_all(&mut messages[..first], own.held(begun.unwrap_or(first_time)));
    let ended = own.ended.filter(|ended| *ended >= last_time);
    set_all(&mut messages[last + 1..], own.held(ended.unwrap_or(last_time)));
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

fn set_all(messages: &mut [Message], at: Moment) {
    for message in messages {
        message.at = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backscroll_model::{Layer, Origin, Role};
    use std::path::Path;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millisecond(1_700_000_000_000 + ms).unwrap()
    }

    /// Six messages, of which the second and the fifth have times, in a conversation with these times.
    fn told(begun: i64, ended: Option<i64>, changed: i64) -> Vec<(Timestamp, AtIs)> {
        let origin = Origin::new(Layer::IdeGlobal, Path::new("x"), "k");
        let mut messages: Vec<Message> =
            (0..6).map(|n| Message::new(n.to_string(), Role::User, origin.clone())).collect();
        messages[1].at = Moment::exact(at(100));
        messages[4].at = Moment::exact(at(400));
        spread(
            &mut messages,
            Own { begun: Some(at(begun)), ended: ended.map(at), changed: Some(at(changed)) },
        );
        messages.iter().map(|m| (m.at.at.unwrap(), m.at.is)).collect()
    }

    #[test]
    fn times_are_known_spread_or_the_conversations_own() {
        assert_eq!(
            told(0, Some(900), 900),
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

    #[test]
    fn only_the_conversations_own_times_are_called_so() {
        let ends = |told: Vec<(Timestamp, AtIs)>| [told[0], told[5]];
        let held = [(at(100), AtIs::Interpolated), (at(400), AtIs::Interpolated)];
        assert_eq!(
            ends(told(150, Some(350), 350)),
            held,
            "the conversation's times contradict the known ones"
        );
        assert_eq!(ends(told(150, None, 900)), held, "a file's time is nobody's time");
    }
}
