//! Tests of the room `cli`, in one binary.

mod binary;
mod export;
mod export_folder;
mod help;
mod index;
mod index_dump;
mod list;
mod memory;
mod redact;
mod replay;
mod search;
mod show;
mod sources;
mod when;
