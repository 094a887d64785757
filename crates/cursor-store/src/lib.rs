//! Where Cursor keeps things on each system, and the one read-only door to them.
//!
//! [`find`] looks for every store that a user's home may hold and gives one
//! [`Source`](backscroll_model::Source) per place. Nothing here changes a byte that Cursor owns or leaves a
//! file beside it; bytes become messages in `cursor-format`.

mod agent_layer;
mod blob_index;
mod blob_reader;
mod blob_table;
mod cli_conversation;
mod cli_head;
mod cli_stores;
mod connections;
mod contents;
mod contents_kept;
mod contents_tally;
mod cursor_home;
mod door;
mod feed;
mod file_state;
mod find;
mod find_agents;
mod find_editor;
mod folder_listing;
mod foreign;
mod ide_composers;
mod ide_global;
mod ide_heads;
mod ide_item_tables;
mod ide_listing;
mod ide_part;
mod ide_search;
mod ide_some;
mod ide_tracked_lines;
mod ide_workspace;
mod ide_workspaces;
mod in_parallel;
mod key_range;
mod known_paths;
mod locations;
mod named_columns;
mod plans;
mod project_folder;
mod prompt_history;
mod read_only_db;
mod recognise;
mod scored_commits;
mod sdk_lost_runs;
mod sdk_rows;
mod sdk_stores;
mod spilled_output;
mod spotted;
mod state_copies;
mod table;
mod tracking;
mod transcript_files;
mod transcript_holdings;
mod transcripts;
mod workspace_claims;
mod workspace_folders;

pub use cli_stores::CliStores;
pub use contents::contents;
pub use contents_kept::ContentsKept;
pub use door::{OpenError, Way};
pub use find::{Found, Where, find};
pub use ide_global::IdeGlobal;
pub use ide_search::IdeSearch;
pub use ide_workspaces::IdeWorkspaces;
pub use key_range::KeyRange;
pub use known_paths::KnownPaths;
pub use locations::Surroundings;
pub use prompt_history::PromptHistory;
pub use read_only_db::{ReadError, ReadOnlyDb};
pub use sdk_stores::SdkStores;
pub use tracking::Tracking;
pub use transcripts::Transcripts;
pub use workspace_folders::WorkspaceFolders;
