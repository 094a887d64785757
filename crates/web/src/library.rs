//! What is known of all conversations, kept in memory and brought up to date when a store changes.
//!
//! A [`History`] remembers much of what it has read, so it shows the stores as they were when it was opened. A server
//! runs for days. So it is opened anew whenever the change feed reports a change, and requests that still work with
//! the older edition finish with it. While pages are open, the stores are checked about once a second, and each page
//! learns what changed by server-sent events.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use std::{fmt, io};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use backscroll_history::{History, Index, IndexError, Listing, Query, Scope, Statistics};
use backscroll_model::{Contents, ConversationId, Finding, Summary, Workspace};
use backscroll_render::SourceReport;
use futures_util::future::select;
use futures_util::stream;
use jiff::Timestamp;
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::desk::Desk;

/// How often the stores are looked at while somebody watches.
const BEAT: Duration = Duration::from_secs(1);

/// The library.
pub(crate) struct Library {
    stores: Arc<dyn Stores>,
    current: RwLock<Option<Arc<Edition>>>,
    /// Held by whoever looks for changes: one is enough.
    watch: Mutex<Watch>,
}

/// What the conversations were when the stores were last looked at.
#[derive(Default)]
struct Watch {
    stamps: HashMap<ConversationId, i64>,
    looked_at: Option<Instant>,
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Library")
    }
}

impl Library {
    pub(crate) fn new(stores: Arc<dyn Stores>) -> Self {
        Self { stores, current: RwLock::default(), watch: Mutex::default() }
    }

    /// What is known now. Looks at the stores first if nobody has done so for a beat.
    pub(crate) fn edition(&self) -> Arc<Edition> {
        let Some(edition) = self.known() else {
            let watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
            // Somebody else may have been first.
            return self.known().unwrap_or_else(|| self.first(watch));
        };
        match self.watch.try_lock() {
            Ok(watch) => self.look(watch, &edition).unwrap_or(edition),
            // Somebody else is looking already: what is known is good enough meanwhile.
            Err(_) => edition,
        }
    }

    /// The number of the edition that is known, without looking at anything; 0 if none is.
    pub(crate) fn number(&self) -> u64 {
        self.known().map_or(0, |edition| edition.number)
    }

    fn known(&self) -> Option<Arc<Edition>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn first(&self, mut watch: MutexGuard<'_, Watch>) -> Arc<Edition> {
        let history = self.stores.open(None);
        watch.stamps = history.stamps();
        let edition = Edition::of(history, 1, None);
        watch.looked_at = Some(Instant::now());
        self.publish(edition)
    }

    /// The next edition, if anything changed since the last look.
    fn look(&self, mut watch: MutexGuard<'_, Watch>, known: &Edition) -> Option<Arc<Edition>> {
        if watch.looked_at.is_some_and(|then| then.elapsed() < BEAT.mul_f32(0.9)) {
            return None;
        }
        let history = self.stores.open(Some(&known.history));
        watch.looked_at = Some(Instant::now());
        let stamps = history.stamps();
        let is_other = |(id, stamp): &(&ConversationId, &i64)| watch.stamps.get(*id) != Some(*stamp);
        let came = stamps.iter().filter(is_other).map(|(id, _)| id.clone());
        let gone = watch.stamps.keys().filter(|id| !stamps.contains_key(*id)).cloned();
        let changed: BTreeSet<ConversationId> = came.chain(gone).collect();
        watch.stamps = stamps;
        if changed.is_empty() && known.has_troubles_of(&history) {
            return None;
        }
        let next = Edition::of(history, known.number + 1, Some(changed));
        watch.looked_at = Some(Instant::now());
        Some(self.publish(next))
    }

    fn publish(&self, edition: Edition) -> Arc<Edition> {
        let edition = Arc::new(edition);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&edition));
        edition
    }
}

/// After so many beats without news a line is sent all the same, so that a reader who is gone is noticed.
const SILENT_BEATS: u32 = 15;

/// What is sent.
#[derive(Serialize)]
struct Change<'a> {
    edition: u64,
    /// The conversations that changed; `null` if it may be any.
    conversations: Option<Vec<&'a str>>,
}

struct Listener {
    desk: Arc<Desk>,
    is_ending: watch::Receiver<bool>,
    /// The edition that was last told.
    told: Option<u64>,
    silent: u32,
}

/// `GET /events`.
pub(crate) async fn events(State(desk): State<Arc<Desk>>) -> Response {
    let listener = Listener { is_ending: desk.is_ending.clone(), desk, told: None, silent: 0 };
    let events = stream::unfold(listener, |mut listener| async {
        let event = listener.next().await?;
        Some((Ok::<_, io::Error>(Bytes::from(event)), listener))
    });
    let head = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")];
    (head, Body::from_stream(events)).into_response()
}

impl Listener {
    /// The next event, when there is one; `None` when the server ends.
    async fn next(&mut self) -> Option<String> {
        loop {
            if *self.is_ending.borrow() {
                return None;
            }
            if let Some(event) = self.look().await {
                self.silent = 0;
                return Some(event);
            }
            self.silent += 1;
            if self.silent >= SILENT_BEATS {
                self.silent = 0;
                return Some(": nothing new\n\n".to_owned());
            }
            let beat = std::pin::pin!(sleep(BEAT));
            select(beat, std::pin::pin!(self.is_ending.changed())).await;
        }
    }

    async fn look(&mut self) -> Option<String> {
        let desk = Arc::clone(&self.desk);
        let edition = self.desk.workers.quick(move || desk.edition()).await.ok()?;
        let before = self.told.replace(edition.number);
        match before {
            // Whoever has just come learns where things stand, and may see that they missed something.
            None => Some(format!("retry: 2000\nevent: now\ndata: {}\n\n", data(edition.number, None))),
            Some(told) if told == edition.number => None,
            Some(told) => {
                let changed = edition.changed.as_ref().filter(|_| told + 1 == edition.number);
                Some(format!("event: change\ndata: {}\n\n", data(edition.number, changed)))
            }
        }
    }
}

fn data(edition: u64, conversations: Option<&BTreeSet<ConversationId>>) -> String {
    let conversations = conversations.map(|ids| ids.iter().map(ConversationId::as_str).collect());
    // JSON has no line breaks outside of its strings, and escapes them inside: it fits on the one line of an event.
    serde_json::to_string(&Change { edition, conversations }).unwrap_or_default()
}

/// The stores behind the pages.
pub trait Stores: Send + Sync {
    /// The history as it is now; `before` is the one that was opened last.
    fn open(&self, before: Option<&History>) -> History;

    /// What is to be told of each place that `history` reads.
    fn reports(&self, history: &History) -> Vec<SourceReport>;

    /// What the store at `file`, which a report names, is made of; else why that cannot be told. Takes a while for a
    /// large one that has changed since it was last asked for.
    fn contents(&self, file: &Path) -> Result<Contents, String>;

    /// Brings the search index up to date with `history`; `progress` is told how many conversations of how many are done.
    fn refresh_index(
        &self,
        history: &History,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<(), IndexError>;

    /// The search index as it stands; `None` if there is none.
    fn index(&self) -> Result<Option<Index>, IndexError>;
}

/// What was told of the stores of the last edition that somebody asked for.
#[derive(Debug, Default)]
pub(crate) struct Reported(Mutex<Option<(u64, Arc<[SourceReport]>)>>);

impl Desk {
    /// What is to be told of each store, as `edition` has them. Told once for each: it looks at every file.
    pub(crate) fn reports(&self, edition: &Edition) -> Arc<[SourceReport]> {
        let kept = || self.reported.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, told)) = kept().as_ref().filter(|(number, _)| *number == edition.number) {
            return Arc::clone(told);
        }
        let told: Arc<[SourceReport]> = self.stores.reports(&edition.history).into();
        *kept() = Some((edition.number, Arc::clone(&told)));
        told
    }
}

/// One moment of the history.
#[derive(Debug)]
pub(crate) struct Edition {
    /// Counts up with every change.
    pub(crate) number: u64,
    pub(crate) history: Arc<History>,
    /// Every conversation, hidden ones included, last changed first.
    pub(crate) summaries: Vec<Summary>,
    /// What was not as it should be, in any place.
    pub(crate) findings: Vec<Finding>,
    /// Why places could not be read.
    pub(crate) unreadable: Vec<String>,
    /// Workspaces of conversations that are not hidden, the last used first.
    pub(crate) workspaces: Vec<Place>,
    /// What changed since the edition before; `None` if it may be anything.
    pub(crate) changed: Option<BTreeSet<ConversationId>>,
    by_id: HashMap<ConversationId, usize>,
}

/// A workspace and how much was said in it.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) workspace: Workspace,
    pub(crate) conversations: usize,
    pub(crate) last_at: Option<Timestamp>,
}

impl Edition {
    /// Reads the listing of `history`.
    pub(crate) fn of(history: History, number: u64, changed: Option<BTreeSet<ConversationId>>) -> Self {
        let listing = history.list(&Query { all: true, ..Query::default() });
        let by_id =
            listing.summaries.iter().enumerate().map(|(at, summary)| (summary.id.clone(), at)).collect();
        let unreadable =
            listing.unreadable.iter().map(|error| format!("{error}: {}", error.because)).collect();
        Self {
            number,
            changed,
            history: Arc::new(history),
            workspaces: workspaces(listing.summaries.iter().filter(|summary| is_shown(summary))),
            by_id,
            findings: listing.findings,
            unreadable,
            summaries: listing.summaries,
        }
    }

    /// Whether what is not as it should be is the same in `history`.
    fn has_troubles_of(&self, history: &History) -> bool {
        let Listing { findings, unreadable, .. } = history.account();
        self.findings == findings && self.unreadable.len() == unreadable.len()
    }

    /// What the listing tells of this conversation.
    pub(crate) fn summary(&self, id: &ConversationId) -> Option<&Summary> {
        self.by_id.get(id).and_then(|at| self.summaries.get(*at))
    }

    /// The conversations that are not hidden.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &Summary> {
        self.summaries.iter().filter(|summary| is_shown(summary))
    }

    /// How many conversations of those that are shown have each name that `names` gives them, most first.
    pub(crate) fn counted<'a, N: IntoIterator<Item = &'a str>>(
        &'a self,
        names: impl Fn(&'a Summary) -> N,
    ) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for name in self.shown().flat_map(names) {
            *counts.entry(name).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        counts
    }
}

/// Whether a conversation is shown to whoever did not ask for hidden ones.
fn is_shown(summary: &Summary) -> bool {
    Query::default().wants(summary)
}

fn workspaces<'a>(summaries: impl Iterator<Item = &'a Summary>) -> Vec<Place> {
    let mut places: HashMap<(&str, Option<&str>), Place> = HashMap::new();
    for summary in summaries {
        let Some(workspace) = &summary.workspace else { continue };
        let place = places.entry((&workspace.path, workspace.remote.as_deref())).or_insert_with(|| Place {
            workspace: workspace.clone(),
            conversations: 0,
            last_at: None,
        });
        place.conversations += 1;
        place.last_at = place.last_at.max(summary.recency());
    }
    let mut places: Vec<Place> = places.into_values().collect();
    places.sort_by(|a, b| b.last_at.cmp(&a.last_at).then_with(|| a.workspace.path.cmp(&b.workspace.path)));
    places
}

/// The numbers that were counted last.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    kept: Mutex<Vec<(u64, Scope, Arc<Statistics>)>>,
    /// Held by whoever counts: everybody else wants the same, and each count walks through all of the index.
    counting: Mutex<()>,
}

/// How many different ones are kept.
const STATISTICS_KEPT: usize = 32;

impl Desk {
    /// The numbers of everything, if the index knows this edition already.
    pub(crate) fn statistics_at_hand(&self, edition: &Arc<Edition>) -> Option<Arc<Statistics>> {
        self.finder.knows(edition).then(|| self.statistics(edition, &Scope::default()).0).flatten()
    }

    /// The numbers of what is in `scope`, if there is an index, and what is to be known of them.
    pub(crate) fn statistics(
        &self,
        edition: &Arc<Edition>,
        scope: &Scope,
    ) -> (Option<Arc<Statistics>>, Option<String>) {
        let counted = || self.counted.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_asked =
            |(number, of, _): &&(u64, Scope, Arc<Statistics>)| *number == edition.number && of == scope;
        let known = || counted().iter().find(is_asked).map(|(_, _, told)| Arc::clone(told));
        if let Some(told) = known() {
            return (Some(told), None);
        }
        let _turn = self.counted.counting.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody else may have been first.
        if let Some(told) = known() {
            return (Some(told), None);
        }
        let (index, standing) = self.finder.index(&self.stores, edition);
        let note = standing.note();
        match index.map(|index| index.statistics(scope, self.clock.now().time_zone())) {
            None => (None, note),
            Some(Err(error)) => (None, Some(error.to_string())),
            Some(Ok(told)) => {
                let told = Arc::new(told);
                if note.is_none() {
                    let mut kept = counted();
                    kept.retain(|(number, _, _)| *number == edition.number);
                    kept.truncate(STATISTICS_KEPT - 1);
                    kept.push((edition.number, scope.clone(), Arc::clone(&told)));
                }
                (Some(told), note)
            }
        }
    }
}
