//! One workspace's database: which conversations it names, and those that stand whole in it.

use std::path::Path;
use std::sync::Arc;

use backscroll_cursor_format::ide::{self, Head, keys};
use backscroll_cursor_format::uri::Place;
use backscroll_model::{
    Attribution, Conversation, ConversationId, Finding, FindingKind, Layer, Origin, Summary, Workspace,
};

use crate::ide_item_tables as item_table;
use crate::key_range::KeyRange;
use crate::read_only_db::{ReadError, ReadOnlyDb};

/// One workspace's database.
#[derive(Debug, Clone)]
pub(crate) struct WorkspaceStore {
    pub(crate) id: String,
    pub(crate) file: Arc<Path>,
    pub(crate) place: Option<Place>,
}

/// What one workspace's database tells.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) heads: Vec<Head>,
    pub(crate) opened: Vec<ConversationId>,
    /// Summaries of conversations that stand whole in this database.
    pub(crate) whole: Vec<Summary>,
    pub(crate) prompts: Option<Summary>,
    pub(crate) findings: Vec<Finding>,
}

impl WorkspaceStore {
    /// A database that cannot be read is a finding: the others still tell.
    pub(crate) fn read(&self) -> Told {
        let told = ReadOnlyDb::ask(&self.file, |db| self.read_db(db));
        told.unwrap_or_else(|error| {
            let at = Origin::new(Layer::IdeWorkspace, Arc::clone(&self.file), "");
            let says = format!("{error}{}", causes(&error));
            Told { findings: vec![Finding::new(FindingKind::Unreadable, at, says)], ..Told::default() }
        })
    }

    pub(crate) fn read_db(&self, db: &ReadOnlyDb) -> Result<Told, ReadError> {
        let mut told = Told::default();
        let Some(items) = db.table("ItemTable")? else { return Ok(told) };
        let at = Origin::new(Layer::IdeWorkspace, Arc::clone(&self.file), keys::WORKSPACE_COMPOSERS);
        if let Some(bytes) = items.get(keys::WORKSPACE_COMPOSERS)? {
            let index = ide::workspace_index(&bytes, &at).report_to(&mut told.findings);
            told.heads = index.heads;
            told.opened = index.opened;
            for head in told.heads.iter().filter(|head| head.holds_messages) {
                let id = &head.evidence.summary.id;
                told.whole.extend(ide::inline_conversation(&bytes, id, &at).map(|whole| whole.summary));
            }
        }
        items.each(&KeyRange::under(keys::PANES), &mut |row| {
            told.opened.extend(row.value.map(ide::pane_ids).unwrap_or_default());
        })?;
        let (tabs, findings) = item_table::chat_tabs(db, &self.file, Layer::IdeWorkspace)?;
        told.whole.extend(tabs.into_iter().map(|tab| tab.summary));
        told.findings.extend(findings);
        let (prompts, findings) = item_table::prompts(db, &self.file, Layer::IdeWorkspace, &self.id)?;
        told.findings.extend(findings);
        told.prompts = prompts.map(|prompts| prompts.summary);
        Ok(told)
    }

    /// The folder that is open in it.
    pub(crate) fn workspace(&self) -> Option<Workspace> {
        self.place.clone().map(|place| place.into_workspace(Attribution::WorkspaceList))
    }

    /// A conversation that stands whole in this database: a tab, a first composer, or the prompts.
    pub(crate) fn whole_conversation(
        &self,
        db: &ReadOnlyDb,
        id: &ConversationId,
    ) -> Result<Option<Conversation>, ReadError> {
        let (tabs, _) = item_table::chat_tabs(db, &self.file, Layer::IdeWorkspace)?;
        if let Some(tab) = tabs.into_iter().find(|tab| tab.summary.id == *id) {
            return Ok(Some(tab));
        }
        let Some(items) = db.table("ItemTable")? else { return Ok(None) };
        let at = Origin::new(Layer::IdeWorkspace, Arc::clone(&self.file), keys::WORKSPACE_COMPOSERS);
        let inline = items.get(keys::WORKSPACE_COMPOSERS)?;
        if let Some(conversation) = inline.and_then(|bytes| ide::inline_conversation(&bytes, id, &at)) {
            return Ok(Some(conversation));
        }
        let (prompts, _) = item_table::prompts(db, &self.file, Layer::IdeWorkspace, &self.id)?;
        Ok(prompts.filter(|prompts| prompts.summary.id == *id))
    }
}

/// The chain of causes behind an error, in brackets.
fn causes(error: &dyn std::error::Error) -> String {
    let mut said = String::new();
    let mut next = error.source();
    while let Some(cause) = next {
        said.extend([": ", &cause.to_string()]);
        next = cause.source();
    }
    said
}
