//! Which conversations are asked for, and which they are: the whole state of the search page stands in its address.

mod answer;
mod answers;
mod asked;
mod finder;

pub(crate) use answer::{Answer, Facet, Wrong, answer, found, listing};
pub(crate) use answers::{Answers, CountedFacets};
pub(crate) use asked::Asked;
pub(crate) use finder::Finder;
