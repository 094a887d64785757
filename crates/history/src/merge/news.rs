//! What only the other of two layers has, and where it belongs: each piece beside the neighbour that both layers have.

use std::collections::{BTreeMap, HashSet};

use backscroll_model::{Fact, Message, Part};

use super::align::Alignment;
use super::atoms::Atom;
use super::message::{call_of, refill};

/// What only the other layer has.
#[derive(Default)]
pub(super) struct News {
    /// Parts of messages that the spine has.
    parts: Vec<NewPart>,
    /// Whole messages, by the spine message that they follow (`None`: before all).
    messages: BTreeMap<Option<usize>, Vec<usize>>,
}

/// A part of a message that the spine has without it.
struct NewPart {
    /// The spine's message, and the place among its parts.
    message: usize,
    place: usize,
    /// Whose part it is, and which.
    from: usize,
    which: usize,
}

/// Where the parts of one of the other's messages stand in the spine: part, spine message, spine part.
type Known = BTreeMap<usize, BTreeMap<usize, (usize, usize)>>;

impl News {
    pub(super) fn sort(alignment: &Alignment, left: &[Atom], right: &[Atom]) -> Self {
        let mut known = Known::new();
        for &(mine, theirs) in &alignment.same {
            let (mine, theirs) = (&left[mine], &right[theirs]);
            known.entry(theirs.message).or_default().insert(theirs.part, (mine.message, mine.part));
        }
        let mut news = Self::default();
        let mut placed: HashSet<usize> = HashSet::new();
        for &(after, theirs) in &alignment.only_other {
            let atom = &right[theirs];
            if let Some((message, place)) =
                known.get(&atom.message).and_then(|known| beside(atom.part, known))
            {
                news.parts.push(NewPart { message, place, from: atom.message, which: atom.part });
            } else if placed.insert(atom.message) {
                news.add_message(after.map(|after| left[after].message), atom.message);
            }
        }
        news
    }

    /// A whole message, after the spine's message `after`.
    pub(super) fn add_message(&mut self, after: Option<usize>, message: usize) {
        self.messages.entry(after).or_default().push(message);
    }

    /// A message that would stand beside a listed one of the same role whose row is gone is that message. What follows it
    /// in its own layer follows it here.
    pub(super) fn refill(&mut self, spine: &mut [Message], other: &mut [Message]) -> u64 {
        let mut refilled = 0;
        for (after, list) in std::mem::take(&mut self.messages) {
            let mut followed = after;
            for at in list {
                let next = followed.map_or(0, |followed| followed + 1);
                let told = &mut other[at];
                let is_it = |lost: &&mut Message| lost.parts.is_empty() && lost.role == told.role;
                let Some(lost) = spine.get_mut(next).filter(is_it) else {
                    self.add_message(followed, at);
                    continue;
                };
                let blank = Message::new(String::new(), told.role, told.origin.clone());
                refill(lost, std::mem::replace(told, blank));
                followed = Some(next);
                refilled += 1;
            }
        }
        refilled
    }

    /// Puts the news in their places; gives how many messages were added.
    pub(super) fn insert(mut self, spine: &mut Vec<Message>, mut other: Vec<Message>) -> u64 {
        // From the end, so that places in front stay true; of those at one place the order stays.
        self.parts.sort_by_key(|new| (new.message, new.place));
        for NewPart { message, place, from, which } in self.parts.into_iter().rev() {
            let new = std::mem::replace(&mut other[from].parts[which], Part::Text(String::new()));
            let fact = match &new {
                Part::Thinking { .. } => Fact::Thinking,
                Part::ToolCall(_) => Fact::Call,
                _ => Fact::Text,
            };
            spine[message].note(fact, call_of(&new).as_deref(), &other[from].origin);
            let parts = &mut spine[message].parts;
            parts.insert(place.min(parts.len()), new);
        }
        let added: u64 = self.messages.values().map(|list| list.len() as u64).sum();
        if added == 0 {
            return 0;
        }
        let mut other: Vec<Option<Message>> = other.into_iter().map(Some).collect();
        let mut take = |after: Option<usize>, into: &mut Vec<Message>| {
            for at in self.messages.get(&after).into_iter().flatten() {
                into.extend(other.get_mut(*at).and_then(Option::take));
            }
        };
        let mut all = Vec::with_capacity(spine.len());
        take(None, &mut all);
        for (at, message) in std::mem::take(spine).into_iter().enumerate() {
            all.push(message);
            take(Some(at), &mut all);
        }
        *spine = all;
        added
    }
}

/// The place of `part` in the spine: behind the part before it that is `known` there, else in front of the one after it.
fn beside(part: usize, known: &BTreeMap<usize, (usize, usize)>) -> Option<(usize, usize)> {
    let before = known.range(..part).next_back().map(|(_, &(message, at))| (message, at + 1));
    before.or_else(|| known.range(part..).next().map(|(_, at)| *at))
}
