//! Which stores have changed: looked at often, for little.
//!
//! Everything that may change is looked at in turn, in two rounds: one of the stores, and a faster one of the folders that were searched for
//! stores, where new ones appear. A look goes a bit further in each, by the time since the last look, so that looking at stores costs
//! the same whether a home has a hundred or ten thousand. Stores that are warm, because they changed lately or belong to the editor as a whole, are looked at every time. Where a name
//! came into a folder or went, or a store is gone, and from time to time in any case, places are searched again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::History;
use crate::history::ChangedStore;

use super::Discovery;

/// How many stores are looked at in a second, besides warm ones.
const PER_SECOND: usize = 600;
/// How often each folder is looked at in a second, which is one call of `stat`.
const FOLDER_ROUNDS: usize = 2;
/// No more folders than this are looked at in a second.
const FOLDERS_PER_SECOND: usize = 10_000;
/// A store that changed is warm for this long.
const WARM: Duration = Duration::from_secs(600);
/// Places are searched again after this long, or later where that takes long.
const SEARCH: Duration = Duration::from_secs(2);
/// The longest time between two searches.
const LONGEST: Duration = Duration::from_secs(30);
/// A store that could not be read is tried again after this long, then after twice as long, and so on.
const RETRY: Duration = Duration::from_millis(500);

/// What is known of stores and folders since the last look.
#[derive(Debug)]
pub(super) struct Watch {
    looked_at: Instant,
    searched_at: Instant,
    /// How long the last search took.
    took: Duration,
    stores: Vec<WatchedStore>,
    /// The folders that were searched, with their stamps.
    folders: Vec<(PathBuf, u64)>,
    /// The names in those folders that have changed since: most changes of folders bring no new store.
    names: HashMap<PathBuf, u64>,
    /// Where the rounds go on.
    next_store: usize,
    next_folder: usize,
    is_search_due: bool,
    retry_at: Instant,
    retry_after: Duration,
}

#[derive(Debug)]
struct WatchedStore {
    source: usize,
    store: usize,
    path: Arc<Path>,
    is_always_warm: bool,
    changed_at: Option<Instant>,
}

/// What a look found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Looked {
    /// Nothing changed.
    Nothing,
    /// These stores have other stamps, or none has and those that could not be read should be tried again.
    Changed(Vec<ChangedStore>),
    /// Stores may have come or gone.
    Search,
}

impl Watch {
    /// The watch over a history that was just opened; to search its places took this long. What an earlier watch knows is kept.
    pub(super) fn over(
        history: &History,
        folders: Vec<(PathBuf, u64)>,
        took: Duration,
        before: Option<Self>,
    ) -> Self {
        let warm: HashMap<Arc<Path>, Instant> = before
            .iter()
            .flat_map(|before| &before.stores)
            .filter_map(|one| Some((Arc::clone(&one.path), one.changed_at?)))
            .collect();
        let mut stores = Vec::new();
        for (source, known) in history.stores().iter().enumerate() {
            let id = history.sources()[source].id();
            let is_always_warm = !id.is_backup && known.is_editor && known.stores.len() == 1;
            for (store, one) in known.stores.iter().enumerate() {
                let (path, changed_at) = (Arc::clone(&one.path), warm.get(&one.path).copied());
                stores.push(WatchedStore { source, store, path, is_always_warm, changed_at });
            }
        }
        let now = Instant::now();
        Self {
            looked_at: now,
            searched_at: now,
            took,
            stores,
            folders,
            names: before.map(|before| before.names).unwrap_or_default(),
            next_store: 0,
            next_folder: 0,
            is_search_due: false,
            retry_at: now + RETRY,
            retry_after: RETRY,
        }
    }

    /// Whether the last look is at least this long ago.
    pub(super) fn is_due(&self, beat: Duration) -> bool {
        self.looked_at.elapsed() >= beat
    }

    /// Looks at warm stores, and goes on with the round.
    pub(super) fn look(&mut self, history: &History, discovery: &dyn Discovery) -> Looked {
        let now = Instant::now();
        let since = now.duration_since(self.looked_at);
        self.looked_at = now;
        let is_in_turn = go_on(&mut self.next_store, self.stores.len(), PER_SECOND, since);
        let mut changed = Vec::new();
        for (at, watched) in self.stores.iter_mut().enumerate() {
            let is_warm = watched.is_always_warm
                || watched.changed_at.is_some_and(|then| now.duration_since(then) < WARM);
            if !is_warm && !is_in_turn(at) {
                continue;
            }
            let known = history.stores()[watched.source].stores[watched.store].stamp;
            match history.sources()[watched.source].stamp(&watched.path) {
                Some(stamp) if stamp == known => {}
                Some(stamp) => {
                    watched.changed_at = Some(now);
                    changed.push(ChangedStore { source: watched.source, store: watched.store, stamp });
                }
                None => self.is_search_due = true,
            }
        }
        let folders = self.folders.len();
        let per_second = (folders * FOLDER_ROUNDS).min(FOLDERS_PER_SECOND);
        let is_in_turn = go_on(&mut self.next_folder, folders, per_second, since);
        for at in (0..folders).filter(|at| is_in_turn(*at)) {
            self.look_at_folder(at, discovery);
        }
        self.decide(changed, history, now)
    }

    fn look_at_folder(&mut self, at: usize, discovery: &dyn Discovery) {
        let (folder, known) = &mut self.folders[at];
        let stamp = discovery.folder_stamp(folder);
        if stamp == *known {
            return;
        }
        *known = stamp;
        let names = discovery.names_stamp(folder);
        if self.names.insert(folder.clone(), names) != Some(names) {
            self.is_search_due = true;
        }
    }

    fn decide(&mut self, changed: Vec<ChangedStore>, history: &History, now: Instant) -> Looked {
        let since = now.duration_since(self.searched_at);
        let soon = (self.took * 20).clamp(SEARCH / 4, SEARCH / 2);
        let in_any_case = (self.took * 400).clamp(SEARCH, LONGEST);
        if (self.is_search_due && since >= soon) || since >= in_any_case {
            return Looked::Search;
        }
        if !changed.is_empty() {
            self.retry_after = RETRY;
            self.retry_at = now + RETRY;
            return Looked::Changed(changed);
        }
        if history.has_unreadable() && now >= self.retry_at {
            self.retry_after = (self.retry_after * 2).min(LONGEST);
            self.retry_at = now + self.retry_after;
            return Looked::Changed(changed);
        }
        Looked::Nothing
    }
}

/// Which of `all` are looked at now, when the last look was so long ago; `next` is moved on. Everything once is enough, however long
/// nobody looked.
fn go_on(next: &mut usize, all: usize, per_second: usize, since: Duration) -> impl Fn(usize) -> bool + use<> {
    let millis = usize::try_from(since.as_millis()).unwrap_or(usize::MAX);
    let further = (millis.saturating_mul(per_second) / 1000 + 1).min(all);
    let from = *next;
    *next = (from + further) % all.max(1);
    move |at| (at + all - from) % all.max(1) < further
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use backscroll_model::Contents;
    use jiff::Timestamp;

    use super::*;
    use crate::live::Discovered;

    /// Notes which folders are looked at.
    #[derive(Default)]
    struct Noting(RefCell<Vec<PathBuf>>);

    impl Discovery for Noting {
        fn find(&self, _: String, _: Timestamp) -> Discovered {
            unreachable!("nobody searches")
        }

        fn contents(&self, _: &Path) -> Result<Contents, String> {
            unreachable!("nobody asks")
        }

        fn folder_stamp(&self, folder: &Path) -> u64 {
            self.0.borrow_mut().push(folder.to_owned());
            0
        }
    }

    #[test]
    fn every_folder_is_looked_at_within_half_a_second_however_many_there_are() {
        let history = History::over(Vec::new(), Vec::new());
        let folders: Vec<_> = (0..4000).map(|number| (PathBuf::from(number.to_string()), 0)).collect();
        let mut watch = Watch::over(&history, folders.clone(), Duration::ZERO, None);
        let noting = Noting::default();
        for _ in 0..5 {
            let tenth = Duration::from_millis(100);
            watch.looked_at = watch.looked_at.checked_sub(tenth).unwrap();
            watch.look(&history, &noting);
        }
        let looked_at = noting.0.into_inner();
        assert!(folders.iter().all(|(folder, _)| looked_at.contains(folder)), "{}", looked_at.len());
    }
}
