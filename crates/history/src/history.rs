//! All sources of one machine, asked as one: which conversations there are, and which one is meant.
//!
//! A history is opened over sources that were just found. It brings the heads of the index up to date, in the index's folder or
//! in memory, and answers from there; messages are read from the stores that the index's catalogue names.

use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use backscroll_index::query::{Ask, Content};
use backscroll_index::{
    Catalogues, Compared, Feed, Index, IndexError, LeftOver, Loaded, Located, MergedHead, SaidById,
    SourceStores, StoredHead, discard, has_messages, note_compared, refresh_heads,
};
use backscroll_model::{
    Catalogue, Conversation, ConversationId, Decoded, Finding, Fragment, FragmentKind, Layer, Mark,
    RequestFact, Source, SourceError, SourceId, Store, Summary, Workspace, error_chain, locked, push_new,
};

use crate::{Cleaner, merge};

/// The sources of a history, with their stores as they were when it was opened.
pub(crate) struct Sources {
    pub(crate) all: Vec<Arc<dyn Source>>,
    stores: Vec<SourceStores>,
    numbers: HashMap<String, usize>,
    cleaner: Option<Arc<Cleaner>>,
}

/// All sources of one machine.
pub struct History {
    sources: Sources,
    findings: Vec<Finding>,
    index: Arc<Mutex<Index>>,
    /// Whether the index is in memory, because there is no folder for it, or that one cannot be used now.
    is_in_memory: bool,
    folder: Option<std::path::PathBuf>,
    unreadable: Vec<SourceError>,
    /// What was tracked of requests that name no conversation, and what could not be read of it.
    pub(crate) requests: OnceLock<TrackedRequests>,
    /// The names of all plans.
    pub(crate) plans: OnceLock<Vec<ConversationId>>,
    /// What the user said in conversations that were compared with stored prompts, until the index keeps it.
    pub(crate) said: Arc<Mutex<SaidById>>,
}

/// Where the heads are kept between two histories.
#[derive(Debug, Clone, Copy, Default)]
pub struct Keep<'a> {
    /// The folder of the index.
    pub folder: Option<&'a Path>,
    /// An earlier history of the same places, whose heads may be in memory.
    pub before: Option<&'a History>,
    /// How long to wait for another process that is just writing the index.
    pub patience: Duration,
    /// Takes the secrets out of everything that the history gives out. The index must be one that was made with the same cleaner.
    pub cleaner: Option<&'a Arc<Cleaner>>,
}

/// What a listing shows of conversations, before children name their parents.
pub(crate) type HeadsById = BTreeMap<ConversationId, Summary>;

/// What was tracked of each request, and what could not be read of it.
pub(crate) type TrackedRequests = (HashMap<String, Vec<RequestFact>>, Vec<Finding>);

/// The answer to a question about many conversations.
#[derive(Debug, Default)]
pub struct Listing {
    /// What was found, in the asked order.
    pub summaries: Vec<Summary>,
    /// What was not as it should be, in any place.
    pub findings: Vec<Finding>,
    /// Places that could not be read at all.
    pub unreadable: Vec<SourceError>,
}

/// A question could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// No conversation is meant by what was asked.
    #[error("no conversation matches `{asked}`")]
    NoMatch {
        /// What was asked.
        asked: String,
    },
    /// Several are.
    #[error("`{asked}` matches {} conversations", matches.len())]
    Ambiguous {
        /// What was asked.
        asked: String,
        /// The conversations that it may mean, latest first.
        matches: Vec<Summary>,
    },
    /// A place could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl std::fmt::Debug for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("History").field("sources", &self.sources.all.len()).finish_non_exhaustive()
    }
}

impl Sources {
    fn new(all: Vec<Arc<dyn Source>>, findings: &mut Vec<Finding>, cleaner: Option<Arc<Cleaner>>) -> Self {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let (mut stores, mut numbers) = (Vec::new(), HashMap::new());
        for (number, source) in all.iter().enumerate() {
            let id = source.id();
            let name = id.to_string();
            let count = seen.entry(name.clone()).or_default();
            *count += 1;
            let name = if *count > 1 { format!("{name} ({count})") } else { name };
            numbers.insert(name.clone(), number);
            stores.push(SourceStores {
                name,
                is_editor: matches!(id.layer, Layer::IdeGlobal | Layer::IdeWorkspace),
                is_mentioned: id.kind == SourceId::HOME_FILES,
                stores: source.stores().report_to(findings),
            });
        }
        Self { all, stores, numbers, cleaner }
    }

    /// The same sources after these stores have changed. A source remembers some of what it read, so that of a changed store begins
    /// anew.
    fn after(&self, changed: &[ChangedStore]) -> Self {
        let mut after = Self {
            all: self.all.clone(),
            stores: self.stores.clone(),
            numbers: self.numbers.clone(),
            cleaner: self.cleaner.clone(),
        };
        for one in changed {
            after.stores[one.source].stores[one.store].stamp = one.stamp;
            if let Some(renewed) = after.all[one.source].renewed() {
                after.all[one.source] = renewed;
            }
        }
        after
    }
}

/// A store that has another stamp than when the history was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChangedStore {
    /// The number of its source.
    pub(crate) source: usize,
    /// Its number among the stores of that source.
    pub(crate) store: usize,
    /// The stamp it has now.
    pub(crate) stamp: u64,
}

impl Catalogues for Sources {
    fn sources(&self) -> &[SourceStores] {
        &self.stores
    }

    fn catalogue(
        &self,
        source: usize,
        store: &Store,
        since: Option<&Mark>,
    ) -> Result<Catalogue, SourceError> {
        self.all[source].catalogue(&store.path, since)
    }

    fn merge_heads(&self, heads: Vec<(usize, Fragment)>) -> Option<MergedHead> {
        let mark = |(source, mut head): (usize, Fragment)| {
            if self.all[source].id().is_backup {
                merge::mark_deleted(&mut head);
            }
            head
        };
        let mut heads: Vec<Fragment> = heads.into_iter().map(mark).collect();
        let is_prompts = heads.iter().any(|head| head.kind == FragmentKind::Prompts)
            && !heads.iter().any(|head| head.kind == FragmentKind::Account);
        if is_prompts {
            for head in &mut heads {
                head.kind = FragmentKind::Account;
            }
        }
        let mut summary = merge::summary(&heads)?;
        let mut findings = merge::other_claims(&heads, &summary);
        findings.extend(merge::lost_record(&summary));
        if let Some(cleaner) = &self.cleaner {
            cleaner.summary(&mut summary);
            cleaner.findings(&mut findings);
        }
        Some(MergedHead { findings, summary, is_prompts })
    }
}

impl Feed for History {
    fn catalogues(&self) -> &dyn Catalogues {
        &self.sources
    }

    fn load_located(&self, id: &ConversationId, located: &[Located]) -> Result<Option<Loaded>, SourceError> {
        match self.load_as_stored(id, located) {
            Ok(stored) => {
                let mentions = merge::mentions(&stored);
                Ok(Some(Loaded { conversation: self.cleaned(stored), mentions }))
            }
            Err(AskError::Source(error)) => Err(self.cleaned_error(error)),
            Err(AskError::NoMatch { .. } | AskError::Ambiguous { .. }) => Ok(None),
        }
    }

    fn take_said(&self) -> SaidById {
        std::mem::take(&mut *locked(&self.said))
    }
}

impl History {
    /// The history that `sources` hold together; `findings` are what was noted while looking for them. The heads are brought
    /// up to date where `keep` says, or in memory.
    ///
    /// # Panics
    ///
    /// If SQLite cannot make a database in memory.
    pub fn open(sources: Vec<Box<dyn Source>>, mut findings: Vec<Finding>, keep: Keep<'_>) -> Self {
        let all = sources.into_iter().map(Arc::from).collect();
        let sources = Sources::new(all, &mut findings, keep.cleaner.cloned());
        Self::over_sources(sources, findings, keep)
    }

    /// The history after these stores have changed. No other store is looked at.
    pub(crate) fn after(&self, changed: &[ChangedStore], patience: Duration) -> Self {
        let keep = Keep { folder: self.folder.as_deref(), before: Some(self), patience, cleaner: None };
        Self::over_sources(self.sources.after(changed), self.findings.clone(), keep)
    }

    fn over_sources(sources: Sources, findings: Vec<Finding>, keep: Keep<'_>) -> Self {
        // An index in a folder is only the shorter way: whatever is wrong with it, the stores have the answer.
        let kept =
            keep.folder.and_then(|folder| refresh_heads(folder, &sources, keep.patience).ok().flatten());
        let is_in_memory = kept.is_none();
        let (index, unreadable) = if let Some((index, unreadable)) = kept {
            (Arc::new(Mutex::new(index)), unreadable)
        } else {
            let before = keep.before.filter(|before| before.is_in_memory).map(|before| &before.index);
            let followed = before.and_then(|index| {
                let unreadable = locked(index).refresh_heads(&sources).ok()?;
                Some((Arc::clone(index), unreadable))
            });
            followed.unwrap_or_else(|| {
                let anew = Index::of_heads(&sources).expect("a database in memory can be written");
                (Arc::new(Mutex::new(anew.0)), anew.1)
            })
        };
        let mut findings = findings;
        if let Some(cleaner) = &sources.cleaner {
            cleaner.findings(&mut findings);
        }
        Self {
            sources,
            findings,
            index,
            is_in_memory,
            folder: keep.folder.map(Path::to_owned),
            unreadable,
            requests: OnceLock::new(),
            plans: OnceLock::new(),
            said: keep.before.map(|before| Arc::clone(&before.said)).unwrap_or_default(),
        }
    }

    /// The same, with heads in memory.
    pub fn over(sources: Vec<Box<dyn Source>>, findings: Vec<Finding>) -> Self {
        Self::open(sources, findings, Keep::default())
    }

    /// What was noted while looking for sources and stores: places that exist and could not be read.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Adds what was noted while the stores were looked at.
    pub(crate) fn add_findings(&mut self, mut findings: Vec<Finding>) {
        if let Some(cleaner) = self.cleaner() {
            cleaner.findings(&mut findings);
        }
        for finding in findings {
            push_new(&mut self.findings, finding);
        }
    }

    /// What takes the secrets out of everything that this history gives out.
    pub(crate) fn cleaner(&self) -> Option<&Cleaner> {
        self.sources.cleaner.as_deref()
    }

    /// The conversation without its secrets, where a cleaner takes them out.
    pub(crate) fn cleaned(&self, mut conversation: Conversation) -> Conversation {
        if let Some(cleaner) = self.cleaner() {
            cleaner.conversation(self.stamp(&conversation.summary.id), &mut conversation);
        }
        conversation
    }

    pub(crate) fn cleaned_error(&self, error: SourceError) -> SourceError {
        match self.cleaner() {
            Some(cleaner) => cleaner.error(&error),
            None => error,
        }
    }

    /// A number that changes with everything that any store has of this conversation; 0 if none has anything.
    pub(crate) fn stamp(&self, id: &ConversationId) -> i64 {
        self.asked(|index| index.head(id)).map_or(0, |head| head.stamp)
    }

    /// The sources themselves, for questions about places instead of conversations.
    pub(crate) fn sources(&self) -> &[Arc<dyn Source>] {
        &self.sources.all
    }

    /// Asks the index. One that is damaged is replaced by one in memory, and made anew by the next command.
    pub(crate) fn asked<T: Default>(&self, question: impl Fn(&Index) -> Result<T, IndexError>) -> T {
        let mut index = locked(&self.index);
        question(&index).unwrap_or_else(|error| {
            if let Some(folder) = self.folder.as_deref().filter(|_| error.is_damage()) {
                discard(folder);
            }
            if let Ok((anew, _)) = Index::of_heads(&self.sources) {
                *index = anew;
            }
            question(&index).unwrap_or_default()
        })
    }

    /// Where something of a conversation is.
    pub(crate) fn located(&self, id: &ConversationId) -> Vec<Located> {
        self.asked(|index| index.located(id, &self.sources.numbers))
    }

    /// A number for each conversation, which changes when anything does that any store has of it.
    pub fn stamps(&self) -> HashMap<ConversationId, i64> {
        self.asked(Index::stamps)
    }

    /// The stores of each source, with their stamps from when the history was opened.
    pub(crate) fn stores(&self) -> &[SourceStores] {
        &self.sources.stores
    }

    /// Whether its stores are the same as in `other`, with the same stamps.
    pub(crate) fn has_stores_of(&self, other: &Self) -> bool {
        let others = other.stores().iter().flat_map(|source| &source.stores);
        self.stores().iter().flat_map(|source| &source.stores).eq(others)
    }

    /// Closes what sources keep open between questions: to be called by a face that stays, when it has its answer.
    pub fn rest(&self) {
        self.sources.all.iter().for_each(|source| source.rest());
    }

    /// Whether any store could not be read when the history was opened.
    pub(crate) fn has_unreadable(&self) -> bool {
        !self.unreadable.is_empty()
    }

    /// Stores that could not be read when the history was opened.
    pub fn unreadable(&self) -> impl Iterator<Item = SourceError> {
        self.unreadable.iter().map(|error| {
            let copy = SourceError::new(error.layer, error.place.clone(), error_chain(&*error.because));
            self.cleaned_error(copy)
        })
    }

    /// A listing without conversations: what is not as it should be in any place.
    pub fn account(&self) -> Listing {
        let mut in_stores = self.asked(Index::findings);
        if let Some(cleaner) = self.cleaner() {
            cleaner.findings(&mut in_stores);
        }
        let mut findings = self.findings.clone();
        findings.extend(in_stores);
        findings.sort_by(|a, b| a.at.file.cmp(&b.at.file));
        findings.dedup();
        Listing { summaries: Vec::new(), findings, unreadable: self.unreadable().collect() }
    }

    /// The conversations that `ask` asks for. Words are left out: only a search finds them.
    pub fn list(&self, ask: &Ask) -> Listing {
        let mut listing = self.account();
        listing.summaries = self.heads(ask.all, &mut listing.unreadable).into_values().collect();
        merge::link_children(&mut listing.summaries);
        let mut troubles = Vec::new();
        listing.summaries.retain(|summary| self.has(summary, ask, &mut troubles));
        ask.sort(&mut listing.summaries);
        listing.unreadable.append(&mut troubles);
        listing.summaries.drain(..ask.offset.min(listing.summaries.len()));
        listing.summaries.truncate(ask.limit.unwrap_or(usize::MAX));
        listing
    }

    /// Whether `ask` asks for this conversation: every face lists by this. Where what it holds is unknown, it does not, and the
    /// reason is noted.
    pub(crate) fn has(&self, summary: &Summary, ask: &Ask, troubles: &mut Vec<SourceError>) -> bool {
        let mut trouble = RefCell::new(None);
        let wants = ask.wants(summary, || {
            self.content(&summary.id, ask.needs_index()).unwrap_or_else(|error| {
                *trouble.borrow_mut() = Some(error);
                None
            })
        });
        troubles.extend(trouble.get_mut().take());
        wants
    }

    /// What a conversation holds: out of the index, else out of its stores.
    fn content(&self, id: &ConversationId, with_messages: bool) -> Result<Option<Content>, SourceError> {
        let known: Option<Result<Option<Content>, SourceError>> =
            self.asked(|index| index.content(id, with_messages).map(Some));
        if let Some(content) = known.transpose()?.flatten() {
            return Ok(Some(content));
        }
        match self.load(id) {
            Ok(whole) => Ok(Some(Content::new(&whole))),
            Err(AskError::Source(error)) => Err(error),
            Err(AskError::NoMatch { .. } | AskError::Ambiguous { .. }) => Ok(None),
        }
    }

    /// What a listing shows of every conversation, before children name their parents. What is left of stored prompts is hidden
    /// beside conversations with messages, and costs reading these: so it is found out only where hidden ones are asked for.
    pub(crate) fn heads(&self, with_hidden: bool, unreadable: &mut Vec<SourceError>) -> HeadsById {
        let (prompts, others): (Vec<StoredHead>, Vec<StoredHead>) =
            self.asked(Index::heads).into_iter().partition(|head| head.prompts.is_some());
        let mut heads: HeadsById =
            others.into_iter().map(|head| (head.summary.id.clone(), head.summary)).collect();
        self.add_prompts(prompts, with_hidden, &mut heads, unreadable);
        heads
    }

    /// Brings `heads`, with the hidden ones, up to date where these conversations changed.
    pub(crate) fn patch_heads(
        &self,
        heads: &mut HeadsById,
        changed: &BTreeSet<ConversationId>,
        unreadable: &mut Vec<SourceError>,
    ) {
        let mut prompts = Vec::new();
        for id in changed {
            heads.remove(id);
            match self.asked(|index| index.head(id)) {
                Some(head) if head.prompts.is_some() => prompts.push(head),
                Some(head) => drop(heads.insert(id.clone(), head.summary)),
                None => {}
            }
        }
        self.add_prompts(prompts, true, heads, unreadable);
    }

    /// Adds to `heads` what is left of these stored prompts.
    fn add_prompts(
        &self,
        prompts: Vec<StoredHead>,
        with_hidden: bool,
        heads: &mut HeadsById,
        unreadable: &mut Vec<SourceError>,
    ) {
        let (mut added, mut compared) = (Vec::new(), Vec::new());
        for StoredHead { summary, prompts, stamp } in prompts {
            let left = match prompts {
                _ if !self.asked(|index| index.has_messages_beside(&summary.id)) => Some(summary),
                _ if !with_hidden => None,
                Some(LeftOver::Nothing) => None,
                Some(LeftOver::Some(left)) => Some(*left),
                Some(LeftOver::Unknown) | None => match self.load(&summary.id) {
                    Ok(left) => {
                        compared.push(Compared { id: summary.id, stamp, left: Some(left.summary.clone()) });
                        Some(left.summary)
                    }
                    Err(AskError::NoMatch { .. } | AskError::Ambiguous { .. }) => {
                        compared.push(Compared { id: summary.id, stamp, left: None });
                        None
                    }
                    Err(AskError::Source(error)) => {
                        unreadable.push(error);
                        None
                    }
                },
            };
            added.extend(left);
        }
        heads.extend(added.into_iter().map(|summary| (summary.id.clone(), summary)));
        if let (Some(folder), false, false) = (&self.folder, compared.is_empty(), self.is_in_memory) {
            // Only to save the work next time.
            let mut said = locked(&self.said);
            if note_compared(folder, &compared, &said).unwrap_or(false) {
                said.clear();
            }
        }
    }

    /// The conversation that `asked` means: `@1` for the latest, the beginning of an id, or part of a title.
    pub fn resolve(&self, asked: &str) -> Result<ConversationId, AskError> {
        let no_match = || AskError::NoMatch { asked: asked.to_owned() };
        if let Some(number) = asked.strip_prefix('@').and_then(|number| number.parse::<usize>().ok()) {
            let listed = self.list(&Ask::default()).summaries;
            let place = number.checked_sub(1).ok_or_else(no_match)?;
            return listed.into_iter().nth(place).map(|summary| summary.id).ok_or_else(no_match);
        }
        if asked.trim().is_empty() {
            return Err(no_match());
        }
        let ids: BTreeSet<ConversationId> = self.asked(|index| index.ids_beginning(asked));
        let exact = ConversationId::new(asked);
        if ids.contains(&exact) {
            return Ok(exact);
        }
        if let [only] = ids.iter().collect::<Vec<_>>()[..] {
            return Ok(only.clone());
        }
        let all = self.list(&Ask::everything()).summaries;
        let matches = if ids.is_empty() {
            by_title(all, asked)
        } else {
            all.into_iter().filter(|summary| ids.contains(&summary.id)).collect()
        };
        match &matches[..] {
            [] => Err(no_match()),
            [only] => Ok(only.id.clone()),
            _ => Err(AskError::Ambiguous { asked: asked.to_owned(), matches }),
        }
    }
}

/// What one source alone has of each conversation, for reports about places. The findings concern the place as a whole.
pub fn source_summaries(source: &dyn Source) -> Result<Decoded<Vec<Summary>>, SourceError> {
    let Decoded { value: stores, mut findings } = source.stores();
    let mut heads: BTreeMap<ConversationId, Vec<Fragment>> = BTreeMap::new();
    for store in stores {
        // The mark, which may be as large as all entries, is not needed.
        let Catalogue { entries, findings: found, .. } = source.catalogue(&store.path, None)?;
        findings.extend(found);
        for mut catalogued in entries.into_iter().filter(|one| one.entry.parent.is_none()) {
            let of_heads = catalogued.heads.iter_mut();
            findings.extend(of_heads.flat_map(|head| std::mem::take(&mut head.findings)));
            // Nearly all have one head, and a head is large: an empty list would make room for four.
            match heads.entry(catalogued.entry.id) {
                Entry::Vacant(new) => _ = new.insert(catalogued.heads),
                Entry::Occupied(mut known) => known.get_mut().extend(catalogued.heads),
            }
        }
    }
    let (prompts, heads): (Vec<_>, Vec<_>) =
        heads.into_values().partition(|heads| heads.iter().any(|head| head.kind == FragmentKind::Prompts));
    let mut summaries: Vec<Summary> = heads.into_iter().filter_map(|heads| merge::summary(&heads)).collect();
    for prompts in prompts {
        let is_all = !summaries.iter().any(|other| has_messages(other) && is_beside(&prompts[0], other));
        let accounts = prompts.into_iter().filter(|_| is_all);
        let accounts: Vec<Fragment> =
            accounts.map(|prompts| Fragment { kind: FragmentKind::Account, ..prompts }).collect();
        summaries.extend(merge::summary(&accounts));
    }
    summaries.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(Decoded { value: summaries, findings })
}

/// Those whose title holds `asked`, whatever the case; one whose title is just that wins.
fn by_title(all: Vec<Summary>, asked: &str) -> Vec<Summary> {
    let wanted = asked.to_lowercase();
    let title = |summary: &Summary| summary.title.as_deref().unwrap_or_default().to_lowercase();
    let found: Vec<Summary> = all.into_iter().filter(|summary| title(summary).contains(&wanted)).collect();
    let exact: Vec<Summary> = found.iter().filter(|summary| title(summary) == wanted).cloned().collect();
    if exact.len() == 1 { exact } else { found }
}

/// Whether a conversation is of the workspace whose prompts these are.
fn is_beside(prompts: &Fragment, other: &Summary) -> bool {
    let Some(here) = &prompts.summary.workspace else { return true };
    let is_here = |there: &Workspace| (&here.path, &here.remote) == (&there.path, &there.remote);
    other.workspace.as_ref().is_some_and(is_here)
        || other.origins.iter().any(|origin| origin.file == prompts.origin().file)
}
