//! Listing just a few conversations of the editor's global database: by their keys, in the words of the whole listing.

use std::collections::{BTreeSet, HashMap};

use backscroll_cursor_format::ide::{self, Evidence, keys};
use backscroll_model::{ConversationId, Layer, Summary};

use crate::ide_global::IdeGlobal;
use crate::ide_item_tables as item_table;
use crate::key_range::KeyRange;
use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::table::Table;

impl IdeGlobal {
    /// What the whole listing tells of these conversations.
    pub(crate) fn list_some(&self, ids: &BTreeSet<ConversationId>) -> Result<Vec<Summary>, ReadError> {
        self.connections.ask(|db| {
            let heads = self.heads(db)?;
            let table = db.table("cursorDiskKV")?;
            let mut all = Vec::new();
            for id in ids {
                let record = table.map_or(Ok(None), |table| self.record(table, id))?;
                let mut told: HashMap<ConversationId, Summary> = HashMap::new();
                if let Some(Evidence { mut summary, workspace_id, children, .. }) = record {
                    summary.children = children;
                    self.unite(&mut summary, workspace_id.as_deref(), heads);
                    told.insert(summary.id.clone(), summary);
                } else if !heads.of(id).is_empty() {
                    told.insert(id.clone(), self.head_alone(id, heads));
                }
                if table.map_or(Ok(false), |table| has_bubbles(table, id))? {
                    self.add_bubbles(id.clone(), &mut told);
                }
                all.extend(told.into_values());
            }
            let (tabs, _) = item_table::chat_tabs(db, &self.file, Layer::IdeGlobal)?;
            all.extend(tabs.into_iter().map(|tab| tab.summary).filter(|tab| ids.contains(&tab.id)));
            let prompts = self.prompts(db)?.map(|prompts| prompts.summary);
            if let Some(prompts) = prompts.filter(|prompts| ids.contains(&prompts.id))
                && !self.look_for_messages(db)?
            {
                all.push(prompts);
            }
            all.sort_by(|a, b| a.id.cmp(&b.id));
            Ok(all)
        })
    }

    /// The record of one conversation, as a listing reads it.
    fn record(&self, table: Table<'_>, id: &ConversationId) -> Result<Option<Evidence>, ReadError> {
        let key = format!("{}{id}", keys::COMPOSERS);
        let Some(bytes) = table.get(&key)? else { return Ok(None) };
        let Some(mut listed) = ide::index_entry(id, &bytes, &self.origin(&key)).value else {
            return Ok(None);
        };
        let summary = &mut listed.evidence.summary;
        if let (None, Some(bubble)) = (&summary.title, &listed.first_user_bubble) {
            let row = table.get(&format!("{}{id}:{bubble}", keys::BUBBLES))?;
            summary.title = row.and_then(|bytes| ide::first_line(&bytes));
        }
        Ok(Some(listed.evidence))
    }

    /// Whether any conversation has messages, found without looking at all of them.
    pub(crate) fn look_for_messages(&self, db: &ReadOnlyDb) -> Result<bool, ReadError> {
        let has_any = |summary: &Summary| summary.messages.is_some_and(|count| count > 0);
        let (tabs, _) = item_table::chat_tabs(db, &self.file, Layer::IdeGlobal)?;
        if tabs.iter().any(|tab| has_any(&tab.summary)) {
            return Ok(true);
        }
        let Some(table) = db.table("cursorDiskKV")? else { return Ok(false) };
        let mut ids = Vec::new();
        table.each_key(&KeyRange::under(keys::COMPOSERS), &mut |key| {
            let key = String::from_utf8_lossy(key);
            ids.extend(key.strip_prefix(keys::COMPOSERS).map(ConversationId::new));
        })?;
        for id in ids {
            let record = self.record(table, &id)?;
            if record.is_some_and(|record| has_any(&record.summary)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether a conversation has bubbles of its own.
fn has_bubbles(table: Table<'_>, id: &ConversationId) -> Result<bool, ReadError> {
    let owners = table.has_any(&KeyRange::under(&format!("{}{id}:", keys::BUBBLES)))?;
    Ok(owners || table.get(&format!("{}{id}", keys::BUBBLES))?.is_some())
}
