//! The replay: a conversation as a page that plays it, with the files as they stood at every moment.
//!
//! Messages look as on any other page ([`crate::html`]); around them stands a player, and beside them its [`script`].
//! Without JavaScript the page is the conversation.

mod hide;
mod page;
pub mod script;

pub use hide::{End, Hidden, hide, home_of, narrow, shorten_paths};
pub use page::{ReplayLook, page, policy};
