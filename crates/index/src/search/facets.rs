//! An answer counted by facts: what one might narrow it down to.

use std::collections::{BTreeMap, HashMap, HashSet};

use backscroll_model::Role;
use jiff::tz::TimeZone;
use rusqlite::Connection;

use super::candidates::Candidate;
use crate::IndexError;
use crate::statistics::Months;

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
    /// By role of a message that matched.
    pub roles: Vec<Facet>,
    /// By month of a message that matched.
    pub months: Vec<Facet>,
}

/// Counts `rows`; months as they begin in `zone`.
pub(super) fn facets(
    connection: &Connection,
    rows: &[Candidate],
    zone: &TimeZone,
) -> Result<Facets, IndexError> {
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
        months: by_month(rows, zone),
    })
}

fn counted(connection: &Connection, sql: &str) -> Result<Vec<Facet>, IndexError> {
    // Not kept prepared: the numbers of conversations are in it.
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let found: Vec<(Option<String>, i64)> = rows.collect::<Result<_, _>>()?;
    let facet = |(value, count): (Option<String>, i64)| {
        Some(Facet { value: value?, count: usize::try_from(count).unwrap_or(0) })
    };
    Ok(most_first(found.into_iter().filter_map(facet).collect()))
}

fn most_first(mut facets: Vec<Facet>) -> Vec<Facet> {
    facets.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
    facets
}

fn by_role(rows: &[Candidate]) -> Vec<Facet> {
    let mut found: HashMap<Role, HashSet<i64>> = HashMap::new();
    for row in rows {
        if let Some(role) = row.role {
            found.entry(role).or_default().insert(row.conversation);
        }
    }
    let facet =
        |(role, held): (Role, HashSet<i64>)| Facet { value: role.name().to_owned(), count: held.len() };
    most_first(found.into_iter().map(facet).collect())
}

fn by_month(rows: &[Candidate], zone: &TimeZone) -> Vec<Facet> {
    let mut months = Months::new(zone);
    let mut found: BTreeMap<String, HashSet<i64>> = BTreeMap::new();
    for row in rows {
        let Some(month) = row.at.and_then(|at| months.name(at)) else { continue };
        match found.get_mut(month) {
            Some(held) => drop(held.insert(row.conversation)),
            None => drop(found.insert(month.to_owned(), HashSet::from([row.conversation]))),
        }
    }
    found.into_iter().rev().map(|(value, held)| Facet { value, count: held.len() }).collect()
}
