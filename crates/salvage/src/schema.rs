//! The statements in `sqlite_schema`, as far as reading rows needs them: columns, their order on disk, and defaults.

use crate::record::Value;

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    affinity: Affinity,
    /// What rows have that were written before the column was added.
    default: Value,
    /// Whether it is computed, and so not stored.
    is_virtual: bool,
}

/// What SQLite makes of values before it stores them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Affinity {
    Text,
    Real,
    /// Whatever else: these are stored as they are read.
    Other,
}

/// A table of the schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// The statement that made it.
    pub sql: String,
    /// Its columns in declared order, without computed ones that are not stored.
    pub columns: Vec<Column>,
    /// The page where its tree begins, as the schema says; none if the schema is lost, or names no page.
    pub root: Option<u32>,
    /// Whether its rows lie in the tree of its primary key.
    pub without_rowid: bool,
    /// The column that is another name for the row's number.
    rowid_column: Option<usize>,
    /// For each stored value the column that it belongs to.
    stored: Vec<usize>,
}

/// An index of the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// The table that it is of.
    pub table: String,
    /// The page where its tree begins.
    pub root: u32,
    /// The statement that made it; none if it was made for a constraint.
    pub sql: Option<String>,
}

impl Table {
    /// The table that this `CREATE TABLE` statement makes; `None` if it makes none, or a virtual one.
    pub fn of_statement(name: &str, sql: &str, root: Option<u32>) -> Option<Self> {
        let tokens = tokens(sql);
        if tokens.get(1).is_some_and(|token| token.is("virtual")) {
            return None;
        }
        let open = tokens.iter().position(|token| *token == Token::Sign(b'('))?;
        let (definitions, rest) = definitions(&tokens[open + 1..]);
        let is_word =
            |pair: &[Token], at: usize, word: &str| pair.get(at).is_some_and(|token| token.is(word));
        let without_rowid =
            rest.windows(2).any(|pair| is_word(pair, 0, "without") && is_word(pair, 1, "rowid"));
        let mut table = Self {
            name: name.to_owned(),
            sql: sql.to_owned(),
            columns: Vec::new(),
            root,
            without_rowid,
            rowid_column: None,
            stored: Vec::new(),
        };
        let mut key: Vec<String> = Vec::new();
        let mut integers: Vec<bool> = Vec::new();
        for definition in &definitions {
            let Some(first) = definition.first() else { continue };
            if let Some(columns) = key_constraint(definition) {
                key = columns;
            } else if !CONSTRAINTS.iter().any(|word| first.is(word)) {
                let column = Column::parse(definition)?;
                let is_integer = definition.get(1).is_some_and(|token| token.is("integer"))
                    && definition.get(2).is_none_or(Token::is_constraint);
                integers.push(is_integer && !is_descending_key(definition));
                if has_words(definition, "primary", "key") {
                    key = vec![column.name.clone()];
                }
                table.columns.push(column);
            }
        }
        table.lay_out(&key, &integers);
        Some(table)
    }

    /// Decides which value of a record belongs to which column.
    fn lay_out(&mut self, key: &[String], integers: &[bool]) {
        let place =
            |name: &String| self.columns.iter().position(|column| column.name.eq_ignore_ascii_case(name));
        let mut order: Vec<usize> = Vec::new();
        if self.without_rowid {
            for at in key.iter().filter_map(place) {
                if !order.contains(&at) {
                    order.push(at);
                }
            }
        } else if let [only] = key {
            self.rowid_column = place(only).filter(|at| integers.get(*at) == Some(&true));
        }
        let rest: Vec<usize> = (0..self.columns.len()).filter(|at| !order.contains(at)).collect();
        order.extend(rest);
        order.retain(|at| !self.columns[*at].is_virtual);
        // Columns that are not stored are not part of rows.
        let kept: Vec<usize> = (0..self.columns.len()).filter(|at| !self.columns[*at].is_virtual).collect();
        let renumber = |at: usize| kept.iter().position(|old| *old == at);
        self.stored = order.into_iter().filter_map(renumber).collect();
        self.rowid_column = self.rowid_column.and_then(renumber);
        self.columns.retain(|column| !column.is_virtual);
    }

    /// Whether a record of these values may be a row of it.
    pub(crate) fn fits(&self, values: &[Value]) -> bool {
        let fits = |(value, at): (&Value, &usize)| {
            if self.rowid_column == Some(*at) {
                return *value == Value::Null;
            }
            let is_number = matches!(value, Value::Integer(_) | Value::Real(_));
            !(is_number && self.columns[*at].affinity == Affinity::Text)
        };
        !values.is_empty() && values.len() <= self.stored.len() && values.iter().zip(&self.stored).all(fits)
    }

    /// How many values a record of it has, if no column was added later.
    pub(crate) fn width(&self) -> usize {
        self.stored.len()
    }

    /// The values of a record in the order of the columns, as SQLite would show them.
    pub(crate) fn arrange(&self, rowid: Option<i64>, stored: Vec<Value>, is_complete: bool) -> Vec<Value> {
        if !is_complete && self.without_rowid {
            // What is missing may be any column: the order on disk is all that is known.
            return stored;
        }
        let count = if is_complete { self.columns.len() } else { stored.len().min(self.columns.len()) };
        let mut values: Vec<Value> =
            self.columns.iter().take(count).map(|column| column.default.clone()).collect();
        for (value, at) in stored.into_iter().zip(&self.stored) {
            let is_real = self.columns[*at].affinity == Affinity::Real;
            let Some(place) = values.get_mut(*at) else { continue };
            #[expect(
                clippy::cast_precision_loss,
                reason = "SQLite stored a float that is whole as an integer"
            )]
            let shown = match value {
                Value::Integer(number) if is_real => Value::Real(number as f64),
                other => other,
            };
            *place = shown;
        }
        if let (Some(at), Some(rowid)) = (self.rowid_column, rowid)
            && let Some(value @ Value::Null) = values.get_mut(at)
        {
            *value = Value::Integer(rowid);
        }
        values
    }
}

impl Column {
    fn parse(definition: &[Token]) -> Option<Self> {
        let name = definition.first()?.text()?.to_owned();
        let words = definition.iter().skip(1).take_while(|token| !token.is_constraint());
        let declared: String =
            words.filter_map(Token::text).collect::<Vec<_>>().join(" ").to_ascii_uppercase();
        let has = |parts: &[&str]| parts.iter().any(|part| declared.contains(part));
        let affinity = if has(&["INT"]) {
            Affinity::Other
        } else if has(&["CHAR", "CLOB", "TEXT"]) {
            Affinity::Text
        } else if !has(&["BLOB"]) && has(&["REAL", "FLOA", "DOUB"]) {
            Affinity::Real
        } else {
            Affinity::Other
        };
        let is_computed = definition.windows(2).any(|pair| pair[0].is("as") && pair[1] == Token::Sign(b'('));
        let is_virtual = is_computed && !definition.last().is_some_and(|token| token.is("stored"));
        let at = definition.iter().position(|token| token.is("default"));
        let default = at.map_or(Value::Null, |at| literal(&definition[at + 1..]));
        Some(Self { name, affinity, default, is_virtual })
    }
}

/// The columns of a table's PRIMARY KEY constraint.
fn key_constraint(definition: &[Token]) -> Option<Vec<String>> {
    let has_name = definition.first()?.is("constraint");
    let definition = if has_name { definition.get(2..)? } else { definition };
    let [first, second, Token::Sign(b'('), columns @ ..] = definition else { return None };
    if !(first.is("primary") && second.is("key")) {
        return None;
    }
    let mut names = Vec::new();
    let mut is_first = true;
    for token in columns {
        match token {
            Token::Sign(b')') => break,
            Token::Sign(b',') => is_first = true,
            Token::Word(name) | Token::Quoted(name) if std::mem::take(&mut is_first) => {
                names.push(name.clone());
            }
            _ => {}
        }
    }
    Some(names)
}

/// `INTEGER PRIMARY KEY DESC` is no other name for the row's number.
fn is_descending_key(definition: &[Token]) -> bool {
    definition.windows(3).any(|three| three[0].is("primary") && three[1].is("key") && three[2].is("desc"))
}

fn has_words(definition: &[Token], one: &str, two: &str) -> bool {
    definition.windows(2).any(|pair| pair[0].is(one) && pair[1].is(two))
}

/// A default that is a plain number, text or NULL; what has to be computed is shown as NULL.
fn literal(tokens: &[Token]) -> Value {
    match tokens {
        [Token::Sign(sign @ (b'-' | b'+')), Token::Word(word), ..] => {
            number(&format!("{}{word}", char::from(*sign)))
        }
        [Token::Word(word), ..] => number(word),
        [Token::Quoted(text), ..] => Value::Text(text.clone().into_bytes()),
        _ => Value::Null,
    }
}

fn number(word: &str) -> Value {
    if let Ok(number) = word.parse() {
        return Value::Integer(number);
    }
    let is_number = word.bytes().any(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|_| is_number).map_or(Value::Null, Value::Real)
}

/// With these words a definition is none of a column.
const CONSTRAINTS: [&str; 5] = ["constraint", "primary", "unique", "check", "foreign"];

/// With these words a column's type ends.
const AFTER_TYPE: [&str; 11] = [
    "constraint",
    "primary",
    "not",
    "null",
    "unique",
    "check",
    "default",
    "collate",
    "references",
    "generated",
    "as",
];

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Quoted(String),
    Sign(u8),
}

impl Token {
    /// Whether it is this keyword.
    fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(text) if text.eq_ignore_ascii_case(word))
    }

    fn is_constraint(&self) -> bool {
        AFTER_TYPE.iter().any(|word| self.is(word))
    }

    fn text(&self) -> Option<&str> {
        match self {
            Self::Word(text) | Self::Quoted(text) => Some(text),
            Self::Sign(_) => None,
        }
    }
}

/// The parts between commas up to the closing parenthesis, and what follows it.
fn definitions(tokens: &[Token]) -> (Vec<&[Token]>, &[Token]) {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0_usize, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign(b'(') => depth += 1,
            Token::Sign(b')') if depth == 0 => {
                parts.push(&tokens[from..at]);
                return (parts, &tokens[at + 1..]);
            }
            Token::Sign(b')') => depth -= 1,
            Token::Sign(b',') if depth == 0 => {
                parts.push(&tokens[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tokens[from..]);
    (parts, &[])
}

fn tokens(sql: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            _ if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            '"' | '\'' | '`' | '[' => {
                let (text, end) = quoted(rest, if first == '[' { ']' } else { first });
                tokens.push(Token::Quoted(text));
                end
            }
            _ if first.is_whitespace() => first.len_utf8(),
            _ if is_word(first) => {
                let end = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
                tokens.push(Token::Word(rest[..end].to_owned()));
                end
            }
            _ => {
                tokens.push(Token::Sign(u8::try_from(first).unwrap_or(b'?')));
                first.len_utf8()
            }
        };
        rest = &rest[end..];
    }
    tokens
}

/// Letters, digits, and everything beyond ASCII; a dot, so that a number stays whole.
fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '$' | '.') || !character.is_ascii()
}

/// The text inside of quotes, where a doubled one stands for itself, and where it ends.
fn quoted(text: &str, close: char) -> (String, usize) {
    let mut inside = String::new();
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if character != close {
            inside.push(character);
        } else if close != ']' && characters.next_if(|(_, next)| *next == close).is_some() {
            inside.push(close);
        } else {
            return (inside, at + close.len_utf8());
        }
    }
    (inside, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(sql: &str) -> Table {
        Table::of_statement("t", sql, None).unwrap()
    }

    fn names(table: &Table) -> Vec<&str> {
        table.columns.iter().map(|column| column.name.as_str()).collect()
    }

    #[test]
    fn columns_are_found_in_every_spelling() {
        for (sql, expected) in [
            ("CREATE TABLE t (a, b TEXT)", vec!["a", "b"]),
            (
                "CREATE TABLE '(,)' (\"a,b\" INT(1,2) CHECK (a IN (1,2)), [c d], `e``f`)",
                vec!["a,b", "c d", "e`f"],
            ),
            ("CREATE TABLE t -- (x)\n(a /* , b */, c DEFAULT ',', UNIQUE (a, c))", vec!["a", "c"]),
            (
                "CREATE TABLE t (a, b AS (a + 1), c AS (a) STORED, d GENERATED ALWAYS AS (1) VIRTUAL)",
                vec!["a", "c"],
            ),
            ("CREATE TABLE t (a, CONSTRAINT x PRIMARY KEY (a), FOREIGN KEY (a) REFERENCES u (v))", vec!["a"]),
        ] {
            assert_eq!(names(&table(sql)), expected, "{sql}");
        }
        assert_eq!(Table::of_statement("t", "CREATE VIEW v AS SELECT 1", None), None);
    }

    #[test]
    fn the_row_number_has_another_name_only_as_integer_primary_key() {
        for (sql, expected) in [
            ("CREATE TABLE t (a INTEGER PRIMARY KEY, b)", Some(0)),
            ("CREATE TABLE t (b, a integer not null primary key autoincrement)", Some(1)),
            ("CREATE TABLE t (b, a INTEGER, PRIMARY KEY (A DESC))", Some(1)),
            ("CREATE TABLE t (a INTEGER PRIMARY KEY DESC)", None),
            ("CREATE TABLE t (a INT PRIMARY KEY)", None),
            ("CREATE TABLE t (a INTEGER, b INTEGER, PRIMARY KEY (a, b))", None),
            ("CREATE TABLE t (a INTEGER PRIMARY KEY) WITHOUT ROWID", None),
        ] {
            assert_eq!(table(sql).rowid_column, expected, "{sql}");
        }
    }

    #[test]
    fn a_table_without_row_numbers_stores_its_key_first() {
        let table = table("CREATE TABLE t (a, b REAL, c, PRIMARY KEY (c, a)) WITHOUT ROWID, STRICT");
        let stored = vec![Value::Integer(3), Value::Integer(1), Value::Integer(2)];
        let shown = table.arrange(None, stored, true);
        assert_eq!(shown, [Value::Integer(1), Value::Real(2.0), Value::Integer(3)]);
    }

    #[test]
    fn columns_that_were_added_later_have_their_default() {
        let table = table(
            "CREATE TABLE t (a, b DEFAULT -1.5, c DEFAULT 'x', d DEFAULT (1 + 1), e NOT NULL DEFAULT 7)",
        );
        let shown = table.arrange(Some(1), vec![Value::Null], true);
        let text = Value::Text(b"x".to_vec());
        assert_eq!(shown, [Value::Null, Value::Real(-1.5), text, Value::Null, Value::Integer(7)]);
    }
}
