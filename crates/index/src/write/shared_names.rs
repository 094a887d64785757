//! Names that many rows share are written once; each is looked up in the tables no more than once in a run.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use backscroll_model::{Layer, Origin};
use rusqlite::{Connection, Params};

use crate::IndexError;

/// The numbers of names.
#[derive(Debug, Default)]
pub(super) struct SharedNames {
    places: HashMap<(Layer, Arc<Path>), i64>,
    models: HashMap<String, i64>,
    tools: HashMap<(String, String), i64>,
    files: HashMap<String, i64>,
}

/// Files are many; beyond so many the memory is given back and the tables are asked again.
const MOST_FILES: usize = 100_000;

impl SharedNames {
    pub(super) fn place(&mut self, connection: &Connection, origin: &Origin) -> Result<i64, IndexError> {
        let key = (origin.layer, Arc::clone(&origin.file));
        if let Some(number) = self.places.get(&key) {
            return Ok(*number);
        }
        let file = origin.file.to_string_lossy();
        let number = find_or_insert(
            connection,
            "SELECT number FROM place WHERE layer = ?1 AND file = ?2",
            "INSERT INTO place (layer, file) VALUES (?1, ?2)",
            (origin.layer.name(), &*file),
        )?;
        self.places.insert(key, number);
        Ok(number)
    }

    pub(super) fn model(&mut self, connection: &Connection, name: &str) -> Result<i64, IndexError> {
        if let Some(number) = self.models.get(name) {
            return Ok(*number);
        }
        let number = find_or_insert(
            connection,
            "SELECT number FROM model WHERE name = ?1",
            "INSERT INTO model (name) VALUES (?1)",
            [name],
        )?;
        self.models.insert(name.to_owned(), number);
        Ok(number)
    }

    pub(super) fn tool(
        &mut self,
        connection: &Connection,
        names: &(String, String),
    ) -> Result<i64, IndexError> {
        if let Some(number) = self.tools.get(names) {
            return Ok(*number);
        }
        let number = find_or_insert(
            connection,
            "SELECT number FROM tool WHERE name = ?1 AND raw_name = ?2",
            "INSERT INTO tool (name, raw_name) VALUES (?1, ?2)",
            (&names.0, &names.1),
        )?;
        self.tools.insert(names.clone(), number);
        Ok(number)
    }

    pub(super) fn file(&mut self, connection: &Connection, path: &str) -> Result<i64, IndexError> {
        if let Some(number) = self.files.get(path) {
            return Ok(*number);
        }
        if self.files.len() >= MOST_FILES {
            self.files.clear();
        }
        let number = find_or_insert(
            connection,
            "SELECT number FROM file WHERE path = ?1 AND name = ?2",
            "INSERT INTO file (path, name) VALUES (?1, ?2)",
            (path, last_component(path)),
        )?;
        self.files.insert(path.to_owned(), number);
        Ok(number)
    }
}

/// The last component of a path of any system, in lower case; the path itself if it has none.
pub(crate) fn last_component(path: &str) -> String {
    let mut components = path.rsplit(['/', '\\']).filter(|component| !component.is_empty());
    components.next().unwrap_or(path).to_lowercase()
}

fn find_or_insert(
    connection: &Connection,
    find: &str,
    insert: &str,
    names: impl Params + Clone,
) -> Result<i64, IndexError> {
    let mut find = connection.prepare_cached(find)?;
    let found = match find.query_row(names.clone(), |row| row.get(0)) {
        Err(rusqlite::Error::QueryReturnedNoRows) => None,
        found => Some(found?),
    };
    match found {
        Some(number) => Ok(number),
        None => Ok(connection.prepare_cached(insert)?.insert(names)?),
    }
}
