//! All sources of one machine, asked as one: which conversations there are, and which one is meant.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

use backscroll_model::{
    CatalogueEntry, ConversationId, Decoded, Finding, Flag, Fragment, FragmentKind, Layer, RequestFact,
    Selection, Source, SourceError, Summary, Workspace,
};

use crate::Query;
use crate::catalogue::Catalogue;
use crate::merge;

/// All sources of one machine.
pub struct History {
    sources: Vec<Box<dyn Source>>,
    findings: Vec<Finding>,
    catalogue: OnceLock<Catalogue>,
    /// What was tracked of requests that name no conversation, and what could not be read of it.
    pub(crate) requests: OnceLock<TrackedRequests>,
}

/// What was tracked of each request, and what could not be read of it.
pub(crate) type TrackedRequests = (HashMap<String, Vec<RequestFact>>, Vec<Finding>);

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

/// The heads that sources have of some conversations.
#[derive(Default)]
pub(crate) struct Heads {
    /// Those of catalogues.
    pub(crate) listed: HashMap<ConversationId, Vec<Fragment>>,
    /// Those of agents inside of stores.
    pub(crate) inside: HashMap<ConversationId, Vec<Fragment>>,
    /// Prompts that were stored apart from conversations.
    pub(crate) prompts: BTreeMap<ConversationId, Vec<Fragment>>,
    /// What was not as it should be, by the name of the source.
    pub(crate) findings: BTreeMap<String, Vec<Finding>>,
    pub(crate) unreadable: Vec<SourceError>,
}

impl Heads {
    fn add(&mut self, fragment: Fragment) {
        let id = fragment.summary.id.clone();
        match fragment.kind {
            FragmentKind::Prompts => self.prompts.entry(id).or_default().push(fragment),
            FragmentKind::Account | FragmentKind::Evidence => {
                self.listed.entry(id).or_default().push(fragment);
            }
        }
    }
}

impl History {
    /// The history that `sources` hold together; `findings` are what was noted while looking for them.
    pub fn over(sources: Vec<Box<dyn Source>>, findings: Vec<Finding>) -> Self {
        Self { sources, findings, catalogue: OnceLock::new(), requests: OnceLock::new() }
    }

    /// What was noted while looking for the sources: places that exist and could not be read.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The sources themselves, for questions about places instead of conversations.
    pub fn sources(&self) -> &[Box<dyn Source>] {
        &self.sources
    }

    pub(crate) fn catalogue(&self) -> &Catalogue {
        self.catalogue.get_or_init(|| Catalogue::new(&self.sources))
    }

    /// The sources, each under a name that is the same in every run.
    pub(crate) fn named_sources(&self) -> Vec<(String, &dyn Source)> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut named = Vec::new();
        for source in &self.sources {
            let name = source.id().to_string();
            let count = seen.entry(name.clone()).or_default();
            *count += 1;
            let name = if *count > 1 { format!("{name} ({count})") } else { name };
            named.push((name, source.as_ref()));
        }
        named
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
                            // Whether it holds what is asked for is unknown: not in silence.
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

    /// What a listing of everything shows of these conversations, in order of id, but for parents that only the parent
    /// names: see [`link_children`]. An id that is not there is gone.
    pub fn summaries_of(&self, ids: &BTreeSet<ConversationId>) -> Listing {
        let heads = self.heads(Some(ids), true);
        self.merged(heads, true)
    }

    /// Every conversation of every source, each once.
    fn all(&self, with_inside: bool) -> Listing {
        let heads = self.heads(None, with_inside);
        let mut listing = self.merged(heads, with_inside);
        listing.findings.splice(0..0, self.findings.iter().cloned());
        listing
    }

    /// The heads of these conversations, or of all; with those of agents inside of stores only if asked for, because
    /// finding them costs opening every store.
    pub(crate) fn heads(&self, ids: Option<&BTreeSet<ConversationId>>, with_inside: bool) -> Heads {
        let mut heads = Heads::default();
        for (number, (name, source)) in self.named_sources().into_iter().enumerate() {
            let is_backup = source.id().is_backup;
            let of_ids: Vec<&CatalogueEntry>;
            let wanted = match ids {
                None => Selection::All,
                Some(ids) => {
                    let located = ids.iter().flat_map(|id| self.catalogue().of(id));
                    of_ids =
                        located.filter(|(source, _)| *source == number).map(|(_, entry)| entry).collect();
                    Selection::Entries(&of_ids)
                }
            };
            match source.heads(wanted) {
                Ok(found) => {
                    heads.findings.entry(name).or_default().extend(found.findings);
                    for mut fragment in found.value {
                        if is_backup {
                            merge::mark_deleted(&mut fragment);
                        }
                        heads.add(fragment);
                    }
                }
                Err(error) => heads.unreadable.push(error),
            }
        }
        let is_transcript = |fragment: &Fragment| {
            let layers = [Layer::TranscriptJsonl, Layer::TranscriptJson, Layer::TranscriptText];
            fragment.kind == FragmentKind::Evidence || layers.contains(&fragment.layer())
        };
        // Those that at most a transcript has may lie inside of others.
        let may_be_inside = |id: &ConversationId| {
            heads.listed.get(id).is_none_or(|fragments| fragments.iter().all(is_transcript))
        };
        let is_wanted = match ids {
            None => with_inside,
            Some(ids) => with_inside && ids.iter().any(may_be_inside),
        };
        if is_wanted {
            self.add_inside(ids, &mut heads);
        }
        heads
    }

    fn add_inside(&self, ids: Option<&BTreeSet<ConversationId>>, heads: &mut Heads) {
        let inside = self.catalogue().inside(&self.sources);
        for (number, source) in self.sources.iter().enumerate() {
            let wanted = inside.iter().filter(|(id, _)| ids.is_none_or(|ids| ids.contains(id)));
            let wanted = wanted.flat_map(|(_, located)| located).filter(|(source, _)| *source == number);
            let mut wanted: Vec<&CatalogueEntry> = wanted.map(|(_, entry)| entry).collect();
            wanted.sort();
            if wanted.is_empty() {
                continue;
            }
            match source.heads(Selection::Entries(&wanted)) {
                Ok(found) => {
                    for fragment in found.value {
                        heads.inside.entry(fragment.summary.id.clone()).or_default().push(fragment);
                    }
                }
                Err(error) => heads.unreadable.push(error),
            }
        }
    }

    /// One summary for each conversation, in order of id. Parents that only the parent names are not given yet.
    pub(crate) fn merged(&self, heads: Heads, with_hidden: bool) -> Listing {
        let Heads { mut listed, inside, prompts, findings, unreadable } = heads;
        let findings = findings.into_values().flatten().collect();
        let mut listing = Listing { findings, unreadable, ..Listing::default() };
        for (id, fragments) in inside {
            listed.entry(id).or_default().extend(fragments);
        }
        for fragments in listed.values() {
            if let Some(summary) = merge::summary(fragments) {
                listing.findings.extend(merge::other_claims(fragments, &summary));
                listing.summaries.push(summary);
            }
        }
        let listed: HashMap<ConversationId, bool> =
            listing.summaries.iter().map(|summary| (summary.id.clone(), has_messages(summary))).collect();
        for fragments in prompts.values() {
            match self.prompts_summary(fragments, &listed, with_hidden) {
                Ok(summary) => listing.summaries.extend(summary),
                Err(error) => listing.unreadable.push(error),
            }
        }
        listing.findings.sort_by(|a, b| a.at.file.cmp(&b.at.file));
        listing.summaries.sort_by(|a, b| a.id.cmp(&b.id));
        listing
    }

    /// What a listing shows of stored prompts. Beside conversations with messages it is what none of these has, which takes
    /// reading them: so only where hidden ones are asked for.
    fn prompts_summary(
        &self,
        prompts: &[Fragment],
        listed: &HashMap<ConversationId, bool>,
        with_hidden: bool,
    ) -> Result<Option<Summary>, SourceError> {
        let Some(first) = prompts.first() else { return Ok(None) };
        let entries = self.catalogue().of(&first.summary.id).iter().map(|(_, entry)| entry);
        let mut others = entries.flat_map(|entry| self.catalogue().beside(entry));
        if !others.any(|other| listed.get(other) == Some(&true)) {
            let accounts: Vec<Fragment> = prompts.iter().cloned().map(as_account).collect();
            return Ok(merge::summary(&accounts));
        }
        if with_hidden { self.prompts_left(&first.summary.id) } else { Ok(None) }
    }

    /// The summary of what is left of stored prompts.
    pub(crate) fn prompts_left(&self, id: &ConversationId) -> Result<Option<Summary>, SourceError> {
        match self.load(id) {
            Ok(left) => Ok(Some(left.summary)),
            Err(AskError::NoMatch { .. } | AskError::Ambiguous { .. }) => Ok(None),
            Err(AskError::Source(error)) => Err(error),
        }
    }

    /// The conversation that `asked` means: `@1` for the latest, the beginning of an id, or part of a title.
    pub fn resolve(&self, asked: &str) -> Result<ConversationId, AskError> {
        let no_match = || AskError::NoMatch { asked: asked.to_owned() };
        if let Some(number) = asked.strip_prefix('@').and_then(|number| number.parse::<usize>().ok()) {
            let listed = self.list(&Query::default()).summaries;
            let place = number.checked_sub(1).ok_or_else(no_match)?;
            return listed.into_iter().nth(place).map(|summary| summary.id).ok_or_else(no_match);
        }
        if asked.trim().is_empty() {
            return Err(no_match());
        }
        let mut ids = self.catalogue().ids(asked);
        let exact = ConversationId::new(asked);
        if ids.contains(&exact) {
            return Ok(exact);
        }
        if ids.is_empty() {
            let inside = self.catalogue().inside(&self.sources).keys();
            ids = inside.filter(|id| id.as_str().starts_with(asked)).cloned().collect();
        }
        if let [only] = ids.iter().collect::<Vec<_>>()[..] {
            return Ok(only.clone());
        }
        let all = self.list(&Query { all: true, ..Query::default() }).summaries;
        let matches = if ids.is_empty() {
            by_title(all, asked)
        } else {
            all.into_iter().filter(|summary| ids.contains(&summary.id)).collect()
        };
        match &matches[..] {
            [] => Err(no_match()),
            [only] => Ok(only.id.clone()),
            _ => Err(AskError::Ambiguous { asked: asked.to_owned(), matches }),
        }
    }
}

/// What one source alone has of each conversation, for reports about places. The findings concern the place as a whole.
pub fn source_summaries(source: &dyn Source) -> Result<Decoded<Vec<Summary>>, SourceError> {
    let Decoded { value: fragments, findings } = source.heads(Selection::All)?;
    let mut heads = Heads::default();
    for fragment in fragments {
        heads.add(fragment);
    }
    let mut summaries: Vec<Summary> =
        heads.listed.values().filter_map(|fragments| merge::summary(fragments)).collect();
    for prompts in heads.prompts.into_values() {
        let is_all = !summaries.iter().any(|other| has_messages(other) && is_beside(&prompts[0], other));
        let accounts: Vec<Fragment> = prompts.into_iter().filter(|_| is_all).map(as_account).collect();
        summaries.extend(merge::summary(&accounts));
    }
    summaries.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(Decoded { value: summaries, findings })
}

/// Gives conversations that others name as theirs their parent. [`History::summaries_of`] leaves that to a caller that has
/// the summaries of all.
pub fn link_children(summaries: &mut [Summary]) {
    merge::link_children(summaries);
}

/// Those whose title holds `asked`, whatever the case; one whose title is just that wins.
fn by_title(all: Vec<Summary>, asked: &str) -> Vec<Summary> {
    let wanted = asked.to_lowercase();
    let title = |summary: &Summary| summary.title.as_deref().unwrap_or_default().to_lowercase();
    let found: Vec<Summary> = all.into_iter().filter(|summary| title(summary).contains(&wanted)).collect();
    let exact: Vec<Summary> = found.iter().filter(|summary| title(summary) == wanted).cloned().collect();
    if exact.len() == 1 { exact } else { found }
}

fn as_account(mut fragment: Fragment) -> Fragment {
    fragment.kind = FragmentKind::Account;
    fragment
}

/// Whether a conversation is of the workspace whose prompts these are.
fn is_beside(prompts: &Fragment, other: &Summary) -> bool {
    let Some(here) = &prompts.summary.workspace else { return true };
    let is_here = |there: &Workspace| (&here.path, &here.remote) == (&there.path, &there.remote);
    other.workspace.as_ref().is_some_and(is_here)
        || other.origins.iter().any(|origin| origin.file == prompts.origin().file)
}

/// Whether a conversation has messages, as far as its head says.
pub(crate) fn has_messages(summary: &Summary) -> bool {
    summary.messages.map_or(!summary.flags.contains(&Flag::Empty), |count| count > 0)
}
