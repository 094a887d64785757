//! A question and its answer: what is asked of the index, how the answer is found from beginning to end, and what is
//! looked up for the few conversations and hits that are shown.

use std::collections::HashMap;
use std::path::Path;

use backscroll_model::{
    ConversationId, Hit, Layer, MessageId, Moment, Named as _, Origin, Role, Rung, Summary,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rusqlite::{Connection, Row};

use super::candidates::{Candidate, Grouped, RANKED};
use super::facets::Facets;
use super::ladder::Answered;
use super::matcher::Matcher;
use super::plan::Plan;
use super::{candidates, facets, ladder, plan};
use crate::database::Statements as _;
use crate::query::Ask;
use crate::{Index, IndexError, codes};

/// A question and how much of the answer is wanted.
#[derive(Debug, Clone)]
pub struct Request {
    /// What is asked.
    pub ask: Ask,
    /// How many hits of each conversation at most.
    pub hits: usize,
    /// Count the answer by workspace, surface, model, tool, role and month.
    pub facets: bool,
    /// What time it is: of equal matches the newer stands first.
    pub now: Timestamp,
    /// Where months are counted as they begin there.
    pub zone: TimeZone,
}

impl Request {
    /// Three hits of each conversation; months in UTC.
    pub fn new(ask: Ask, now: Timestamp) -> Self {
        Self { ask, hits: 3, facets: false, now, zone: TimeZone::UTC }
    }

    /// The maximum number of conversations.
    pub(super) fn limit(&self) -> usize {
        self.ask.limit.unwrap_or(usize::MAX)
    }
}

/// What was found.
#[derive(Debug)]
pub struct Answer {
    /// The conversations, in the asked order.
    pub groups: Vec<Group>,
    /// How much there is in all.
    pub total: Total,
    /// What the reader should know about the way in which it was found.
    pub notes: Vec<Note>,
    /// The answer counted by facts, if that was asked for.
    pub facets: Option<Facets>,
    /// What finds the words again in a message.
    pub matcher: Matcher,
}

/// How much was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Total {
    /// Conversations.
    pub conversations: usize,
    /// Messages and titles.
    pub hits: usize,
    /// There are more: only the newest were looked at.
    pub at_least: bool,
}

/// Something the reader should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The words stand in very many messages; only this many of the newest were ranked.
    NewestOnly(usize),
    /// No message holds all the words; these conversations do.
    ConversationWide,
    /// Nothing has all the words; these conversations have the most telling of them.
    SomeWords,
    /// The index does not have the first; the second was looked for.
    Corrected(String, String),
    /// The number of messages that may match and could not be read back to check.
    Unread(usize),
}

/// One conversation and what matched in it.
#[derive(Debug)]
pub struct Group {
    /// The conversation.
    pub summary: Summary,
    /// How well it answers.
    pub rung: Rung,
    /// Words asked for that it does not have.
    pub missing: Vec<String>,
    /// Words that the index does not have, and what was found instead.
    pub corrected: Vec<(String, String)>,
    /// The best hits, best first.
    pub hits: Vec<Hit>,
    /// How many more there are.
    pub more: usize,
}

impl Index {
    /// The conversations that answer `request`.
    pub fn search(&self, request: &Request) -> Result<Answer, IndexError> {
        let (plan, found) = self.found(request)?;
        let corrected = plan.corrections();
        let mut notes: Vec<Note> = Vec::new();
        for (typed, meant) in plan.corrected.iter().chain(&corrected) {
            notes.push(Note::Corrected(typed.clone(), meant.clone()));
        }
        match found.groups.first().map(|group| group.rung) {
            Some(Rung::Conversation) => notes.push(Note::ConversationWide),
            Some(Rung::Some) => notes.push(Note::SomeWords),
            _ if found.is_cut => notes.push(Note::NewestOnly(RANKED)),
            _ => {}
        }
        let total = total(&found);
        let facets = if request.facets { Some(self.facets_of(&found, request)?) } else { None };
        let shown: Vec<&Grouped> =
            found.groups.iter().skip(request.ask.offset).take(request.limit()).collect();
        let mut groups = Vec::new();
        for (number, group) in shown.iter().enumerate() {
            let next = shown.get(number + 1).map_or(0.0, |next| next.score.min(group.score));
            groups.push(self.group(group, next, &corrected, request.hits)?);
        }
        let matcher = Matcher::new(&request.ask, &plan.sought());
        Ok(Answer { groups, total, notes, facets, matcher })
    }

    /// What answers `request`. Where nothing was said at the time that is all it asks for, the words that name the time are
    /// looked for.
    fn found(&self, request: &Request) -> Result<(Plan, Answered), IndexError> {
        let connection = self.connection();
        let mut plan = plan::plan(connection, &request.ask)?;
        let mut found = ladder::climb(connection, &plan, request)?;
        if plan.is_only_time && found.groups.is_empty() {
            plan = plan::plan(connection, &Ask { times: Vec::new(), ..request.ask.clone() })?;
            found = ladder::climb(connection, &plan, request)?;
        }
        if request.ask.order.is_by_head() {
            let mut heads = HashMap::new();
            for group in &found.groups {
                heads.insert(group.conversation, summary(connection, group.conversation)?);
            }
            found.groups.sort_by(|a, b| {
                let (a, b) = (&heads[&a.conversation], &heads[&b.conversation]);
                request.ask.order.compare(a, b).then_with(|| a.id.cmp(&b.id))
            });
        }
        Ok((plan, found))
    }

    /// How many conversations and messages answer `request`, all of them counted.
    pub fn count(&self, request: &Request) -> Result<Total, IndexError> {
        let plan = plan::plan(self.connection(), &request.ask)?;
        let (conversations, hits) = candidates::count(self.connection(), &plan)?;
        if hits > 0 {
            return Ok(Total { conversations, hits, at_least: false });
        }
        let ask = Ask { limit: None, offset: 0, ..request.ask.clone() };
        let (_, found) = self.found(&Request { ask, ..request.clone() })?;
        Ok(Total { at_least: !found.groups.is_empty(), ..total(&found) })
    }

    /// The messages of a conversation from number `first` to `last`, without scores.
    pub fn messages(&self, id: &ConversationId, first: u64, last: u64) -> Result<Vec<Hit>, IndexError> {
        let number = self.number_of(id)?;
        let bound = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        number.map_or(Ok(Vec::new()), |number| {
            messages(self.connection(), (id, number), bound(first), bound(last))
        })
    }

    /// The number of a conversation in the tables.
    pub(super) fn number_of(&self, id: &ConversationId) -> Result<Option<i64>, IndexError> {
        let sql = "SELECT number FROM conversation WHERE id = ?";
        self.connection().one(sql, [id.as_str()], |row| row.get(0))
    }

    /// The conversation with its first hits. The scores fall from its own to that of the `next`.
    fn group(
        &self,
        group: &Grouped,
        next: f64,
        corrected: &[(String, String)],
        hits: usize,
    ) -> Result<Group, IndexError> {
        let summary = summary(self.connection(), group.conversation)?;
        let shown: Vec<i64> = group.rows.iter().take(hits.max(1)).map(|(row, _)| row.row).collect();
        #[expect(clippy::cast_precision_loss, reason = "a score needs no more")]
        let step = (group.score - next) / (shown.len() + 1) as f64;
        let mut score = group.score + step;
        let each = shown.iter().map(|row| {
            score -= step;
            hit(self.connection(), (&summary.id, group.conversation), *row, score)
        });
        let hits = each.collect::<Result<Vec<Hit>, IndexError>>()?;
        let is_found = |(typed, _): &&(String, String)| !group.missing.contains(typed);
        Ok(Group {
            more: group.rows.len() - hits.len(),
            rung: group.rung,
            missing: group.missing.clone(),
            corrected: corrected.iter().filter(is_found).cloned().collect(),
            hits,
            summary,
        })
    }

    fn facets_of(&self, found: &Answered, request: &Request) -> Result<Facets, IndexError> {
        let rows: Vec<Candidate> =
            found.groups.iter().flat_map(|group| group.rows.iter().map(|(row, _)| *row)).collect();
        facets::facets(self.connection(), &rows, &request.zone)
    }
}

fn total(found: &Answered) -> Total {
    let hits = found.groups.iter().map(|group| group.rows.len()).sum();
    Total { conversations: found.groups.len(), hits, at_least: found.is_cut }
}

/// What a listing says about the conversation.
pub(super) fn summary(connection: &Connection, conversation: i64) -> Result<Summary, IndexError> {
    let sql = "SELECT summary FROM conversation WHERE number = ?";
    let json: Option<String> = connection.prepare_cached(sql)?.query_row([conversation], |row| row.get(0))?;
    Ok(serde_json::from_str(&json.unwrap_or_default())?)
}

const MESSAGE: &str = "SELECT m.id, m.number, m.role, m.at, m.at_is, p.layer, p.file, m.key, m.state
     FROM message m JOIN place p ON p.number = m.place";

/// The hit at `row` of a conversation; of a title or draft, the first message stands for it.
pub(super) fn hit(
    connection: &Connection,
    conversation: (&ConversationId, i64),
    row: i64,
    score: f64,
) -> Result<Hit, IndexError> {
    let at_row = format!("{MESSAGE} WHERE m.row = ?");
    if let Some(found) = connection.one(&at_row, [row], FoundMessage::read)? {
        return found.hit(conversation.0, false, score);
    }
    let own = "SELECT draft, noted FROM conversation WHERE number = ?";
    let (draft, noted): (Option<String>, Option<String>) =
        connection.prepare_cached(own)?.query_row([conversation.1], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let first = format!("{MESSAGE} WHERE m.conversation = ? AND m.number = 0");
    match connection.one(&first, [conversation.1], FoundMessage::read)? {
        Some(found) => Ok(Hit { draft, noted, ..found.hit(conversation.0, true, score)? }),
        None => Ok(Hit {
            conversation: conversation.0.clone(),
            message: None,
            number: 0,
            is_title: true,
            draft,
            noted,
            is_orphan: false,
            role: Role::User,
            at: Moment::default(),
            origin: None,
            score,
        }),
    }
}

/// The origins of all messages of a conversation, in order.
pub(super) fn messages(
    connection: &Connection,
    conversation: (&ConversationId, i64),
    first: i64,
    last: i64,
) -> Result<Vec<Hit>, IndexError> {
    let sql = format!("{MESSAGE} WHERE m.conversation = ? AND m.number BETWEEN ? AND ? ORDER BY m.number");
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_map((conversation.1, first, last), FoundMessage::read)?;
    found.map(|found| found?.hit(conversation.0, false, 0.0)).collect()
}

struct FoundMessage {
    id: String,
    number: i64,
    role: i64,
    at: Option<i64>,
    at_is: i64,
    layer: String,
    file: String,
    key: String,
    state: i64,
}

impl FoundMessage {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            number: row.get(1)?,
            role: row.get(2)?,
            at: row.get(3)?,
            at_is: row.get(4)?,
            layer: row.get(5)?,
            file: row.get(6)?,
            key: row.get(7)?,
            state: row.get(8)?,
        })
    }

    fn hit(self, conversation: &ConversationId, is_title: bool, score: f64) -> Result<Hit, IndexError> {
        let at = self.at.and_then(|at| Timestamp::from_millisecond(at).ok());
        let layer = Layer::from_name(&self.layer)
            .ok_or_else(|| IndexError::Damaged(format!("`{}` is unknown", self.layer)))?;
        Ok(Hit {
            conversation: conversation.clone(),
            message: Some(MessageId::new(self.id)),
            number: u64::try_from(self.number).unwrap_or(0),
            is_title,
            draft: None,
            noted: None,
            is_orphan: self.state & codes::state::ORPHAN != 0,
            role: codes::of_code(self.role),
            at: Moment { at, is: codes::of_code(self.at_is) },
            origin: Some(Origin::new(layer, Path::new(&self.file), self.key)),
            score,
        })
    }
}
