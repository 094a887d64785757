//! Times in the words of a question: `in march 2026`, `yesterday`, `2026-03-14`, `last week`. They say when rather than what,
//! so they need not stand in the text.

use std::ops::Range;

use jiff::civil::{Date, Weekday};
use jiff::{ToSpan, Zoned};

use super::parser::{Lexeme, Placed};
use super::when::When;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Words that say that a time follows.
const BEFORE: [&str; 9] = ["in", "on", "since", "from", "during", "early", "late", "mid", "of"];

/// Marks the lexemes that name a time, and gives the times, from and to, in milliseconds.
pub(super) fn mark(lexemes: &mut [Placed], now: &Zoned) -> Vec<(i64, i64)> {
    let words: Vec<String> = lexemes.iter().map(|(lexeme, _)| word_of(lexeme)).collect();
    let mut times = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match named(&words[at..], before(&words, at), now) {
            Some((count, days)) => {
                let moment = |day: Date| {
                    day.to_zoned(now.time_zone().clone()).map(|at| at.timestamp().as_millisecond())
                };
                if let (Ok(from), Ok(to)) = (moment(days.start), moment(days.end)) {
                    times.push((from, to));
                    let first = at - usize::from(BEFORE.contains(&before(&words, at)));
                    for (lexeme, _) in &mut lexemes[first..at + count] {
                        if let Lexeme::Text { is_date, .. } = lexeme {
                            *is_date = true;
                        }
                    }
                }
                at += count;
            }
            None => at += 1,
        }
    }
    times
}

fn word_of(lexeme: &Lexeme) -> String {
    match lexeme {
        Lexeme::Text { typed, is_quoted: false, is_prefix: false, .. } => {
            typed.trim_matches([',', '.', '?', '!', ';', ')', '(']).to_lowercase()
        }
        _ => String::new(),
    }
}

fn before(words: &[String], at: usize) -> &str {
    at.checked_sub(1).map_or("", |at| words[at].as_str())
}

/// How many of `words` name a time, and the days that they name.
fn named(words: &[String], before: &str, now: &Zoned) -> Option<(usize, Range<Date>)> {
    let word = words[0].as_str();
    let next = words.get(1).map_or("", String::as_str);
    let today = now.date();
    let one = |day: Date| Some((1, day..day.tomorrow().ok()?));
    match word {
        "today" => return one(today),
        "yesterday" => return one(today.yesterday().ok()?),
        "last" | "this" => {
            let back = i32::from(word == "last");
            return Some((2, stretch(next, back, today)?));
        }
        "week" | "month" | "year" => {}
        _ if before == "on" => {
            if let Some(day) = stretch(word, 0, today) {
                return Some((1, day));
            }
        }
        _ => {}
    }
    if word.len() >= 7 && word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('-') {
        return match word.parse().ok()? {
            When::Day(day) => one(day),
            When::Month(first) => Some((1, month(first)?)),
            _ => None,
        };
    }
    if let (Some(day), Some(number)) = (day_of(word), month_of(next)) {
        let (year, count) = year_of(words.get(2), number, today);
        let day = Date::new(year, number, day).ok()?;
        return Some((2 + count, day..day.tomorrow().ok()?));
    }
    let number = month_of(word)?;
    let day = day_of(next).filter(|_| next.len() <= 4);
    let (year, count) = year_of(words.get(if day.is_some() { 2 } else { 1 }), number, today);
    if let Some(day) = day.and_then(|day| Date::new(year, number, day).ok()) {
        return Some((2 + count, day..day.tomorrow().ok()?));
    }
    // `march` and `may` are words, too.
    let is_meant = count > 0 || BEFORE.contains(&before);
    if is_meant { Some((1 + count, month(Date::new(year, number, 1).ok()?)?)) } else { None }
}

/// The week, month or year that is `back` before this one, or the latest such day of the week.
fn stretch(unit: &str, back: i32, today: Date) -> Option<Range<Date>> {
    match unit {
        "week" => {
            let monday = today.checked_sub(Weekday::Monday.until(today.weekday()).days()).ok()?;
            let first = monday.checked_sub((7 * back).days()).ok()?;
            Some(first..first.checked_add(7.days()).ok()?)
        }
        "month" => month(today.first_of_month().checked_sub(back.months()).ok()?),
        "year" => {
            let first = today.first_of_year().checked_sub(back.years()).ok()?;
            Some(first..first.checked_add(1.year()).ok()?)
        }
        _ => {
            let When::Latest(weekday) = unit.parse().ok()? else { return None };
            let day = today.checked_sub(weekday.until(today.weekday()).days()).ok()?;
            let day = if day == today && back > 0 { day.checked_sub(7.days()).ok()? } else { day };
            Some(day..day.tomorrow().ok()?)
        }
    }
}

fn month(first: Date) -> Option<Range<Date>> {
    Some(first..first.last_of_month().tomorrow().ok()?)
}

fn month_of(word: &str) -> Option<i8> {
    let is_it = |name: &&str| {
        **name == *word
            || (word.len() == 3 && name.starts_with(word))
            || word == "sept" && name.starts_with(word)
    };
    let place = MONTHS.iter().position(is_it)?;
    i8::try_from(place + 1).ok()
}

/// The day that `14`, `14th` or `1st` is.
fn day_of(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let ending = &word[digits.len()..];
    let day: i8 = digits.parse().ok()?;
    ((1..=31).contains(&day) && matches!(ending, "" | "st" | "nd" | "rd" | "th")).then_some(day)
}

/// The year that is named, and how many words it takes; otherwise the latest whose month has begun.
fn year_of(word: Option<&String>, month: i8, today: Date) -> (i16, usize) {
    let named = word.and_then(|word| word.parse::<i16>().ok()).filter(|year| (1990..=2100).contains(year));
    let latest = if month <= today.month() { today.year() } else { today.year() - 1 };
    named.map_or((latest, 0), |year| (year, 1))
}
