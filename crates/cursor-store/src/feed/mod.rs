//! The change feed: which conversations came, changed or went since a source was last looked at.
//!
//! Files are told apart by their stamps ([`stamp`]), so what nobody wrote to is not opened. What was written to is
//! looked into piece by piece ([`ledger`]); the large key-value table has a way of its own ([`state`]).

mod agents;
pub(crate) mod fingerprint;
pub(crate) mod ledger;
mod mark_text;
pub(crate) mod small;
pub(crate) mod stamp;
mod state;
mod state_keys;
mod workspaces;
