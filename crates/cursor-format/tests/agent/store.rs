//! Stores to read from: maps, and the recorded databases loaded into maps.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use backscroll_cursor_format::agent::Place;
use backscroll_cursor_format::{Blobs, RowsError};
use backscroll_model::{Layer, Origin};
use rusqlite::{Connection, OpenFlags};
use sha2::{Digest, Sha256};

/// Blobs in memory.
#[derive(Debug, Default, Clone)]
pub(super) struct Held(pub(super) HashMap<String, Vec<u8>>);

impl Blobs for Held {
    fn blob(&self, id: &str) -> Result<Option<Vec<u8>>, RowsError> {
        Ok(self.0.get(id).cloned())
    }
}

impl Held {
    /// Keeps `bytes` and gives the raw id by which others refer to them.
    pub(super) fn put(&mut self, bytes: impl AsRef<[u8]>) -> [u8; 32] {
        let id: [u8; 32] = Sha256::digest(bytes.as_ref()).into();
        self.0.insert(hex(&id), bytes.as_ref().to_vec());
        id
    }

    pub(super) fn place(&self) -> Place<'_> {
        Place { blobs: self, root: origin("root"), prefix: "" }
    }
}

pub(super) fn origin(key: &str) -> Origin {
    Origin::new(Layer::CliStore, Path::new("store.db"), key)
}

pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a String");
        text
    })
}

pub(super) fn recorded(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/recorded").join(name)
}

pub(super) fn about(name: &str) -> toml::Table {
    let text = fs::read_to_string(recorded(name).join("about.toml")).expect("about.toml");
    text.parse().expect("about.toml is TOML")
}

/// Rows of a two-column table of a recorded database, read from a copy.
pub(super) fn rows(database: &Path, sql: &str) -> Vec<(String, Option<Vec<u8>>)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = folder.path().join("copy.db");
    fs::copy(database, &copy).expect("the recorded database");
    let uri = format!("file:{}?immutable=1", copy.display());
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    #[expect(clippy::disallowed_methods, reason = "a copy of a recorded store, in a test")]
    let connection = Connection::open_with_flags(uri, flags).expect("a database");
    let mut statement = connection.prepare(sql).expect("the table");
    let rows = statement.query_map([], |row| {
        let value = match row.get_ref(1)? {
            rusqlite::types::ValueRef::Text(bytes) | rusqlite::types::ValueRef::Blob(bytes) => {
                Some(bytes.to_vec())
            }
            _ => None,
        };
        Ok((row.get(0)?, value))
    });
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

/// The only `store.db` of a recorded home: its blobs and its meta row.
pub(super) fn cli_store(name: &str) -> (Held, Vec<u8>) {
    let mut folder = recorded(name).join(".cursor/chats");
    for _ in 0..2 {
        let mut entries = fs::read_dir(&folder).expect("a folder");
        folder = entries.next().expect("an entry").expect("an entry").path();
    }
    let database = folder.join("store.db");
    let blobs = rows(&database, "SELECT id, data FROM blobs");
    let held = blobs.into_iter().map(|(id, data)| (id, data.expect("a blob")));
    let meta = rows(&database, "SELECT key, value FROM meta WHERE key = '0'");
    (Held(held.collect()), meta[0].1.clone().expect("a value"))
}
