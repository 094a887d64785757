//! The databases of all workspaces of one user: heads, the first composers (whole, inline), old chat tabs, prompts.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use backscroll_cursor_format::ide;
use backscroll_model::{
    Changes, Conversation, ConversationId, Finding, Flag, Layer, Mark, Source, SourceError, Summary,
    Workspace,
};

use crate::ide_global::IdeGlobal;
use crate::ide_workspace::{Told, WorkspaceStore};
use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::workspace_claims;
use crate::workspace_folders::WorkspaceFolders;

/// The databases of all workspaces of one user.
#[derive(Debug)]
pub struct IdeWorkspaces {
    folder: PathBuf,
    stores: Vec<WorkspaceStore>,
    /// Where the bodies of these workspaces' conversations are: prompts are told only where there are none.
    global: Option<Arc<IdeGlobal>>,
    is_backup: bool,
    read: OnceLock<Vec<Told>>,
    owners: OnceLock<HashMap<ConversationId, Vec<usize>>>,
}

impl IdeWorkspaces {
    pub(crate) fn new(
        folder: &Path,
        stores: Vec<WorkspaceStore>,
        global: Option<Arc<IdeGlobal>>,
        is_backup: bool,
    ) -> Self {
        Self {
            folder: folder.to_owned(),
            stores,
            global,
            is_backup,
            read: OnceLock::new(),
            owners: OnceLock::new(),
        }
    }

    /// The main databases of all workspaces in `folders`.
    pub(crate) fn stores(folders: &WorkspaceFolders) -> Vec<WorkspaceStore> {
        let store = |folder: &crate::workspace_folders::WorkspaceFolder| WorkspaceStore {
            id: folder.id.clone(),
            file: Arc::from(folder.path.join("state.vscdb")),
            place: folder.place.clone(),
        };
        folders
            .all()
            .iter()
            .map(store)
            .filter(|store| !matches!(store.file.try_exists(), Ok(false)))
            .collect()
    }

    pub(crate) fn stores_read(&self) -> &[WorkspaceStore] {
        &self.stores
    }

    pub(crate) fn global(&self) -> Option<&IdeGlobal> {
        self.global.as_deref()
    }

    /// The prompts of every workspace where they are all that is left.
    pub(crate) fn prompts_of_all(&self) -> Vec<Summary> {
        let told = self.stores.iter().zip(self.told());
        told.filter_map(|(store, told)| self.prompts_left(store, told)).collect()
    }

    /// Reads all databases once, two at a time.
    fn told(&self) -> &[Told] {
        self.read.get_or_init(|| {
            let (first, second) = self.stores.split_at(self.stores.len() / 2);
            let read =
                |stores: &[WorkspaceStore]| stores.iter().map(WorkspaceStore::read).collect::<Vec<_>>();
            std::thread::scope(|scope| {
                let other = scope.spawn(|| read(second));
                let mut told = read(first);
                told.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
                told
            })
        })
    }

    /// The prompts, where they are all that is left of this workspace's conversations. Those of a window without a
    /// folder may have been asked in any conversation: they are told as remains of a deleted one.
    fn prompts_left(&self, store: &WorkspaceStore, told: &Told) -> Option<Summary> {
        let mut prompts = told.prompts.clone()?;
        let is_whole = told.whole.iter().any(|summary| summary.messages.is_some_and(|count| count > 0));
        let mut named = told.heads.iter().map(|head| &head.evidence.summary.id).chain(&told.opened);
        let has_rows =
            |id: &ConversationId| self.global.as_ref().is_some_and(|global| global.has_messages(id));
        if is_whole || named.any(has_rows) {
            return None;
        }
        let is_elsewhere = self.global.as_ref().is_some_and(|global| global.has_any_messages());
        if ide::is_windowless(&store.id) && is_elsewhere {
            prompts.flags.insert(Flag::Deleted);
        }
        Some(prompts)
    }

    /// Which databases tell of which conversation.
    fn owners(&self) -> &HashMap<ConversationId, Vec<usize>> {
        self.owners.get_or_init(|| {
            let mut owners: HashMap<ConversationId, Vec<usize>> = HashMap::new();
            for (at, told) in self.told().iter().enumerate() {
                let heads = told.heads.iter().map(|head| &head.evidence.summary.id);
                let whole = told.whole.iter().chain(&told.prompts).map(|summary| &summary.id);
                for id in heads.chain(whole) {
                    let of_id = owners.entry(id.clone()).or_default();
                    if of_id.last() != Some(&at) {
                        of_id.push(at);
                    }
                }
            }
            owners
        })
    }

    fn load_one(&self, at: usize, id: &ConversationId) -> Result<Option<Conversation>, ReadError> {
        let (store, told) = (&self.stores[at], &self.told()[at]);
        let prompts = told.prompts.as_ref().filter(|prompts| prompts.id == *id);
        let prompts = prompts.and_then(|_| self.prompts_left(store, told));
        let mut conversation = if prompts.is_some() || told.whole.iter().any(|summary| summary.id == *id) {
            ReadOnlyDb::ask(&store.file, |db| store.whole_conversation(db, id))?
        } else {
            let head = told.heads.iter().find(|head| head.evidence.summary.id == *id);
            head.map(|head| Conversation::of(without_body(&head.evidence.summary)))
        };
        if let (Some(conversation), Some(prompts)) = (&mut conversation, prompts) {
            conversation.summary.flags = prompts.flags;
        }
        if let Some(conversation) = &mut conversation {
            self.attribute(store, &mut conversation.summary);
        }
        Ok(conversation)
    }

    fn attribute(&self, store: &WorkspaceStore, summary: &mut Summary) {
        summary.workspace = store.workspace().or(summary.workspace.take());
        if self.is_backup {
            summary.flags.insert(Flag::Deleted);
        }
    }
}

/// What a head tells: it has no messages of its own, so unless another place has them there are none.
fn without_body(head: &Summary) -> Summary {
    let mut summary = head.clone();
    summary.flags.insert(Flag::Empty);
    summary
}

impl Source for IdeWorkspaces {
    fn place(&self) -> PathBuf {
        self.folder.clone()
    }

    fn is_backup(&self) -> bool {
        self.is_backup
    }

    fn files(&self) -> Vec<(Layer, PathBuf)> {
        self.stores.iter().map(|store| (Layer::IdeWorkspace, store.file.to_path_buf())).collect()
    }

    fn prepare(&self) {
        self.told();
    }

    fn summaries(&self) -> Result<(Vec<Summary>, Vec<Finding>), SourceError> {
        let mut summaries = Vec::new();
        let mut findings = Vec::new();
        for (store, told) in self.stores.iter().zip(self.told()) {
            findings.extend(told.findings.iter().cloned());
            let whole: HashSet<&ConversationId> = told.whole.iter().map(|summary| &summary.id).collect();
            let heads = told.heads.iter().map(|head| &head.evidence.summary);
            let heads = heads.filter(|head| !whole.contains(&head.id)).map(without_body);
            let prompts = self.prompts_left(store, told);
            for mut summary in told.whole.iter().cloned().chain(prompts).chain(heads) {
                self.attribute(store, &mut summary);
                summaries.push(summary);
            }
        }
        let summaries = workspace_claims::settle(summaries, &mut findings);
        Ok((summaries, findings))
    }

    fn load(&self, id: &ConversationId) -> Result<Vec<Conversation>, SourceError> {
        let mut tellings = Vec::new();
        for &at in self.owners().get(id).into_iter().flatten() {
            let told = self.load_one(at, id);
            tellings.extend(told.map_err(|because| SourceError::new(&*self.stores[at].file, because))?);
        }
        Ok(tellings)
    }

    fn kind(&self) -> &'static str {
        "ide-workspaces"
    }

    fn changes(&self, since: Option<&Mark>) -> Result<Changes, SourceError> {
        Ok(self.changes_since(since))
    }

    fn belongings(&self) -> Result<Vec<(ConversationId, Workspace)>, SourceError> {
        let mut belongings: HashMap<ConversationId, Workspace> = HashMap::new();
        for (store, told) in self.stores.iter().zip(self.told()) {
            let Some(workspace) = store.workspace() else { continue };
            for id in &told.opened {
                belongings.entry(id.clone()).or_insert_with(|| workspace.clone());
            }
        }
        Ok(belongings.into_iter().collect())
    }
}
