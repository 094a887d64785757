//! Where Cursor keeps things on each system, and the one read-only door to them.
//!
//! [`find`] looks for every store that a user's home may hold and gives one
//! [`Source`](backscroll_model::Source) per place. Nothing here changes a byte that Cursor owns or leaves a
//! file beside it; bytes become messages in `cursor-format`.

mod agent_layer;
mod connections;
mod door;
mod file_state;
mod find;
mod foreign;
mod ide_composers;
mod ide_global;
mod ide_heads;
mod ide_item_tables;
mod ide_search;
mod ide_workspaces;
mod key_range;
mod locations;
mod read_only_db;
mod table;
mod workspace_claims;
mod workspace_folders;

pub use door::{OpenError, Way};
pub use find::{Found, Where, find};
pub use ide_global::IdeGlobal;
pub use ide_search::IdeSearch;
pub use ide_workspaces::IdeWorkspaces;
pub use key_range::KeyRange;
pub use locations::Surroundings;
pub use read_only_db::{ReadError, ReadOnlyDb};
pub use workspace_folders::WorkspaceFolders;
