//! What is found, wherever it was looked for.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use backscroll_history::{Found, QueryError};
use backscroll_model::Summary;
use maud::Markup;

use super::finder::Standing;
use super::{Asked, Facet, full_text, listing};
use crate::desk::Desk;
use crate::edition::Edition;
use crate::problem::Problem;

/// One conversation of the answer, and what was found in it.
#[derive(Debug)]
pub(crate) struct Hit {
    pub(crate) summary: Summary,
    pub(crate) found: Vec<Markup>,
}

/// What is found.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) hits: Vec<Hit>,
    /// How many conversations there are in all.
    pub(crate) total: usize,
    /// There are more: not all were looked at.
    pub(crate) is_at_least: bool,
    pub(crate) facets: Vec<Facet>,
    /// Where to go on, if there is more.
    pub(crate) next: Option<usize>,
    /// What the reader should know of the answer.
    pub(crate) note: Option<String>,
    /// The question cannot be understood.
    pub(crate) wrong: Option<Wrong>,
    /// The index is still catching up: there may be more in a moment.
    pub(crate) is_growing: bool,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// The question cannot be understood.
    Wrong(Wrong),
    /// There is no index that could be asked.
    NoIndex(Standing),
    /// A store, or the index, cannot be read.
    Broken(String),
}

/// What is wrong with a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) says: String,
    /// What would be right.
    pub(crate) hint: String,
    /// Where, in bytes of the query.
    pub(crate) at: Range<usize>,
}

impl From<NoAnswer> for Problem {
    fn from(why: NoAnswer) -> Self {
        match &why {
            NoAnswer::Wrong(_) => Self::bad_request(why.to_string()),
            NoAnswer::NoIndex(_) | NoAnswer::Broken(_) => Self::no_search(why.to_string()),
        }
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong(Wrong { says, hint, .. }) => write!(f, "{says}; {hint}"),
            Self::NoIndex(standing) => {
                f.write_str(standing.note().as_deref().unwrap_or("There is no search index."))
            }
            Self::Broken(why) => f.write_str(why),
        }
    }
}

/// The answer to `asked`: out of the index where there are words or facts of messages, else out of the listing.
pub(crate) fn answer(desk: &Desk, edition: &Arc<Edition>, asked: &Asked) -> Arc<Answer> {
    desk.answers.get(edition.number, asked, &desk.clock.now(), || newly_found(desk, edition, asked))
}

/// The answer, and whether it will stay the same: what an index finds that is still catching up is not the whole.
fn newly_found(desk: &Desk, edition: &Arc<Edition>, asked: &Asked) -> (Answer, bool) {
    if !asked.needs_index() {
        return (listing::listing(edition, asked, desk.clock.now().time_zone()), true);
    }
    match found(desk, edition, asked, true) {
        Ok((found, standing)) => {
            let mut answer = full_text::answer(found, asked, asked.limit_of(full_text::PAGE));
            answer.note = standing.note().or(answer.note);
            answer.is_growing = standing.is_behind();
            (answer, standing == Standing::Fresh)
        }
        Err(NoAnswer::Wrong(wrong)) => (Answer { wrong: Some(wrong), ..Answer::default() }, false),
        Err(why) => {
            let is_growing = matches!(&why, NoAnswer::NoIndex(standing) if standing.is_behind());
            (Answer { note: Some(why.to_string()), is_growing, ..Answer::default() }, false)
        }
    }
}

/// What the index finds, and how far it is; or why there is no answer. Facets are counted only for those
/// who show them.
pub(crate) fn found(
    desk: &Desk,
    edition: &Arc<Edition>,
    asked: &Asked,
    has_facets: bool,
) -> Result<(Found, Standing), NoAnswer> {
    let now = desk.clock.now();
    let mut request = full_text::request(asked, &now).map_err(|error| NoAnswer::Wrong(wrong(error)))?;
    let (index, standing) = desk.finder.index(&desk.stores, edition);
    let Some(index) = index else {
        return Err(NoAnswer::NoIndex(standing));
    };
    let known = has_facets.then(|| desk.facets.get(edition.number, &request)).flatten();
    request.facets = has_facets && known.is_none();
    let found = edition.history.search(&index, &request, full_text::showing());
    let mut found = found.map_err(|error| NoAnswer::Broken(error.to_string()))?;
    match (known, &found.facets) {
        (Some(known), _) => found.facets = Some(known),
        // What an index counts that is still catching up is not the whole.
        (None, Some(counted)) if standing == Standing::Fresh => {
            desk.facets.keep(edition.number, &request, counted);
        }
        (None, _) => {}
    }
    Ok((found, standing))
}

fn wrong(error: QueryError) -> Wrong {
    Wrong { says: error.trouble.to_string(), hint: error.trouble.hint(), at: error.at }
}
