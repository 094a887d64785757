//! Agents of the Cursor SDK: the index of each store, joined with the transcript in the same project, and the
//! agent's own blobs as another telling.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use backscroll_cursor_format::sdk::{self, AgentRow, RunRow};
use backscroll_cursor_format::slug::sdk_agent_folder;
use backscroll_cursor_format::transcript::{Dialect, decode};
use backscroll_model::{
    Attribution, Changes, Conversation, ConversationId, Finding, FindingKind, Holding, Layer, Mark, Origin,
    Source, SourceError, Summary, Surface, Workspace,
};

use crate::cli_head::{CliSession, chain};
use crate::cli_subagents::{self, Keepers};
use crate::folder_listing::{beginning, folders, name_of};
use crate::known_paths::KnownPaths;
use crate::project_folder::ProjectFolder;
use crate::sdk_own_stores::{own_databases, own_session};
use crate::sdk_rows::{self, index_of};
use crate::transcript_files::TranscriptFile;

/// Stores of the Cursor SDK.
#[derive(Debug)]
pub struct SdkStores {
    place: PathBuf,
    /// The folders that hold an index, where they were named; else all of `place`, a `projects` folder.
    named: Option<Vec<PathBuf>>,
    /// The folders of `place` that hold an index, looked for once.
    found: OnceLock<Vec<PathBuf>>,
    pub(crate) known: Arc<KnownPaths>,
    pub(crate) keepers: Keepers,
}

/// Longer transcripts are cut off.
const LONGEST: u64 = 256 * 1024 * 1024;

impl SdkStores {
    /// Every store of every project.
    pub fn of_projects(projects: &Path, known: Arc<KnownPaths>) -> Self {
        Self {
            place: projects.to_owned(),
            named: None,
            found: OnceLock::new(),
            known,
            keepers: Keepers::default(),
        }
    }

    /// The stores in these folders, found somewhere below `place`.
    pub fn named(place: &Path, stores: Vec<PathBuf>, known: Arc<KnownPaths>) -> Self {
        Self {
            place: place.to_owned(),
            named: Some(stores),
            found: OnceLock::new(),
            known,
            keepers: Keepers::default(),
        }
    }

    /// Whether a `projects` folder has any such store.
    pub(crate) fn has_any(&self) -> bool {
        !self.stores().is_empty()
    }

    /// The folders that hold an index, or agents' own stores.
    pub(crate) fn stores(&self) -> &[PathBuf] {
        if let Some(named) = &self.named {
            return named;
        }
        self.found.get_or_init(|| self.look())
    }

    /// Those that are there now.
    pub(crate) fn look(&self) -> Vec<PathBuf> {
        if let Some(named) = &self.named {
            return named.clone();
        }
        let stores = folders(&self.place).into_iter().map(|project| project.join("sdk-agent-store"));
        let is_store = |folder: &PathBuf| index_of(folder).is_some() || folder.join("agents").is_dir();
        let all = stores.flat_map(|store| [vec![store.clone()], folders(&store)].concat());
        all.filter(is_store).collect()
    }

    fn listed_in(&self, store: &Path, findings: &mut Vec<Finding>) -> Vec<Summary> {
        let rows = sdk_rows::listed(store).unwrap_or_else(|error| {
            findings.push(unreadable(store, &error));
            sdk_rows::SdkRows::default()
        });
        findings.extend(rows.findings);
        let mut runs: HashMap<&str, Vec<RunRow>> = HashMap::new();
        for run in &rows.runs {
            runs.entry(&run.agent_id).or_default().push(run.clone());
        }
        let mut all = Vec::new();
        for agent in &rows.agents {
            let own = runs.get(agent.agent_id.as_str()).map(Vec::as_slice).unwrap_or_default();
            let mut summary = sdk::summary(agent, own, &index_origin(store));
            summary.title =
                summary.title.or_else(|| transcript_of(store, &agent.agent_id)?.head().ok()?.title);
            summary.title = summary.title.or_else(|| own_session(store, &summary.id)?.head().preview.title);
            summary.workspace = summary.workspace.or_else(|| self.folder_of(store));
            all.push(summary);
        }
        let indexed: Vec<String> =
            rows.agents.iter().map(|agent| sdk_agent_folder(&agent.agent_id)).collect();
        for folder in folders(&store.join("agents")) {
            let name = name_of(&folder);
            let is_indexed = indexed.iter().any(|known| name.ends_with(known.as_str()));
            if is_indexed || !folder.join("store.db").is_file() {
                continue;
            }
            let session = CliSession::of_store(&folder.join("store.db"), Surface::Sdk);
            let head = session.head();
            let summary = session.summary(&head, &self.known);
            findings.extend(head.findings);
            if !all.iter().any(|known| known.id == summary.id) {
                all.push(summary);
            }
        }
        all
    }

    /// The folder that all agents of a store work in, where somebody names it: the store is called by its hash.
    pub(crate) fn folder_of(&self, store: &Path) -> Option<Workspace> {
        Some(self.known.by_hash(&name_of(store))?.clone().into_workspace(Attribution::StoreFolder))
    }

    /// What index and transcript tell of one agent.
    fn told_by_index(&self, store: &Path, id: &str) -> Option<Conversation> {
        let id = ConversationId::new(id);
        let told = self.load_from(store, &id).into_iter();
        told.filter(|telling| telling.summary.origins[0].layer == Layer::SdkIndex).last()
    }

    fn load_from(&self, store: &Path, id: &ConversationId) -> Vec<Conversation> {
        let mut tellings = Vec::new();
        let (mut trouble, mut checkpoint) = (None, None);
        match sdk_rows::of_agent(store, id.as_str()) {
            Ok(rows) => {
                checkpoint = rows.agents.first().and_then(AgentRow::root_blob);
                tellings.extend(rows.agents.first().map(|agent| {
                    let file = transcript_of(store, id.as_str());
                    let transcript = file.as_ref().and_then(|file| {
                        let (bytes, _) = beginning(&file.path, LONGEST).ok()?;
                        Some(decode(Dialect::Jsonl, &bytes, &file.origin()))
                    });
                    let origin = index_origin(store);
                    let mut told = sdk::assemble(agent, &rows.runs, &rows.events, transcript, &origin);
                    let named = sdk::summary(agent, &rows.runs, &origin).title;
                    let first = || file.as_ref()?.head().ok()?.title;
                    told.summary.title = named.or_else(first).or(told.summary.title);
                    told.summary.workspace = told.summary.workspace.or_else(|| self.folder_of(store));
                    told.findings.extend(rows.findings);
                    backscroll_cursor_format::ide::fill_times(&mut told);
                    told
                }));
            }
            Err(error) => trouble = Some(unreadable(store, &error)),
        }
        let mut own = self.own_store(store, id, checkpoint);
        if let (Some(own), false) = (&mut own, tellings.is_empty()) {
            // A listing does not look into the blobs of an agent that the index has.
            own.facts.held_in = own.summary.workspace.take().or(own.facts.held_in.take());
        }
        tellings.extend(own);
        if let (Some(first), Some(trouble)) = (tellings.first_mut(), trouble) {
            first.findings.push(trouble);
        }
        tellings
    }
}

impl Source for SdkStores {
    fn place(&self) -> PathBuf {
        self.place.clone()
    }

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
            let agents = sdk_rows::listed(store).map(|rows| rows.agents).unwrap_or_default();
            let told = agents.iter().filter_map(|agent| self.told_by_index(store, &agent.agent_id));
            let messages = told.map(|telling| telling.messages.len() as u64).sum();
            let index = index_of(store).map(|(file, _)| Holding::of(Layer::SdkIndex, file));
            all.extend(index.map(|index| index.with_messages(messages)));
            all.extend(own_databases(store).map(|file| self.held_by_own(&file)));
        }
        Ok(all)
    }

    fn summaries(&self) -> Result<(Vec<Summary>, Vec<Finding>), SourceError> {
        let mut findings = Vec::new();
        let mut all: BTreeMap<ConversationId, Summary> = BTreeMap::new();
        for store in self.stores() {
            for summary in self.listed_in(store, &mut findings) {
                match all.get_mut(&summary.id) {
                    Some(known) => {
                        known.title = known.title.take().or(summary.title);
                        known.workspace = known.workspace.take().or(summary.workspace);
                        known.updated_at = known.updated_at.max(summary.updated_at);
                        known.origins.extend(summary.origins);
                    }
                    None => drop(all.insert(summary.id.clone(), summary)),
                }
            }
        }
        Ok((all.into_values().collect(), findings))
    }

    fn kind(&self) -> &'static str {
        if self.named.is_some() { "sdk-named" } else { "sdk-projects" }
    }

    fn changes(&self, since: Option<&Mark>) -> Result<Changes, SourceError> {
        Ok(self.changes_since(since))
    }

    fn load(&self, id: &ConversationId) -> Result<Vec<Conversation>, SourceError> {
        let tellings: Vec<_> = self.stores().iter().flat_map(|store| self.load_from(store, id)).collect();
        let keeper = self.keepers.of(id).filter(|_| tellings.is_empty());
        let Some(session) = keeper else { return Ok(tellings) };
        let told = session.load_subagent(id, &self.known);
        Ok(told.map_err(|because| SourceError::new(&self.place, because))?.into_iter().collect())
    }

    fn nested(&self) -> Result<Vec<Summary>, SourceError> {
        Ok(cli_subagents::summaries(&self.own_sessions(), &self.known, &self.keepers))
    }

    fn lies_inside(&self, id: &ConversationId, parent: &ConversationId) -> bool {
        if self.keepers.of(id).is_none() {
            self.stores().iter().for_each(|store| drop(self.own_store(store, parent, None)));
        }
        self.keepers.of(id).is_some()
    }
}

fn index_origin(store: &Path) -> Origin {
    let file = index_of(store).map_or_else(|| store.to_owned(), |(file, _)| file);
    Origin::new(Layer::SdkIndex, file, "")
}

fn unreadable(store: &Path, error: &dyn std::error::Error) -> Finding {
    let says = format!("the SDK's index cannot be read: {}", chain(error));
    Finding::new(FindingKind::Unreadable, index_origin(store), says)
}

/// The transcript of an agent in the same project: nested, or flat.
pub(crate) fn transcript_of(store: &Path, id: &str) -> Option<TranscriptFile> {
    let folder = ProjectFolder::around(store)?.path.join("agent-transcripts");
    let is_name = Path::new(id).components().count() == 1 && !id.contains('\0');
    let files = [folder.join(id).join(format!("{id}.jsonl")), folder.join(format!("{id}.jsonl"))];
    files
        .into_iter()
        .filter(|_| is_name)
        .find(|file| file.is_file())
        .and_then(|file| TranscriptFile::at(&file))
}
