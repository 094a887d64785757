//! `conversation-search.db`, the editor's own search index (since 3.11): titles, also of conversations in the cloud,
//! and, as a last resort, the words of conversations whose rows are gone.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_model::{
    Changes, Conversation, ConversationId, Finding, FindingKind, Flag, Layer, Mark, Message, Origin, Part,
    Role, Source, SourceError, Summary, Surface,
};
use rusqlite::Row;

use crate::feed::small;
use crate::read_only_db::{ReadError, ReadOnlyDb};

/// The editor's search index.
#[derive(Debug)]
pub struct IdeSearch {
    file: Arc<Path>,
}

const ALL: &str = "SELECT source, id, title, updated_at, is_archived, fts_rowid FROM conversations";

impl IdeSearch {
    /// The index at `file`.
    pub fn new(file: &Path) -> Self {
        Self { file: Arc::from(file) }
    }

    fn ask<T>(&self, question: impl FnMut(&ReadOnlyDb) -> Result<T, ReadError>) -> Result<T, SourceError> {
        ReadOnlyDb::ask(&self.file, question).map_err(|because| SourceError::new(&*self.file, because))
    }

    fn summary(&self, row: &Row<'_>) -> rusqlite::Result<Summary> {
        let id: String = row.get("id")?;
        let origin = Origin::new(Layer::IdeSearch, Arc::clone(&self.file), format!("conversations:{id}"));
        let mut summary = Summary::new(ConversationId::new(id), Surface::Ide, origin);
        summary.title = row.get::<_, Option<String>>("title")?.filter(|title| !title.trim().is_empty());
        let updated: Option<i64> = row.get("updated_at")?;
        summary.updated_at = updated.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        if row.get::<_, Option<i64>>("is_archived")? == Some(1) {
            summary.flags.insert(Flag::Archived);
        }
        if row.get::<_, Option<String>>("source")?.as_deref() == Some("cloud-cache") {
            summary.flags.insert(Flag::Background);
        } else {
            summary.flags.insert(Flag::Deleted);
        }
        Ok(summary)
    }

    fn body(db: &ReadOnlyDb, rowid: i64) -> Option<String> {
        let mut statement =
            db.connection().prepare("SELECT body FROM conversation_fts WHERE rowid = ?1").ok()?;
        statement
            .query_row([rowid], |row| row.get::<_, Option<String>>(0))
            .ok()?
            .filter(|body| !body.is_empty())
    }

    /// The words that the index kept, as one message: who said what is lost.
    fn conversation(db: &ReadOnlyDb, summary: Summary, rowid: i64) -> Conversation {
        let mut conversation = Conversation::of(summary);
        let Some(body) = Self::body(db, rowid) else { return conversation };
        let at = conversation.summary.origins[0].with_key(format!("conversation_fts:{rowid}"));
        let mut message = Message::new(format!("search-{rowid}"), Role::System, at.clone());
        message.parts.push(Part::Text(body));
        message.deleted = true;
        conversation.messages.push(message);
        conversation.coverage.listed = 1;
        conversation.coverage.read = 1;
        let says = "words kept by the editor's search index; who said them is lost";
        conversation.findings.push(Finding::new(FindingKind::Inferred, at, says));
        conversation
    }
}

impl Source for IdeSearch {
    fn place(&self) -> PathBuf {
        self.file.to_path_buf()
    }

    fn is_backup(&self) -> bool {
        true
    }

    fn summaries(&self) -> Result<(Vec<Summary>, Vec<Finding>), SourceError> {
        let summaries = self.ask(|db| {
            if !db.columns("conversations")?.contains("source") {
                return Ok(Vec::new());
            }
            let read = || -> rusqlite::Result<Vec<Summary>> {
                let mut statement = db.connection().prepare(ALL)?;
                statement.query_map([], |row| self.summary(row))?.collect()
            };
            read().map_err(|because| db.error(because))
        })?;
        Ok((summaries, Vec::new()))
    }

    fn kind(&self) -> &'static str {
        "ide-search"
    }

    fn changes(&self, since: Option<&Mark>) -> Result<Changes, SourceError> {
        Ok(small::database(since, &self.file, &[("conversations", "id")]))
    }

    /// The words are a last resort: where any message is known, only the title is told.
    fn load_beyond(
        &self,
        id: &ConversationId,
        known: &HashSet<&str>,
    ) -> Result<Vec<Conversation>, SourceError> {
        let tellings = self.load(id)?;
        if known.is_empty() {
            return Ok(tellings);
        }
        Ok(tellings.into_iter().map(|telling| Conversation::of(telling.summary)).collect())
    }

    fn load(&self, id: &ConversationId) -> Result<Vec<Conversation>, SourceError> {
        self.ask(|db| {
            if !db.columns("conversations")?.contains("source") {
                return Ok(Vec::new());
            }
            let read = || -> rusqlite::Result<Vec<Conversation>> {
                let mut statement = db.connection().prepare(&format!("{ALL} WHERE id = ?1"))?;
                let found = statement
                    .query_map([id.as_str()], |row| Ok((self.summary(row)?, row.get("fts_rowid")?)))?;
                found
                    .map(|found| found.map(|(summary, rowid)| Self::conversation(db, summary, rowid)))
                    .collect()
            };
            read().map_err(|because| db.error(because))
        })
    }
}
