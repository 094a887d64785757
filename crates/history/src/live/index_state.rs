//! Keeps the search index up to date in the background: a small change is waited for, a first build is not.

use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use backscroll_model::locked;

use backscroll_index::{Index, Manner, refresh};

use super::{Clock, Snapshot};

/// How long a question waits for the index to catch up.
pub(super) const PATIENCE: Duration = Duration::from_millis(1500);
/// How many indexes stay open. Each has a page cache of its own.
const MOST_OPEN: usize = 3;

/// What keeps the index.
#[derive(Debug, Default)]
pub(super) struct IndexKeeper {
    state: Arc<(Mutex<State>, Condvar)>,
    pool: Arc<Pool>,
}

#[derive(Debug, Default)]
struct State {
    /// The snapshot that the index has.
    number: u64,
    is_busy: bool,
    /// When it last began to catch up.
    begun_at: Option<Instant>,
    /// Conversations done, and how many there are.
    progress: (usize, usize),
    trouble: Option<String>,
}

/// How far the index is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexState {
    /// It has everything.
    Fresh,
    /// It is catching up: conversations done, and how many there are.
    Behind(usize, usize),
    /// It cannot be used.
    Broken(String),
}

impl IndexKeeper {
    /// Lets the index in `folder` catch up with `snapshot`, without waiting; not again within `pause`.
    pub(super) fn catch_up(
        &self,
        folder: Option<&Path>,
        snapshot: &Arc<Snapshot>,
        clock: &Clock,
        pause: Duration,
    ) {
        let mut state = locked(&self.state.0);
        let is_early = state.begun_at.is_some_and(|then| then.elapsed() < pause);
        if state.number >= snapshot.number || state.is_busy || is_early {
            return;
        }
        (state.is_busy, state.begun_at) = (true, Some(Instant::now()));
        drop(state);
        let (snapshot, shared) = (Arc::clone(snapshot), Arc::clone(&self.state));
        let (folder, now) = (folder.map(Path::to_owned), clock.now().timestamp());
        std::thread::spawn(move || {
            let lock = || locked(&shared.0);
            let refreshed = folder.map_or(Ok(()), |folder| {
                let progress = &mut |done, of| lock().progress = (done, of);
                refresh(&folder, &snapshot.history, Manner::ordinary(now), progress).map(drop)
            });
            let mut state = lock();
            state.is_busy = false;
            // What failed for this snapshot would fail again; the next one gets another chance.
            state.number = snapshot.number;
            state.trouble = refreshed.err().map(|error| error.to_string());
            shared.1.notify_all();
        });
    }

    /// Whether the index has caught up with `snapshot`.
    pub(super) fn is_fresh(&self, snapshot: &Snapshot) -> bool {
        let state = locked(&self.state.0);
        state.number >= snapshot.number && state.trouble.is_none()
    }

    /// The index, as fresh as it can be within `patience`, and how far it is.
    pub(super) fn get(
        &self,
        folder: Option<&Path>,
        snapshot: &Snapshot,
        patience: Duration,
    ) -> (Option<PooledIndex>, IndexState) {
        let is_behind = |state: &mut State| state.number < snapshot.number;
        let waited = self.state.1.wait_timeout_while(locked(&self.state.0), patience, is_behind);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let how_far = match &state.trouble {
            Some(trouble) => IndexState::Broken(trouble.clone()),
            None if state.number < snapshot.number => IndexState::Behind(state.progress.0, state.progress.1),
            None => IndexState::Fresh,
        };
        let number = state.number;
        drop(state);
        // One that is being written may be replaced at any moment: it is opened for this question alone.
        let is_kept = how_far == IndexState::Fresh;
        if let Some(pooled) = is_kept.then(|| self.pool.take(number)).flatten() {
            return (Some(pooled), how_far);
        }
        match folder.map_or(Ok(None), Index::open) {
            Ok(index) => {
                let back = is_kept.then(|| (Arc::clone(&self.pool), number));
                (index.map(|index| PooledIndex { index: Some(index), back }), how_far)
            }
            Err(error) => (None, IndexState::Broken(error.to_string())),
        }
    }
}

impl IndexState {
    /// Whether it is still catching up.
    pub fn is_behind(&self) -> bool {
        matches!(self, Self::Behind(..))
    }

    /// What the reader of an answer should know.
    pub fn note(&self) -> Option<String> {
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

/// Open indexes that no question uses at the moment.
#[derive(Debug, Default)]
struct Pool(Mutex<Free>);

#[derive(Debug, Default)]
struct Free {
    /// The snapshot that they have.
    number: u64,
    indexes: Vec<Index>,
}

/// An index for one question; it goes back to the pool when it is dropped.
#[derive(Debug)]
pub struct PooledIndex {
    /// `None` only while it is being dropped.
    index: Option<Index>,
    /// Where it goes back to, and the snapshot that it has; `None` if it is closed instead.
    back: Option<(Arc<Pool>, u64)>,
}

impl Pool {
    /// One that has the snapshot `number`, if any is free.
    fn take(self: &Arc<Self>, number: u64) -> Option<PooledIndex> {
        let mut free = locked(&self.0);
        if free.number < number {
            *free = Free { number, indexes: Vec::new() };
        }
        let index = if free.number == number { free.indexes.pop() } else { None };
        index.map(|index| PooledIndex { index: Some(index), back: Some((Arc::clone(self), number)) })
    }
}

impl Deref for PooledIndex {
    type Target = Index;

    fn deref(&self) -> &Index {
        self.index.as_ref().expect("it is taken out only when this is dropped")
    }
}

impl Drop for PooledIndex {
    fn drop(&mut self) {
        if let (Some(index), Some((pool, number))) = (self.index.take(), self.back.take()) {
            let mut free = locked(&pool.0);
            if free.number == number && free.indexes.len() < MOST_OPEN {
                free.indexes.push(index);
            }
        }
    }
}
