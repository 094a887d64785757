//! All sources of one machine, asked as one.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use backscroll_model::{ConversationId, Finding, Source, SourceError, Summary, Surface, Workspace};

use crate::Query;
use crate::merge;
use crate::resolve;

/// All sources of one machine.
pub struct History {
    sources: Vec<Box<dyn Source>>,
    findings: Vec<Finding>,
    /// Weak hints of where conversations belong, asked for once.
    belongings: OnceLock<HashMap<ConversationId, Workspace>>,
}

/// The answer to a question about many conversations.
#[derive(Debug, Default)]
pub struct Listing {
    /// What was found, in the asked order.
    pub summaries: Vec<Summary>,
    /// What was not as it should be, in any place.
    pub findings: Vec<Finding>,
    /// Places that could not be read at all.
    pub unreadable: Vec<SourceError>,
}

/// A question could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// No conversation is meant by what was asked.
    #[error("no conversation matches `{asked}`")]
    NoMatch {
        /// What was asked.
        asked: String,
    },
    /// Several are.
    #[error("`{asked}` matches {} conversations", matches.len())]
    Ambiguous {
        /// What was asked.
        asked: String,
        /// The conversations that it may mean, latest first.
        matches: Vec<Summary>,
    },
    /// A place could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl std::fmt::Debug for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("History").field("sources", &self.sources.len()).finish_non_exhaustive()
    }
}

impl History {
    /// The history that `sources` tell together; `findings` are what was noted while looking for them.
    pub fn over(sources: Vec<Box<dyn Source>>, findings: Vec<Finding>) -> Self {
        Self { sources, findings, belongings: OnceLock::new() }
    }

    /// What was noted while looking for the sources: places that exist and could not be read.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The sources themselves, for those who ask about places instead of conversations.
    pub fn sources(&self) -> &[Box<dyn Source>] {
        &self.sources
    }

    /// The conversations that `query` asks for.
    pub fn list(&self, query: &Query) -> Listing {
        let mut listing = self.all(query.all);
        merge::link_children(&mut listing.summaries);
        listing.summaries.retain(|summary| query.wants(summary));
        query.sort(&mut listing.summaries);
        if query.needs_messages() {
            let troubles = &mut listing.unreadable;
            listing.summaries.retain(|summary| {
                !query.needs_messages_of(summary)
                    || match self.load(&summary.id) {
                        Ok(whole) => query.wants_content(&whole),
                        Err(AskError::Source(error)) => {
                            // Whether it holds what is asked for cannot be told: not in silence.
                            troubles.push(error);
                            false
                        }
                        Err(AskError::NoMatch { .. } | AskError::Ambiguous { .. }) => false,
                    }
            });
        }
        listing.summaries.truncate(query.limit.unwrap_or(usize::MAX));
        listing
    }

    /// The conversation that `asked` means: the beginning of an id, `@1` for the latest, or part of a title.
    pub fn resolve(&self, asked: &str) -> Result<ConversationId, AskError> {
        resolve::resolve(self, asked)
    }

    /// Ids that begin with `beginning`, in any source; just the one that is `beginning` itself as soon as any has it.
    pub(crate) fn ids(&self, beginning: &str) -> HashSet<ConversationId> {
        std::thread::scope(|scope| {
            scope.spawn(|| self.sources.iter().for_each(|source| source.prepare()));
            let mut ids = HashSet::new();
            for found in self.sources.iter().filter_map(|source| source.ids(beginning).ok()).flatten() {
                if found.as_str() == beginning {
                    return HashSet::from([found]);
                }
                ids.insert(found);
            }
            ids
        })
    }

    /// Ids of conversations inside of others that begin with `beginning`. It costs a look into every one.
    pub(crate) fn nested(&self, beginning: &str) -> HashSet<ConversationId> {
        let nested = self.sources.iter().filter_map(|source| source.nested().ok()).flatten();
        nested.map(|summary| summary.id).filter(|id| id.as_str().starts_with(beginning)).collect()
    }

    /// Every conversation of every source, each told once.
    fn all(&self, with_nested: bool) -> Listing {
        std::thread::scope(|scope| {
            scope.spawn(|| self.sources.iter().for_each(|source| source.prepare()));
            self.all_in_turn(with_nested)
        })
    }

    fn all_in_turn(&self, with_nested: bool) -> Listing {
        let mut listing = Listing { findings: self.findings.clone(), ..Listing::default() };
        let mut told = Tellings::default();
        for source in &self.sources {
            match source.summaries() {
                Ok((summaries, findings)) => {
                    listing.findings.extend(findings);
                    told.add(source.as_ref(), summaries);
                }
                Err(error) => listing.unreadable.push(error),
            }
            if with_nested {
                match source.nested() {
                    Ok(nested) => told.add_nested(nested),
                    Err(error) => listing.unreadable.push(error),
                }
            }
        }
        listing.summaries = self.merged(told);
        listing
    }

    /// One summary for each conversation. Whom others name as started by them is not looked for.
    pub(crate) fn merged(&self, told: Tellings) -> Vec<Summary> {
        let mut summaries: Vec<Summary> = told.0.into_values().filter_map(merge::summaries).collect();
        // Which of two parents is told depends on the order.
        summaries.sort_by(|a, b| a.id.cmp(&b.id));
        for summary in summaries.iter_mut().filter(|summary| summary.workspace.is_none()) {
            summary.workspace = self.belongings().get(&summary.id).cloned();
        }
        summaries
    }

    /// Hints of where conversations belong; the strongest of each.
    pub(crate) fn belongings(&self) -> &HashMap<ConversationId, Workspace> {
        self.belongings.get_or_init(|| {
            let mut strongest: HashMap<ConversationId, Workspace> = HashMap::new();
            let told = self.sources.iter().filter_map(|source| source.belongings().ok()).flatten();
            for (id, workspace) in told {
                keep_strongest(strongest.entry(id), workspace);
            }
            strongest
        })
    }
}

/// What sources tell of each conversation, in the order in which they were asked.
#[derive(Default)]
pub(crate) struct Tellings(HashMap<ConversationId, Vec<Summary>>);

impl Tellings {
    pub(crate) fn add(&mut self, source: &dyn Source, summaries: Vec<Summary>) {
        for mut summary in summaries {
            if source.is_backup() {
                merge::mark_deleted(&mut summary);
            }
            self.0.entry(summary.id.clone()).or_default().push(summary);
        }
    }

    pub(crate) fn add_nested(&mut self, nested: Vec<Summary>) {
        for summary in nested {
            self.0.entry(summary.id.clone()).or_default().push(summary);
        }
    }

    /// Whether a conversation may lie inside of another, as far as was told.
    pub(crate) fn may_be_nested(&self, id: &ConversationId) -> bool {
        let told = self.0.get(id).map(Vec::as_slice).unwrap_or_default();
        told.iter().all(|summary| summary.surface == Surface::Transcript)
    }
}

fn keep_strongest(entry: Entry<'_, ConversationId, Workspace>, workspace: Workspace) {
    match entry {
        Entry::Occupied(mut known) if workspace.by < known.get().by => drop(known.insert(workspace)),
        Entry::Occupied(_) => {}
        Entry::Vacant(free) => drop(free.insert(workspace)),
    }
}
