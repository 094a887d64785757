//! What whoever starts the server must be able to do: open the history as it is now, tell how its stores are, and keep a
//! search index of them.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use backscroll_history::{History, Index, IndexError};
use backscroll_model::Contents;
use backscroll_render::SourceReport;

use crate::desk::Desk;
use crate::edition::Edition;

/// The stores behind the pages.
pub trait Stores: Send + Sync {
    /// The history as it is now. Asked again whenever a store has changed.
    fn open(&self) -> History;

    /// What is to be told of each place that `history` reads.
    fn reports(&self, history: &History) -> Vec<SourceReport>;

    /// What the store at `file`, which a report names, is made of; else why that cannot be told. Takes a while for a
    /// large one that has changed since it was last asked for.
    fn contents(&self, file: &Path) -> Result<Contents, String>;

    /// Brings the search index up to date with `history`; `progress` is told how many conversations of how many are done.
    fn refresh_index(
        &self,
        history: &History,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<(), IndexError>;

    /// The search index as it stands; `None` if there is none.
    fn index(&self) -> Result<Option<Index>, IndexError>;
}

/// What was told of the stores of the last edition that somebody asked for.
#[derive(Debug, Default)]
pub(crate) struct Reported(Mutex<Option<(u64, Arc<[SourceReport]>)>>);

impl Desk {
    /// What is to be told of each store, as `edition` has them. Told once for each: it looks at every file.
    pub(crate) fn reports(&self, edition: &Edition) -> Arc<[SourceReport]> {
        let kept = || self.reported.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, told)) = kept().as_ref().filter(|(number, _)| *number == edition.number) {
            return Arc::clone(told);
        }
        let told: Arc<[SourceReport]> = self.stores.reports(&edition.history).into();
        *kept() = Some((edition.number, Arc::clone(&told)));
        told
    }
}
