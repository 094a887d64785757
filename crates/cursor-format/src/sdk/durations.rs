//! How long runs and calls took.

use backscroll_model::ToolCall;
use jiff::Timestamp;

use super::run::Run;

/// From a run's start to its end.
pub fn run_duration_ms(run: &Run) -> Option<u64> {
    between(run.started_at?, run.finished_at?)
}

/// From the first event of a call to the one that ended it.
pub fn call_duration_ms(call: &ToolCall) -> Option<u64> {
    between(call.started_at?, call.ended_at?)
}

/// The time during which at least one of `runs` was under way: where they overlap, it counts once.
pub fn total_ms<'a>(runs: impl IntoIterator<Item = &'a Run>) -> u64 {
    let spans = runs.into_iter().filter_map(|run| Some((run.started_at?, run.finished_at?)));
    let mut spans: Vec<_> = spans.filter(|(start, end)| start <= end).collect();
    spans.sort();
    let mut total = 0_u64;
    let mut covered_until: Option<Timestamp> = None;
    for (start, end) in spans {
        let from = covered_until.map_or(start, |until| until.max(start));
        total = total.saturating_add(between(from, end).unwrap_or_default());
        covered_until = Some(covered_until.map_or(end, |until| until.max(end)));
    }
    total
}

fn between(start: Timestamp, end: Timestamp) -> Option<u64> {
    u64::try_from(end.as_millisecond() - start.as_millisecond()).ok()
}
