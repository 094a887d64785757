//! What is asked of the index, and how much of the answer is wanted.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::query::Ask;

/// In which order conversations are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Best match first.
    #[default]
    Relevance,
    /// Latest match first.
    Newest,
    /// Earliest match first.
    Oldest,
}

/// A question and how it is to be answered.
#[derive(Debug, Clone)]
pub struct Request {
    /// What is asked.
    pub ask: Ask,
    /// Hidden conversations too: empty, draft, archived, deleted, subagents.
    pub all: bool,
    /// The order of the conversations.
    pub order: Order,
    /// At most so many conversations.
    pub limit: usize,
    /// After leaving out so many.
    pub offset: usize,
    /// At most so many hits of each conversation.
    pub hits: usize,
    /// Count the answer by workspace, surface, model, tool, role and month.
    pub facets: bool,
    /// What time it is: newer matches weigh more.
    pub now: Timestamp,
    /// Where months are counted as they begin there.
    pub zone: TimeZone,
}

impl Request {
    /// The ten best conversations for `ask`, three hits of each; months in UTC.
    pub fn new(ask: Ask, now: Timestamp) -> Self {
        Self {
            ask,
            all: false,
            order: Order::Relevance,
            limit: 10,
            offset: 0,
            hits: 3,
            facets: false,
            now,
            zone: TimeZone::UTC,
        }
    }
}
