//! Listing the editor's global database: records, heads, bubbles without a record, chat tabs, each told once.

use std::collections::HashMap;

use backscroll_cursor_format::ide::{Evidence, keys};
use backscroll_model::{Conversation, ConversationId, Finding, FindingKind, Flag, Layer, Summary, Surface};

use crate::ide_composers::{Composers, null_records};
use crate::ide_global::IdeGlobal;
use crate::ide_heads::Heads;
use crate::ide_item_tables as item_table;
use crate::read_only_db::{ReadError, ReadOnlyDb};

impl IdeGlobal {
    pub(crate) fn list(&self) -> Result<(Vec<Summary>, Vec<Finding>), ReadError> {
        let (heads, bubble_owners, mut findings, tabs) = self.connections.ask(|db| self.read_indexes(db))?;
        let composers = Composers::read(&self.connections, &self.file)?;
        findings.extend(heads.findings.iter().cloned());
        findings.extend(composers.findings);
        findings.extend(null_records(composers.null.len(), &self.file));
        let mut summaries: HashMap<ConversationId, Summary> = HashMap::new();
        for listed in composers.listed {
            let Evidence { mut summary, workspace_id, children, .. } = listed.evidence;
            summary.children = children;
            self.unite(&mut summary, workspace_id.as_deref(), heads);
            summaries.insert(summary.id.clone(), summary);
        }
        for id in heads.ids().filter(|id| !summaries.contains_key(id)).cloned().collect::<Vec<_>>() {
            summaries.insert(id.clone(), self.head_alone(&id, heads));
        }
        for id in bubble_owners {
            self.add_bubbles(ConversationId::new(id), &mut summaries);
        }
        let mut all: Vec<Summary> = summaries.into_values().collect();
        all.extend(tabs.into_iter().map(|conversation| conversation.summary));
        if all.iter().all(|summary| summary.messages.unwrap_or(0) == 0) {
            all.extend(self.connections.ask(|db| self.prompts(db))?.map(|prompts| prompts.summary));
        }
        all.sort_by(|a, b| a.id.cmp(&b.id));
        let with_messages = all.iter().filter(|summary| summary.messages.is_some_and(|count| count > 0));
        self.with_messages.get_or_init(|| with_messages.map(|summary| summary.id.clone()).collect());
        Ok((all, findings))
    }

    #[expect(clippy::type_complexity, reason = "it is taken apart at once by its only caller")]
    fn read_indexes(
        &self,
        db: &ReadOnlyDb,
    ) -> Result<(&Heads, Vec<String>, Vec<Finding>, Vec<Conversation>), ReadError> {
        let mut findings = Vec::new();
        let (tabs, troubles) = item_table::chat_tabs(db, &self.file, Layer::IdeGlobal)?;
        findings.extend(troubles);
        findings.extend(self.tracked_lines(db)?.findings.iter().cloned());
        let mut owners = Vec::new();
        if let Some(table) = db.table("cursorDiskKV")? {
            owners = table.segments(keys::BUBBLES)?;
            let null_keys = table.null_keys()?;
            if null_keys > 0 {
                let says = format!("{null_keys} rows have a NULL key and belong to nothing");
                findings.push(Finding::new(FindingKind::NullRow, self.origin("cursorDiskKV"), says));
            }
        }
        Ok((self.heads(db)?, owners, findings, tabs))
    }

    /// A conversation with bubble rows is not empty, and one with nothing else was deleted.
    pub(crate) fn add_bubbles(&self, id: ConversationId, summaries: &mut HashMap<ConversationId, Summary>) {
        match summaries.get_mut(&id) {
            Some(summary) if summary.messages.is_some_and(|listed| listed > 0) => {}
            Some(summary) => {
                summary.flags.remove(&Flag::Empty);
                summary.messages = None;
            }
            None => {
                let origin = self.origin(&format!("{}{id}:", keys::BUBBLES));
                let mut summary = Summary::new(id.clone(), Surface::Ide, origin);
                summary.flags.insert(Flag::Deleted);
                summaries.insert(id, summary);
            }
        }
    }
}
