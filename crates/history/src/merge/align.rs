//! Which piece of one layer is which piece of another: the longest common order of both.

use std::collections::HashMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::atoms::{Atom, Mark, Speaker};

/// How another layer's pieces lie beside the spine's.
#[derive(Debug, Default)]
pub(super) struct Alignment {
    /// Pairs of pieces that are the same: index in the spine, index in the other.
    pub(super) same: Vec<(usize, usize)>,
    /// Of these, pairs whose words differ somewhat.
    pub(super) contradicting: Vec<(usize, usize)>,
    /// Pieces that only the other layer has, each with the spine's piece that it follows.
    pub(super) only_other: Vec<(Option<usize>, usize)>,
}

/// Aligns `other` with `spine`.
pub(super) fn align(spine: &[Atom], other: &[Atom]) -> Alignment {
    let mut numbers: HashMap<&Mark, u32> = HashMap::new();
    let mut number = |atom| {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        *numbers.entry(atom).or_insert(next)
    };
    let left: Vec<u32> = spine.iter().map(|atom| number(&atom.mark)).collect();
    let right: Vec<u32> = other.iter().map(|atom| number(&atom.mark)).collect();
    let mut alignment = Alignment::default();
    for op in capture_diff_slices(Algorithm::Patience, &left, &right) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                alignment.same.extend((0..len).map(|step| (old_index + step, new_index + step)));
            }
            DiffOp::Delete { .. } => {}
            DiffOp::Insert { old_index, new_index, new_len } => {
                let after = old_index.checked_sub(1);
                alignment.only_other.extend((new_index..new_index + new_len).map(|at| (after, at)));
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                pair_up(
                    spine,
                    other,
                    old_index..old_index + old_len,
                    new_index..new_index + new_len,
                    &mut alignment,
                );
            }
        }
    }
    rescue_moved(spine, other, &mut alignment);
    alignment
}

/// Between the same neighbours, pieces of one kind that nearly agree are the same piece, told differently.
fn pair_up(
    spine: &[Atom],
    other: &[Atom],
    left: std::ops::Range<usize>,
    right: std::ops::Range<usize>,
    alignment: &mut Alignment,
) {
    let mut from = left.start;
    // What was asked before anything comes before the answers: a layer that knows only those begins with them.
    let is_asked = |atom: &Atom| matches!(atom.mark, Mark::Said { by: Speaker::User | Speaker::Editor, .. });
    let begins_with_answers = left.start == 0 && !is_asked(&spine[0]);
    let asked = other[right.clone()].iter().take_while(|atom| begins_with_answers && is_asked(atom)).count();
    let first = right.start + asked;
    alignment.only_other.extend((right.start..first).map(|at| (None, at)));
    for (at, piece) in other.iter().enumerate().take(right.end).skip(first) {
        let partner = (from..left.end).find(|here| nearly(&spine[*here].mark, &piece.mark));
        if let Some(partner) = partner {
            alignment.same.push((partner, at));
            alignment.contradicting.push((partner, at));
            from = partner + 1;
        } else if matches!(piece.mark, Mark::Thought { .. }) {
            alignment.only_other.push((from.checked_sub(1), at));
        } else {
            // Nothing says which came first; the spine goes on undisturbed. Thoughts precede what follows them.
            alignment.only_other.push((left.end.checked_sub(1), at));
        }
    }
}

/// A piece that the spine has elsewhere (its order differs) is not new.
fn rescue_moved(spine: &[Atom], other: &[Atom], alignment: &mut Alignment) {
    let mut free: HashMap<&Mark, Vec<usize>> = HashMap::new();
    let taken: std::collections::HashSet<usize> = alignment.same.iter().map(|(left, _)| *left).collect();
    for (at, atom) in spine.iter().enumerate().rev().filter(|(at, _)| !taken.contains(at)) {
        free.entry(&atom.mark).or_default().push(at);
    }
    let mut moved = Vec::new();
    alignment.only_other.retain(|(_, at)| match free.get_mut(&other[*at].mark).and_then(Vec::pop) {
        Some(elsewhere) => {
            moved.push((elsewhere, *at));
            false
        }
        None => true,
    });
    alignment.same.extend(moved);
}

/// Whether two pieces nearly agree: the same tool, or words of which one begins with or holds the other.
fn nearly(left: &Mark, right: &Mark) -> bool {
    let alike = |a: &str, b: &str| {
        let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
        !short.is_empty() && (long.contains(short) || common_beginning(a, b) * 5 >= long.chars().count() * 4)
    };
    match (left, right) {
        (Mark::Said { by: a, words: x }, Mark::Said { by: b, words: y }) => a == b && alike(x, y),
        (Mark::Thought { words: x }, Mark::Thought { words: y }) => alike(x, y),
        (Mark::Called { tool: a, .. }, Mark::Called { tool: b, .. }) => a == b,
        _ => false,
    }
}

fn common_beginning(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count()
}
