//! What tests ask of one source.

use backscroll_history::source_summaries;
use backscroll_model::{Catalogued, Finding, Fragment, Scope, Source, Summary};

/// What the stores of a source have of a conversation.
pub(crate) fn fragments(source: &dyn Source, id: &str) -> Vec<Fragment> {
    let own = catalogued(source).into_iter().map(|one| one.entry).filter(|entry| entry.id.as_str() == id);
    own.flat_map(|entry| source.load(&entry, Scope::Whole).unwrap()).collect()
}

/// The catalogues of all stores of a source.
pub(crate) fn catalogued(source: &dyn Source) -> Vec<Catalogued> {
    let stores = source.stores().value.into_iter();
    stores.flat_map(|store| source.catalogue(&store.path, None).unwrap().entries).collect()
}

/// What a source alone has of each conversation, in order of id, and what is wrong with the place.
pub(crate) fn listing(source: &dyn Source) -> (Vec<Summary>, Vec<Finding>) {
    let listed = source_summaries(source).unwrap();
    (listed.value, listed.findings)
}
