//! Numbers of things, in words: `1 finding`, `2 findings`.

/// So many of a thing whose plural ends in `s`.
pub(crate) fn counted(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}
