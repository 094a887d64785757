//! All conversations as they were at one moment: the listing, and what can be counted in it without reading messages.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use backscroll_history::{History, Query};
use backscroll_model::{ConversationId, Finding, Summary, Workspace};
use jiff::Timestamp;

/// One moment of the history.
#[derive(Debug)]
pub(crate) struct Edition {
    /// Counts up with every change.
    pub(crate) number: u64,
    pub(crate) history: Arc<History>,
    /// Every conversation, hidden ones included, last changed first.
    pub(crate) summaries: Vec<Summary>,
    /// What was not as it should be, in any place.
    pub(crate) findings: Vec<Finding>,
    /// Why places could not be read.
    pub(crate) unreadable: Vec<String>,
    /// Workspaces of conversations that are not hidden, the last used first.
    pub(crate) workspaces: Vec<Place>,
    /// What changed since the edition before; `None` if it may be anything.
    pub(crate) changed: Option<BTreeSet<ConversationId>>,
    by_id: HashMap<ConversationId, usize>,
}

/// A workspace and how much was said in it.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) workspace: Workspace,
    pub(crate) conversations: usize,
    pub(crate) last_at: Option<Timestamp>,
}

impl Edition {
    /// Reads the listing of `history`.
    pub(crate) fn of(history: History, number: u64, changed: Option<BTreeSet<ConversationId>>) -> Self {
        let listing = history.list(&Query { all: true, ..Query::default() });
        let by_id =
            listing.summaries.iter().enumerate().map(|(at, summary)| (summary.id.clone(), at)).collect();
        let unreadable =
            listing.unreadable.iter().map(|error| format!("{error}: {}", error.because)).collect();
        Self {
            number,
            changed,
            history: Arc::new(history),
            workspaces: workspaces(listing.summaries.iter().filter(|summary| is_shown(summary))),
            by_id,
            findings: listing.findings,
            unreadable,
            summaries: listing.summaries,
        }
    }

    /// Whether nobody would see a difference between the two listings.
    pub(crate) fn tells_the_same(&self, other: &Self) -> bool {
        self.summaries == other.summaries
            && self.findings == other.findings
            && self.unreadable == other.unreadable
    }

    /// What the listing tells of this conversation.
    pub(crate) fn summary(&self, id: &ConversationId) -> Option<&Summary> {
        self.by_id.get(id).and_then(|at| self.summaries.get(*at))
    }

    /// The conversations that are not hidden.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &Summary> {
        self.summaries.iter().filter(|summary| is_shown(summary))
    }

    /// How many conversations of those that are shown have each name that `names` gives them, most first.
    pub(crate) fn counted<'a, N: IntoIterator<Item = &'a str>>(
        &'a self,
        names: impl Fn(&'a Summary) -> N,
    ) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for name in self.shown().flat_map(names) {
            *counts.entry(name).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        counts
    }
}

/// Whether a conversation is shown to whoever did not ask for hidden ones.
fn is_shown(summary: &Summary) -> bool {
    Query::default().wants(summary)
}

fn workspaces<'a>(summaries: impl Iterator<Item = &'a Summary>) -> Vec<Place> {
    let mut places: HashMap<(&str, Option<&str>), Place> = HashMap::new();
    for summary in summaries {
        let Some(workspace) = &summary.workspace else { continue };
        let place = places.entry((&workspace.path, workspace.remote.as_deref())).or_insert_with(|| Place {
            workspace: workspace.clone(),
            conversations: 0,
            last_at: None,
        });
        place.conversations += 1;
        place.last_at = place.last_at.max(summary.recency());
    }
    let mut places: Vec<Place> = places.into_values().collect();
    places.sort_by(|a, b| b.last_at.cmp(&a.last_at).then_with(|| a.workspace.path.cmp(&b.workspace.path)));
    places
}
