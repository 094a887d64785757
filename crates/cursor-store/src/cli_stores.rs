//! The sessions of the command line agent: all of a `chats` or `acp-sessions` folder, or just those that were named.
//!
//! A catalogue reads `meta.json`, the `meta` row and the latest root. Blobs are read for one conversation at a time.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_model::{
    Catalogue, CatalogueEntry, Decoded, Finding, Fragment, Inventory, Layer, Mark, Scope, Source,
    SourceError, SourceId, SourceReport, Store, Surface,
};

use crate::cli_session::CliSession;
use crate::files::{Child, name_of, without_database};
use crate::in_parallel;
use crate::project_folder::KnownPaths;

/// Sessions of the command line agent.
#[derive(Debug)]
pub struct CliStores {
    place: PathBuf,
    sessions: Sessions,
    known: Arc<KnownPaths>,
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
        Self { place: folder.to_owned(), sessions: Sessions::Chats, known }
    }

    /// Every session below an `acp-sessions` folder.
    pub fn acp(folder: &Path, known: Arc<KnownPaths>) -> Self {
        Self { place: folder.to_owned(), sessions: Sessions::Acp, known }
    }

    /// These `store.db` files, found somewhere below `place`.
    pub fn named(place: &Path, stores: Vec<PathBuf>, known: Arc<KnownPaths>) -> Self {
        Self { place: place.to_owned(), sessions: Sessions::Named(stores), known }
    }

    /// The sessions that are there now. Folders that cannot be read are findings.
    fn sessions(&self, findings: &mut Vec<Finding>) -> Vec<CliSession> {
        let read =
            |folder: &Path, findings: &mut Vec<Finding>| self.known.files.children_reported(folder, findings);
        let holders = match &self.sessions {
            Sessions::Chats => {
                let hashes = read(&self.place, findings);
                hashes.iter().filter(|child| child.is_folder).map(|child| child.path.clone()).collect()
            }
            Sessions::Acp => vec![self.place.clone()],
            Sessions::Named(stores) => {
                return stores.iter().map(|store| CliSession::of_store(store, Surface::Cli)).collect();
            }
        };
        let mut sessions = Vec::new();
        for holder in holders {
            for child in read(&holder, findings).iter().filter(|child| child.is_folder) {
                let inside = read(&child.path, findings);
                findings.extend(without_database(&inside));
                let is_session = |one: &Child| {
                    !one.is_folder && matches!(name_of(&one.path).as_str(), "store.db" | "meta.json")
                };
                if inside.iter().any(is_session) {
                    sessions.push(CliSession::in_folder(&child.path, Surface::Cli));
                }
            }
        }
        sessions
    }

    /// The session whose database is, or would be, this file.
    fn session(&self, store: &Path) -> CliSession {
        match &self.sessions {
            Sessions::Named(_) => CliSession::of_store(store, Surface::Cli),
            Sessions::Chats | Sessions::Acp => {
                CliSession::in_folder(store.parent().unwrap_or(Path::new("")), Surface::Cli)
            }
        }
    }
}

impl Inventory for CliStores {
    fn files(&self) -> Vec<(Layer, PathBuf)> {
        let stores = self.sessions(&mut Vec::new()).into_iter().filter(CliSession::has_store);
        stores.map(|session| (Layer::CliStore, session.store.to_path_buf())).collect()
    }

    fn holdings(&self) -> Result<Vec<SourceReport>, SourceError> {
        let mut stores = self.sessions(&mut Vec::new());
        stores.retain(CliSession::has_store);
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
        SourceId::new(kind, &self.place, Layer::CliStore)
    }

    fn stores(&self) -> Decoded<Vec<Store>> {
        let mut findings = Vec::new();
        let sessions = self.sessions(&mut findings);
        let store = |session: &CliSession| Store {
            path: Arc::clone(&session.store),
            stamp: session.stamp(&self.known),
        };
        Decoded { value: in_parallel::each(&sessions, store), findings }
    }

    fn stamp(&self, store: &Path) -> Option<u64> {
        let session = self.session(store);
        session.folder.is_dir().then(|| session.stamp(&self.known))
    }

    fn catalogue(&self, store: &Path, _: Option<&Mark>) -> Result<Catalogue, SourceError> {
        let catalogue = self.session(store).catalogue(&self.known);
        catalogue.map_err(|because| SourceError::new(Layer::CliStore, store, because))
    }

    fn load(&self, entry: &CatalogueEntry, _: Scope<'_>) -> Result<Vec<Fragment>, SourceError> {
        let session = self.session(&entry.store);
        if entry.parent.is_some() {
            let agent = session.load_agent(&entry.id, &self.known);
            let agent =
                agent.map_err(|because| SourceError::new(Layer::CliStore, &*session.store, because))?;
            return Ok(agent.into_iter().collect());
        }
        let prompts = session.typed_prompts(&entry.id);
        Ok(std::iter::once(session.load(&self.known)).chain(prompts).collect())
    }
}
