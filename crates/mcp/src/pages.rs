//! The pages of a search: every conversation that answers is on one of them, once.
//!
//! The index ranks the newest matches of a frequent word and leaves the others. So the ranked conversations come first, and behind
//! them all others that have all words, the newest first.

use std::collections::HashSet;
use std::fmt;

use backscroll_history::{Ask, Index, IndexError, Order, RANKED, Request, Total};
use backscroll_model::{ConversationId, FoundConversation, Rung};

use crate::answer::ToolError;

/// Where a page begins: what a cursor says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    /// This far among the ranked conversations.
    Ranked(usize),
    /// This far among all conversations, the newest first; ranked ones are passed over.
    Older(usize),
}

const OLDER: &str = "older-";

impl Position {
    /// What a cursor says; the beginning without one.
    pub(crate) fn parse(cursor: Option<&str>) -> Result<Self, ToolError> {
        match cursor.and_then(|cursor| cursor.trim().strip_prefix(OLDER)) {
            Some(older) => offset(Some(older)).map(Self::Older),
            None => offset(cursor).map(Self::Ranked),
        }
    }
}

/// How far a plain list has come.
pub(crate) fn offset(cursor: Option<&str>) -> Result<usize, ToolError> {
    let wrong = |_| ToolError::new("`cursor` must be a `next_cursor` that this tool gave.");
    cursor.map_or(Ok(0), |cursor| cursor.trim().parse().map_err(wrong))
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ranked(at) => write!(f, "{at}"),
            Self::Older(at) => write!(f, "{OLDER}{at}"),
        }
    }
}

/// One page: what to ask for, and what to leave out of the answer.
#[derive(Debug)]
pub(crate) struct Page {
    begin: Position,
    pub(crate) request: Request,
    /// On pages behind the ranked conversations: those, and where the others end.
    older: Option<(HashSet<ConversationId>, usize)>,
}

impl Page {
    /// The page at `begin`, with at most `most` conversations.
    pub(crate) fn new(
        index: &Index,
        begin: Position,
        most: usize,
        request: &Request,
    ) -> Result<Self, IndexError> {
        let asked = |offset, limit, order| Request {
            ask: Ask { offset, limit: Some(limit), order, ..request.ask.clone() },
            ..request.clone()
        };
        match begin {
            // The index answers a request for more than it ranks in another order.
            Position::Ranked(at) => {
                let limit = if at < RANKED { most.min(RANKED - at) } else { most };
                let request = asked(at, limit, request.ask.order);
                Ok(Self { begin, request, older: None })
            }
            Position::Older(at) => {
                let ids = |request| -> Result<Vec<ConversationId>, IndexError> {
                    let answer = index.search(&Request { hits: 1, ..request })?;
                    let full = answer.groups.into_iter().filter(|group| group.rung == Rung::All);
                    Ok(full.map(|group| group.summary.id).collect())
                };
                let earlier: HashSet<_> = ids(asked(0, RANKED, request.ask.order))?.into_iter().collect();
                // This many hold a whole page of conversations that are not ranked, or all that are left.
                let all = ids(asked(at, RANKED + most, Order::Newest))?;
                let mut wanted =
                    all.iter().enumerate().filter(|(_, id)| !earlier.contains(*id)).map(|(at, _)| at);
                let first = wanted.next().unwrap_or(all.len());
                let last = wanted.take(most.saturating_sub(1)).last().unwrap_or(first);
                let request = asked(at + first, last - first + 1, Order::Newest);
                Ok(Self {
                    begin: Position::Older(at + first),
                    request,
                    older: Some((earlier, at + all.len())),
                })
            }
        }
    }

    /// Whether this conversation of the answer does not belong here: it was on a page before, or has only some of the words where
    /// more conversations have all of them than were ranked.
    pub(crate) fn leaves_out(&self, one: &FoundConversation, total: Total) -> bool {
        let was_before = self.older.as_ref().is_some_and(|(earlier, _)| earlier.contains(&one.summary.id));
        was_before || (one.rung != Rung::All && (total.at_least || self.older.is_some()))
    }

    /// Where the next page begins, after the first `done` conversations of the answer; `None` if there is nothing more.
    pub(crate) fn next(&self, done: usize, total: Total) -> Option<Position> {
        match self.begin {
            Position::Ranked(at) => {
                let (end, ranked) = (at + done, if total.at_least { RANKED } else { usize::MAX });
                if end < total.conversations.min(ranked) {
                    Some(Position::Ranked(end))
                } else {
                    total.at_least.then_some(Position::Older(0))
                }
            }
            Position::Older(at) => {
                let end = self.older.as_ref().map_or(0, |(_, end)| *end);
                (at + done < end).then_some(Position::Older(at + done))
            }
        }
    }
}
