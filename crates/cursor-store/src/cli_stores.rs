//! The sessions of the command line agent: all of a `chats` or `acp-sessions` folder, or just those that were named.
//!
//! A listing reads `meta.json` and the `meta` row. Blobs are read for one conversation at a time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use backscroll_model::{
    Changes, Conversation, ConversationId, Finding, Holding, Layer, Mark, Source, SourceError, Summary,
    Surface,
};

use crate::cli_head::CliSession;
use crate::cli_subagents::{self, Keepers};
use crate::cursor_home::CursorHomes;
use crate::folder_listing::{children, closed, closed_place, folders, name_of};
use crate::in_parallel;
use crate::known_paths::KnownPaths;
use crate::plans::Plans;
use crate::prompt_history;

/// Sessions of the command line agent.
#[derive(Debug)]
pub struct CliStores {
    place: PathBuf,
    sessions: Sessions,
    pub(crate) known: Arc<KnownPaths>,
    pub(crate) plans: Plans,
    /// Which session keeps which subagent, as far as anybody has looked.
    keepers: Keepers,
    /// The folders of working directories that hold a session of this name, looked for once.
    holders: OnceLock<HashMap<String, Vec<PathBuf>>>,
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
        Self::of(folder, Sessions::Chats, known)
    }

    /// Every session below an `acp-sessions` folder.
    pub fn acp(folder: &Path, known: Arc<KnownPaths>) -> Self {
        Self::of(folder, Sessions::Acp, known)
    }

    /// These `store.db` files, found somewhere below `place`.
    pub fn named(place: &Path, stores: Vec<PathBuf>, known: Arc<KnownPaths>) -> Self {
        Self::of(place, Sessions::Named(stores), known)
    }

    fn of(place: &Path, sessions: Sessions, known: Arc<KnownPaths>) -> Self {
        let plans = Plans::beside(place);
        Self {
            place: place.to_owned(),
            sessions,
            known,
            plans,
            keepers: Keepers::default(),
            holders: OnceLock::new(),
        }
    }

    pub(crate) fn sessions(&self) -> Vec<CliSession> {
        self.sessions_named(&|_| true)
    }

    /// The sessions whose folders have such names; of the others nothing is looked at. Sessions that were named to us
    /// are all of them.
    fn sessions_named(&self, is_wanted: &dyn Fn(&str) -> bool) -> Vec<CliSession> {
        let below = |folder: &Path| {
            let named = children(folder).into_iter().filter(|folder| is_wanted(&name_of(folder)));
            let found = named.filter(|folder| folder.is_dir());
            found.filter_map(|folder| CliSession::named_by(&folder, Surface::Cli)).collect::<Vec<_>>()
        };
        match &self.sessions {
            Sessions::Chats => folders(&self.place).iter().flat_map(|hash| below(hash)).collect(),
            Sessions::Acp => below(&self.place),
            Sessions::Named(stores) => {
                stores.iter().map(|store| CliSession::of_store(store, Surface::Cli)).collect()
            }
        }
    }

    /// Folders that may hold sessions and cannot be looked into.
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

    /// The sessions of this id: one for each folder that has it.
    fn sessions_of(&self, id: &ConversationId) -> Vec<CliSession> {
        let at = |folder: &Path| {
            let is_name = Path::new(id.as_str()).components().count() == 1 && !id.as_str().contains('\0');
            is_name.then(|| CliSession::named_by(&folder.join(id.as_str()), Surface::Cli)).flatten()
        };
        let found: Vec<CliSession> = match &self.sessions {
            Sessions::Chats => {
                let holders = self.holders().get(id.as_str());
                holders.into_iter().flatten().filter_map(|hash| at(hash)).collect()
            }
            Sessions::Acp => at(&self.place).into_iter().collect(),
            Sessions::Named(_) => {
                let mut all = self.sessions();
                all.retain(|session| session.summary(&session.head(), &self.known).id == *id);
                all
            }
        };
        // A file system that ignores case would give us one session under many ids.
        found.into_iter().filter(|session| session.is_spelled(id)).collect()
    }

    /// Which folder holds which session, by names alone: no session is looked into.
    fn holders(&self) -> &HashMap<String, Vec<PathBuf>> {
        self.holders.get_or_init(|| {
            let mut holders: HashMap<String, Vec<PathBuf>> = HashMap::new();
            for hash in folders(&self.place) {
                for session in children(&hash) {
                    holders.entry(name_of(&session)).or_default().push(hash.clone());
                }
            }
            holders
        })
    }

    fn error(&self, because: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> SourceError {
        SourceError::new(&self.place, because)
    }
}

impl Source for CliStores {
    fn place(&self) -> PathBuf {
        self.place.clone()
    }

    fn files(&self) -> Vec<(Layer, PathBuf)> {
        let stores = self.sessions().into_iter().filter(CliSession::has_store);
        stores.map(|session| (Layer::CliStore, session.store.to_path_buf())).collect()
    }

    fn holdings(&self) -> Result<Vec<Holding>, SourceError> {
        let stores: Vec<CliSession> = self.sessions().into_iter().filter(CliSession::has_store).collect();
        Ok(in_parallel::each(&stores, CliSession::holding))
    }

    fn summaries(&self) -> Result<(Vec<Summary>, Vec<Finding>), SourceError> {
        let heads = in_parallel::each(&self.sessions(), |session| {
            let head = session.head();
            (session.summary(&head, &self.known), head.findings)
        });
        let mut findings = self.closed_folders();
        let mut all: BTreeMap<ConversationId, Summary> = BTreeMap::new();
        for (summary, troubles) in heads {
            findings.extend(troubles);
            match all.remove(&summary.id) {
                Some(other) => drop(all.insert(summary.id.clone(), united(summary, other))),
                None => drop(all.insert(summary.id.clone(), summary)),
            }
        }
        Ok((all.into_values().collect(), findings))
    }

    fn load(&self, id: &ConversationId) -> Result<Vec<Conversation>, SourceError> {
        let mut tellings = Vec::new();
        for session in self.sessions_of(id) {
            let mut conversation = session.load(&self.known);
            prompt_history::add_unsaid(&session.folder, &mut conversation);
            self.plans.attach(&mut conversation);
            CursorHomes::around(&self.place).attach(&mut conversation);
            self.keepers.note(&session, conversation.children.iter().cloned());
            tellings.push(conversation);
        }
        if let (true, Some(session)) = (tellings.is_empty(), self.keepers.of(id)) {
            let told = session.load_subagent(id, &self.known).map_err(|because| self.error(because))?;
            tellings.extend(told);
        }
        Ok(tellings)
    }

    fn kind(&self) -> &'static str {
        match self.sessions {
            Sessions::Chats => "cli-chats",
            Sessions::Acp => "cli-acp",
            Sessions::Named(_) => "cli-named",
        }
    }

    fn changes(&self, since: Option<&Mark>) -> Result<Changes, SourceError> {
        Ok(self.changes_since(since))
    }

    fn summaries_of(&self, ids: &BTreeSet<ConversationId>) -> Result<Vec<Summary>, SourceError> {
        let of_one = |id| {
            let sessions = self.sessions_of(id).into_iter();
            let told = sessions.map(|session| session.summary(&session.head(), &self.known));
            told.filter(|summary| summary.id == *id).reduce(|known, summary| united(summary, known))
        };
        Ok(ids.iter().filter_map(of_one).collect())
    }

    fn nested(&self) -> Result<Vec<Summary>, SourceError> {
        Ok(cli_subagents::summaries(&self.sessions(), &self.known, &self.keepers))
    }

    fn lies_inside(&self, id: &ConversationId, parent: &ConversationId) -> bool {
        let around = self.sessions_of(parent).into_iter().chain(self.keepers.of(parent));
        around.for_each(|session| self.keepers.look_into(&session));
        self.keepers.of(id).is_some()
    }

    fn ids(&self, beginning: &str) -> Result<Vec<ConversationId>, SourceError> {
        let summaries;
        let mut ids: Vec<ConversationId> = if let Sessions::Named(_) = self.sessions {
            summaries = self.summaries()?.0;
            summaries.into_iter().map(|summary| summary.id).collect()
        } else {
            let found = self.sessions_named(&|name| name.starts_with(beginning)).into_iter();
            found.filter_map(|session| session.id).collect()
        };
        ids.retain(|id| id.as_str().starts_with(beginning));
        ids.sort();
        ids.dedup();
        Ok(ids)
    }
}

/// One session under two folders: the one that has something leads, what it lacks is taken from the other.
fn united(one: Summary, other: Summary) -> Summary {
    let is_hollow = |summary: &Summary| summary.messages == Some(0);
    let rank = |summary: &Summary| (!is_hollow(summary), summary.recency());
    // As it is when both are loaded: by the strongest route, then of the newest.
    let placed =
        [&one, &other].into_iter().filter_map(|told| Some((told.workspace.clone()?, told.recency())));
    let workspace = placed.min_by_key(|(workspace, at)| (workspace.by, Reverse(*at)));
    let (mut lead, rest) = if rank(&one) >= rank(&other) { (one, other) } else { (other, one) };
    lead.title = lead.title.or(rest.title);
    lead.workspace = workspace.map(|(workspace, _)| workspace);
    lead.created_at = lead.created_at.or(rest.created_at);
    lead.updated_at = lead.updated_at.max(rest.updated_at);
    lead.mode = lead.mode.or(rest.mode);
    lead.models
        .extend(rest.models.into_iter().filter(|model| !lead.models.contains(model)).collect::<Vec<_>>());
    lead.origins.extend(rest.origins);
    lead
}
