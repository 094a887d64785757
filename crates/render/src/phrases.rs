//! Phrases that every format shares: first words, counts, times, spans of time.

use std::collections::BTreeMap;

use backscroll_model::{AtIs, Finding, FindingKind, LineRange, Moment, Summary, Tokens, ToolCall};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::text::one_line;

/// No terminal is wider; more of the text need not be looked at.
const LOOKED_AT: usize = 2_000;

/// The beginning of `text` as one line.
pub(crate) fn first_words(text: &str) -> String {
    let text = text.trim_start();
    if text.len() <= LOOKED_AT {
        return one_line(text);
    }
    let end = text.char_indices().nth(LOOKED_AT).map_or(text.len(), |(at, _)| at);
    one_line(&text[..end])
}

/// How long something took: `1.2 s`, `3 min 20 s`.
pub(crate) fn duration(milliseconds: u64) -> String {
    match milliseconds {
        0..100 => format!("{milliseconds} ms"),
        100..60_000 => format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100),
        _ => format!("{} min {} s", milliseconds / 60_000, milliseconds % 60_000 / 1_000),
    }
}

pub(crate) fn took(call: &ToolCall) -> Option<String> {
    let milliseconds = call.ended_at?.as_millisecond().checked_sub(call.started_at?.as_millisecond())?;
    u64::try_from(milliseconds).ok().map(duration)
}

/// A number with its thousands apart: `12,345`.
pub fn grouped(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// What the store counts besides input and output: `4,200 read from the cache, 24 for thinking`.
pub(crate) fn other_tokens(tokens: Tokens) -> String {
    let buckets = [
        (tokens.cache_read, "read from the cache"),
        (tokens.cache_write, "written to the cache"),
        (tokens.reasoning, "for thinking"),
    ];
    let counted =
        buckets.iter().filter_map(|(count, what)| count.map(|count| format!(", {} {what}", grouped(count))));
    counted.collect()
}

/// `1 message`, `2 messages`.
pub fn counted(number: impl TryInto<u64>, thing: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// How many findings there are, and how many of each kind: `3 findings` and `2 damaged, 1 drift`.
pub(crate) fn finding_counts(findings: &[Finding]) -> (String, String) {
    let mut kinds: BTreeMap<FindingKind, u64> = BTreeMap::new();
    for finding in findings {
        *kinds.entry(finding.kind).or_default() += 1;
    }
    let kinds: Vec<_> = kinds.iter().map(|(kind, number)| format!("{number} {}", kind.name())).collect();
    (counted(findings.len(), "finding"), kinds.join(", "))
}

/// The lines of a file that are meant: `:3`, `:3-7`.
pub(crate) fn line_range(lines: Option<LineRange>, dash: char) -> String {
    match lines {
        Some(LineRange { first, last }) if first == last => format!(":{first}"),
        Some(LineRange { first, last }) => format!(":{first}{dash}{last}"),
        None => String::new(),
    }
}

/// The time of a message to the minute; with `≈` if it is not exact.
pub(crate) fn minute(moment: Moment, time_zone: &TimeZone) -> Option<String> {
    let at = moment.at?.to_zoned(time_zone.clone());
    let sign = if moment.is == AtIs::Exact { "" } else { "≈ " };
    Some(format!("{sign}{}", at.strftime("%Y-%m-%d %H:%M")))
}

/// `2026-01-19 22:45 – 23:01`: the end only if it is another minute, its day only if it is another day.
pub(crate) fn time_span(summary: &Summary, time_zone: &TimeZone, format: &str) -> Option<String> {
    let zoned = |at: Timestamp| at.to_zoned(time_zone.clone());
    let minute = |at: &Zoned| at.strftime(format).to_string();
    Some(match (summary.created_at.map(zoned), summary.updated_at.map(zoned)) {
        (Some(from), Some(to)) if minute(&from) == minute(&to) => minute(&from),
        (Some(from), Some(to)) if from.date() == to.date() => {
            format!("{} – {}", minute(&from), to.strftime("%H:%M"))
        }
        (Some(from), Some(to)) => format!("{} – {}", minute(&from), minute(&to)),
        (Some(at), None) | (None, Some(at)) => minute(&at),
        (None, None) => return None,
    })
}
