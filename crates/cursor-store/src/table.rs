//! One of Cursor's key-value tables, read by key and by range of keys.
//!
//! Values come as text, blob or NULL, keys may be NULL or no UTF-8: all are read as bytes.

use std::borrow::Cow;
use std::collections::HashMap;

use backscroll_cursor_format::ide::RowKind;
use backscroll_cursor_format::{BlobId, Blobs, Row, Rows, RowsError};
use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, Type, ValueRef};

use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::work;

/// The columns of a key-value table.
pub(crate) const KEY_VALUE: [&str; 2] = ["key", "value"];

/// The longest value that is read. One conversation with all its messages is shorter by far, and reading takes several times as much
/// memory.
pub(crate) const MOST_BYTES: i64 = 80 << 20;

/// A key-value table of an open database.
#[derive(Debug, Clone, Copy)]
pub struct Table<'db> {
    db: &'db ReadOnlyDb,
    name: &'static str,
    has_rowid: bool,
}

impl<'db> Table<'db> {
    pub(crate) fn new(db: &'db ReadOnlyDb, name: &'static str, has_rowid: bool) -> Self {
        Self { db, name, has_rowid }
    }

    /// Whether its rows are numbered in the order in which they were written.
    pub(crate) fn has_rowid(&self) -> bool {
        self.has_rowid
    }

    /// Whether there is a row with this key, be its value NULL.
    pub(crate) fn has_key(&self, key: &str) -> Result<bool, ReadError> {
        self.has_any(&KeyRange::only(key))
    }

    /// The value under `key`; `None` without such a row, or where its value is NULL.
    pub fn get(&self, key: &str) -> Result<Option<Vec<u8>>, ReadError> {
        self.read(key, <[u8]>::to_vec)
    }

    /// What `read` makes of the value under `key`; `None` without such a row, or where its value is NULL. The value stays where
    /// SQLite put it, so that a large one is in memory once.
    pub(crate) fn read<T>(
        &self,
        key: &str,
        mut read: impl FnMut(&[u8]) -> T,
    ) -> Result<Option<T>, ReadError> {
        let found = self.db.first(&self.get_statement(), [key], |row| {
            let value = bytes(row.get_ref(0)?);
            self.check_end(value);
            self.note_length(key.as_bytes(), value, row.get(1)?);
            work::row(value.map_or(0, <[u8]>::len));
            Ok(value.map(&mut read))
        })?;
        if found.is_none() {
            self.check_gap(key.as_bytes())?;
        }
        Ok(found.flatten())
    }

    /// Every row in `range`, in order of key.
    pub fn each(&self, range: &KeyRange, each: &mut dyn FnMut(Row<'_>)) -> Result<(), ReadError> {
        let mut order = Order::new(self, range);
        self.db.each(&self.range_statement(), range.parameters(), |row| {
            let (key, value) = (bytes(row.get_ref(0)?).unwrap_or_default(), bytes(row.get_ref(1)?));
            self.check_end(value);
            self.note_length(key, value, row.get(3)?);
            work::row(value.map_or(0, <[u8]>::len));
            order.next(key);
            each(Row { key, value, rowid: row.get(2)? });
            Ok(true)
        })?;
        order.end()
    }

    /// Checks that the index lacks no key `at` this place, or between it and the next key. SQLite cannot notice an index page that is
    /// valid but belongs elsewhere. With such a page the keys on both sides are not neighbours when they are looked up from the root,
    /// or their rows have other keys.
    fn check_gap(&self, at: &[u8]) -> Result<(), ReadError> {
        if !self.has_rowid || !self.db.may_check() {
            return Ok(());
        }
        let (next, before) = (self.neighbour(at, ">=", "")?, self.neighbour(at, "<", "DESC")?);
        let of_before = before.key().map(|key| self.neighbour(key, ">", "")).transpose()?;
        let of_next = next.key().map(|key| self.neighbour(key, "<", "DESC")).transpose()?;
        let is_sound = of_before.is_none_or(|after| after == next)
            && of_next.is_none_or(|ahead| ahead == before)
            && self.has_row(&before)?
            && self.has_row(&next)?
            && (!self.db.is_first_check(self.name) || self.has_some_rows()?);
        if !is_sound {
            self.db.note_damage();
        }
        Ok(())
    }

    /// The first key on one side of a place.
    fn neighbour(&self, at: &[u8], side: &str, order: &str) -> Result<Neighbour, ReadError> {
        let statement =
            format!("SELECT key, rowid FROM {} WHERE key {side} ?1 ORDER BY key {order} LIMIT 1", self.name);
        let found = self.db.first(&statement, [Key(at)], |row| {
            let key = row.get_ref(0)?;
            Ok(match key {
                ValueRef::Text(key) => Neighbour::Key(key.to_vec(), row.get(1)?),
                _ => Neighbour::NoText(key.data_type(), row.get(1)?),
            })
        })?;
        Ok(found.unwrap_or(Neighbour::None))
    }

    /// Whether the row that the index names has this key in the table, too.
    fn has_row(&self, neighbour: &Neighbour) -> Result<bool, ReadError> {
        let (Neighbour::Key(_, row) | Neighbour::NoText(_, row)) = neighbour else { return Ok(true) };
        let statement = format!("SELECT key FROM {} NOT INDEXED WHERE rowid = ?1", self.name);
        let is_same = |row: &rusqlite::Row<'_>| {
            let stored = row.get_ref(0)?;
            Ok(match neighbour {
                Neighbour::Key(key, _) => bytes(stored) == Some(key),
                Neighbour::NoText(kind, _) => stored.data_type() == *kind,
                Neighbour::None => true,
            })
        };
        Ok(self.db.first(&statement, [row], is_same)? == Some(true))
    }

    /// Whether the index names some rows of the table: one at its beginning, one in its middle and one at its end. If a page near
    /// the root of the index is the wrong one, it names few of them.
    fn has_some_rows(&self) -> Result<bool, ReadError> {
        let name = self.name;
        for place in [
            "rowid >= -9223372036854775808 ORDER BY rowid".to_owned(),
            format!("rowid >= (SELECT max(rowid) / 2 FROM {name}) ORDER BY rowid"),
            "rowid <= 9223372036854775807 ORDER BY rowid DESC".to_owned(),
        ] {
            let statement = format!("SELECT key FROM {name} NOT INDEXED WHERE {place} LIMIT 1");
            let key = self.db.first(&statement, [], |row| match row.get_ref(0)? {
                ValueRef::Text(key) => Ok(Some(key.to_vec())),
                _ => Ok(None),
            })?;
            let named = format!("SELECT 1 FROM {name} WHERE key = ?1");
            if let Some(key) = key.flatten()
                && self.db.first(&named, [Key(&key)], |_| Ok(()))?.is_none()
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Checks the end of a value. Where the last page of a long value is lost, SQLite reads zeros and reports nothing. No text ends
    /// in zeros, so such a database is read page by page.
    fn check_end(&self, value: Option<&[u8]>) {
        if self.db.is_read_by_sqlite() && value.is_some_and(|value| value.ends_with(&[0; 16])) {
            self.db.note_damage();
        }
    }

    /// A value that is longer than [`MOST_BYTES`] is not read, and reported.
    fn note_length(&self, key: &[u8], value: Option<&[u8]>, length: Option<i64>) {
        if let (None, Some(length)) = (value, length.filter(|length| *length > MOST_BYTES)) {
            self.db.note_too_large(&String::from_utf8_lossy(key), length);
        }
    }

    /// Every key in `range`, from the index alone.
    pub fn each_key(&self, range: &KeyRange, each: &mut dyn FnMut(&[u8])) -> Result<(), ReadError> {
        let mut order = Order::new(self, range);
        self.db.each(&self.keys_statement(), range.parameters(), |row| {
            work::row(0);
            let key = bytes(row.get_ref(0)?).unwrap_or_default();
            order.next(key);
            each(key);
            Ok(true)
        })?;
        order.end()
    }

    /// What follows `prefix` in each key that begins with it, and the number of its row, from the index alone.
    pub(crate) fn row_numbers(&self, prefix: &str) -> Result<HashMap<String, i64>, ReadError> {
        let range = KeyRange::under(prefix);
        let numbers = self.db.list(&self.numbers_statement(), range.parameters(), |row| {
            work::row(0);
            let key = String::from_utf8_lossy(bytes(row.get_ref(0)?).unwrap_or_default());
            Ok((key.strip_prefix(prefix).unwrap_or(&key).to_owned(), row.get(1)?))
        })?;
        Ok(numbers.into_iter().collect())
    }

    /// The bytes of the value in the row with this number, 0 if there is none; the value itself is not read.
    pub(crate) fn length_of(&self, row: i64) -> Result<u64, ReadError> {
        let length: Option<Option<i64>> = self.db.first(&self.length_statement(), [row], |row| row.get(0))?;
        Ok(length.flatten().unwrap_or_default().unsigned_abs())
    }

    /// The distinct first segments of keys `<prefix><segment>:<rest>`: one seek for each, however many rows it has.
    pub fn segments(&self, prefix: &str) -> Result<Vec<String>, ReadError> {
        let mut range = KeyRange::under(prefix);
        let mut segments = Vec::new();
        while let Some(key) = self.first_key(&range)? {
            let rest = key.get(prefix.len()..).unwrap_or_default();
            let end = rest.iter().position(|byte| *byte == b':');
            let segment = &rest[..end.unwrap_or(rest.len())];
            let next = match end {
                Some(end) => after(&key[..=prefix.len() + end]),
                None => [&key[..], &[0]].concat(),
            };
            segments.push(String::from_utf8_lossy(segment).into_owned());
            range = range.starting_at(next);
        }
        self.check_gap(&range.from)?;
        segments.dedup();
        Ok(segments)
    }

    /// How many rows have no key.
    pub fn null_keys(&self) -> Result<u64, ReadError> {
        let count: Option<i64> = self.db.first(&self.null_keys_statement(), [], |row| row.get(0))?;
        Ok(count.unwrap_or_default().unsigned_abs())
    }

    /// Whether there is any key in `range`.
    pub fn has_any(&self, range: &KeyRange) -> Result<bool, ReadError> {
        Ok(self.first_key(range)?.is_some())
    }

    fn first_key(&self, range: &KeyRange) -> Result<Option<Vec<u8>>, ReadError> {
        let first = self.db.first(&self.first_key_statement(), range.parameters(), |row| {
            work::row(0);
            Ok(bytes(row.get_ref(0)?).map(<[u8]>::to_vec))
        })?;
        Ok(first.flatten())
    }

    fn get_statement(&self) -> String {
        format!(
            "SELECT CASE WHEN octet_length(value) <= {MOST_BYTES} THEN value END, octet_length(value) FROM {}
             WHERE key = ?1",
            self.name
        )
    }

    fn range_statement(&self) -> String {
        // Without rowids nothing says in which order rows were written.
        let rowid = if self.has_rowid { "rowid" } else { "0" };
        format!(
            "SELECT key, CASE WHEN octet_length(value) <= {MOST_BYTES} THEN value END, {rowid}, octet_length(value) FROM {}
             WHERE key >= ?1 AND key < ?2 ORDER BY key",
            self.name
        )
    }

    fn keys_statement(&self) -> String {
        format!("SELECT key FROM {} WHERE key >= ?1 AND key < ?2 ORDER BY key", self.name)
    }

    fn numbers_statement(&self) -> String {
        format!("SELECT key, rowid FROM {} WHERE key >= ?1 AND key < ?2", self.name)
    }

    fn length_statement(&self) -> String {
        format!("SELECT octet_length(value) FROM {} WHERE rowid = ?1", self.name)
    }

    fn first_key_statement(&self) -> String {
        format!("SELECT key FROM {} WHERE key >= ?1 AND key < ?2 ORDER BY key LIMIT 1", self.name)
    }

    fn null_keys_statement(&self) -> String {
        format!("SELECT count(*) FROM {} WHERE key IS NULL", self.name)
    }

    /// How SQLite would answer each kind of question: for a test that asserts that none of them scans.
    pub fn query_plans(&self) -> Result<Vec<String>, ReadError> {
        let statements = [
            self.get_statement(),
            self.range_statement(),
            self.keys_statement(),
            self.first_key_statement(),
            self.null_keys_statement(),
        ];
        let plan = |statement: &String| {
            let parameters = vec!["a"; statement.matches('?').count()];
            let parameters = rusqlite::params_from_iter(parameters);
            self.db.list(&format!("EXPLAIN QUERY PLAN {statement}"), parameters, |row| row.get("detail"))
        };
        Ok(statements.iter().map(plan).collect::<Result<Vec<_>, _>>()?.concat())
    }
}

/// The key beside a place in the index.
#[derive(Debug, PartialEq, Eq)]
enum Neighbour {
    None,
    /// With the number of its row.
    Key(Vec<u8>, i64),
    /// Something that Cursor does not write.
    NoText(Type, i64),
}

impl Neighbour {
    fn key(&self) -> Option<&[u8]> {
        match self {
            Self::Key(key, _) => Some(key),
            Self::None | Self::NoText(..) => None,
        }
    }
}

/// Checks that the keys of a range come in order.
struct Order<'t, 'db> {
    table: &'t Table<'db>,
    /// The key before, with which the range begins.
    last: Vec<u8>,
}

impl<'t, 'db> Order<'t, 'db> {
    fn new(table: &'t Table<'db>, range: &KeyRange) -> Self {
        Self { table, last: range.from.clone() }
    }

    fn next(&mut self, key: &[u8]) {
        if key < self.last.as_slice() {
            self.table.db.note_damage();
        }
        self.last.clear();
        self.last.extend_from_slice(key);
    }

    /// A wrong page may have ended the range early.
    fn end(mut self) -> Result<(), ReadError> {
        self.last.push(0);
        self.table.check_gap(&self.last)
    }
}

/// A key as SQLite compares it: text, though its bytes may not be UTF-8.
struct Key<'a>(&'a [u8]);

impl ToSql for Key<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Text(self.0)))
    }
}

/// The bytes of a value, whatever SQLite calls it; `None` for NULL. Numbers do not occur in these tables.
pub(crate) fn bytes(value: ValueRef<'_>) -> Option<&[u8]> {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => None,
    }
}

impl Rows for Table<'_> {
    fn value(&self, key: &str) -> Result<Option<Option<Vec<u8>>>, RowsError> {
        Ok(self.get(key)?.map(Some))
    }

    fn under(&self, prefix: &str, each: &mut dyn FnMut(Row<'_>)) -> Result<(), RowsError> {
        Ok(self.each(&KeyRange::under(prefix), each)?)
    }

    fn keys_under(&self, prefix: &str, each: &mut dyn FnMut(&[u8])) -> Result<(), RowsError> {
        Ok(self.each_key(&KeyRange::under(prefix), each)?)
    }
}

/// The agent's blobs, which the editor keeps in the same table. Old ones are hex in text.
impl Blobs for Table<'_> {
    fn blob(&self, id: &BlobId) -> Result<Option<Cow<'_, [u8]>>, RowsError> {
        let key = RowKind::AgentBlob.key(id);
        Ok(self.get(&key)?.map(Cow::Owned))
    }
}

/// All keys from `from` up to, but without, `before`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRange {
    /// The first key that may be in it.
    pub from: Vec<u8>,
    /// The first key that is not.
    pub before: Vec<u8>,
}

impl KeyRange {
    fn parameters(&self) -> [Key<'_>; 2] {
        [Key(&self.from), Key(&self.before)]
    }

    /// Just this key.
    pub fn only(key: &str) -> Self {
        Self { from: key.as_bytes().to_vec(), before: [key.as_bytes(), &[0]].concat() }
    }

    /// All keys that begin with `prefix`.
    pub fn under(prefix: &str) -> Self {
        Self { from: prefix.as_bytes().to_vec(), before: after(prefix.as_bytes()) }
    }

    /// Whether `key` is in it.
    pub fn contains(&self, key: &str) -> bool {
        (&*self.from..&*self.before).contains(&key.as_bytes())
    }

    /// The part of this range at or after `key`.
    #[must_use]
    pub fn starting_at(&self, key: impl Into<Vec<u8>>) -> Self {
        Self { from: key.into(), before: self.before.clone() }
    }

    /// The part of this range before `key`.
    #[must_use]
    pub fn ending_before(&self, key: impl Into<Vec<u8>>) -> Self {
        Self { from: self.from.clone(), before: key.into() }
    }
}

/// The first key after all keys that begin with `prefix`. Keys are compared as bytes, and are not always UTF-8.
pub(crate) fn after(prefix: &[u8]) -> Vec<u8> {
    let mut rest = prefix.to_vec();
    while let Some(last) = rest.pop() {
        if let Some(next) = last.checked_add(1) {
            rest.push(next);
            return rest;
        }
    }
    vec![u8::MAX; 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_a_range() {
        let range = KeyRange::under("composerData:");
        assert_eq!((&range.from[..], &range.before[..]), (&b"composerData:"[..], &b"composerData;"[..]));
        assert_eq!(after(b"a\xff\xff"), b"b");
        assert!(after(b"") > "\u{10FFFF}".into());
    }
}
