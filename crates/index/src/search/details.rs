//! What the reader is told of a conversation and of a hit, looked up for the few that are shown.

use std::path::Path;

use backscroll_model::{ConversationId, Layer, MessageId, Moment, Origin, Role, Summary};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row};

use super::answer::Hit;
use crate::IndexError;
use crate::codes;
use crate::names::Named;
use crate::stored;

/// What a listing tells of the conversation.
pub(super) fn summary(connection: &Connection, conversation: i64) -> Result<Summary, IndexError> {
    let sql = "SELECT coalesce(summary, summary_all) FROM conversation WHERE number = ?";
    let json: Option<String> = connection.prepare_cached(sql)?.query_row([conversation], |row| row.get(0))?;
    stored::summary_from_json(&json.unwrap_or_default())
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
    let found = connection.prepare_cached(&format!("{MESSAGE} WHERE m.row = ?"))?;
    if let Some(told) = told(found, row)? {
        return told.hit(conversation.0, false, score);
    }
    let draft = "SELECT draft FROM conversation WHERE number = ?";
    let draft: Option<String> =
        connection.prepare_cached(draft)?.query_row([conversation.1], |row| row.get(0))?;
    let first = connection.prepare_cached(&format!("{MESSAGE} WHERE m.conversation = ? AND m.number = 0"))?;
    match told(first, conversation.1)? {
        Some(told) => Ok(Hit { draft, ..told.hit(conversation.0, true, score)? }),
        None => Ok(Hit {
            conversation: conversation.0.clone(),
            message: None,
            number: 0,
            is_title: true,
            draft,
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
    let found = statement.query_map((conversation.1, first, last), Told::read)?;
    found.map(|told| told?.hit(conversation.0, false, 0.0)).collect()
}

struct Told {
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

fn told(mut statement: rusqlite::CachedStatement<'_>, key: i64) -> Result<Option<Told>, IndexError> {
    Ok(statement.query_row([key], Told::read).optional()?)
}

impl Told {
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
        Ok(Hit {
            conversation: conversation.clone(),
            message: Some(MessageId::new(self.id)),
            number: u64::try_from(self.number).unwrap_or(0),
            is_title,
            draft: None,
            is_orphan: self.state & codes::state::ORPHAN != 0,
            role: codes::role_of(self.role),
            at: Moment { at, is: codes::at_is_of(self.at_is) },
            origin: Some(Origin::new(Layer::named(&self.layer)?, Path::new(&self.file), self.key)),
            score,
        })
    }
}
