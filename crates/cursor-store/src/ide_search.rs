//! `conversation-search.db`, the editor's own search index (since 3.11): titles, also of conversations in the cloud,
//! and, as a last resort, the words of conversations whose rows are gone.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use backscroll_model::{
    Catalogue, CatalogueEntry, Catalogued, ConversationId, Decoded, Finding, FindingKind, Flag, Fragment,
    FragmentKind, Inventory, Layer, Mark, Message, Origin, Part, Role, Scope, Source, SourceError, SourceId,
    Store, Summary, Surface,
};
use rusqlite::Row;

use crate::files::{ABSENT, FileCache};
use crate::named_columns::row_prints;
use crate::read_only_db::{ReadError, ReadOnlyDb};

/// The editor's search index.
#[derive(Debug)]
pub struct IdeSearch {
    file: Arc<Path>,
    files: Arc<FileCache>,
}

/// What a row says of a conversation, and which row has its words.
type IndexRow = (Fragment, Option<i64>);

const ALL: &str = "SELECT source, id, title, updated_at, is_archived, fts_rowid FROM conversations";

impl IdeSearch {
    /// The index at `file`.
    pub fn new(file: &Path, files: Arc<FileCache>) -> Self {
        Self { file: Arc::from(file), files }
    }

    fn ask<T>(&self, question: impl FnMut(&ReadOnlyDb) -> Result<T, ReadError>) -> Result<T, SourceError> {
        let asked = ReadOnlyDb::ask(&self.file, question);
        asked.map_err(|because| SourceError::new(Layer::IdeSearch, &*self.file, because))
    }

    /// The rows of all conversations, or of one, each with the row of its words; and what is damaged.
    fn rows(&self, id: Option<&ConversationId>) -> Result<Decoded<Vec<IndexRow>>, SourceError> {
        self.ask(|db| {
            let findings = db.damage().findings(Layer::IdeSearch, &self.file);
            if !db.columns("conversations")?.contains("source") {
                return Ok(Decoded { value: Vec::new(), findings });
            }
            let condition = if id.is_some() { " WHERE id = ?1" } else { "" };
            let parameters = rusqlite::params_from_iter(id.map(ConversationId::as_str));
            let value = db.list(&format!("{ALL}{condition}"), parameters, |row| {
                Ok((self.fragment(row)?, row.get("fts_rowid")?))
            })?;
            Ok(Decoded { value, findings })
        })
    }

    fn fragment(&self, row: &Row<'_>) -> rusqlite::Result<Fragment> {
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
        Ok(Fragment::new(summary))
    }

    /// Adds the words that the index kept, as one message: who said what is lost.
    fn add_words(&self, rowid: i64, fragment: &mut Fragment) {
        let at = fragment.origin().with_key(format!("conversation_fts:{rowid}"));
        let body = self.ask(|db| {
            // Of a damaged index only the table behind it is there, with numbered columns.
            let sql = if db.is_read_by_sqlite() {
                "SELECT body FROM conversation_fts WHERE rowid = ?1"
            } else {
                "SELECT c1 FROM conversation_fts_content WHERE id = ?1"
            };
            Ok(db.first(sql, [rowid], |row| row.get::<_, Option<String>>(0))?.flatten())
        });
        let body = match body {
            Ok(body) => body.filter(|body| !body.is_empty()),
            Err(error) => {
                let says = format!("the words that the search index kept cannot be read: {}", error.because);
                fragment.findings.push(Finding::new(FindingKind::Unreadable, at.clone(), says));
                None
            }
        };
        let Some(body) = body else { return };
        let mut message = Message::new(format!("search-{rowid}"), Role::System, at.clone());
        message.parts.push(Part::Text(body));
        message.deleted = true;
        fragment.messages.push(message);
        fragment.count_messages();
        let says = "words kept by the editor's search index; who said them is lost";
        fragment.findings.push(Finding::new(FindingKind::Inferred, at, says));
    }
}

impl Inventory for IdeSearch {}

impl Source for IdeSearch {
    fn id(&self) -> SourceId {
        SourceId { is_backup: true, ..SourceId::new("ide-search", &*self.file, Layer::IdeSearch) }
    }

    fn stores(&self) -> Decoded<Vec<Store>> {
        let stamp = self.files.database_stamp(&self.file);
        Decoded::clean(vec![Store { path: Arc::clone(&self.file), stamp }])
    }

    fn stamp(&self, store: &Path) -> Option<u64> {
        Some(self.files.database_stamp(store)).filter(|stamp| *stamp != ABSENT)
    }

    fn catalogue(&self, _: &Path, _: Option<&Mark>) -> Result<Catalogue, SourceError> {
        let prints = self.ask(|db| row_prints(db, &[("conversations", "id")]))?;
        let mut entries: BTreeMap<ConversationId, Catalogued> = BTreeMap::new();
        let Decoded { value: rows, findings } = self.rows(None)?;
        for (fragment, _) in rows {
            let id = fragment.summary.id.clone();
            let stamp = prints.get(id.as_str()).copied().unwrap_or_default();
            let entry = CatalogueEntry::new(id.clone(), Arc::clone(&self.file), FragmentKind::Account);
            let known = entries.entry(id).or_insert_with(|| Catalogued { entry, heads: Vec::new(), stamp });
            known.heads.push(fragment);
        }
        Ok(Catalogue { findings, ..Catalogue::whole(entries.into_values().collect()) })
    }

    fn load(&self, entry: &CatalogueEntry, _: Scope<'_>) -> Result<Vec<Fragment>, SourceError> {
        let mut fragments = Vec::new();
        for (mut fragment, rowid) in self.rows(Some(&entry.id))?.value {
            if let Some(rowid) = rowid {
                self.add_words(rowid, &mut fragment);
            }
            fragments.push(fragment);
        }
        Ok(fragments)
    }
}
