//! The same answers for programs: JSON in the shapes of the outer contract.
//!
//! Lists are arrays; where there is more, the header `Link` leads on, and `X-Total` says how much there is in all.

mod body;
mod conversations;
mod description;
mod search;
mod sources;
mod statistics;

pub(crate) use conversations::{conversation, conversations};
pub(crate) use description::description;
pub(crate) use search::search;
pub(crate) use sources::sources;
pub(crate) use statistics::statistics;
