//! Agent transcripts: flat text, one JSON array, JSON lines.
//!
//! All dialects give the same [`Transcript`]. No line is lost: it is in a part, it is a marker, or a finding tells of it.

mod builder;
mod content;
mod count;
mod decoding;
mod head;
mod json_array;
mod json_lines;
mod paths;
mod record;
mod subagents;
mod text;
mod visible;

pub use count::count;
pub use decoding::{Dialect, Transcript, decode};
pub use head::{Head, head};
pub use paths::{absolute_paths, paths};
pub use subagents::link_subagents;
