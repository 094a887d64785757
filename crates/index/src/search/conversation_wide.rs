//! Words that no single message holds together, but that one conversation does.

use std::collections::HashSet;

use rusqlite::Connection;

use super::candidates::{self, Candidates};
use super::plan::Plan;
use crate::IndexError;

/// The rows that hold any of the words, of conversations that hold each of them.
pub(super) fn find(connection: &Connection, plan: &Plan, is_ranked: bool) -> Result<Candidates, IndexError> {
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
    candidates::find(connection, &wide, is_ranked)
}

fn conversations(connection: &Connection, expression: &str) -> Result<HashSet<i64>, IndexError> {
    let sql = "SELECT coalesce(m.conversation, (SELECT t.number FROM conversation t WHERE t.title_row = r.row))
               FROM (SELECT rowid AS row FROM words WHERE words MATCH ?) r LEFT JOIN message m ON m.row = r.row";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_map([expression], |row| row.get::<_, Option<i64>>(0))?;
    let numbers: Result<Vec<Option<i64>>, _> = found.collect();
    Ok(numbers?.into_iter().flatten().collect())
}
