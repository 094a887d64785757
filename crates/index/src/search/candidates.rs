//! The rows that answer a question, and how they are grouped by conversation.

use std::cmp::{Ordering, Reverse};
use std::collections::{HashMap, HashSet};

use backscroll_model::{Role, Rung};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::expression;
use super::plan::{Condition, Plan};
use crate::fields::Field;
use crate::query::Order;
use crate::{IndexError, codes};

/// Ranking costs something for each match. Beyond this many, only the newest are ranked, and titles; unless all are asked
/// for.
pub const RANKED: usize = 1_000;

/// This many older titles are ranked besides.
const TITLES: usize = 100;

/// One row that matched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) row: i64,
    pub(super) conversation: i64,
    /// `None` for a title.
    pub(super) role: Option<Role>,
    pub(super) at: Option<i64>,
    /// Its number in the conversation; of a title, -1.
    number: i64,
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

const SELECTED: &str =
    "SELECT r.row, c.number, m.role, coalesce(m.at, c.recency, c.created_at), coalesce(m.number, -1)";

/// Rows that match some words.
const MATCHING: &str = "FROM (SELECT rowid AS row FROM words WHERE words MATCH ?) r";

/// The rows that answer `plan` in full: all of them, or the newest, as many as are worth ranking.
pub(super) fn find(connection: &Connection, plan: &Plan, is_all: bool) -> Result<Candidates, IndexError> {
    let most = if is_all { usize::MAX } else { RANKED };
    let Some(expression) = plan.expression() else {
        return Ok(Candidates { rows: without_words(connection, plan)?, is_cut: false });
    };
    if plan.is_hopeless() {
        return Ok(Candidates::default());
    }
    let mut rows = matching(connection, plan, &expression)?;
    let is_cut = rows.len() > most;
    if is_cut {
        rows = newest(connection, rows, most)?;
        if plan.has_titles() {
            // A title is the best match there is, however old.
            let known: HashSet<i64> = rows.iter().map(|row| row.row).collect();
            let titles = matching(connection, plan, &expression::within(&expression, &[Field::Title]))?;
            let titles = newest(connection, titles, TITLES)?;
            rows.extend(titles.into_iter().filter(|title| !known.contains(&title.row)));
        }
    }
    Ok(Candidates { rows, is_cut })
}

/// All rows that match.
fn matching(connection: &Connection, plan: &Plan, expression: &str) -> Result<Vec<Candidate>, IndexError> {
    let sql = format!("{SELECTED} {MATCHING} {JOINED} {}", where_clause(&plan.condition));
    let first = std::iter::once(Value::Text(expression.to_owned()));
    rows(connection, &sql, first.chain(plan.condition.values.iter().cloned()))
}

/// The newest of `rows`, by their time. Which of equal ones they are does not depend on when they were indexed.
fn newest(
    connection: &Connection,
    mut rows: Vec<Candidate>,
    most: usize,
) -> Result<Vec<Candidate>, IndexError> {
    if rows.len() <= most {
        return Ok(rows);
    }
    rows.select_nth_unstable_by_key(most, |row| Reverse(row.at));
    let last = rows[most].at;
    let (mut newer, tied): (Vec<Candidate>, Vec<Candidate>) =
        rows.into_iter().filter(|row| row.at >= last).partition(|row| row.at > last);
    let mut of_each = by_conversation(&tied, Rung::All, |_| 0.0);
    sort(connection, &mut of_each, Order::Newest)?;
    let tied = of_each.into_iter().flat_map(|group| group.rows).map(|(row, _)| row);
    newer.extend(tied.take(most - newer.len()));
    Ok(newer)
}

/// The newest rows with `expression`, as a JSON array.
pub(super) fn newest_of(
    connection: &Connection,
    expression: &str,
    most: usize,
) -> Result<String, IndexError> {
    let sql = format!("{SELECTED} {MATCHING} {JOINED}");
    let all = rows(connection, &sql, std::iter::once(Value::Text(expression.to_owned())))?;
    Ok(json_array(newest(connection, all, most)?.iter().map(|row| row.row)))
}

fn json_array(numbers: impl Iterator<Item = i64>) -> String {
    let list: Vec<String> = numbers.map(|number| number.to_string()).collect();
    format!("[{}]", list.join(","))
}

/// Those of `numbers` for which `condition` holds.
pub(super) fn among(
    connection: &Connection,
    numbers: &[i64],
    condition: &Condition,
) -> Result<Vec<Candidate>, IndexError> {
    let sql = format!(
        "{SELECTED} FROM (SELECT value AS row FROM json_each(?)) r {JOINED} {}",
        where_clause(condition)
    );
    let first = std::iter::once(Value::Text(json_array(numbers.iter().copied())));
    rows(connection, &sql, first.chain(condition.values.iter().cloned()))
}

/// All messages of which only facts are asked.
fn without_words(connection: &Connection, plan: &Plan) -> Result<Vec<Candidate>, IndexError> {
    let sql = format!(
        "{SELECTED} FROM message r CROSS JOIN message m ON m.row = r.row
         CROSS JOIN conversation c ON c.number = r.conversation {}",
        where_clause(&plan.condition)
    );
    rows(connection, &sql, plan.condition.values.iter().cloned())
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
            number: row.get(4)?,
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

/// Puts groups and the rows in them into `order`. Equal ones stand by id, so that the order never depends on the run or on when
/// something was indexed.
pub(super) fn sort(connection: &Connection, groups: &mut [Grouped], order: Order) -> Result<(), IndexError> {
    for group in groups.iter_mut() {
        group.rows.sort_by(|a, b| compare(a, b, order));
    }
    let compared = |a: &Grouped, b: &Grouped| {
        let by_order = match order {
            Order::Relevance => b.score.total_cmp(&a.score),
            _ => compare_times(&a.rows[0].0, &b.rows[0].0, order),
        };
        a.rung.cmp(&b.rung).then(by_order)
    };
    groups.sort_by(compared);
    let mut find = connection.prepare_cached("SELECT id FROM conversation WHERE number = ?1")?;
    for equal in groups.chunk_by_mut(|a, b| compared(a, b).is_eq()).filter(|equal| equal.len() > 1) {
        let mut ids: HashMap<i64, String> = HashMap::new();
        for group in equal.iter() {
            ids.insert(group.conversation, find.query_row([group.conversation], |row| row.get(0))?);
        }
        equal.sort_by(|a, b| ids[&a.conversation].cmp(&ids[&b.conversation]));
    }
    Ok(())
}

/// The order of two rows of one conversation.
fn compare(a: &(Candidate, f64), b: &(Candidate, f64), order: Order) -> Ordering {
    match order {
        Order::Relevance => b.1.total_cmp(&a.1).then(b.0.at.cmp(&a.0.at)).then(b.0.number.cmp(&a.0.number)),
        Order::Oldest => compare_times(&a.0, &b.0, order).then(a.0.number.cmp(&b.0.number)),
        _ => compare_times(&a.0, &b.0, order).then(b.0.number.cmp(&a.0.number)),
    }
}

/// What has no time stands last.
fn compare_times(a: &Candidate, b: &Candidate, order: Order) -> Ordering {
    match order {
        Order::Oldest => (a.at.is_none(), a.at).cmp(&(b.at.is_none(), b.at)),
        _ => b.at.cmp(&a.at),
    }
}
