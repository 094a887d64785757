//! The databases of all workspaces of one user: heads, the first composers (whole, inline), old chat tabs, prompts.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use backscroll_cursor_format::ide::{self, Head, RowKey, RowKind, keys};
use backscroll_cursor_format::uri::FolderUri;
use backscroll_model::{
    Attribution, Catalogue, CatalogueEntry, Catalogued, ConversationId, Decoded, Finding, FindingKind, Flag,
    Fragment, FragmentKind, Inventory, Layer, Mark, Origin, Scope, Source, SourceError, SourceId, Store,
    Summary, Surface, Workspace, error_chain, locked,
};

use crate::files::FileCache;
use crate::fingerprint;
use crate::ide_composers::{chat_tabs, prompts};
use crate::ide_global::{read_error, without_messages};
use crate::in_parallel;
use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::table::{KEY_VALUE, KeyRange};

/// One workspace's database.
#[derive(Debug, Clone)]
pub(crate) struct WorkspaceStore {
    pub(crate) id: String,
    pub(crate) file: Arc<Path>,
    pub(crate) place: Option<FolderUri>,
    /// Whether there may be a log beside it.
    pub(crate) has_log: bool,
    /// Whether another source reads its records, tabs and prompts, because the file may be a global database as well.
    pub(crate) is_global: bool,
    /// Whether the file was named alone, so that records may lie elsewhere.
    pub(crate) is_alone: bool,
    /// Where the global database of its home should be, if there is none.
    pub(crate) missing_global: Option<Arc<Path>>,
}

impl WorkspaceStore {
    /// The folder that is open in it.
    fn workspace(&self) -> Option<Workspace> {
        self.place.clone().map(|place| place.into_workspace(Attribution::WorkspaceList))
    }

    /// Gives everything that the database has of conversations to `each`, or at least what it has of this one, and returns what
    /// was not as it should be.
    fn read(
        &self,
        db: &ReadOnlyDb,
        only: Option<&ConversationId>,
        each: &mut dyn FnMut(Fragment),
    ) -> Result<Vec<Finding>, ReadError> {
        let Some(items) = db.table("ItemTable")? else {
            let at = Origin::new(Layer::IdeWorkspace, Arc::clone(&self.file), "ItemTable");
            let mut findings = db.damage().findings(Layer::IdeWorkspace, &self.file);
            findings.extend(db.unusable("ItemTable", &KEY_VALUE, at)?);
            return Ok(findings);
        };
        let (workspace, mut whole) = (self.workspace(), HashSet::new());
        let mut give = |mut fragment: Fragment| {
            fragment.summary.workspace = workspace.clone().or(fragment.summary.workspace.take());
            each(fragment);
        };
        let mut findings = Vec::new();
        if !self.is_global {
            findings = chat_tabs(db, &self.file, Layer::IdeWorkspace, only, &mut |tab| {
                whole.insert(tab.summary.id.clone());
                give(tab);
            })?;
        }
        let at = Origin::new(Layer::IdeWorkspace, Arc::clone(&self.file), keys::WORKSPACE_COMPOSERS);
        let mut opened: Vec<ConversationId> = Vec::new();
        if let Some(bytes) = items.get(keys::WORKSPACE_COMPOSERS)? {
            let index = ide::workspace_index(&bytes, &at).report_to(&mut findings);
            opened = index.opened;
            let mut is_relying = false;
            for Head { evidence, holds_messages, is_bare } in index.heads {
                let id = &evidence.summary.id;
                if only.is_some_and(|only| only != id) {
                    continue;
                }
                let inline = holds_messages.then(|| ide::inline_conversation(&bytes, id, &at)).flatten();
                match inline {
                    Some(inline) => give(inline),
                    None if whole.contains(id) => {}
                    None => {
                        let head = head_fragment(evidence.summary, is_bare && !self.is_alone);
                        is_relying |= head.summary.flags.contains(&Flag::Lost);
                        give(head);
                    }
                }
            }
            findings.extend(self.missing_global.as_deref().filter(|_| is_relying).map(missing_global));
        }
        items.each(&KeyRange::under(keys::PANES), &mut |row| {
            opened.extend(row.value.map(ide::pane_ids).unwrap_or_default());
        })?;
        self.records(db, only)?.into_iter().for_each(&mut give);
        if !self.is_global {
            let (prompts, troubles) = prompts(db, &self.file, Layer::IdeWorkspace, &self.id)?;
            prompts.into_iter().for_each(&mut give);
            findings.extend(troubles);
        }
        opened.sort();
        opened.dedup();
        opened.iter().filter_map(|id| self.hint(id)).for_each(each);
        findings.extend(db.damage().findings(Layer::IdeWorkspace, &self.file));
        findings.extend(db.too_large(Layer::IdeWorkspace, &self.file, |_| true));
        Ok(findings)
    }

    /// Conversations whose records and bubbles lie in the workspace's own `cursorDiskKV`.
    fn records(&self, db: &ReadOnlyDb, only: Option<&ConversationId>) -> Result<Vec<Fragment>, ReadError> {
        let Some(table) = db.table("cursorDiskKV")?.filter(|_| !self.is_global) else {
            return Ok(Vec::new());
        };
        let mut ids: BTreeSet<String> = table.segments(keys::BUBBLES)?.into_iter().collect();
        ids.extend(table.segments(keys::COMPOSERS)?);
        let mut fragments = Vec::new();
        for id in ids.into_iter().map(ConversationId::new) {
            if only.is_some_and(|only| *only != id) {
                continue;
            }
            let key = RowKind::Record.key(&id);
            let at = Origin::new(Layer::IdeWorkspace, Arc::clone(&self.file), &*key);
            let record = table.get(&key)?;
            let assembled = match &record {
                Some(bytes) => ide::assemble(&id, bytes, &table, &table, &at),
                None => ide::orphaned(&id, &table, &table, &at),
            };
            let mut fragment = assembled.map_err(|because| read_error(&self.file, because))?.fragment;
            let is_its =
                |key: &str| RowKey::parse(key).and_then(|key| key.conversation()) == Some(id.as_str());
            let unread = db.too_large(Layer::IdeWorkspace, &self.file, is_its).into_iter();
            let lost = db.damage().of_conversations(Layer::IdeWorkspace, &self.file);
            fragment.findings.extend(unread.chain(lost.filter(|(of, _)| *of == id).map(|(_, lost)| lost)));
            let is_unread = fragment.findings.iter().any(|finding| finding.at.key == key);
            if record.is_none() && is_unread {
                fragment.summary.flags.retain(|flag| !matches!(flag, Flag::Deleted | Flag::Empty));
            }
            if record.is_some() || is_unread || !fragment.messages.is_empty() {
                fragments.push(fragment);
            }
        }
        Ok(fragments)
    }

    /// A conversation that was open in this workspace.
    fn hint(&self, id: &ConversationId) -> Option<Fragment> {
        let at = Origin::new(Layer::IdeWorkspace, Arc::clone(&self.file), keys::PANES);
        let mut summary = Summary::new(id.clone(), Surface::Ide, at);
        summary.workspace = Some(self.workspace()?);
        Some(Fragment::new(summary).as_evidence())
    }
}

/// What a head says: it has no messages of its own, so unless another place has them there are none. One that `may_be_lost`, has
/// a name and changed after it began once had some.
fn head_fragment(mut summary: Summary, may_be_lost: bool) -> Fragment {
    let is_draft = summary.flags.contains(&Flag::Draft);
    let has_changed = summary.created_at.is_some() && summary.updated_at > summary.created_at;
    if may_be_lost && !is_draft && has_changed && summary.title.is_some() {
        summary.flags.insert(Flag::Lost);
    }
    summary.flags.insert(Flag::Empty);
    Fragment::new(summary)
}

/// The same for every workspace of a home, so that it is told once.
fn missing_global(file: &Path) -> Finding {
    let says =
        format!("workspaces list chats, and the database with their messages is gone: {}", file.display());
    Finding::new(FindingKind::MissingStore, Origin::new(Layer::IdeGlobal, file, ""), says)
}

/// The databases of all workspaces of one user.
#[derive(Debug)]
pub struct IdeWorkspaces {
    folder: PathBuf,
    stores: Vec<WorkspaceStore>,
    is_backup: bool,
    files: Arc<FileCache>,
    recent: Recent,
}

/// The stores that were loaded last, whole. All old chat tabs of a workspace are one value: loading one after the other must
/// not decode all of them each time.
#[derive(Debug, Default)]
struct Recent(Mutex<RecentStores>);

#[derive(Debug, Default)]
struct RecentStores {
    kept: Vec<RecentStore>,
    /// The stores that one conversation was loaded from: a second question means that more will follow.
    loaded_from: HashSet<Arc<Path>>,
}

#[derive(Debug)]
struct RecentStore {
    file: Arc<Path>,
    stamp: u64,
    bytes: u64,
    fragments: Arc<Vec<Fragment>>,
}

/// The maximum number of bytes of stores that are kept; the largest is kept in any case.
const MOST_RECENT: u64 = 64 << 20;

impl RecentStores {
    /// Makes room for a store of this size: what is quickest to read again goes first. False if that is the store itself.
    fn make_room(&mut self, file: &Path, bytes: u64) -> bool {
        self.kept.retain(|one| one.file.as_ref() != file);
        while self.kept.iter().map(|one| one.bytes).sum::<u64>() + bytes > MOST_RECENT {
            let smallest = (0..self.kept.len()).min_by_key(|at| self.kept[*at].bytes);
            match smallest {
                Some(at) if self.kept[at].bytes < bytes => drop(self.kept.swap_remove(at)),
                Some(_) => return false,
                None => return true,
            }
        }
        true
    }
}

impl Recent {
    /// What a store has of conversations: all of them, or at least of this one.
    fn fragments(
        &self,
        store: &WorkspaceStore,
        stamp: u64,
        id: &ConversationId,
    ) -> Result<Arc<Vec<Fragment>>, ReadError> {
        let mut recent = locked(&self.0);
        if let Some(known) = recent.kept.iter().find(|one| one.file == store.file && one.stamp == stamp) {
            return Ok(Arc::clone(&known.fragments));
        }
        let bytes = std::fs::metadata(&store.file).map_or(0, |metadata| metadata.len());
        let is_second = !recent.loaded_from.insert(Arc::clone(&store.file));
        let is_kept = is_second && recent.make_room(&store.file, bytes);
        drop(recent);
        let only = (!is_kept).then_some(id);
        let fragments = Arc::new(ReadOnlyDb::ask(&store.file, |db| {
            let mut fragments = Vec::new();
            store.read(db, only, &mut |fragment| fragments.push(fragment))?;
            Ok(fragments)
        })?);
        if is_kept {
            let (file, fragments) = (Arc::clone(&store.file), Arc::clone(&fragments));
            let mut recent = locked(&self.0);
            if recent.make_room(&file, bytes) {
                recent.kept.push(RecentStore { file, stamp, bytes, fragments });
            }
        }
        Ok(fragments)
    }
}

impl IdeWorkspaces {
    pub(crate) fn new(
        folder: &Path,
        stores: Vec<WorkspaceStore>,
        is_backup: bool,
        files: Arc<FileCache>,
    ) -> Self {
        let mut stores = stores;
        stores.sort_by(|a, b| a.file.cmp(&b.file));
        Self { folder: folder.to_owned(), stores, is_backup, files, recent: Recent::default() }
    }

    fn store(&self, file: &Path) -> Option<&WorkspaceStore> {
        let at = self.stores.binary_search_by(|store| store.file.as_ref().cmp(file)).ok();
        at.map(|at| &self.stores[at])
    }

    fn store_stamp(&self, store: &WorkspaceStore) -> u64 {
        let files = self.files.stamp_with_log(&store.file, store.has_log);
        fingerprint::of(&(files, &store.place, &store.missing_global))
    }
}

impl Inventory for IdeWorkspaces {
    fn files(&self) -> Vec<(Layer, PathBuf)> {
        self.stores.iter().map(|store| (Layer::IdeWorkspace, store.file.to_path_buf())).collect()
    }
}

impl Source for IdeWorkspaces {
    fn id(&self) -> SourceId {
        let live = SourceId::new("ide-workspaces", &self.folder, Layer::IdeWorkspace);
        SourceId { is_backup: self.is_backup, ..live }
    }

    fn stores(&self) -> Decoded<Vec<Store>> {
        let store =
            |store: &WorkspaceStore| Store { path: Arc::clone(&store.file), stamp: self.store_stamp(store) };
        Decoded::clean(in_parallel::each(&self.stores, store))
    }

    /// The log is looked for even if there was none when the folder was searched.
    fn stamp(&self, store: &Path) -> Option<u64> {
        let store = self.store(store)?;
        let files = || self.files.stamp_with_log(&store.file, true);
        store.file.exists().then(|| fingerprint::of(&(files(), &store.place, &store.missing_global)))
    }

    /// A database that cannot be read is a finding.
    fn catalogue(&self, store: &Path, _: Option<&Mark>) -> Result<Catalogue, SourceError> {
        let Some(store) = self.store(store) else { return Ok(Catalogue::whole(Vec::new())) };
        let read = ReadOnlyDb::ask(&store.file, |db| {
            let mut entries: BTreeMap<(ConversationId, FragmentKind), Catalogued> = BTreeMap::new();
            let findings = store.read(db, None, &mut |mut fragment| {
                let key = (fragment.summary.id.clone(), fragment.kind);
                let entry = CatalogueEntry::new(key.0.clone(), Arc::clone(&store.file), key.1);
                let heads = Vec::with_capacity(1);
                let known = entries.entry(key).or_insert_with(|| Catalogued { entry, heads, stamp: 0 });
                known.stamp = known.stamp.wrapping_add(fingerprint::of_fragment(&fragment));
                without_messages(&mut fragment);
                known.heads.push(fragment);
            })?;
            Ok(Catalogue { findings, ..Catalogue::whole(entries.into_values().collect()) })
        });
        match read {
            Ok(catalogue) => Ok(catalogue),
            Err(error) if error.is_passing() => {
                Err(SourceError::new(Layer::IdeWorkspace, &*store.file, error))
            }
            Err(error) => {
                let at = Origin::new(Layer::IdeWorkspace, Arc::clone(&store.file), "");
                let finding = Finding::new(FindingKind::Unreadable, at, error_chain(&error));
                Ok(Catalogue { findings: vec![finding], ..Catalogue::whole(Vec::new()) })
            }
        }
    }

    fn load(&self, entry: &CatalogueEntry, _: Scope<'_>) -> Result<Vec<Fragment>, SourceError> {
        let Some(store) = self.store(&entry.store) else { return Ok(Vec::new()) };
        if entry.kind == FragmentKind::Evidence {
            return Ok(store.hint(&entry.id).into_iter().collect());
        }
        let read = self.recent.fragments(store, self.store_stamp(store), &entry.id);
        let read = read.map_err(|because| SourceError::new(Layer::IdeWorkspace, &*store.file, because))?;
        let is_it = |fragment: &&Fragment| fragment.summary.id == entry.id && fragment.kind == entry.kind;
        Ok(read.iter().filter(is_it).cloned().collect())
    }
}
