//! Reads the pages of SQLite files without SQLite, so that damage costs only what is damaged.
//!
//! SQLite stops at the first page that it cannot read, and does not open a file whose end or first page is lost. This
//! room reads every page by itself: it walks the trees as far as they are whole, finds leaves wherever they lie where
//! they are not, follows overflow chains, honours the log's valid frames, and says which page, row or key it could not
//! read. It is pure over bytes ([`ReadAt`]), reads page by page, and no bytes make it panic or run for ever.
//!
//! - [`SqliteFile`] is a file with its log: [`SqliteFile::schema`], [`SqliteFile::rows`] of one table,
//!   [`SqliteFile::entries`] of one index.
//! - [`salvage`] reads all tables of a file into a [`Salvager`], leaves without a tree included.
//! - [`Log`] tells what is wrong with a log.
//! - [`Journal`] has the old pages of a transaction that was not finished.
//!
//! The crate `sqlite-core` (0.12) was looked at first. It does not open a file without a sound first page, ends a table
//! at the first bad page, does not look for leaves outside of a tree, and reads log and database into memory together;
//! and it brings cryptography and a crate of constants along. That is the opposite of what is needed here.

mod bytes;
mod file;
mod journal;
mod log;
mod node;
mod page_set;
mod record;
mod salvage;
mod schema;
mod walk;

pub use bytes::ReadAt;
pub use file::{Header, SqliteFile, has_whole_first_page};
pub use journal::Journal;
pub use log::{Log, LogTrouble};
pub use record::{Encoding, Value};
pub use salvage::{Salvager, salvage};
pub use schema::{Column, Index, Table};
pub use walk::{Damage, Entries, Row, Rows, Trouble};
