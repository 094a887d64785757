//! Shows why a hit was found, and what stands around it.

use backscroll_index::Index;
use backscroll_index::search::{Hit, Matcher, snippet, snippet_of_title};
use backscroll_model::Summary;

use super::found::{FoundHit, Nearby, SearchError, Showing};
use super::reader::Reader;

/// The hit with its snippet and neighbours.
pub(super) fn told(
    reader: &mut Reader<'_>,
    index: &Index,
    summary: &Summary,
    hit: Hit,
    matcher: &Matcher,
    showing: Showing,
) -> Result<FoundHit, SearchError> {
    let snippet = if hit.is_title {
        summary.title.as_deref().map(|title| snippet_of_title(title, matcher, showing.room))
    } else {
        reader.message(&hit).and_then(|message| snippet(&message, matcher, showing.room))
    };
    let nearby = nearby(reader, index, &hit, showing.context)?;
    Ok(FoundHit { hit, snippet, nearby })
}

/// The messages around `hit`.
pub(super) fn nearby(
    reader: &mut Reader<'_>,
    index: &Index,
    hit: &Hit,
    context: u64,
) -> Result<Vec<Nearby>, SearchError> {
    if context == 0 {
        return Ok(Vec::new());
    }
    let (first, last) = (hit.number.saturating_sub(context), hit.number.saturating_add(context));
    let around = index.messages(&hit.conversation, first, last)?;
    let others = around.iter().filter(|other| other.number != hit.number || hit.is_title);
    let read = others
        .filter_map(|other| reader.message(other).map(|message| Nearby { number: other.number, message }));
    Ok(read.collect())
}
