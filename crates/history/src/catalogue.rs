//! Which store of which source has which conversation, so that loading one goes straight to its stores.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use backscroll_model::{CatalogueEntry, ConversationId, FragmentKind, Layer, Source, SourceId};

/// An entry, and the number of the source that it is of.
pub(crate) type Located = (usize, CatalogueEntry);

/// The catalogues of all sources, made once.
pub(crate) struct Catalogue {
    by_id: HashMap<ConversationId, Vec<Located>>,
    /// Plans and spilled output, by the names of their files. Few conversations name any.
    files: OnceLock<BTreeMap<String, Located>>,
    /// The conversations that the editor's sources hold, and those of each workspace and of each of their stores.
    of_editor: BTreeSet<ConversationId>,
    by_workspace: HashMap<String, BTreeSet<ConversationId>>,
    by_store: HashMap<Arc<Path>, BTreeSet<ConversationId>>,
    /// Sources whose catalogue cannot be read.
    pub(crate) unreadable: Vec<usize>,
    /// Agents inside of stores, which opening every store costs to find.
    inside: OnceLock<HashMap<ConversationId, Vec<Located>>>,
}

/// Longer chains of parents are taken for a mistake.
const DEEPEST: usize = 32;

impl Catalogue {
    pub(crate) fn new(sources: &[Box<dyn Source>]) -> Self {
        let mut catalogue = Self {
            by_id: HashMap::new(),
            files: OnceLock::new(),
            of_editor: BTreeSet::new(),
            by_workspace: HashMap::new(),
            by_store: HashMap::new(),
            unreadable: Vec::new(),
            inside: OnceLock::new(),
        };
        for (number, source) in sources.iter().enumerate() {
            if source.id().kind == SourceId::HOME_FILES {
                continue;
            }
            match source.catalogue() {
                Ok(entries) => {
                    let is_of_editor = matches!(source.id().layer, Layer::IdeGlobal | Layer::IdeWorkspace);
                    for entry in entries {
                        if is_of_editor && entry.kind != FragmentKind::Prompts {
                            catalogue.add_of_editor(&entry);
                        }
                        catalogue.by_id.entry(entry.id.clone()).or_default().push((number, entry));
                    }
                }
                Err(_) => catalogue.unreadable.push(number),
            }
        }
        catalogue
    }

    fn add_of_editor(&mut self, entry: &CatalogueEntry) {
        self.of_editor.insert(entry.id.clone());
        self.by_store.entry(Arc::clone(&entry.store)).or_default().insert(entry.id.clone());
        if let Some(workspace) = &entry.workspace {
            self.by_workspace.entry(workspace.clone()).or_default().insert(entry.id.clone());
        }
    }

    /// The entries of a conversation, in the order of the sources.
    pub(crate) fn of(&self, id: &ConversationId) -> &[Located] {
        self.by_id.get(id).map(Vec::as_slice).unwrap_or_default()
    }

    /// The conversations whose ids begin with `beginning`.
    pub(crate) fn ids(&self, beginning: &str) -> HashSet<ConversationId> {
        let is_account = |located: &Located| located.1.kind != FragmentKind::Evidence;
        let found = self
            .by_id
            .iter()
            .filter(|(id, located)| id.as_str().starts_with(beginning) && located.iter().any(is_account));
        found.map(|(id, _)| id.clone()).collect()
    }

    /// Every entry of one source.
    pub(crate) fn of_source(&self, number: usize) -> Vec<&CatalogueEntry> {
        let all = self.by_id.values().flatten();
        all.filter(|(source, _)| *source == number).map(|(_, entry)| entry).collect()
    }

    /// The entries of stored prompts.
    pub(crate) fn prompts(&self) -> impl Iterator<Item = &CatalogueEntry> {
        self.by_id
            .values()
            .flatten()
            .map(|(_, entry)| entry)
            .filter(|entry| entry.kind == FragmentKind::Prompts)
    }

    /// The conversations of the editor beside stored prompts. Prompts of no workspace may have been typed in any.
    pub(crate) fn beside(&self, prompts: &CatalogueEntry) -> BTreeSet<&ConversationId> {
        if prompts.workspace.is_some() { self.named_beside(prompts) } else { self.of_editor.iter().collect() }
    }

    /// The conversations that the store of prompts names, and those of the same workspace, as an index of conversations has
    /// it.
    pub(crate) fn named_beside(&self, prompts: &CatalogueEntry) -> BTreeSet<&ConversationId> {
        let of_workspace = prompts.workspace.as_ref().and_then(|workspace| self.by_workspace.get(workspace));
        let in_store = self.by_store.get(&prompts.store);
        of_workspace.into_iter().chain(in_store).flatten().collect()
    }

    /// Plans and spilled output, by the names of their files.
    pub(crate) fn files(&self, sources: &[Box<dyn Source>]) -> &BTreeMap<String, Located> {
        self.files.get_or_init(|| {
            let mut files = BTreeMap::new();
            let homes =
                sources.iter().enumerate().filter(|(_, source)| source.id().kind == SourceId::HOME_FILES);
            for (number, source) in homes {
                // Nothing is opened for this catalogue, so that nothing can be unreadable; a file that is, is reported.
                for entry in source.catalogue().unwrap_or_default() {
                    files.insert(entry.id.as_str().to_owned(), (number, entry));
                }
            }
            files
        })
    }

    /// All agents inside of stores. It costs opening every store that may hold any.
    pub(crate) fn inside(&self, sources: &[Box<dyn Source>]) -> &HashMap<ConversationId, Vec<Located>> {
        self.inside.get_or_init(|| {
            let mut inside: HashMap<ConversationId, Vec<Located>> = HashMap::new();
            for (number, source) in sources.iter().enumerate() {
                for entry in source.agents_inside(&self.of_source(number)) {
                    inside.entry(entry.id.clone()).or_default().push((number, entry));
                }
            }
            inside
        })
    }

    /// Where a conversation is, for loading it. One that only a transcript has, as a subagent, may also lie inside of the
    /// store of the conversation that started it; one that nothing lists, inside of any.
    pub(crate) fn locate(&self, id: &ConversationId, sources: &[Box<dyn Source>]) -> Vec<Located> {
        let mut located = self.of(id).to_vec();
        let is_evidence = |located: &Located| located.1.kind == FragmentKind::Evidence;
        if located.iter().all(is_evidence) {
            located.extend(self.inside(sources).get(id).into_iter().flatten().cloned());
        } else if let Some(parent) = parent_by_transcript(&located, sources) {
            located.extend(self.inside_of_ancestors(id, parent, sources));
        }
        located
    }

    fn inside_of_ancestors(
        &self,
        id: &ConversationId,
        parent: ConversationId,
        sources: &[Box<dyn Source>],
    ) -> Vec<Located> {
        let mut ancestor = Some(parent);
        for _ in 0..DEEPEST {
            let Some(started_by) = ancestor else { break };
            let mut found = Vec::new();
            for (number, entry) in self.of(&started_by) {
                let inside = sources[*number].agents_inside(&[entry]).into_iter();
                found.extend(inside.filter(|inside| inside.id == *id).map(|inside| (*number, inside)));
            }
            if !found.is_empty() {
                return found;
            }
            ancestor = self.of(&started_by).iter().find_map(|(_, entry)| entry.parent.clone());
        }
        Vec::new()
    }
}

/// The parent of a conversation that only transcripts have.
fn parent_by_transcript(located: &[Located], sources: &[Box<dyn Source>]) -> Option<ConversationId> {
    let mut accounts = located.iter().filter(|(_, entry)| entry.kind == FragmentKind::Account);
    let is_transcript = |(number, _): &Located| sources[*number].id().layer == Layer::TranscriptJsonl;
    if !accounts.clone().all(is_transcript) {
        return None;
    }
    accounts.find_map(|(_, entry)| entry.parent.clone())
}
