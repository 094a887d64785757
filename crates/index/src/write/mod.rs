//! How conversations come into the index: made ready beside each other, written by one.

mod in_order;
mod insert;
mod known;
mod ledger;
mod links;
mod message_rows;
mod prepare;
mod shared_names;

pub(crate) use in_order::in_order;
pub(crate) use insert::Writer;
pub(crate) use known::{Known, known};
pub(crate) use ledger::{Ledger, marks, sources_with_unknown_findings};
pub(crate) use prepare::{Prepared, fingerprint, prepare};
