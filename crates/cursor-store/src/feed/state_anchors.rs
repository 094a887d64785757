//! Rows that are looked up again. While they are what they were, no rowid has changed its meaning: the table was not
//! renumbered, restored or replaced, and no rowid was given away a second time.

use rusqlite::OptionalExtension;
use rusqlite::types::ValueRef;

use super::fingerprint;
use super::state_memory::Anchor;
use crate::read_only_db::{ReadError, ReadOnlyDb};

/// So many are spread over the table, and as many stand at its end, where rowids are given away again.
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
pub(super) struct Held {
    /// Whether each is where it was, or was written anew since.
    pub(super) all: bool,
    /// Keys of those that are where they were, with another value.
    pub(super) overwritten: Vec<String>,
}

/// Anchors of the table as it is now.
pub(super) fn cast(db: &ReadOnlyDb, top: i64) -> Result<Vec<Anchor>, ReadError> {
    let read = || -> rusqlite::Result<Vec<Anchor>> {
        let connection = db.connection();
        let mut anchors: Vec<Anchor> =
            connection.prepare_cached(LAST)?.query_map([top], anchor)?.collect::<rusqlite::Result<_>>()?;
        let mut from = connection.prepare_cached(FROM)?;
        for part in 0..EACH {
            anchors.extend(from.query_row([top / EACH * part], anchor).optional()?);
        }
        anchors.sort_by_key(|anchor| anchor.rowid);
        anchors.dedup();
        Ok(anchors)
    };
    read().map_err(|because| db.error(because))
}

/// Looks at them again. `top` was the highest rowid when they were cast.
pub(super) fn check(db: &ReadOnlyDb, anchors: &[Anchor], top: i64) -> Result<Held, ReadError> {
    let read = || -> rusqlite::Result<Held> {
        let mut held = Held { all: true, ..Held::default() };
        let mut at = db.connection().prepare_cached(AT)?;
        let mut moved = db.connection().prepare_cached("SELECT rowid FROM cursorDiskKV WHERE key = ?1")?;
        for known in anchors {
            match at.query_row([known.rowid], anchor).optional()? {
                Some(now) if now == *known => {}
                Some(now) if now.key == known.key => held.overwritten.push(now.key),
                Some(_) => held.all = false,
                None => {
                    let now: Option<i64> = moved.query_row([&known.key], |row| row.get(0)).optional()?;
                    held.all &= now.is_some_and(|rowid| rowid > top);
                }
            }
        }
        Ok(held)
    };
    read().map_err(|because| db.error(because))
}

fn anchor(row: &rusqlite::Row<'_>) -> rusqlite::Result<Anchor> {
    let bytes = |value: ValueRef<'_>| value.as_bytes_or_null().ok().flatten().unwrap_or_default().to_vec();
    let key = String::from_utf8_lossy(&bytes(row.get_ref(1)?)).into_owned();
    let value = fingerprint::of(&(row.get::<_, Option<i64>>(2)?, bytes(row.get_ref(3)?)));
    Ok(Anchor { rowid: row.get(0)?, key, value })
}
