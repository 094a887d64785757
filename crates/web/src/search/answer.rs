//! What is found, wherever it was looked for.

use std::sync::Arc;

use backscroll_history::{Found, QueryError};
use backscroll_model::Summary;
use maud::Markup;

use super::{Asked, Facet, full_text, listing};
use crate::desk::Desk;
use crate::edition::Edition;

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
        Ok((found, note)) => {
            let mut answer = full_text::answer(found, asked, asked.limit_of(full_text::PAGE));
            let is_whole = note.is_none();
            answer.note = note.or(answer.note);
            (answer, is_whole)
        }
        Err(why) => (Answer { note: Some(why), ..Answer::default() }, false),
    }
}

/// What the index finds, and what is to be known of it; or why there is no answer. Facets are counted only for those
/// who show them.
pub(crate) fn found(
    desk: &Desk,
    edition: &Arc<Edition>,
    asked: &Asked,
    has_facets: bool,
) -> Result<(Found, Option<String>), String> {
    let now = desk.clock.now();
    let mut request = full_text::request(asked, &now).map_err(|error| wrong(&asked.q, &error))?;
    let (index, standing) = desk.finder.index(&desk.stores, edition);
    let note = standing.note();
    let Some(index) = index else {
        return Err(note.unwrap_or_else(|| "There is no search index.".to_owned()));
    };
    let known = has_facets.then(|| desk.facets.get(edition.number, &request)).flatten();
    request.facets = has_facets && known.is_none();
    let mut found =
        edition.history.search(&index, &request, full_text::showing()).map_err(|error| error.to_string())?;
    match (known, &found.facets) {
        (Some(known), _) => found.facets = Some(known),
        // What an index counts that is still catching up is not the whole.
        (None, Some(counted)) if note.is_none() => desk.facets.keep(edition.number, &request, counted),
        (None, _) => {}
    }
    Ok((found, note))
}

/// What is wrong with a query, and where.
fn wrong(query: &str, error: &QueryError) -> String {
    let place = query.get(error.at.clone()).unwrap_or_default().trim();
    if place.is_empty() { error.trouble.to_string() } else { format!("{}: {place}", error.trouble) }
}
