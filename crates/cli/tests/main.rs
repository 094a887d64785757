//! Tests of the room `cli`, in one binary.

mod binary;
mod export;
mod help;
mod list;
mod memory;
mod replay;
mod show;
mod sources;
mod when;
