//! Stores to read from: maps, and the recorded databases loaded into maps.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

use backscroll_cursor_format::agent::{self, AgentConversation, GraphLocation};
use backscroll_cursor_format::{BlobId, Blobs, RowsError};
use backscroll_model::{Decoded, Layer, Origin, TurnOutline};
use sha2::{Digest, Sha256};

pub(super) use crate::recorded::{about, recorded, rows};

/// Blobs in memory.
#[derive(Debug, Default, Clone)]
pub(super) struct Held(pub(super) HashMap<String, Vec<u8>>);

impl Blobs for Held {
    fn blob(&self, id: &BlobId) -> Result<Option<Cow<'_, [u8]>>, RowsError> {
        Ok(self.0.get(&id.to_string()).map(|bytes| bytes.as_slice().into()))
    }
}

impl Held {
    /// Keeps `bytes` and gives the raw id by which others refer to them.
    pub(super) fn put(&mut self, bytes: impl AsRef<[u8]>) -> [u8; 32] {
        let id: [u8; 32] = Sha256::digest(bytes.as_ref()).into();
        self.0.insert(hex(&id), bytes.as_ref().to_vec());
        id
    }

    pub(super) fn place(&self) -> GraphLocation<'_> {
        GraphLocation { blobs: self, root: origin("root"), prefix: "" }
    }
}

/// The conversation of the root that `bytes` hold.
pub(super) fn conversation(bytes: &[u8], place: &GraphLocation<'_>) -> Decoded<AgentConversation> {
    agent::conversation(agent::root(bytes, &place.root), place)
}

/// The turns of the root that `bytes` hold.
pub(super) fn skeleton(bytes: &[u8], place: &GraphLocation<'_>) -> Decoded<Vec<TurnOutline>> {
    agent::skeleton(&agent::root(bytes, &place.root).value, place)
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
