//! The replay: a conversation as a page that plays it, with the files as they stood at every moment.
//!
//! Messages look as on any other page ([`crate::html`]); around them stands a player, and beside them its [`script`].
//! Without JavaScript the page is the conversation.

mod hide;
mod page;
pub mod script;

pub use hide::{End, Hide, hide, home_of, narrow};
pub use page::{page, policy};
