//! The messages of two tellings, made one list: what both tell once, what only one tells in its place.

use std::collections::{BTreeMap, HashMap, HashSet};

use backscroll_model::{Fact, Finding, FindingKind, Message, Part};

use super::align::align;
use super::atoms::{Atom, Shared, atoms};
use super::beside;
use super::message;
use super::unmix::unmix;

/// What bringing two layers together did.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct United {
    /// Messages that only the other layer has.
    pub(super) added: u64,
    /// Listed messages whose row is gone, which the other layer still has.
    pub(super) refilled: u64,
    /// Messages that the other layer lacks.
    pub(super) lacking: u64,
}

/// Brings `other` into `spine`.
pub(super) fn unite(
    spine: &mut Vec<Message>,
    mut other: Vec<Message>,
    findings: &mut Vec<Finding>,
) -> United {
    let mut united = United { refilled: refill_by_id(spine, &mut other), ..United::default() };
    unmix(spine, &other);
    unmix(&mut other, spine);
    let shared = Shared::between(spine, &other);
    let (left, right) = (atoms(spine, &shared), atoms(&other, &shared));
    let alignment = align(&left, &right);
    let mut partner: HashMap<usize, (usize, usize)> = HashMap::new();
    let mut same: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut matched: HashSet<usize> = HashSet::new();
    for &(mine, theirs) in &alignment.same {
        let (mine, theirs) = (&left[mine], &right[theirs]);
        let part = &mut spine[mine.message].parts[mine.part];
        let taken = message::complete_part(part, &other[theirs.message].parts[theirs.part]);
        let call = call_of(part);
        for fact in taken {
            spine[mine.message].note(fact, call.as_deref(), &other[theirs.message].origin);
        }
        message::complete(&mut spine[mine.message], &other[theirs.message]);
        partner.entry(theirs.message).or_insert((mine.message, mine.part));
        same.entry(theirs.message).or_default().push(mine.message);
        matched.insert(mine.message);
    }
    for &(mine, theirs) in &alignment.contradicting {
        let (at, told) = (&spine[left[mine].message].origin, &other[right[theirs].message].origin);
        let says = format!("told a little differently by {} ({})", told.layer.name(), told.key);
        findings.push(Finding::new(FindingKind::Contradiction, at.clone(), says));
    }
    let spoken = left.iter().map(|atom| atom.message).collect::<HashSet<_>>();
    united.lacking = spoken.difference(&matched).count() as u64;
    let mut news = News::sort(&alignment.only_other, &left, &right, &partner);
    for (after, message) in beside::bring(spine, &other, &same) {
        news.messages.entry(after).or_default().push(message);
    }
    united.refilled += news.refill(spine, &mut other);
    united.added = news.insert(spine, other);
    united
}

/// Listed messages without a row take what another layer has under the same id.
fn refill_by_id(spine: &mut [Message], other: &mut Vec<Message>) -> u64 {
    let mut refilled = 0;
    for message in spine.iter_mut().filter(|message| message.parts.is_empty()) {
        let Some(at) = other.iter().position(|told| told.id == message.id && !told.parts.is_empty()) else {
            continue;
        };
        refill(message, other.remove(at));
        refilled += 1;
    }
    refilled
}

fn refill(message: &mut Message, from: Message) {
    message::complete(message, &from);
    message.note(Fact::Text, None, &from.origin);
    message.parts = from.parts;
}

/// The id of the call that a part is.
fn call_of(part: &Part) -> Option<String> {
    match part {
        Part::ToolCall(call) => call.id.clone(),
        _ => None,
    }
}

/// What only the other layer has.
#[derive(Default)]
struct News {
    /// Parts of messages that the spine has: spine message, after which part, and whose part.
    parts: Vec<(usize, usize, usize, usize)>,
    /// Whole messages, by the spine message that they follow (`None`: before all).
    messages: BTreeMap<Option<usize>, Vec<usize>>,
}

impl News {
    fn sort(
        only_other: &[(Option<usize>, usize)],
        left: &[Atom],
        right: &[Atom],
        partner: &HashMap<usize, (usize, usize)>,
    ) -> Self {
        let mut news = Self::default();
        let mut placed: HashSet<usize> = HashSet::new();
        for &(after, theirs) in only_other {
            let atom = &right[theirs];
            if let Some(&(message, part)) = partner.get(&atom.message) {
                news.parts.push((message, part, atom.message, atom.part));
            } else if placed.insert(atom.message) {
                let after = after.map(|after| left[after].message);
                news.messages.entry(after).or_default().push(atom.message);
            }
        }
        news
    }

    /// A message that would stand beside a listed one of the same role whose row is gone is that message.
    fn refill(&mut self, spine: &mut [Message], other: &mut [Message]) -> u64 {
        let mut refilled = 0;
        for (after, list) in &mut self.messages {
            let mut next = after.map_or(0, |after| after + 1);
            list.retain(|at| {
                let told = &mut other[*at];
                let Some(lost) =
                    spine.get_mut(next).filter(|lost| lost.parts.is_empty() && lost.role == told.role)
                else {
                    return true;
                };
                let blank = Message::new(String::new(), told.role, told.origin.clone());
                refill(lost, std::mem::replace(told, blank));
                next += 1;
                refilled += 1;
                false
            });
        }
        refilled
    }

    /// Puts the news in their places; gives how many messages were added.
    fn insert(self, spine: &mut Vec<Message>, mut other: Vec<Message>) -> u64 {
        for (message, part, from, which) in self.parts.into_iter().rev() {
            let new = std::mem::replace(&mut other[from].parts[which], Part::Text(String::new()));
            let place = if matches!(new, Part::Thinking { .. }) { part } else { part + 1 };
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
