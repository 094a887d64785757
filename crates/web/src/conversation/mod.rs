//! One conversation: its page in slices, and everything that can be asked about it.

mod about;
mod address;
mod export;
mod handoff;
mod page;

pub(crate) use about::{about, files, find, related};
pub(crate) use export::{export, picture, redacted, replay};
pub(crate) use handoff::handoff;
pub(crate) use page::{messages, page};
