//! Agents of the Cursor SDK: rows of `agents`, `runs` and `run_events`, and the same as JSON lines.
//!
//! The store reads columns by name and hands them in as plain rows; nothing here knows of SQL.

mod assembly;
mod calls;
mod durations;
mod event;
mod lacking;
mod outcome;
mod pairing;
mod pieces;
mod primary;
mod rows;
mod run;
mod spine;
mod usage;

pub use assembly::{assemble, summary};
pub use calls::{Call, collapse};
pub use durations::{call_duration_ms, run_duration_ms, total_ms};
pub use event::{CallEvent, Event, SdkMessage};
pub use outcome::{Outcome, unwrap as unwrap_result};
pub use rows::{AgentRow, EventRow, RunRow};
pub use run::{Run, RunStatus};
pub use usage::{Usage, per_model};
