//! The change feed of a `state.vscdb`: rows of conversations, the indexes of conversations, and the workspaces that both
//! name.

use std::collections::{BTreeMap, BTreeSet};

use backscroll_cursor_format::ide::keys;
use backscroll_cursor_format::tracked_lines;
use backscroll_model::{Changes, ConversationId, Layer, Mark};
use rusqlite::types::ValueRef;

use super::state_memory::Memory;
use super::{fingerprint, mark_text, stamp, state_keys, state_plans, state_rows};
use crate::ide_composers::Composers;
use crate::ide_global::IdeGlobal;
use crate::ide_heads::Heads;
use crate::ide_item_tables as item_table;
use crate::read_only_db::{ReadError, ReadOnlyDb};

/// The values of `ItemTable` that tell of conversations.
const ITEMS: [&str; 7] = [
    keys::HEADERS,
    keys::PROJECTS,
    keys::MEMBERSHIP,
    keys::CHAT_TABS,
    keys::PROMPTS,
    keys::GENERATIONS,
    tracked_lines::KEY,
];

impl IdeGlobal {
    /// What changed since `since`; nothing is opened where nothing was written.
    pub(crate) fn changes_since(&self, since: Option<&Mark>) -> Result<Changes, ReadError> {
        let folders = self.folder_prints();
        let identity = stamp::identity(&self.file);
        let plans = self.homes.plan_files();
        let at = fingerprint::of(&(stamp::database(&self.file), identity, &folders, &plans));
        if since.is_some_and(|mark| mark_text::is_at(mark, at)) {
            return Ok(Changes::Nothing);
        }
        let remembered: Option<Memory> = mark_text::read(since);
        let is_known = remembered.is_some();
        let old = remembered.unwrap_or_default();
        let (mut new, mut named) = self.connections.ask(|db| {
            let (mut new, named) = self.compare(db, &old, identity)?;
            let known = old.plan_speakers.as_ref();
            new.plan_speakers = state_plans::speakers(db, known, &named, !plans.is_empty())?;
            Ok((new, named))
        })?;
        if old.plans != plans {
            named.extend(new.plan_speakers.iter().flatten().cloned());
        }
        let moved: BTreeSet<&str> = differing(&old.folders, &folders).map(String::as_str).collect();
        if is_known && !moved.is_empty() {
            named.extend(self.in_workspaces(&moved)?);
        }
        (new.folders, new.plans) = (folders, plans);
        let mark = mark_text::write(at, &new);
        let mut conversations: BTreeSet<ConversationId> =
            named.into_iter().map(ConversationId::new).collect();
        // Prompts are told only where no conversation has messages.
        if !conversations.is_empty() && new.heads.contains_key(state_keys::prompts().as_str()) {
            conversations.insert(state_keys::prompts());
        }
        Ok(if is_known { Changes::These { conversations, mark } } else { Changes::Anything { mark } })
    }

    fn compare(
        &self,
        db: &ReadOnlyDb,
        old: &Memory,
        identity: u64,
    ) -> Result<(Memory, BTreeSet<String>), ReadError> {
        let schema = db.connection().query_row("PRAGMA schema_version", [], |row| row.get(0));
        let schema: i64 = schema.map_err(|because| db.error(because))?;
        let is_same_file = (identity, schema) == (old.identity, old.schema);
        let (rows, mut named) = state_rows::compare(db, &old.rows, is_same_file)?;
        let indexes = stored_indexes(db)?;
        let heads = if indexes == old.indexes { old.heads.clone() } else { self.told_by_indexes(db)? };
        named.extend(differing(&old.heads, &heads).cloned());
        Ok((Memory { identity, schema, rows, indexes, heads, ..Memory::default() }, named))
    }

    /// What the indexes tell of each conversation. They are read anew: what was read before may be older.
    fn told_by_indexes(&self, db: &ReadOnlyDb) -> Result<BTreeMap<String, u64>, ReadError> {
        let mut told = Heads::read(db, &self.file)?.prints();
        let (mut whole, _) = item_table::chat_tabs(db, &self.file, Layer::IdeGlobal)?;
        whole.extend(self.prompts(db)?);
        for conversation in whole {
            let print = told.entry(conversation.summary.id.as_str().to_owned()).or_default();
            *print = print.wrapping_add(fingerprint::of_all(&conversation));
        }
        for (id, one) in self.tracked_lines_now(db)?.each() {
            let print = told.entry(id.to_owned()).or_default();
            *print = print.wrapping_add(fingerprint::of_all(one));
        }
        Ok(told)
    }

    /// Conversations that name one of these workspaces by its id.
    fn in_workspaces(&self, ids: &BTreeSet<&str>) -> Result<Vec<String>, ReadError> {
        let is_one = |id: Option<&str>| id.is_some_and(|id| ids.contains(id));
        let heads = self.connections.ask(|db| Heads::read(db, &self.file))?;
        let mut named: Vec<String> =
            heads.naming_workspace(&is_one).map(|id| id.as_str().to_owned()).collect();
        let records = Composers::read(&self.connections, &self.file)?.listed.into_iter();
        let records = records.filter(|listed| is_one(listed.evidence.workspace_id.as_deref()));
        named.extend(records.map(|listed| listed.evidence.summary.id.as_str().to_owned()));
        Ok(named)
    }
}

/// A fingerprint of everything that tells of conversations besides their rows, as it is stored.
fn stored_indexes(db: &ReadOnlyDb) -> Result<u64, ReadError> {
    let mut prints = Vec::new();
    if let Some(items) = db.table("ItemTable")? {
        for key in ITEMS {
            prints.push(fingerprint::of(&unless_damaged(items.get(key))?));
        }
    }
    if db.columns("composerHeaders")?.is_empty() {
        return Ok(fingerprint::of(&prints));
    }
    let mut read = || -> rusqlite::Result<()> {
        let mut statement = db.connection().prepare("SELECT * FROM composerHeaders")?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                prints.push(match row.get_ref(column)? {
                    ValueRef::Null => 0,
                    ValueRef::Integer(number) => fingerprint::of(&number),
                    ValueRef::Real(number) => fingerprint::of(&number.to_bits()),
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => fingerprint::of(bytes),
                });
            }
        }
        Ok(())
    };
    read().map_err(|because| db.error(because))?;
    Ok(fingerprint::of(&prints))
}

/// What is damaged tells nothing, and so does not change; whoever reads it says so.
fn unless_damaged(value: Result<Option<Vec<u8>>, ReadError>) -> Result<Option<Vec<u8>>, ReadError> {
    match value {
        Err(error) if !error.is_passing() => Ok(None),
        read => read,
    }
}

/// Names under which two memories have different things.
fn differing<'a>(
    before: &'a BTreeMap<String, u64>,
    after: &'a BTreeMap<String, u64>,
) -> impl Iterator<Item = &'a String> {
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    let changed = after.iter().filter(|(name, print)| before.get(*name) != Some(*print));
    gone.chain(changed.map(|(name, _)| name))
}
