//! What whoever starts the server must be able to do: open the history as it is now, tell how its stores are, and keep a
//! search index of them.

use backscroll_history::{History, Index, IndexError};
use backscroll_render::SourceReport;

/// The stores behind the pages.
pub trait Stores: Send + Sync {
    /// The history as it is now. Asked again whenever a store has changed.
    fn open(&self) -> History;

    /// What is to be told of each place that `history` reads.
    fn reports(&self, history: &History) -> Vec<SourceReport>;

    /// Brings the search index up to date with `history`; `progress` is told how many conversations of how many are done.
    fn refresh_index(
        &self,
        history: &History,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<(), IndexError>;

    /// The search index as it stands; `None` if there is none.
    fn index(&self) -> Result<Option<Index>, IndexError>;
}
