//! What every request may use: the library, conversations at hand, the workers, and the keys of the door.
//!
//! What takes time runs on worker threads. The history is synchronous: asked on the threads that answer requests, one huge
//! conversation would keep everybody waiting. So a bounded number of questions runs beside them, heavy ones (whole
//! conversations) and searches apart from quick ones, and a request that waits too long gets an error.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use backscroll_redact::Redactor;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use crate::conversation::Rendered;
use crate::guard::Keys;
use crate::library::{Counted, Edition, Library, Reported};
use crate::problem::Problem;
use crate::search::{Answers, CountedFacets, Finder};
use crate::shelf::Shelf;
use crate::{Clock, Settings, Stores, Token};

/// What every request may use.
pub(crate) struct Desk {
    pub(crate) stores: Arc<dyn Stores>,
    pub(crate) library: Library,
    pub(crate) shelf: Shelf,
    pub(crate) rendered: Rendered,
    pub(crate) finder: Finder,
    pub(crate) facets: CountedFacets,
    pub(crate) answers: Answers,
    pub(crate) counted: Counted,
    pub(crate) reported: Reported,
    pub(crate) workers: Workers,
    pub(crate) clock: Clock,
    pub(crate) token: Token,
    pub(crate) keys: Keys,
    pub(crate) looked_in: String,
    redactor: Option<Redactor>,
    /// Comes true when the server ends, so that streams end with it.
    pub(crate) is_ending: watch::Receiver<bool>,
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("library", &self.library).finish_non_exhaustive()
    }
}

impl Desk {
    pub(crate) fn new(
        stores: Arc<dyn Stores>,
        settings: Settings,
        port: u16,
        is_ending: watch::Receiver<bool>,
    ) -> Self {
        Self {
            library: Library::new(Arc::clone(&stores)),
            stores,
            shelf: Shelf::default(),
            rendered: Rendered::default(),
            finder: Finder::default(),
            facets: CountedFacets::default(),
            answers: Answers::default(),
            counted: Counted::default(),
            reported: Reported::default(),
            workers: Workers::new(),
            clock: settings.clock,
            keys: Keys::new(settings.token.clone(), port),
            token: settings.token,
            looked_in: settings.looked_in,
            redactor: settings.redactor,
            is_ending,
        }
    }

    /// Removes secrets from one answer, if they are to be removed.
    pub(crate) fn redactor(&self) -> Option<Redactor> {
        self.redactor.as_ref().map(Redactor::fresh)
    }

    /// Answers from what is known of all conversations.
    pub(crate) async fn read<T: Send + 'static>(
        self: Arc<Self>,
        answer: impl FnOnce(&Self, &Arc<Edition>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let desk = Arc::clone(&self);
        self.workers.quick(move || answer(&desk, &desk.edition())).await?
    }

    /// Answers out of the index, and messages that are read back.
    pub(crate) async fn search<T: Send + 'static>(
        self: Arc<Self>,
        answer: impl FnOnce(&Self, &Arc<Edition>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let desk = Arc::clone(&self);
        self.workers.search(move || answer(&desk, &desk.edition())).await?
    }

    /// Answers with the whole of conversations.
    pub(crate) async fn study<T: Send + 'static>(
        self: Arc<Self>,
        answer: impl FnOnce(&Self, &Arc<Edition>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let desk = Arc::clone(&self);
        self.workers.heavy(move || answer(&desk, &desk.edition())).await?
    }

    /// Answers with the whole of stores.
    pub(crate) async fn survey<T: Send + 'static>(
        self: Arc<Self>,
        answer: impl FnOnce(&Self, &Arc<Edition>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let desk = Arc::clone(&self);
        self.workers.slow(move || answer(&desk, &desk.edition())).await?
    }

    /// What is known now. Conversations that have changed meanwhile are taken off the shelf.
    pub(crate) fn edition(&self) -> Arc<Edition> {
        let edition = self.library.edition();
        self.shelf.keep_up(&edition);
        self.finder.catch_up(&self.stores, &edition);
        edition
    }
}

/// How many conversations are loaded and rendered at once; more would only share the same processors.
const HEAVY: usize = 4;
/// How many searches run at once. Each may keep a processor busy for a while, and pages that need none must not wait.
const SEARCHES: usize = 2;
/// How many other questions run at once.
const QUICK: usize = 8;
/// What may take minutes is done one by one.
const SLOW: usize = 1;
/// Nobody looks at an empty page for longer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The threads, by the number that may be busy.
#[derive(Debug)]
pub(crate) struct Workers {
    heavy: Arc<Semaphore>,
    searches: Arc<Semaphore>,
    quick: Arc<Semaphore>,
    slow: Arc<Semaphore>,
}

impl Workers {
    pub(crate) fn new() -> Self {
        let free = |number| Arc::new(Semaphore::new(number));
        Self { heavy: free(HEAVY), searches: free(SEARCHES), quick: free(QUICK), slow: free(SLOW) }
    }

    /// Does what may read a whole conversation.
    pub(crate) async fn heavy<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        run(Arc::clone(&self.heavy), work).await
    }

    /// Does what may go through a whole store. It goes on when nobody waits for it any more, and is remembered.
    pub(crate) async fn slow<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        run(Arc::clone(&self.slow), work).await
    }

    /// Does what asks the index for words.
    pub(crate) async fn search<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        run(Arc::clone(&self.searches), work).await
    }

    /// Does what answers from memory.
    pub(crate) async fn quick<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        run(Arc::clone(&self.quick), work).await
    }
}

async fn run<T: Send + 'static>(
    free: Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let in_turn = async {
        let permit = free.acquire_owned().await;
        // The permit goes with the work: it is given back when the work ends, even if nobody waits for it any more.
        tokio::task::spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        })
        .await
    };
    match timeout(PATIENCE, in_turn).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(_)) => Err(Problem::bug()),
        Err(_) => Err(Problem::too_slow()),
    }
}
