//! Reads the messages behind hits, and shows why they were found.

use backscroll_index::Index;
use backscroll_index::search::{Hit, Matcher, snippet, snippet_of_title};
use backscroll_model::{Message, Summary};

use super::found::{FoundHit, Nearby, SearchError, Showing};
use crate::History;

/// The hit with its snippet and neighbours.
pub(super) fn told(
    history: &History,
    index: &Index,
    summary: &Summary,
    hit: Hit,
    matcher: &Matcher,
    showing: Showing,
) -> Result<FoundHit, SearchError> {
    let snippet = if hit.is_title {
        summary.title.as_deref().map(|title| snippet_of_title(title, matcher, showing.room))
    } else {
        message(history, &hit).and_then(|message| snippet(&message, matcher, showing.room))
    };
    let nearby = nearby(history, index, &hit, showing.context)?;
    Ok(FoundHit { hit, snippet, nearby })
}

/// The message of `hit`. One that has gone since, or lies in a store that cannot be read now, is shown without its text:
/// the listing tells of the store.
fn message(history: &History, hit: &Hit) -> Option<Message> {
    let origin = hit.origin.as_ref()?;
    history.message(&hit.conversation, origin).ok().flatten()
}

pub(super) fn nearby(
    history: &History,
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
        .filter_map(|other| message(history, other).map(|message| Nearby { number: other.number, message }));
    Ok(read.collect())
}
