//! How conversations come into the index: made ready beside each other, written by one.

mod in_order;
mod ledger;
mod prepare;
mod writer;

pub(crate) use in_order::{Weighs, in_order};
pub(crate) use ledger::Ledger;
pub(crate) use prepare::{Known, Prepared, known, prepare};
pub(crate) use writer::{Writer, row_count};
