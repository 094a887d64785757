//! Takes a question apart: words for the full-text engine; facts as SQL over `message` (as `m`, absent for titles) and
//! `conversation` (as `c`).

use backscroll_model::{Role, SenderKind, Summary, Workspace, is_chats_folder};
use rusqlite::Connection;
use rusqlite::types::Value;

use super::terms::{Form, Forms, Lexicon, is_stop_word};
use super::{expression, files};
use crate::database::Statements as _;
use crate::fields::Field;
use crate::query::{self, Ask, Filter, Node, PartName, Text};
use crate::tokens::Typed;
use crate::vocabulary::Vocabulary;
use crate::write::row_count;
use crate::{IndexError, codes};

/// How a question is put to the tables.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// What is wanted, one for each word, phrase or alternative.
    pub(super) terms: Vec<Term>,
    /// Words that must not stand in the message.
    excluded: Vec<String>,
    /// The columns in which words count; empty means all.
    columns: Vec<Field>,
    /// What must hold of the message besides.
    pub(super) condition: Condition,
    /// The same where words may be spread over a conversation: then its tools and files may be, too.
    pub(super) wide_condition: Condition,
    /// Values of facts that the index does not have, and what was taken instead.
    pub(super) corrected: Vec<(String, String)>,
    /// The question has a time and no word that tells anything.
    pub(super) is_only_time: bool,
}

/// Something to find again in a text.
#[derive(Debug, Clone)]
pub(super) struct Sought {
    pub(super) typed: String,
    pub(super) forms: Forms,
}

/// One thing that is wanted.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Term {
    /// As typed.
    pub(super) typed: String,
    /// What it may stand for; empty for alternatives.
    pub(super) forms: Forms,
    /// The words and phrases of alternatives.
    alternatives: Vec<Sought>,
    /// As the full-text engine is asked.
    expression: String,
    /// A message must have it to be a full answer.
    pub(super) is_required: bool,
    /// It says when, not what.
    pub(super) is_date: bool,
    /// A word of a phrase that stands nowhere: better than nothing.
    pub(super) is_spare: bool,
    /// It is a phrase that stands nowhere.
    stands_nowhere: bool,
    /// About how many rows have it.
    pub(super) rows: i64,
}

impl Term {
    /// The expressions to ask for, each with what a match is worth.
    pub(super) fn asked(&self) -> Vec<(String, f64)> {
        if self.forms.0.is_empty() {
            return vec![(self.expression.clone(), 1.0)];
        }
        let mut asked: Vec<(Vec<Form>, f64)> = Vec::new();
        for form in &self.forms.0 {
            match asked.iter_mut().find(|(_, weight)| (*weight - form.weight()).abs() < f64::EPSILON) {
                Some((forms, _)) => forms.push(form.clone()),
                None => asked.push((vec![form.clone()], form.weight())),
            }
        }
        asked.into_iter().map(|(forms, weight)| (Forms(forms).expression(), weight)).collect()
    }

    /// The word of the index that stands for it where words are compared side by side.
    pub(super) fn word(&self) -> Option<String> {
        let form = self.forms.0.first()?;
        (!form.is_prefix).then(|| form.words.join(" "))
    }
}

impl Plan {
    /// What the full-text engine is asked for full answers; `None` if no words are wanted.
    pub(super) fn expression(&self) -> Option<String> {
        let required: Vec<&str> =
            self.terms.iter().filter(|term| term.is_required).map(|term| term.expression.as_str()).collect();
        (!required.is_empty()).then(|| self.limited(&format!("({})", required.join(" AND "))))
    }

    /// Whether nothing can have all that is wanted.
    pub(super) fn is_hopeless(&self) -> bool {
        self.terms.iter().any(|term| term.is_required && term.stands_nowhere)
    }

    /// `expression` within the columns that count, without what is excluded.
    pub(super) fn limited(&self, expression: &str) -> String {
        let within = expression::within(expression, &self.columns);
        if self.excluded.is_empty() {
            within
        } else {
            format!("({within}) NOT ({})", self.excluded.join(" OR "))
        }
    }

    /// What to show of a message that was found: words that say nothing alone are left out where there are others.
    pub(super) fn sought(&self) -> Vec<Sought> {
        let shown = self.terms.iter().filter(|term| term.is_required || term.is_spare);
        let sought = shown.flat_map(|term| {
            let own = Sought { typed: term.typed.clone(), forms: term.forms.clone() };
            if term.alternatives.is_empty() { vec![own] } else { term.alternatives.clone() }
        });
        sought.collect()
    }

    /// What was typed and what it was taken for, where the index does not have it.
    pub(super) fn corrections(&self) -> Vec<(String, String)> {
        let of_term = |term: &Term| Some((term.typed.clone(), term.forms.corrected()?));
        self.terms.iter().filter_map(of_term).collect()
    }

    /// Whether words of titles count.
    pub(super) fn has_titles(&self) -> bool {
        self.columns.is_empty() || self.columns.contains(&Field::Title)
    }
}

/// How `ask` is put to the tables. Where it has nothing but a time, what was said then is meant.
pub(super) fn plan(connection: &Connection, ask: &Ask) -> Result<Plan, IndexError> {
    let root = ask.root.as_ref();
    let nodes: &[Node] = match root {
        Some(Node::All(nodes)) => nodes,
        Some(node) => std::slice::from_ref(node),
        None => &[],
    };
    let lexicon = Lexicon::read(connection, root)?;
    let mut plan = Plan { columns: columns_of(nodes), ..Plan::default() };
    let mut facts = FactPlan { connection, lexicon: &lexicon, is_wide: false, corrected: Vec::new() };
    let (mut conditions, mut wide) = (Vec::new(), Vec::new());
    let has_words =
        nodes.iter().any(|node| !matches!(node, Node::Not(_)) && node.has_text() && !node.has_filter());
    for node in nodes {
        let (inner, is_excluded) = match node {
            Node::Not(inner) => (&**inner, true),
            node => (node, false),
        };
        match expression::expression_for(inner, &lexicon) {
            Some(expression) if is_excluded && has_words => plan.excluded.push(expression),
            Some(expression) if !is_excluded => plan.terms.extend(terms_of(node, expression, &lexicon)),
            // A filter of parts speaks of the words beside it; only without words, of the message.
            _ if has_words && parts_of(node).is_some() => {}
            _ => {
                facts.is_wide = false;
                conditions.push(facts.condition(node)?);
                facts.is_wide = true;
                wide.push(facts.condition(node)?);
            }
        }
    }
    if !ask.all && !ask.reveals_hidden() {
        conditions.push(Condition::new("c.hidden = 0", []));
        wide.push(Condition::new("c.hidden = 0", []));
    }
    plan.corrected = facts.corrected;
    plan.condition = Condition::joined(conditions, " AND ");
    plan.wide_condition = Condition::joined(wide, " AND ");
    join_neighbours(connection, &mut plan.terms)?;
    let tells = require(connection, &mut plan.terms)?;
    if !tells && !ask.times.is_empty() && plan.excluded.is_empty() {
        plan.terms.clear();
        plan.is_only_time = true;
        let within = any(ask.times.iter().map(|(from, to)| {
            Condition::new(format!("{TIME} >= ? AND {TIME} < ?"), [Value::from(*from), Value::from(*to)])
        }));
        for condition in [&mut plan.condition, &mut plan.wide_condition] {
            let known = Some(std::mem::take(condition)).filter(|known| !known.sql.is_empty());
            *condition = Condition::joined(known.into_iter().chain([within.clone()]).collect(), " AND ");
        }
    }
    Ok(plan)
}

/// The terms that `node` means: one, or one for each word of something pasted that stands nowhere as a whole.
fn terms_of(node: &Node, expression: String, lexicon: &Lexicon) -> Vec<Term> {
    let Node::Text(text) = node else {
        let mut texts = Vec::new();
        node.collect_wanted(&mut texts);
        let sought = |text: &&Text| Sought { typed: text.typed.clone(), forms: lexicon.forms(text) };
        return vec![Term {
            typed: texts.iter().map(|text| text.typed.as_str()).collect::<Vec<_>>().join(" "),
            forms: Forms::default(),
            alternatives: texts.iter().map(sought).collect(),
            expression,
            is_required: true,
            is_date: false,
            is_spare: false,
            stands_nowhere: false,
            rows: 0,
        }];
    };
    let of_text = |typed: &str, forms: Forms| Term {
        typed: typed.to_owned(),
        expression: forms.expression(),
        forms,
        alternatives: Vec::new(),
        is_required: true,
        is_date: text.is_date,
        is_spare: false,
        stands_nowhere: false,
        rows: 0,
    };
    let whole = of_text(&text.typed, lexicon.forms(text));
    let Some(apart) = lexicon.words_apart(text) else { return vec![whole] };
    let apart = apart.iter().map(|(word, forms)| of_text(word, forms.clone()));
    if text.is_quoted {
        let whole = Term { stands_nowhere: true, ..whole };
        return std::iter::once(whole).chain(apart.map(|term| Term { is_spare: true, ..term })).collect();
    }
    apart.collect()
}

/// Words side by side that are one word elsewhere: `white space` is also `whitespace`.
fn join_neighbours(connection: &Connection, terms: &mut [Term]) -> Result<(), IndexError> {
    let vocabulary = Vocabulary::new(connection);
    let simple: Vec<Option<String>> = terms.iter().map(plain_word).collect();
    for first in 0..terms.len() {
        for count in 2..=3.min(terms.len() - first) {
            let Some(words) = simple[first..first + count].iter().cloned().collect::<Option<Vec<String>>>()
            else {
                break;
            };
            let joined = words.concat();
            if joined.len() >= 5 && vocabulary.has(&joined)? {
                for term in &mut terms[first..first + count] {
                    term.forms.push_joined(joined.clone());
                    term.expression = term.forms.expression();
                }
            }
        }
    }
    Ok(())
}

/// The word that a term is, if it is one.
fn plain_word(term: &Term) -> Option<String> {
    let typed = Typed::parse(&term.typed);
    match &typed.pieces()[..] {
        [word] if !term.forms.0.is_empty() => Some((*word).to_owned()),
        _ => None,
    }
}

/// A word in more than this share of all rows says as little as `the`.
const EVERYWHERE: f64 = 0.2;
/// In an index of fewer rows than this, words are not called frequent.
const FEW_ROWS: i64 = 400;

/// Says how frequent each term is, and which of them a full answer must have. Gives whether any of them tells something; where none
/// does, all are required.
fn require(connection: &Connection, terms: &mut [Term]) -> Result<bool, IndexError> {
    let vocabulary = Vocabulary::new(connection);
    let all = row_count(connection)?;
    for term in terms.iter_mut() {
        let mut rows = 0;
        for form in &term.forms.0 {
            let mut least: Option<i64> = None;
            for word in &form.words {
                let known = if form.is_prefix { None } else { vocabulary.rows(word)? };
                least = known.into_iter().chain(least).min();
            }
            rows += least.unwrap_or(0);
        }
        term.rows = rows;
        let says_nothing = |term: &Term| {
            plain_word(term).is_some_and(|word| is_stop_word(&word)) || is_everywhere(term.rows, all)
        };
        term.is_required = !term.is_date && !term.is_spare && !says_nothing(term);
    }
    let tells = terms.iter().any(|term| term.is_required);
    if !tells {
        for term in terms.iter_mut() {
            term.is_required = !term.is_spare;
        }
    }
    Ok(tells)
}

fn is_everywhere(rows: i64, all: i64) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more")]
    let share = rows as f64 / all.max(1) as f64;
    all >= FEW_ROWS && share > EVERYWHERE
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

/// Makes SQL of what must hold.
struct FactPlan<'a> {
    connection: &'a Connection,
    lexicon: &'a Lexicon,
    /// Of the conversation, not of the message.
    is_wide: bool,
    /// Values that the index does not have, and what was taken instead.
    corrected: Vec<(String, String)>,
}

impl FactPlan<'_> {
    /// Any tree as SQL.
    fn condition(&mut self, node: &Node) -> Result<Condition, IndexError> {
        Ok(match node {
            Node::Filter { filter, .. } => self.fact_condition(filter)?,
            Node::Not(node) => self.condition(node)?.negated(),
            Node::Text(_) => matching(expression::expression_for(node, self.lexicon).unwrap_or_default()),
            Node::Any(nodes) => Condition::joined(self.conditions(nodes)?, " OR "),
            Node::All(nodes) => {
                let columns = columns_of(nodes);
                let mut each = Vec::new();
                for node in nodes {
                    each.push(match expression::expression_for(node, self.lexicon) {
                        Some(expression) => matching(expression::within(&expression, &columns)),
                        None => self.condition(node)?,
                    });
                }
                Condition::joined(each, " AND ")
            }
        })
    }

    fn conditions(&mut self, nodes: &[Node]) -> Result<Vec<Condition>, IndexError> {
        nodes.iter().map(|node| self.condition(node)).collect()
    }
}

fn matching(expression: String) -> Condition {
    Condition::new("r.row IN (SELECT rowid FROM words WHERE words MATCH ?)", [text(expression)])
}

impl FactPlan<'_> {
    /// The condition that `filter` means.
    fn fact_condition(&mut self, filter: &Filter) -> Result<Condition, IndexError> {
        let connection = self.connection;
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
            Filter::Tool(names) => {
                let names = self.known_names(
                    names,
                    "SELECT name FROM tool UNION SELECT raw_name FROM tool",
                    |known, asked| query::is_tool(asked, known, known),
                )?;
                any(names.iter().map(|name| tool(name, self.is_wide)))
            }
            Filter::Model(names) => {
                let names = self.known_names(names, "SELECT name FROM model", query::contains)?;
                any(names.iter().map(|name| model(name)))
            }
            Filter::Id(ids) => any(ids.iter().map(|id| {
                Condition::new("substr(c.id, 1, length(?)) = ?", [text(id.clone()), text(id.clone())])
            })),
            Filter::Title(texts) => titles(connection, texts)?,
            Filter::Path(paths) => touched(connection, paths, self.is_wide)?,
            Filter::Workspace(asked) => {
                let found = workspaces(connection, asked)?;
                if found.sql != NOTHING {
                    return Ok(found);
                }
                let sql = "SELECT DISTINCT workspace_name FROM conversation WHERE workspace_name IS NOT NULL";
                let names = self.known_names(asked, sql, |_, _| false)?;
                workspaces(connection, &names)?
            }
            Filter::Part(parts) => any(parts.iter().map(|part| part_held(*part))),
            Filter::After(at) => Condition::new(format!("{TIME} >= ?"), [Value::from(at.as_millisecond())]),
            Filter::Before(at) => Condition::new(format!("{TIME} < ?"), [Value::from(at.as_millisecond())]),
            Filter::Has(things) => bits("c.holds", things.iter().map(|thing| thing.bit())),
            Filter::Flag(flags) => bits("c.flags", flags.iter().map(|flag| codes::flag(*flag))),
        })
    }

    /// The names that are asked for, each replaced by the nearest that there is if it means none.
    fn known_names(
        &mut self,
        asked: &[String],
        sql: &str,
        is_meant: impl Fn(&str, &str) -> bool,
    ) -> Result<Vec<String>, IndexError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let known = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        let mut names = Vec::new();
        for name in asked {
            // Of `claude-4.5-opus` somebody may have meant a piece.
            let pieces = known.iter().flat_map(|known| known.split(|c: char| !c.is_alphanumeric()));
            let pieces = pieces.filter(|piece| piece.len() >= 4).chain(known.iter().map(String::as_str));
            let nearest = || query::nearest(&name.to_lowercase(), pieces.map(str::to_lowercase));
            let meant = if known.iter().any(|known| is_meant(known, name)) { None } else { nearest() };
            if let Some(meant) = &meant {
                let pair = (name.clone(), meant.clone());
                if !self.corrected.contains(&pair) {
                    self.corrected.push(pair);
                }
            }
            names.push(meant.unwrap_or_else(|| name.clone()));
        }
        Ok(names)
    }
}

/// A condition that never holds.
const NOTHING: &str = "0";

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

/// A message that the conversation lists. One that was left behind is found by its words, but a listing does not count what it
/// did.
const CALLED_IN: &str = "m.state & 1 = 0 AND +m.row";
const TOUCHED_IN: &str = "m.state & 1 = 0 AND m.row";

/// By canonical or raw name, or the beginning of `mcp:<server>:<tool>`.
///
/// Of a message that it calls the tool; where words are spread over the conversation, that any of its messages does.
fn tool(name: &str, is_wide: bool) -> Condition {
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
    let (of, what) = if is_wide { ("+c.number", "conversation") } else { (CALLED_IN, "row") };
    let sql =
        format!("{of} IN (SELECT {what} FROM call WHERE tool IN (SELECT number FROM tool WHERE {names}))");
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

fn touched(connection: &Connection, paths: &[String], is_wide: bool) -> Result<Condition, IndexError> {
    let mut numbers = Vec::new();
    for path in paths {
        numbers.extend(files::numbers(connection, path)?);
    }
    let condition = numbered("file", numbers);
    let (of, what) = if is_wide { ("c.number", "conversation") } else { (TOUCHED_IN, "row") };
    let sql = format!("{of} IN (SELECT {what} FROM touched WHERE {})", condition.sql);
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
    for asked in asked.iter().filter(|asked| is_chats_folder(asked)) {
        let numbers = in_chats_folder(connection, asked)?;
        if !numbers.is_empty() {
            matching.push(numbered("c.number", numbers));
        }
    }
    Ok(if matching.is_empty() { Condition::new(NOTHING, []) } else { Condition::joined(matching, " OR ") })
}

/// The conversations that name no workspace and lie in the folder of `chats` of this name.
fn in_chats_folder(connection: &Connection, name: &str) -> Result<Vec<i64>, IndexError> {
    let sql = "SELECT number, summary FROM conversation WHERE workspace IS NULL AND instr(summary, ?1) > 0";
    let near: Vec<(i64, String)> = connection.all(sql, [name], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut numbers = Vec::new();
    for (number, summary) in near {
        if serde_json::from_str::<Summary>(&summary)?.is_of_workspace(name) {
            numbers.push(number);
        }
    }
    Ok(numbers)
}

/// Numbers stand in the SQL itself: there may be more of them than values may be bound.
fn numbered(column: &str, numbers: Vec<i64>) -> Condition {
    let list: Vec<String> = numbers.into_iter().map(|number| number.to_string()).collect();
    Condition::new(format!("{column} IN ({})", list.join(",")), [])
}

fn part_held(part: PartName) -> Condition {
    part.bits().map_or_else(
        || Condition::new("m.row IS NULL", []),
        |bits_of_part| bits("m.holds", std::iter::once(bits_of_part)),
    )
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
