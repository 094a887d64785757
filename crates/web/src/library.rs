//! What is known of all conversations, kept in memory and brought up to date when a store changes.
//!
//! A [`History`] remembers much of what it has read, so it shows the stores as they were when it was opened. A server
//! runs for days. So it is opened anew whenever the change feed tells of a change, and everybody who still works with
//! the older edition finishes with it.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use backscroll_history::History;
use backscroll_model::{Changes, ConversationId, Mark};

use crate::Stores;
use crate::edition::Edition;

/// How often the stores are looked at while somebody watches.
pub(crate) const BEAT: Duration = Duration::from_secs(1);
/// After this long even an unchanged set of stores is searched for anew: a store may have come into being.
const NEW_STORES_AFTER: Duration = Duration::from_secs(60);

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
    marks: Vec<Option<Mark>>,
    looked_at: Option<Instant>,
    opened_at: Option<Instant>,
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

    /// What is known now. Looks at the stores first if nobody has done so for a while.
    pub(crate) fn edition(&self) -> Arc<Edition> {
        let known = self.current.read().unwrap_or_else(PoisonError::into_inner).clone();
        match known {
            // Somebody else is looking already: what is known is good enough meanwhile.
            Some(edition) => match self.watch.try_lock() {
                Ok(watch) => self.look(watch, &edition).unwrap_or(edition),
                Err(_) => edition,
            },
            None => self.first(),
        }
    }

    fn first(&self) -> Arc<Edition> {
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody else may have been first.
        let known = self.current.read().unwrap_or_else(PoisonError::into_inner).clone();
        known.unwrap_or_else(|| self.publish(&mut watch, None))
    }

    /// The next edition, if anything changed since the last look.
    fn look(&self, mut watch: std::sync::MutexGuard<'_, Watch>, known: &Edition) -> Option<Arc<Edition>> {
        let is_older = |then: Option<Instant>, than| then.is_none_or(|then| then.elapsed() >= than);
        if !is_older(watch.looked_at, BEAT.mul_f32(0.9)) {
            return None;
        }
        let changed = look_at(&known.history, &mut watch.marks);
        watch.looked_at = Some(Instant::now());
        match changed {
            Seen::Nothing if !is_older(watch.opened_at, NEW_STORES_AFTER) => None,
            Seen::Nothing => {
                watch.opened_at = Some(Instant::now());
                let history = self.stores.open();
                let is_same = history.sources().len() == known.history.sources().len();
                (!is_same).then(|| self.publish(&mut watch, None))
            }
            Seen::These(conversations) => Some(self.publish(&mut watch, Some(conversations))),
            Seen::Anything => Some(self.publish(&mut watch, None)),
        }
    }

    /// Opens the history anew and makes it the current edition.
    fn publish(&self, watch: &mut Watch, conversations: Option<BTreeSet<ConversationId>>) -> Arc<Edition> {
        let history = self.stores.open();
        // The marks are taken before anything is read: what changes meanwhile is seen again.
        watch.marks.resize(history.sources().len(), None);
        if conversations.is_none() {
            look_at(&history, &mut watch.marks);
        }
        let now = Instant::now();
        (watch.looked_at, watch.opened_at) = (Some(now), Some(now));
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let number = current.as_ref().map_or(1, |known| known.number + 1);
        let edition = Arc::new(Edition::of(history, number, conversations));
        *current = Some(Arc::clone(&edition));
        edition
    }
}

/// What a look at the stores has shown.
enum Seen {
    Nothing,
    These(BTreeSet<ConversationId>),
    Anything,
}

fn look_at(history: &History, marks: &mut Vec<Option<Mark>>) -> Seen {
    marks.resize(history.sources().len(), None);
    let mut seen = Seen::Nothing;
    for (source, known) in history.sources().iter().zip(marks) {
        match source.changes(known.as_ref()) {
            Ok(Changes::Nothing) | Err(_) => {}
            Ok(Changes::These { conversations, mark }) => {
                *known = Some(mark);
                seen = match seen {
                    Seen::Nothing => Seen::These(conversations),
                    Seen::These(mut all) => {
                        all.extend(conversations);
                        Seen::These(all)
                    }
                    Seen::Anything => Seen::Anything,
                };
            }
            // The same mark again: this source cannot tell.
            Ok(Changes::Anything { mark }) if known.as_ref() == Some(&mark) => {}
            Ok(Changes::Anything { mark }) => {
                *known = Some(mark);
                seen = Seen::Anything;
            }
        }
    }
    seen
}
