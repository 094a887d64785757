//! The messages of two tellings, made one list: what both tell once, what only one tells in its place.

use std::collections::{HashMap, HashSet};

use backscroll_model::{Finding, FindingKind, Message};

use super::align::align;
use super::atoms::{Shared, atoms};
use super::beside;
use super::message::{self, call_of, refill};
use super::news::News;
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
    let mut news = News::sort(&alignment, &left, &right);
    for (after, message) in beside::bring(spine, &other, &same) {
        news.add_message(after, message);
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
