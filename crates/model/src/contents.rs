//! What a store is made of: rows and bytes by kind, whether or not they tell of a conversation.

/// What a store is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    /// Each kind of row, most bytes first.
    pub kinds: Vec<StoredKind>,
    /// Bytes of the file that hold nothing at present and will be used again.
    pub free_bytes: u64,
}

/// How much there is of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredKind {
    /// The table it stands in, if it is a table.
    pub table: Option<String>,
    /// What its keys begin with; where a table is not told apart by keys, the table's name.
    pub name: String,
    /// Rows.
    pub rows: u64,
    /// Bytes of their keys and values, without what the database adds.
    pub bytes: u64,
    /// Of the rows, those of a conversation that has no record any more.
    pub orphaned: u64,
}

impl Contents {
    /// Adds what another file is made of.
    pub fn add(&mut self, other: Self) {
        for more in other.kinds {
            let known =
                self.kinds.iter_mut().find(|kind| (&kind.table, &kind.name) == (&more.table, &more.name));
            match known {
                Some(kind) => {
                    kind.rows = kind.rows.saturating_add(more.rows);
                    kind.bytes = kind.bytes.saturating_add(more.bytes);
                    kind.orphaned = kind.orphaned.saturating_add(more.orphaned);
                }
                None => self.kinds.push(more),
            }
        }
        self.free_bytes = self.free_bytes.saturating_add(other.free_bytes);
        self.kinds.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
    }

    /// All rows.
    pub fn rows(&self) -> u64 {
        self.kinds.iter().fold(0, |all, kind| all.saturating_add(kind.rows))
    }

    /// All bytes of rows.
    pub fn bytes(&self) -> u64 {
        self.kinds.iter().fold(0, |all, kind| all.saturating_add(kind.bytes))
    }

    /// All rows of conversations that have no record any more.
    pub fn orphaned(&self) -> u64 {
        self.kinds.iter().fold(0, |all, kind| all.saturating_add(kind.orphaned))
    }
}
