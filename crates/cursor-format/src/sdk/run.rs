//! One run of an agent: one prompt and everything that was done about it.

use backscroll_model::Tokens;
use jiff::Timestamp;

use super::rows::{Column, from_line, number};
use crate::placeholders::known_model;
use crate::wire_json::{Object, time};

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RunStatus {
    /// Not begun.
    Queued,
    /// Under way when the store was last written.
    Running,
    /// Done; older hosts say `COMPLETED`.
    Finished,
    /// Failed.
    Error,
    /// Stopped.
    Cancelled,
    /// Given up on.
    Expired,
    /// The store does not say, or says something new.
    #[default]
    Unknown,
}

impl RunStatus {
    /// The status that a word of either generation names.
    pub fn from_word(word: &str) -> Self {
        match word.to_ascii_uppercase().as_str() {
            "QUEUED" | "PENDING" | "CREATING" => Self::Queued,
            "RUNNING" => Self::Running,
            "FINISHED" | "COMPLETED" | "SUCCESS" => Self::Finished,
            "ERROR" | "FAILED" => Self::Error,
            "CANCELLED" | "CANCELED" | "ABORTED" => Self::Cancelled,
            "EXPIRED" => Self::Expired,
            _ => Self::Unknown,
        }
    }
}

/// One run: a row of `runs`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Run {
    /// Its id.
    pub run_id: String,
    /// The agent it belongs to.
    pub agent_id: String,
    /// The request it belongs to.
    pub request_id: Option<String>,
    /// Its place among the runs of its agent: counted from zero or from one, as it pleases the version.
    pub turn_number: Option<i64>,
    /// How far it is.
    pub status: RunStatus,
    /// The model that was selected; placeholders are none.
    pub model: Option<String>,
    /// Tokens it used.
    pub usage: Option<Tokens>,
    /// The last words, where stored.
    pub result: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// When it was asked for.
    pub created_at: Option<Timestamp>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
}

impl Run {
    /// The run that a line of `runs.ndjson` holds.
    pub fn from_line(line: &str) -> Option<Self> {
        from_line(line, Self::from_columns)
    }

    /// The run with these columns; `None` without an id, or an agent. Columns that make no sense are left out.
    pub fn from_columns(column: Column<'_>) -> Option<Self> {
        let at = |names: &[&str]| column(names).as_deref().and_then(time);
        let status = column(&["status"]).as_deref().map(RunStatus::from_word).unwrap_or_default();
        let ends = [
            "finished_at",
            "finishedAt",
            "endedAt",
            "cancelled_at",
            "cancelledAt",
            "expired_at",
            "expiredAt",
        ];
        // A run that failed has no column of its own for its end.
        let changed_at = || at(&["updated_at", "updatedAt"]).filter(|_| status == RunStatus::Error);
        Some(Self {
            run_id: column(&["run_id", "runId", "id"])?,
            agent_id: column(&["agent_id", "agentId"])?,
            request_id: column(&["request_id", "requestId"]),
            turn_number: column(&["turn_number", "turnNumber"]).as_deref().and_then(number),
            status,
            model: column(&["model"]).as_deref().and_then(model),
            usage: column(&["usage_json", "usageJson", "usage"]).as_deref().and_then(usage),
            result: column(&["result"]).as_deref().and_then(words),
            error: column(&["error", "error_code", "errorCode"]).as_deref().and_then(words),
            created_at: at(&["created_at", "createdAt"]),
            started_at: at(&["started_at", "startedAt"]),
            finished_at: at(&ends).or_else(changed_at),
        })
    }

    /// The runs in the order of their prompts. A run without a number, such as one whose own row is
    /// gone, is put where it began.
    pub fn in_order(runs: &[Self]) -> Vec<Self> {
        let (mut runs, mut numberless): (Vec<Self>, Vec<Self>) =
            runs.iter().cloned().partition(|run| run.turn_number.is_some());
        runs.sort_by_key(|run| (run.turn_number, run.began_at()));
        numberless.sort_by_key(Self::began_at);
        for run in numberless {
            let began_at = run.began_at();
            let later = |other: &Self| began_at.is_some() && other.began_at() > began_at;
            let place = runs.iter().position(later).unwrap_or(runs.len());
            runs.insert(place, run);
        }
        runs
    }

    /// Why it has no answer, in words for people: `error_code` of a run that expired is a bare word.
    pub fn failure(&self) -> Option<String> {
        let reason = self.error.clone()?;
        Some(if self.status == RunStatus::Expired { format!("the run expired: {reason}") } else { reason })
    }

    /// Whether it ended without an answer: a call that it left open was stopped with it.
    pub fn was_stopped(&self) -> bool {
        matches!(self.status, RunStatus::Cancelled | RunStatus::Expired | RunStatus::Error)
    }

    /// When it began, or was asked for.
    pub fn began_at(&self) -> Option<Timestamp> {
        self.started_at.or(self.created_at)
    }
}

/// The model is a name, or an object with an id.
fn model(column: &str) -> Option<String> {
    let inside = Object::read(column).and_then(|object| object.first_text(&["id", "name", "model"]));
    known_model(inside.as_deref().unwrap_or(column)).map(str::to_owned)
}

/// Words are plain, or in an object.
fn words(column: &str) -> Option<String> {
    let keys = ["text", "result", "message", "code"];
    let inside = Object::read(column).and_then(|object| object.first_text(&keys));
    let words = inside.unwrap_or_else(|| column.to_owned());
    (!words.trim().is_empty() && words != "null").then_some(words)
}

/// The tokens in a `usage_json` column or a `usage` message. `totalTokens` is not read: until 1.0.40 it counts the cache, too,
/// since 1.1.0 input and output alone.
pub fn usage(json: &str) -> Option<Tokens> {
    let object = Object::read(json)?;
    let inner = object.object("usage").unwrap_or(object);
    let of = |names: &[&str]| names.iter().find_map(|name| inner.count(name));
    let input = of(&["inputTokens", "input_tokens", "input"]);
    let output = of(&["outputTokens", "output_tokens", "output"]);
    if input.is_none() && output.is_none() {
        return None;
    }
    Some(Tokens {
        input: input.unwrap_or_default(),
        output: output.unwrap_or_default(),
        cache_read: of(&["cacheReadTokens", "cache_read_tokens", "cacheRead"]),
        cache_write: of(&["cacheWriteTokens", "cache_write_tokens", "cacheWrite"]),
        reasoning: of(&["reasoningTokens", "reasoning_tokens", "reasoning"]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_number_stands_where_it_began() {
        let row = |run_id: &str, turn_number, created_at: &str| Run {
            run_id: run_id.to_owned(),
            turn_number,
            created_at: created_at.parse().ok(),
            ..Run::default()
        };
        let rows = [
            row("lost", None, "2026-01-01T00:00:02Z"),
            row("third", Some(3), "2026-01-01T00:00:03Z"),
            row("timeless", None, ""),
            row("first", Some(1), "2026-01-01T00:00:01Z"),
        ];
        let order: Vec<String> = Run::in_order(&rows).into_iter().map(|run| run.run_id).collect();
        assert_eq!(order, ["first", "lost", "third", "timeless"]);
    }
}
