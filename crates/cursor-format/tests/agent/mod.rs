//! The graph of blobs that the editor and the command line agent share.

mod build;
mod compaction;
mod conformance;
mod damage;
mod meta;
mod properties;
mod recorded_cli;
mod recorded_editor;
mod senders;
mod store;
mod tools;
mod vectors;
mod wire;
