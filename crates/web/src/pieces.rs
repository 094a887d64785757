//! Pieces of pages that more than one of them uses. Each is given values and gives markup; none asks anything.
//!
//! Charts are pictures that scale, with a table of the same numbers behind each. No style is in them: geometry is in
//! attributes, colour in classes, and each part also says its kind in words.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use backscroll_model::{Flag, Summary, Surface};
use backscroll_render::list::{relative, short_workspace, size};
use jiff::civil::Date;
use jiff::{ToSpan, Zoned};
use maud::{Markup, html};

use crate::link;

#[derive(Debug)]
pub(crate) struct Row<'a> {
    pub(crate) summary: &'a Summary,
    /// What was found in it, already marked up.
    pub(crate) found: Vec<Markup>,
}

impl<'a> Row<'a> {
    /// A line about the conversation alone.
    pub(crate) fn new(summary: &'a Summary) -> Self {
        Self { summary, found: Vec::new() }
    }
}

/// The list of `rows`, seen from `now`. The script moves through it by key.
pub(crate) fn summary_list(rows: &[Row<'_>], now: &Zoned) -> Markup {
    html! {
        ol.conversations { @for row in rows { (summary_line(row, now)) } }
    }
}

fn summary_line(row: &Row<'_>, now: &Zoned) -> Markup {
    let summary = row.summary;
    let title = summary.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    html! {
        li.conversation data-id=(summary.id) {
            a.title href=(link::conversation(&summary.id)) {
                bdi { @match title { Some(title) => (shortened(title)), None => span.untitled { "Untitled" } } }
            }
            p.meta {
                @if let Some(workspace) = &summary.workspace {
                    a.workspace href=(link::workspace(workspace)) title=(workspace.path) { (short_workspace(workspace)) }
                }
                @if let Some(at) = summary.recency() {
                    time datetime=(at) title=(at.to_zoned(now.time_zone().clone()).strftime("%A %-d %B %Y, %H:%M")) { (relative(at, now)) }
                }
                @if let Some(messages) = summary.messages { span { (plural(messages, "message")) } }
                span.surface { (surface_name(summary.surface)) }
                @for model in summary.models.iter().take(2) { span.model { (model) } }
                @if summary.models.len() > 2 { span.model { "+" (count(summary.models.len() - 2)) } }
                @for flag in summary.flags.iter().filter(|flag| **flag != Flag::Empty || summary.messages.is_none()) {
                    span.tag { (flag.name()) }
                }
            }
            @for found in &row.found { (found) }
        }
    }
}

/// The sum of each name's numbers, the largest first.
pub(crate) fn ranked<'a>(numbers: impl Iterator<Item = (&'a str, u64)>) -> Vec<(&'a str, u64)> {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, number) in numbers {
        *sums.entry(name).or_default() += number;
    }
    let mut ranked: Vec<_> = sums.into_iter().collect();
    ranked.sort_by_key(|(_, sum)| Reverse(*sum));
    ranked
}

/// Where it was held, for people.
pub(crate) fn surface_name(surface: Surface) -> &'static str {
    match surface {
        Surface::Ide => "editor",
        Surface::IdeChat => "old chat",
        Surface::Cli => "command line",
        Surface::Sdk => "SDK",
        Surface::Transcript => "transcript",
    }
}

/// The title of a conversation, or that there is none.
pub(crate) fn title(summary: &Summary) -> &str {
    let title = summary.title.as_deref().map(str::trim);
    title.filter(|title| !title.is_empty()).unwrap_or("Untitled conversation")
}

/// A title is a line, however much was stored for it.
fn shortened(title: &str) -> String {
    const LONGEST: usize = 200;
    let line = title.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().nth(LONGEST).is_none() {
        return line;
    }
    line.chars().take(LONGEST).chain(['…']).collect()
}

/// `1 234 567`, with thin spaces that do not break.
pub(crate) fn count(number: impl TryInto<u64>) -> String {
    backscroll_render::grouped(number).replace(',', "\u{202f}")
}

/// `1 message`, `3 messages`.
pub(crate) fn plural(number: impl TryInto<u64>, of: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{} {of}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Bytes as people say them, with a space that does not break.
pub(crate) fn bytes(bytes: u64) -> String {
    size(bytes).replace(' ', "\u{a0}")
}

#[derive(Debug, Clone)]
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) value: u64,
    /// Where it leads, if anywhere.
    pub(crate) address: Option<String>,
}

impl Bar {
    pub(crate) fn new(name: impl Into<String>, value: u64) -> Self {
        Self { name: name.into(), value, address: None }
    }

    pub(crate) fn leading_to(mut self, address: impl Into<String>) -> Self {
        self.address = Some(address.into());
        self
    }
}

/// Bars below each other, the name and the number in words beside each: readable without a further table.
pub(crate) fn bars(bars: &[Bar]) -> Markup {
    let most = bars.iter().map(|bar| bar.value).max().unwrap_or(0).max(1);
    html! {
        ul.bars {
            @for bar in bars {
                li {
                    span.name { @match &bar.address { Some(address) => a href=(address) title=(bar.name) { (bar.name) }, None => (bar.name) } }
                    svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
                        rect.ground width="100" height="6" {}
                        rect.filled width=(share(bar.value, most)) height="6" {}
                    }
                    span.value { (count(bar.value)) }
                }
            }
        }
    }
}

/// Columns beside each other, for what has an order, such as hours or months.
pub(crate) fn columns(title: &str, of: &str, columns: &[Bar]) -> Markup {
    let most = columns.iter().map(|column| column.value).max().unwrap_or(0).max(1);
    // A single column as wide as the page would look like a lot.
    let step = 720 / columns.len().max(12);
    let every = columns.len().div_ceil(12).max(1);
    html! {
        figure.columns {
            figcaption { (title) }
            svg viewBox="0 0 720 170" role="img" aria-label={ (title) ". The table below has the numbers." } {
                line.ground x1="0" x2="720" y1="140.5" y2="140.5" {}
                @for (at, column) in columns.iter().enumerate() {
                    @let height = column.value * 130 / most;
                    @if column.value > 0 {
                        rect.filled x=(at * step + 1) y=(140 - height.max(1)) width=(step.saturating_sub(2).max(1)) height=(height.max(1)) rx="1" {
                            title { (column.name) ": " (count(column.value)) }
                        }
                    }
                    @if at % every == 0 {
                        text.axis x=(at * step + step / 2) y="158" text-anchor="middle" { (column.name) }
                    }
                }
            }
            details.numbers {
                summary { "Numbers" }
                table {
                    thead { tr { th scope="col" { "When" } th.number scope="col" { (of) } } }
                    tbody { @for column in columns { tr { th scope="row" { (column.name) } td.number { (count(column.value)) } } } }
                }
            }
        }
    }
}

/// `value` of `most` in hundredths, at least one where there is anything.
fn share(value: u64, most: u64) -> u64 {
    if value == 0 { 0 } else { (value.saturating_mul(100) / most.max(1)).max(1) }
}

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
            (stacked_table(what))
        }
    }
}

fn stacked_table(what: &Stacked) -> Markup {
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
struct BarPart {
    kind: usize,
    number: u64,
    top: u64,
    height: u64,
}

/// The parts of one column from the ground up. Each ends where the next begins, whatever rounding does; one too small to
/// be drawn is left to the table.
fn parts(numbers: &[u64], most: u64) -> Vec<BarPart> {
    let height_of = |number: u64| number.saturating_mul(TALLEST) / most.max(1);
    let mut below = 0_u64;
    let mut parts = Vec::new();
    for (kind, number) in numbers.iter().enumerate() {
        let (from, to) = (height_of(below), height_of(below.saturating_add(*number)).min(TALLEST));
        below = below.saturating_add(*number);
        if to > from {
            parts.push(BarPart { kind, number: *number, top: GROUND - to, height: to - from });
        }
    }
    parts
}

fn sum(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |sum, number| sum.saturating_add(*number))
}

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
                    (month_names(&days))
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
fn month_names(days: &[Date]) -> Markup {
    let begins = days.iter().enumerate().filter(|(_, day)| day.day() == 1);
    html! {
        @for (number, day) in begins {
            text.axis x=(LEFT + i64::try_from(number / 7).unwrap_or_default() * STEP) y="10" aria-hidden="true" { (day.strftime("%b")) }
        }
    }
}

/// More columns than this say nothing any more; then only months with something in them are shown.
const MOST_MONTHS: i64 = 120;

/// `months` by name (`2026-01`), with those between the first and the last that are lacking.
pub(crate) fn without_gaps<T: Default>(mut months: BTreeMap<String, T>) -> Vec<(String, T)> {
    let ends = months.keys().filter_map(|name| month_number(name));
    let (first, last) = (ends.clone().min(), ends.max());
    if let (Some(first), Some(last)) = (first, last)
        && last - first < MOST_MONTHS
    {
        for month in first..last {
            let name = format!("{:04}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1);
            months.entry(name).or_default();
        }
    }
    months.into_iter().collect()
}

/// Months since the year 0.
fn month_number(name: &str) -> Option<i64> {
    let (year, month) = name.split_once('-')?;
    let month: i64 = month.parse().ok().filter(|month| (1..=12).contains(month))?;
    Some(year.parse::<i64>().ok()? * 12 + month - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!(count(7_u64), "7");
        assert_eq!(count(1_234_567_u64), "1\u{202f}234\u{202f}567");
        assert_eq!(plural(1_u64, "message"), "1 message");
        assert_eq!(plural(1_000_u64, "message"), "1\u{202f}000 messages");
        assert_eq!(bytes(1_083_670_528), "1.1\u{a0}GB");
        assert_eq!(bytes(12), "12\u{a0}B");
    }

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

    fn names(of: &[&str]) -> Vec<String> {
        let months = of.iter().map(|name| ((*name).to_owned(), 1)).collect();
        without_gaps(months).into_iter().map(|(name, number)| format!("{name}={number}")).collect()
    }

    #[test]
    fn silence_takes_its_time() {
        assert_eq!(names(&["2025-11", "2026-02"]), ["2025-11=1", "2025-12=0", "2026-01=0", "2026-02=1"]);
        assert_eq!(names(&["2025-11"]), ["2025-11=1"]);
        assert_eq!(names(&[]), [""; 0]);
        assert_eq!(names(&["", "2025-11"]), ["=1", "2025-11=1"]);
        assert_eq!(names(&["1970-01", "2026-01"]).len(), 2);
    }
}
