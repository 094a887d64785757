//! Times as people say them, given what time it is.

use jiff::{Timestamp, ToSpan, Zoned};

/// `at` as seen from `now`: `3 h ago`, `yesterday`, `12 Mar`, `2024-11-02`.
pub fn relative(at: Timestamp, now: &Zoned) -> String {
    let seconds = now.timestamp().as_second() - at.as_second();
    let then = at.to_zoned(now.time_zone().clone());
    let (today, day) = (now.date(), then.date());
    let is_yesterday = today.checked_sub(1.day()).is_ok_and(|yesterday| yesterday == day);
    match seconds {
        -60..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..43_200 => format!("{} h ago", seconds / 3_600),
        43_200.. if day == today => format!("{} h ago", seconds / 3_600),
        43_200.. if is_yesterday => "yesterday".to_owned(),
        0.. if day.year() == today.year() => then.strftime("%-d %b").to_string(),
        _ => day.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::relative;

    #[test]
    fn times_are_said_as_people_say_them() {
        let now = "2026-03-13T15:00:00+01:00[+01:00]".parse().expect("a time");
        let table = [
            ("2026-03-13T14:59:30+01:00", "just now"),
            ("2026-03-13T14:55:00+01:00", "5 min ago"),
            ("2026-03-13T12:00:00+01:00", "3 h ago"),
            ("2026-03-13T01:00:00+01:00", "14 h ago"),
            ("2026-03-13T00:10:00+01:00", "14 h ago"),
            ("2026-03-12T23:50:00+01:00", "yesterday"),
            ("2026-03-12T00:00:00+01:00", "yesterday"),
            ("2026-03-11T23:59:00+01:00", "11 Mar"),
            ("2025-12-31T23:59:00+01:00", "2025-12-31"),
            ("2024-11-02T10:00:00Z", "2024-11-02"),
            ("2026-03-20T10:00:00Z", "2026-03-20"),
        ];
        for (at, expected) in table {
            assert_eq!(relative(at.parse().expect("a time"), &now), expected, "{at}");
        }
    }
}
