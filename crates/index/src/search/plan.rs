//! Takes a question apart: words for the full-text engine, facts for the tables.

use rusqlite::Connection;

use super::expression;
use super::facts;
use super::spellings::Spellings;
use super::sql::{Condition, text};
use crate::IndexError;
use crate::fields::Field;
use crate::query::{Filter, Node, PartName};

/// How a question is put to the tables.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// What the full-text engine is asked; `None` if no words are wanted.
    pub(super) expression: Option<String>,
    /// The same, one for each thing that must hold: what may be spread over a conversation.
    pub(super) conjuncts: Vec<String>,
    /// What must hold besides.
    pub(super) condition: Condition,
}

/// How `root` is put to the tables.
pub(super) fn plan(connection: &Connection, root: Option<&Node>, all: bool) -> Result<Plan, IndexError> {
    let nodes: &[Node] = match root {
        Some(Node::All(nodes)) => nodes,
        Some(node) => std::slice::from_ref(node),
        None => &[],
    };
    let columns = columns_of(nodes);
    let spellings = Spellings::of(connection, root)?;
    let mut conditions = Vec::new();
    let (mut wanted, mut excluded) = (Vec::new(), Vec::new());
    for node in nodes {
        match node {
            Node::Not(inner) => match expression::of_node(inner, &spellings) {
                Some(expression) => excluded.push(expression),
                None => conditions.push(condition(connection, &spellings, node)?),
            },
            _ => match expression::of_node(node, &spellings) {
                Some(expression) => wanted.push(within(expression, &columns)),
                None => conditions.push(condition(connection, &spellings, node)?),
            },
        }
    }
    // A filter of parts speaks of the words beside it; only without words, of the message.
    if wanted.is_empty() {
        for expression in excluded.drain(..) {
            conditions.push(matching(expression).negated());
        }
    }
    if !all && !reveals_hidden(nodes) {
        conditions.push(Condition::new("c.hidden = 0", []));
    }
    let expression = (!wanted.is_empty()).then(|| {
        let all = format!("({})", wanted.join(" AND "));
        if excluded.is_empty() { all } else { format!("{all} NOT ({})", excluded.join(" OR ")) }
    });
    Ok(Plan { expression, conjuncts: wanted, condition: Condition::joined(conditions, " AND ") })
}

fn within(expression: String, columns: &[Field]) -> String {
    if columns.is_empty() { expression } else { expression::within(&expression, columns) }
}

/// The columns that filters of parts among `nodes` leave; empty means all.
fn columns_of(nodes: &[Node]) -> Vec<Field> {
    let parts: Vec<PartName> = nodes.iter().filter_map(parts_of).flatten().copied().collect();
    expression::columns(&parts)
}

fn parts_of(node: &Node) -> Option<&Vec<PartName>> {
    match node {
        Node::Filter { filter: Filter::Part(parts), .. } => Some(parts),
        _ => None,
    }
}

/// Whoever asks for a flag or an id means hidden conversations too.
fn reveals_hidden(nodes: &[Node]) -> bool {
    let reveals = |node: &Node| matches!(node, Node::Filter { filter: Filter::Flag(_) | Filter::Id(_), .. });
    nodes.iter().any(reveals)
}

/// Any tree as SQL.
fn condition(connection: &Connection, spellings: &Spellings, node: &Node) -> Result<Condition, IndexError> {
    Ok(match node {
        Node::Filter { filter, .. } => facts::condition(connection, filter)?,
        Node::Not(node) => condition(connection, spellings, node)?.negated(),
        Node::Text(_) => matching(expression::of_node(node, spellings).unwrap_or_default()),
        Node::Any(nodes) => Condition::joined(conditions(connection, spellings, nodes)?, " OR "),
        Node::All(nodes) => {
            let columns = columns_of(nodes);
            let each = nodes.iter().map(|node| match expression::of_node(node, spellings) {
                Some(expression) => Ok(matching(within(expression, &columns))),
                None => condition(connection, spellings, node),
            });
            Condition::joined(each.collect::<Result<_, _>>()?, " AND ")
        }
    })
}

fn conditions(
    connection: &Connection,
    spellings: &Spellings,
    nodes: &[Node],
) -> Result<Vec<Condition>, IndexError> {
    nodes.iter().map(|node| condition(connection, spellings, node)).collect()
}

fn matching(expression: String) -> Condition {
    Condition::new("r.row IN (SELECT rowid FROM words WHERE words MATCH ?)", [text(expression)])
}
