//! What there is to say about an index itself.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::feed::{Feed, Which};
use crate::folder::Folder;
use crate::schema::VERSION;
use crate::write::{Ledger, marks};
use crate::{Index, IndexError};

/// What there is to say about an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Its folder.
    pub place: PathBuf,
    /// The format that this program reads and writes.
    pub version: i32,
    /// The bytes that its files take.
    pub disk_bytes: u64,
    /// What it holds; `None` if there is no index, or one of another version.
    pub holds: Option<Held>,
}

/// What an index holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Conversations.
    pub conversations: u64,
    /// Messages, orphans included.
    pub messages: u64,
    /// The bytes of text whose words it has.
    pub text_bytes: u64,
    /// Conversations whose messages could not be read.
    pub unread: u64,
    /// When it was last brought up to date.
    pub refreshed_at: Option<Timestamp>,
    /// What changed since.
    pub changed: Since,
}

/// How much changed since an index was last brought up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// So many conversations; none, if it is fresh.
    Conversations(u64),
    /// Any number: a source cannot tell, or is new or gone.
    Unknown,
}

/// What there is to say about the index in `folder`, compared with what `feed` tells now. Changes nothing.
pub fn status(folder: &Path, feed: &dyn Feed) -> Result<Status, IndexError> {
    let of = Folder::at(folder);
    let holds = match Index::open(folder) {
        Ok(index) => index.map(|index| held(&index, feed)).transpose()?,
        // A damaged file is as good as none: the next refresh makes it anew.
        Err(IndexError::Database(_)) => None,
        Err(error) => return Err(error),
    };
    Ok(Status { place: of.path().to_owned(), version: VERSION, disk_bytes: of.bytes(), holds })
}

impl Index {
    /// How many conversations it holds.
    pub fn conversations(&self) -> Result<usize, IndexError> {
        let count: i64 =
            self.connection().query_row("SELECT count(*) FROM conversation", [], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or(0))
    }
}

fn held(index: &Index, feed: &dyn Feed) -> Result<Held, IndexError> {
    let connection = index.connection();
    let number = |sql: &str| -> Result<u64, IndexError> {
        let number: i64 = connection.query_row(sql, [], |row| row.get(0))?;
        Ok(u64::try_from(number).unwrap_or(0))
    };
    let refreshed_at = Ledger::of(connection).noted("refreshed_at")?;
    let old = marks(connection)?;
    let changed = feed.changes(&old);
    let changed = match changed.which {
        Which::These(ids) => Since::Conversations(ids.len() as u64),
        Which::Any => Since::Unknown,
    };
    Ok(Held {
        conversations: number("SELECT count(*) FROM conversation")?,
        messages: number("SELECT count(*) FROM message")?,
        text_bytes: number("SELECT coalesce(sum(text_bytes), 0) FROM conversation")?,
        unread: number("SELECT count(*) FROM conversation WHERE trouble IS NOT NULL")?,
        refreshed_at: refreshed_at.and_then(|at| Timestamp::from_millisecond(at).ok()),
        changed,
    })
}
