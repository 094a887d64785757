//! What the page reader finds, and what SQLite finds, in a form that can be compared.

use std::collections::BTreeMap;
use std::path::Path;

use backscroll_salvage::{Damage, Index, Row, Salvager, Table, Value};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

/// The rows of each table, printed and in order.
pub(crate) type Content = BTreeMap<String, Vec<String>>;

/// Collects everything.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) rows: Content,
    pub(crate) entries: usize,
    pub(crate) damages: Vec<(Option<String>, Damage)>,
    pub(crate) expected: Vec<Table>,
}

impl Collected {
    /// The same with rows in order of text.
    pub(crate) fn sorted(mut self) -> Content {
        self.rows.values_mut().for_each(|rows| rows.sort());
        self.rows
    }
}

impl Salvager for Collected {
    fn expected(&self) -> Vec<Table> {
        self.expected.clone()
    }

    fn choose(&mut self, candidates: &[&Table], rows: &[Row]) -> Option<usize> {
        // Tests name in the first value to which table a row belongs.
        let first = rows.first().map(|row| format!("{:?}", row.values.first()))?;
        let Some(Value::Text(text)) = rows[0].values.first() else { return Some(0) };
        let text = String::from_utf8_lossy(text);
        candidates.iter().position(|table| text.starts_with(&table.name)).or((first.len() > 1).then_some(0))
    }

    fn tables(&mut self, tables: &[Table]) {
        for table in tables {
            self.rows.entry(table.name.clone()).or_default();
        }
    }

    fn row(&mut self, table: &Table, row: Row, _is_stray: bool) {
        if let Some(damage) = row.damaged {
            return self.damages.push((Some(table.name.clone()), damage));
        }
        self.rows.entry(table.name.clone()).or_default().push(printed(row.rowid, &row.values));
    }

    fn entry(&mut self, _: &Index, _: Vec<Value>) {
        self.entries += 1;
    }

    fn damage(&mut self, of: Option<&str>, damage: Damage) {
        self.damages.push((of.map(str::to_owned), damage));
    }
}

pub(crate) fn printed(rowid: Option<i64>, values: &[Value]) -> String {
    let shown = values.iter().map(|value| match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => format!("real {number:?}"),
        Value::Text(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
        Value::Blob(bytes) => format!("blob {bytes:?}"),
    });
    format!("{rowid:?}: {}", shown.collect::<Vec<_>>().join(", "))
}

#[expect(clippy::disallowed_methods, reason = "databases of tests, which nobody else has open")]
pub(crate) fn open(path: &Path) -> Connection {
    Connection::open(path).unwrap()
}

/// All rows of all ordinary tables, as SQLite reads them, in order of text.
pub(crate) fn by_sqlite(connection: &Connection) -> rusqlite::Result<Content> {
    let mut names = connection.prepare(
        "SELECT name, wr FROM pragma_table_list JOIN sqlite_schema USING (name)
         WHERE schema = 'main' AND pragma_table_list.type IN ('table', 'shadow') AND rootpage > 0",
    )?;
    let names: Vec<(String, bool)> =
        names.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
    let mut content = Content::new();
    for (name, without_rowid) in names {
        let rowid = if without_rowid { "NULL" } else { "_rowid_" };
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        // Without computed columns that are not stored.
        let mut columns = connection.prepare("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden <> 2")?;
        let columns: Vec<String> = columns
            .query_map([&name], |row| row.get::<_, String>(0))?
            .map(|name| name.map(|name| quoted(&name)))
            .collect::<rusqlite::Result<_>>()?;
        let statement = format!("SELECT {rowid}, {} FROM {}", columns.join(", "), quoted(&name));
        let mut rows = connection.prepare(&statement)?;
        let count = rows.column_count();
        let read = rows.query_map([], |row| {
            let values: Vec<Value> =
                (1..count).map(|at| row.get_ref(at).map(value)).collect::<rusqlite::Result<_>>()?;
            Ok(printed(row.get(0)?, &values))
        })?;
        let mut rows: Vec<String> = read.collect::<rusqlite::Result<_>>()?;
        rows.sort();
        content.insert(name, rows);
    }
    Ok(content)
}

fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(bytes) => Value::Text(bytes.to_vec()),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    }
}
