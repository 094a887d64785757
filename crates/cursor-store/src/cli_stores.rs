//! The sessions of the command line agent: all of a `chats` or `acp-sessions` folder, or just those that were named.
//!
//! A listing reads `meta.json` and the `meta` row. Blobs are read for one conversation at a time.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_model::{
    CatalogueEntry, Changes, Decoded, Finding, Fragment, Holding, Inventory, Layer, Mark, Scope, Selection,
    Source, SourceError, SourceId, Surface,
};

use crate::cli_session::CliSession;
use crate::folder_listing::{children, closed, closed_place, folders};
use crate::home_files::HomeFiles;
use crate::in_parallel;
use crate::project_folder::KnownPaths;

/// Sessions of the command line agent.
#[derive(Debug)]
pub struct CliStores {
    place: PathBuf,
    sessions: Sessions,
    pub(crate) known: Arc<KnownPaths>,
    /// Plans that sessions may name: only to notice that one was written.
    pub(crate) plans: HomeFiles,
}

/// Where the sessions are.
#[derive(Debug)]
enum Sessions {
    /// `<folder>/<hash of the working directory>/<id>/`.
    Chats,
    /// `<folder>/<id>/`.
    Acp,
    /// These databases.
    Named(Vec<PathBuf>),
}

impl CliStores {
    /// Every session below a `chats` folder.
    pub fn chats(folder: &Path, known: Arc<KnownPaths>) -> Self {
        Self::new(folder, Sessions::Chats, known)
    }

    /// Every session below an `acp-sessions` folder.
    pub fn acp(folder: &Path, known: Arc<KnownPaths>) -> Self {
        Self::new(folder, Sessions::Acp, known)
    }

    /// These `store.db` files, found somewhere below `place`.
    pub fn named(place: &Path, stores: Vec<PathBuf>, known: Arc<KnownPaths>) -> Self {
        Self::new(place, Sessions::Named(stores), known)
    }

    fn new(place: &Path, sessions: Sessions, known: Arc<KnownPaths>) -> Self {
        let mut plans = HomeFiles::default();
        plans.add_around(place);
        Self { place: place.to_owned(), sessions, known, plans }
    }

    pub(crate) fn sessions(&self) -> Vec<CliSession> {
        let below = |folder: &Path| {
            let found = folders(folder);
            found.iter().filter_map(|folder| CliSession::named_by(folder, Surface::Cli)).collect::<Vec<_>>()
        };
        match &self.sessions {
            Sessions::Chats => folders(&self.place).iter().flat_map(|hash| below(hash)).collect(),
            Sessions::Acp => below(&self.place),
            Sessions::Named(stores) => {
                stores.iter().map(|store| CliSession::of_store(store, Surface::Cli)).collect()
            }
        }
    }

    /// The session behind an entry.
    fn session(&self, entry: &CatalogueEntry) -> Option<CliSession> {
        match &self.sessions {
            Sessions::Named(_) => Some(CliSession::of_store(&entry.store, Surface::Cli)),
            Sessions::Chats | Sessions::Acp => CliSession::named_by(entry.store.parent()?, Surface::Cli),
        }
    }

    /// Folders that may hold sessions and cannot be read.
    fn closed_folders(&self) -> Vec<Finding> {
        let inside = |folder: &Path| {
            let strange = children(folder).into_iter();
            let strange = strange.filter(|path| CliSession::named_by(path, Surface::Cli).is_none());
            strange.filter_map(|path| closed_place(&path)).collect::<Vec<_>>()
        };
        match &self.sessions {
            Sessions::Chats => {
                let mut findings = closed(&self.place);
                findings.extend(folders(&self.place).iter().flat_map(|hash| inside(hash)));
                findings
            }
            Sessions::Acp => inside(&self.place),
            Sessions::Named(_) => Vec::new(),
        }
    }
}

impl Inventory for CliStores {
    fn files(&self) -> Vec<(Layer, PathBuf)> {
        let stores = self.sessions().into_iter().filter(CliSession::has_store);
        stores.map(|session| (Layer::CliStore, session.store.to_path_buf())).collect()
    }

    fn holdings(&self) -> Result<Vec<Holding>, SourceError> {
        let stores: Vec<CliSession> = self.sessions().into_iter().filter(CliSession::has_store).collect();
        Ok(in_parallel::each(&stores, CliSession::holding))
    }
}

impl Source for CliStores {
    fn id(&self) -> SourceId {
        let kind = match self.sessions {
            Sessions::Chats => "cli-chats",
            Sessions::Acp => "cli-acp",
            Sessions::Named(_) => "cli-named",
        };
        SourceId { kind, place: self.place.clone(), is_backup: false, layer: Layer::CliStore }
    }

    fn catalogue(&self) -> Result<Vec<CatalogueEntry>, SourceError> {
        let entry = |session: CliSession| {
            let id = session.id.clone();
            let id = id.unwrap_or_else(|| session.fragment(&session.head(), &self.known).summary.id);
            session.entry(id)
        };
        Ok(self.sessions().into_iter().map(entry).collect())
    }

    fn agents_inside(&self, entries: &[&CatalogueEntry]) -> Vec<CatalogueEntry> {
        let inside = in_parallel::each(entries, |entry| {
            let session = self.session(entry).filter(|_| entry.parent.is_none());
            session.and_then(|session| session.agents_inside(&entry.id).ok()).unwrap_or_default()
        });
        inside.into_iter().flatten().collect()
    }

    fn heads(&self, wanted: Selection<'_>) -> Result<Decoded<Vec<Fragment>>, SourceError> {
        let Selection::Entries(entries) = wanted else {
            let heads = in_parallel::each(&self.sessions(), |session| {
                let head = session.head();
                Decoded { value: session.fragment(&head, &self.known), findings: head.findings }
            });
            let mut all = Decoded { value: Vec::new(), findings: self.closed_folders() };
            for head in heads {
                let head = head.report_to(&mut all.findings);
                all.value.push(head);
            }
            return Ok(all);
        };
        let heads = in_parallel::each(entries, |entry| load(self, entry, false));
        let mut all = Vec::new();
        for head in heads {
            all.extend(head?);
        }
        Ok(Decoded::clean(all))
    }

    fn load(&self, entry: &CatalogueEntry, _: Scope<'_>) -> Result<Vec<Fragment>, SourceError> {
        load(self, entry, true)
    }

    fn changes(&self, since: Option<&Mark>) -> Result<Changes, SourceError> {
        Ok(self.changes_since(since))
    }
}

/// The fragments behind `entry`: of the session, or of an agent inside of it.
fn load(
    stores: &CliStores,
    entry: &CatalogueEntry,
    with_messages: bool,
) -> Result<Vec<Fragment>, SourceError> {
    let Some(session) = stores.session(entry) else { return Ok(Vec::new()) };
    if entry.parent.is_some() {
        let agent = session.load_agent(&entry.id, &stores.known, with_messages);
        let agent = agent.map_err(|because| SourceError::new(Layer::CliStore, &*session.store, because))?;
        return Ok(agent.into_iter().collect());
    }
    if !with_messages {
        return Ok(vec![session.fragment(&session.head(), &stores.known)]);
    }
    let prompts = session.typed_prompts(&entry.id);
    Ok(std::iter::once(session.load(&stores.known)).chain(prompts).collect())
}
