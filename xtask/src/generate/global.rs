//! The global database, written in one go: one transaction, prepared statements, no waiting for the disk.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use backscroll_fixtures::{Composer, HeaderTable, StateDatabase, Value, create_database};
use rusqlite::{Connection, params};
use serde_json::Value as Json;

/// A global database under construction.
#[derive(Debug)]
pub(super) struct Global {
    connection: Connection,
    path: std::path::PathBuf,
    /// Rows and bytes by the first word of the key.
    families: BTreeMap<String, (u64, u64)>,
}

impl Global {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        StateDatabase::new().item("cursorupdate.lastUpdatedAndShown.version", "3.12.17").write_to(path)?;
        let connection = create_database(path)?;
        let fast =
            "PRAGMA journal_mode = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -200000; BEGIN";
        connection.execute_batch(fast).map_err(io::Error::other)?;
        Ok(Self { connection, path: path.to_owned(), families: BTreeMap::new() })
    }

    pub(super) fn row(&mut self, key: Option<&str>, value: &Value) -> io::Result<()> {
        let family = key.map_or("NULL", |key| key.split([':', '-']).next().unwrap_or(key));
        let family = if family.starts_with("composer.content") { "composer.content" } else { family };
        let size = key.map_or(0, str::len) + value.bytes().map_or(0, <[u8]>::len);
        let (rows, bytes) = self.families.entry(family.to_owned()).or_default();
        *rows += 1;
        *bytes += size as u64;
        let insert = self.connection.prepare_cached("INSERT INTO cursorDiskKV (key, value) VALUES (?1, ?2)");
        insert.and_then(|mut insert| insert.execute(params![key, value])).map(drop).map_err(io::Error::other)
    }

    pub(super) fn composer(&mut self, composer: &Composer) -> io::Result<()> {
        composer.rows().iter().try_for_each(|(key, value)| self.row(Some(key), value))
    }

    pub(super) fn bytes_of(&self, family: &str) -> u64 {
        self.families.get(family).map_or(0, |(_, bytes)| *bytes)
    }

    /// Ends the transaction, adds the indexes of conversations, and tells what is in the database.
    pub(super) fn finish(self, list: &[Json], heads: &HeaderTable) -> io::Result<String> {
        self.connection.execute_batch("COMMIT; PRAGMA journal_mode = WAL;").map_err(io::Error::other)?;
        self.connection.close().map_err(|(_, error)| io::Error::other(error))?;
        StateDatabase::new()
            .head_list(list.iter().cloned())
            .header_table(heads.clone())
            .write_to(&self.path)?;
        let mut told = String::new();
        for (family, (rows, bytes)) in &self.families {
            let _ = writeln!(told, "{family:24} {rows:9} rows {:8} kB", bytes / 1_000);
        }
        Ok(told)
    }
}
