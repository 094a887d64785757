//! Which conversations' rows in `cursorDiskKV` changed.
//!
//! Cursor writes a row anew by deleting it and inserting it with the next rowid, so the rows above the highest rowid
//! that was seen are what changed. What that does not tell is seen by [`state_anchors`] and by the number of rows; then
//! all keys are compared, out of the index alone: no value is read.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::types::ValueRef;

use super::state_keys::{Owner, owner, ranges};
use super::state_memory::{Rows, Sum};
use super::{fingerprint, state_anchors};
use crate::read_only_db::{ReadError, ReadOnlyDb};

const TOP: &str = "SELECT max(rowid) FROM cursorDiskKV";
const ROWS: &str = "SELECT count(*) FROM cursorDiskKV";
const ABOVE: &str = "SELECT key FROM cursorDiskKV WHERE rowid > ?1";
const WITHIN: &str = "SELECT key, rowid FROM cursorDiskKV WHERE key >= ?1 AND key < ?2";
const ALL: &str = "SELECT key, rowid FROM cursorDiskKV ORDER BY key";

/// The rows as they are now, and the conversations whose rows are others than in `old`.
pub(super) fn compare(
    db: &ReadOnlyDb,
    old: &Rows,
    is_same_file: bool,
) -> Result<(Rows, BTreeSet<String>), ReadError> {
    if db.table("cursorDiskKV")?.is_none() {
        return Ok((Rows::default(), old.told.keys().cloned().collect()));
    }
    let number = |statement: &str| {
        let read = db.connection().query_row(statement, [], |row| row.get::<_, Option<i64>>(0));
        read.map(Option::unwrap_or_default).map_err(|because| db.error(because))
    };
    let mut now = Rows { count: number(ROWS)?.unsigned_abs(), top: number(TOP)?, ..Rows::default() };
    now.anchors = state_anchors::cast(db, now.top)?;
    let held = state_anchors::check(db, &old.anchors, old.top)?;
    let is_grown = is_same_file && held.all && now.top >= old.top && old.count > 0;
    let quick = if is_grown { grown(db, old, &now)? } else { None };
    let (now, mut named) = match quick {
        Some(found) => found,
        None => reconciled(db, old, now)?,
    };
    named.extend(held.overwritten.iter().filter_map(|key| match owner(key) {
        Owner::Conversation(id) => Some(id.to_owned()),
        Owner::Content | Owner::Nobody => None,
    }));
    Ok((now, named))
}

/// What came above the highest rowid; `None` if the number of rows says that there is more to it.
fn grown(db: &ReadOnlyDb, old: &Rows, now: &Rows) -> Result<Option<(Rows, BTreeSet<String>)>, ReadError> {
    let mut touched = BTreeSet::new();
    let mut grown = Rows { told: old.told.clone(), contents: old.contents, ..now.clone() };
    let mut expected = i128::from(old.count);
    let mut above = |key: &str| match owner(key) {
        Owner::Conversation(id) => drop(touched.insert(id.to_owned())),
        Owner::Content => {
            grown.contents.add(fingerprint::of(key));
            expected += 1;
        }
        Owner::Nobody => expected += 1,
    };
    each(db, ABOVE, [old.top], &mut |key, _| above(key))?;
    for id in &touched {
        let before = grown.told.remove(id).unwrap_or_default();
        let after = sum_of(db, id)?;
        expected += i128::from(after.0) - i128::from(before.0);
        if after.0 > 0 {
            grown.told.insert(id.clone(), after);
        }
    }
    Ok((expected == i128::from(now.count)).then_some((grown, touched)))
}

/// All keys, compared with those that were there.
fn reconciled(db: &ReadOnlyDb, old: &Rows, mut now: Rows) -> Result<(Rows, BTreeSet<String>), ReadError> {
    let mut told: HashMap<String, Sum> = HashMap::new();
    each(db, ALL, [], &mut |key, rowid| match owner(key) {
        Owner::Conversation(id) => {
            let print = fingerprint::of(&(key, rowid));
            match told.get_mut(id) {
                Some(sum) => sum.add(print),
                None => told.entry(id.to_owned()).or_default().add(print),
            }
        }
        Owner::Content => now.contents.add(fingerprint::of(key)),
        Owner::Nobody => {}
    })?;
    now.told = told.into_iter().collect();
    let mut named = differences(&old.told, &now.told);
    let has_lost_contents = now.contents.0 < old.contents.0
        || (now.contents.0 == old.contents.0 && now.contents.1 != old.contents.1);
    // Usually contents go with a conversation that was deleted. But nothing tells whose they were, so any may miss them.
    if has_lost_contents {
        named.extend(now.told.keys().cloned());
    }
    Ok((now, named))
}

fn differences(before: &BTreeMap<String, Sum>, after: &BTreeMap<String, Sum>) -> BTreeSet<String> {
    let gone = before.keys().filter(|id| !after.contains_key(*id));
    let changed = after.iter().filter(|(id, sum)| before.get(*id) != Some(*sum)).map(|(id, _)| id);
    gone.chain(changed).cloned().collect()
}

/// The rows of one conversation.
fn sum_of(db: &ReadOnlyDb, id: &str) -> Result<Sum, ReadError> {
    let mut sum = Sum::default();
    for range in ranges(id) {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        each(db, WITHIN, [text(range.from), text(range.before)], &mut |key, rowid| {
            sum.add(fingerprint::of(&(key, rowid)));
        })?;
    }
    Ok(sum)
}

/// Every row that `statement` gives: its key, and its rowid where that was asked for.
fn each(
    db: &ReadOnlyDb,
    statement: &str,
    parameters: impl rusqlite::Params,
    each: &mut dyn FnMut(&str, i64),
) -> Result<(), ReadError> {
    let read = || -> rusqlite::Result<()> {
        let mut statement = db.connection().prepare_cached(statement)?;
        let has_rowid = statement.column_count() > 1;
        let mut rows = statement.query(parameters)?;
        while let Some(row) = rows.next()? {
            let key = match row.get_ref(0)? {
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes),
                ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => "".into(),
            };
            each(&key, if has_rowid { row.get(1)? } else { 0 });
        }
        Ok(())
    };
    read().map_err(|because| db.error(because))
}

/// How SQLite answers each question: for a test that asserts that values are not read.
#[cfg(test)]
pub(super) fn query_plans(db: &ReadOnlyDb) -> Vec<String> {
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
}
