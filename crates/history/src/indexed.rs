//! The history as an index sees it: what changed, what there is, what each conversation holds; and a listing out of an
//! index.
//!
//! A listing out of an index equals one without, but for parents that only the parent names: these depend on all
//! conversations at once.

use std::collections::{BTreeMap, BTreeSet};

use backscroll_index::{Changed, Content, Entries, Entry, Feed, Index, IndexError, Marks, Which};
use backscroll_model::{Conversation, ConversationId, Finding, Mark, Selection, SourceError, Summary};

use crate::history::{AskError, Heads, History, Listing};
use crate::merge;
use crate::query::Query;

impl Feed for History {
    fn changes(&self, marks: &Marks) -> Changed {
        let changed = History::changes(self, marks);
        let is_other = |(name, mark): &(&String, &Mark)| marks.get(*name) != Some(*mark);
        Changed {
            sources: changed.marks.iter().filter(is_other).map(|(name, _)| name.clone()).collect(),
            which: if changed.everything { Which::Any } else { Which::These(changed.conversations) },
            marks: changed.marks,
            unreadable: changed.unreadable,
        }
    }

    fn all(&self) -> Entries {
        self.entries(self.heads(None, true), true)
    }

    fn those(&self, ids: &BTreeSet<ConversationId>) -> Entries {
        self.entries(self.heads(Some(ids), true), false)
    }

    fn load(&self, id: &ConversationId) -> Result<Option<Conversation>, SourceError> {
        match History::load(self, id) {
            Ok(conversation) => Ok(Some(conversation)),
            Err(AskError::Source(error)) => Err(error),
            Err(AskError::NoMatch { .. } | AskError::Ambiguous { .. }) => Ok(None),
        }
    }

    fn findings(&self, sources: &BTreeSet<String>) -> Option<BTreeMap<String, Vec<Finding>>> {
        let asked = self.named_sources().into_iter().filter(|(name, _)| sources.contains(name));
        asked.map(|(name, source)| Some((name, source.heads(Selection::All).ok()?.findings))).collect()
    }
}

impl History {
    /// One entry for each conversation. `is_all` says whether the heads are those of all conversations.
    fn entries(&self, heads: Heads, is_all: bool) -> Entries {
        let Heads { listed, mut inside, prompts, findings, unreadable } = heads;
        let findings = if is_all { findings } else { BTreeMap::new() };
        let mut entries = Entries { entries: Vec::new(), findings, unreadable };
        for (id, fragments) in listed {
            let listed = merge::summary(&fragments);
            let with_inside = match inside.remove(&id) {
                Some(more) => merge::summary(&[fragments, more].concat()),
                None => listed.clone(),
            };
            entries.entries.extend(with_inside.map(|in_all| Entry { listed, in_all }));
        }
        for fragments in inside.into_values() {
            let summary = merge::summary(&fragments);
            entries.entries.extend(summary.map(|in_all| Entry { listed: None, in_all }));
        }
        for id in prompts.keys() {
            match self.prompts_left(id) {
                Ok(summary) => {
                    let entry = |summary: Summary| Entry { in_all: summary.clone(), listed: Some(summary) };
                    entries.entries.extend(summary.map(entry));
                }
                Err(error) => entries.unreadable.push(error),
            }
        }
        entries
    }

    /// The conversations that `query` asks for, as [`list`](History::list) gives them, out of an index that is fresh. `None`
    /// if the index does not know enough.
    pub fn list_indexed(&self, index: &Index, query: &Query) -> Result<Option<Listing>, IndexError> {
        let Some(mut found) = index.findings()? else { return Ok(None) };
        let mut listing = Listing { findings: self.findings().to_vec(), ..Listing::default() };
        for (name, _) in self.named_sources() {
            listing.findings.extend(found.remove(&name).unwrap_or_default());
        }
        listing.summaries = index.summaries(query.all)?;
        // Which of two parents is given depends on the order.
        listing.summaries.sort_by(|a, b| a.id.cmp(&b.id));
        merge::link_children(&mut listing.summaries);
        listing.summaries.retain(|summary| query.wants(summary));
        query.sort(&mut listing.summaries);
        if query.needs_messages() {
            keep_wanted(index, query, &mut listing)?;
        }
        listing.summaries.truncate(query.limit.unwrap_or(usize::MAX));
        Ok(Some(listing))
    }
}

fn keep_wanted(index: &Index, query: &Query, listing: &mut Listing) -> Result<(), IndexError> {
    let mut wanted = Vec::with_capacity(listing.summaries.len());
    for summary in std::mem::take(&mut listing.summaries) {
        let is_wanted = !query.needs_messages_of(&summary)
            || match index.content(&summary.id)? {
                Ok(content) => content.is_some_and(|content: Content| query.wants_indexed(&content)),
                Err(error) => {
                    listing.unreadable.push(error);
                    false
                }
            };
        if is_wanted {
            wanted.push(summary);
        }
    }
    listing.summaries = wanted;
    Ok(())
}
