//! The one live history that every face uses.
//!
//! A [`Library`] is given the places to look at, the folder of the index and a clock. It gives out a [`Snapshot`]: all heads, the history
//! to load conversations from, and what changed since the snapshot before. A [`History`] shows the stores as they were when it
//! was opened, so a new snapshot is made when a store changed, and questions that still use the older one finish with it.
//!
//! A command that asks once uses [`open`]; a face that stays keeps a library, and may follow what happens ([`Follow`]).

mod difference;
mod follow;
mod index_state;
mod watch;

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use backscroll_index::{Index, note_files};
use backscroll_model::{Contents, ConversationId, Finding, Source, SourceError, Summary, Workspace, locked};
use jiff::{Timestamp, Zoned};

use crate::history::HeadsById;
use crate::reports::file_shown_as;
use crate::{Ask, Cleaner, History, Keep, Listing, merge};

pub use difference::Followed;
pub use follow::{Events, Follow, FollowOptions};
pub use index_state::{IndexState, PooledIndex};
use watch::{Looked, Watch};

/// How often a server looks at the stores while somebody watches.
pub const BEAT: Duration = Duration::from_millis(250);
/// Words of changed conversations are put into the index at most this often, unless somebody searches.
const WORDS: Duration = Duration::from_secs(2);
/// How long a command waits for another process that is just writing the index, before it does without.
const PATIENCE: Duration = Duration::from_millis(500);

/// Finds the stores. The program that puts the rooms together implements it.
pub trait Discovery {
    /// The sources of all places. `noted` is what an earlier discovery gave to be kept.
    fn find(&self, noted: String, now: Timestamp) -> Discovered;

    /// What the store at `file`, which a report names, is made of, or why that cannot be counted. Takes a while for a large one.
    fn contents(&self, file: &Path) -> Result<Contents, String>;

    /// A number that changes when something in `folder` comes, goes or is renamed, and may change at other times.
    fn folder_stamp(&self, folder: &Path) -> u64 {
        let _ = folder;
        0
    }

    /// A number that changes when a store may have come into `folder` or gone from it; costs reading the names.
    fn names_stamp(&self, folder: &Path) -> u64 {
        self.folder_stamp(folder)
    }
}

/// What a discovery found.
pub struct Discovered {
    /// The sources.
    pub sources: Vec<Box<dyn Source>>,
    /// Places that exist and could not be read.
    pub findings: Vec<Finding>,
    /// Called when the history is open: the search has ended.
    pub finish: Box<dyn FnOnce() -> Searched>,
}

/// What was found out while the places were searched and the stores looked at.
#[derive(Debug, Default)]
pub struct Searched {
    /// Files that could not be read.
    pub unreadable_files: Vec<Finding>,
    /// What the next discovery should be given, if that is something new.
    pub noted: Option<String>,
    /// The folders that were searched for stores, with their stamps from before.
    pub folders: Vec<(PathBuf, u64)>,
}

impl fmt::Debug for Discovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Discovered").field("sources", &self.sources.len()).finish_non_exhaustive()
    }
}

/// The history of all places as they are now. What was found out about them is kept in the folder of the index, if there is one,
/// so that the next question need not look again at what did not change.
/// A `cleaner` takes the secrets out of all that the history gives out.
pub fn open(
    discovery: &dyn Discovery,
    index: Option<&Path>,
    now: Timestamp,
    cleaner: Option<&Arc<Cleaner>>,
) -> History {
    open_after(discovery, index, now, None, cleaner).0
}

/// The same, with the folders that were searched. `before` is an earlier history of the same places.
fn open_after(
    discovery: &dyn Discovery,
    index: Option<&Path>,
    now: Timestamp,
    before: Option<&History>,
    cleaner: Option<&Arc<Cleaner>>,
) -> (History, Vec<(PathBuf, u64)>) {
    let noted = index.and_then(|folder| Index::open(folder).ok().flatten()?.noted_files().ok());
    let found = discovery.find(noted.unwrap_or_default(), now);
    let keep = Keep { folder: index, before, patience: PATIENCE, cleaner };
    let mut history = History::open(found.sources, found.findings, keep);
    let searched = (found.finish)();
    history.add_findings(searched.unreadable_files);
    if let (Some(folder), Some(noted)) = (index, searched.noted) {
        // Only to save the work next time.
        let _ = note_files(folder, &noted);
    }
    (history, searched.folders)
}

/// Tells the time, and where we are.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Zoned + Send + Sync>);

impl Clock {
    /// The clock that `now` reads.
    pub fn new(now: impl Fn() -> Zoned + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// What time it is.
    pub fn now(&self) -> Zoned {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

/// The history of some places, kept up to date.
pub struct Library {
    discovery: Box<dyn Discovery + Send + Sync>,
    index_folder: Option<PathBuf>,
    cleaner: Option<Arc<Cleaner>>,
    clock: Clock,
    beat: Duration,
    current: RwLock<Option<Arc<Snapshot>>>,
    /// Held by the thread that looks for changes: one is enough.
    watch: Mutex<Option<Watch>>,
    index: Option<index_state::IndexKeeper>,
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library").field("index_folder", &self.index_folder).finish_non_exhaustive()
    }
}

impl Library {
    /// The library of the places that `discovery` finds. Without a folder for the index there is no search by words.
    pub fn new(
        discovery: Box<dyn Discovery + Send + Sync>,
        index_folder: Option<PathBuf>,
        clock: Clock,
    ) -> Self {
        Self {
            discovery,
            index_folder,
            cleaner: None,
            clock,
            beat: BEAT,
            current: RwLock::default(),
            watch: Mutex::default(),
            index: Some(index_state::IndexKeeper::default()),
        }
    }

    /// The same for a face that does not search: words of changed conversations are left to the next search, and the stores are looked
    /// at every `beat`.
    #[must_use]
    pub fn without_words(self, beat: Duration) -> Self {
        Self { beat, index: None, ..self }
    }

    /// A library that gives out nothing with a secret in it. Its folder of the index must be one for this cleaner alone.
    #[must_use]
    pub fn cleaned(self, cleaner: Option<Arc<Cleaner>>) -> Self {
        Self { cleaner, ..self }
    }

    /// What takes the secrets out of all that this library gives out.
    pub fn cleaner(&self) -> Option<&Cleaner> {
        self.cleaner.as_deref()
    }

    /// What time it is.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// What is known now. Looks at the stores first if nobody has done so for a beat, and lets the index catch up in the background.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        let snapshot = match self.known() {
            None => {
                let mut watch = locked(&self.watch);
                // Another thread may have been first.
                self.known().unwrap_or_else(|| self.search(&mut watch, None))
            }
            Some(known) => match self.watch.try_lock() {
                Ok(mut watch) => self.look(&mut watch, &known).unwrap_or(known),
                // Another thread is looking already: what is known is good enough meanwhile.
                Err(_) => known,
            },
        };
        if let Some(index) = &self.index {
            index.catch_up(self.index_folder.as_deref(), &snapshot, &self.clock, WORDS);
        }
        snapshot
    }

    /// The number of the last snapshot, without looking at anything; 0 if there is none yet.
    pub fn number(&self) -> u64 {
        self.known().map_or(0, |snapshot| snapshot.number)
    }

    /// The search index, as fresh as it can be within a short time, and how far it is.
    pub fn index(&self, snapshot: &Arc<Snapshot>) -> (Option<PooledIndex>, IndexState) {
        self.index_within(snapshot, index_state::PATIENCE)
    }

    /// The same within a time that the caller chooses.
    pub fn index_within(
        &self,
        snapshot: &Arc<Snapshot>,
        patience: Duration,
    ) -> (Option<PooledIndex>, IndexState) {
        match &self.index {
            Some(index) => {
                index.catch_up(self.index_folder.as_deref(), snapshot, &self.clock, Duration::ZERO);
                index.get(self.index_folder.as_deref(), snapshot, patience)
            }
            None => (None, IndexState::Fresh),
        }
    }

    /// Whether the index has everything that `snapshot` has.
    pub fn index_is_fresh(&self, snapshot: &Snapshot) -> bool {
        self.index.as_ref().is_some_and(|index| index.is_fresh(snapshot))
    }

    /// What the store at `file`, which a report names, is made of, or why that cannot be counted.
    pub fn contents(&self, snapshot: &Snapshot, file: &Path) -> Result<Contents, String> {
        let Some(cleaner) = &self.cleaner else { return self.discovery.contents(file) };
        let stored = file_shown_as(&snapshot.history, file).ok_or("it is gone")?;
        match self.discovery.contents(&stored) {
            Ok(mut contents) => {
                cleaner.contents(&mut contents);
                Ok(contents)
            }
            Err(why) => Err(cleaner.text(&why)),
        }
    }

    fn known(&self) -> Option<Arc<Snapshot>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The next snapshot, if anything changed since the last look.
    fn look(&self, watch: &mut Option<Watch>, known: &Snapshot) -> Option<Arc<Snapshot>> {
        let Some(looking) = watch.as_mut() else { return Some(self.search(watch, Some(known))) };
        if self.index.as_ref().is_some_and(index_state::IndexKeeper::take_told) {
            return Some(self.publish(known.history.after(&[], PATIENCE), Some(known)));
        }
        // A timer is a little early at times.
        if !looking.is_due(self.beat.mul_f32(0.9)) {
            return None;
        }
        match looking.look(&known.history, &*self.discovery) {
            Looked::Nothing => None,
            Looked::Search => Some(self.search(watch, Some(known))),
            Looked::Changed(changed) => {
                Some(self.publish(known.history.after(&changed, PATIENCE), Some(known)))
            }
        }
    }

    /// Searches all places, and looks at everything that is there.
    fn search(&self, watch: &mut Option<Watch>, known: Option<&Snapshot>) -> Arc<Snapshot> {
        let (now, begun) = (self.clock.now().timestamp(), Instant::now());
        let before = known.map(|known| &known.history);
        let index = self.index_folder.as_deref();
        let (history, folders) = open_after(&*self.discovery, index, now, before, self.cleaner.as_ref());
        *watch = Some(Watch::over(&history, folders, begun.elapsed(), watch.take()));
        self.publish(history, known)
    }

    /// Makes `history` the current one. If nothing changed but what concerns no conversation, the number stays.
    fn publish(&self, history: History, known: Option<&Snapshot>) -> Arc<Snapshot> {
        let snapshot = Arc::new(match known {
            Some(known) => known.next(history),
            None => Snapshot::new(history),
        });
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&snapshot));
        snapshot.history.rest();
        snapshot
    }
}

/// The history at one moment.
#[derive(Debug)]
pub struct Snapshot {
    /// Counts up with every change.
    pub number: u64,
    /// The history, to load conversations from.
    pub history: History,
    /// Every conversation, hidden ones included, last changed first.
    pub summaries: Vec<Summary>,
    /// What was not as it should be, in any place.
    pub findings: Vec<Finding>,
    /// Why places could not be read.
    pub unreadable: Vec<String>,
    /// Workspaces of conversations that are not hidden, the last used first.
    pub workspaces: Vec<WorkspaceUse>,
    /// What changed since the snapshot before; `None` if it may be anything.
    pub changed: Option<BTreeSet<ConversationId>>,
    /// The same conversations, before children name their parents: what the next snapshot is made of.
    heads: HeadsById,
    by_id: HashMap<ConversationId, usize>,
    stamps: HashMap<ConversationId, i64>,
}

/// A workspace and how much was said in it.
#[derive(Debug, Clone)]
pub struct WorkspaceUse {
    /// The workspace.
    pub workspace: Workspace,
    /// How many conversations are not hidden.
    pub conversations: usize,
    /// When one of them last changed.
    pub last_at: Option<Timestamp>,
}

impl Snapshot {
    /// The first one.
    fn new(history: History) -> Self {
        let mut unreadable = Vec::new();
        let heads = history.heads(true, &mut unreadable);
        let stamps = history.stamps();
        Self::over(history, 1, heads, stamps, unreadable)
    }

    /// The one after this, which `history` shows: patched where conversations came, changed or went. If none did, the number stays.
    fn next(&self, history: History) -> Self {
        let stamps = history.stamps();
        let changed = self.changed_in(&stamps);
        let (mut heads, mut unreadable) = (self.heads.clone(), Vec::new());
        history.patch_heads(&mut heads, &changed, &mut unreadable);
        let mut next = Self::over(history, self.number, heads, stamps, unreadable);
        if changed.is_empty() && (&self.findings, &self.unreadable) == (&next.findings, &next.unreadable) {
            next.changed.clone_from(&self.changed);
        } else {
            (next.number, next.changed) = (self.number + 1, Some(changed));
        }
        next
    }

    fn over(
        history: History,
        number: u64,
        heads: HeadsById,
        stamps: HashMap<ConversationId, i64>,
        mut troubles: Vec<SourceError>,
    ) -> Self {
        let Listing { findings, unreadable, .. } = history.account();
        troubles.extend(unreadable);
        let mut summaries: Vec<Summary> = heads.values().cloned().collect();
        merge::link_children(&mut summaries);
        Ask::default().sort(&mut summaries);
        let by_id = summaries.iter().enumerate().map(|(at, summary)| (summary.id.clone(), at)).collect();
        let unreadable = troubles.iter().map(|error| format!("{error}: {}", error.because)).collect();
        let workspaces = workspaces(summaries.iter().filter(|summary| is_shown(summary)));
        let changed = None;
        Self { number, history, summaries, findings, unreadable, workspaces, changed, heads, by_id, stamps }
    }

    /// The conversations that came, changed or went.
    fn changed_in(&self, stamps: &HashMap<ConversationId, i64>) -> BTreeSet<ConversationId> {
        let is_other = |(id, stamp): &(&ConversationId, &i64)| self.stamps.get(*id) != Some(*stamp);
        let came = stamps.iter().filter(is_other).map(|(id, _)| id);
        let gone = self.stamps.keys().filter(|id| !stamps.contains_key(*id));
        came.chain(gone).cloned().collect()
    }

    /// The conversations that came, changed or went since an earlier snapshot.
    pub fn changed_since(&self, earlier: &Self) -> BTreeSet<ConversationId> {
        earlier.changed_in(&self.stamps)
    }

    /// A number that changes with everything that any store has of this conversation; 0 if none has anything.
    pub fn stamp(&self, id: &ConversationId) -> i64 {
        self.stamps.get(id).copied().unwrap_or_default()
    }

    /// The head of this conversation.
    pub fn summary(&self, id: &ConversationId) -> Option<&Summary> {
        self.by_id.get(id).and_then(|at| self.summaries.get(*at))
    }

    /// All conversations that `ask` asks for, in its order. Its offset and limit are left to the caller, which counts them.
    pub fn list(&self, ask: &Ask) -> Vec<Summary> {
        let mut listed: Vec<Summary> =
            self.summaries.iter().filter(|summary| self.has(summary, ask)).cloned().collect();
        ask.sort(&mut listed);
        listed
    }

    /// Whether `ask` asks for this conversation.
    pub fn has(&self, summary: &Summary, ask: &Ask) -> bool {
        self.history.has(summary, ask, &mut Vec::new())
    }

    /// The conversations that are not hidden.
    pub fn shown(&self) -> impl Iterator<Item = &Summary> {
        self.summaries.iter().filter(|summary| is_shown(summary))
    }
}

/// Whether a conversation is shown without asking for hidden ones.
fn is_shown(summary: &Summary) -> bool {
    Ask::default().wants(summary, || None)
}

fn workspaces<'a>(summaries: impl Iterator<Item = &'a Summary>) -> Vec<WorkspaceUse> {
    let mut uses: HashMap<(&str, Option<&str>), WorkspaceUse> = HashMap::new();
    for summary in summaries {
        let Some(workspace) = &summary.workspace else { continue };
        let one = uses.entry((&workspace.path, workspace.remote.as_deref())).or_insert_with(|| {
            WorkspaceUse { workspace: workspace.clone(), conversations: 0, last_at: None }
        });
        one.conversations += 1;
        one.last_at = one.last_at.max(summary.recency());
    }
    let mut uses: Vec<WorkspaceUse> = uses.into_values().collect();
    uses.sort_by(|a, b| b.last_at.cmp(&a.last_at).then_with(|| a.workspace.path.cmp(&b.workspace.path)));
    uses
}
