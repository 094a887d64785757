//! What belongs to one conversation stands together. Pure.

use std::cmp::Ordering;
use std::collections::HashMap;

use jiff::Timestamp;

use super::candidates::Candidate;
use super::rank;
use super::request::Order;

/// A conversation and its rows, best first.
#[derive(Debug)]
pub(super) struct Grouped {
    pub(super) conversation: i64,
    pub(super) score: f64,
    pub(super) rows: Vec<(Candidate, f64)>,
}

/// The conversations of `candidates` in `order`. Equal ones stand by number, so that the order never depends on the run.
pub(super) fn grouped(candidates: &[Candidate], order: Order, now: Timestamp) -> Vec<Grouped> {
    let mut groups: HashMap<i64, Grouped> = HashMap::new();
    for candidate in candidates {
        let age = candidate.at.map(|at| now.as_millisecond().saturating_sub(at));
        let score = rank::score(candidate.relevance, candidate.role, age);
        let empty = || Grouped { conversation: candidate.conversation, score: 0.0, rows: Vec::new() };
        groups.entry(candidate.conversation).or_insert_with(empty).rows.push((*candidate, score));
    }
    let mut groups: Vec<Grouped> = groups.into_values().collect();
    for group in &mut groups {
        group.rows.sort_by(|a, b| compare(a, b, order));
        let best = group.rows.iter().map(|(_, score)| *score).fold(0.0, f64::max);
        group.score = rank::of_conversation(best, group.rows.len() - 1);
    }
    groups.sort_by(|a, b| {
        let by_order = match order {
            Order::Relevance => b.score.total_cmp(&a.score),
            Order::Newest | Order::Oldest => compare(&a.rows[0], &b.rows[0], order),
        };
        by_order.then(b.conversation.cmp(&a.conversation))
    });
    groups
}

fn compare(a: &(Candidate, f64), b: &(Candidate, f64), order: Order) -> Ordering {
    match order {
        Order::Relevance => b.1.total_cmp(&a.1).then(b.0.row.cmp(&a.0.row)),
        Order::Newest => b.0.at.cmp(&a.0.at).then(b.0.row.cmp(&a.0.row)),
        Order::Oldest => {
            (a.0.at.is_none(), a.0.at).cmp(&(b.0.at.is_none(), b.0.at)).then(a.0.row.cmp(&b.0.row))
        }
    }
}
