//! Tests of the room `cli`, in one binary.

mod binary;
mod export;
mod export_folder;
mod help;
mod list;
mod memory;
mod show;
mod sources;
mod when;
