//! An index that can be asked: the way in, its errors, what listings need of it, and its own status. Search and statistics
//! are files of their own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use backscroll_model::{ConversationId, Finding, Layer, Named as _, SourceError, Summary};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _};

use crate::database;
use crate::feed::{Feed, Which};
use crate::folder::Folder;
use crate::schema::VERSION;
use crate::write::{Ledger, marks};

/// An index that can be asked. It may be older than the sources: [`refresh`](crate::refresh) it first.
#[derive(Debug)]
pub struct Index {
    connection: Connection,
}

impl Index {
    /// The index in `folder`; `None` if there is none, or one of another version, which a refresh makes anew.
    pub fn open(folder: &Path) -> Result<Option<Self>, IndexError> {
        let folder = Folder::at(folder);
        // The file may be replaced between being named and being opened: then another one is named.
        for _ in 0..3 {
            let Some(file) = folder.current() else { return Ok(None) };
            match database::open_to_read(&file) {
                Ok(connection) => return Ok(connection.map(|connection| Self { connection })),
                Err(_) if !file.is_file() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// The way to its tables.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Every conversation as a listing has it, before children name their parents, in no order; with `all`
    /// those inside of others too.
    pub fn summaries(&self, all: bool) -> Result<Vec<Summary>, IndexError> {
        let sql = if all {
            "SELECT coalesce(summary_all, summary) FROM conversation"
        } else {
            "SELECT summary FROM conversation WHERE summary IS NOT NULL"
        };
        let mut statement = self.connection().prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut summaries = Vec::new();
        while let Some(row) = rows.next()? {
            summaries.push(serde_json::from_str(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?)?);
        }
        Ok(summaries)
    }

    /// What is not as it should be in each source as a whole; `None` if some source changed since that was looked for.
    pub fn findings(&self) -> Result<Option<BTreeMap<String, Vec<Finding>>>, IndexError> {
        let unknown = "SELECT EXISTS (SELECT 1 FROM mark WHERE findings_known = 0)";
        if self.connection().query_row(unknown, [], |row| row.get(0))? {
            return Ok(None);
        }
        let mut all = self
            .connection()
            .prepare_cached("SELECT source, finding FROM finding ORDER BY source, number")?;
        let mut rows = all.query([])?;
        let mut findings: BTreeMap<String, Vec<Finding>> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let finding = serde_json::from_str(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?)?;
            findings.entry(row.get(0)?).or_default().push(finding);
        }
        Ok(Some(findings))
    }

    /// What a conversation holds; `Ok(None)` if it has no messages that could be read, the trouble where that is why.
    pub fn content(&self, id: &ConversationId) -> Result<Result<Option<Content>, SourceError>, IndexError> {
        let mut find = self.connection().prepare_cached(
            "SELECT number, holds, loaded, trouble_layer, trouble_place, trouble FROM conversation WHERE id = ?1",
        )?;
        let found = find.query_row([id.as_str()], |row| {
            let layer = row.get::<_, Option<String>>(3)?.and_then(|name| Layer::from_name(&name));
            let because: Option<(String, String)> = row.get::<_, Option<String>>(4)?.zip(row.get(5)?);
            let trouble = layer.zip(because);
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, bool>(2)?, trouble))
        });
        match found.optional()? {
            Some((_, _, _, Some((layer, (place, trouble))))) => {
                Ok(Err(SourceError::new(layer, PathBuf::from(place), trouble)))
            }
            Some((number, holds, true, None)) => Ok(Ok(Some(Content {
                holds,
                models: self.models_of(number)?,
                tools: self.tools_of(number)?,
            }))),
            Some((_, _, false, None)) | None => Ok(Ok(None)),
        }
    }

    fn models_of(&self, conversation: i64) -> Result<Vec<String>, IndexError> {
        let mut names = self.connection().prepare_cached(
            "SELECT model.name FROM conversation_model JOIN model ON model.number = conversation_model.model
             WHERE conversation = ?1",
        )?;
        Ok(names.query_map([conversation], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    /// Orphans' tools are left out: a listing does not look at orphans.
    fn tools_of(&self, conversation: i64) -> Result<Vec<(String, String)>, IndexError> {
        let mut names = self.connection().prepare_cached(
            "SELECT DISTINCT tool.name, tool.raw_name FROM message
             JOIN call ON call.row = message.row JOIN tool ON tool.number = call.tool
             WHERE message.conversation = ?1 AND message.state & 1 = 0",
        )?;
        Ok(names
            .query_map([conversation], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?)
    }

    /// How many conversations it holds.
    pub fn conversations(&self) -> Result<usize, IndexError> {
        let count: i64 =
            self.connection().query_row("SELECT count(*) FROM conversation", [], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or(0))
    }
}

/// The index could not be read or written. The conversations themselves are untouched: it is a cache.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// Its folder or a file in it could not be made, read or written.
    #[error("cannot use the index at {}", place.display())]
    Files {
        /// The file or folder.
        place: PathBuf,
        /// Why.
        #[source]
        because: std::io::Error,
    },
    /// SQLite could not do what it was asked for.
    #[error("the index cannot be used")]
    Database(#[from] rusqlite::Error),
    /// Something in the index is not what was written there.
    #[error("the index is damaged: {0}")]
    Damaged(String),
}

impl From<serde_json::Error> for IndexError {
    fn from(error: serde_json::Error) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl IndexError {
    /// `place` could not be used, because of `because`.
    pub(crate) fn files(place: impl Into<PathBuf>, because: std::io::Error) -> Self {
        Self::Files { place: place.into(), because }
    }

    /// Whether the file is broken, so that only making it anew helps.
    pub(crate) fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match self {
            Self::Damaged(_) => true,
            Self::Database(error) => {
                matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
            }
            Self::Files { .. } => false,
        }
    }
}

/// What a conversation holds, as far as listings ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// Bits of [`codes::holds`](crate::codes::holds).
    pub holds: i64,
    /// The models that its record or any of its messages names.
    pub models: Vec<String>,
    /// The tools that it used: name and stored name.
    pub tools: Vec<(String, String)>,
}

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
    /// Any number: a source does not know, or is new or gone.
    Unknown,
}

/// What there is to say about the index in `folder`, compared with what `feed` has now. Changes nothing.
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
