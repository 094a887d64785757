//! An index that can be asked: the way in, its errors, what listings need of it, and its own status. Search and statistics
//! are files of their own.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;

use backscroll_model::{
    ConversationId, Finding, FragmentKind, IndexHoldings, IndexStatus, Layer, Named as _, Role, SenderKind,
    SourceError, Summary,
};
use backscroll_own_files::is_in_the_way;
use jiff::Timestamp;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde::de::DeserializeOwned;

use crate::database::Statements as _;
use crate::feed::{Catalogues, Feed, Located};
use crate::folder::Folder;
use crate::heads::Beside;
use crate::query::Content;
use crate::refresh::{Progress, Refreshed, update, update_heads};
use crate::said::{self, SaidById};
use crate::schema::VERSION;
use crate::write::Ledger;
use crate::{codes, database, heads};

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

    /// The index of these heads, without words and in no folder.
    pub fn of_heads(feed: &dyn Catalogues) -> Result<(Self, Vec<SourceError>), IndexError> {
        Self::in_memory(|index| index.refresh_heads(feed))
    }

    /// The index of all that `feed` has, in no folder.
    pub fn apart(
        feed: &dyn Feed,
        now: Timestamp,
        progress: Progress<'_>,
    ) -> Result<(Self, Refreshed), IndexError> {
        Self::in_memory(|index| index.refresh(feed, now, progress))
    }

    /// An index in memory that `fill` fills.
    fn in_memory<T>(fill: impl FnMut(&Self) -> Result<T, IndexError>) -> Result<(Self, T), IndexError> {
        let mut fill = fill;
        let mut filled = |may_grow_out| {
            let index = Self { connection: database::in_memory(may_grow_out)? };
            fill(&index).map(|filled| (index, filled))
        };
        // There may be no room for files.
        filled(true).or_else(|_| filled(false))
    }

    /// Brings the heads of an index in memory up to date.
    pub fn refresh_heads(&self, feed: &dyn Catalogues) -> Result<Vec<SourceError>, IndexError> {
        update_heads(self.connection(), feed)
    }

    /// Brings heads and words of an index in memory up to date.
    pub fn refresh(
        &self,
        feed: &dyn Feed,
        now: Timestamp,
        progress: Progress<'_>,
    ) -> Result<Refreshed, IndexError> {
        update(self.connection(), feed, now, progress)
    }

    /// The index that is in this database.
    pub(crate) fn over(connection: Connection) -> Self {
        Self { connection }
    }

    /// The way to its tables.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// What a listing has of each conversation, before children name their parents, in no order.
    pub fn heads(&self) -> Result<Vec<StoredHead>, IndexError> {
        let mut all = self
            .connection()
            .prepare_cached("SELECT summary, is_prompts, left_over, stamp, told FROM head")?;
        let mut rows = all.query([])?;
        let mut heads = Vec::new();
        while let Some(row) = rows.next()? {
            heads.push(stored_head(row)?);
        }
        Ok(heads)
    }

    /// What a listing has of one conversation, before children name their parents.
    pub fn head(&self, id: &ConversationId) -> Result<Option<StoredHead>, IndexError> {
        let sql = "SELECT summary, is_prompts, left_over, stamp, told FROM head WHERE id = ?1";
        let mut find = self.connection().prepare_cached(sql)?;
        let mut rows = find.query([id.as_str()])?;
        rows.next()?.map(stored_head).transpose()
    }

    /// What is not as it should be, in stores as a whole and in single conversations.
    pub fn findings(&self) -> Result<Vec<Finding>, IndexError> {
        let mut findings = Vec::new();
        let mut all = self.connection().prepare_cached("SELECT finding FROM finding")?;
        let mut rows = all.query([])?;
        while let Some(row) = rows.next()? {
            findings.push(from_json(row.get_ref(0)?)?);
        }
        let mut merged =
            self.connection().prepare_cached("SELECT findings FROM head WHERE findings IS NOT NULL")?;
        let mut rows = merged.query([])?;
        while let Some(row) = rows.next()? {
            let more: Vec<Finding> = from_json(row.get_ref(0)?)?;
            findings.extend(more);
        }
        Ok(findings)
    }

    /// The conversations whose words it has and of which something could not be read.
    pub fn losses(&self) -> Result<Vec<ConversationId>, IndexError> {
        self.connection.all("SELECT id FROM conversation WHERE losses > 0 ORDER BY id", [], database::id)
    }

    /// Where something of a conversation is, in the order of `sources`, which gives the number of each by its name.
    pub fn located(
        &self,
        id: &ConversationId,
        sources: &HashMap<String, usize>,
    ) -> Result<Vec<Located>, IndexError> {
        heads::located(self.connection(), id, sources)
    }

    /// The ids of conversations that begin with `beginning`, those too that no listing shows.
    pub fn ids_beginning(&self, beginning: &str) -> Result<BTreeSet<ConversationId>, IndexError> {
        let sql = "SELECT DISTINCT entry.id FROM entry
                   WHERE entry.id >= ?1 AND entry.id < ?1 || char(1114111) AND entry.kind <> ?2";
        self.connection.all(sql, (beginning, codes::code(FragmentKind::Evidence)), database::id)
    }

    /// The conversations of the editor beside stored prompts; see the tables `head` and `entry`.
    pub fn beside(&self, prompts: &ConversationId) -> Result<Vec<Beside>, IndexError> {
        heads::beside(self.connection(), prompts)
    }

    /// Whether any of them has messages.
    pub fn has_messages_beside(&self, prompts: &ConversationId) -> Result<bool, IndexError> {
        let parameters = (prompts.as_str(), codes::code(FragmentKind::Prompts));
        let found = self.connection.one(heads::HAS_MESSAGES_BESIDE, parameters, |row| row.get(0))?;
        Ok(found.unwrap_or_default())
    }

    /// A number for each conversation that changes when anything does that any store has of it.
    pub fn stamps(&self) -> Result<HashMap<ConversationId, i64>, IndexError> {
        self.connection.all("SELECT id, stamp FROM head", [], |row| Ok((database::id(row)?, row.get(1)?)))
    }

    /// How often the heads have changed.
    pub fn generation(&self) -> Result<i64, IndexError> {
        Ok(Ledger::new(self.connection()).noted(heads::GENERATION)?.unwrap_or(0))
    }

    /// The names of entries that end in `ending`.
    pub fn entries_ending(&self, ending: &str) -> Result<Vec<ConversationId>, IndexError> {
        let sql = "SELECT DISTINCT id FROM entry WHERE substr(id, -length(?1)) = ?1 ORDER BY id";
        self.connection.all(sql, [ending], database::id)
    }

    /// What [`note_files`](crate::note_files) wrote down.
    pub fn noted_files(&self) -> Result<String, IndexError> {
        Ok(Ledger::new(self.connection()).noted(FILES)?.unwrap_or_default())
    }

    /// What a conversation holds, the facts of its single messages only if asked for; `Ok(None)` if it has no messages that could be
    /// read, the trouble where that is why.
    pub fn content(
        &self,
        id: &ConversationId,
        with_messages: bool,
    ) -> Result<Result<Option<Content>, SourceError>, IndexError> {
        let sql = "SELECT number, holds, loaded, trouble_layer, trouble_place, trouble FROM conversation
                   WHERE id = ?1 AND EXISTS (SELECT 1 FROM head WHERE head.id = ?1 AND is_stale = 0)";
        let found = self.connection.one(sql, [id.as_str()], |row| {
            let layer = row.get::<_, Option<String>>(3)?.and_then(|name| Layer::from_name(&name));
            let because: Option<(String, String)> = row.get::<_, Option<String>>(4)?.zip(row.get(5)?);
            let trouble = layer.zip(because);
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, bool>(2)?, trouble))
        })?;
        match found {
            Some((_, _, _, Some((layer, (place, trouble))))) => {
                Ok(Err(SourceError::new(layer, PathBuf::from(place), trouble)))
            }
            Some((number, holds, true, None)) => Ok(Ok(Some(Content {
                holds,
                models: self.models_of(number)?,
                tools: self.tools_of(number)?,
                paths: if with_messages { self.touched(id)? } else { Vec::new() },
                spoken: if with_messages { self.spoken_in(number)? } else { Vec::new() },
            }))),
            Some((_, _, false, None)) | None => Ok(Ok(None)),
        }
    }

    fn models_of(&self, conversation: i64) -> Result<Vec<String>, IndexError> {
        let sql =
            "SELECT model.name FROM conversation_model JOIN model ON model.number = conversation_model.model
                   WHERE conversation = ?1";
        self.connection.all(sql, [conversation], |row| row.get(0))
    }

    /// Orphans' tools are left out: a listing does not look at orphans.
    fn tools_of(&self, conversation: i64) -> Result<Vec<(String, String)>, IndexError> {
        let sql = "SELECT DISTINCT tool.name, tool.raw_name FROM message
                   JOIN call ON call.row = message.row JOIN tool ON tool.number = call.tool
                   WHERE message.conversation = ?1 AND message.state & 1 = 0";
        self.connection.all(sql, [conversation], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    fn spoken_in(&self, conversation: i64) -> Result<Vec<(Role, SenderKind, i64)>, IndexError> {
        let sql = format!(
            "SELECT DISTINCT role, state >> {}, holds FROM message WHERE conversation = ?1 AND state & 1 = 0",
            codes::state::SENDER
        );
        self.connection.all(&sql, [conversation], |row| {
            Ok((codes::of_code(row.get(0)?), codes::of_code(row.get(1)?), row.get(2)?))
        })
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

    /// True if something else lies in the place of the index: a link, a pipe, a folder of another user.
    pub fn is_in_the_way(&self) -> bool {
        matches!(self, Self::Files { because, .. } if is_in_the_way(because))
    }

    /// True if it was deleted while it was made or read.
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Files { because, .. } if because.kind() == std::io::ErrorKind::NotFound)
    }

    /// Whether the file is broken, so that only making it anew helps.
    pub fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, Unknown};
        match self {
            Self::Damaged(_) => true,
            Self::Database(error) => match error.sqlite_error_code() {
                // SQLite does not understand the question, for which no index is thrown away; unless a table is lost.
                _ if matches!(error, rusqlite::Error::SqlInputError { .. }) => is_table_lost(error),
                Some(Unknown) => is_table_lost(error),
                // Without a code: a value is not of the type that was written.
                None | Some(DatabaseCorrupt | NotADatabase) => true,
                Some(_) => false,
            },
            Self::Files { .. } => false,
        }
    }
}

fn is_table_lost(error: &rusqlite::Error) -> bool {
    let says = error.to_string();
    let lost = ["no such table", "vtable constructor failed", "invalid fts5 file format"];
    lost.iter().any(|words| says.contains(words))
}

/// What there is to say about the index in `folder`. Changes nothing.
pub fn status(folder: &Path) -> Result<IndexStatus, IndexError> {
    let of = Folder::at(folder);
    let holds = match Index::open(folder) {
        Ok(index) => index.map(|index| held(&index)).transpose(),
        Err(error) => Err(error),
    };
    let holds = match holds {
        Ok(holds) => holds,
        // A damaged file is as good as none: the next refresh makes it anew.
        Err(error) if error.is_damage() => None,
        Err(error) => return Err(error),
    };
    Ok(IndexStatus { place: of.path().to_owned(), version: VERSION, disk_bytes: of.bytes(), holds })
}

fn held(index: &Index) -> Result<IndexHoldings, IndexError> {
    let connection = index.connection();
    let number = |sql: &str| -> Result<u64, IndexError> {
        let number: i64 = connection.query_row(sql, [], |row| row.get(0))?;
        Ok(u64::try_from(number).unwrap_or(0))
    };
    let refreshed_at: Option<i64> = Ledger::new(connection).noted("refreshed_at")?;
    Ok(IndexHoldings {
        conversations: number("SELECT count(*) FROM conversation")?,
        messages: number("SELECT count(*) FROM message")?,
        text_bytes: number("SELECT coalesce(sum(text_bytes), 0) FROM conversation")?,
        unread: number("SELECT count(*) FROM conversation WHERE trouble IS NOT NULL")?,
        refreshed_at: refreshed_at.and_then(|at| Timestamp::from_millisecond(at).ok()),
        stale: number("SELECT count(*) FROM head WHERE is_stale = 1")?,
    })
}

/// Lets the next refresh make the index in `folder` anew: to be called when it turned out to be damaged.
pub fn discard(folder: &Path) {
    Folder::at(folder).discard();
}

/// The fact under which the names of files are written down.
pub(crate) const FILES: &str = "files";

/// Writes down what was found out about files while stores were looked for, unless another process is writing the index.
pub fn note_files(folder: &Path, files: &str) -> Result<(), IndexError> {
    let folder = Folder::at(folder);
    let Some(file) = folder.current() else { return Ok(()) };
    let Some(_lock) = folder.lock(Duration::ZERO)? else { return Ok(()) };
    let Some(connection) = database::open_to_write(&file)? else { return Ok(()) };
    Ledger::new(&connection).note(FILES, files)
}

/// Prompts that were compared with the conversations beside them.
#[derive(Debug)]
pub struct Compared {
    /// The id of the prompts.
    pub id: ConversationId,
    /// The stamp that their head had before.
    pub stamp: i64,
    /// What is left of them.
    pub left: Option<Summary>,
}

/// Writes down what is left of prompts that were stored apart, and what was `said` beside them, unless another process is
/// writing the index, and returns whether it was. What changed meanwhile is left out.
pub fn note_compared(folder: &Path, all: &[Compared], said: &SaidById) -> Result<bool, IndexError> {
    let folder = Folder::at(folder);
    let Some(file) = folder.current() else { return Ok(false) };
    let Some(_lock) = folder.lock(Duration::ZERO)? else { return Ok(false) };
    let Some(connection) = database::open_to_write(&file)? else { return Ok(false) };
    connection.execute_batch("BEGIN IMMEDIATE")?;
    for Compared { id, stamp, left } in all {
        let sql = "UPDATE head SET left_over = ?3 WHERE id = ?1 AND stamp = ?2 AND is_prompts = 1";
        connection.run(sql, (id.as_str(), stamp, serde_json::to_string(left)?))?;
    }
    said::keep(&connection, said)?;
    connection.execute_batch("COMMIT")?;
    Ok(true)
}

/// What a listing has of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredHead {
    /// Its summary, before children name their parents.
    pub summary: Summary,
    /// Of prompts that were stored apart from conversations: what is left of them beside these.
    pub prompts: Option<LeftOver>,
    /// Changes when anything does that any store has of it.
    pub stamp: i64,
}

/// What is left of stored prompts beside the conversations of their workspace.
#[derive(Debug, Clone, PartialEq)]
pub enum LeftOver {
    /// Nobody compared them yet.
    Unknown,
    /// Nothing: conversations have all of them.
    Nothing,
    /// This.
    Some(Box<Summary>),
}

fn stored_head(row: &rusqlite::Row<'_>) -> Result<StoredHead, IndexError> {
    let left = || -> Result<LeftOver, IndexError> {
        if row.get_ref(2)? == ValueRef::Null {
            return Ok(LeftOver::Unknown);
        }
        let left: Option<Box<Summary>> = from_json(row.get_ref(2)?)?;
        Ok(left.map_or(LeftOver::Nothing, LeftOver::Some))
    };
    let prompts = if row.get(1)? { Some(left()?) } else { None };
    let mut summary: Summary = from_json(row.get_ref(0)?)?;
    if row.get_ref(4)? != ValueRef::Null {
        summary.workspace = Some(from_json(row.get_ref(4)?)?);
    }
    Ok(StoredHead { summary, prompts, stamp: row.get(3)? })
}

pub(crate) fn from_json<T: DeserializeOwned>(value: ValueRef<'_>) -> Result<T, IndexError> {
    Ok(serde_json::from_str(value.as_str().map_err(rusqlite::Error::from)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index is thrown away for damage, never for a question.
    #[test]
    fn a_question_that_sqlite_does_not_understand_is_no_damage() {
        let index = Index { connection: database::in_memory(true).unwrap() };
        let is_damage = |sql: &str| {
            let asked = index.connection().query_row(sql, [], |row| row.get::<_, i64>(0));
            IndexError::from(asked.unwrap_err()).is_damage()
        };
        assert!(!is_damage("SELECT rowid FROM words WHERE words MATCH '\"'"));
        assert!(!is_damage("SELECT rowid FROM words WHERE words MATCH 'nobody:word'"));
        assert!(!is_damage("SELEC 1"));
        assert!(is_damage("SELECT 1 FROM nowhere"));
        assert!(is_damage("SELECT 'text'"), "a value of another type than was written");
    }
}
