//! How conversations come into the index: made ready beside each other, written by one.

mod ledger;
mod prepare;
mod writer;

use backscroll_model::OrderedQueue;

pub(crate) use ledger::Ledger;
pub(crate) use prepare::{Known, Prepared, known, prepare};
pub(crate) use writer::{Writer, row_count};

/// Threads that read stores and make words, beside the one that writes.
pub(crate) const QUEUE: OrderedQueue =
    OrderedQueue { workers: 2, pieces_ahead: 64, bytes_ahead: 24 * 1024 * 1024 };
