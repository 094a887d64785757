//! The editor's own shapes: chat tabs, composers, bubbles, and the indexes that list them.

mod assemble;
mod attachments;
mod bubble;
mod chat_tabs;
mod checkpoints;
mod composer;
mod diffs;
mod heads;
pub mod keys;
mod pending_rows;
mod prompts;
mod tool_former;

pub use assemble::{Assembled, agent_state, assemble, assemble_some, fill_times, listed_messages, orphaned};
pub use bubble::{Bubble, BubbleId, FirstLine, bubble, bubble_time};
pub use chat_tabs::chat_tabs;
pub use checkpoints::kept_files;
pub use composer::{Evidence, Listed, index_entry};
pub use heads::{
    Head, WorkspaceIndex, head, heads, inline_conversation, is_windowless, membership, pane_ids,
    workspace_index,
};
pub use keys::{RowKey, RowKind, kind_of_key};
pub use prompts::prompts;
