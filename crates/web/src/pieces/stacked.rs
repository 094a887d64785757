//! Columns that are made of several kinds, with a legend and a table of the same numbers. Colour is in classes; each part
//! also says its kind, so that nobody has to tell colours apart.

use maud::{Markup, html};

use super::count;

/// What is stacked: each column has one number for each kind.
#[derive(Debug, Default)]
pub(crate) struct Stacked {
    /// There are colours for [six](KINDS).
    pub(crate) kinds: Vec<String>,
    pub(crate) columns: Vec<(String, Vec<u64>)>,
}

/// How many kinds there are colours for.
pub(crate) const KINDS: usize = 6;

/// The height of the tallest column.
const TALLEST: u64 = 130;
/// Where all of them stand.
const GROUND: u64 = 140;

/// The picture, the legend and the table. The style may know it by `name`.
pub(crate) fn stacked(name: &str, title: &str, what: &Stacked) -> Markup {
    let most = what.columns.iter().map(|(_, numbers)| sum(numbers)).max().unwrap_or(0).max(1);
    let step = 720 / what.columns.len().max(12);
    let every = what.columns.len().div_ceil(12).max(1);
    html! {
        figure class={ "columns " (name) } {
            figcaption { (title) }
            ul.legend { @for (at, kind) in what.kinds.iter().enumerate() {
                li { svg viewBox="0 0 10 10" aria-hidden="true" { rect class={ "kind" (at) } width="10" height="10" rx="2" {} } bdi { (kind) } }
            } }
            svg viewBox="0 0 720 170" role="img" aria-label={ (title) ". The table below has the numbers." } {
                line.ground x1="0" x2="720" y1="140.5" y2="140.5" {}
                @for (at, (name, numbers)) in what.columns.iter().enumerate() {
                    @for part in parts(numbers, most) {
                        rect class={ "kind" (part.kind) } x=(at * step + 1) y=(part.top) width=(step.saturating_sub(2).max(1)) height=(part.height) {
                            title { (name) ", " (what.kinds.get(part.kind).map_or("", String::as_str)) ": " (count(part.number)) }
                        }
                    }
                    @if at % every == 0 {
                        text.axis x=(at * step + step / 2) y="158" text-anchor="middle" { (name) }
                    }
                }
            }
            (table(what))
        }
    }
}

fn table(what: &Stacked) -> Markup {
    html! {
        details.numbers {
            summary { "Numbers" }
            div.scroll tabindex="0" role="region" aria-label="Numbers" {
                table {
                    thead { tr { th scope="col" { "When" } @for kind in &what.kinds { th.number scope="col" { bdi { (kind) } } } th.number scope="col" { "All" } } }
                    tbody { @for (name, numbers) in &what.columns {
                        tr { th scope="row" { (name) } @for number in numbers { td.number { (count(*number)) } } td.number { (count(sum(numbers))) } }
                    } }
                }
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Part {
    kind: usize,
    number: u64,
    top: u64,
    height: u64,
}

/// The parts of one column from the ground up. Each ends where the next begins, whatever rounding does; one too small to
/// be drawn is left to the table.
fn parts(numbers: &[u64], most: u64) -> Vec<Part> {
    let height_of = |number: u64| number.saturating_mul(TALLEST) / most.max(1);
    let mut below = 0_u64;
    let mut parts = Vec::new();
    for (kind, number) in numbers.iter().enumerate() {
        let (from, to) = (height_of(below), height_of(below.saturating_add(*number)).min(TALLEST));
        below = below.saturating_add(*number);
        if to > from {
            parts.push(Part { kind, number: *number, top: GROUND - to, height: to - from });
        }
    }
    parts
}

fn sum(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |sum, number| sum.saturating_add(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_on_each_other() {
        let drawn = |numbers: &[u64], most| -> Vec<(usize, u64, u64)> {
            parts(numbers, most).into_iter().map(|part| (part.kind, part.top, part.height)).collect()
        };
        assert_eq!(drawn(&[1, 0, 1], 2), [(0, 75, 65), (2, 10, 65)]);
        assert_eq!(drawn(&[3, 3, 1], 7), [(0, 85, 55), (1, 29, 56), (2, 10, 19)]);
        assert_eq!(drawn(&[0, 1], 1_000_000), []);
        assert_eq!(drawn(&[], 1), []);
        let huge = drawn(&[u64::MAX, u64::MAX], u64::MAX);
        assert!(huge.iter().all(|(_, top, height)| top + height <= GROUND), "{huge:?}");
    }
}
