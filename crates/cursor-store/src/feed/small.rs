//! The change feed of places that are one small file: the search index, the tracking of lines, the prompt history.

use std::path::Path;

use backscroll_model::{Changes, ConversationId, Mark};
use rusqlite::types::ValueRef;

use super::ledger::{self, Piece, Told};
use super::{fingerprint, stamp};
use crate::read_only_db::{ReadError, ReadOnlyDb};

/// What changed in a database of which these columns of these tables name conversations.
pub(crate) fn database(since: Option<&Mark>, file: &Path, tables: &[(&str, &str)]) -> Changes {
    let stamp = stamp::database(file);
    let piece = Piece { name: file.to_string_lossy().into_owned(), stamp, what: () };
    let look = |db: &ReadOnlyDb| {
        let mut told = Told::new();
        for (table, column) in tables {
            add_rows(db, table, column, &mut told)?;
        }
        Ok(told)
    };
    ledger::changes(since, &[piece], |()| ledger::settled(ReadOnlyDb::ask(file, look)))
}

/// What changed in a file that tells of one conversation, where `besides` matters too.
pub(crate) fn file(since: Option<&Mark>, file: &Path, id: &ConversationId, besides: bool) -> Changes {
    let stamp = fingerprint::of(&(stamp::file(file), besides));
    let piece = Piece { name: file.to_string_lossy().into_owned(), stamp, what: () };
    ledger::changes(since, &[piece], |()| Some(Told::from([(id.clone(), stamp)])))
}

/// Adds every row of a table to the conversation that it names.
fn add_rows(db: &ReadOnlyDb, table: &str, column: &str, told: &mut Told) -> Result<(), ReadError> {
    if !db.columns(table)?.contains(column) {
        return Ok(());
    }
    let mut read = || -> rusqlite::Result<()> {
        let mut statement = db.connection().prepare(&format!("SELECT * FROM {table}"))?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let mut values = Vec::with_capacity(columns);
            for at in 0..columns {
                values.push(match row.get_ref(at)? {
                    ValueRef::Null => 0,
                    ValueRef::Integer(number) => fingerprint::of(&number),
                    ValueRef::Real(number) => fingerprint::of(&number.to_bits()),
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => fingerprint::of(bytes),
                });
            }
            let Ok(ValueRef::Text(id)) = row.get_ref(column) else { continue };
            let known = told.entry(ConversationId::new(String::from_utf8_lossy(id))).or_default();
            // In the order of the table, so that rows that change places count too.
            *known = fingerprint::of(&(*known, values));
        }
        Ok(())
    };
    read().map_err(|because| db.error(because))
}
