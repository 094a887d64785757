//! What the user typed, taken out of the wrappers that Cursor put around it.
//!
//! Agents' messages carry `<user_query>`, `<timestamp>`, `<attached_files>`, `<user_info>` and many more
//! tags. The words stay words; everything else becomes a time, pictures or attachments. Nothing is dropped.

mod images;
mod tags;
mod timestamp;
mod title;
mod unwrapping;
mod wrapper;

pub use timestamp::parse as parse_timestamp;
pub use title::title_line;
pub use unwrapping::{UserText, unwrap, workspace_path};
