//! What changed since the sources were last looked at, over all of them.

use std::collections::{BTreeMap, BTreeSet};

use backscroll_model::{Changes, ConversationId, Mark, Source, SourceError};

use crate::history::History;

/// What changed, and how far the sources were read.
#[derive(Debug, Default)]
pub struct Changed {
    /// Conversations that came, changed or went: asking for one of them tells which it is.
    pub conversations: BTreeSet<ConversationId>,
    /// Anything else may have changed too: nothing was known, a source is gone, or one cannot tell. Then all
    /// conversations are to be looked at, those that were known and those that are there.
    pub everything: bool,
    /// Where each source stands now, by its name. To be kept once the conversations above have been read.
    pub marks: BTreeMap<String, Mark>,
    /// Names of sources that were not there before.
    pub new: Vec<String>,
    /// Names of sources that are not there any more.
    pub gone: Vec<String>,
    /// Sources that cannot be read now. Their marks are the old ones, so that nothing is missed.
    pub unreadable: Vec<SourceError>,
}

impl Changed {
    /// Whether nothing happened at all.
    pub fn is_nothing(&self) -> bool {
        !self.everything && self.conversations.is_empty()
    }
}

impl History {
    /// What changed since `marks` were made. To be asked first of a history whose sources were just looked for: what
    /// is read afterwards is then never older than the new marks.
    pub fn changes(&self, marks: &BTreeMap<String, Mark>) -> Changed {
        // Without any source there is nothing that could have changed.
        let is_first = marks.is_empty() && !self.sources().is_empty();
        let mut changed = Changed { everything: is_first, ..Changed::default() };
        for (name, source) in self.named_sources() {
            let known = marks.get(&name);
            let before = Mark::before_anything();
            // What a new source tells came since; where nothing at all is known, that is said once for all.
            let since = known.or((!marks.is_empty()).then_some(&before));
            if known.is_none() {
                changed.new.push(name.clone());
            }
            match source.changes(since) {
                Ok(Changes::Nothing) => changed.marks.extend(since.map(|mark| (name, mark.clone()))),
                Ok(Changes::These { conversations, mark }) => {
                    changed.conversations.extend(conversations);
                    changed.marks.insert(name, mark);
                }
                Ok(Changes::Anything { mark }) => {
                    changed.everything = true;
                    changed.marks.insert(name, mark);
                }
                Err(error) => {
                    changed.unreadable.push(error);
                    changed.marks.extend(known.map(|mark| (name, mark.clone())));
                }
            }
        }
        let there: BTreeSet<String> = self.named_sources().into_iter().map(|(name, _)| name).collect();
        changed.gone = marks.keys().filter(|name| !there.contains(*name)).cloned().collect();
        changed.everything |= !changed.gone.is_empty();
        changed
    }

    /// The sources, each under a name that is the same in every run.
    pub(crate) fn named_sources(&self) -> Vec<(String, &dyn Source)> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut named = Vec::new();
        for source in self.sources() {
            let backup = if source.is_backup() { " backup" } else { "" };
            let name = format!("{}{backup} {}", source.kind(), source.place().display());
            let count = seen.entry(name.clone()).or_default();
            *count += 1;
            let name = if *count > 1 { format!("{name} ({count})") } else { name };
            named.push((name, source.as_ref()));
        }
        named
    }
}
