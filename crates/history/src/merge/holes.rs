//! What another layer has of messages that are listed and whose rows are gone.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use backscroll_model::{Fact, Message};

use super::align::{Alignment, MergePiece, PieceMark, PieceSpeaker, is_known_elsewhere};

/// Listed messages whose row is gone take what the other layer has under the same id.
pub(super) fn refill_by_id(spine: &mut [Message], other: &[Message]) -> u64 {
    let known: HashMap<_, _> = other
        .iter()
        .filter(|message| is_known_elsewhere(&message.id))
        .map(|message| (&message.id, message))
        .collect();
    let mut refilled = 0;
    for message in spine.iter_mut().filter(|message| message.parts.is_empty()) {
        let Some(from) = known.get(&message.id).filter(|from| !from.parts.is_empty()) else { continue };
        message.note(Fact::Text, None, &from.origin);
        message.parts.clone_from(&from.parts);
        refilled += 1;
    }
    refilled
}

/// The others take what the other layer has in their place: its message, or the parts of it that the spine lacks.
pub(super) fn refill_by_place(spine: &mut [Message], other: &[Message], alignment: &Alignment) -> u64 {
    let holes = holes(alignment);
    // To which hole each piece goes; what is the same as something else goes to none.
    let mut takers: HashMap<usize, HashSet<Option<usize>>> = HashMap::new();
    let in_hole: HashMap<usize, usize> =
        holes.iter().flat_map(|hole| hole.pieces.iter().map(|piece| (*piece, hole.message))).collect();
    for (_, theirs) in &alignment.same {
        let taker = in_hole.get(theirs).copied();
        takers.entry(alignment.other[*theirs].message).or_default().insert(taker);
    }
    for (piece, hole) in &in_hole {
        takers.entry(alignment.other[*piece].message).or_default().insert(Some(*hole));
    }
    let mut refilled = 0;
    for Hole { message: at, pieces } in holes {
        let mut parts = Vec::new();
        let mut taken: HashSet<(usize, Option<usize>)> = HashSet::new();
        for piece in pieces.iter().map(|piece| &alignment.other[*piece]) {
            let from = &other[piece.message];
            let is_all = takers.get(&piece.message).is_some_and(|takers| takers.len() == 1);
            if !taken.insert((piece.message, piece.part.filter(|_| !is_all))) {
                continue;
            }
            spine[at].note(Fact::Text, None, &from.origin);
            if is_all {
                parts.extend(from.parts.iter().cloned());
            } else {
                parts.extend(piece.part.map(|part| from.parts[part].clone()));
            }
        }
        refilled += u64::from(!parts.is_empty());
        spine[at].parts = parts;
    }
    refilled
}

/// A message whose row is gone, and the pieces of the other layer that it takes.
struct Hole {
    message: usize,
    pieces: Vec<usize>,
}

/// The messages without parts that the other layer has something for.
fn holes(alignment: &Alignment) -> Vec<Hole> {
    let is_hole = |mine: usize| matches!(alignment.spine[mine].mark, PieceMark::Lost { .. });
    let is_answer = |piece: &MergePiece| piece.by == PieceSpeaker::Agent;
    let mut holes = Vec::new();
    let mut at = 0;
    while let Some(&(mine, theirs)) = alignment.same.get(at) {
        at += 1;
        if !is_hole(mine) || alignment.other[theirs].part.is_none() {
            continue;
        }
        let first = at - 1;
        if is_answer(&alignment.spine[mine]) {
            let goes_on = |pair: &&(usize, usize)| is_hole(pair.0) && is_answer(&alignment.spine[pair.0]);
            at += alignment.same[at..].iter().take_while(goes_on).count();
        }
        let run = &alignment.same[first..at];
        let end = alignment.same.get(at).map_or(alignment.other.len(), |next| next.1);
        let shared = share(alignment, run, theirs..end);
        holes.extend(
            run.iter()
                .zip(shared)
                .map(|(pair, pieces)| Hole { message: alignment.spine[pair.0].message, pieces }),
        );
    }
    holes
}

/// The pieces of the other layer in `gap`, shared out to the holes of `run`, which are all that the spine has there. Each takes
/// one; what may be of the same bubble, a thought, words, a call in this order, goes to the same hole as long as there are more
/// pieces than holes.
fn share(alignment: &Alignment, run: &[(usize, usize)], gap: Range<usize>) -> Vec<Vec<usize>> {
    let moved: HashSet<usize> = alignment.moved.iter().map(|(_, theirs)| *theirs).collect();
    let pieces: Vec<usize> = gap
        .filter(|at| {
            let piece = &alignment.other[*at];
            !piece.is_beside() && piece.part.is_some() && !moved.contains(at)
        })
        .collect();
    let by = alignment.spine[run[0].0].by;
    if by != PieceSpeaker::Agent || pieces.iter().any(|at| alignment.other[*at].by != by) {
        return run.iter().map(|pair| vec![pair.1]).collect();
    }
    let mut spare = pieces.len().saturating_sub(run.len());
    let mut pieces = pieces.into_iter().peekable();
    let goes_on = |last: usize, next: usize| {
        let (last, next) = (&alignment.other[last], &alignment.other[next]);
        place_in_bubble(last) < place_in_bubble(next)
            || (last.message, last.part) == (next.message, next.part)
    };
    let mut share_one = || {
        let mut taken: Vec<usize> = pieces.next().into_iter().collect();
        while let (Some(last), true) = (taken.last(), spare > 0) {
            let Some(next) = pieces.next_if(|next| goes_on(*last, *next)) else { break };
            taken.push(next);
            spare -= 1;
        }
        taken
    };
    run.iter().map(|_| share_one()).collect()
}

/// A bubble holds at most a thought, words and a call.
fn place_in_bubble(piece: &MergePiece) -> u8 {
    match piece.mark {
        PieceMark::Thought { .. } => 0,
        PieceMark::CalledAs { .. } | PieceMark::Called { .. } => 2,
        _ => 1,
    }
}
