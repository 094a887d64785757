//! Months as a clock on the wall counts them, for moments that come in no order.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Moments lie in the same month if they lie in the same quarter of an hour: no zone is off by less.
pub(crate) const QUARTER: i64 = 15 * 60 * 1_000;

/// The months of one time zone, each name made once.
#[derive(Debug)]
pub(crate) struct Months<'a> {
    zone: &'a TimeZone,
    known: HashMap<i64, Option<String>>,
}

impl<'a> Months<'a> {
    pub(crate) fn of(zone: &'a TimeZone) -> Self {
        Self { zone, known: HashMap::new() }
    }

    /// The month of a moment, such as `2026-01`; `None` beyond all calendars.
    pub(crate) fn name(&mut self, millisecond: i64) -> Option<&str> {
        let quarter = millisecond.div_euclid(QUARTER);
        let zone = self.zone;
        let name = || {
            let at = Timestamp::from_millisecond(quarter.checked_mul(QUARTER)?).ok()?;
            Some(at.to_zoned(zone.clone()).strftime("%Y-%m").to_string())
        };
        self.known.entry(quarter).or_insert_with(name).as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_begins_when_it_begins_here() {
        let table = [
            ("UTC", "2026-01-31T23:59:59Z", "2026-01"),
            ("Europe/Berlin", "2026-01-31T22:59:59Z", "2026-01"),
            ("Europe/Berlin", "2026-01-31T23:00:00Z", "2026-02"),
            ("America/New_York", "2026-02-01T04:59:59Z", "2026-01"),
            ("Asia/Kathmandu", "2026-01-31T18:14:59Z", "2026-01"),
            ("Asia/Kathmandu", "2026-01-31T18:15:00Z", "2026-02"),
            ("UTC", "1969-12-31T23:59:59Z", "1969-12"),
        ];
        for (zone, at, month) in table {
            let zone = TimeZone::get(zone).expect("a zone");
            let at: Timestamp = at.parse().expect("a time");
            assert_eq!(Months::of(&zone).name(at.as_millisecond()), Some(month), "{at}");
        }
        assert_eq!(Months::of(&TimeZone::UTC).name(i64::MAX), None);
    }
}
