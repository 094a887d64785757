//! Files and folders that are ours: exports, the index, the ledger, keys, service files. The one room that makes, replaces and
//! removes files; a lint (`clippy.toml`) keeps every other from doing so.
//!
//! - [`OwnFolder`] is an open folder. What is in it is reached from there: no link is followed below it, nothing outside is
//!   touched whatever a name says, and only ordinary files are opened, which are looked at first.
//! - [`Unfinished`] is a file that appears under its name only when it is complete.
//! - [`OutputFile`] is the one file that a user names by `-o`.
//!
//! A pipe, a link, or a folder of another user in the way is an error at once ([`is_in_the_way`]).

mod in_the_way;
mod output_file;
mod own_folder;
mod unfinished;

pub use in_the_way::is_in_the_way;
pub use output_file::{OutputError, OutputFile};
pub use own_folder::{OwnFolder, temporary_folder};
pub use unfinished::Unfinished;
