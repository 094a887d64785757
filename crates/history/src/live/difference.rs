//! What happened to a conversation between two readings of it. Pure: it is given what was read and when, and remembers of each
//! message only a fingerprint.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use backscroll_model::{
    AtIs, Conversation, EventKind, Flag, HeadChange, Message, MessageId, Summary, Tokens, Workspace,
};

use super::names::Names;

/// What is gone is believed to be deleted when it is still gone after this long: a store may be replaced by another one, and a file
/// may be written anew.
pub(super) const GONE: Duration = Duration::from_secs(1);

/// A conversation that somebody follows, as it was last read.
#[derive(Debug, Default)]
pub struct Followed {
    head: Option<FollowedHead>,
    messages: HashMap<MessageId, KnownMessage>,
    names: Names,
    /// What was stored at the first reading, and not listed: nobody knows how old it is.
    apart: Option<HashSet<MessageId>>,
    /// Since when the conversation is gone.
    gone: Gone,
}

/// What `conversation-changed` reports.
#[derive(Debug, Clone, PartialEq)]
struct FollowedHead {
    title: Option<String>,
    flags: BTreeSet<Flag>,
    workspace: Option<Workspace>,
}

/// What is remembered of a message.
#[derive(Debug, Clone, Copy)]
struct KnownMessage {
    print: u64,
    revision: u32,
    tokens: Option<Tokens>,
    gone: Gone,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Gone {
    /// It is there.
    #[default]
    No,
    /// It was not there when this was read.
    Since(Duration),
    /// That was reported.
    Reported,
}

impl Gone {
    /// Whether it is to be reported now that it is gone.
    fn is_gone_at(&mut self, now: Duration) -> bool {
        match *self {
            Self::No => *self = Self::Since(now),
            Self::Since(then) if now.saturating_sub(then) >= GONE => {
                *self = Self::Reported;
                return true;
            }
            Self::Since(_) | Self::Reported => {}
        }
        false
    }
}

impl Followed {
    /// A conversation whose messages are known already: nothing is reported of what it holds now.
    pub fn already(summary: &Summary, messages: &[Message], apart: &[Message]) -> Self {
        let mut followed = Self { apart: Some(ids_of(apart)), ..Self::head_alone(summary) };
        followed.know(messages);
        followed
    }

    /// A conversation of which only this head is known.
    pub(super) fn head_alone(summary: &Summary) -> Self {
        Self { head: Some(FollowedHead::from_summary(summary)), ..Self::default() }
    }

    /// Takes these messages as known: nothing is reported of them as they are now.
    pub(super) fn know(&mut self, messages: &[Message]) {
        for (message, id) in messages.iter().zip(self.names.of_all(messages, &[])) {
            self.messages.extend(id.map(|id| (id, KnownMessage::new(message))));
        }
    }

    /// Whether something is gone that was not reported yet.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.gone, Gone::Since(_)) || self.is_waiting_for_messages()
    }

    fn is_waiting_for_messages(&self) -> bool {
        self.messages.values().any(|known| matches!(known.gone, Gone::Since(_)))
    }

    /// What happened until `now`, when it was read whole as `conversation`, under the head `summary`.
    pub fn read(&mut self, summary: &Summary, conversation: &Conversation, now: Duration) -> Vec<EventKind> {
        let mut events = Vec::new();
        let ids = self.names.of_all(&conversation.messages, &conversation.orphans);
        for (message, id) in conversation.messages.iter().zip(&ids) {
            if let Some(id) = id {
                self.message_read(message, id, &mut events);
            }
        }
        let apart = self.apart.get_or_insert_with(|| ids_of(&conversation.orphans)).clone();
        for message in newest(conversation).filter(|message| !apart.contains(&message.id)) {
            let id = self.names.first(&message.id).clone();
            self.message_read(message, &id, &mut events);
        }
        let apart = conversation.orphans.iter().map(|message| self.names.first(&message.id));
        let there: HashSet<&MessageId> = ids.iter().flatten().chain(apart).collect();
        let mut gone: Vec<&MessageId> = Vec::new();
        for (id, known) in &mut self.messages {
            // One that the conversation no longer lists is still stored.
            if there.contains(id) {
                if matches!(known.gone, Gone::Since(_)) {
                    known.gone = Gone::No;
                }
            } else if known.gone.is_gone_at(now) {
                gone.push(id);
            }
        }
        gone.sort_unstable();
        events.extend(gone.into_iter().map(|id| EventKind::Deleted(Some(id.clone()))));
        // A file that is just written anew has lost its title with its messages, for a moment.
        if self.head.is_none() || !self.is_waiting_for_messages() {
            events.splice(..0, self.head_read(summary));
        }
        events
    }

    /// What happened when only these messages were read, in the conversation's own order. Nothing else is believed to be gone.
    pub fn read_some(&mut self, summary: &Summary, messages: &[Message]) -> Vec<EventKind> {
        let mut events = self.head_read(summary);
        self.names.note_some(messages);
        for message in messages {
            let id = self.names.first(&message.id).clone();
            self.message_read(message, &id, &mut events);
        }
        events
    }

    /// What happened when no store had the conversation any more.
    pub fn not_found(&mut self, now: Duration) -> Vec<EventKind> {
        if self.gone.is_gone_at(now) { vec![EventKind::Deleted(None)] } else { Vec::new() }
    }

    /// Compares the head alone.
    pub(super) fn head_read(&mut self, summary: &Summary) -> Vec<EventKind> {
        let now = FollowedHead::from_summary(summary);
        let is_back = std::mem::take(&mut self.gone) == Gone::Reported;
        match self.head.replace(now.clone()) {
            None => vec![EventKind::Conversation],
            Some(before) if before == now && !is_back => Vec::new(),
            Some(before) => vec![EventKind::ConversationChanged(before.changes(now))],
        }
    }

    /// Compares one message, which is told by this id.
    fn message_read(&mut self, message: &Message, id: &MessageId, events: &mut Vec<EventKind>) {
        let told = || Box::new(Message { id: id.clone(), ..message.clone() });
        let mut tokens_before = None;
        match self.messages.get_mut(id) {
            None => {
                self.messages.insert(id.clone(), KnownMessage::new(message));
                events.push(EventKind::Message(told()));
            }
            Some(known) => {
                tokens_before = known.tokens;
                let print = print_of(message);
                if known.print != print || known.gone == Gone::Reported {
                    (known.print, known.revision) = (print, known.revision.saturating_add(1));
                    events.push(EventKind::MessageChanged { message: told(), revision: known.revision });
                }
                (known.gone, known.tokens) = (Gone::No, message.tokens.or(known.tokens));
            }
        }
        if let Some(tokens) = message.tokens.filter(|tokens| tokens_before != Some(*tokens)) {
            events.push(EventKind::Usage { message: id.clone(), tokens });
        }
    }
}

impl KnownMessage {
    fn new(message: &Message) -> Self {
        Self { print: print_of(message), revision: 1, tokens: message.tokens, gone: Gone::No }
    }
}

impl FollowedHead {
    fn from_summary(summary: &Summary) -> Self {
        let Summary { title, flags, workspace, .. } = summary;
        Self { title: title.clone(), flags: flags.clone(), workspace: workspace.clone() }
    }

    fn changes(self, now: Self) -> Vec<HeadChange> {
        let mut changes = Vec::new();
        if self.title != now.title {
            changes.push(HeadChange::Title(self.title, now.title));
        }
        if self.flags != now.flags {
            changes.push(HeadChange::Flags(self.flags, now.flags));
        }
        if self.workspace != now.workspace {
            changes.push(HeadChange::Workspace(self.workspace, now.workspace));
        }
        changes
    }
}

fn ids_of(messages: &[Message]) -> HashSet<MessageId> {
    messages.iter().map(|message| message.id.clone()).collect()
}

/// What was stored after the last message that is listed: the list is written last.
fn newest(conversation: &Conversation) -> impl Iterator<Item = &Message> {
    let time = |message: &Message| message.at.at.filter(|_| message.at.is == AtIs::Exact);
    let last = conversation.messages.iter().filter_map(time).max();
    conversation.orphans.iter().filter(move |one| last.is_some() && time(one) > last)
}

/// A number for words, parts and results: times and origins become known better without the message being another one.
fn print_of(message: &Message) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&message.role, &message.parts, &message.sender, message.deleted).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use backscroll_model::{ConversationId, Layer, Moment, Origin, Part, Role, Surface};
    use jiff::Timestamp;
    use proptest::prelude::*;

    use super::*;

    fn summary() -> Summary {
        Summary::without_origin(ConversationId::new("c"), Surface::Ide)
    }

    fn message(id: &str, words: &str) -> Message {
        let mut message =
            Message::new(id, Role::Assistant, Origin::new(Layer::IdeGlobal, Path::new("x"), id));
        message.parts.push(Part::Text(words.to_owned()));
        message
    }

    #[expect(clippy::disallowed_methods, reason = "the difference is what is tested, not merging")]
    fn conversation(messages: Vec<Message>) -> Conversation {
        let mut conversation = Conversation::new(summary());
        conversation.messages = messages;
        conversation
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// What each event says of which message.
    fn told(events: &[EventKind]) -> Vec<String> {
        let words = |message: &Message| match &message.parts[..] {
            [Part::Text(words)] => words.clone(),
            _ => String::new(),
        };
        let tell = |event: &EventKind| match event {
            EventKind::Message(message) => format!("{} says {}", message.id, words(message)),
            EventKind::MessageChanged { message, revision } => {
                format!("{} says {} ({revision})", message.id, words(message))
            }
            EventKind::Deleted(Some(id)) => format!("{id} is gone"),
            other => other.name().to_owned(),
        };
        events.iter().map(tell).collect()
    }

    #[test]
    fn a_message_that_grows_is_reported_once_and_then_as_changed() {
        let mut followed = Followed::default();
        let first = followed.read(&summary(), &conversation(vec![message("1", "he")]), seconds(0));
        assert_eq!(told(&first), ["conversation", "1 says he"]);
        let grown = vec![message("1", "hello"), message("2", "there")];
        let second = followed.read(&summary(), &conversation(grown.clone()), seconds(0));
        assert_eq!(told(&second), ["1 says hello (2)", "2 says there"]);
        assert_eq!(followed.read(&summary(), &conversation(grown), seconds(0)), []);
    }

    #[test]
    fn what_is_known_already_is_not_reported() {
        let mut followed = Followed::already(&summary(), &[message("1", "hello")], &[]);
        let read = vec![message("1", "hello"), message("2", "there")];
        assert_eq!(told(&followed.read(&summary(), &conversation(read), seconds(0))), ["2 says there"]);
    }

    #[test]
    fn a_message_is_deleted_when_it_is_gone_for_a_while_and_comes_back_as_changed() {
        let mut followed = Followed::default();
        let both = || conversation(vec![message("1", "a"), message("2", "b")]);
        let one = || conversation(vec![message("1", "a")]);
        followed.read(&summary(), &both(), seconds(0));
        assert_eq!(followed.read(&summary(), &one(), seconds(1)), [], "it may come back");
        assert!(followed.is_waiting());
        assert_eq!(followed.read(&summary(), &both(), seconds(1)), []);
        assert_eq!(followed.read(&summary(), &one(), seconds(5)), []);
        assert_eq!(told(&followed.read(&summary(), &one(), seconds(6))), ["2 is gone"]);
        assert!(!followed.is_waiting());
        assert_eq!(followed.read(&summary(), &one(), seconds(9)), [], "once");
        assert_eq!(told(&followed.read(&summary(), &both(), seconds(9))), ["2 says b (2)"]);
    }

    #[test]
    fn a_message_that_another_layer_comes_to_tell_keeps_its_first_id() {
        let mut followed = Followed::default();
        let line = Origin::new(Layer::TranscriptJsonl, Path::new("y"), "7");
        let line = Message { origin: line, ..message("7", "hello") };
        followed.read(&summary(), &conversation(vec![line]), seconds(0));
        let with_id = || conversation(vec![message("ab12", "hello")]);
        assert_eq!(followed.read(&summary(), &with_id(), seconds(1)), []);
        assert_eq!(followed.read(&summary(), &with_id(), seconds(9)), [], "nothing is deleted");
        let more = conversation(vec![message("ab12", "hello again")]);
        assert_eq!(told(&followed.read(&summary(), &more, seconds(9))), ["7 says hello again (2)"]);
        let other = conversation(vec![message("cd34", "hello again")]);
        let events = followed.read(&summary(), &other, seconds(9));
        assert_eq!(told(&events), ["cd34 says hello again"], "the same layer gave another id");
    }

    #[test]
    fn a_message_that_is_no_longer_listed_is_still_stored() {
        let mut followed = Followed::default();
        followed.read(&summary(), &conversation(vec![message("1", "a")]), seconds(0));
        let mut apart = conversation(Vec::new());
        apart.orphans.push(message("1", "a"));
        assert_eq!(followed.read(&summary(), &apart, seconds(1)), []);
        assert_eq!(followed.read(&summary(), &apart, seconds(9)), []);
    }

    #[test]
    fn what_is_stored_after_the_last_listed_message_is_told_before_it_is_listed() {
        let at = |id, second| {
            let at = Moment { at: Some(Timestamp::from_second(second).unwrap()), is: AtIs::Exact };
            Message { at, ..message(id, id) }
        };
        let apart = |orphans| {
            let mut conversation = conversation(vec![at("1", 10)]);
            conversation.orphans = orphans;
            conversation
        };
        let mut followed = Followed::default();
        let first = followed.read(&summary(), &apart(vec![at("reverted", 20)]), seconds(0));
        assert_eq!(told(&first), ["conversation", "1 says 1"], "it may be old");
        let stored = vec![at("reverted", 20), at("lost", 5), at("2", 30)];
        assert_eq!(told(&followed.read(&summary(), &apart(stored), seconds(0))), ["2 says 2"]);
        let listed = vec![at("1", 10), at("2", 30)];
        assert_eq!(followed.read(&summary(), &conversation(listed), seconds(0)), [], "once");
    }

    #[test]
    fn a_conversation_is_deleted_when_it_is_gone_for_a_while() {
        let mut followed = Followed::default();
        let whole = conversation(vec![message("1", "a")]);
        followed.read(&summary(), &whole, seconds(0));
        assert_eq!(followed.not_found(seconds(1)), []);
        assert_eq!(followed.read(&summary(), &whole, seconds(1)), []);
        assert_eq!(followed.not_found(seconds(2)), []);
        assert_eq!(followed.not_found(seconds(3)), [EventKind::Deleted(None)]);
        assert_eq!(followed.not_found(seconds(9)), []);
        let back = [EventKind::ConversationChanged(Vec::new())];
        assert_eq!(followed.read(&summary(), &whole, seconds(10)), back, "no message is new");
    }

    #[test]
    fn title_flags_and_workspace_are_reported_with_what_they_were() {
        let mut followed = Followed::already(&summary(), &[], &[]);
        let mut later = summary();
        later.title = Some("Greeting".to_owned());
        later.flags.insert(Flag::Archived);
        let events = followed.read(&later, &conversation(Vec::new()), seconds(0));
        let changes = vec![
            HeadChange::Title(None, Some("Greeting".to_owned())),
            HeadChange::Flags(BTreeSet::new(), BTreeSet::from([Flag::Archived])),
        ];
        assert_eq!(events, [EventKind::ConversationChanged(changes)]);
    }

    #[test]
    fn tokens_are_reported_when_they_arrive() {
        let mut followed = Followed::default();
        let bare = message("1", "a");
        followed.read(&summary(), &conversation(vec![bare.clone()]), seconds(0));
        let counted = Message { tokens: Some(Tokens::new(10, 2)), ..bare.clone() };
        let expected = [EventKind::Usage { message: MessageId::new("1"), tokens: Tokens::new(10, 2) }];
        assert_eq!(followed.read(&summary(), &conversation(vec![counted.clone()]), seconds(0)), expected);
        assert_eq!(followed.read(&summary(), &conversation(vec![counted]), seconds(0)), []);
        assert_eq!(followed.read(&summary(), &conversation(vec![bare]), seconds(0)), []);
    }

    /// One step of a conversation: how many seconds pass, and which messages it has then, by number and words. Whether all of it is
    /// read, or only what changed.
    type Step = (u64, Vec<(u8, u8)>, bool);

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let messages = proptest::collection::btree_map(0..12_u8, 0..4_u8, 0..10)
            .prop_map(|messages| messages.into_iter().collect::<Vec<_>>());
        proptest::collection::vec((0..4_u64, messages, any::<bool>()), 1..20)
    }

    proptest! {
        #[test]
        fn events_add_up_to_what_was_read(steps in steps()) {
            let mut followed = Followed::default();
            let mut now = Duration::ZERO;
            // What somebody knows who has only the events: words, revision, whether it is there.
            let mut heard: HashMap<String, (String, u32, bool)> = HashMap::new();
            let mut before: HashMap<u8, u8> = HashMap::new();
            for (pause, messages, is_whole) in steps {
                now += seconds(pause);
                let built = |(id, words): &(u8, u8)| message(&id.to_string(), &words.to_string());
                let some: Vec<_> =
                    messages.iter().filter(|(id, words)| before.get(id) != Some(words)).copied().collect();
                let events = if is_whole {
                    followed.read(&summary(), &conversation(messages.iter().map(built).collect()), now)
                } else {
                    followed.read_some(&summary(), &some.iter().map(built).collect::<Vec<_>>())
                };
                before = messages.iter().copied().collect();
                let mut last = None;
                for event in &events {
                    let (id, words, revision) = match event {
                        EventKind::Message(message) => (&message.id, Some(message), 1),
                        EventKind::MessageChanged { message, revision } => (&message.id, Some(message), *revision),
                        EventKind::Deleted(Some(id)) => (id, None, 0),
                        _ => continue,
                    };
                    if let Some(message) = words {
                        let number: u8 = id.as_str().parse().unwrap();
                        prop_assert!(last < Some(number), "the order is the conversation's own");
                        last = Some(number);
                        let Part::Text(words) = &message.parts[0] else { unreachable!() };
                        let known = heard.insert(id.as_str().to_owned(), (words.clone(), revision, true));
                        prop_assert_eq!(known.map_or(0, |known| known.1) + 1, revision, "revisions count up by one");
                    } else {
                        let known = heard.get_mut(id.as_str()).unwrap();
                        prop_assert!(known.2, "it is deleted once");
                        known.2 = false;
                    }
                }
                for (id, words) in &messages {
                    let known = &heard[&id.to_string()];
                    prop_assert_eq!((&known.0, known.2), (&words.to_string(), true));
                }
                if is_whole && pause >= 2 {
                    // What was gone before and is gone still has been reported by now, unless it went just now.
                    prop_assert!(heard.values().filter(|known| known.2).count() >= messages.len());
                }
            }
        }
    }
}
