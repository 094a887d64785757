//! What was probably meant by a word that is not known.

/// The candidate that differs least from `typed`, if it differs little.
pub(super) fn nearest<T: AsRef<str>>(typed: &str, candidates: impl IntoIterator<Item = T>) -> Option<T> {
    let typed: Vec<char> = typed.chars().take(40).collect();
    let allowed = typed.len().div_ceil(3).min(3);
    let begins_alike = |candidate: &str| {
        typed.len() >= 3
            && candidate.chars().zip(&typed).all(|(a, b)| a == *b)
            && candidate.len() > typed.len()
    };
    let measured = candidates.into_iter().map(|candidate| {
        let distance =
            if begins_alike(candidate.as_ref()) { 1 } else { distance(&typed, candidate.as_ref()) };
        (distance, candidate)
    });
    measured
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters must be changed, added, taken away or swapped with their neighbour.
fn distance(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let change = row[j] + usize::from(x != y);
            let mut least = change.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_of_the_finger_are_understood() {
        let names = ["role", "workspace", "tool", "model", "mode", "after"];
        let table = [
            ("rol", Some("role")),
            ("rloe", Some("role")),
            ("workspcae", Some("workspace")),
            ("work", Some("workspace")),
            ("modle", Some("model")),
            ("xyz", None),
            ("http", None),
        ];
        for (typed, expected) in table {
            assert_eq!(nearest(typed, names), expected, "{typed}");
        }
    }
}
