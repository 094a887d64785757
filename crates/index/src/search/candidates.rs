//! The rows that answer a question, how much each weighs, and how they are grouped by conversation. Where no single message
//! has all words, one conversation may.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use backscroll_model::Role;
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::answer::Order;
use super::expression;
use super::plan::Plan;
use crate::fields::Field;
use crate::{IndexError, codes};

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

/// Gives each of `rows`, newest first, its relevance.
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
        "SELECT rowid, -bm25(words, {COLUMN_WEIGHTS}) FROM words WHERE words MATCH ? AND rowid >= ? ORDER BY rowid"
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
            role: role.map(codes::of_code),
            at: row.get(3)?,
            relevance: 0.0,
        })
    })?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// The rows that hold any of the words, of conversations that hold each of them.
pub(super) fn find_conversation_wide(
    connection: &Connection,
    plan: &Plan,
    is_ranked: bool,
) -> Result<Candidates, IndexError> {
    if plan.conjuncts.len() < 2 {
        return Ok(Candidates::default());
    }
    let mut common: Option<HashSet<i64>> = None;
    for conjunct in &plan.conjuncts {
        let here = conversations(connection, conjunct)?;
        let both: HashSet<i64> = match common {
            Some(common) => common.intersection(&here).copied().collect(),
            None => here,
        };
        if both.is_empty() {
            return Ok(Candidates::default());
        }
        common = Some(both);
    }
    let common = common.unwrap_or_default();
    let mut numbers: Vec<String> = common.iter().map(ToString::to_string).collect();
    numbers.sort_unstable();
    let mut wide = Plan {
        expression: Some(plan.conjuncts.join(" OR ")),
        conjuncts: Vec::new(),
        condition: plan.condition.clone(),
    };
    let among = format!("c.number IN ({})", numbers.join(","));
    wide.condition.sql =
        if wide.condition.sql.is_empty() { among } else { format!("({}) AND {among}", wide.condition.sql) };
    find(connection, &wide, is_ranked)
}

fn conversations(connection: &Connection, expression: &str) -> Result<HashSet<i64>, IndexError> {
    let sql = "SELECT coalesce(m.conversation, (SELECT t.number FROM conversation t WHERE t.title_row = r.row))
               FROM (SELECT rowid AS row FROM words WHERE words MATCH ?) r LEFT JOIN message m ON m.row = r.row";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_map([expression], |row| row.get::<_, Option<i64>>(0))?;
    let numbers: Result<Vec<Option<i64>>, _> = found.collect();
    Ok(numbers?.into_iter().flatten().collect())
}

/// Weights of the columns of `words` for the engine's own measure, in their order: a title counts most, a tool's output
/// least.
const COLUMN_WEIGHTS: &str = "9.0, 4.0, 1.5, 1.5, 0.7, 2.5, 1.0, 0.7";

/// A match this old weighs three quarters of a new one.
const HALF_WAY_DAYS: f64 = 120.0;

/// What age takes away at most.
const LOST_BY_AGE: f64 = 0.5;

const MILLISECONDS_A_DAY: f64 = 86_400_000.0;

/// The weight of a match: `relevance` as the engine gives it, who spoke, and how long ago.
pub(super) fn score(relevance: f64, role: Option<Role>, age_milliseconds: Option<i64>) -> f64 {
    relevance.max(1e-6) * of_role(role) * of_age(age_milliseconds)
}

fn of_role(role: Option<Role>) -> f64 {
    match role {
        // A title has no role.
        None | Some(Role::User) => 1.25,
        Some(Role::Assistant) => 1.0,
        Some(Role::Tool) => 0.7,
        Some(Role::System) => 0.2,
    }
}

fn of_age(milliseconds: Option<i64>) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a weight needs no milliseconds")]
    let days = milliseconds.map_or(f64::MAX, |age| age.max(0) as f64 / MILLISECONDS_A_DAY);
    1.0 - LOST_BY_AGE * (days / (days + HALF_WAY_DAYS)).min(1.0)
}

/// The weight of a conversation: its best match, and a little for each other.
fn of_conversation(best: f64, others: usize) -> f64 {
    let others = u32::try_from(others).unwrap_or(u32::MAX);
    best * (1.0 + 0.08 * f64::from(others).ln_1p())
}

/// A conversation and its rows, best first.
#[derive(Debug)]
pub(super) struct Grouped {
    pub(super) conversation: i64,
    pub(super) score: f64,
    pub(super) rows: Vec<(Candidate, f64)>,
}

/// The conversations of `candidates` in `order`. Equal ones stand by number, so that the order never depends on the run.
pub(super) fn grouped(candidates: &[Candidate], order: Order, now: Timestamp) -> Vec<Grouped> {
    let mut groups: HashMap<i64, Grouped> = HashMap::new();
    for candidate in candidates {
        let age = candidate.at.map(|at| now.as_millisecond().saturating_sub(at));
        let score = score(candidate.relevance, candidate.role, age);
        let empty = || Grouped { conversation: candidate.conversation, score: 0.0, rows: Vec::new() };
        groups.entry(candidate.conversation).or_insert_with(empty).rows.push((*candidate, score));
    }
    let mut groups: Vec<Grouped> = groups.into_values().collect();
    for group in &mut groups {
        group.rows.sort_by(|a, b| compare(a, b, order));
        let best = group.rows.iter().map(|(_, score)| *score).fold(0.0, f64::max);
        group.score = of_conversation(best, group.rows.len() - 1);
    }
    groups.sort_by(|a, b| {
        let by_order = match order {
            Order::Relevance => b.score.total_cmp(&a.score),
            Order::Newest | Order::Oldest => compare(&a.rows[0], &b.rows[0], order),
        };
        by_order.then(b.conversation.cmp(&a.conversation))
    });
    groups
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_and_the_users_own_words_weigh_more() {
        let day = |days: i64| Some(days * 86_400_000);
        let user = |age| score(1.0, Some(Role::User), age);
        assert!(user(day(1)) > user(day(30)));
        assert!(user(day(30)) > user(day(3000)));
        assert!(user(day(3000)) > user(None) * 0.99);
        assert!(user(day(1)) > score(1.0, Some(Role::Assistant), day(1)));
        assert!(score(3.0, Some(Role::Assistant), day(900)) > user(day(0)), "relevance leads");
        assert!(user(day(-5)) <= 1.25, "the future is not newer than now");
        assert!(of_conversation(1.0, 20) < 1.5 && of_conversation(1.0, 1) > 1.0);
    }
}
