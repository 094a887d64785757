//! The history as an index sees it: what changed, what there is, and what each conversation holds.
//!
//! A listing is told to the letter, but before parents are told by their children: that depends on all conversations at once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use backscroll_index::{Changed, Entries, Entry, Feed, Marks, Which};
use backscroll_model::{Conversation, ConversationId, Finding, Mark, Source, SourceError, Summary, Surface};

use crate::history::{AskError, History};
use crate::merge;

/// What one conversation's tellers say of it.
#[derive(Default)]
struct Told {
    /// Those who list it.
    listed: Vec<Summary>,
    /// Those who found it inside of another.
    nested: Vec<Summary>,
}

impl Told {
    /// Whether it may lie inside of another: at most a transcript tells of it.
    fn may_be_nested(&self) -> bool {
        self.listed.iter().all(|summary| summary.surface == Surface::Transcript)
    }
}

impl Feed for History {
    fn changes(&self, marks: &Marks) -> Changed {
        let told = History::changes(self, marks);
        let is_other = |(name, mark): &(&String, &Mark)| marks.get(*name) != Some(*mark);
        Changed {
            sources: told.marks.iter().filter(is_other).map(|(name, _)| name.clone()).collect(),
            which: if told.everything { Which::Any } else { Which::These(told.conversations) },
            marks: told.marks,
            unreadable: told.unreadable,
        }
    }

    fn all(&self) -> Entries {
        std::thread::scope(|scope| {
            scope.spawn(|| self.sources().iter().for_each(|source| source.prepare()));
            let mut entries = Entries::default();
            let mut told: HashMap<ConversationId, Told> = HashMap::new();
            for (name, source) in self.named_sources() {
                match source.summaries() {
                    Ok((summaries, findings)) => {
                        entries.findings.insert(name, findings);
                        listed(&mut told, source, summaries);
                    }
                    Err(error) => entries.unreadable.push(error),
                }
                nested(&mut told, source.nested(), None, &mut entries.unreadable);
            }
            entries.entries = self.entries(told);
            entries
        })
    }

    fn those(&self, ids: &BTreeSet<ConversationId>) -> Entries {
        let mut entries = Entries::default();
        let mut told: HashMap<ConversationId, Told> = HashMap::new();
        for source in self.sources() {
            match source.summaries_of(ids) {
                Ok(summaries) => listed(&mut told, &**source, summaries),
                Err(error) => entries.unreadable.push(error),
            }
        }
        // Looking inside of conversations is dear: only where one of those asked for may be found.
        if ids.iter().any(|id| told.get(id).is_none_or(Told::may_be_nested)) {
            for source in self.sources() {
                nested(&mut told, source.nested(), Some(ids), &mut entries.unreadable);
            }
        }
        entries.entries = self.entries(told);
        entries
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
        asked.map(|(name, source)| Some((name, source.summaries().ok()?.1))).collect()
    }
}

impl History {
    fn entries(&self, told: HashMap<ConversationId, Told>) -> Vec<Entry> {
        told.into_values().filter_map(|told| self.entry(told)).collect()
    }

    fn entry(&self, told: Told) -> Option<Entry> {
        if told.nested.is_empty() {
            let listed = self.placed(merge::summaries(told.listed)?);
            return Some(Entry { in_all: listed.clone(), listed: Some(listed) });
        }
        let in_all = merge::summaries(told.listed.iter().cloned().chain(told.nested).collect())?;
        let listed = merge::summaries(told.listed).map(|summary| self.placed(summary));
        Some(Entry { listed, in_all: self.placed(in_all) })
    }

    /// With the workspace that somebody knows who does not otherwise tell of it.
    fn placed(&self, mut summary: Summary) -> Summary {
        if summary.workspace.is_none() {
            summary.workspace = self.belongings().get(&summary.id).cloned();
        }
        summary
    }
}

fn listed(told: &mut HashMap<ConversationId, Told>, source: &dyn Source, summaries: Vec<Summary>) {
    for mut summary in summaries {
        if source.is_backup() {
            merge::mark_deleted(&mut summary);
        }
        told.entry(summary.id.clone()).or_default().listed.push(summary);
    }
}

fn nested(
    told: &mut HashMap<ConversationId, Told>,
    found: Result<Vec<Summary>, SourceError>,
    wanted: Option<&BTreeSet<ConversationId>>,
    unreadable: &mut Vec<SourceError>,
) {
    match found {
        Ok(summaries) => {
            let is_wanted = |summary: &Summary| wanted.is_none_or(|ids| ids.contains(&summary.id));
            for summary in summaries.into_iter().filter(is_wanted) {
                told.entry(summary.id.clone()).or_default().nested.push(summary);
            }
        }
        Err(error) => unreadable.push(error),
    }
}
