//! Tests of the room `cli`, in one binary.

mod binary;
mod export;
mod help;
mod index;
mod index_dump;
mod list;
mod memory;
mod redact;
mod show;
mod sources;
mod when;
