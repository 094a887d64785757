//! Answers a question from beginning to end.

use backscroll_model::ConversationId;

use super::answer::{Answer, Group, Hit, Note, Total};
use super::candidates::{self, Candidates, RANKED};
use super::request::{Order, Request};
use super::{conversation_wide, details, facets, grouping, plan};
use crate::{Index, IndexError};

impl Index {
    /// The conversations that answer `request`.
    pub fn search(&self, request: &Request) -> Result<Answer, IndexError> {
        let connection = self.connection();
        let plan = plan::plan(connection, request.ask.root.as_ref(), request.all)?;
        let is_ranked = request.order == Order::Relevance;
        let mut notes = Vec::new();
        let mut found = candidates::find(connection, &plan, is_ranked)?;
        if found.rows.is_empty() {
            found = conversation_wide::find(connection, &plan, is_ranked)?;
            if !found.rows.is_empty() {
                notes.push(Note::ConversationWide);
            }
        }
        if found.is_cut {
            notes.push(Note::NewestOnly(RANKED));
        }
        let groups = grouping::grouped(&found.rows, request.order, request.now);
        let total = Total { conversations: groups.len(), hits: found.rows.len(), at_least: found.is_cut };
        let shown = groups.iter().skip(request.offset).take(request.limit);
        let groups: Result<Vec<Group>, IndexError> =
            shown.map(|group| self.told(group, request.hits)).collect();
        let facets = if request.facets { Some(self.facets_of(&found, request)?) } else { None };
        Ok(Answer { groups: groups?, total, notes, facets })
    }

    /// How many conversations and messages answer `request`, all of them counted.
    pub fn count(&self, request: &Request) -> Result<Total, IndexError> {
        let connection = self.connection();
        let plan = plan::plan(connection, request.ask.root.as_ref(), request.all)?;
        let (conversations, hits) = candidates::count(connection, &plan)?;
        if hits > 0 {
            return Ok(Total { conversations, hits, at_least: false });
        }
        let found = conversation_wide::find(connection, &plan, false)?;
        let groups = grouping::grouped(&found.rows, request.order, request.now);
        Ok(Total { conversations: groups.len(), hits: found.rows.len(), at_least: found.is_cut })
    }

    /// The messages of a conversation from number `first` to `last`, without scores.
    pub fn messages(&self, id: &ConversationId, first: u64, last: u64) -> Result<Vec<Hit>, IndexError> {
        let number = self.number_of(id)?;
        let bound = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        number.map_or(Ok(Vec::new()), |number| {
            details::messages(self.connection(), (id, number), bound(first), bound(last))
        })
    }

    /// The number of a conversation in the tables.
    pub(super) fn number_of(&self, id: &ConversationId) -> Result<Option<i64>, IndexError> {
        use rusqlite::OptionalExtension as _;
        let mut statement =
            self.connection().prepare_cached("SELECT number FROM conversation WHERE id = ?")?;
        Ok(statement.query_row([id.as_str()], |row| row.get(0)).optional()?)
    }

    fn told(&self, group: &grouping::Grouped, hits: usize) -> Result<Group, IndexError> {
        let summary = details::summary(self.connection(), group.conversation)?;
        let shown = group.rows.iter().take(hits.max(1));
        let hits: Result<Vec<Hit>, IndexError> = shown
            .map(|(row, score)| {
                details::hit(self.connection(), (&summary.id, group.conversation), row.row, *score)
            })
            .collect();
        let hits = hits?;
        Ok(Group { more: group.rows.len() - hits.len(), score: group.score, hits, summary })
    }

    fn facets_of(&self, found: &Candidates, request: &Request) -> Result<facets::Facets, IndexError> {
        facets::of(self.connection(), &found.rows, &request.zone)
    }
}
