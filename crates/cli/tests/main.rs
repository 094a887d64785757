//! Tests of the room `cli`, in one binary.

mod binary;
mod export;
mod export_folder;
mod export_formats;
mod export_killed;
mod export_redacted;
mod help;
mod index;
#[path = "../../history/tests/index_dump.rs"]
mod index_dump;
mod list;
mod memory;
mod redact;
mod replay;
mod search;
mod show;
mod sources;
mod when;
