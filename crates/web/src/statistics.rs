//! Numbers out of the index, kept until something changes: counting a million messages takes a while.

use std::sync::{Arc, Mutex, PoisonError};

use backscroll_history::{Scope, Statistics};

use crate::desk::Desk;
use crate::edition::Edition;

/// The numbers that were counted last.
#[derive(Debug, Default)]
pub(crate) struct Counted(Mutex<Vec<(u64, Scope, Arc<Statistics>)>>);

/// How many different ones are kept.
const KEPT: usize = 32;

impl Desk {
    /// The numbers of everything, if the index knows this edition already.
    pub(crate) fn statistics_at_hand(&self, edition: &Arc<Edition>) -> Option<Arc<Statistics>> {
        self.finder.knows(edition).then(|| self.statistics(edition, &Scope::default()).0).flatten()
    }

    /// The numbers of what is in `scope`, if there is an index, and what is to be known of them.
    pub(crate) fn statistics(
        &self,
        edition: &Arc<Edition>,
        scope: &Scope,
    ) -> (Option<Arc<Statistics>>, Option<String>) {
        let counted = || self.counted.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_asked =
            |(number, of, _): &&(u64, Scope, Arc<Statistics>)| *number == edition.number && of == scope;
        if let Some((_, _, told)) = counted().iter().find(is_asked) {
            return (Some(Arc::clone(told)), None);
        }
        let (index, standing) = self.finder.index(&self.stores, edition);
        let note = standing.note();
        match index.map(|index| index.statistics(scope, self.clock.now().time_zone())) {
            None => (None, note),
            Some(Err(error)) => (None, Some(error.to_string())),
            Some(Ok(told)) => {
                let told = Arc::new(told);
                if note.is_none() {
                    let mut kept = counted();
                    kept.retain(|(number, _, _)| *number == edition.number);
                    kept.truncate(KEPT - 1);
                    kept.push((edition.number, scope.clone(), Arc::clone(&told)));
                }
                (Some(told), note)
            }
        }
    }
}
