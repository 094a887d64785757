//! Keeps the search index up to date in the background: a small change is waited for, a first build is not.

use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use backscroll_index::{Index, IndexError, Manner, refresh};
use backscroll_model::{error_chain, locked};
use jiff::Timestamp;

use super::{Clock, Snapshot};
use crate::History;

/// How long a question waits for the index to catch up.
pub(super) const PATIENCE: Duration = Duration::from_millis(1500);
/// How many indexes stay open. Each has a page cache of its own.
const MOST_OPEN: usize = 3;

/// What keeps the index.
#[derive(Debug, Default)]
pub(super) struct IndexKeeper {
    state: SharedState,
    pool: Arc<Pool>,
}

type SharedState = Arc<(Mutex<State>, Condvar)>;

#[derive(Debug, Default)]
struct State {
    /// The snapshot that the index has.
    number: u64,
    is_busy: bool,
    /// When it last began to catch up.
    begun_at: Option<Instant>,
    /// Conversations done, and how many there are.
    progress: (usize, usize),
    /// Why the index in the folder cannot be used.
    trouble: Option<String>,
    /// Whether messages told workspaces that no listing had, and nobody was told so yet.
    has_told: bool,
    temporary: Temporary,
}

/// An index that this process makes for itself where the one in the folder cannot be used.
#[derive(Debug, Default)]
enum Temporary {
    /// There is none.
    #[default]
    None,
    /// A question has it, or it is being brought up to date.
    Lent,
    /// It is free.
    Free(Index),
}

impl State {
    fn is_lent(&mut self) -> bool {
        matches!(self.temporary, Temporary::Lent)
    }

    /// Lends the temporary index, if it is free.
    fn lend(&mut self) -> Option<Index> {
        match std::mem::take(&mut self.temporary) {
            Temporary::Free(index) => {
                self.temporary = Temporary::Lent;
                Some(index)
            }
            other => {
                self.temporary = other;
                None
            }
        }
    }
}

/// How far the index is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexState {
    /// It has everything.
    Fresh,
    /// It is catching up: conversations done, and how many there are.
    Behind(usize, usize),
    /// It has everything, but is a temporary one, because the one in the folder cannot be used.
    Temporary(String),
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
            let followed = folder.map_or(Ok(None), |folder| follow(&shared, &folder, &snapshot.history, now));
            let mut state = locked(&shared.0);
            state.is_busy = false;
            // What failed for this snapshot would fail again; the next one gets another chance.
            state.number = snapshot.number;
            match followed {
                Ok(Some(index)) => state.temporary = Temporary::Free(index),
                Ok(None) => state.trouble = None,
                Err(error) => (state.temporary, state.trouble) = (Temporary::None, Some(error_chain(&error))),
            }
            shared.1.notify_all();
        });
    }

    /// Whether listings are others than when this was last asked, because messages told workspaces.
    pub(super) fn take_told(&self) -> bool {
        std::mem::take(&mut locked(&self.state.0).has_told)
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
        let is_behind = |state: &mut State| state.number < snapshot.number || state.is_lent();
        let waited = self.state.1.wait_timeout_while(locked(&self.state.0), patience, is_behind);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let behind = IndexState::Behind(state.progress.0, state.progress.1);
        if state.is_lent() {
            return (None, behind);
        }
        if let Some(index) = state.lend() {
            let back = Some(Back::Lent(Arc::clone(&self.state)));
            let trouble = state.trouble.clone().unwrap_or_default();
            return (Some(PooledIndex { index: Some(index), back }), IndexState::Temporary(trouble));
        }
        let number = state.number;
        let how_far = match &state.trouble {
            _ if number < snapshot.number => behind,
            Some(trouble) => IndexState::Broken(trouble.clone()),
            None => IndexState::Fresh,
        };
        drop(state);
        // One that is being written may be replaced at any moment: it is opened for this question alone.
        let is_kept = how_far == IndexState::Fresh;
        if let Some(pooled) = is_kept.then(|| self.pool.take(number)).flatten() {
            return (Some(pooled), how_far);
        }
        match folder.map_or(Ok(None), Index::open) {
            Ok(index) => {
                let back = is_kept.then(|| Back::Pooled(Arc::clone(&self.pool), number));
                (index.map(|index| PooledIndex { index: Some(index), back }), how_far)
            }
            Err(error) => (None, IndexState::Broken(error.to_string())),
        }
    }
}

/// Brings the index in `folder` up to date, or a temporary one if there is one already or that one cannot be used.
fn follow(
    shared: &SharedState,
    folder: &Path,
    history: &History,
    now: Timestamp,
) -> Result<Option<Index>, IndexError> {
    let progress = &mut |done, of| locked(&shared.0).progress = (done, of);
    let free = shared.1.wait_while(locked(&shared.0), State::is_lent);
    let temporary = free.unwrap_or_else(PoisonError::into_inner).lend();
    if let Some(index) = temporary {
        return index.refresh(history, now, progress).map(|_| Some(index));
    }
    match refresh(folder, history, Manner::ordinary(now), progress) {
        Ok(refreshed) => {
            locked(&shared.0).has_told |= refreshed.has_told;
            Ok(None)
        }
        Err(error) if error.is_in_the_way() => Err(error),
        Err(error) => {
            let temporary = Index::apart(history, now, progress)?.0;
            locked(&shared.0).trouble = Some(error_chain(&error));
            Ok(Some(temporary))
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
            Self::Temporary(why) => Some(format!("A temporary search index is used: {why}.")),
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
    /// `None` if it is closed instead.
    back: Option<Back>,
}

/// Where an index goes back to.
#[derive(Debug)]
enum Back {
    /// To the others, with the snapshot that it has.
    Pooled(Arc<Pool>, u64),
    /// To the keeper, which lent it.
    Lent(SharedState),
}

impl Pool {
    /// One that has the snapshot `number`, if any is free.
    fn take(self: &Arc<Self>, number: u64) -> Option<PooledIndex> {
        let mut free = locked(&self.0);
        if free.number < number {
            *free = Free { number, indexes: Vec::new() };
        }
        let index = if free.number == number { free.indexes.pop() } else { None };
        let back = Some(Back::Pooled(Arc::clone(self), number));
        index.map(|index| PooledIndex { index: Some(index), back })
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
        match (self.index.take(), self.back.take()) {
            (Some(index), Some(Back::Pooled(pool, number))) => {
                let mut free = locked(&pool.0);
                if free.number == number && free.indexes.len() < MOST_OPEN {
                    free.indexes.push(index);
                }
            }
            (Some(index), Some(Back::Lent(shared))) => {
                locked(&shared.0).temporary = Temporary::Free(index);
                shared.1.notify_all();
            }
            _ => {}
        }
    }
}
