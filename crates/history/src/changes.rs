//! What changed since the sources were last looked at, over all of them.

use std::collections::{BTreeMap, BTreeSet};

use backscroll_model::{CatalogueEntry, Changes, ConversationId, Mark, SourceError};

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
            // What a new source has came since; where nothing at all is known, that is said once for all.
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
        if !changed.everything && !changed.conversations.is_empty() {
            let prompts = self.prompts_beside(&changed.conversations);
            changed.conversations.extend(prompts);
        }
        changed
    }

    /// The stored prompts beside these conversations: which of them are left depends on what the conversations hold. Prompts of
    /// no workspace may have been typed in any; beside those that their store names, they are compared again when it
    /// changes.
    fn prompts_beside(&self, ids: &BTreeSet<ConversationId>) -> Vec<ConversationId> {
        let catalogue = self.catalogue();
        // The workspace of a conversation that is gone is not known any more.
        let is_any_gone = ids.iter().any(|id| catalogue.of(id).is_empty());
        let is_concerned = |prompts: &&CatalogueEntry| {
            is_any_gone || catalogue.named_beside(prompts).iter().any(|id| ids.contains(*id))
        };
        catalogue.prompts().filter(is_concerned).map(|prompts| prompts.id.clone()).collect()
    }
}
