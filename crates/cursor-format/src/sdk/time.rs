//! Times as the SDK's stores write them: ISO text, sometimes without a zone (then UTC), or milliseconds.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// The time that `text` names.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(at) = text.parse() {
        return Some(at);
    }
    if let Ok(milliseconds) = text.parse::<i64>() {
        return Timestamp::from_millisecond(milliseconds).ok();
    }
    let civil: DateTime = text.parse().ok()?;
    Offset::UTC.to_timestamp(civil).ok()
}

/// The time that an optional column names.
pub(super) fn of(column: Option<&String>) -> Option<Timestamp> {
    parse(column?)
}
