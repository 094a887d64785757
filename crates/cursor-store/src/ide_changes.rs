//! What changed in a `state.vscdb` since it was last read: rows of conversations, the indexes of conversations, and the
//! workspaces that both name. It costs what changed, not what is stored.
//!
//! Cursor rewrites a row under a new highest rowid, so rows above the last maximum are what changed. What that cannot show
//! (deleted rows, a VACUUM, a replaced file) shows in the number of rows and in rows that are looked up again; then all
//! keys are compared with what is remembered of each conversation.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use backscroll_cursor_format::ide::{RowKey, RowKind, keys};
use backscroll_cursor_format::tracking::TRACKED_LINES_KEY;
use backscroll_model::{
    Catalogue, CatalogueEntry, Catalogued, ConversationId, Flag, Fragment, FragmentKind, Layer, Mark,
    Named as _,
};
use rusqlite::types::ValueRef;
use serde::{Deserialize, Serialize};

use crate::ide_composers::{Composers, chat_tabs, null_records};
use crate::ide_global::IdeGlobal;
use crate::ide_heads::Heads;
use crate::named_columns::value_prints;
use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::row_sums::{Sum, Sums};
use crate::table::{KeyRange, bytes};
use crate::{files, fingerprint, work};

/// The values of `ItemTable` that tell of conversations.
const ITEMS: [&str; 7] = [
    keys::HEADERS,
    keys::PROJECTS,
    keys::MEMBERSHIP,
    keys::CHAT_TABS,
    keys::PROMPTS,
    keys::GENERATIONS,
    TRACKED_LINES_KEY,
];

impl IdeGlobal {
    /// What the database has of conversations, or what changed since `since`. The mark is taken before anything else is
    /// read: a change that happens meanwhile is seen again, never missed.
    pub(crate) fn catalogue_since(&self, since: Option<&Mark>) -> Result<Catalogue, ReadError> {
        let known: Option<Memory> = since.and_then(|mark| serde_json::from_str(&mark.0).ok());
        let is_known = known.is_some();
        let old = known.unwrap_or_default();
        let identity = files::identity(&self.file);
        let folders = self.folder_prints();
        let (mut memory, unseen) = self.connections.ask(|db| self.compare(db, &old, identity))?;
        memory.folders = folders;
        let changed = if is_known { Some(self.changed(&old, &memory, &unseen)?) } else { None };
        let listed = self.listed(changed.as_ref())?;
        memory.null_records = old.null_records;
        // There may be a million of them, and they are about to be written out once more.
        drop(old.rows);
        match &changed {
            Some(changed) => memory.null_records.retain(|id| !changed.contains(&ConversationId::new(id))),
            None => memory.null_records.clear(),
        }
        memory.null_records.extend(listed.null_records);
        let mut findings = listed.findings;
        findings.extend(null_records(memory.null_records.len(), &self.file));
        let entry = |(id, heads): (ConversationId, Vec<Fragment>)| {
            let name = id.as_str();
            let stamp =
                fingerprint::of(&(memory.rows.sums.get(name).map(|sum| sum.1), memory.heads.get(name)));
            // A record that cannot be decoded makes no head, but may be asked for.
            let is_undecoded = |head: &Fragment| {
                let is_null = head.summary.flags.contains(&Flag::Deleted);
                head.kind == FragmentKind::Evidence && head.layer() == Layer::IdeGlobal && !is_null
            };
            let kind =
                heads.iter().map(|head| if is_undecoded(head) { FragmentKind::Account } else { head.kind });
            let kind = kind.min().unwrap_or_default();
            Catalogued { entry: CatalogueEntry::new(id, Arc::clone(&self.file), kind), heads, stamp }
        };
        let entries = listed.heads.into_iter().map(entry).collect();
        // Numbers, texts and lists of them: nothing that JSON could refuse.
        let mark = Mark(serde_json::to_string(&memory).unwrap_or_default());
        Ok(Catalogue { entries, changed, mark, findings })
    }

    /// The conversations of which two memories have different things.
    fn changed(
        &self,
        old: &Memory,
        now: &Memory,
        unseen: &Unseen,
    ) -> Result<BTreeSet<ConversationId>, ReadError> {
        let mut named: BTreeSet<&str> = old.rows.sums.differing(&now.rows.sums).collect();
        named.extend(differing(&old.heads, &now.heads));
        named.extend(unseen.overwritten.iter().filter_map(|key| RowKey::parse(key)?.conversation()));
        if unseen.of_any {
            named.extend(now.rows.sums.iter().map(|(id, _)| id));
        }
        let moved: BTreeSet<&str> = differing(&old.folders, &now.folders).collect();
        let in_moved = if moved.is_empty() { Vec::new() } else { self.in_workspaces(&moved)? };
        named.extend(in_moved.iter().map(String::as_str));
        Ok(named.into_iter().map(ConversationId::new).collect())
    }

    fn compare(&self, db: &ReadOnlyDb, old: &Memory, identity: u64) -> Result<(Memory, Unseen), ReadError> {
        let schema: i64 =
            db.sql(|connection| connection.query_row("PRAGMA schema_version", [], |row| row.get(0)))?;
        let is_same_file = (identity, schema) == (old.identity, old.schema);
        let (rows, unseen) = compare_rows(db, &old.rows, is_same_file)?;
        let indexes = stored_indexes(db)?;
        let heads = if indexes == old.indexes { old.heads.clone() } else { self.prints_of_indexes(db)? };
        Ok((Memory { identity, schema, rows, indexes, heads, ..Memory::default() }, unseen))
    }

    /// A fingerprint of what the indexes have of each conversation.
    fn prints_of_indexes(&self, db: &ReadOnlyDb) -> Result<BTreeMap<String, u64>, ReadError> {
        let mut prints = Heads::read(db, &self.file)?.prints();
        let mut add = |conversation: Fragment| {
            let print = prints.entry(conversation.summary.id.as_str().to_owned()).or_default();
            *print = print.wrapping_add(fingerprint::of_fragment(&conversation));
        };
        chat_tabs(db, &self.file, Layer::IdeGlobal, None, &mut add)?;
        self.prompts(db)?.into_iter().for_each(add);
        for (id, one) in self.tracked_lines_now(db)?.each() {
            let print = prints.entry(id.to_owned()).or_default();
            *print = print.wrapping_add(fingerprint::of_all(one));
        }
        Ok(prints)
    }

    /// Conversations that name one of these workspaces by its id.
    fn in_workspaces(&self, ids: &BTreeSet<&str>) -> Result<Vec<String>, ReadError> {
        let is_one = |id: Option<&str>| id.is_some_and(|id| ids.contains(id));
        let heads = self.connections.ask(|db| Heads::read(db, &self.file))?;
        let mut named: Vec<String> =
            heads.naming_workspace(&is_one).map(|id| id.as_str().to_owned()).collect();
        let records = Composers::read(&self.connections, &self.file)?.listed.into_iter();
        let records = records.filter(|listed| is_one(listed.evidence.workspace_id.as_deref()));
        named.extend(records.map(|listed| listed.evidence.summary.id.as_str().to_owned()));
        Ok(named)
    }
}

/// A fingerprint of everything about conversations besides their rows, as it is stored.
fn stored_indexes(db: &ReadOnlyDb) -> Result<u64, ReadError> {
    let mut prints = Vec::new();
    if let Some(items) = db.table("ItemTable")? {
        for key in ITEMS {
            prints.push(fingerprint::of(&items.get(key)?));
        }
    }
    if !db.columns("composerHeaders")?.is_empty() {
        prints.extend(db.list("SELECT * FROM composerHeaders", [], value_prints)?.into_iter().flatten());
    }
    Ok(fingerprint::of(&prints))
}

/// Names under which two memories have different things.
fn differing<'a, T: PartialEq>(
    before: &'a BTreeMap<String, T>,
    after: &'a BTreeMap<String, T>,
) -> impl Iterator<Item = &'a str> {
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    let changed = after.iter().filter(|(name, print)| before.get(*name) != Some(*print));
    gone.chain(changed.map(|(name, _)| name)).map(String::as_str)
}

/// The number of anchors spread over the table; as many are at its end, where rowids are reused.
const EACH: i64 = 8;

const AT: &str =
    "SELECT rowid, key, octet_length(value), CASE WHEN octet_length(value) < 65536 THEN value END
                  FROM cursorDiskKV WHERE rowid = ?1";
const FROM: &str =
    "SELECT rowid, key, octet_length(value), CASE WHEN octet_length(value) < 65536 THEN value END
                    FROM cursorDiskKV WHERE rowid >= ?1 ORDER BY rowid LIMIT 1";
const LAST: &str =
    "SELECT rowid, key, octet_length(value), CASE WHEN octet_length(value) < 65536 THEN value END
                    FROM cursorDiskKV WHERE rowid <= ?1 ORDER BY rowid DESC LIMIT 8";

/// What a second look at anchors tells.
#[derive(Debug, Default)]
struct Held {
    /// Whether each is where it was, or was written anew since.
    all: bool,
    /// Keys of those that are where they were, with another value.
    overwritten: Vec<String>,
    /// Those that stood at the end of the table and went.
    cut: Vec<Anchor>,
}

/// Anchors of the table as it is now.
fn cast_anchors(db: &ReadOnlyDb, top: i64) -> Result<Vec<Anchor>, ReadError> {
    let mut anchors = db.list(LAST, [top], anchor)?;
    for part in 0..EACH {
        anchors.extend(db.first(FROM, [top / EACH * part], anchor)?);
    }
    anchors.sort_by_key(|anchor| anchor.rowid);
    anchors.dedup();
    Ok(anchors)
}

/// Looks at them again. `top` was the highest rowid when they were cast.
fn check_anchors(db: &ReadOnlyDb, anchors: &[Anchor], top: i64) -> Result<Held, ReadError> {
    let mut held = Held { all: true, ..Held::default() };
    for known in anchors {
        match db.first(AT, [known.rowid], anchor)? {
            Some(now) if now == *known => {}
            Some(now) if now.key == known.key => held.overwritten.push(now.key),
            Some(_) => held.all = false,
            None => {
                let moved = "SELECT rowid FROM cursorDiskKV WHERE key = ?1";
                let now: Option<i64> = db.first(moved, [&known.key], |row| row.get(0))?;
                held.all &= now.is_some_and(|rowid| rowid > top);
                if now.is_none() {
                    held.cut.push(known.clone());
                }
            }
        }
    }
    Ok(held)
}

/// Whether one of these rows is where it was.
fn is_any_there(db: &ReadOnlyDb, anchors: &[Anchor]) -> Result<bool, ReadError> {
    for known in anchors {
        if db.first(AT, [known.rowid], anchor)?.is_some_and(|now| now.key == known.key) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn anchor(row: &rusqlite::Row<'_>) -> rusqlite::Result<Anchor> {
    let bytes = |value: ValueRef<'_>| value.as_bytes_or_null().ok().flatten().unwrap_or_default().to_vec();
    let key = String::from_utf8_lossy(&bytes(row.get_ref(1)?)).into_owned();
    let value = fingerprint::of(&(row.get::<_, Option<i64>>(2)?, bytes(row.get_ref(3)?)));
    Ok(Anchor { rowid: row.get(0)?, key, value })
}

/// What is remembered of one database.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
struct Memory {
    /// Which file it was.
    identity: u64,
    /// SQLite's count of changes of the schema; a VACUUM changes it too.
    schema: i64,
    /// The rows of `cursorDiskKV`.
    rows: Rows,
    /// The indexes of conversations as they are stored, and what they tell of each.
    indexes: u64,
    heads: BTreeMap<String, u64>,
    /// The places behind workspace ids.
    folders: BTreeMap<String, u64>,
    /// Conversations whose record is NULL: Cursor's mark for a deleted one.
    null_records: BTreeSet<String>,
}

/// What is remembered of the rows.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
struct Rows {
    /// How many there are, of whatever kind.
    count: u64,
    /// The highest rowid.
    top: i64,
    /// Rows that are looked up again: if they are not what they were, the table is another one.
    anchors: Vec<Anchor>,
    /// Rows that went from the end of the table and whose place is free. One that is back where it was came with an older
    /// copy of the file: what stands above the highest rowid is then not new.
    cut: Vec<Anchor>,
    /// Rows that are named after what they hold.
    contents: Sum,
    /// The rows of each conversation.
    sums: Arc<Sums>,
}

/// One row that is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Anchor {
    rowid: i64,
    key: String,
    value: u64,
}

const TOP: &str = "SELECT max(rowid) FROM cursorDiskKV";
const ROWS: &str = "SELECT count(*) FROM cursorDiskKV";
const ABOVE: &str = "SELECT key FROM cursorDiskKV WHERE rowid > ?1";
const WITHIN: &str = "SELECT key, rowid FROM cursorDiskKV WHERE key >= ?1 AND key < ?2";
const ALL: &str = "SELECT key, rowid FROM cursorDiskKV ORDER BY key";
/// The same of a table without rowids, where only values show what changed.
const VALUES: &str = "SELECT key, value FROM cursorDiskKV ORDER BY key";

/// Changes that the sums of conversations do not show.
#[derive(Debug, Default)]
struct Unseen {
    /// Keys of rows that have another value in the same place.
    overwritten: Vec<String>,
    /// Rows that are named after what they hold went, or came back with an older file: nothing says whose they are.
    of_any: bool,
}

/// The rows as they are now, and what besides their sums differs from `old`.
fn compare_rows(db: &ReadOnlyDb, old: &Rows, is_same_file: bool) -> Result<(Rows, Unseen), ReadError> {
    let Some(table) = db.table("cursorDiskKV")? else { return Ok(Default::default()) };
    if !table.has_rowid() {
        let (now, of_any) = reconciled(db, VALUES, old, Rows::default(), is_same_file)?;
        return Ok((now, Unseen { of_any, ..Unseen::default() }));
    }
    let number = |statement: &str| -> Result<i64, ReadError> {
        Ok(db.first(statement, [], |row| row.get::<_, Option<i64>>(0))?.flatten().unwrap_or_default())
    };
    let mut now = Rows { count: number(ROWS)?.unsigned_abs(), top: number(TOP)?, ..Rows::default() };
    now.anchors = cast_anchors(db, now.top)?;
    let held = check_anchors(db, &old.anchors, old.top)?;
    let is_same_file = is_same_file && !is_any_there(db, &old.cut)?;
    now.cut = old.cut.iter().chain(&held.cut).filter(|row| row.rowid > now.top).cloned().collect();
    let is_grown = is_same_file && held.all && now.top >= old.top && old.count > 0;
    let quick = if is_grown { grown(db, old, &now)? } else { None };
    let (now, of_any) = match quick {
        Some(grown) => (grown, false),
        None => reconciled(db, ALL, old, now, is_same_file)?,
    };
    Ok((now, Unseen { overwritten: held.overwritten, of_any }))
}

/// What came above the highest rowid; `None` if the number of rows says that there is more to it.
fn grown(db: &ReadOnlyDb, old: &Rows, now: &Rows) -> Result<Option<Rows>, ReadError> {
    let mut touched = BTreeSet::new();
    let mut grown = Rows { sums: Arc::clone(&old.sums), contents: old.contents, ..now.clone() };
    let mut expected = i128::from(old.count);
    let mut above = |key: &str| match RowKey::parse(key).map(|key| key.conversation()) {
        Some(Some(id)) => drop(touched.insert(id.to_owned())),
        Some(None) => {
            grown.contents.add(Sum::of(fingerprint::of(key)));
            expected += 1;
        }
        None => expected += 1,
    };
    each(db, ABOVE, [old.top], &mut |key, _| above(key))?;
    let mut sums = Sums::default();
    for id in &touched {
        let after = sum_of(db, id)?;
        expected += i128::from(after.0) - i128::from(old.sums.get(id).unwrap_or_default().0);
        if after.0 > 0 {
            sums.add(id, after);
        }
    }
    if !touched.is_empty() {
        old.sums.iter().filter(|(id, _)| !touched.contains(*id)).for_each(|(id, sum)| sums.add(id, sum));
        grown.sums = Arc::new(sums.in_order());
    }
    Ok((expected == i128::from(now.count)).then_some(grown))
}

/// All keys; and whether contents differ in a way that may concern any conversation.
fn reconciled(
    db: &ReadOnlyDb,
    statement: &str,
    old: &Rows,
    mut now: Rows,
    is_same_file: bool,
) -> Result<(Rows, bool), ReadError> {
    let (mut old_contents, mut sums) = (Sum::default(), Sums::default());
    each(db, statement, [], &mut |key, rowid| match RowKey::parse(key).map(|key| key.conversation()) {
        Some(Some(id)) => {
            sums.add(id, Sum::of(fingerprint::of(&(key, rowid))));
        }
        Some(None) => {
            let print = fingerprint::of(key);
            now.contents.add(Sum::of(print));
            if rowid <= old.top {
                old_contents.add(Sum::of(print));
            }
        }
        None => {}
    })?;
    now.sums = Arc::new(sums.in_order());
    // Contents come before the rows that name them, so new ones concern no other conversation.
    let is_appended = is_same_file && old_contents == old.contents;
    let of_any = !is_appended && now.contents != old.contents;
    Ok((now, of_any))
}

/// The rows of one conversation.
fn sum_of(db: &ReadOnlyDb, id: &str) -> Result<Sum, ReadError> {
    let mut sum = Sum::default();
    for range in ranges(id) {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        each(db, WITHIN, [text(range.from), text(range.before)], &mut |key, rowid| {
            sum.add(Sum::of(fingerprint::of(&(key, rowid))));
        })?;
    }
    Ok(sum)
}

/// All keys that belong to a conversation.
fn ranges(id: &str) -> Vec<KeyRange> {
    let mut ranges = Vec::new();
    for kind in RowKind::ALL.iter().filter(|kind| kind.is_owned()) {
        if *kind != RowKind::Record {
            ranges.push(KeyRange::under(&kind.under(id)));
        }
        ranges.push(KeyRange::only(&kind.key(id)));
    }
    ranges
}

/// Every row that `statement` gives: its key, and where it was asked for its rowid, or a fingerprint of its value.
fn each(
    db: &ReadOnlyDb,
    statement: &str,
    parameters: impl rusqlite::Params,
    each: &mut dyn FnMut(&str, i64),
) -> Result<(), ReadError> {
    db.each(statement, parameters, |row| {
        let key = String::from_utf8_lossy(bytes(row.get_ref(0)?).unwrap_or_default());
        work::row(0);
        let second = match row.get_ref(1) {
            Ok(ValueRef::Integer(rowid)) => rowid,
            Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => fingerprint::of(bytes).cast_signed(),
            Ok(ValueRef::Null | ValueRef::Real(_)) | Err(_) => 0,
        };
        each(&key, second);
        Ok(true)
    })?;
    Ok(())
}

/// How SQLite answers each question: for a test that asserts that values are not read.
#[cfg(test)]
fn query_plans(db: &ReadOnlyDb) -> Vec<String> {
    let plan = |statement: &&str| {
        let mut plan = db.connection().prepare(&format!("EXPLAIN QUERY PLAN {statement}")).unwrap();
        let parameters = vec!["1"; plan.parameter_count()];
        let rows = plan.query_map(rusqlite::params_from_iter(parameters), |row| row.get("detail")).unwrap();
        rows.collect::<rusqlite::Result<Vec<String>>>().unwrap()
    };
    [ROWS, TOP, ABOVE, WITHIN, ALL].iter().flat_map(plan).collect()
}

#[cfg(test)]
mod tests {
    use backscroll_fixtures::{Composer, Speaks, StateDatabase};

    use super::*;

    #[test]
    fn no_question_reads_values() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state.vscdb");
        StateDatabase::new().composer(&Composer::new("a").user("hello")).write_to(&file).unwrap();
        let db = ReadOnlyDb::open(&file).unwrap();
        let index = "USING COVERING INDEX sqlite_autoindex_cursorDiskKV_1";
        assert_eq!(
            query_plans(&db),
            [
                format!("SCAN cursorDiskKV {index}"),
                "SEARCH cursorDiskKV".to_owned(),
                "SEARCH cursorDiskKV USING INTEGER PRIMARY KEY (rowid>?)".to_owned(),
                format!("SEARCH cursorDiskKV {index} (key>? AND key<?)"),
                format!("SCAN cursorDiskKV {index}"),
            ]
        );
    }

    #[test]
    fn every_key_of_a_conversation_lies_in_one_of_its_ranges() {
        for key in [
            "composerData:a",
            "bubbleId:a:1",
            "bubbleId:a",
            "codeBlockDiff:a:x",
            "agentKv:checkpoint:a",
            "ofsContent:a:file:///x",
        ] {
            let holds = |range: &KeyRange| {
                range.from.as_slice() <= key.as_bytes() && key.as_bytes() < range.before.as_slice()
            };
            assert_eq!(ranges("a").iter().filter(|range| holds(range)).count(), 1, "{key}");
            assert!(!ranges("b").iter().any(holds), "{key}");
        }
    }
}
