//! The replay: a conversation as a page that plays it, with the files as they stood at every moment.
//!
//! Messages look as on any other page ([`crate::html`]); around them stands a player, and beside them its [`script`].
//! Without JavaScript the page is the conversation.

mod assets;
mod chapter_list;
mod data_block;
mod extent;
mod file_name;
mod hide;
mod kept_files;
mod page;
mod panels;
pub mod script;
mod short_paths;
mod spans;

pub use extent::{End, narrow};
pub use file_name::file_name;
pub use hide::{Hidden, hide};
pub use page::{ReplayLook, page, policy};
pub use short_paths::{home_of, shorten_paths};
