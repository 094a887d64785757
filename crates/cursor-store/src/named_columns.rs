//! Rows whose columns are read by name, because versions differ in which ones they have.

use std::collections::HashSet;

use rusqlite::Row;
use rusqlite::types::ValueRef;

use crate::read_only_db::{ReadError, ReadOnlyDb};

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
    let mut read = || -> rusqlite::Result<u64> {
        let mut nameless = 0;
        let mut statement = db.connection().prepare(&format!("SELECT {wanted} FROM {table}{condition}"))?;
        let mut rows = statement.query(rusqlite::params_from_iter(only.map(|(_, value)| value)))?;
        while let Some(row) = rows.next()? {
            nameless += u64::from(take(&Columns { row, names: &names }).is_none());
        }
        Ok(nameless)
    };
    read().map_err(|because| db.error(because))
}
