//! Which conversations are asked for, and which they are: the whole state of the search page stands in its address.

mod answer;
mod answers;
mod asked;
mod counted_facets;
mod facet;
mod finder;
mod full_text;
mod listing;
mod opened;

pub(crate) use answer::{Answer, Hit, Wrong, answer, found};
pub(crate) use answers::Answers;
pub(crate) use asked::Asked;
pub(crate) use counted_facets::CountedFacets;
pub(crate) use facet::{Choice, Facet};
pub(crate) use finder::Finder;
pub(crate) use listing::listing;
