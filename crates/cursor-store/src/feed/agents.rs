//! The change feed of agents outside of the editor: sessions of the command line, transcripts, SDK stores.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use backscroll_cursor_format::slug::sdk_agent_folder;
use backscroll_model::{Changes, ConversationId, Mark, Surface};

use super::ledger::{self, Piece, Told};
use super::{fingerprint, stamp};
use crate::cli_head::CliSession;
use crate::cli_stores::CliStores;
use crate::folder_listing::{folders, name_of};
use crate::known_paths::KnownPaths;
use crate::project_folder::ProjectFolder;
use crate::read_only_db::ReadError;
use crate::sdk_rows;
use crate::sdk_stores::{SdkStores, transcript_of};
use crate::transcript_files::{TranscriptFile, below};
use crate::transcripts::Transcripts;

impl CliStores {
    /// What changed since `since`: a session is one piece, with the agents inside of it.
    pub(crate) fn changes_since(&self, since: Option<&Mark>) -> Changes {
        let plans = self.plans.stamp();
        let pieces = self.sessions().into_iter().map(|session| {
            let hash = session.folder.parent().map(name_of).unwrap_or_default();
            let place = self.known.by_hash(&hash).map(fingerprint::of_all);
            let stamp = fingerprint::of(&(session_stamp(&session), place, plans));
            Piece { name: session.store.to_string_lossy().into_owned(), stamp, what: (session, stamp) }
        });
        ledger::changes(since, &pieces.collect::<Vec<_>>(), |(session, stamp)| {
            let own = match &session.id {
                Some(id) => id.clone(),
                None => session.summary(&session.head(), &self.known).id,
            };
            let subagents = session.subagents().map(|all| {
                let ids = all.into_iter().map(|one| ConversationId::new(one.subagent.id));
                ids.map(|id| (id, *stamp)).collect::<Told>()
            });
            let mut told = ledger::settled(subagents)?;
            told.insert(own, *stamp);
            Some(told)
        })
    }
}

/// Everything that a session is read from.
fn session_stamp(session: &CliSession) -> u64 {
    let beside = ["meta.json", "prompt_history.json"].map(|name| stamp::file(&session.folder.join(name)));
    fingerprint::of(&(stamp::database(&session.store), beside))
}

impl Transcripts {
    /// What changed since `since`: a file is one piece, and what lies in its project goes with it.
    pub(crate) fn changes_since(&self, since: Option<&Mark>) -> Changes {
        let plans = self.plans.stamp();
        let mut projects: HashMap<ProjectFolder, Surroundings> = HashMap::new();
        let files = self.look();
        let pieces = files.iter().map(|file| {
            let around = file.project.as_ref().map(|project| match projects.get(project) {
                Some(around) => *around,
                None => *projects.entry(project.clone()).or_insert_with(|| project.surroundings(&self.known)),
            });
            let content = fingerprint::of(&(stamp::file(&file.path), around.map(|it| it.spilled), plans));
            let stamp = fingerprint::of(&(content, around.map(|it| it.named)));
            Piece { name: file.path.to_string_lossy().into_owned(), stamp, what: (file, content) }
        });
        ledger::changes(since, &pieces.collect::<Vec<_>>(), |(file, content)| {
            let print = fingerprint::of(&(content, fingerprint::of_all(&self.workspace(file))));
            // Whoever started it names it, and is told together with it.
            let ids = [Some(file.id.clone()), file.parent.clone()].into_iter().flatten();
            Some(ids.map(|id| (id, print)).collect())
        })
    }
}

/// What a project adds to its transcripts.
#[derive(Debug, Clone, Copy)]
struct Surroundings {
    /// The stamp of what names its folder.
    named: u64,
    /// The stamp of output that spilled.
    spilled: u64,
}

impl ProjectFolder {
    fn surroundings(&self, known: &KnownPaths) -> Surroundings {
        let known = known.by_slug(&name_of(&self.path)).map(fingerprint::of_all);
        let stores = folders(&self.path.join("sdk-agent-store"));
        let indexes: Vec<u64> = stores.iter().map(|store| index_stamp(store)).collect();
        let trusted = stamp::file(&self.path.join(".workspace-trusted"));
        let spilled = stamp::folder(&self.path.join("agent-tools"));
        Surroundings { named: fingerprint::of(&(known, indexes, trusted)), spilled }
    }
}

/// The stamp of an SDK store's index, of whichever kind.
fn index_stamp(store: &Path) -> u64 {
    let lines =
        ["agents.ndjson", "runs.ndjson", "run_events.ndjson"].map(|name| stamp::file(&store.join(name)));
    fingerprint::of(&(stamp::database(&store.join("index.db")), lines))
}

impl SdkStores {
    /// What changed since `since`: a store is one piece, whose agents are told apart by their rows.
    pub(crate) fn changes_since(&self, since: Option<&Mark>) -> Changes {
        let pieces = self.look().into_iter().map(|store| {
            let transcripts = ProjectFolder::around(&store).map(|project| {
                let files = below(&project.path.join("agent-transcripts"));
                files.iter().map(|file| stamp::file(&file.path)).collect::<Vec<_>>()
            });
            let own: Vec<(PathBuf, u64)> = own_stores(&store);
            let place = self.folder_of(&store).as_ref().map(fingerprint::of_all);
            let stamp = fingerprint::of(&(index_stamp(&store), transcripts, &own, place));
            Piece { name: store.to_string_lossy().into_owned(), stamp, what: (store, own) }
        });
        ledger::changes(since, &pieces.collect::<Vec<_>>(), |(store, own)| {
            ledger::settled(self.told(store, own))
        })
    }

    fn told(&self, store: &Path, own: &[(PathBuf, u64)]) -> Result<Told, ReadError> {
        let mut told = Told::new();
        let place = self.folder_of(store).as_ref().map(fingerprint::of_all);
        let mut claimed: BTreeSet<&Path> = BTreeSet::new();
        for agent in sdk_rows::listed(store)?.agents {
            let rows = sdk_rows::of_agent(store, &agent.agent_id)?;
            let transcript =
                transcript_of(store, &agent.agent_id).map(|file: TranscriptFile| stamp::file(&file.path));
            let hash = sdk_agent_folder(&agent.agent_id);
            let is_its = |(folder, _): &&(PathBuf, u64)| name_of(folder).ends_with(&hash);
            let named: Vec<&(PathBuf, u64)> = own.iter().filter(is_its).collect();
            claimed.extend(named.iter().map(|(folder, _)| folder.as_path()));
            let blobs = if named.is_empty() { own.iter().collect() } else { named };
            let print = fingerprint::of(&(fingerprint::of_all(&rows), transcript, blobs, place));
            told.insert(ConversationId::new(agent.agent_id), print);
        }
        for (folder, stamp) in own.iter().filter(|(folder, _)| !claimed.contains(folder.as_path())) {
            let session = CliSession::of_store(&folder.join("store.db"), Surface::Sdk);
            let id = session.summary(&session.head(), &self.known).id;
            told.entry(id).or_insert(fingerprint::of(&(*stamp, place)));
        }
        for (folder, stamp) in own {
            let session = CliSession::of_store(&folder.join("store.db"), Surface::Sdk);
            for kept in session.subagents()? {
                told.entry(ConversationId::new(kept.subagent.id)).or_insert(*stamp);
            }
        }
        Ok(told)
    }
}

/// The agents' own stores, each with its stamp.
fn own_stores(store: &Path) -> Vec<(PathBuf, u64)> {
    let own = folders(&store.join("agents")).into_iter();
    own.filter(|folder| folder.join("store.db").is_file())
        .map(|folder| {
            let stamp = session_stamp(&CliSession::of_store(&folder.join("store.db"), Surface::Sdk));
            (folder, stamp)
        })
        .collect()
}
