//! Where Cursor keeps things on each system, and the one read-only door to them.
//!
//! [`find`] looks for every store that a user's home may hold and gives one
//! [`Source`](backscroll_model::Source) per place. Nothing here changes a byte that Cursor owns or leaves a
//! file beside it; bytes become messages in `cursor-format`.

mod agent_layer;
mod blob_index;
mod blob_table;
mod cli_session;
mod cli_stores;
mod contents;
mod door;
mod drift;
mod file_state;
mod files;
mod find;
mod fingerprint;
mod home_files;
mod hook_ledger;
mod ide_changes;
mod ide_composers;
mod ide_global;
mod ide_heads;
mod ide_search;
mod ide_workspaces;
mod in_parallel;
mod locations;
mod named_columns;
pub mod plain_file;
mod project_folder;
mod prompt_history;
mod raw;
mod read_only_db;
mod recognise;
mod rolled_back_copy;
mod row_sums;
mod salvaged;
mod scored_commits;
mod sdk_checkpoints;
mod sdk_rows;
mod sdk_stores;
mod shared_memory;
mod spotted;
mod table;
mod tracking;
mod transcripts;
mod waiting;
pub mod work;
mod workspace_folders;

pub use backscroll_cursor_format::slug::chats_folder;
pub use cli_stores::CliStores;
pub use contents::{ContentsKept, contents};
pub use door::{OpenError, Way};
pub use drift::drift;
pub use files::{FileCache, file_stamp, names_stamp};
pub use find::{FoundStores, Where, find, find_with};
pub use home_files::HomeFiles;
pub use hook_ledger::HookLedger;
pub use ide_global::IdeGlobal;
pub use ide_search::IdeSearch;
pub use ide_workspaces::IdeWorkspaces;
pub use locations::Surroundings;
pub use project_folder::KnownPaths;
pub use prompt_history::PromptHistory;
pub use raw::raw_value;
pub use read_only_db::{ReadError, ReadOnlyDb};
pub use recognise::is_copy_of_state;
pub use sdk_stores::SdkStores;
pub use table::KeyRange;
pub use tracking::Tracking;
pub use transcripts::Transcripts;
pub use waiting::announce_waits;
pub use workspace_folders::WorkspaceFolders;
