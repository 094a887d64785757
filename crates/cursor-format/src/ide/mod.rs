//! The editor's own shapes: chat tabs, composers, bubbles, and the indexes that list them.

mod assemble;
mod attachments;
mod bubble;
mod chat_tabs;
mod code_blocks;
mod composer;
mod edit_diff;
mod error_details;
mod facts;
mod head;
mod identifier;
mod key_kind;
pub mod keys;
mod membership;
mod message_times;
mod nothing;
mod prompts;
mod records;
mod rest;
mod stored_diff;
mod summary_text;
mod todos;
mod tool_former;
mod workspace_index;

pub use assemble::{Assembled, assemble, assemble_some, orphaned};
pub use bubble::{Bubble, BubbleId, bubble, first_line};
pub use chat_tabs::{ChatTabs, chat_tabs};
pub use composer::{Listed, index_entry};
pub use head::{Head, head, heads};
pub use identifier::is_windowless;
pub use key_kind::{kind_of_key, owner_of_key};
pub use membership::membership;
pub use message_times::fill as fill_times;
pub use prompts::prompts;
pub use records::Evidence;
pub use workspace_index::{WorkspaceIndex, inline_conversation, pane_ids, workspace_index};
