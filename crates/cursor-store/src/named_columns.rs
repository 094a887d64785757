//! Rows whose columns are read by name, because versions differ in which ones they have.

use std::collections::{BTreeMap, HashSet};

use backscroll_cursor_format::known;
use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::contents::quoted;
use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::{fingerprint, work};

/// A row whose columns may be missing.
pub(crate) struct Columns<'a> {
    row: &'a Row<'a>,
    names: &'a HashSet<String>,
}

impl Columns<'_> {
    /// The first of these columns that has a value, as text.
    pub(crate) fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().filter(|name| self.names.contains(**name)).find_map(|name| {
            match self.row.get_ref(*name).ok()? {
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                    Some(String::from_utf8_lossy(bytes).into_owned())
                }
                ValueRef::Integer(number) => Some(number.to_string()),
                ValueRef::Real(number) => Some(number.to_string()),
                ValueRef::Null => None,
            }
        })
    }

    /// A whole number, however it is stored.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        self.text(&[name])?.parse().ok()
    }
}

/// Every column of `table` that we know.
pub(crate) fn known_columns(table: &str) -> Vec<&'static str> {
    known::columns(table).into_iter().flatten().collect()
}

/// These `columns` of every row of `table`, or of those that have this value in this column. A table that is not there has
/// none, and any column may be missing. Gives how many rows were not taken: those without an id of their own.
pub(crate) fn each(
    db: &ReadOnlyDb,
    table: &str,
    only: Option<(&str, &str)>,
    columns: &[&str],
    take: &mut dyn FnMut(&Columns<'_>) -> Option<()>,
) -> Result<u64, ReadError> {
    let names = db.columns(table)?;
    if names.is_empty() || only.is_some_and(|(column, _)| !names.contains(column)) {
        return Ok(0);
    }
    let wanted: Vec<&str> = columns.iter().copied().filter(|name| names.contains(*name)).collect();
    if wanted.is_empty() {
        return Ok(0);
    }
    let wanted = wanted.join(", ");
    let condition = only.map(|(column, _)| format!(" WHERE {column} = ?1")).unwrap_or_default();
    let value = rusqlite::params_from_iter(only.map(|(_, value)| value));
    let mut nameless = 0;
    // A whole table, or a small one, is read without an index, which may be damaged.
    let is_small = matches!(table, "agents" | "runs");
    let order = if only.is_none() || is_small { " NOT INDEXED" } else { "" };
    db.each(&format!("SELECT {wanted} FROM {table}{order}{condition}"), value, |row| {
        work::row(0);
        nameless += u64::from(take(&Columns { row, names: &names }).is_none());
        Ok(true)
    })?;
    if only.is_none() {
        check_rows(db, table)?;
    }
    Ok(nameless)
}

/// Checks that a table's rows are in order and that its indexes have the same entries: SQLite cannot notice a page that is valid but
/// belongs elsewhere. This reads all rows, so it is for tables that are read whole anyway.
fn check_rows(db: &ReadOnlyDb, table: &str) -> Result<(), ReadError> {
    if db.has_rowid(table)? != Some(true) || !db.is_read_by_sqlite() {
        return Ok(());
    }
    let mut last: Option<i64> = None;
    db.each(&format!("SELECT rowid FROM {table} NOT INDEXED"), [], |row| {
        let now = row.get(0)?;
        if last.replace(now).is_some_and(|last| last >= now) {
            db.note_damage();
        }
        Ok(true)
    })?;
    let indexes = "SELECT name FROM pragma_index_list(?1) WHERE NOT partial";
    for index in db.list(indexes, [table], |row| row.get::<_, String>(0))? {
        let columns = "SELECT name FROM pragma_index_info(?1)";
        let columns = db.list(columns, [&index], |row| row.get::<_, Option<String>>(0))?;
        // An index of something that is computed has no name for it.
        let Some(columns) = columns.into_iter().collect::<Option<Vec<String>>>() else { continue };
        let columns = columns.iter().map(|column| quoted(column));
        let is_same: Vec<String> = columns.map(|column| format!("other.{column} IS own.{column}")).collect();
        let (index, is_same) = (quoted(&index), is_same.join(" AND "));
        let agree = format!(
            "SELECT (SELECT count(*) FROM {table} NOT INDEXED) = (SELECT count(*) FROM {table} INDEXED BY {index})
             AND NOT EXISTS (SELECT 1 FROM {table} AS own NOT INDEXED WHERE NOT EXISTS (
                SELECT 1 FROM {table} AS other INDEXED BY {index} WHERE {is_same} AND other.rowid = own.rowid))"
        );
        if db.first(&agree, [], |row| row.get(0))? == Some(false) {
            db.note_damage();
        }
    }
    Ok(())
}

/// A fingerprint of the rows of each conversation that these columns of these tables name.
pub(crate) fn row_prints(
    db: &ReadOnlyDb,
    tables: &[(&str, &str)],
) -> Result<BTreeMap<String, u64>, ReadError> {
    let mut prints = BTreeMap::new();
    for (table, column) in tables {
        if !db.columns(table)?.contains(*column) {
            continue;
        }
        db.each(&format!("SELECT * FROM {table}"), [], |row| {
            work::row(0);
            let values = value_prints(row)?;
            if let Ok(ValueRef::Text(id)) = row.get_ref(*column) {
                let known: &mut u64 = prints.entry(String::from_utf8_lossy(id).into_owned()).or_default();
                // In the order of the table, so that rows that change places count too.
                *known = fingerprint::of(&(*known, values));
            }
            Ok(true)
        })?;
    }
    Ok(prints)
}

/// A fingerprint of each value of a row.
pub(crate) fn value_prints(row: &Row<'_>) -> rusqlite::Result<Vec<u64>> {
    let print = |at: usize| {
        Ok(match row.get_ref(at)? {
            ValueRef::Null => 0,
            ValueRef::Integer(number) => fingerprint::of(&number),
            ValueRef::Real(number) => fingerprint::of(&number.to_bits()),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => fingerprint::of(bytes),
        })
    };
    (0..row.as_ref().column_count()).map(print).collect()
}
