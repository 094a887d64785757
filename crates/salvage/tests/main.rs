//! Tests of the page reader: against SQLite on generated databases, on damaged ones, and on the forensic corpus.
#![expect(clippy::unwrap_used, reason = "a test may end where something is wrong")]
#![expect(clippy::disallowed_methods, reason = "a test writes its own files")]

mod collect;
mod corpus;
mod damaged;
mod equal;
mod journals;
mod logs;
