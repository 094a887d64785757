//! Single facts that the index knows about itself.

use rusqlite::types::FromSql;
use rusqlite::{Connection, ToSql};

use crate::IndexError;
use crate::database::Statements as _;

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
        let sql =
            "INSERT INTO about (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2";
        self.connection.run(sql, (name, value))
    }

    /// A single fact.
    pub(crate) fn noted<T: FromSql>(&self, name: &str) -> Result<Option<T>, IndexError> {
        self.connection.one("SELECT value FROM about WHERE name = ?1", [name], |row| row.get(0))
    }
}
