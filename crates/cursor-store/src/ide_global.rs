//! The editor's global database: composer records, bubbles, heads and the agent's blobs.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use backscroll_cursor_format::ide::{self, Assembled, Evidence, keys};
use backscroll_model::{
    Attribution, Changes, Conversation, ConversationId, Decoded, Finding, Flag, KeptFiles, Layer, Mark,
    Message, Origin, Source, SourceError, Summary, Surface, Workspace,
};

use crate::agent_layer;
use crate::connections::Connections;
use crate::cursor_home::CursorHomes;
use crate::feed::fingerprint;
use crate::ide_heads::{Heads, known};
use crate::ide_item_tables as item_table;
use crate::ide_tracked_lines::TrackedLines;
use crate::key_range::KeyRange;
use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::table::Table;
use crate::workspace_folders::WorkspaceFolders;

/// The editor's global database, or a backup or copy of it.
#[derive(Debug)]
pub struct IdeGlobal {
    pub(crate) file: Arc<Path>,
    pub(crate) connections: Connections,
    folders: Arc<WorkspaceFolders>,
    pub(crate) is_backup: bool,
    pub(crate) homes: CursorHomes,
    heads: OnceLock<Heads>,
    pub(crate) tracked: OnceLock<TrackedLines>,
    /// Conversations that list messages, once a listing has told.
    pub(crate) with_messages: OnceLock<HashSet<ConversationId>>,
}

impl IdeGlobal {
    /// The database at `file`, whose workspace ids mean `folders`.
    pub fn new(file: &Path, folders: Arc<WorkspaceFolders>, is_backup: bool) -> Self {
        let connections = Connections::to(file);
        Self {
            file: Arc::from(file),
            connections,
            folders,
            is_backup,
            homes: CursorHomes::default(),
            heads: OnceLock::new(),
            tracked: OnceLock::new(),
            with_messages: OnceLock::new(),
        }
    }

    /// With what lies in these Cursor homes beside it.
    pub(crate) fn beside(mut self, homes: &CursorHomes) -> Self {
        self.homes = homes.clone();
        self
    }

    /// Whether the record of a conversation lists any message.
    pub(crate) fn has_messages(&self, id: &ConversationId) -> bool {
        if let Some(known) = self.with_messages.get() {
            return known.contains(id);
        }
        let key = format!("{}{id}", keys::COMPOSERS);
        let read = self.connections.ask(|db| match db.table("cursorDiskKV")? {
            Some(table) => table.get(&key),
            None => Ok(None),
        });
        let Ok(Some(bytes)) = read else { return false };
        let listed = ide::index_entry(id, &bytes, &self.origin(&key)).value;
        listed.is_some_and(|listed| listed.evidence.summary.messages.is_some_and(|count| count > 0))
    }

    /// Whether any conversation has messages. If that cannot be read, whoever asks for a listing hears why.
    pub(crate) fn has_any_messages(&self) -> bool {
        if let Some(known) = self.with_messages.get() {
            return !known.is_empty();
        }
        self.connections.ask(|db| self.look_for_messages(db)).unwrap_or(false)
    }

    pub(crate) fn origin(&self, key: &str) -> Origin {
        Origin::new(Layer::IdeGlobal, Arc::clone(&self.file), key)
    }

    pub(crate) fn heads(&self, db: &ReadOnlyDb) -> Result<&Heads, ReadError> {
        if let Some(heads) = self.heads.get() {
            return Ok(heads);
        }
        let heads = Heads::read(db, &self.file)?;
        Ok(self.heads.get_or_init(|| heads))
    }

    /// A fingerprint of each workspace's place.
    pub(crate) fn folder_prints(&self) -> BTreeMap<String, u64> {
        let placed = self.folders.all().iter().filter(|folder| folder.place.is_some());
        placed.map(|folder| (folder.id.clone(), fingerprint::of_all(&folder.place))).collect()
    }

    fn error(&self, because: ReadError) -> SourceError {
        SourceError::new(&*self.file, because)
    }

    /// Unites what the record and the heads tell of one conversation.
    pub(crate) fn unite(&self, summary: &mut Summary, workspace_id: Option<&str>, heads: &Heads) {
        let own = workspace_id.and_then(|id| known(id, &self.folders, Attribution::Record));
        let mut workspaces: Vec<Workspace> = summary.workspace.take().into_iter().chain(own).collect();
        workspaces.extend(heads.project(&summary.id, &self.folders));
        for head in heads.of(&summary.id) {
            let Evidence { summary: told, workspace_id, .. } = &head.evidence;
            let by_id = workspace_id.as_deref().and_then(|id| known(id, &self.folders, Attribution::Header));
            workspaces.extend(told.workspace.clone().into_iter().chain(by_id));
            summary.title = told.title.clone().or(summary.title.take());
            summary.created_at = summary.created_at.or(told.created_at);
            summary.updated_at = summary.updated_at.max(told.updated_at);
            summary.mode = summary.mode.take().or_else(|| told.mode.clone());
            summary.parent = summary.parent.take().or_else(|| told.parent.clone());
            summary.flags.extend(&told.flags);
            summary.origins.extend(told.origins.iter().cloned());
        }
        summary.workspace = workspaces.into_iter().min_by_key(|workspace| workspace.by);
    }

    /// Prompts without answers: what is left when nothing else is.
    pub(crate) fn prompts(&self, db: &ReadOnlyDb) -> Result<Option<Conversation>, ReadError> {
        Ok(item_table::prompts(db, &self.file, Layer::IdeGlobal, "global")?.0)
    }

    /// A conversation that only an index names: a draft, one in the cloud, or one whose record is lost.
    pub(crate) fn head_alone(&self, id: &ConversationId, heads: &Heads) -> Summary {
        let mut summary = Summary::new(id.clone(), Surface::Ide, self.origin(keys::HEADERS));
        summary.origins.clear();
        self.unite(&mut summary, None, heads);
        let subtitle = heads.of(id).iter().find_map(|head| head.evidence.subtitle.clone());
        summary.title = summary.title.or(subtitle);
        if !summary.flags.contains(&Flag::Background) {
            summary.flags.insert(Flag::Empty);
        }
        summary
    }

    fn load_one(&self, db: &ReadOnlyDb, id: &ConversationId) -> Result<Vec<Conversation>, ReadError> {
        let (tabs, _) = item_table::chat_tabs(db, &self.file, Layer::IdeGlobal)?;
        let tab = tabs.into_iter().find(|conversation| conversation.summary.id == *id);
        let heads = self.heads(db)?;
        let mut tellings: Vec<Conversation> = tab.into_iter().collect();
        if let Some(table) = db.table("cursorDiskKV")? {
            tellings.extend(self.load_rows(table, id, heads)?);
        }
        if tellings.is_empty() && !heads.of(id).is_empty() {
            tellings.push(Conversation::of(self.head_alone(id, heads)));
        }
        if tellings.is_empty() {
            tellings.extend(self.prompts(db)?.filter(|prompts| prompts.summary.id == *id));
        }
        Ok(tellings)
    }

    fn load_rows(
        &self,
        table: Table<'_>,
        id: &ConversationId,
        heads: &Heads,
    ) -> Result<Vec<Conversation>, ReadError> {
        let key = format!("{}{id}", keys::COMPOSERS);
        let at = self.origin(&key);
        let read = |because: backscroll_cursor_format::RowsError| read_error(&self.file, because);
        let assembled = match table.get(&key)? {
            Some(bytes) => ide::assemble(id, &bytes, &table, &table, &at),
            None => ide::orphaned(id, &table, &table, &at),
        };
        let Assembled { mut conversation, workspace_id, state } = assembled.map_err(read)?;
        let is_known =
            conversation.coverage.listed > 0 || !conversation.summary.flags.contains(&Flag::Deleted);
        if !is_known {
            return Ok(Vec::new());
        }
        let record = conversation.summary.clone();
        self.unite(&mut conversation.summary, workspace_id.as_deref(), heads);
        conversation.fact_origins = heads.facts_of(&record, &conversation.summary);
        let state = match state {
            Some(state) => Some(state),
            None => checkpoint(table, id)?,
        };
        let agent =
            state.and_then(|state| agent_layer::telling(&state, &table, &self.file, &mut conversation));
        Ok(std::iter::once(conversation).chain(agent).collect())
    }
}

/// The root blob that a checkpoint row names, written as `conversationState` would be.
pub(crate) fn checkpoint(table: Table<'_>, id: &ConversationId) -> Result<Option<String>, ReadError> {
    let Some(named) = table.get(&format!("{}{id}", keys::CHECKPOINTS))? else { return Ok(None) };
    let blob = String::from_utf8_lossy(&named).trim().to_owned();
    let bytes = table.get(&format!("{}{blob}", keys::BLOBS))?;
    Ok(bytes.map(|bytes| backscroll_cursor_format::agent::state_of_root(&bytes)))
}

/// What went wrong while rows were asked for is always an error of this room.
pub(crate) fn read_error(file: &Path, because: backscroll_cursor_format::RowsError) -> ReadError {
    match because.downcast::<ReadError>() {
        Ok(error) => *error,
        Err(other) => ReadError::Other { path: file.to_owned(), because: other },
    }
}

impl Source for IdeGlobal {
    fn place(&self) -> PathBuf {
        self.file.to_path_buf()
    }

    fn is_backup(&self) -> bool {
        self.is_backup
    }

    fn summaries(&self) -> Result<(Vec<Summary>, Vec<Finding>), SourceError> {
        self.list().map_err(|because| self.error(because))
    }

    fn load(&self, id: &ConversationId) -> Result<Vec<Conversation>, SourceError> {
        let told = self.connections.ask(|db| Ok((self.load_one(db, id)?, self.tracked_of(db, id)?)));
        let (mut tellings, tracked) = told.map_err(|because| self.error(because))?;
        // The record comes first; what the agent's blobs tell is told by it, too.
        if let Some(record) = tellings.first_mut() {
            self.homes.attach(record);
        }
        tellings.extend(tracked);
        Ok(tellings)
    }

    fn load_beyond(
        &self,
        id: &ConversationId,
        known: &HashSet<&str>,
    ) -> Result<Vec<Conversation>, SourceError> {
        let prefix = format!("{}{id}:", keys::BUBBLES);
        let adds_rows = self.connections.ask(|db| {
            let Some(table) = db.table("cursorDiskKV")? else { return Ok(false) };
            let mut adds = false;
            table.each_key(&KeyRange::under(&prefix), &mut |key| {
                let bubble = std::str::from_utf8(key).ok().and_then(|key| key.strip_prefix(&prefix));
                adds |= bubble.is_none_or(|bubble| !known.contains(bubble));
            })?;
            Ok(adds || known.is_empty())
        });
        if adds_rows.map_err(|because| self.error(because))? { self.load(id) } else { Ok(Vec::new()) }
    }

    fn load_some(
        &self,
        id: &ConversationId,
        messages: &HashSet<&str>,
    ) -> Result<Option<Vec<Conversation>>, SourceError> {
        self.connections.ask(|db| self.load_part(db, id, messages)).map_err(|because| self.error(because))
    }

    fn kept_files(&self, id: &ConversationId) -> Result<Decoded<KeptFiles>, SourceError> {
        let key = format!("{}{id}", keys::COMPOSERS);
        let read = self.connections.ask(|db| {
            let nothing = Decoded::clean(KeptFiles::default());
            let Some(table) = db.table("cursorDiskKV")? else { return Ok(nothing) };
            let Some(bytes) = table.get(&key)? else { return Ok(nothing) };
            let kept = ide::kept_files(id, &bytes, &table, &self.origin(&key));
            kept.map_err(|because| read_error(&self.file, because))
        });
        read.map_err(|because| self.error(because))
    }

    fn belongings(&self) -> Result<Vec<(ConversationId, Workspace)>, SourceError> {
        self.connections.ask(|db| self.tracked_folders(db)).map_err(|because| self.error(because))
    }

    fn kind(&self) -> &'static str {
        "ide-global"
    }

    fn changes(&self, since: Option<&Mark>) -> Result<Changes, SourceError> {
        self.changes_since(since).map_err(|because| self.error(because))
    }

    fn summaries_of(&self, ids: &BTreeSet<ConversationId>) -> Result<Vec<Summary>, SourceError> {
        self.list_some(ids).map_err(|because| self.error(because))
    }

    fn message(&self, conversation: &ConversationId, at: &Origin) -> Result<Option<Message>, SourceError> {
        let prefix = format!("{}{conversation}:", keys::BUBBLES);
        let is_ours = at.layer == Layer::IdeGlobal && at.file == self.file;
        let Some(id) = at.key.strip_prefix(&prefix).filter(|_| is_ours) else { return Ok(None) };
        let read = self.connections.ask(|db| match db.table("cursorDiskKV")? {
            Some(table) => table.get(&at.key),
            None => Ok(None),
        });
        let bytes = read.map_err(|because| self.error(because))?;
        let bubble = bytes.and_then(|bytes| ide::bubble(id, &bytes, at, None, &mut Vec::new()));
        Ok(bubble.map(|bubble| bubble.message))
    }

    fn ids(&self, beginning: &str) -> Result<Vec<ConversationId>, SourceError> {
        let range = KeyRange::under(&format!("{}{beginning}", keys::COMPOSERS));
        let ask = |db: &ReadOnlyDb| {
            let mut ids: HashSet<ConversationId> = HashSet::new();
            if let Some(table) = db.table("cursorDiskKV")? {
                table.each_key(&range, &mut |key| {
                    let key = String::from_utf8_lossy(key);
                    ids.extend(key.strip_prefix(keys::COMPOSERS).map(ConversationId::new));
                })?;
                let orphans = table.segments_from(keys::BUBBLES, beginning)?;
                ids.extend(orphans.into_iter().map(ConversationId::new));
            }
            let (tabs, _) = item_table::chat_tabs(db, &self.file, Layer::IdeGlobal)?;
            ids.extend(tabs.into_iter().map(|tab| tab.summary.id));
            ids.extend(self.heads(db)?.ids().cloned());
            ids.retain(|id| id.as_str().starts_with(beginning));
            Ok(ids.into_iter().collect())
        };
        self.connections.ask(ask).map_err(|because| self.error(because))
    }
}
