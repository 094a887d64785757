//! Agent transcripts: flat text, one JSON array, JSON lines.
//!
//! All dialects give the same [`Transcript`]. No line is lost: it is in a part, it is a marker, or a finding reports it.

mod decoding;
mod head;
mod json;
mod paths;
mod text;
mod visible;

pub use decoding::{Dialect, Transcript, decode};
pub use head::{Head, count, head, last_time};
pub use paths::{absolute_paths, link_subagents};
