//! The plain text dialect. Its grammar is ambiguous: what a tool wrote may look like a marker.

mod body;
mod call;
mod ending;
mod marker;
mod turns;

pub(super) use turns::{count, read};
