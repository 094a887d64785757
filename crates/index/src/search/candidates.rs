//! The rows that answer a question, and how they are grouped by conversation.

use std::cmp::Ordering;
use std::collections::HashMap;

use backscroll_model::Role;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::answer::{Order, Rung};
use super::expression;
use super::plan::{Condition, Plan};
use crate::fields::Field;
use crate::{IndexError, codes};

/// Ranking costs something for each match. Beyond this many, only the newest are ranked, and titles; unless all are asked
/// for.
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

const SELECTED: &str = "SELECT r.row, c.number, m.role, coalesce(m.at, c.recency, c.created_at)";

/// The rows that answer `plan` in full, newest first: all of them, or so many that ranking them is worth it.
pub(super) fn find(connection: &Connection, plan: &Plan, is_all: bool) -> Result<Candidates, IndexError> {
    let most = if is_all { usize::MAX - 1 } else { RANKED };
    let Some(expression) = plan.expression() else {
        return without_words(connection, plan, most);
    };
    if plan.is_hopeless() {
        return Ok(Candidates::default());
    }
    let mut rows = newest(connection, plan, &expression, None, most + 1)?;
    let is_cut = rows.len() > most;
    rows.truncate(most);
    if let (true, Some(last)) = (is_cut && plan.has_titles(), rows.last()) {
        // A title is the best match there is, however old.
        let in_titles = expression::within(&expression, &[Field::Title]);
        rows.extend(newest(connection, plan, &in_titles, Some(last.row), TITLES)?);
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
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    // Without a limit of its own SQLite takes the order of a part of a join for an idle wish, and drops it.
    let sql = format!(
        "{SELECTED}
         FROM (SELECT rowid AS row FROM words WHERE words MATCH ? {older} ORDER BY rowid DESC LIMIT -1) r {JOINED}
         {} LIMIT {limit}",
        where_clause(&plan.condition)
    );
    let first = std::iter::once(Value::Text(expression.to_owned())).chain(before.map(Value::Integer));
    rows(connection, &sql, first.chain(plan.condition.values.iter().cloned()))
}

/// Those of `numbers` for which `condition` holds.
pub(super) fn among(
    connection: &Connection,
    numbers: &[i64],
    condition: &Condition,
) -> Result<Vec<Candidate>, IndexError> {
    let list: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    let sql = format!(
        "{SELECTED} FROM (SELECT value AS row FROM json_each(?)) r {JOINED} {}",
        where_clause(condition)
    );
    let first = std::iter::once(Value::Text(format!("[{}]", list.join(","))));
    rows(connection, &sql, first.chain(condition.values.iter().cloned()))
}

/// Messages of which only facts are asked, newest first.
fn without_words(connection: &Connection, plan: &Plan, most: usize) -> Result<Candidates, IndexError> {
    let sql = format!(
        "SELECT r.row, c.number, r.role, coalesce(r.at, c.recency, c.created_at)
         FROM message r CROSS JOIN message m ON m.row = r.row CROSS JOIN conversation c ON c.number = r.conversation
         {} ORDER BY r.row DESC LIMIT {}",
        where_clause(&plan.condition),
        i64::try_from(most + 1).unwrap_or(i64::MAX)
    );
    let mut rows = rows(connection, &sql, plan.condition.values.iter().cloned())?;
    let is_cut = rows.len() > most;
    rows.truncate(most);
    Ok(Candidates { rows, is_cut })
}

/// How many conversations and rows answer `plan` in full, all of them.
pub(super) fn count(connection: &Connection, plan: &Plan) -> Result<(usize, usize), IndexError> {
    let (from, first) = if let Some(expression) = plan.expression() {
        let from = format!("(SELECT rowid AS row FROM words WHERE words MATCH ?) r {JOINED}");
        (from, Some(Value::Text(expression)))
    } else {
        let from = "message r CROSS JOIN message m ON m.row = r.row
                    CROSS JOIN conversation c ON c.number = r.conversation";
        (from.to_owned(), None)
    };
    let sql =
        format!("SELECT count(DISTINCT c.number), count(*) FROM {from} {}", where_clause(&plan.condition));
    let values = first.into_iter().chain(plan.condition.values.iter().cloned());
    let mut statement = connection.prepare(&sql)?;
    let counted = statement
        .query_row(params_from_iter(values), |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?;
    let size = |number: i64| usize::try_from(number).unwrap_or(0);
    Ok((size(counted.0), size(counted.1)))
}

fn where_clause(condition: &Condition) -> String {
    if condition.sql.is_empty() { String::new() } else { format!("WHERE {}", condition.sql) }
}

fn rows(
    connection: &Connection,
    sql: &str,
    values: impl Iterator<Item = Value>,
) -> Result<Vec<Candidate>, IndexError> {
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_map(params_from_iter(values), |row| {
        let role: Option<i64> = row.get(2)?;
        Ok(Candidate {
            row: row.get(0)?,
            conversation: row.get(1)?,
            role: role.map(codes::of_code),
            at: row.get(3)?,
        })
    })?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// A conversation and its rows, best first.
#[derive(Debug)]
pub(super) struct Grouped {
    pub(super) conversation: i64,
    pub(super) rung: Rung,
    pub(super) score: f64,
    pub(super) rows: Vec<(Candidate, f64)>,
    /// Things asked for that it does not have.
    pub(super) missing: Vec<String>,
}

/// The rows of each conversation, in no order.
pub(super) fn by_conversation(
    candidates: &[Candidate],
    rung: Rung,
    mut score: impl FnMut(&Candidate) -> f64,
) -> Vec<Grouped> {
    let mut groups: HashMap<i64, Grouped> = HashMap::new();
    for candidate in candidates {
        let conversation = candidate.conversation;
        let empty = || Grouped { conversation, rung, score: 0.0, rows: Vec::new(), missing: Vec::new() };
        let score = score(candidate);
        groups.entry(conversation).or_insert_with(empty).rows.push((*candidate, score));
    }
    groups.into_values().collect()
}

/// Puts groups and the rows in them into `order`. Equal ones stand by number, so that the order never depends on the run.
pub(super) fn sort(groups: &mut [Grouped], order: Order) {
    for group in groups.iter_mut() {
        group.rows.sort_by(|a, b| compare(a, b, order));
    }
    groups.sort_by(|a, b| {
        let by_order = match order {
            Order::Relevance => b.score.total_cmp(&a.score),
            Order::Newest | Order::Oldest => compare(&a.rows[0], &b.rows[0], order),
        };
        a.rung.cmp(&b.rung).then(by_order).then(b.conversation.cmp(&a.conversation))
    });
}

fn compare(a: &(Candidate, f64), b: &(Candidate, f64), order: Order) -> Ordering {
    match order {
        Order::Relevance => b.1.total_cmp(&a.1).then(b.0.row.cmp(&a.0.row)),
        Order::Newest => b.0.at.cmp(&a.0.at).then(b.0.row.cmp(&a.0.row)),
        Order::Oldest => {
            (a.0.at.is_none(), a.0.at).cmp(&(b.0.at.is_none(), b.0.at)).then(a.0.row.cmp(&b.0.row))
        }
    }
}
