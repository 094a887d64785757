//! Tests of the room `cli`, in one binary.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]
#![expect(clippy::disallowed_methods, reason = "a test writes its own files")]

mod agents;
mod binary;
#[path = "../../web/tests/client.rs"]
mod client;
mod damaged_index;
mod damaged_store;
mod export;
mod export_folder;
mod export_formats;
#[cfg(unix)]
mod export_killed;
mod export_redacted;
mod faces;
mod handoff;
mod help;
mod hooks;
#[cfg(unix)]
mod in_the_way;
mod index;
#[path = "../../history/tests/index_dump.rs"]
mod index_dump;
#[cfg(unix)]
mod index_unusable;
#[cfg(unix)]
mod killed;
mod list;
mod mcp;
mod mcp_client;
mod mcp_settings;
mod memory;
#[cfg(unix)]
mod odd_files;
#[cfg(unix)]
mod private_copies;
mod redact;
mod replay;
mod replay_recorded;
mod search;
mod serve;
mod show;
mod sources;
mod surfaces;
#[cfg(unix)]
mod tail;
#[cfg(unix)]
mod tail_replaced;
mod watch;
mod when;
