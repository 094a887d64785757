//! What is remembered of a `state.vscdb`: enough to see what changed, and small beside the database.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// What is remembered of one database.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(super) struct Memory {
    /// Which file it was.
    pub(super) identity: u64,
    /// SQLite's count of changes of the schema; a VACUUM changes it too.
    pub(super) schema: i64,
    /// The rows of `cursorDiskKV`.
    pub(super) rows: Rows,
    /// The indexes of conversations as they are stored, and what they tell of each.
    pub(super) indexes: u64,
    pub(super) heads: BTreeMap<String, u64>,
    /// The places behind workspace ids.
    pub(super) folders: BTreeMap<String, u64>,
    /// The files of plans.
    #[serde(default)]
    pub(super) plans: BTreeMap<String, u64>,
    /// The conversations that speak of plans; nobody looked as long as there was none.
    #[serde(default)]
    pub(super) plan_speakers: Option<BTreeSet<String>>,
}

/// What is remembered of the rows.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(super) struct Rows {
    /// How many there are, of whatever kind.
    pub(super) count: u64,
    /// The highest rowid.
    pub(super) top: i64,
    /// Rows that are looked up again: if they are not what they were, the table is another one.
    pub(super) anchors: Vec<Anchor>,
    /// Rows that are named after what they hold.
    pub(super) contents: Sum,
    /// The rows of each conversation.
    pub(super) told: BTreeMap<String, Sum>,
}

/// One row that is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Anchor {
    pub(super) rowid: i64,
    pub(super) key: String,
    pub(super) value: u64,
}

/// How many rows, and a fingerprint of all of them, in any order.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sum(pub(super) u64, pub(super) u64);

impl Sum {
    pub(super) fn add(&mut self, print: u64) {
        self.0 += 1;
        self.1 = self.1.wrapping_add(print);
    }
}
