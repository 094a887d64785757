//! Takes a question apart: words for the full-text engine; facts as SQL over `message` (as `m`, absent for titles) and
//! `conversation` (as `c`).

use backscroll_model::{Role, SenderKind, Workspace};
use rusqlite::Connection;
use rusqlite::types::Value;

use super::expression::Spellings;
use super::{expression, files};
use crate::codes::holds;
use crate::fields::Field;
use crate::query::{Filter, Has, Node, PartName};
use crate::{IndexError, codes};

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
            Node::Not(inner) => match expression::expression_for(inner, &spellings) {
                Some(expression) => excluded.push(expression),
                None => conditions.push(condition(connection, &spellings, node)?),
            },
            _ => match expression::expression_for(node, &spellings) {
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

/// A question for a flag or an id means hidden conversations too.
fn reveals_hidden(nodes: &[Node]) -> bool {
    let reveals = |node: &Node| matches!(node, Node::Filter { filter: Filter::Flag(_) | Filter::Id(_), .. });
    nodes.iter().any(reveals)
}

/// Any tree as SQL.
fn condition(connection: &Connection, spellings: &Spellings, node: &Node) -> Result<Condition, IndexError> {
    Ok(match node {
        Node::Filter { filter, .. } => fact_condition(connection, filter)?,
        Node::Not(node) => condition(connection, spellings, node)?.negated(),
        Node::Text(_) => matching(expression::expression_for(node, spellings).unwrap_or_default()),
        Node::Any(nodes) => Condition::joined(conditions(connection, spellings, nodes)?, " OR "),
        Node::All(nodes) => {
            let columns = columns_of(nodes);
            let each = nodes.iter().map(|node| match expression::expression_for(node, spellings) {
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

/// The condition that `filter` means.
fn fact_condition(connection: &Connection, filter: &Filter) -> Result<Condition, IndexError> {
    Ok(match filter {
        Filter::Role(roles) => {
            Condition::one_of("m.role", roles.iter().map(|role| codes::code(*role).into()))
        }
        Filter::Sender(kinds) => any(kinds.iter().map(|kind| sender(*kind))),
        Filter::Surface(surfaces) => {
            Condition::one_of("c.surface", surfaces.iter().map(|one| text(one.name())))
        }
        Filter::Mode(modes) => {
            Condition::one_of("lower(c.mode)", modes.iter().map(|mode| text(mode.to_lowercase())))
        }
        Filter::Tool(names) => any(names.iter().map(|name| tool(name))),
        Filter::Model(names) => any(names.iter().map(|name| model(name))),
        Filter::Id(ids) => any(ids.iter().map(|id| {
            Condition::new("substr(c.id, 1, length(?)) = ?", [text(id.clone()), text(id.clone())])
        })),
        Filter::Title(texts) => titles(connection, texts)?,
        Filter::Path(paths) => touched(connection, paths)?,
        Filter::Workspace(asked) => workspaces(connection, asked)?,
        Filter::Part(parts) => any(parts.iter().map(|part| part_held(*part))),
        Filter::After(at) => Condition::new(format!("{TIME} >= ?"), [Value::from(at.as_millisecond())]),
        Filter::Before(at) => Condition::new(format!("{TIME} < ?"), [Value::from(at.as_millisecond())]),
        Filter::Has(things) => bits("c.holds", things.iter().map(|thing| held(*thing))),
        Filter::Flag(flags) => bits("c.flags", flags.iter().map(|flag| codes::flag(*flag))),
    })
}

/// Messages that such a sender wrote. A person only speaks as the user.
fn sender(kind: SenderKind) -> Condition {
    let role = if kind == SenderKind::Person { " AND m.role = ?" } else { "" };
    let sql = format!("m.state >> {} = ?{role}", codes::state::SENDER);
    let role = (!role.is_empty()).then(|| codes::code(Role::User));
    Condition::new(sql, std::iter::once(codes::code(kind)).chain(role).map(Value::from))
}

/// When a message was said, as well as we know.
const TIME: &str = "coalesce(m.at, c.recency, c.created_at)";

fn any(conditions: impl Iterator<Item = Condition>) -> Condition {
    Condition::joined(conditions.collect(), " OR ")
}

fn bits(column: &str, bits: impl Iterator<Item = i64>) -> Condition {
    Condition::new(format!("({column} & ?) <> 0"), [Value::from(bits.fold(0, |all, one| all | one))])
}

/// By canonical or raw name, or the beginning of `mcp:<server>:<tool>`.
fn tool(name: &str) -> Condition {
    let asked = name.trim_end_matches(':').to_lowercase();
    let mut names = "lower(name) = ? OR lower(raw_name) = ?".to_owned();
    let mut values = vec![text(asked.clone()), text(asked.clone())];
    if asked == "mcp" || asked.starts_with("mcp:") {
        let beginning = format!("{asked}:");
        names.push_str(" OR substr(lower(name), 1, length(?)) = ?");
        values.extend([text(beginning.clone()), text(beginning)]);
    }
    // A common tool is in nearly every conversation. The `+` keeps the database from taking these one by one, which would
    // make it sort all their messages to find the newest.
    let sql = format!(
        "+c.number IN (SELECT conversation FROM call WHERE tool IN (SELECT number FROM tool WHERE {names}))"
    );
    Condition::new(sql, values)
}

/// As with [tools](tool), a model may be that of nearly every conversation.
fn model(name: &str) -> Condition {
    let sql = "+c.number IN (SELECT conversation FROM conversation_model WHERE model IN
               (SELECT number FROM model WHERE instr(lower(name), ?) > 0))";
    Condition::new(sql, [text(name.to_lowercase())])
}

fn titles(connection: &Connection, texts: &[String]) -> Result<Condition, IndexError> {
    if texts.iter().all(|asked| asked.is_ascii()) {
        let one =
            |asked: &String| Condition::new("instr(lower(c.title), ?) > 0", [text(asked.to_lowercase())]);
        return Ok(any(texts.iter().map(one)));
    }
    // SQLite folds the case of ASCII letters alone.
    let asked: Vec<String> = texts.iter().map(|asked| asked.to_lowercase()).collect();
    let mut statement =
        connection.prepare("SELECT number, title FROM conversation WHERE title IS NOT NULL")?;
    let mut rows = statement.query([])?;
    let mut numbers = Vec::new();
    while let Some(row) = rows.next()? {
        let title: String = row.get(1)?;
        let title = title.to_lowercase();
        if asked.iter().any(|asked| title.contains(asked)) {
            numbers.push(row.get::<_, i64>(0)?);
        }
    }
    Ok(numbered("c.number", numbers))
}

fn touched(connection: &Connection, paths: &[String]) -> Result<Condition, IndexError> {
    let mut numbers = Vec::new();
    for path in paths {
        numbers.extend(files::numbers(connection, path)?);
    }
    let condition = numbered("file", numbers);
    let sql = format!("c.number IN (SELECT conversation FROM touched WHERE {})", condition.sql);
    Ok(Condition::new(sql, condition.values))
}

fn workspaces(connection: &Connection, asked: &[String]) -> Result<Condition, IndexError> {
    let mut statement = connection
        .prepare("SELECT DISTINCT workspace, remote FROM conversation WHERE workspace IS NOT NULL")?;
    let mut rows = statement.query([])?;
    let mut matching = Vec::new();
    while let Some(row) = rows.next()? {
        let (path, remote): (String, Option<String>) = (row.get(0)?, row.get(1)?);
        if asked.iter().any(|asked| Workspace::answers_to(&path, remote.as_deref(), asked)) {
            let sql = "c.workspace = ? AND c.remote IS ?";
            matching.push(Condition::new(sql, [text(path), remote.map_or(Value::Null, Value::Text)]));
        }
    }
    Ok(if matching.is_empty() { Condition::new("0", []) } else { Condition::joined(matching, " OR ") })
}

/// Numbers stand in the SQL itself: there may be more of them than values may be bound.
fn numbered(column: &str, numbers: Vec<i64>) -> Condition {
    let list: Vec<String> = numbers.into_iter().map(|number| number.to_string()).collect();
    Condition::new(format!("{column} IN ({})", list.join(",")), [])
}

fn part_held(part: PartName) -> Condition {
    let bit = match part {
        PartName::Title => return Condition::new("m.row IS NULL", []),
        PartName::Text => holds::TEXT,
        PartName::Thinking => holds::THINKING,
        PartName::ToolCall | PartName::Arguments | PartName::Result => holds::TOOLS,
        PartName::Code => holds::CODE | holds::DIFF,
        PartName::Attachment => holds::ATTACHMENTS,
        PartName::Path => holds::TOOLS | holds::ATTACHMENTS | holds::IMAGES,
        PartName::Summary => holds::SUMMARY,
        PartName::Error => holds::ERROR,
        PartName::Todos => holds::TODOS,
        PartName::Image => holds::IMAGES,
    };
    bits("m.holds", std::iter::once(bit))
}

fn held(thing: Has) -> i64 {
    match thing {
        Has::Thinking => holds::THINKING,
        Has::Tools => holds::TOOLS,
        Has::Images => holds::IMAGES,
        Has::Diff => holds::DIFF,
        Has::Code => holds::CODE,
        Has::Attachments => holds::ATTACHMENTS,
        Has::Todos => holds::TODOS,
        Has::Error => holds::ERROR,
    }
}

/// A condition and its values, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Condition {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

impl Condition {
    pub(super) fn new(sql: impl Into<String>, values: impl IntoIterator<Item = Value>) -> Self {
        Self { sql: sql.into(), values: values.into_iter().collect() }
    }

    /// `expression IN (values)`.
    fn one_of(expression: &str, values: impl IntoIterator<Item = Value>) -> Self {
        let values: Vec<Value> = values.into_iter().collect();
        let marks = vec!["?"; values.len()].join(", ");
        Self { sql: format!("{expression} IN ({marks})"), values }
    }

    /// All of `conditions`, or any of them.
    pub(super) fn joined(conditions: Vec<Self>, with: &str) -> Self {
        let mut all = Self::default();
        for (number, condition) in conditions.into_iter().enumerate() {
            if number > 0 {
                all.sql.push_str(with);
            }
            all.sql.push('(');
            all.sql.push_str(&condition.sql);
            all.sql.push(')');
            all.values.extend(condition.values);
        }
        all
    }

    fn negated(self) -> Self {
        // What is not known is not so: NULL must not swallow the row.
        Self { sql: format!("NOT coalesce(({}), 0)", self.sql), values: self.values }
    }
}

/// Text as a value.
pub(super) fn text(text: impl Into<String>) -> Value {
    Value::Text(text.into())
}
