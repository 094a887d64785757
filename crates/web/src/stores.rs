//! What whoever starts the server must be able to do: open the history as it is now, and tell how its stores are.

use backscroll_history::History;
use backscroll_render::SourceReport;

/// The stores behind the pages.
pub trait Stores: Send + Sync {
    /// The history as it is now. Asked again whenever a store has changed.
    fn open(&self) -> History;

    /// What is to be told of each place that `history` reads.
    fn reports(&self, history: &History) -> Vec<SourceReport>;
}
