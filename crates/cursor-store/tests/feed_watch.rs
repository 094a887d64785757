//! A home that is looked at again and again, as an index does it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use backscroll_cursor_store::{Where, find};
use backscroll_fixtures::{create_database, snapshot_of};
use backscroll_history::{Changed, History, Query};
use backscroll_model::Mark;

/// A home, and how far it was read.
pub(crate) struct Watch {
    home: PathBuf,
    marks: BTreeMap<String, Mark>,
}

impl Watch {
    /// Looks at `home` for the first time.
    pub(crate) fn on(home: &Path) -> Self {
        let mut watch = Self { home: home.to_owned(), marks: BTreeMap::new() };
        assert!(watch.look().everything, "at first, anything may be new");
        assert!(watch.look().is_nothing(), "and then nothing is");
        watch
    }

    pub(crate) fn history(&self) -> History {
        let found = find(&Where { home: Some(self.home.clone()), ..Where::default() });
        History::over(found.sources, found.findings)
    }

    /// What changed since the last look.
    pub(crate) fn look(&mut self) -> Changed {
        let before = snapshot_of(&self.home).unwrap();
        let changed = self.history().changes(&self.marks);
        assert_eq!(snapshot_of(&self.home).unwrap(), before, "looking leaves no trace");
        assert!(changed.unreadable.is_empty(), "{:?}", changed.unreadable);
        self.marks.clone_from(&changed.marks);
        changed
    }

    /// The conversations that are named, and nothing at the next look.
    pub(crate) fn named(&mut self) -> Vec<String> {
        let changed = self.look();
        assert!(!changed.everything, "{:?} {:?}", changed.gone, changed.new);
        let again = self.look();
        assert!(again.is_nothing(), "it was said already: {:?}", again.conversations);
        changed.conversations.iter().map(ToString::to_string).collect()
    }

    /// Everything that is known of each conversation, as text.
    pub(crate) fn state(&self) -> BTreeMap<String, String> {
        let history = self.history();
        let listing = history.list(&Query { all: true, ..Query::default() });
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
