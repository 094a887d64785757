//! Which conversations are asked for, and which they are: the whole state of the search page stands in its address.

mod answer;
mod parameters;

pub(crate) use answer::{Answer, Facet, Wrong, answer, found, listing};
pub(crate) use parameters::SearchParameters;
