//! What every request may use: the live history, answers that were given lately, the workers, and the keys of the door.
//!
//! What takes time runs on worker threads, in two lanes: what reads stores or searches does not hold up what is answered from
//! memory. A request that waits too long gets an error.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use backscroll_history::live::{Clock, Library, Snapshot};
use backscroll_history::{Statistics, StatisticsScope};
use backscroll_loopback::Workers;
use backscroll_model::{Conversation, ConversationId, SourceReport};
use jiff::civil::Date;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use crate::Settings;
use crate::cache::{AnswerCache, Weighed};
use crate::guard::Keys;
use crate::problem::{Problem, Result};
use crate::search::{Answer, SearchParameters};

/// What every handler is given.
pub(crate) type App = State<Arc<AppState>>;

pub(crate) struct AppState {
    pub(crate) library: Library,
    pub(crate) clock: Clock,
    /// Answer from memory.
    quick: Workers,
    /// Read stores, or search.
    heavy: Workers,
    pub(crate) keys: Keys,
    pub(crate) looked_in: String,
    /// Comes true when the server ends, so that streams end with it.
    pub(crate) is_ending: watch::Receiver<bool>,
    conversations: AnswerCache<ConversationId, Result<Arc<Conversation>>>,
    /// Words such as "yesterday" mean something else on another day.
    pub(crate) answers: AnswerCache<(SearchParameters, Date), Arc<Answer>>,
    statistics: AnswerCache<StatisticsScope, Arc<Statistics>>,
    reports: AnswerCache<(), Arc<[SourceReport]>>,
}

impl fmt::Debug for AppState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppState").field("library", &self.library).finish_non_exhaustive()
    }
}

impl AppState {
    pub(crate) fn new(
        library: Library,
        settings: Settings,
        port: u16,
        is_ending: watch::Receiver<bool>,
    ) -> io::Result<Self> {
        let looked_in = settings.looked_in;
        Ok(Self {
            clock: library.clock().clone(),
            looked_in: library
                .cleaner()
                .map_or_else(|| looked_in.clone(), |cleaner| cleaner.text(&looked_in)),
            library,
            quick: Workers::start(WORKERS)?,
            heavy: Workers::start(WORKERS)?,
            keys: Keys::new(settings.token, &settings.name, port),
            is_ending,
            conversations: AnswerCache::new(256, 64 << 20),
            answers: AnswerCache::new(256, 256),
            statistics: AnswerCache::new(32, 32),
            reports: AnswerCache::new(1, 1),
        })
    }

    /// Answers from what is known of all conversations.
    pub(crate) async fn read<T: Send + 'static>(
        self: Arc<Self>,
        answer: impl FnOnce(&Self, &Arc<Snapshot>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let app = Arc::clone(&self);
        in_time(self.quick.run(move || answer(&app, &app.snapshot()))).await
    }

    /// Answers with whole conversations, whole stores, or by searching.
    pub(crate) async fn study<T: Send + 'static>(
        self: Arc<Self>,
        answer: impl FnOnce(&Self, &Arc<Snapshot>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let app = Arc::clone(&self);
        let answer = self.heavy.run(move || {
            let snapshot = app.snapshot();
            let answer = answer(&app, &snapshot);
            snapshot.history.rest();
            answer
        });
        in_time(answer).await
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.library.snapshot()
    }

    /// The conversation with this id. Addresses hold whole ids, because a beginning may come to mean another one.
    pub(crate) fn conversation(&self, snapshot: &Snapshot, id: &ConversationId) -> Result<Arc<Conversation>> {
        // One that did not change is the same in every snapshot.
        self.conversations.get(snapshot.stamp(id).cast_unsigned(), id, || {
            match snapshot.history.load(id).map(Arc::new).map_err(Problem::from) {
                Ok(whole) => Ok(Weighed { bytes: bytes_of(&whole), answer: Ok(whole) }),
                Err(problem) => Err(Err(problem)),
            }
        })
    }

    pub(crate) fn reports(&self, snapshot: &Snapshot) -> Arc<[SourceReport]> {
        let answer = || Arc::from(backscroll_history::reports(&snapshot.history));
        self.reports.get(snapshot.number, &(), || Ok(Weighed { answer: answer(), bytes: 1 }))
    }

    /// The numbers of everything, if the index has this snapshot already.
    pub(crate) fn statistics_at_hand(&self, snapshot: &Arc<Snapshot>) -> Option<Arc<Statistics>> {
        self.library
            .index_is_fresh(snapshot)
            .then(|| self.statistics(snapshot, &StatisticsScope::default()).0)
            .flatten()
    }

    /// The numbers of what is in `scope`, if there is an index, and what a reader should know of them.
    pub(crate) fn statistics(
        &self,
        snapshot: &Arc<Snapshot>,
        scope: &StatisticsScope,
    ) -> (Option<Arc<Statistics>>, Option<String>) {
        if let Some(known) = self.statistics.known(snapshot.number, scope) {
            return (Some(known), None);
        }
        let (index, state) = self.library.index(snapshot);
        let Some(index) = index else { return (None, state.note()) };
        let mut trouble = None;
        let counted = self.statistics.get(snapshot.number, scope, || {
            let counted = index.statistics(scope, self.clock.now().time_zone());
            let counted = counted.map(Arc::new).map_err(|error| {
                trouble = Some(error.to_string());
                Arc::default()
            })?;
            if state.note().is_some() { Err(counted) } else { Ok(Weighed { answer: counted, bytes: 1 }) }
        });
        match trouble {
            Some(trouble) => (None, Some(trouble)),
            None => (Some(counted), state.note()),
        }
    }
}

fn bytes_of(conversation: &Conversation) -> usize {
    let mut bytes = conversation.findings.len() * 256;
    for message in conversation.messages.iter().chain(&conversation.orphans) {
        bytes += 512 + message.parts.len() * 128;
        message.visit_texts(|_, text| bytes += text.as_str().len());
    }
    bytes
}

/// The threads of each lane. One person asks; more would only share the same processors, and each keeps memory.
const WORKERS: usize = 2;
/// Nobody looks at an empty page for longer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The answer of a worker.
async fn in_time<T>(answer: oneshot::Receiver<Result<T>>) -> Result<T> {
    match timeout(PATIENCE, answer).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => Err(Problem::bug()),
        Err(_) => Err(Problem::too_slow()),
    }
}
