//! A home that is looked at again and again, as an index does it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use backscroll_cursor_store::{FileCache, Where, find_with};
use backscroll_fixtures::{create_database, snapshot_of};
use backscroll_history::{Ask, History, Keep, Manner, refresh};

use backscroll_model::ConversationId;
use tempfile::TempDir;

/// A home, and what is remembered of it.
pub(crate) struct Watch {
    home: PathBuf,
    index: TempDir,
    stamps: HashMap<ConversationId, i64>,
    /// What is remembered of folders.
    files: Mutex<String>,
}

impl Watch {
    /// Looks at `home` for the first time.
    pub(crate) fn on(home: &Path) -> Self {
        let (index, files) = (TempDir::new().unwrap(), Mutex::default());
        let mut watch = Self { home: home.to_owned(), index, stamps: HashMap::new(), files };
        watch.look();
        assert_eq!(watch.look(), BTreeSet::new(), "nothing is new at a second look");
        watch
    }

    pub(crate) fn history(&self) -> History {
        let mut remembered = self.files.lock().unwrap();
        // Every folder is written to just now, so that none may be believed.
        #[expect(clippy::disallowed_methods, reason = "it is compared with the times of files")]
        let files = Arc::new(FileCache::new(remembered.clone(), SystemTime::now()));
        let found = find_with(&Where { home: Some(self.home.clone()), ..Where::default() }, &files);
        let keep =
            Keep { folder: Some(self.index.path()), patience: Duration::from_secs(60), ..Keep::default() };
        let history = History::open(found.sources, found.findings, keep);
        files.end_search();
        *remembered = files.to_store().unwrap_or(remembered.clone());
        history
    }

    /// What changed since the last look.
    pub(crate) fn look(&mut self) -> BTreeSet<ConversationId> {
        let before = snapshot_of(&self.home).unwrap();
        let history = self.history();
        let listing = history.account();
        assert!(listing.unreadable.is_empty(), "{:?}", listing.unreadable);
        let stamps = history.stamps();
        let other = stamps.iter().filter(|(id, stamp)| self.stamps.get(id) != Some(stamp)).map(|(id, _)| id);
        let gone = self.stamps.keys().filter(|id| !stamps.contains_key(id));
        let changed = other.chain(gone).cloned().collect();
        // Which files conversations mention is known when their messages were read.
        let manner = Manner::ordinary(jiff::Timestamp::UNIX_EPOCH);
        refresh(self.index.path(), &history, manner, &mut |_, _| {}).unwrap();
        assert_eq!(snapshot_of(&self.home).unwrap(), before, "looking leaves no trace");
        self.stamps = stamps;
        changed
    }

    /// The conversations that are named, and nothing at the next look.
    pub(crate) fn named(&mut self) -> Vec<String> {
        let changed = self.look();
        assert_eq!(self.look(), BTreeSet::new(), "it was said already");
        changed.iter().map(ToString::to_string).collect()
    }

    /// Everything that is known of each conversation, as text, read anew.
    pub(crate) fn state(&self) -> BTreeMap<String, String> {
        let found =
            backscroll_cursor_store::find(&Where { home: Some(self.home.clone()), ..Where::default() });
        let history = History::over(found.sources, found.findings);
        let listing = history.list(&Ask::everything());
        assert!(listing.unreadable.is_empty(), "{:?}", listing.unreadable);
        let whole_and_listed = |summary: backscroll_model::Summary| {
            let whole = history.load(&summary.id).unwrap();
            (summary.id.to_string(), format!("{summary:?} {whole:?}"))
        };
        listing.summaries.into_iter().map(whole_and_listed).collect()
    }
}

/// Conversations that differ.
pub(crate) fn differing(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> BTreeSet<String> {
    let ids = before.keys().chain(after.keys());
    ids.filter(|id| before.get(*id) != after.get(*id)).cloned().collect()
}

/// Runs statements on a database and closes it.
pub(crate) fn run(database: &Path, statements: &str) {
    let connection = create_database(database).unwrap();
    connection.execute_batch(statements).unwrap();
    connection.close().unwrap();
}
