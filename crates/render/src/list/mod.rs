//! Many conversations at a glance: a table for people, tab-separated columns for programs without JSON.

mod sources;
mod table;

pub use sources::{drift_plain, index, kinds_plain, kinds_tables, size, sources_plain, sources_table};
pub use table::{ListView, plain, relative, short_ids, short_workspace, table};
