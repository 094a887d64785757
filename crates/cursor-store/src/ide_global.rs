//! The editor's global database: composer records, bubbles, heads, old chat tabs, prompts and the agent's blobs.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use backscroll_cursor_format::agent;
use backscroll_cursor_format::ide::{self, Assembled, Evidence, Head, RowKey, RowKind, keys};
use backscroll_cursor_format::{Row, Rows, RowsError};
use backscroll_model::{
    Attribution, Catalogue, CatalogueEntry, ChangedMessages, ConversationId, Decoded, Fact, Finding,
    FindingKind, Flag, Fragment, Inventory, Layer, Mark, Message, MessageStamps, Origin, Role, Scope, Source,
    SourceError, SourceId, Store, Summary, Surface,
};

use crate::agent_layer::AgentGraph;
use crate::files::FileCache;
use crate::fingerprint;
use crate::ide_composers::{Composers, chat_tabs, prompts};
use crate::ide_heads::{Heads, known};
use crate::read_only_db::{Connections, ReadError, ReadOnlyDb};
use crate::table::{KEY_VALUE, KeyRange, Table};
use crate::tracking::TrackedLines;
use crate::workspace_folders::WorkspaceFolders;

/// More conversations without a record are not listed: each takes some 6 KB of memory.
const MOST_ORPHANED: usize = 50_000;

/// The editor's global database, or a backup or copy of it.
#[derive(Debug)]
pub struct IdeGlobal {
    pub(crate) file: Arc<Path>,
    pub(crate) connections: Arc<Connections>,
    folders: Arc<WorkspaceFolders>,
    is_backup: bool,
    files: Arc<FileCache>,
    /// The indexes of conversations, parsed once: they are large, and each conversation needs a bit of them.
    heads: OnceLock<Heads>,
    tracked: OnceLock<TrackedLines>,
    /// The ids of all messages, as sorted numbers: made once somebody looks for a message that its own conversation does not have.
    message_ids: OnceLock<Vec<u64>>,
}

/// The table of messages with the ids of all of them.
struct MessageRows<'a> {
    table: Table<'a>,
    ids: &'a OnceLock<Vec<u64>>,
}

impl Rows for MessageRows<'_> {
    fn value(&self, key: &str) -> Result<Option<Option<Vec<u8>>>, RowsError> {
        self.table.value(key)
    }

    fn under(&self, prefix: &str, each: &mut dyn FnMut(Row<'_>)) -> Result<(), RowsError> {
        self.table.under(prefix, each)
    }

    fn keys_under(&self, prefix: &str, each: &mut dyn FnMut(&[u8])) -> Result<(), RowsError> {
        self.table.keys_under(prefix, each)
    }

    fn may_have_message(&self, id: &str) -> Result<bool, RowsError> {
        if self.ids.get().is_none() {
            let mut ids = Vec::new();
            self.table.keys_under(keys::BUBBLES, &mut |key| {
                let key = std::str::from_utf8(key).ok().and_then(RowKey::parse);
                ids.extend(key.and_then(|key| key.rest).map(fingerprint::of));
            })?;
            ids.sort_unstable();
            self.ids.get_or_init(|| ids);
        }
        Ok(self.ids.get().is_some_and(|ids| ids.binary_search(&fingerprint::of(id)).is_ok()))
    }
}

impl IdeGlobal {
    /// The database at `file`, whose workspace ids mean `folders`.
    pub fn new(file: &Path, folders: Arc<WorkspaceFolders>, is_backup: bool, files: Arc<FileCache>) -> Self {
        Self {
            file: Arc::from(file),
            connections: Arc::new(Connections::to(file)),
            folders,
            is_backup,
            files,
            heads: OnceLock::new(),
            tracked: OnceLock::new(),
            message_ids: OnceLock::new(),
        }
    }

    fn origin(&self, key: &str) -> Origin {
        Origin::new(Layer::IdeGlobal, Arc::clone(&self.file), key)
    }

    fn heads(&self, db: &ReadOnlyDb) -> Result<&Heads, ReadError> {
        if let Some(heads) = self.heads.get() {
            return Ok(heads);
        }
        let heads = Heads::read(db, &self.file)?;
        Ok(self.heads.get_or_init(|| heads))
    }

    /// A fingerprint of each workspace's place.
    pub(crate) fn folder_prints(&self) -> BTreeMap<String, u64> {
        let placed = self.folders.all().iter().filter(|folder| folder.place.is_some());
        placed.map(|folder| (folder.id.clone(), fingerprint::of(&folder.place))).collect()
    }

    fn error(&self, because: ReadError) -> SourceError {
        SourceError::new(Layer::IdeGlobal, &*self.file, because)
    }

    fn ask<T>(&self, question: impl FnMut(&ReadOnlyDb) -> Result<T, ReadError>) -> Result<T, SourceError> {
        self.connections.ask(question).map_err(|because| self.error(because))
    }

    /// The list of tracked lines as it is stored now. That of a backup is not read: the database itself has what came
    /// later.
    pub(crate) fn tracked_lines_now(&self, db: &ReadOnlyDb) -> Result<TrackedLines, ReadError> {
        if self.is_backup { Ok(TrackedLines::default()) } else { TrackedLines::read(db, &self.file) }
    }

    fn tracked_lines(&self, db: &ReadOnlyDb) -> Result<&TrackedLines, ReadError> {
        if let Some(known) = self.tracked.get() {
            return Ok(known);
        }
        let read = self.tracked_lines_now(db)?;
        Ok(self.tracked.get_or_init(|| read))
    }

    /// Prompts without answers, which belong to no workspace.
    pub(crate) fn prompts(&self, db: &ReadOnlyDb) -> Result<Option<Fragment>, ReadError> {
        Ok(prompts(db, &self.file, Layer::IdeGlobal, "global")?.0)
    }

    /// Gives a fragment the folder by the strongest route that this database knows.
    fn place(
        &self,
        fragment: &mut Fragment,
        workspace_id: Option<&str>,
        by: Attribution,
        heads: Option<&Heads>,
    ) {
        let by_id = workspace_id.and_then(|id| known(id, &self.folders, by));
        let project = heads.and_then(|heads| heads.project(&fragment.summary.id, &self.folders));
        let routes = fragment.summary.workspace.take().into_iter().chain(by_id).chain(project);
        fragment.summary.workspace = routes.min_by_key(|workspace| workspace.by);
        if fragment.summary.workspace.as_ref().is_some_and(|workspace| workspace.by == Attribution::Project) {
            let at = Origin::new(Layer::IdeHeaders, Arc::clone(&self.file), keys::MEMBERSHIP);
            fragment.note(Fact::Workspace, &at);
        }
    }

    /// What the record of a conversation says of it. With bubble rows it is not empty, whatever its list says.
    fn listed_record(&self, evidence: Evidence, has_bubbles: bool, heads: &Heads) -> Fragment {
        let Evidence { mut summary, workspace_id, children, .. } = evidence;
        summary.children = children;
        if has_bubbles && summary.messages.is_none_or(|listed| listed == 0) {
            summary.flags.remove(&Flag::Empty);
            summary.messages = None;
        }
        let mut fragment = Fragment::new(summary);
        self.place(&mut fragment, workspace_id.as_deref(), Attribution::Record, Some(heads));
        fragment
    }

    /// A conversation of which only bubble rows are left. Where its record is NULL, Cursor deleted it; where there is none, it
    /// was deleted unless an index still names it. Its messages say when it was.
    fn listed_bubbles(
        &self,
        table: Table<'_>,
        id: &ConversationId,
        is_null: bool,
        heads: &Heads,
    ) -> Result<Fragment, ReadError> {
        let origin = self.origin(&RowKind::Bubble.under(id));
        let mut summary = Summary::new(id.clone(), Surface::Ide, origin);
        if is_null || heads.get(id).is_empty() {
            summary.flags.insert(Flag::Deleted);
        }
        let mut take = |row: Row<'_>| {
            let at = row.value.and_then(ide::bubble_time);
            summary.created_at = [summary.created_at, at].into_iter().flatten().min();
            summary.updated_at = summary.updated_at.max(at);
        };
        table.each(&KeyRange::under(&RowKind::Bubble.under(id)), &mut take)?;
        table.each(&KeyRange::only(&RowKind::Bubble.key(id)), &mut take)?;
        Ok(Fragment::new(summary))
    }

    /// That the record is NULL: Cursor deleted the conversation, whatever still lists it.
    fn null_record(&self, id: &ConversationId) -> Fragment {
        let mut summary = Summary::new(id.clone(), Surface::Ide, self.origin(&RowKind::Record.key(id)));
        summary.flags.insert(Flag::Deleted);
        Fragment::new(summary).as_evidence()
    }

    /// What each index entry says of a conversation. Where there is no record (`is_alone`), it is a draft, one in the
    /// cloud, or one whose record is lost; where the record is NULL, Cursor deleted it.
    fn head_fragments<'a>(
        &'a self,
        id: &ConversationId,
        heads: &'a Heads,
        is_alone: bool,
        is_null: bool,
    ) -> impl Iterator<Item = Fragment> + 'a {
        heads.get(id).iter().map(move |Head { evidence, .. }| {
            let mut summary = evidence.summary.clone();
            summary.models.clear();
            if is_alone {
                summary.title = summary.title.or_else(|| evidence.subtitle.clone());
                if !summary.flags.contains(&Flag::Background) {
                    summary.flags.insert(Flag::Empty);
                }
            }
            if is_null {
                summary.flags.insert(Flag::Deleted);
            }
            let mut fragment = Fragment::new(summary);
            let projects = is_alone.then_some(heads);
            self.place(&mut fragment, evidence.workspace_id.as_deref(), Attribution::Header, projects);
            fragment
        })
    }

    /// The heads of all conversations, or of these.
    pub(crate) fn listed(&self, ids: Option<&BTreeSet<ConversationId>>) -> Result<ListedHeads, ReadError> {
        let was_salvaged = self.connections.is_salvaged();
        let list = || match ids {
            Some(ids) => self.connections.ask(|db| self.list_some(db, ids)),
            None => self.list_all(),
        };
        let mut listed = list()?;
        if self.connections.is_salvaged() != was_salvaged {
            // Questions before the one that found the damage may have had wrong answers.
            listed = list()?;
        }
        let damage = self.connections.damage();
        listed.findings.extend(damage.findings(Layer::IdeGlobal, &self.file));
        for (id, finding) in damage.of_conversations(Layer::IdeGlobal, &self.file) {
            if ids.is_none_or(|ids| ids.contains(&id)) {
                listed.add_finding(id, finding);
            }
        }
        Ok(listed)
    }

    fn list_all(&self) -> Result<ListedHeads, ReadError> {
        let (indexes, mut listed, owners) = self.connections.ask(|db| {
            let mut owners: Vec<ConversationId> = Vec::new();
            if let Some(table) = db.table("cursorDiskKV")? {
                owners = table.segments(keys::BUBBLES)?.into_iter().map(ConversationId::new).collect();
                owners.sort_unstable();
            }
            let indexes = Heads::read(db, &self.file)?;
            let listed = self.read_items(db, &indexes)?;
            Ok((indexes, listed, owners))
        })?;
        let composers = Composers::read(&self.connections, &self.file)?;
        listed.add_records(self, composers, &|id| owners.binary_search(id).is_ok(), &indexes);
        let null: HashSet<ConversationId> = listed.null_records.iter().map(ConversationId::new).collect();
        let mut alone = owners;
        alone.retain(|id| !listed.records.contains(id));
        alone.dedup();
        if alone.len() > MOST_ORPHANED {
            let says = format!(
                "{} conversations have messages and no record; only {MOST_ORPHANED} of them are listed",
                alone.len()
            );
            listed.findings.push(Finding::new(FindingKind::TooLarge, self.origin(keys::BUBBLES), says));
            alone.truncate(MOST_ORPHANED);
            alone.shrink_to_fit();
        }
        // A head is large, so that not all of them are held twice.
        for some in alone.chunks(1_000) {
            let left = self.connections.ask(|db| match db.table("cursorDiskKV")? {
                Some(table) => {
                    let left = |id| self.listed_bubbles(table, id, null.contains(id), &indexes);
                    some.iter().map(left).collect::<Result<Vec<_>, _>>()
                }
                None => Ok(Vec::new()),
            })?;
            for head in left {
                listed.add(head);
            }
        }
        listed.records.extend(alone);
        for id in indexes.ids() {
            let is_alone = !listed.records.contains(id);
            let heads = self.head_fragments(id, &indexes, is_alone, null.contains(id));
            heads.for_each(|head| listed.add(head));
        }
        Ok(listed)
    }

    fn list_some(&self, db: &ReadOnlyDb, ids: &BTreeSet<ConversationId>) -> Result<ListedHeads, ReadError> {
        let indexes = Heads::read(db, &self.file)?;
        let mut listed = self.read_items(db, &indexes)?;
        listed.heads.retain(|id, _| ids.contains(id));
        let table = db.table("cursorDiskKV")?;
        for id in ids {
            let (mut is_alone, mut is_null) = (true, false);
            if let Some(table) = table {
                let has_bubbles = has_bubbles(table, id)?;
                let record = Composers::read_one(db, table, id, &self.file)?;
                is_null = !record.null.is_empty();
                listed.add_records(self, record, &|_| has_bubbles, &indexes);
                if has_bubbles && listed.records.insert(id.clone()) {
                    listed.add(self.listed_bubbles(table, id, is_null, &indexes)?);
                }
                is_alone = !listed.records.contains(id);
            }
            self.head_fragments(id, &indexes, is_alone, is_null).for_each(|head| listed.add(head));
        }
        Ok(listed)
    }

    /// What is read besides records and their indexes: chat tabs, prompts, tracked lines, and what is wrong with the whole.
    fn read_items(&self, db: &ReadOnlyDb, indexes: &Heads) -> Result<ListedHeads, ReadError> {
        let mut listed = ListedHeads::default();
        let mut add = |mut whole: Fragment| {
            without_messages(&mut whole);
            listed.add(whole);
        };
        let findings = chat_tabs(db, &self.file, Layer::IdeGlobal, None, &mut add)?;
        self.prompts(db)?.into_iter().for_each(add);
        listed.findings = findings;
        let tracked = self.tracked_lines_now(db)?;
        tracked.hints().for_each(|hint| listed.add(hint));
        listed.findings.extend(tracked.findings.iter().cloned());
        listed.findings.extend(indexes.findings.iter().cloned());
        let tables: [(&str, &[&str]); 3] =
            [("cursorDiskKV", &KEY_VALUE), ("ItemTable", &KEY_VALUE), ("composerHeaders", &["composerId"])];
        for (table, columns) in tables {
            listed.findings.extend(db.unusable(table, columns, self.origin(table))?);
        }
        if let Some(table) = db.table("cursorDiskKV")? {
            let null_keys = table.null_keys()?;
            if null_keys > 0 {
                let says = format!("{null_keys} rows have a NULL key and belong to nothing");
                listed.findings.push(Finding::new(FindingKind::NullRow, self.origin("cursorDiskKV"), says));
            }
        }
        Ok(listed)
    }

    /// Conversations that stand whole in `ItemTable`: an old chat tab, or the prompts.
    fn load_items(&self, db: &ReadOnlyDb, id: &ConversationId) -> Result<Vec<Fragment>, ReadError> {
        let mut tabs = Vec::new();
        chat_tabs(db, &self.file, Layer::IdeGlobal, Some(id), &mut |tab| tabs.push(tab))?;
        let found = tabs.into_iter().chain(self.prompts(db)?);
        Ok(found.filter(|fragment| fragment.summary.id == *id).collect())
    }

    fn load_whole(&self, db: &ReadOnlyDb, id: &ConversationId) -> Result<Vec<Fragment>, ReadError> {
        let heads = self.heads(db)?;
        let mut fragments = self.load_items(db, id)?;
        let (mut is_alone, mut is_null) = (true, false);
        if let Some(table) = db.table("cursorDiskKV")? {
            let key = RowKind::Record.key(id);
            let rows =
                table.read(&key, |record| self.load_rows(db, table, id, Some(record), false, heads))?;
            let rows = if let Some(rows) = rows {
                rows?
            } else {
                is_null = table.has_key(&key)? && !db.is_too_large(&key);
                self.load_rows(db, table, id, None, is_null, heads)?
            };
            is_alone = rows.is_empty();
            fragments.extend(rows);
        }
        fragments.extend(self.head_fragments(id, heads, is_alone, is_null));
        fragments.extend(is_null.then(|| self.null_record(id)));
        if let Some(first) = fragments.first_mut() {
            first.findings.extend(db.unusable("cursorDiskKV", &KEY_VALUE, self.origin("cursorDiskKV"))?);
            let known = first.summary.children.clone();
            first.summary.children.extend(heads.children(id).filter(|child| !known.contains(child)).cloned());
        }
        fragments.extend(self.tracked_lines(db)?.fragment(id));
        let lost = db.damage().of_conversations(Layer::IdeGlobal, &self.file);
        let lost = lost.filter(|(of, _)| of == id).map(|(_, finding)| finding);
        let is_its = |key: &str| RowKey::parse(key).and_then(|key| key.conversation()) == Some(id.as_str());
        for finding in lost.chain(db.too_large(Layer::IdeGlobal, &self.file, is_its)) {
            match fragments.first_mut() {
                Some(fragment) => fragment.findings.push(finding),
                None => fragments.push(undecoded(id.clone(), finding)),
            }
        }
        Ok(fragments)
    }

    /// The record with its bubbles, and the outline of the agent's own account.
    fn load_rows(
        &self,
        db: &ReadOnlyDb,
        table: Table<'_>,
        id: &ConversationId,
        record: Option<&[u8]>,
        is_null: bool,
        heads: &Heads,
    ) -> Result<Vec<Fragment>, ReadError> {
        let at = self.origin(&RowKind::Record.key(id));
        let rows = MessageRows { table, ids: &self.message_ids };
        let assembled = match record {
            Some(bytes) => ide::assemble(id, bytes, &rows, &table, &at),
            None => ide::orphaned(id, &rows, &table, &at),
        };
        let Assembled { mut fragment, workspace_id, state } =
            assembled.map_err(|because| read_error(&self.file, because))?;
        if db.is_too_large(&at.key) {
            fragment.summary.flags.retain(|flag| !matches!(flag, Flag::Deleted | Flag::Empty));
        }
        // As in a listing: without a record that can be read, any row of a bubble makes it a conversation.
        let has_record = !fragment.summary.flags.contains(&Flag::Deleted);
        if !has_record && !has_bubbles(table, id)? {
            return Ok(Vec::new());
        }
        if record.is_none() && !is_null && !heads.get(id).is_empty() {
            fragment.summary.flags.remove(&Flag::Deleted);
        }
        self.place(&mut fragment, workspace_id.as_deref(), Attribution::Record, Some(heads));
        let state = match state {
            Some(state) => Some(state),
            None => checkpoint(table, id)?,
        };
        let graph = state.map(|state| AgentGraph::read(id, &state, &table, &self.file));
        let outline = match graph {
            Some(Ok(Some(graph))) if graph.has_more_than_turns() => Some(graph.load(None)),
            Some(Ok(Some(graph))) => Some(graph.outline(&fragment.summary)),
            Some(Err(finding)) => {
                fragment.findings.push(finding);
                None
            }
            Some(Ok(None)) | None => None,
        };
        fill_empty_prompts(table, &mut fragment, outline.as_ref())?;
        Ok(std::iter::once(fragment).chain(outline).collect())
    }

    /// The agent's own account: these turns of it, or all.
    fn load_turns(
        &self,
        db: &ReadOnlyDb,
        id: &ConversationId,
        turns: Option<&[usize]>,
    ) -> Result<Vec<Fragment>, ReadError> {
        let Some(table) = db.table("cursorDiskKV")? else { return Ok(Vec::new()) };
        let state = table.read(&RowKind::Record.key(id), ide::agent_state)?;
        let state = match state.flatten() {
            Some(state) => Some(state),
            None => checkpoint(table, id)?,
        };
        let graph = state.and_then(|state| AgentGraph::read(id, &state, &table, &self.file).ok()?);
        Ok(graph.into_iter().map(|graph| graph.load(turns)).collect())
    }

    /// The bubbles with these ids, with the rows that they refer to. `None` if one of them has no row, or the record is gone.
    fn load_messages(
        &self,
        db: &ReadOnlyDb,
        id: &ConversationId,
        wanted: &HashSet<&str>,
    ) -> Result<Option<Fragment>, ReadError> {
        let Some(table) = db.table("cursorDiskKV")? else { return Ok(None) };
        let key = RowKind::Record.key(id);
        let at = self.origin(&key);
        let some =
            |record: &[u8]| ide::assemble_some(id, record, wanted.iter().copied(), &table, &table, &at);
        let Some(read) = table.read(&key, some)? else { return Ok(None) };
        let fragment = read.map_err(|because| read_error(&self.file, because))?;
        let found = fragment.messages.len() + fragment.orphans.len();
        Ok(Some(fragment).filter(|some| some.coverage.missing == 0 && found == wanted.len()))
    }

    /// Ids and roles: those of the record's list, then bubbles that it does not name.
    fn load_ids(&self, db: &ReadOnlyDb, id: &ConversationId) -> Result<Vec<Fragment>, ReadError> {
        let mut fragments = self.load_items(db, id)?;
        let Some(table) = db.table("cursorDiskKV")? else { return Ok(fragments) };
        let key = RowKind::Record.key(id);
        let at = self.origin(&key);
        let mut fragment = Fragment::new(Summary::new(id.clone(), Surface::Ide, at.clone()));
        let listed = table.read(&key, |record| ide::listed_messages(id, record, &at))?;
        fragment.messages = listed.unwrap_or_default();
        let listed: HashSet<String> =
            fragment.messages.iter().map(|message| message.id.as_str().to_owned()).collect();
        let prefix = RowKind::Bubble.under(id);
        table.each_key(&KeyRange::under(&prefix), &mut |key| {
            let key = String::from_utf8_lossy(key);
            let bubble = key.strip_prefix(&prefix).unwrap_or(&key);
            if !listed.contains(bubble) {
                fragment.orphans.push(Message::new(bubble, Role::Assistant, at.with_key(&*key)));
            }
        })?;
        fragments.push(fragment);
        Ok(fragments)
    }

    /// The listed messages whose rows are others than in `known`. A row that is written anew has another number; of the last ones the
    /// length counts too, because a row may also be changed in its place. `None` where single rows do not tell: without row numbers,
    /// with messages inside of the record, or with prompts whose words are elsewhere.
    fn changed_messages(
        &self,
        db: &ReadOnlyDb,
        id: &ConversationId,
        known: Option<&MessageStamps>,
    ) -> Result<Option<ChangedMessages>, ReadError> {
        let Some(table) = db.table("cursorDiskKV")?.filter(Table::has_rowid) else { return Ok(None) };
        let key = RowKind::Record.key(id);
        let Some(record) = table.get(&key)? else { return Ok(None) };
        let at = self.origin(&key);
        let listed = ide::listed_messages(id, &record, &at);
        let rows = table.row_numbers(&RowKind::Bubble.under(id))?;
        if !listed.iter().any(|message| rows.contains_key(message.id.as_str())) {
            return Ok(None);
        }
        let mut stamps = MessageStamps::with_capacity(listed.len());
        let mut wanted = Vec::new();
        let long_ago = listed.len().saturating_sub(LAST_MESSAGES);
        for (number, message) in listed.iter().enumerate() {
            let row = rows.get(message.id.as_str()).copied().unwrap_or_default();
            let before = known.and_then(|known| known.get(&message.id)).copied();
            let stamp = match before {
                Some(before) if number < long_ago && before >> LENGTH_BITS == row.unsigned_abs() => before,
                _ => row.unsigned_abs() << LENGTH_BITS | table.length_of(row)? & ((1 << LENGTH_BITS) - 1),
            };
            if known.is_some() && before != Some(stamp) {
                wanted.push(message.id.as_str());
            }
            stamps.insert(message.id.clone(), stamp);
        }
        let mut changed = ChangedMessages { messages: Vec::new(), stamps };
        if !wanted.is_empty() {
            let read = ide::assemble_some(id, &record, wanted, &table, &table, &at);
            changed.messages = read.map_err(|because| read_error(&self.file, because))?.messages;
        }
        let is_elsewhere = |message: &Message| message.role == Role::User && message.parts.is_empty();
        Ok(Some(changed).filter(|changed| !changed.messages.iter().any(is_elsewhere)))
    }

    fn load_files(&self, db: &ReadOnlyDb, id: &ConversationId) -> Result<Vec<Fragment>, ReadError> {
        let key = RowKind::Record.key(id);
        let Some(table) = db.table("cursorDiskKV")? else { return Ok(Vec::new()) };
        let Some(bytes) = table.get(&key)? else { return Ok(Vec::new()) };
        let at = self.origin(&key);
        let kept =
            ide::kept_files(id, &bytes, &table, &at).map_err(|because| read_error(&self.file, because))?;
        let mut fragment = Fragment::new(Summary::new(id.clone(), Surface::Ide, at));
        fragment.kept_files = kept.report_to(&mut fragment.findings);
        Ok(vec![fragment])
    }
}

/// Of this many messages at the end of a conversation the lengths of rows are compared.
const LAST_MESSAGES: usize = 64;
/// How much of a message's stamp is the length of its row; the rest is the row's number.
const LENGTH_BITS: u32 = 24;

/// Whether there is any row of a message of this conversation.
fn has_bubbles(table: Table<'_>, id: &ConversationId) -> Result<bool, ReadError> {
    Ok(table.has_any(&KeyRange::under(&RowKind::Bubble.under(id)))?
        || table.has_key(&RowKind::Bubble.key(id))?)
}

/// Gives prompts without words those of the agent's blob of the same request. Where the outline has the turn, merging does
/// so; else all blobs are looked through, because nothing else leads to the right one.
fn fill_empty_prompts(
    table: Table<'_>,
    fragment: &mut Fragment,
    outline: Option<&Fragment>,
) -> Result<(), ReadError> {
    let turns = outline.and_then(|outline| outline.outline.as_deref()).unwrap_or_default();
    let known: HashSet<&str> = turns.iter().filter_map(|turn| turn.request_id.as_deref()).collect();
    let is_empty = |message: &Message| message.role == Role::User && message.parts.is_empty();
    let mut empty: HashMap<String, usize> = HashMap::new();
    for (at, message) in fragment.messages.iter().enumerate().filter(|(_, message)| is_empty(message)) {
        if let Some(request) = message.request_id.as_deref().filter(|request| !known.contains(request)) {
            empty.insert(request.to_owned(), at);
        }
    }
    if empty.is_empty() {
        return Ok(());
    }
    let mut found = Vec::new();
    table.each(&KeyRange::under(keys::BLOBS), &mut |row| {
        let Some(words) = row.value.and_then(agent::prompt_words) else { return };
        if let Some(at) = empty.remove(&words.request_id) {
            found.push((at, String::from_utf8_lossy(row.key).into_owned(), words.parts));
        }
    })?;
    for (at, key, parts) in found {
        let message = &mut fragment.messages[at];
        message.parts = parts;
        let origin = message.origin.with_key(key).as_layer(Layer::AgentBlobs);
        message.note(Fact::Text, None, &origin);
        message.also.push(origin);
        fragment.coverage.empty = fragment.coverage.empty.saturating_sub(1);
        fragment.coverage.read += 1;
    }
    Ok(())
}

/// The heads of conversations.
#[derive(Debug, Default)]
pub(crate) struct ListedHeads {
    pub(crate) heads: BTreeMap<ConversationId, Vec<Fragment>>,
    /// Those of them that have a record or bubbles.
    records: HashSet<ConversationId>,
    /// Conversations whose record is NULL.
    pub(crate) null_records: Vec<String>,
    /// What is wrong with the database as a whole.
    pub(crate) findings: Vec<Finding>,
}

impl ListedHeads {
    fn add(&mut self, head: Fragment) {
        // Nearly all have one head, and a head is large: an empty list would make room for four.
        self.heads.entry(head.summary.id.clone()).or_insert_with(|| Vec::with_capacity(1)).push(head);
    }

    fn add_records(
        &mut self,
        of: &IdeGlobal,
        composers: Composers,
        has_bubbles: &dyn Fn(&ConversationId) -> bool,
        indexes: &Heads,
    ) {
        for id in composers.null {
            if self.null_records.len() < MOST_ORPHANED {
                self.add(of.null_record(&id));
            }
            self.null_records.push(id.as_str().to_owned());
        }
        for listed in composers.listed {
            let id = listed.evidence.summary.id.clone();
            self.add(of.listed_record(listed.evidence, has_bubbles(&id), indexes));
            self.records.insert(id);
        }
        for (id, finding) in composers.findings {
            self.add_finding(id, finding);
        }
    }

    fn add_finding(&mut self, id: ConversationId, finding: Finding) {
        match self.heads.get_mut(&id).and_then(|heads| heads.last_mut()) {
            Some(head) => head.findings.push(finding),
            None => self.add(undecoded(id, finding)),
        }
    }
}

/// A record that says nothing: it makes no conversation, but what is wrong with it is known.
fn undecoded(id: ConversationId, finding: Finding) -> Fragment {
    let summary = Summary::new(id, Surface::Ide, finding.at.clone());
    Fragment { findings: vec![finding], ..Fragment::new(summary).as_evidence() }
}

/// Leaves the head alone: for decoders that only read whole conversations.
pub(crate) fn without_messages(fragment: &mut Fragment) {
    fragment.messages.clear();
    fragment.orphans.clear();
    fragment.findings.clear();
}

/// The root blob that a checkpoint row names, written as `conversationState` would be.
fn checkpoint(table: Table<'_>, id: &ConversationId) -> Result<Option<String>, ReadError> {
    let Some(named) = table.get(&RowKind::AgentCheckpoint.key(id))? else { return Ok(None) };
    let blob = String::from_utf8_lossy(&named).trim().to_owned();
    let bytes = table.get(&RowKind::AgentBlob.key(&blob))?;
    Ok(bytes.map(|bytes| backscroll_cursor_format::agent::state_of_root(&bytes)))
}

/// What went wrong while a decoder asked for rows is always an error of this room.
pub(crate) fn read_error(file: &Path, because: backscroll_cursor_format::RowsError) -> ReadError {
    match because.downcast::<ReadError>() {
        Ok(error) => *error,
        Err(other) => ReadError::other(file, other),
    }
}

impl Inventory for IdeGlobal {}

impl Source for IdeGlobal {
    fn id(&self) -> SourceId {
        let live = SourceId::new("ide-global", &*self.file, Layer::IdeGlobal);
        SourceId { is_backup: self.is_backup, ..live }
    }

    fn stores(&self) -> Decoded<Vec<Store>> {
        let stamp = fingerprint::of(&(self.files.database_stamp(&self.file), self.folders.stamp()));
        Decoded::clean(vec![Store { path: Arc::clone(&self.file), stamp }])
    }

    fn stamp(&self, _: &Path) -> Option<u64> {
        let stores = self.stores().value;
        stores.first().filter(|store| store.path.exists()).map(|store| store.stamp)
    }

    fn rest(&self) {
        self.connections.rest();
    }

    fn renewed(&self) -> Option<Arc<dyn Source>> {
        Some(Arc::new(Self {
            file: Arc::clone(&self.file),
            connections: Arc::clone(&self.connections),
            folders: Arc::clone(&self.folders),
            is_backup: self.is_backup,
            files: Arc::clone(&self.files),
            heads: OnceLock::new(),
            tracked: OnceLock::new(),
            message_ids: OnceLock::new(),
        }))
    }

    fn load_changed(
        &self,
        entry: &CatalogueEntry,
        known: Option<&MessageStamps>,
    ) -> Result<Option<ChangedMessages>, SourceError> {
        self.ask(|db| self.changed_messages(db, &entry.id, known))
    }

    fn catalogue(&self, _: &Path, since: Option<&Mark>) -> Result<Catalogue, SourceError> {
        self.catalogue_since(since).map_err(|because| self.error(because))
    }

    fn load(&self, entry: &CatalogueEntry, scope: Scope<'_>) -> Result<Vec<Fragment>, SourceError> {
        let id = &entry.id;
        self.ask(|db| match scope {
            Scope::Whole => self.load_whole(db, id),
            Scope::Messages(wanted) => match self.load_messages(db, id, wanted)? {
                Some(fragment) => Ok(vec![fragment]),
                None => self.load_whole(db, id),
            },
            Scope::WithoutBodies => self.load_ids(db, id),
            Scope::Turns(turns) => self.load_turns(db, id, Some(turns)),
            Scope::AllTurns => self.load_turns(db, id, None),
            Scope::Files => self.load_files(db, id),
        })
    }
}
