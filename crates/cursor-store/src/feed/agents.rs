//! The change feed of agents outside of the editor: sessions of the command line, transcripts, SDK stores.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use backscroll_cursor_format::slug::sdk_agent_folder;
use backscroll_model::{Changes, ConversationId, Mark, Surface};

use super::ledger::{self, Piece, Told};
use super::{fingerprint, stamp};
use crate::cli_session::CliSession;
use crate::cli_stores::CliStores;
use crate::folder_listing::{folders, name_of};
use crate::project_folder::KnownPaths;
use crate::project_folder::ProjectFolder;
use crate::read_only_db::ReadError;
use crate::sdk_rows;
use crate::sdk_stores::{SdkStores, own_databases};
use crate::transcripts::Transcripts;

impl CliStores {
    /// What changed since `since`: a session is one piece, with the agents inside of it.
    pub(crate) fn changes_since(&self, since: Option<&Mark>) -> Changes {
        let plans = fingerprint::of(&self.plans.plan_stamps());
        let pieces = self.sessions().into_iter().map(|session| {
            let hash = session.folder.parent().map(name_of).unwrap_or_default();
            let place = self.known.by_hash(&hash).map(fingerprint::of_all);
            let stamp = fingerprint::of(&(session.stamp(), place, plans));
            Piece { name: session.store.to_string_lossy().into_owned(), stamp, what: (session, stamp) }
        });
        ledger::changes(since, &pieces.collect::<Vec<_>>(), |(session, stamp)| {
            let own = match &session.id {
                Some(id) => id.clone(),
                None => session.fragment(&session.head(), &self.known).summary.id,
            };
            let inside = session.agents_inside(&own);
            let inside = inside.map(|all| all.into_iter().map(|one| (one.id, *stamp)).collect::<Told>());
            let mut held = ledger::settled(inside)?;
            held.insert(own, *stamp);
            Some(held)
        })
    }
}

impl Transcripts {
    /// What changed since `since`: a file is one piece, and what lies in its project goes with it.
    pub(crate) fn changes_since(&self, since: Option<&Mark>) -> Changes {
        let plans = fingerprint::of(&self.plans.plan_stamps());
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
            // The conversation that started it names it.
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
        let pieces = self.stores().into_iter().map(|store| {
            let own: Vec<(PathBuf, u64)> = own_stamps(&store);
            let place = self.folder_of(&store).as_ref().map(fingerprint::of_all);
            let stamp = fingerprint::of(&(index_stamp(&store), &own, place));
            Piece { name: store.to_string_lossy().into_owned(), stamp, what: (store, own) }
        });
        ledger::changes(since, &pieces.collect::<Vec<_>>(), |(store, own)| {
            ledger::settled(self.held_in(store, own))
        })
    }

    fn held_in(&self, store: &Path, own: &[(PathBuf, u64)]) -> Result<Told, ReadError> {
        let mut held = Told::new();
        let place = self.folder_of(store).as_ref().map(fingerprint::of_all);
        let mut claimed: BTreeSet<&Path> = BTreeSet::new();
        for agent in sdk_rows::agents(store)? {
            let rows = sdk_rows::of_agent(store, &agent.agent_id)?;
            let hash = sdk_agent_folder(&agent.agent_id);
            let is_its = |(folder, _): &&(PathBuf, u64)| name_of(folder).ends_with(&hash);
            let named: Vec<&(PathBuf, u64)> = own.iter().filter(is_its).collect();
            claimed.extend(named.iter().map(|(folder, _)| folder.as_path()));
            let print = fingerprint::of(&(fingerprint::of_all(&rows), named, place));
            held.insert(ConversationId::new(agent.agent_id), print);
        }
        for (folder, stamp) in own {
            let session = CliSession::of_store(&folder.join("store.db"), Surface::Sdk);
            let id = session.fragment(&session.head(), &self.known).summary.id;
            for inside in session.agents_inside(&id)? {
                held.entry(inside.id).or_insert(*stamp);
            }
            if !claimed.contains(folder.as_path()) {
                held.entry(id).or_insert(fingerprint::of(&(*stamp, place)));
            }
        }
        Ok(held)
    }
}

/// The folders of agents' own stores, each with its stamp.
fn own_stamps(store: &Path) -> Vec<(PathBuf, u64)> {
    let stamped = own_databases(store).map(|file| {
        let session = CliSession::of_store(&file, Surface::Sdk);
        (session.folder.clone(), session.stamp())
    });
    stamped.collect()
}
