//! Real homes, read through the sources of this room.

mod agents_cli;
mod agents_find;
mod agents_merged;
mod agents_sdk;
mod agents_tracking;
mod agents_transcripts;
