//! A year of activity, a square for each day, a column for each week. The table behind it says the same to those who
//! cannot see it.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::Date;
use maud::{Markup, html};

use super::plural;

const WEEKS: i64 = 53;
const STEP: i64 = 13;
const LEFT: i64 = 28;
const TOP: i64 = 16;

/// The year that ends `today`. `per_day` says how many of `what` fell on each day; each square leads to `address_of` its day.
pub(crate) fn calendar(
    per_day: &BTreeMap<Date, u64>,
    today: Date,
    what: &str,
    address_of: impl Fn(Date) -> String,
) -> Markup {
    let days_into_week = i64::from(today.weekday().to_monday_zero_offset());
    let Ok(first) = today.checked_sub(((WEEKS - 1) * 7 + days_into_week).days()) else { return html! {} };
    let days: Vec<Date> = first.series(1.day()).take_while(|day| *day <= today).collect();
    let most = days.iter().filter_map(|day| per_day.get(day)).max().copied().unwrap_or(0);
    let total: u64 = days.iter().filter_map(|day| per_day.get(day)).sum();
    let width = LEFT + WEEKS * STEP;
    html! {
        figure.calendar {
            figcaption { (plural(total, what)) " in the last year" }
            div.scroll tabindex="0" role="group" aria-label="Activity of the last year" {
                svg viewBox={ "0 0 " (width) " " (TOP + 7 * STEP) } width=(width) height=(TOP + 7 * STEP) role="group" aria-label="A square for each day" {
                    (months(&days))
                    @for (row, name) in [(0, "Mon"), (2, "Wed"), (4, "Fri")] {
                        text.axis x="0" y=(TOP + row * STEP + 10) aria-hidden="true" { (name) }
                    }
                    @for (number, day) in days.iter().enumerate() {
                        (square(number, *day, per_day.get(day).copied().unwrap_or(0), most, what, &address_of))
                    }
                }
            }
        }
    }
}

fn square(
    number: usize,
    day: Date,
    count: u64,
    most: u64,
    what: &str,
    address_of: &impl Fn(Date) -> String,
) -> Markup {
    let number = i64::try_from(number).unwrap_or_default();
    let (x, y) = (LEFT + number / 7 * STEP, TOP + number % 7 * STEP);
    let says = format!("{}: {}", day.strftime("%-d %B %Y"), plural(count, what));
    let rect = html! { rect class={ "level" (level(count, most)) } x=(x) y=(y) width="10" height="10" rx="2" { title { (says) } } };
    html! {
        @if count > 0 { a href=(address_of(day)) aria-label=(says) { (rect) } } @else { (rect) }
    }
}

/// From 0, nothing, to 4, as much as on the busiest day.
fn level(count: u64, most: u64) -> u64 {
    if count == 0 { 0 } else { (count * 4).div_ceil(most.max(1)).clamp(1, 4) }
}

/// The name of each month over the week in which it begins.
fn months(days: &[Date]) -> Markup {
    let begins = days.iter().enumerate().filter(|(_, day)| day.day() == 1);
    html! {
        @for (number, day) in begins {
            text.axis x=(LEFT + i64::try_from(number / 7).unwrap_or_default() * STEP) y="10" aria-hidden="true" { (day.strftime("%b")) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_with_something_on_it_is_a_link() {
        let today = Date::constant(2026, 3, 13);
        let per_day =
            BTreeMap::from([(today, 4), (Date::constant(2026, 3, 12), 1), (Date::constant(2024, 1, 1), 9)]);
        let drawn =
            calendar(&per_day, today, "conversation", |day| format!("/search?on={day}")).into_string();
        assert_eq!(drawn.matches("<a ").count(), 2, "a day that is too long ago is left out");
        assert!(drawn.contains("href=\"/search?on=2026-03-13\"") && drawn.contains("level4"));
        assert!(drawn.contains("5 conversations in the last year"));
        assert_eq!(drawn.matches("<rect").count(), 52 * 7 + 5);
    }
}
