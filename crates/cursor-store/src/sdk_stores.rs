//! Agents of the Cursor SDK: the index of each store, and the blobs that each agent keeps for itself, in a store as the
//! command line agent's. Transcripts of the same agents are read by `transcripts.rs`.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_cursor_format::sdk::{self, AgentRow, Run};
use backscroll_cursor_format::slug::sdk_agent_folder;
use backscroll_model::{
    Attribution, Catalogue, CatalogueEntry, Catalogued, ConversationId, Decoded, Fact, Finding, FindingKind,
    Fragment, FragmentKind, Inventory, Layer, Mark, Origin, Scope, Source, SourceError, SourceId,
    SourceReport, Store, Surface, Workspace, error_chain,
};

use crate::cli_session::CliSession;
use crate::files::{FileCache, name_of, without_database};
use crate::fingerprint;
use crate::in_parallel;
use crate::project_folder::KnownPaths;
use crate::read_only_db::ReadError;
use crate::sdk_checkpoints;
use crate::sdk_rows::{self, SdkRows, index_of};

/// Stores of the Cursor SDK.
#[derive(Debug)]
pub struct SdkStores {
    place: PathBuf,
    /// The folders that hold an index, where they were named; else all of `place`, a `projects` folder.
    named: Option<Vec<PathBuf>>,
    pub(crate) known: Arc<KnownPaths>,
}

impl SdkStores {
    /// Every store of every project.
    pub fn of_projects(projects: &Path, known: Arc<KnownPaths>) -> Self {
        Self { place: projects.to_owned(), named: None, known }
    }

    /// The stores in these folders, found somewhere below `place`.
    pub fn named(place: &Path, stores: Vec<PathBuf>, known: Arc<KnownPaths>) -> Self {
        Self { place: place.to_owned(), named: Some(stores), known }
    }

    /// The folders that hold an index, or agents' own stores. Folders that cannot be read are findings.
    fn folders(&self, findings: &mut Vec<Finding>) -> Vec<PathBuf> {
        if let Some(named) = &self.named {
            return named.clone();
        }
        let mut stores = Vec::new();
        for project in self.known.files.folders(&self.place) {
            let Some(around) = self.known.files.child(&project, "sdk-agent-store") else { continue };
            let children = self.known.files.children_reported(&around, findings);
            let inside = children.iter().filter(|child| child.is_folder).map(|child| child.path.clone());
            stores.extend(std::iter::once(around).chain(inside).filter(|folder| self.is_store(folder)));
        }
        stores
    }

    fn is_store(&self, folder: &Path) -> bool {
        self.known.files.children(folder).iter().any(|child| match name_of(&child.path).as_str() {
            "index.db" | "agents.ndjson" => !child.is_folder,
            "agents" => child.is_folder,
            _ => false,
        })
    }

    /// Whether there is any store.
    pub(crate) fn has_any(&self) -> bool {
        !self.folders(&mut Vec::new()).is_empty()
    }

    fn store_stamp(&self, store: &Path) -> u64 {
        let files = &*self.known.files;
        let lines = ["agents.ndjson", "runs.ndjson", "run_events.ndjson", "checkpoints.ndjson"];
        let index = if self.named.is_some() && store.is_file() {
            files.database_stamp(store)
        } else {
            files.stamp_in(store, "index.db", &lines)
        };
        let agents = files.folders(&agents_folder(store)).into_iter();
        let own: Vec<u64> = agents.map(|folder| files.stamp_in(&folder, "store.db", &[])).collect();
        let place = self.known.by_spelled_hash(&name_of(store));
        fingerprint::of(&(index, own, place))
    }

    /// The folder that all agents of a store work in, where some place names it: the store is called by its hash.
    fn folder_of(&self, store: &Path) -> Option<Workspace> {
        Some(self.known.by_hash(&name_of(store))?.clone().into_workspace(Attribution::StoreFolder))
    }

    /// The agents of one store: those of its index, and stores of agents that the index does not have.
    fn entries(&self, store: &Path) -> Result<Catalogue, ReadError> {
        let (mut catalogue, mut seen) = (Catalogue::whole(Vec::new()), Seen::default());
        let rows = match sdk_rows::rows_in(store, None) {
            Ok(rows) => rows,
            Err(error) if error.is_passing() => return Err(error),
            Err(error) => {
                catalogue.findings.push(unreadable(store, &error));
                SdkRows::default()
            }
        };
        catalogue.findings.extend(rows.findings);
        let files = &self.known.files;
        // An index of another name is a file.
        let own = Some(store.to_owned()).filter(|store| store.is_dir());
        let folders = own.into_iter().chain(files.folders(&agents_folder(store)));
        catalogue.findings.extend(folders.flat_map(|folder| without_database(&files.children(&folder))));
        let events = sdk_rows::event_prints(store).unwrap_or_default();
        let stamp = self.store_stamp(store);
        let place = self.known.by_spelled_hash(&name_of(store));
        let mut runs: HashMap<&str, Vec<Run>> = HashMap::new();
        for run in &rows.runs {
            runs.entry(&run.agent_id).or_default().push(run.clone());
        }
        let index = index_origin(store).file;
        for agent in &rows.agents {
            let own = runs.get(agent.agent_id.as_str()).map(Vec::as_slice).unwrap_or_default();
            let head = self.listed_agent(store, agent, own);
            let id = head.summary.id.clone();
            let of_runs: Vec<Option<&u64>> = own.iter().map(|run| events.get(&run.run_id)).collect();
            // Of lines it is not known whose they are.
            let lines = events.is_empty().then_some(stamp);
            let print = fingerprint::of(&(fingerprint::of_all(&(agent, own)), of_runs, lines, place));
            let entry = CatalogueEntry {
                file: Arc::clone(&index),
                ..CatalogueEntry::new(id.clone(), store, FragmentKind::Account)
            };
            seen.ids.insert(id.clone());
            catalogue.entries.push(Catalogued { entry, heads: vec![head], stamp: print });
            if let Some(file) = sdk_checkpoints::file_in(store) {
                let entry = CatalogueEntry {
                    file: Arc::from(file),
                    ..CatalogueEntry::new(id.clone(), store, FragmentKind::Account)
                };
                catalogue.entries.push(Catalogued { entry, heads: Vec::new(), stamp });
            }
            if let Some(session) = own_session(store, &id) {
                let session = CliSession { checkpoint: agent.root_blob(), ..session };
                self.add_own(store, &session, &mut catalogue, &mut seen)?;
            }
        }
        for session in own_sessions(store, &rows.agents, &self.known.files) {
            self.add_own(store, &session, &mut catalogue, &mut seen)?;
        }
        Ok(catalogue)
    }

    /// Adds an agent's own store, once. The head of an agent that the index has is the index's.
    fn add_own(
        &self,
        store: &Path,
        session: &CliSession,
        catalogue: &mut Catalogue,
        seen: &mut Seen,
    ) -> Result<(), ReadError> {
        let own = session.catalogue(&self.known)?;
        catalogue.findings.extend(own.findings);
        for mut catalogued in own.entries {
            let (id, file) = (&catalogued.entry.id, &catalogued.entry.file);
            if !seen.files.insert((id.clone(), Arc::clone(file))) {
                continue;
            }
            let is_listed = !seen.ids.insert(id.clone());
            if catalogued.entry.parent.is_none() && is_listed {
                catalogued.heads.clear();
            }
            catalogued.entry.store = Arc::from(store);
            catalogue.entries.push(catalogued);
        }
        Ok(())
    }

    /// What the index says of an agent. One without a name is called by the first words in its own store.
    fn listed_agent(&self, store: &Path, agent: &AgentRow, runs: &[Run]) -> Fragment {
        let mut fragment = Fragment::new(sdk::summary(agent, runs, &index_origin(store)));
        fragment.summary.workspace = fragment.summary.workspace.take().or_else(|| self.folder_of(store));
        if fragment.summary.title.is_none()
            && let Some(session) = own_session(store, &fragment.summary.id)
        {
            fragment.summary.title = session.head().preview.title;
            fragment.note(Fact::Title, &Origin::new(Layer::CliStore, Arc::clone(&session.store), "meta:0"));
        }
        fragment
    }

    fn load_indexed(&self, store: &Path, id: &ConversationId) -> Result<Option<Fragment>, ReadError> {
        let rows = sdk_rows::rows_in(store, Some(id.as_str()))?;
        let Some(agent) = rows.agents.first() else { return Ok(None) };
        let mut fragment = sdk::assemble(agent, &rows.runs, &rows.events, &index_origin(store));
        fragment.summary.workspace = fragment.summary.workspace.take().or_else(|| self.folder_of(store));
        fragment.findings.extend(rows.findings);
        backscroll_cursor_format::ide::fill_times(&mut fragment);
        Ok(Some(fragment))
    }

    /// What the agent's own blobs hold. Where the index has the agent, a listing does not read them, so that their folder is
    /// only what messages say.
    fn load_own(&self, entry: &CatalogueEntry) -> Result<Fragment, ReadError> {
        let store = &*entry.store;
        let (row, trouble) = match sdk_rows::agent(store, entry.id.as_str()) {
            Ok(row) => (row, None),
            Err(error) => (None, Some(unreadable(store, &error))),
        };
        if is_lines(entry) {
            let mut fragment = sdk_checkpoints::load(store, &entry.id, row.as_ref())?;
            fragment.findings.extend(trouble);
            return Ok(fragment);
        }
        let session = session(entry);
        let checkpoint = row.as_ref().and_then(AgentRow::root_blob);
        let mut fragment = CliSession { checkpoint, ..session }.load(&self.known);
        fragment.findings.extend(trouble);
        if row.is_some() {
            let named = fragment.summary.workspace.take();
            fragment.facts.held_in = named.or(fragment.facts.held_in.take());
        }
        Ok(fragment)
    }

    fn error(store: &Path, because: ReadError) -> SourceError {
        SourceError::new(Layer::SdkIndex, store, because)
    }
}

/// What a catalogue has already.
#[derive(Debug, Default)]
struct Seen {
    ids: HashSet<ConversationId>,
    files: HashSet<(ConversationId, Arc<Path>)>,
}

/// The root that the index names for the agent whose own store is `file`.
fn checkpoint_of(store: &Path, file: &Path) -> Result<Option<String>, ReadError> {
    let folder = file.parent().map(name_of).unwrap_or_default();
    let agents = sdk_rows::agents(store)?.into_iter();
    let mut owner = agents.filter(|agent| folder.ends_with(&sdk_agent_folder(&agent.agent_id)));
    Ok(owner.next().and_then(|agent| agent.root_blob()))
}

/// The own store behind an entry. It is called by the hash of the agent's id, so that the id is the entry's.
fn session(entry: &CatalogueEntry) -> CliSession {
    let session = CliSession::of_store(&entry.file, Surface::Sdk);
    let is_named = name_of(&session.folder).ends_with(&sdk_agent_folder(entry.id.as_str()));
    CliSession { id: (is_named && entry.parent.is_none()).then(|| entry.id.clone()), ..session }
}

impl Inventory for SdkStores {
    fn files(&self) -> Vec<(Layer, PathBuf)> {
        let of = |store: &PathBuf| {
            let index = index_of(store).map(|(file, _)| (Layer::SdkIndex, file));
            let own = own_databases(store, &self.known.files).map(|file| (Layer::CliStore, file));
            index.into_iter().chain(own).collect::<Vec<_>>()
        };
        self.folders(&mut Vec::new()).iter().flat_map(of).collect()
    }

    fn holdings(&self) -> Result<Vec<SourceReport>, SourceError> {
        let mut all = Vec::new();
        for store in self.folders(&mut Vec::new()) {
            if let Some((file, _)) = index_of(&store) {
                let mut messages = 0;
                // A store that cannot be read is reported by a listing.
                for agent in sdk_rows::agents(&store).unwrap_or_default() {
                    let loaded = self.load_indexed(&store, &ConversationId::new(agent.agent_id));
                    messages += loaded.ok().flatten().map_or(0, |loaded| loaded.coverage.read);
                }
                all.push(SourceReport {
                    messages: Some(messages),
                    ..SourceReport::new(Layer::SdkIndex, file)
                });
            }
            all.extend(own_databases(&store, &self.known.files).map(|file| {
                let session = CliSession::of_store(&file, Surface::Sdk);
                let summary = session.fragment(&session.head(), &self.known).summary;
                SourceReport {
                    first_at: summary.created_at,
                    last_at: summary.updated_at,
                    ..session.holding()
                }
            }));
        }
        Ok(all)
    }
}

impl Source for SdkStores {
    fn id(&self) -> SourceId {
        let kind = if self.named.is_some() { "sdk-named" } else { "sdk-projects" };
        SourceId::new(kind, &self.place, Layer::SdkIndex)
    }

    fn stores(&self) -> Decoded<Vec<Store>> {
        let mut findings = Vec::new();
        let folders = self.folders(&mut findings);
        let stamp =
            |folder: &PathBuf| Store { stamp: self.store_stamp(folder), path: Arc::from(folder.as_path()) };
        Decoded { value: in_parallel::each(&folders, stamp), findings }
    }

    fn stamp(&self, store: &Path) -> Option<u64> {
        store.exists().then(|| self.store_stamp(store))
    }

    fn catalogue(&self, store: &Path, _: Option<&Mark>) -> Result<Catalogue, SourceError> {
        self.entries(store).map_err(|because| Self::error(store, because))
    }

    fn load(&self, entry: &CatalogueEntry, _: Scope<'_>) -> Result<Vec<Fragment>, SourceError> {
        let loaded = if entry.parent.is_some() {
            checkpoint_of(&entry.store, &entry.file).and_then(|checkpoint| {
                CliSession { checkpoint, ..session(entry) }.load_agent(&entry.id, &self.known)
            })
        } else if is_own(entry) {
            self.load_own(entry).map(Some)
        } else {
            self.load_indexed(&entry.store, &entry.id)
        };
        Ok(loaded.map_err(|because| Self::error(&entry.file, because))?.into_iter().collect())
    }
}

/// Whether an entry is of an agent's own store and not of the index.
fn is_own(entry: &CatalogueEntry) -> bool {
    name_of(&entry.file) == "store.db" || is_lines(entry)
}

/// Whether an entry is of the blobs in a store of JSON lines.
fn is_lines(entry: &CatalogueEntry) -> bool {
    sdk_checkpoints::file_in(&entry.store).is_some_and(|file| *file == *entry.file)
}

fn index_origin(store: &Path) -> Origin {
    let file = index_of(store).map_or_else(|| store.to_owned(), |(file, _)| file);
    Origin::new(Layer::SdkIndex, file, "")
}

fn unreadable(store: &Path, error: &ReadError) -> Finding {
    let says = format!("the SDK's index cannot be read: {}", error_chain(error));
    Finding::new(FindingKind::Unreadable, index_origin(store), says)
}

/// The store of the agent `id`, in a folder that is called by the hash of its id.
fn own_session(store: &Path, id: &ConversationId) -> Option<CliSession> {
    let hash = sdk_agent_folder(id.as_str());
    let agents = agents_folder(store);
    let folders = [agents.join(format!("agent-{hash}")), agents.join(hash)];
    let file = folders.into_iter().map(|folder| folder.join("store.db")).find(|file| file.is_file())?;
    Some(CliSession { id: Some(id.clone()), ..CliSession::of_store(&file, Surface::Sdk) })
}

/// The stores of agents that the index does not have.
fn own_sessions(store: &Path, indexed: &[AgentRow], files: &FileCache) -> Vec<CliSession> {
    let indexed: HashSet<String> = indexed.iter().map(|agent| sdk_agent_folder(&agent.agent_id)).collect();
    let is_indexed = |file: &PathBuf| {
        let name = file.parent().map(name_of).unwrap_or_default();
        indexed.contains(name.strip_prefix("agent-").unwrap_or(&name))
    };
    let own = own_databases(store, files).filter(|file| !is_indexed(file));
    own.map(|file| CliSession::of_store(&file, Surface::Sdk)).collect()
}

/// The agents' own databases.
fn own_databases(store: &Path, files: &FileCache) -> impl Iterator<Item = PathBuf> {
    let folders = files.folders(&agents_folder(store)).into_iter();
    folders
        .flat_map(|folder| files.files(&folder))
        .filter(|file| name_of(file) == "store.db")
        .collect::<Vec<_>>()
        .into_iter()
}

fn agents_folder(store: &Path) -> PathBuf {
    let folder = if store.is_file() { store.parent().unwrap_or(Path::new("")) } else { store };
    folder.join("agents")
}
