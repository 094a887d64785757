//! The room from outside: the door's promises, the way keys are asked for, what is found, and what sources keep.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]
#![expect(clippy::disallowed_methods, reason = "a test writes its own files")]

mod agents_cli;
mod agents_damage;
mod agents_find;
mod agents_inside;
mod agents_kept;
mod agents_merged;
mod agents_places;
mod agents_sdk;
mod agents_tracking;
mod agents_transcripts;
mod asked;
mod contents;
mod damaged_logs;
mod damaged_pages;
mod damaged_stores;
mod door_files;
mod door_live;
mod door_odd;
mod feed_agents;
mod feed_properties;
mod feed_state;
mod feed_watch;
mod finding;
mod hooks;
mod large_values;
mod plans;
mod reading;
mod sources;
mod writer;
