//! An answer counted by facts: what one might narrow it down to.

use std::collections::{BTreeMap, HashMap, HashSet};

use backscroll_model::Role;
use jiff::Timestamp;
use rusqlite::Connection;

use super::candidates::Candidate;
use crate::IndexError;

/// One value of a fact, and how many conversations of the answer have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facet {
    /// The value, such as a path or a name.
    pub value: String,
    /// How many conversations.
    pub count: usize,
}

/// An answer counted by facts, most frequent first; months latest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facets {
    /// By path of the workspace.
    pub workspaces: Vec<Facet>,
    /// By surface.
    pub surfaces: Vec<Facet>,
    /// By model.
    pub models: Vec<Facet>,
    /// By tool used.
    pub tools: Vec<Facet>,
    /// By role of the message that matched: messages, not conversations.
    pub roles: Vec<Facet>,
    /// By month of the message that matched, in UTC: messages, not conversations.
    pub months: Vec<Facet>,
}

/// Counts `rows`.
pub(super) fn of(connection: &Connection, rows: &[Candidate]) -> Result<Facets, IndexError> {
    let conversations: HashSet<i64> = rows.iter().map(|row| row.conversation).collect();
    let mut numbers: Vec<String> = conversations.iter().map(ToString::to_string).collect();
    numbers.sort_unstable();
    let among = numbers.join(",");
    let counted = |sql: &str| counted(connection, &sql.replace("AMONG", &among));
    Ok(Facets {
        workspaces: counted(
            "SELECT workspace, count(*) FROM conversation WHERE number IN (AMONG) GROUP BY 1",
        )?,
        surfaces: counted("SELECT surface, count(*) FROM conversation WHERE number IN (AMONG) GROUP BY 1")?,
        models: counted(
            "SELECT o.name, count(*) FROM conversation_model b JOIN model o ON o.number = b.model
             WHERE b.conversation IN (AMONG) GROUP BY 1",
        )?,
        tools: counted(
            "SELECT t.name, count(DISTINCT b.conversation) FROM call b JOIN tool t ON t.number = b.tool
             WHERE b.conversation IN (AMONG) GROUP BY 1",
        )?,
        roles: by_role(rows),
        months: by_month(rows),
    })
}

fn counted(connection: &Connection, sql: &str) -> Result<Vec<Facet>, IndexError> {
    let mut statement = connection.prepare(sql)?;
    let found =
        statement.query_map([], |row| Ok((row.get::<_, Option<String>>(0)?, row.get::<_, i64>(1)?)))?;
    let mut facets = Vec::new();
    for one in found {
        let (value, count) = one?;
        if let Some(value) = value {
            facets.push(Facet { value, count: usize::try_from(count).unwrap_or(0) });
        }
    }
    facets.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
    Ok(facets)
}

fn by_role(rows: &[Candidate]) -> Vec<Facet> {
    let mut counts: HashMap<Role, usize> = HashMap::new();
    rows.iter().filter_map(|row| row.role).for_each(|role| *counts.entry(role).or_default() += 1);
    let mut facets: Vec<Facet> =
        counts.into_iter().map(|(role, count)| Facet { value: role.name().to_owned(), count }).collect();
    facets.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
    facets
}

fn by_month(rows: &[Candidate]) -> Vec<Facet> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for at in rows.iter().filter_map(|row| row.at).filter_map(|at| Timestamp::from_millisecond(at).ok()) {
        *counts.entry(at.strftime("%Y-%m").to_string()).or_default() += 1;
    }
    counts.into_iter().rev().map(|(value, count)| Facet { value, count }).collect()
}
