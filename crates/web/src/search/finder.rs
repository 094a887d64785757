//! Keeps the search index up to date, beside those who search: a small change is waited for, a first build is not.

use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use backscroll_history::Index;

use crate::Stores;
use crate::library::Edition;

/// How long a search waits for the index to catch up.
const PATIENCE: Duration = Duration::from_millis(1500);

/// What keeps the index.
#[derive(Debug, Default)]
pub(crate) struct Finder {
    state: Arc<(Mutex<State>, Condvar)>,
    opened: Arc<Opened>,
}

#[derive(Debug, Default)]
struct State {
    /// The edition that the index knows.
    knows: u64,
    is_busy: bool,
    /// Conversations done, and how many there are.
    progress: (usize, usize),
    trouble: Option<String>,
}

/// How far the index is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It knows everything.
    Fresh,
    /// It is catching up: conversations done, and how many there are.
    Behind(usize, usize),
    /// It cannot be used.
    Broken(String),
}

impl Finder {
    /// Lets the index catch up with `edition`, without waiting.
    pub(crate) fn catch_up(&self, stores: &Arc<dyn Stores>, edition: &Arc<Edition>) {
        let mut state = self.lock();
        if state.knows >= edition.number || state.is_busy {
            return;
        }
        state.is_busy = true;
        drop(state);
        let (stores, edition, shared) = (Arc::clone(stores), Arc::clone(edition), Arc::clone(&self.state));
        std::thread::spawn(move || {
            let refreshed = stores.refresh_index(&edition.history, &mut |done, of| {
                shared.0.lock().unwrap_or_else(PoisonError::into_inner).progress = (done, of);
            });
            let mut state = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.is_busy = false;
            // What failed for this edition would fail again; the next one gets another chance.
            state.knows = edition.number;
            state.trouble = refreshed.err().map(|error| error.to_string());
            shared.1.notify_all();
        });
    }

    /// Whether the index has caught up with `edition`.
    pub(crate) fn knows(&self, edition: &Edition) -> bool {
        let state = self.lock();
        state.knows >= edition.number && state.trouble.is_none()
    }

    /// The index, as fresh as it can be in short time, and how far it is.
    pub(crate) fn index(&self, stores: &Arc<dyn Stores>, edition: &Arc<Edition>) -> (Option<Lent>, Standing) {
        self.catch_up(stores, edition);
        let state = self.lock();
        let is_behind = |state: &mut State| state.knows < edition.number;
        let (state, _) = self
            .state
            .1
            .wait_timeout_while(state, PATIENCE, is_behind)
            .unwrap_or_else(PoisonError::into_inner);
        let standing = match &state.trouble {
            Some(trouble) => Standing::Broken(trouble.clone()),
            None if state.knows < edition.number => Standing::Behind(state.progress.0, state.progress.1),
            None => Standing::Fresh,
        };
        let knows = state.knows;
        drop(state);
        // One that is being written may be replaced at any moment: it is opened for this question alone.
        let is_kept = standing == Standing::Fresh;
        if let Some(lent) = is_kept.then(|| self.opened.lend(knows)).flatten() {
            return (Some(lent), standing);
        }
        match stores.index() {
            Ok(Some(index)) if is_kept => (Some(self.opened.lent(index, knows)), standing),
            Ok(index) => (index.map(Lent::once), standing),
            Err(error) => (None, Standing::Broken(error.to_string())),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Standing {
    /// Whether it is still catching up.
    pub(crate) fn is_behind(&self) -> bool {
        matches!(self, Self::Behind(..))
    }

    /// What the reader of an answer should know.
    pub(crate) fn note(&self) -> Option<String> {
        match self {
            Self::Fresh => None,
            Self::Behind(done, of) if *of > 0 => Some(format!(
                "The search index is being brought up to date: {done} of {of} conversations are done."
            )),
            Self::Behind(..) => Some(
                "The search index is being brought up to date; there may be more in a moment.".to_owned(),
            ),
            Self::Broken(why) => Some(format!("The search index cannot be used: {why}")),
        }
    }
}

/// How many stay open. Each has the file in its memory, as far as it was asked for it.
const MOST_OPENED: usize = 3;

/// Indexes that nobody is asking just now.
#[derive(Debug, Default)]
pub(crate) struct Opened(Mutex<OpenedStanding>);

#[derive(Debug, Default)]
struct OpenedStanding {
    /// The edition that they know.
    edition: u64,
    free: Vec<Index>,
}

/// An index for one question; it is given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Lent {
    /// `None` only while it is being given back.
    index: Option<Index>,
    /// Where it goes back to, and the edition that it knows; `None` if it is closed instead.
    back: Option<(Arc<Opened>, u64)>,
}

impl Opened {
    /// One that knows `edition`, if any is free.
    pub(super) fn lend(self: &Arc<Self>, edition: u64) -> Option<Lent> {
        let mut standing = self.standing();
        if standing.edition < edition {
            *standing = OpenedStanding { edition, free: Vec::new() };
        }
        let index = if standing.edition == edition { standing.free.pop() } else { None };
        index.map(|index| self.lent(index, edition))
    }

    /// `index`, newly opened, to be kept for `edition`.
    pub(super) fn lent(self: &Arc<Self>, index: Index, edition: u64) -> Lent {
        Lent { index: Some(index), back: Some((Arc::clone(self), edition)) }
    }

    fn standing(&self) -> MutexGuard<'_, OpenedStanding> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lent {
    /// `index` for this question alone.
    pub(super) fn once(index: Index) -> Self {
        Self { index: Some(index), back: None }
    }
}

impl Deref for Lent {
    type Target = Index;

    fn deref(&self) -> &Index {
        self.index.as_ref().expect("it is taken out only when this is dropped")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let (Some(index), Some((opened, edition))) = (self.index.take(), self.back.take()) {
            let mut standing = opened.standing();
            if standing.edition == edition && standing.free.len() < MOST_OPENED {
                standing.free.push(index);
            }
        }
    }
}
