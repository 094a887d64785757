//! Shows why a hit was found, and what stands around it.

use backscroll_index::Index;
use backscroll_index::search::{DRAFT, Matcher, snippet, snippet_of_conversation};
use backscroll_model::{FoundHit, Hit, Message, Role, Snippet, Summary};

use super::reader::MessageReader;
use super::{SearchError, Showing};

/// The hit with its snippet and neighbours.
pub(super) fn told(
    reader: &mut MessageReader<'_>,
    index: &Index,
    summary: &Summary,
    hit: Hit,
    matcher: &Matcher,
    showing: Showing,
) -> Result<FoundHit, SearchError> {
    let snippet = if hit.is_title {
        snippet_of_conversation(summary, &hit, matcher, showing.room)
    } else {
        excerpt(reader, &hit, matcher, showing.room).0
    };
    let nearby = nearby(reader, index, &hit, showing.context)?;
    Ok(FoundHit { hit: spoken(hit, snippet.as_ref()), snippet, nearby })
}

/// The hit, with the speaker of `snippet`: a draft is the user's, no matter who spoke first.
pub(super) fn spoken(hit: Hit, snippet: Option<&Snippet>) -> Hit {
    let is_draft = snippet.is_some_and(|snippet| snippet.part == DRAFT);
    if is_draft { Hit { role: Role::User, ..hit } } else { hit }
}

/// The stretch of the message that shows best why it was found, and whether the message could be read. Diffs, context and
/// the like may stand in other rows and places: they are asked where the message alone does not show it.
pub(super) fn excerpt(
    reader: &mut MessageReader<'_>,
    hit: &Hit,
    matcher: &Matcher,
    room: usize,
) -> (Option<Snippet>, bool) {
    let Some(alone) = reader.message(hit) else { return (None, false) };
    let shown = snippet(&alone, matcher, room);
    let is_shown = shown.as_ref().is_some_and(|shown| !shown.marks.is_empty());
    if is_shown || matcher.is_idle() {
        return (shown, true);
    }
    let merged = reader.merged_message(hit).and_then(|merged| snippet(&merged, matcher, room));
    (merged.or(shown), true)
}

/// The messages around `hit`.
pub(super) fn nearby(
    reader: &mut MessageReader<'_>,
    index: &Index,
    hit: &Hit,
    context: u64,
) -> Result<Vec<(u64, Message)>, SearchError> {
    if context == 0 {
        return Ok(Vec::new());
    }
    let (first, last) = (hit.number.saturating_sub(context), hit.number.saturating_add(context));
    let around = index.messages(&hit.conversation, first, last)?;
    let others = around.iter().filter(|other| other.number != hit.number || hit.is_title);
    Ok(others.filter_map(|other| Some((other.number, reader.message(other)?))).collect())
}
