//! Beginnings of ids that are short and still tell the conversations of one listing apart.

use backscroll_model::Summary;

use crate::text::one_line;

/// Nobody wants to type more, and fewer would soon be ambiguous.
const SHORTEST: usize = 8;

/// For each of `summaries`, the shortest beginning of its id, of eight characters or more, that no other has.
pub fn short_ids(summaries: &[Summary]) -> Vec<String> {
    let mut sorted: Vec<&str> = summaries.iter().map(|summary| summary.id.as_str()).collect();
    sorted.sort_unstable();
    sorted.dedup();
    summaries.iter().map(|summary| short(summary.id.as_str(), &sorted)).collect()
}

fn short(id: &str, sorted: &[&str]) -> String {
    let place = sorted.partition_point(|other| *other < id);
    let before = place.checked_sub(1).and_then(|at| sorted.get(at));
    let shared = before.into_iter().chain(sorted.get(place + 1)).map(|other| common(id, other)).max();
    let length = shared.map_or(SHORTEST, |shared| SHORTEST.max(shared + 1));
    one_line(&id.chars().take(length).collect::<String>())
}

/// How many characters both begin with.
fn common(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}
