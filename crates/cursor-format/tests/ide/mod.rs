//! The editor's shapes: recorded stores, facts from other tools, damage, and arbitrary values.

mod bubbles;
mod checkpoints;
mod conformance;
mod conformance_facts;
mod damage;
mod diffs;
mod properties;
mod recorded_global;
mod recorded_workspaces;
mod store;
mod workspaces;
