//! The time in a `<timestamp>` wrapper: local time to the minute, with its offset from UTC.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// The time that e.g. `Tuesday, Jul 7, 2026, 9:43 AM (UTC+5:30)` names. Without an offset it names none.
pub fn parse(text: &str) -> Option<Timestamp> {
    let (local, zone) = text.trim().rsplit_once('(')?;
    let offset = offset(zone.trim_end().strip_suffix(')')?)?;
    // The weekday says nothing new, and Cursor writes it in full or not at all.
    let local = local.trim();
    let without_weekday = match local.split_once(',') {
        Some((first, rest)) if first.chars().all(char::is_alphabetic) => rest.trim(),
        _ => local,
    };
    let civil = ["%b %d, %Y, %I:%M %p", "%b %d, %Y, %I:%M:%S %p", "%b %d, %Y, %H:%M", "%B %d, %Y, %I:%M %p"]
        .iter()
        .find_map(|shape| DateTime::strptime(shape, without_weekday).ok())?;
    offset.to_timestamp(civil).ok()
}

/// `UTC`, `UTC-7`, `UTC+5:30`, `GMT+2`; also with a real minus sign.
fn offset(zone: &str) -> Option<Offset> {
    let zone = zone.trim();
    let rest = zone.strip_prefix("UTC").or_else(|| zone.strip_prefix("GMT"))?;
    let (sign, size) = match rest.chars().next() {
        None => return Some(Offset::UTC),
        Some('+') => (1, &rest[1..]),
        Some('-') => (-1, &rest[1..]),
        Some('\u{2212}') => (-1, &rest['\u{2212}'.len_utf8()..]),
        Some(_) => return None,
    };
    let (hours, minutes) = size.split_once(':').unwrap_or((size, "0"));
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    if !(0..=25).contains(&hours) || !(0..60).contains(&minutes) {
        return None;
    }
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_times_become_moments() {
        let table = [
            ("Tuesday, Jul 7, 2026, 9:43 AM (UTC+5:30)", Some("2026-07-07T04:13:00Z")),
            ("Tuesday, Apr 28, 2026, 4:43 PM (UTC-7)", Some("2026-04-28T23:43:00Z")),
            ("Wednesday, Mar 4, 2026, 12:02 AM (UTC+8)", Some("2026-03-03T16:02:00Z")),
            ("Wednesday, Mar 4, 2026, 12:02 PM (UTC)", Some("2026-03-04T12:02:00Z")),
            ("Mar 4, 2026, 12:02 PM (UTC)", Some("2026-03-04T12:02:00Z")),
            ("Tuesday, Jul 7, 2026, 9:43 AM", None),
            ("Tuesday, Jul 7, 2026, 9:43 AM (UTC+99)", None),
            ("Tuesday, Jul 77, 2026, 9:43 AM (UTC)", None),
            ("", None),
            ("(UTC)", None),
        ];
        for (text, expected) in table {
            let shown = parse(text).map(|at| at.to_string());
            assert_eq!(shown.as_deref(), expected, "{text}");
        }
    }
}
