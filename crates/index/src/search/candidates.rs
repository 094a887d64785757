//! The rows that answer a question, with what ranking needs to know of each.

use backscroll_model::Role;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::plan::Plan;
use super::{expression, rank};
use crate::IndexError;
use crate::codes;
use crate::fields::Field;

/// Ranking costs something for each match. Beyond this many, only the newest are ranked, and titles.
pub(super) const RANKED: usize = 1_000;

/// So many older titles are ranked besides.
const TITLES: usize = 100;

/// One row that matched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) row: i64,
    pub(super) conversation: i64,
    /// `None` for a title.
    pub(super) role: Option<Role>,
    pub(super) at: Option<i64>,
    pub(super) relevance: f64,
}

/// What was found, and whether there is more.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub(super) rows: Vec<Candidate>,
    pub(super) is_cut: bool,
}

/// A row with its message, if it is not a title, and its conversation.
const JOINED: &str = "
    LEFT JOIN message m ON m.row = r.row
    CROSS JOIN conversation c ON c.number =
        coalesce(m.conversation, (SELECT t.number FROM conversation t WHERE t.title_row = r.row))";

/// The newest rows that answer `plan`, ranked if `is_ranked`.
pub(super) fn find(connection: &Connection, plan: &Plan, is_ranked: bool) -> Result<Candidates, IndexError> {
    let Some(expression) = &plan.expression else {
        return without_words(connection, plan);
    };
    let mut rows = newest(connection, plan, expression, None, RANKED + 1)?;
    let is_cut = rows.len() > RANKED;
    rows.truncate(RANKED);
    if is_ranked {
        weigh(connection, expression, &mut rows)?;
    }
    if let (true, true, Some(last)) = (is_ranked, is_cut, rows.last()) {
        // A title is the best match there is, however old.
        let in_titles = expression::within(expression, &[Field::Title]);
        let mut titles = newest(connection, plan, &in_titles, Some(last.row), TITLES)?;
        weigh(connection, &in_titles, &mut titles)?;
        rows.extend(titles);
    }
    Ok(Candidates { rows, is_cut })
}

/// The newest rows that match, those from `before` on left out.
fn newest(
    connection: &Connection,
    plan: &Plan,
    expression: &str,
    before: Option<i64>,
    limit: usize,
) -> Result<Vec<Candidate>, IndexError> {
    let older = if before.is_some() { "AND rowid < ?" } else { "" };
    // Without a limit of its own SQLite takes the order of a part of a join for an idle wish, and drops it.
    let sql = format!(
        "SELECT r.row, c.number, m.role, coalesce(m.at, c.recency, c.created_at)
         FROM (SELECT rowid AS row FROM words WHERE words MATCH ? {older} ORDER BY rowid DESC LIMIT -1) r {JOINED}
         {} LIMIT {limit}",
        where_clause(plan)
    );
    let first = std::iter::once(Value::Text(expression.to_owned())).chain(before.map(Value::Integer));
    rows(connection, &sql, first.chain(plan.condition.values.iter().cloned()))
}

/// Tells each of `rows`, newest first, how relevant it is.
fn weigh(connection: &Connection, expression: &str, rows: &mut [Candidate]) -> Result<(), IndexError> {
    let Some(last) = rows.last() else { return Ok(()) };
    let relevances = relevances(connection, expression, last.row)?;
    for row in rows {
        let place = relevances.binary_search_by_key(&row.row, |(row, _)| *row);
        row.relevance = place.map_or(0.0, |place| relevances[place].1);
    }
    Ok(())
}

/// How relevant each row from `first` on is, by row.
fn relevances(connection: &Connection, expression: &str, first: i64) -> Result<Vec<(i64, f64)>, IndexError> {
    let sql = format!(
        "SELECT rowid, -bm25(words, {}) FROM words WHERE words MATCH ? AND rowid >= ? ORDER BY rowid",
        rank::COLUMN_WEIGHTS
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_map((expression, first), |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Messages of which only facts are asked, newest first.
fn without_words(connection: &Connection, plan: &Plan) -> Result<Candidates, IndexError> {
    let sql = format!(
        "SELECT r.row, c.number, r.role, coalesce(r.at, c.recency, c.created_at)
         FROM message r CROSS JOIN message m ON m.row = r.row CROSS JOIN conversation c ON c.number = r.conversation
         {} ORDER BY r.row DESC LIMIT {}",
        where_clause(plan),
        RANKED + 1
    );
    let mut rows = rows(connection, &sql, plan.condition.values.iter().cloned())?;
    let is_cut = rows.len() > RANKED;
    rows.truncate(RANKED);
    for row in &mut rows {
        row.relevance = 1.0;
    }
    Ok(Candidates { rows, is_cut })
}

/// How many conversations and rows answer `plan`, all of them.
pub(super) fn count(connection: &Connection, plan: &Plan) -> Result<(usize, usize), IndexError> {
    let (from, first) = if let Some(expression) = &plan.expression {
        let from = format!("(SELECT rowid AS row FROM words WHERE words MATCH ?) r {JOINED}");
        (from, Some(Value::Text(expression.clone())))
    } else {
        let from = "message r CROSS JOIN message m ON m.row = r.row
                    CROSS JOIN conversation c ON c.number = r.conversation";
        (from.to_owned(), None)
    };
    let sql = format!("SELECT count(DISTINCT c.number), count(*) FROM {from} {}", where_clause(plan));
    let values = first.into_iter().chain(plan.condition.values.iter().cloned());
    let mut statement = connection.prepare(&sql)?;
    let counted = statement
        .query_row(params_from_iter(values), |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?;
    let size = |number: i64| usize::try_from(number).unwrap_or(0);
    Ok((size(counted.0), size(counted.1)))
}

fn where_clause(plan: &Plan) -> String {
    if plan.condition.sql.is_empty() { String::new() } else { format!("WHERE {}", plan.condition.sql) }
}

fn rows(
    connection: &Connection,
    sql: &str,
    values: impl Iterator<Item = Value>,
) -> Result<Vec<Candidate>, IndexError> {
    let mut statement = connection.prepare(sql)?;
    let found = statement.query_map(params_from_iter(values), |row| {
        let role: Option<i64> = row.get(2)?;
        Ok(Candidate {
            row: row.get(0)?,
            conversation: row.get(1)?,
            role: role.map(codes::role_of),
            at: row.get(3)?,
            relevance: 0.0,
        })
    })?;
    Ok(found.collect::<Result<_, _>>()?)
}
