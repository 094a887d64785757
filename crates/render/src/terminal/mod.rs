//! A conversation as people read it in a terminal: headings, wrapped words, thinking and tools folded to a line.
//!
//! Every text from a store passes through [`sanitise`](crate::text::sanitise) before it is written.

mod conversation;
mod diff;
mod findings;
pub(crate) mod folded;
mod header;
mod hits;
mod markdown;
mod message;
mod page;
mod palette;
mod part;
pub(crate) mod payload;
mod places;
mod tool_call;
mod tree;
mod view;

pub use conversation::conversation;
pub(crate) use diff::{DiffLine, diff_lines};
pub use diff::{DiffStat, diff_stat};
pub use findings::findings;
pub use hits::{HitsView, hits};
pub use palette::Palette;
pub use tree::{Branch, tree};
pub use view::{Tools, View};
