//! Search by characters: reads the messages in which they may stand, newest conversation first, until enough are found.

use backscroll_index::Index;
use backscroll_index::search::{Exact, Matcher, Note, Request, Scanned, Total, snippet_of_conversation};
use backscroll_model::{FoundConversation, FoundHit, Hit, Rung, Snippet, Summary};

use super::reader::MessageReader;
use super::{Found, SearchError, Showing, read_back};
use crate::History;

/// From this many messages on, reading the whole conversation is cheaper than each message.
const MANY: usize = 4;

impl History {
    /// The newest conversations, or the oldest, that hold `exact`, of which the facts in `request` hold. `progress` is called with how far it is.
    pub fn search_exact(
        &self,
        index: &Index,
        exact: &Exact,
        request: &Request,
        showing: Showing,
        progress: &mut dyn FnMut(Scanned),
    ) -> Result<Found, SearchError> {
        let matcher = exact.matcher(&request.ask);
        let wanted = request.ask.offset.saturating_add(request.ask.limit.unwrap_or(usize::MAX));
        let mut conversations: Vec<(Summary, Vec<(Hit, Snippet)>)> = Vec::new();
        let (mut is_cut, mut unread) = (false, 0);
        index.scan(exact, request, &mut |summary, candidates, scanned| {
            progress(scanned);
            let hits = self.matching(summary, candidates, &matcher, showing.room, &mut unread);
            if !hits.is_empty() {
                conversations.push((summary.clone(), hits));
            }
            is_cut = conversations.len() >= wanted && scanned.done + 1 < scanned.of;
            conversations.len() < wanted
        })?;
        let hits = conversations.iter().map(|(_, hits)| hits.len()).sum();
        let total = Total { conversations: conversations.len(), hits, at_least: is_cut };
        let mut found = Found { total, ..Found::default() };
        if unread > 0 {
            found.notes.push(Note::Unread(unread));
        }
        let mut reader = MessageReader::new(self);
        for (summary, hits) in conversations.into_iter().skip(request.ask.offset) {
            let more = hits.len().saturating_sub(request.hits);
            let shown = hits.into_iter().take(request.hits).map(|(hit, snippet)| {
                let nearby = read_back::nearby(&mut reader, index, &hit, showing.context)?;
                Ok(FoundHit { hit, snippet: Some(snippet), nearby })
            });
            let hits = shown.collect::<Result<_, SearchError>>()?;
            found.conversations.push(FoundConversation {
                summary,
                hits,
                more,
                rung: Rung::All,
                missing: Vec::new(),
                corrected: Vec::new(),
            });
        }
        Ok(found)
    }

    fn matching(
        &self,
        summary: &Summary,
        candidates: &[Hit],
        matcher: &Matcher,
        room: usize,
        unread: &mut usize,
    ) -> Vec<(Hit, Snippet)> {
        let mut reader = MessageReader::new(self);
        if candidates.len() >= MANY {
            reader.read_whole(&summary.id);
        }
        let mut shown = |hit: &Hit| {
            if hit.is_title {
                return snippet_of_conversation(summary, hit, matcher, room);
            }
            let (shown, is_read) = read_back::excerpt(&mut reader, hit, matcher, room);
            // Whether it holds what is asked for cannot be told: not in silence.
            *unread += usize::from(!is_read);
            shown
        };
        let found = candidates.iter().filter_map(|hit| {
            let shown = shown(hit)?;
            (!shown.marks.is_empty()).then(|| (read_back::spoken(hit.clone(), Some(&shown)), shown))
        });
        found.collect()
    }
}
