//! Tables in memory that stand for a database.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use backscroll_cursor_format::ide::{self, Assembled};
use backscroll_cursor_format::{BlobId, Blobs, Row, Rows, RowsError};
use backscroll_model::{ConversationId, Fragment, Layer, Origin};
use serde_json::{Value, json};

use crate::recorded::{files, has_table, recorded, rows};

/// A key-value table: values by key, and when each was written.
#[derive(Debug, Default, Clone)]
pub(super) struct Table(pub(super) BTreeMap<String, (Option<Vec<u8>>, i64)>);

impl Rows for Table {
    fn value(&self, key: &str) -> Result<Option<Option<Vec<u8>>>, RowsError> {
        Ok(self.0.get(key).map(|(value, _)| value.clone()))
    }

    fn under(&self, prefix: &str, each: &mut dyn FnMut(Row<'_>)) -> Result<(), RowsError> {
        for (key, (value, rowid)) in self.beginning(prefix) {
            each(Row { key: key.as_bytes(), value: value.as_deref(), rowid: *rowid });
        }
        Ok(())
    }
}

impl Blobs for Table {
    fn blob(&self, id: &BlobId) -> Result<Option<Cow<'_, [u8]>>, RowsError> {
        Ok(self.value(&format!("{}{id}", ide::keys::BLOBS))?.flatten().map(Cow::Owned))
    }
}

impl Table {
    /// The table that a recorded database holds, empty if it has none of that name.
    pub(super) fn of(database: &Path, table: &str) -> Self {
        if !has_table(database, table) {
            return Self::default();
        }
        let sql = format!("SELECT key, value FROM {table} WHERE key IS NOT NULL ORDER BY rowid");
        let numbered = rows(database, &sql).into_iter().zip(1..);
        Self(numbered.map(|((key, value), rowid)| (key, (value, rowid))).collect())
    }

    pub(super) fn beginning<'a>(
        &'a self,
        prefix: &'a str,
    ) -> impl Iterator<Item = (&'a String, &'a (Option<Vec<u8>>, i64))> {
        self.0.range(prefix.to_owned()..).take_while(move |(key, _)| key.starts_with(prefix))
    }

    pub(super) fn put(&mut self, key: impl Into<String>, value: impl AsRef<[u8]>) {
        let rowid = i64::try_from(self.0.len()).expect("few rows") + 1;
        self.0.insert(key.into(), (Some(value.as_ref().to_vec()), rowid));
    }

    pub(super) fn put_json(&mut self, key: impl Into<String>, value: &Value) {
        self.put(key, value.to_string());
    }

    pub(super) fn bytes(&self, key: &str) -> Option<&[u8]> {
        self.0.get(key)?.0.as_deref()
    }

    /// The composers that have a record, by id.
    pub(super) fn composers(&self) -> impl Iterator<Item = (ConversationId, &[u8])> {
        self.beginning(ide::keys::COMPOSERS).filter_map(|(key, (value, _))| {
            Some((ConversationId::new(&key[ide::keys::COMPOSERS.len()..]), value.as_deref()?))
        })
    }

    pub(super) fn assemble(&self, id: &str) -> Assembled {
        let key = format!("{}{id}", ide::keys::COMPOSERS);
        let record = self.bytes(&key).expect("a record");
        let id = ConversationId::new(id);
        ide::assemble(&id, record, self, self, &origin(&key)).expect("maps answer")
    }
}

pub(super) fn origin(key: &str) -> Origin {
    Origin::new(Layer::IdeGlobal, Path::new("state.vscdb"), key)
}

/// The conversation `c` whose record is `record` and whose bubbles stand in rows under their `bubbleId`.
pub(super) fn conversation(record: &Value, bubbles: &[Value]) -> Fragment {
    let mut table = Table::default();
    table.put_json("composerData:c", record);
    for bubble in bubbles {
        table.put_json(format!("bubbleId:c:{}", bubble["bubbleId"].as_str().expect("an id")), bubble);
    }
    table.assemble("c").fragment
}

/// A conversation that lists these bubbles and has a row for each.
pub(super) fn listing(bubbles: &[Value]) -> Fragment {
    let headers: Vec<Value> =
        bubbles.iter().map(|b| json!({"bubbleId": b["bubbleId"], "type": b["type"]})).collect();
    conversation(&json!({"composerId": "c", "fullConversationHeadersOnly": headers}), bubbles)
}

/// The global databases of a recorded home, and the workspace ones.
pub(super) fn databases(home: &str) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let is_database = |path: &PathBuf| path.file_name().is_some_and(|name| name == "state.vscdb");
    let all = files(&recorded(home)).into_iter().filter(is_database);
    all.partition(|path| path.parent().is_some_and(|folder| folder.ends_with("globalStorage")))
}
