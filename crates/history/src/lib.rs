//! The questions one may ask, answered over all sources at once.
//!
//! Every face (command line, browser, terminal UI, agents) asks here, so that the same question always
//! gets the same answer. This room reads only through [`Source`](backscroll_model::Source).

mod changes;
mod few;
mod history;
mod indexed;
mod list_indexed;
mod merge;
mod query;
mod resolve;

pub use changes::Changed;
pub use few::link_children;
pub use history::{AskError, History, Listing};
pub use query::{Has, Query, Sort};
