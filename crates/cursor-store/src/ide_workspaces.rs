//! The databases of all workspaces of one user: heads, the first composers (whole, inline), old chat tabs, prompts.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use backscroll_cursor_format::ide::{self, Head, keys};
use backscroll_cursor_format::uri::Place;
use backscroll_model::{
    Attribution, CatalogueEntry, Changes, ConversationId, Decoded, Finding, FindingKind, Flag, Fragment,
    FragmentKind, Holding, Inventory, Layer, Mark, Origin, Scope, Selection, Source, SourceError, SourceId,
    Summary, Surface, Workspace,
};

use crate::cli_session::chain;
use crate::feed::stamp;
use crate::ide_composers::{chat_tabs, prompts};
use crate::ide_global::without_messages;
use crate::in_parallel;
use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::table::KeyRange;
use crate::workspace_folders::{WorkspaceFolder, WorkspaceFolders};

/// One workspace's database.
#[derive(Debug, Clone)]
pub(crate) struct WorkspaceStore {
    pub(crate) id: String,
    pub(crate) file: Arc<Path>,
    pub(crate) place: Option<Place>,
}

impl WorkspaceStore {
    /// The main database of a workspace's folder.
    fn main(folder: &WorkspaceFolder) -> Self {
        Self {
            id: folder.id.clone(),
            file: Arc::from(folder.path.join("state.vscdb")),
            place: folder.place.clone(),
        }
    }

    /// The folder that is open in it.
    fn workspace(&self) -> Option<Workspace> {
        self.place.clone().map(|place| place.into_workspace(Attribution::WorkspaceList))
    }

    /// The fragments of all conversations without messages. A database that cannot be read is a finding: the others can.
    fn heads(&self) -> Decoded<Vec<Fragment>> {
        let read = ReadOnlyDb::ask(&self.file, |db| self.read(db));
        let mut heads = read.unwrap_or_else(|error| {
            let at = Origin::new(Layer::IdeWorkspace, Arc::clone(&self.file), "");
            let finding = Finding::new(FindingKind::Unreadable, at, chain(&error));
            Decoded { value: Vec::new(), findings: vec![finding] }
        });
        heads.value.iter_mut().for_each(without_messages);
        heads
    }

    /// Everything that the database has of conversations.
    pub(crate) fn read(&self, db: &ReadOnlyDb) -> Result<Decoded<Vec<Fragment>>, ReadError> {
        let Some(items) = db.table("ItemTable")? else { return Ok(Decoded::clean(Vec::new())) };
        let (mut fragments, mut findings) = chat_tabs(db, &self.file, Layer::IdeWorkspace)?;
        let at = Origin::new(Layer::IdeWorkspace, Arc::clone(&self.file), keys::WORKSPACE_COMPOSERS);
        let mut opened: Vec<ConversationId> = Vec::new();
        if let Some(bytes) = items.get(keys::WORKSPACE_COMPOSERS)? {
            let index = ide::workspace_index(&bytes, &at).report_to(&mut findings);
            opened = index.opened;
            let whole: HashSet<ConversationId> =
                fragments.iter().map(|fragment| fragment.summary.id.clone()).collect();
            for Head { evidence, holds_messages } in index.heads {
                let id = &evidence.summary.id;
                let inline = holds_messages.then(|| ide::inline_conversation(&bytes, id, &at)).flatten();
                match inline {
                    Some(inline) => fragments.push(inline),
                    None if whole.contains(id) => {}
                    None => fragments.push(head_fragment(evidence.summary)),
                }
            }
        }
        items.each(&KeyRange::under(keys::PANES), &mut |row| {
            opened.extend(row.value.map(ide::pane_ids).unwrap_or_default());
        })?;
        let (prompts, troubles) = prompts(db, &self.file, Layer::IdeWorkspace, &self.id)?;
        fragments.extend(prompts);
        findings.extend(troubles);
        for fragment in &mut fragments {
            fragment.summary.workspace = self.workspace().or(fragment.summary.workspace.take());
        }
        opened.sort();
        opened.dedup();
        fragments.extend(opened.iter().filter_map(|id| self.hint(id)));
        Ok(Decoded { value: fragments, findings })
    }

    /// A conversation that was open in this workspace.
    fn hint(&self, id: &ConversationId) -> Option<Fragment> {
        let at = Origin::new(Layer::IdeWorkspace, Arc::clone(&self.file), keys::PANES);
        let mut summary = Summary::new(id.clone(), Surface::Ide, at);
        summary.workspace = Some(self.workspace()?);
        Some(Fragment::new(summary).as_evidence())
    }
}

/// What a head says: it has no messages of its own, so unless another place has them there are none.
fn head_fragment(mut summary: Summary) -> Fragment {
    summary.flags.insert(Flag::Empty);
    Fragment::new(summary)
}

/// The databases of all workspaces of one user.
#[derive(Debug)]
pub struct IdeWorkspaces {
    folder: PathBuf,
    stores: Vec<WorkspaceStore>,
    is_backup: bool,
    /// The heads in each store, read once.
    heads: OnceLock<Vec<Decoded<Vec<Fragment>>>>,
    recent: Recent,
}

/// The stores that were loaded last, whole. All old chat tabs of a workspace are one value: loading one after the other must
/// not decode all of them each time.
#[derive(Debug, Default)]
struct Recent(Mutex<VecDeque<RecentStore>>);

#[derive(Debug)]
struct RecentStore {
    file: Arc<Path>,
    stamp: u64,
    bytes: u64,
    fragments: Arc<Vec<Fragment>>,
}

/// The maximum number of bytes of stores that are kept; one store is kept in any case.
const MOST_RECENT: u64 = 32 << 20;

impl Recent {
    fn fragments(&self, store: &WorkspaceStore) -> Result<Arc<Vec<Fragment>>, ReadError> {
        let stamp = stamp::database(&store.file);
        if let Some(known) = self.all().iter().find(|one| one.file == store.file && one.stamp == stamp) {
            return Ok(Arc::clone(&known.fragments));
        }
        let fragments = Arc::new(ReadOnlyDb::ask(&store.file, |db| store.read(db))?.value);
        let bytes = std::fs::metadata(&store.file).map_or(0, |metadata| metadata.len());
        let mut all = self.all();
        all.retain(|one| one.file != store.file);
        while !all.is_empty() && all.iter().map(|one| one.bytes).sum::<u64>() + bytes > MOST_RECENT {
            all.pop_front();
        }
        let (file, fragments_kept) = (Arc::clone(&store.file), Arc::clone(&fragments));
        all.push_back(RecentStore { file, stamp, bytes, fragments: fragments_kept });
        Ok(fragments)
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<RecentStore>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IdeWorkspaces {
    pub(crate) fn new(folder: &Path, stores: Vec<WorkspaceStore>, is_backup: bool) -> Self {
        Self {
            folder: folder.to_owned(),
            stores,
            is_backup,
            heads: OnceLock::new(),
            recent: Recent::default(),
        }
    }

    /// The main databases of all workspaces in `folders`.
    pub(crate) fn stores(folders: &WorkspaceFolders) -> Vec<WorkspaceStore> {
        let stores = folders.all().iter().map(WorkspaceStore::main);
        stores.filter(|store| !matches!(store.file.try_exists(), Ok(false))).collect()
    }

    pub(crate) fn all_stores(&self) -> &[WorkspaceStore] {
        &self.stores
    }

    fn heads_by_store(&self) -> &[Decoded<Vec<Fragment>>] {
        self.heads.get_or_init(|| in_parallel::each(&self.stores, WorkspaceStore::heads))
    }

    fn store(&self, file: &Path) -> Option<&WorkspaceStore> {
        self.stores.iter().find(|store| *store.file == *file)
    }
}

impl Inventory for IdeWorkspaces {
    fn files(&self) -> Vec<(Layer, PathBuf)> {
        self.stores.iter().map(|store| (Layer::IdeWorkspace, store.file.to_path_buf())).collect()
    }

    fn holdings(&self) -> Result<Vec<Holding>, SourceError> {
        Ok(Vec::new())
    }
}

impl Source for IdeWorkspaces {
    fn id(&self) -> SourceId {
        SourceId {
            kind: "ide-workspaces",
            place: self.folder.clone(),
            is_backup: self.is_backup,
            layer: Layer::IdeWorkspace,
        }
    }

    fn catalogue(&self) -> Result<Vec<CatalogueEntry>, SourceError> {
        let mut entries = Vec::new();
        for (store, heads) in self.stores.iter().zip(self.heads_by_store()) {
            entries.extend(heads.value.iter().map(|fragment| CatalogueEntry {
                workspace: store.place.as_ref().map(|place| place.path.clone()),
                ..CatalogueEntry::new(fragment.summary.id.clone(), Arc::clone(&store.file), fragment.kind)
            }));
        }
        entries.sort();
        entries.dedup();
        Ok(entries)
    }

    fn agents_inside(&self, _: &[&CatalogueEntry]) -> Vec<CatalogueEntry> {
        Vec::new()
    }

    fn heads(&self, wanted: Selection<'_>) -> Result<Decoded<Vec<Fragment>>, SourceError> {
        let mut all = Decoded::clean(Vec::new());
        for (store, heads) in self.stores.iter().zip(self.heads_by_store()) {
            match wanted {
                Selection::All => {
                    all.value.extend(heads.value.iter().cloned());
                    all.findings.extend(heads.findings.iter().cloned());
                }
                Selection::Entries(entries) => {
                    let here = entries.iter().filter(|entry| entry.store == store.file);
                    let here: HashSet<(&ConversationId, FragmentKind)> =
                        here.map(|entry| (&entry.id, entry.kind)).collect();
                    let is_wanted =
                        |fragment: &&Fragment| here.contains(&(&fragment.summary.id, fragment.kind));
                    all.value.extend(heads.value.iter().filter(is_wanted).cloned());
                }
            }
        }
        Ok(all)
    }

    fn load(&self, entry: &CatalogueEntry, _: Scope<'_>) -> Result<Vec<Fragment>, SourceError> {
        let Some(store) = self.store(&entry.store) else { return Ok(Vec::new()) };
        if entry.kind == FragmentKind::Evidence {
            return Ok(store.hint(&entry.id).into_iter().collect());
        }
        let read = self.recent.fragments(store);
        let read = read.map_err(|because| SourceError::new(Layer::IdeWorkspace, &*store.file, because))?;
        let is_it = |fragment: &&Fragment| fragment.summary.id == entry.id && fragment.kind == entry.kind;
        Ok(read.iter().filter(is_it).cloned().collect())
    }

    fn changes(&self, since: Option<&Mark>) -> Result<Changes, SourceError> {
        Ok(self.changes_since(since))
    }
}
