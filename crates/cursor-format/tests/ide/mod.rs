//! The editor's shapes: recorded stores, facts from other tools, damage, and arbitrary values.

mod diffs;
mod recorded_global;
mod recorded_workspaces;
mod store;
