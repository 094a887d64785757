//! Agents of the Cursor SDK: the index of each store, and the blobs that each agent keeps for itself, in a store as the
//! command line agent's. Transcripts of the same agents are read by `transcripts.rs`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_cursor_format::sdk::{self, AgentRow, RunRow};
use backscroll_cursor_format::slug::sdk_agent_folder;
use backscroll_model::{
    Attribution, CatalogueEntry, Changes, ConversationId, Decoded, Fact, Finding, FindingKind, Fragment,
    FragmentKind, Holding, Inventory, Layer, Mark, Origin, Scope, Selection, Source, SourceError, SourceId,
    Surface, Workspace,
};

use crate::cli_session::{CliSession, chain};
use crate::folder_listing::{folders, name_of};
use crate::in_parallel;
use crate::project_folder::KnownPaths;
use crate::read_only_db::ReadError;
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

    /// The folders that hold an index, or agents' own stores.
    pub(crate) fn stores(&self) -> Vec<PathBuf> {
        if let Some(named) = &self.named {
            return named.clone();
        }
        let stores = folders(&self.place).into_iter().map(|project| project.join("sdk-agent-store"));
        let is_store = |folder: &PathBuf| index_of(folder).is_some() || folder.join("agents").is_dir();
        let all = stores.flat_map(|store| [vec![store.clone()], folders(&store)].concat());
        all.filter(is_store).collect()
    }

    /// The folder that all agents of a store work in, where some place names it: the store is called by its hash.
    pub(crate) fn folder_of(&self, store: &Path) -> Option<Workspace> {
        Some(self.known.by_hash(&name_of(store))?.clone().into_workspace(Attribution::StoreFolder))
    }

    /// The agents of one store: those of its index, and stores of agents that the index does not have.
    fn heads_in(&self, store: &Path) -> Decoded<Vec<Fragment>> {
        let mut all = Decoded::clean(Vec::new());
        let rows = sdk_rows::listed(store).unwrap_or_else(|error| {
            all.findings.push(unreadable(store, &error));
            SdkRows::default()
        });
        all.findings.extend(rows.findings);
        let mut runs: HashMap<&str, Vec<RunRow>> = HashMap::new();
        for run in &rows.runs {
            runs.entry(&run.agent_id).or_default().push(run.clone());
        }
        for agent in &rows.agents {
            let own = runs.get(agent.agent_id.as_str()).map(Vec::as_slice).unwrap_or_default();
            all.value.push(self.listed_agent(store, agent, own));
        }
        for session in own_sessions(store, &rows.agents) {
            let head = session.head();
            let fragment = session.fragment(&head, &self.known);
            all.findings.extend(head.findings);
            if !all.value.iter().any(|known| known.summary.id == fragment.summary.id) {
                all.value.push(fragment);
            }
        }
        all
    }

    /// What the index says of an agent. One without a name is called by the first words in its own store.
    fn listed_agent(&self, store: &Path, agent: &AgentRow, runs: &[RunRow]) -> Fragment {
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
        let rows = sdk_rows::of_agent(store, id.as_str())?;
        let Some(agent) = rows.agents.first() else { return Ok(None) };
        let mut fragment = sdk::assemble(agent, &rows.runs, &rows.events, &index_origin(store));
        fragment.summary.workspace = fragment.summary.workspace.take().or_else(|| self.folder_of(store));
        fragment.findings.extend(rows.findings);
        backscroll_cursor_format::ide::fill_times(&mut fragment);
        Ok(Some(fragment))
    }

    /// What the agent's own blobs hold. Where the index has the agent, a listing does not read them, so that their folder is
    /// only what messages say.
    fn load_own(&self, entry: &CatalogueEntry) -> Fragment {
        let store = store_around(&entry.store);
        let (row, trouble) = match sdk_rows::agent(&store, entry.id.as_str()) {
            Ok(row) => (row, None),
            Err(error) => (None, Some(unreadable(&store, &error))),
        };
        let session = session(entry);
        let checkpoint = row.as_ref().and_then(AgentRow::root_blob);
        let mut fragment = CliSession { checkpoint, ..session }.load(&self.known);
        fragment.findings.extend(trouble);
        if row.is_some() {
            let named = fragment.summary.workspace.take();
            fragment.facts.held_in = named.or(fragment.facts.held_in.take());
        }
        fragment
    }

    fn entries_in(&self, store: &Path) -> Vec<CatalogueEntry> {
        // A store that cannot be read is reported by a listing.
        let agents = sdk_rows::agents(store).unwrap_or_default();
        let mut entries = Vec::new();
        for agent in &agents {
            let id = ConversationId::new(&agent.agent_id);
            let own = own_session(store, &id);
            entries.push(CatalogueEntry::new(id.clone(), index_origin(store).file, FragmentKind::Account));
            entries.extend(own.map(|own| own.entry(id)));
        }
        for session in own_sessions(store, &agents) {
            let id = session.fragment(&session.head(), &self.known).summary.id;
            entries.push(session.entry(id));
        }
        entries
    }

    fn error(store: &Path, because: ReadError) -> SourceError {
        SourceError::new(Layer::SdkIndex, store, because)
    }
}

/// The own store behind an entry. It is called by the hash of the agent's id, so that the id is the entry's.
fn session(entry: &CatalogueEntry) -> CliSession {
    let session = CliSession::of_store(&entry.store, Surface::Sdk);
    let is_named = name_of(&session.folder).ends_with(&sdk_agent_folder(entry.id.as_str()));
    CliSession { id: (is_named && entry.parent.is_none()).then(|| entry.id.clone()), ..session }
}

impl Inventory for SdkStores {
    fn files(&self) -> Vec<(Layer, PathBuf)> {
        let of = |store: &PathBuf| {
            let index = index_of(store).map(|(file, _)| (Layer::SdkIndex, file));
            let own = own_databases(store).map(|file| (Layer::CliStore, file));
            index.into_iter().chain(own).collect::<Vec<_>>()
        };
        self.stores().iter().flat_map(of).collect()
    }

    fn holdings(&self) -> Result<Vec<Holding>, SourceError> {
        let mut all = Vec::new();
        for store in self.stores() {
            if let Some((file, _)) = index_of(&store) {
                let mut messages = 0;
                // A store that cannot be read is reported by a listing.
                for agent in sdk_rows::agents(&store).unwrap_or_default() {
                    let loaded = self.load_indexed(&store, &ConversationId::new(agent.agent_id));
                    messages += loaded.ok().flatten().map_or(0, |loaded| loaded.coverage.read);
                }
                all.push(Holding::of(Layer::SdkIndex, file).with_messages(messages));
            }
            all.extend(own_databases(&store).map(|file| {
                let session = CliSession::of_store(&file, Surface::Sdk);
                let summary = session.fragment(&session.head(), &self.known).summary;
                Holding { first_at: summary.created_at, last_at: summary.updated_at, ..session.holding() }
            }));
        }
        Ok(all)
    }
}

impl Source for SdkStores {
    fn id(&self) -> SourceId {
        let kind = if self.named.is_some() { "sdk-named" } else { "sdk-projects" };
        SourceId { kind, place: self.place.clone(), is_backup: false, layer: Layer::SdkIndex }
    }

    fn catalogue(&self) -> Result<Vec<CatalogueEntry>, SourceError> {
        Ok(self.stores().iter().flat_map(|store| self.entries_in(store)).collect())
    }

    fn agents_inside(&self, entries: &[&CatalogueEntry]) -> Vec<CatalogueEntry> {
        let own: Vec<&CatalogueEntry> =
            entries.iter().filter(|entry| is_own(entry) && entry.parent.is_none()).copied().collect();
        let inside = in_parallel::each(&own, |entry| session(entry).agents_inside(&entry.id));
        inside.into_iter().flatten().flatten().collect()
    }

    fn heads(&self, wanted: Selection<'_>) -> Result<Decoded<Vec<Fragment>>, SourceError> {
        let mut all = Decoded::clean(Vec::new());
        match wanted {
            Selection::All => {
                for store in self.stores() {
                    all.value.extend(self.heads_in(&store).report_to(&mut all.findings));
                }
            }
            Selection::Entries(entries) => {
                for entry in entries {
                    if entry.parent.is_some() {
                        let agent = session(entry).load_agent(&entry.id, &self.known, false);
                        all.value.extend(agent.map_err(|because| Self::error(&entry.store, because))?);
                        continue;
                    }
                    let store = store_around(&entry.store);
                    let rows = sdk_rows::listed(&store).map_err(|because| Self::error(&store, because))?;
                    let row = rows.agents.iter().find(|row| row.agent_id == entry.id.as_str());
                    match row {
                        Some(_) if is_own(entry) => {}
                        Some(row) => {
                            let mut runs = rows.runs;
                            runs.retain(|run| run.agent_id == row.agent_id);
                            all.value.push(self.listed_agent(&store, row, &runs));
                        }
                        None => {
                            let session = session(entry);
                            all.value.push(session.fragment(&session.head(), &self.known));
                        }
                    }
                }
            }
        }
        Ok(all)
    }

    fn load(&self, entry: &CatalogueEntry, _: Scope<'_>) -> Result<Vec<Fragment>, SourceError> {
        let loaded = if entry.parent.is_some() {
            session(entry).load_agent(&entry.id, &self.known, true)
        } else if is_own(entry) {
            Ok(Some(self.load_own(entry)))
        } else {
            self.load_indexed(&store_around(&entry.store), &entry.id)
        };
        Ok(loaded.map_err(|because| Self::error(&entry.store, because))?.into_iter().collect())
    }

    fn changes(&self, since: Option<&Mark>) -> Result<Changes, SourceError> {
        Ok(self.changes_since(since))
    }
}

/// Whether an entry is of an agent's own store and not of the index.
fn is_own(entry: &CatalogueEntry) -> bool {
    name_of(&entry.store) == "store.db"
}

/// The store that a file of it lies in: `<store>/index.db` or `<store>/agents/<folder>/store.db`; an index of another name is
/// a store itself.
fn store_around(file: &Path) -> PathBuf {
    let depth = match name_of(file).as_str() {
        "store.db" => 3,
        "index.db" | "agents.ndjson" => 1,
        _ => 0,
    };
    file.ancestors().nth(depth).unwrap_or(Path::new("")).to_owned()
}

fn index_origin(store: &Path) -> Origin {
    let file = index_of(store).map_or_else(|| store.to_owned(), |(file, _)| file);
    Origin::new(Layer::SdkIndex, file, "")
}

fn unreadable(store: &Path, error: &dyn std::error::Error) -> Finding {
    let says = format!("the SDK's index cannot be read: {}", chain(error));
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
fn own_sessions(store: &Path, indexed: &[AgentRow]) -> Vec<CliSession> {
    let indexed: Vec<String> = indexed.iter().map(|agent| sdk_agent_folder(&agent.agent_id)).collect();
    let is_indexed = |file: &PathBuf| {
        let name = file.parent().map(name_of).unwrap_or_default();
        indexed.iter().any(|known| name.ends_with(known.as_str()))
    };
    let own = own_databases(store).filter(|file| !is_indexed(file));
    own.map(|file| CliSession::of_store(&file, Surface::Sdk)).collect()
}

/// The agents' own databases.
pub(crate) fn own_databases(store: &Path) -> impl Iterator<Item = PathBuf> {
    let files = folders(&agents_folder(store)).into_iter().map(|folder| folder.join("store.db"));
    files.filter(|file| file.is_file())
}

fn agents_folder(store: &Path) -> PathBuf {
    let folder = if store.is_file() { store.parent().unwrap_or(Path::new("")) } else { store };
    folder.join("agents")
}
