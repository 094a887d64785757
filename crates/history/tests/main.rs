//! The history from outside: queries on made-up summaries, and everything else on homes that lie on disk.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod agent_blobs;
mod agreement;
mod attribution;
mod backups;
mod checkpoints;
mod home;
mod index_dump;
mod indexed;
mod indexed_changes;
mod listing;
mod mixed;
mod placement;
mod precedence;
mod query;
mod read_alone;
mod recorded;
mod search;
mod told;
