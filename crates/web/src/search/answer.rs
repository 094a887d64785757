//! What is found, wherever it was looked for.

use backscroll_model::ConversationId;
use jiff::Zoned;
use maud::Markup;

use super::{Asked, Facet, listing};
use crate::edition::Edition;

/// One conversation of the answer, and what was found in it.
#[derive(Debug)]
pub(crate) struct Hit {
    pub(crate) id: ConversationId,
    pub(crate) found: Vec<Markup>,
}

/// What is found.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) hits: Vec<Hit>,
    /// How many conversations there are in all.
    pub(crate) total: usize,
    pub(crate) facets: Vec<Facet>,
    /// Where to go on, if there is more.
    pub(crate) next: Option<usize>,
    /// What the reader should know of the answer.
    pub(crate) note: Option<String>,
}

/// The answer to `asked`.
pub(crate) fn answer(edition: &Edition, asked: &Asked, now: &Zoned) -> Answer {
    listing::listing(edition, asked, now.time_zone())
}
