//! Agents of the Cursor SDK: rows of `agents`, `runs` and `run_events`, and the same as JSON lines.
//!
//! The store reads columns by name and hands them in as plain rows; nothing here knows of SQL.

mod assembly;
mod event;
mod rows;
mod run;

pub use assembly::{assemble, summary};
pub(crate) use event::calls_in;
pub use event::{Call, CallEvent, Outcome, SdkEvent, SdkMessage, collapse, unwrap_result};
pub use rows::{AgentRow, CheckpointRow, EventRow};
pub use run::{Run, RunStatus, usage};

pub use crate::wire_json::time;
