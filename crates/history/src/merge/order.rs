//! The pieces of two layers in one order.

use std::collections::HashSet;

use backscroll_model::Message;

use super::align::{Alignment, MergePiece, PieceMark, PieceSpeaker, gaps};
use super::attachments;
use super::messages::Matched;

/// A piece of the whole, by its number in its layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OrderedEntry {
    Spine(usize),
    Other(usize),
}

/// The pieces of both layers in one order: the spine's, with the pieces that only the other has between the neighbours that
/// they have there.
pub(super) fn order(
    spine: &[Message],
    other: &[Message],
    alignment: &Alignment,
    matched: &Matched,
) -> Vec<OrderedEntry> {
    let known: HashSet<usize> =
        alignment.same.iter().chain(&alignment.moved).map(|(_, theirs)| *theirs).collect();
    let attached = attachments::keys(spine);
    let is_new = |at: &usize| {
        let piece = &alignment.other[*at];
        let is_alone = || {
            let mut keys = other[piece.message].parts.iter().map(attachments::key);
            !keys.all(|key| key.is_some_and(|key| attached.contains(&key)))
        };
        let is_listed_only = matches!(piece.mark, PieceMark::Lost { .. });
        let is_brought = piece.is_beside() && (matched.contains_key(&piece.message) || !is_alone());
        !known.contains(at) && !is_listed_only && !is_brought
    };
    let has_prompts = alignment.other.iter().any(|piece| piece.by == PieceSpeaker::User);
    let mut entries = Vec::with_capacity(alignment.spine.len() + alignment.other.len());
    let mut pairs = alignment.same.iter();
    let mut before = None;
    for (mine, theirs) in gaps(&alignment.same, alignment.spine.len(), alignment.other.len()) {
        let after = pairs.next();
        let around = |pieces: &[MergePiece], of: fn(&(usize, usize)) -> usize| {
            [before, after].map(|pair: Option<&(usize, usize)>| pair.map(|pair| pieces[of(pair)].message))
        };
        let left =
            split(&mine.collect::<Vec<_>>(), &alignment.spine, around(&alignment.spine, |pair| pair.0));
        let right = split(
            &theirs.filter(is_new).collect::<Vec<_>>(),
            &alignment.other,
            around(&alignment.other, |pair| pair.1),
        );
        for (place, (left, right)) in left.into_iter().zip(right).enumerate() {
            let gap = Gap { alignment, begins: before.is_none(), is_between: place == 1, has_prompts };
            gap.order(&left, &right, &mut entries);
        }
        entries.extend(after.map(|pair| OrderedEntry::Spine(pair.0)));
        before = after;
    }
    entries
}

/// Divides the pieces of one layer in a gap: those of the message before it, those of no neighbour's, those of the message
/// after it. A message of the agent never goes on over a prompt, so this says to which turn pieces belong.
fn split(list: &[usize], pieces: &[MergePiece], around: [Option<usize>; 2]) -> [Vec<usize>; 3] {
    let is_of = |at: &usize, message| Some(pieces[*at].message) == message;
    let head = list.iter().take_while(|at| is_of(at, around[0])).count();
    let tail = list[head..].iter().rev().take_while(|at| is_of(at, around[1])).count();
    let end = list.len() - tail;
    [list[..head].to_vec(), list[head..end].to_vec(), list[end..].to_vec()]
}

/// Pieces between the same neighbours.
struct Gap<'a> {
    alignment: &'a Alignment,
    /// Nothing comes before it.
    begins: bool,
    /// The pieces belong to no neighbour's message.
    is_between: bool,
    /// The other layer has prompts: what follows none of them in this gap goes on with the turn before it.
    has_prompts: bool,
}

impl Gap<'_> {
    /// Nothing but turns says which came first: the spine goes on undisturbed, except that what was asked at the beginning
    /// precedes the answers, and thoughts precede what follows them.
    fn order(&self, left: &[usize], right: &[usize], into: &mut Vec<OrderedEntry>) {
        let count = |pieces: &[MergePiece], list: &[usize], is_agents: bool| {
            list.iter().take_while(|at| (pieces[**at].by == PieceSpeaker::Agent) == is_agents).count()
        };
        let (mine, theirs) = (&self.alignment.spine, &self.alignment.other);
        let prompts = count(mine, left, false);
        let first = if self.begins && prompts == 0 { count(theirs, right, false) } else { 0 };
        into.extend(right[..first].iter().copied().map(OrderedEntry::Other));
        let goes_on = self.has_prompts && !self.begins;
        // What the spine has of the turn before, or else its prompts, comes before what the other has.
        let head = if goes_on { 0 } else { prompts };
        into.extend(left[..head].iter().copied().map(OrderedEntry::Spine));
        let (left, right) = (&left[head..], &right[first..]);
        let turn = if goes_on {
            (count(mine, left, true), count(theirs, right, true))
        } else {
            (left.len(), right.len())
        };
        self.answers(&left[..turn.0], &right[..turn.1], into);
        into.extend(left[turn.0..].iter().copied().map(OrderedEntry::Spine));
        into.extend(right[turn.1..].iter().copied().map(OrderedEntry::Other));
    }

    fn answers(&self, left: &[usize], right: &[usize], into: &mut Vec<OrderedEntry>) {
        let theirs = &self.alignment.other;
        let mut thoughts = right.iter().take_while(|at| theirs[**at].is_thought()).count();
        if let Some(last) = thoughts.checked_sub(1).filter(|_| self.is_between) {
            let message = theirs[right[last]].message;
            thoughts += right[thoughts..].iter().take_while(|at| theirs[**at].message == message).count();
        }
        into.extend(right[..thoughts].iter().copied().map(OrderedEntry::Other));
        into.extend(left.iter().copied().map(OrderedEntry::Spine));
        into.extend(right[thoughts..].iter().copied().map(OrderedEntry::Other));
    }
}
