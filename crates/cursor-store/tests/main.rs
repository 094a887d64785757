//! Real homes, read through the sources of this room.

#![expect(clippy::unwrap_used, reason = "a test stops where it breaks")]

mod agents_cli;
mod agents_find;
mod agents_merged;
mod agents_sdk;
mod agents_tracking;
mod agents_transcripts;
