//! What can be done: one command, one file.

pub(crate) mod demo;
pub(crate) mod export;
pub(crate) mod files;
pub(crate) mod handoff;
pub(crate) mod hook;
pub(crate) mod hooks;
pub(crate) mod index;
pub(crate) mod list;
pub(crate) mod mcp;
mod mcp_config;
mod mcp_plugin;
pub(crate) mod redact;
pub(crate) mod related;
pub(crate) mod replay;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod sources;
pub(crate) mod tail;
pub(crate) mod watch;
