//! A conversation as people read it in a terminal: headings, wrapped words, thinking and tools folded to a line.
//!
//! Every text from a store passes through [`sanitise`](crate::text::sanitise) before it is written.

mod conversation;
mod diff;
mod follow;
mod hits;
mod message;
mod page;
pub(crate) mod payload;

pub use conversation::{Branch, conversation, conversation_as_stored, tree};
pub(crate) use diff::{DiffLine, diff_lines};
pub use diff::{DiffStat, diff_stat};
pub use follow::LiveView;
pub use hits::{HitsView, hits};
pub use page::{Palette, StoredValues, Tools, View};
