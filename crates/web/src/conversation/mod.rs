//! One conversation: its page in slices, and everything that can be asked about it.

mod about;
mod export;
mod page;

pub(crate) use about::{about, files, find, handoff, related};
pub(crate) use export::{export, picture, replay};
pub(crate) use page::{messages, page};
