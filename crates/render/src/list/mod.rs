//! Many conversations at a glance: a table for people, tab-separated columns for programs without JSON.

mod columns;
mod index;
mod kinds;
mod relative_time;
mod short_id;
mod size;
mod sources;
mod table;
mod workspace_name;

pub use index::index;
pub use kinds::{kinds_plain, kinds_tables};
pub use relative_time::relative;
pub use short_id::short_ids;
pub use size::size;
pub use sources::{sources_plain, sources_table};
pub use table::{ListView, plain, table};
pub use workspace_name::short_workspace;
