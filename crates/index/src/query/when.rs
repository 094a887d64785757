//! Points in time as people type them, given what time it is: `2026-01-19`, `2026-01`, `7d`, `yesterday`, `monday`.
//!
//! Each is a stretch: `--since` takes its beginning, `--until` its end, so that `--until 2026-01-19` includes that day.

use std::str::FromStr;

use jiff::civil::{Date, DateTime, Weekday};
use jiff::{Span, Timestamp, ToSpan, Zoned};

/// A stretch of time, as typed.
#[derive(Debug, Clone)]
pub enum When {
    /// A very moment.
    Moment(Timestamp),
    /// A moment by the user's own clock.
    Local(DateTime),
    /// A day.
    Day(Date),
    /// A month, by its first day.
    Month(Date),
    /// So long ago.
    Ago(Span),
    /// This many days before today.
    DaysBack(i8),
    /// The latest such day, today included.
    Latest(Weekday),
}

/// Times, as examples.
pub(super) const TIMES: &str =
    "2026-01-19, 2026-01, 2026-01-19T22:45:00Z, 7d, 12h, 2w, 3mo, 1y, today, yesterday or monday";

/// What was typed is no time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a time; try {}", TIMES)]
pub struct WhenError;

impl FromStr for When {
    type Err = WhenError;

    fn from_str(text: &str) -> Result<Self, WhenError> {
        let text = text.trim().to_lowercase();
        named(&text)
            .or_else(|| ago(&text).map(Self::Ago))
            .or_else(|| dated(&text.to_uppercase()))
            .ok_or(WhenError)
    }
}

fn named(text: &str) -> Option<When> {
    Some(When::Latest(match text {
        "today" => return Some(When::DaysBack(0)),
        "yesterday" => return Some(When::DaysBack(1)),
        "monday" | "mon" => Weekday::Monday,
        "tuesday" | "tue" => Weekday::Tuesday,
        "wednesday" | "wed" => Weekday::Wednesday,
        "thursday" | "thu" => Weekday::Thursday,
        "friday" | "fri" => Weekday::Friday,
        "saturday" | "sat" => Weekday::Saturday,
        "sunday" | "sun" => Weekday::Sunday,
        _ => return None,
    }))
}

fn ago(text: &str) -> Option<Span> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let number: i64 = number.parse().ok()?;
    let span = Span::new();
    match unit.trim() {
        "min" => span.try_minutes(number),
        "h" => span.try_hours(number),
        "d" => span.try_days(number),
        "w" => span.try_weeks(number),
        "mo" => span.try_months(number),
        "y" => span.try_years(number),
        _ => return None,
    }
    .ok()
}

fn dated(text: &str) -> Option<When> {
    match text.len() {
        7 => format!("{text}-01").parse().ok().map(When::Month),
        10 => text.parse().ok().map(When::Day),
        _ => {
            let moment = text.parse().ok().map(When::Moment);
            moment.or_else(|| text.parse().ok().map(When::Local))
        }
    }
}

impl When {
    /// When the stretch begins.
    pub fn begins(&self, now: &Zoned) -> Timestamp {
        self.stretch(now).map_or(Timestamp::MIN, |(begins, _)| begins)
    }

    /// The first moment after the stretch.
    pub fn ends(&self, now: &Zoned) -> Timestamp {
        self.stretch(now).map_or(Timestamp::MIN, |(_, ends)| ends)
    }

    /// Beginning and end; an error only for times before time.
    fn stretch(&self, now: &Zoned) -> Result<(Timestamp, Timestamp), jiff::Error> {
        let zone = || now.time_zone().clone();
        let days = |first: Date, length: Span| -> Result<_, jiff::Error> {
            let after = first.saturating_add(length);
            Ok((first.to_zoned(zone())?.timestamp(), after.to_zoned(zone())?.timestamp()))
        };
        match self {
            Self::Moment(at) => Ok((*at, *at)),
            Self::Local(at) => at.to_zoned(zone()).map(|at| (at.timestamp(), at.timestamp())),
            Self::Day(day) => days(*day, 1.day()),
            Self::Month(first) => days(*first, 1.month()),
            Self::Ago(span) => now.checked_sub(*span).map(|at| (at.timestamp(), at.timestamp())),
            Self::DaysBack(number) => days(now.date().checked_sub(number.days())?, 1.day()),
            Self::Latest(weekday) => {
                let back = weekday.until(now.date().weekday());
                days(now.date().checked_sub(back.days())?, 1.day())
            }
        }
    }
}
