//! What is known of all conversations, kept in memory and brought up to date when a store changes.
//!
//! A [`History`] remembers much of what it has read, so it shows the stores as they were when it was opened. A server
//! runs for days. So it is opened anew whenever the change feed tells of a change, and everybody who still works with
//! the older edition finishes with it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use backscroll_history::Changed;
use backscroll_model::Mark;

use crate::Stores;
use crate::edition::Edition;

/// How often the stores are looked at while somebody watches.
pub(crate) const BEAT: Duration = Duration::from_secs(1);

/// The library.
pub(crate) struct Library {
    stores: Arc<dyn Stores>,
    current: RwLock<Option<Arc<Edition>>>,
    /// Held by whoever looks for changes: one is enough.
    watch: Mutex<Watch>,
}

/// How far each source had been read, and when.
#[derive(Default)]
struct Watch {
    marks: BTreeMap<String, Mark>,
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
        let history = self.stores.open();
        // The marks are taken before anything is read: what changes meanwhile is seen again.
        watch.marks = history.changes(&BTreeMap::new()).marks;
        let edition = Edition::of(history, 1, None);
        watch.looked_at = Some(Instant::now());
        self.publish(edition)
    }

    /// The next edition, if anything changed since the last look.
    fn look(&self, mut watch: MutexGuard<'_, Watch>, known: &Edition) -> Option<Arc<Edition>> {
        if watch.looked_at.is_some_and(|then| then.elapsed() < BEAT.mul_f32(0.9)) {
            return None;
        }
        let history = self.stores.open();
        let Changed { conversations, everything, marks, .. } = history.changes(&watch.marks);
        watch.looked_at = Some(Instant::now());
        watch.marks = marks;
        if !everything && conversations.is_empty() {
            return None;
        }
        let next = Edition::of(history, known.number + 1, (!everything).then_some(conversations));
        watch.looked_at = Some(Instant::now());
        // A source that cannot tell what changed makes everything uncertain, although mostly nothing happened.
        (!everything || !next.tells_the_same(known)).then(|| self.publish(next))
    }

    fn publish(&self, edition: Edition) -> Arc<Edition> {
        let edition = Arc::new(edition);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&edition));
        edition
    }
}
