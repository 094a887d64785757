//! What tests ask of one source.

use backscroll_history::source_summaries;
use backscroll_model::{Finding, Fragment, Scope, Source, Summary};

/// What the stores of a source have of a conversation.
pub(crate) fn fragments(source: &dyn Source, id: &str) -> Vec<Fragment> {
    let entries = source.catalogue().unwrap();
    let own = entries.iter().filter(|entry| entry.id.as_str() == id);
    own.flat_map(|entry| source.load(entry, Scope::Whole).unwrap()).collect()
}

/// What a source alone has of each conversation, in order of id, and what is wrong with the place.
pub(crate) fn listing(source: &dyn Source) -> (Vec<Summary>, Vec<Finding>) {
    let listed = source_summaries(source).unwrap();
    (listed.value, listed.findings)
}
