//! Single facts that the index knows about itself.

use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension as _, ToSql};

use crate::IndexError;

/// Single facts, by their names.
#[derive(Debug)]
pub(crate) struct Ledger<'a> {
    connection: &'a Connection,
}

impl<'a> Ledger<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self { connection }
    }

    /// Writes down a single fact.
    pub(crate) fn note(&self, name: &str, value: impl ToSql) -> Result<(), IndexError> {
        self.connection
            .prepare_cached(
                "INSERT INTO about (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2",
            )?
            .execute((name, value))?;
        Ok(())
    }

    /// A single fact.
    pub(crate) fn noted<T: FromSql>(&self, name: &str) -> Result<Option<T>, IndexError> {
        let mut find = self.connection.prepare_cached("SELECT value FROM about WHERE name = ?1")?;
        Ok(find.query_row([name], |row| row.get(0)).optional()?)
    }
}
