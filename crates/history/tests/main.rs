//! The history from outside: queries on made-up summaries, and everything else on homes that lie on disk.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]
#![expect(
    clippy::disallowed_methods,
    reason = "a test writes its own files, and asks of made-up conversations"
)]

mod agent_blobs;
mod agreement;
mod attribution;
mod backups;
mod cases;
mod checkpoints;
mod drift;
mod holes;
mod home;
mod hooks;
mod index_dump;
mod indexed;
mod indexed_changes;
mod listing;
mod live;
mod met_elsewhere;
mod mixed;
mod pairs;
mod placement;
mod precedence;
mod query;
mod recorded;
mod recorded_sdk;
mod replayed;
mod restored;
mod sdk_agents;
mod search;
mod senders;
mod times;
