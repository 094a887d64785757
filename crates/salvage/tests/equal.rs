//! Whatever SQLite wrote, the page reader reads the same rows.

use std::path::Path;

use backscroll_salvage::{SqliteFile, salvage};
use proptest::prelude::*;
use rusqlite::Connection;

use crate::collect::{Collected, Content, by_sqlite, open};

#[derive(Debug, Clone)]
enum Step {
    Insert { table: usize, rowid: Option<i64>, size: usize, kind: u8 },
    Delete { table: usize, every: i64 },
    Update { table: usize, every: i64, size: usize },
    AddColumn { table: usize },
    Many { table: usize, count: u16, size: usize },
    DropIndex,
    Vacuum,
    Checkpoint,
}

fn step() -> impl Strategy<Value = Step> {
    let table = 0..TABLES.len();
    let size = prop_oneof![4 => 0..200_usize, 2 => 200..5_000_usize, 1 => 5_000..150_000_usize];
    let small = 0..400_usize;
    prop_oneof![
        8 => (table.clone(), any::<Option<i64>>(), size.clone(), 0..5_u8)
            .prop_map(|(table, rowid, size, kind)| Step::Insert { table, rowid, size, kind }),
        2 => (table.clone(), 2..7_i64).prop_map(|(table, every)| Step::Delete { table, every }),
        2 => (table.clone(), 2..7_i64, size).prop_map(|(table, every, size)| Step::Update { table, every, size }),
        1 => table.clone().prop_map(|table| Step::AddColumn { table }),
        4 => (table, 1..600_u16, small).prop_map(|(table, count, size)| Step::Many { table, count, size }),
        1 => Just(Step::DropIndex),
        1 => Just(Step::Vacuum),
        1 => Just(Step::Checkpoint),
    ]
}

const TABLES: [&str; 5] = [
    "CREATE TABLE t0 (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
    "CREATE TABLE t1 (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, score REAL DEFAULT 1.5)",
    "CREATE TABLE t2 (b, a TEXT, c REAL, PRIMARY KEY (a, b)) WITHOUT ROWID",
    "CREATE TABLE \"t 3\" (x, y AS (x || 'z') VIRTUAL, w INT, v AS (w) STORED)",
    "CREATE TABLE t4 (a INTEGER PRIMARY KEY DESC, b NUMERIC NOT NULL DEFAULT 'none')",
];

/// A text of this many characters, some of them beyond ASCII.
fn text(size: usize, seed: i64) -> String {
    let alphabet = ['a', 'b', 'ü', '中', '😀', '"', '\n'];
    (0..size)
        .map(|at| {
            alphabet
                [(at * 7 + usize::try_from(seed.unsigned_abs() % 11).unwrap_or_default()) % alphabet.len()]
        })
        .collect()
}

fn named(table: usize) -> &'static str {
    ["t0", "t1", "t2", "\"t 3\"", "t4"][table]
}

fn columns(table: usize) -> [&'static str; 2] {
    [["key", "value"], ["name", "score"], ["a", "b"], ["x", "w"], ["b", "a"]][table]
}

fn insert(connection: &Connection, table: usize, size: usize, kind: u8, nth: i64) -> rusqlite::Result<usize> {
    let conflict = if table == 0 { "REPLACE" } else { "IGNORE" };
    let columns = columns(table).join(", ");
    let statement = format!("INSERT OR {conflict} INTO {} ({columns}) VALUES (?1 || ?2, ?3)", named(table));
    let text = text(size, nth);
    match kind {
        0 => connection.execute(&statement, (&text, nth, nth)),
        1 => {
            let half = f64::from(i32::try_from(nth).unwrap_or_default()) / 2.0;
            connection.execute(&statement, (&text, nth, half))
        }
        2 => connection.execute(&statement, (nth, "x", text.as_bytes())),
        3 => connection.execute(&statement, (nth, "y", &text)),
        _ => connection.execute(&statement, (nth, "", rusqlite::types::Null)),
    }
}

fn run(connection: &Connection, step: &Step, nth: i64) -> rusqlite::Result<()> {
    match *step {
        Step::Insert { table, rowid, size, kind } => {
            insert(connection, table, size, kind, nth)?;
            if let (Some(rowid), 0 | 1 | 3) = (rowid, table) {
                let alias = if table == 1 { "id" } else { "rowid" };
                connection.execute(
                    &format!(
                        "UPDATE OR IGNORE {} SET {alias} = ?1 WHERE {alias} = last_insert_rowid()",
                        named(table)
                    ),
                    [rowid],
                )?;
            }
        }
        Step::Many { table, count, size } => {
            for row in 0..i64::from(count) {
                insert(connection, table, size, u8::try_from(row % 5).unwrap_or_default(), nth * 1000 + row)?;
            }
        }
        Step::Delete { table, every } => {
            let [column, _] = columns(table);
            connection
                .execute(&format!("DELETE FROM {} WHERE length({column}) % ?1 = 0", named(table)), [every])?;
        }
        Step::Update { table, every, size } => {
            let [_, column] = columns(table);
            connection.execute(
                &format!(
                    "UPDATE OR IGNORE {} SET {column} = ?1 WHERE length({column}) % ?2 = 0",
                    named(table)
                ),
                (text(size, nth), every),
            )?;
        }
        Step::AddColumn { table } => {
            connection
                .execute_batch(&format!("ALTER TABLE {} ADD COLUMN c{nth} DEFAULT 'new'", named(table)))?;
        }
        Step::DropIndex => {
            connection.execute_batch("DROP INDEX IF EXISTS i0; CREATE INDEX i0 ON t1 (name, score)")?;
        }
        Step::Vacuum => connection.execute_batch("VACUUM")?,
        Step::Checkpoint => {
            connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
        }
    }
    Ok(())
}

pub(crate) fn read(path: &Path) -> (Content, Vec<String>) {
    let main = std::fs::read(path).unwrap();
    let log = std::fs::read(path.with_extension("db-wal")).ok();
    let file = SqliteFile::read(&main, log.as_ref().map(|log| log as _)).unwrap();
    let mut found = Collected::default();
    salvage(&file, &mut found);
    let damages = found.damages.iter().map(|damage| format!("{damage:?}")).collect();
    (found.sorted(), damages)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn live_rows_are_those_that_sqlite_reads(
        power in 9..=16_u32,
        encoding in prop_oneof![Just("UTF-8"), Just("UTF-16le"), Just("UTF-16be")],
        journal in prop_oneof![Just("DELETE"), Just("WAL")],
        vacuum in 0..3_u8,
        steps in prop::collection::vec(step(), 1..24),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let connection = open(&path);
        connection.execute_batch(&format!(
            "PRAGMA page_size = {}; PRAGMA encoding = '{encoding}'; PRAGMA auto_vacuum = {vacuum};
             PRAGMA synchronous = OFF; PRAGMA journal_mode = {journal};",
            1 << power,
        )).unwrap();
        for table in TABLES {
            connection.execute_batch(table).unwrap();
        }
        for (step, nth) in steps.iter().zip(1..) {
            let is_whole = matches!(step, Step::Vacuum | Step::Checkpoint);
            connection.execute_batch(if is_whole { "" } else { "BEGIN" }).unwrap();
            run(&connection, step, nth).unwrap();
            connection.execute_batch(if is_whole { "" } else { "COMMIT" }).unwrap();
        }
        let (content, damages) = read(&path);
        prop_assert_eq!(damages, Vec::<String>::new());
        prop_assert_eq!(content, by_sqlite(&connection).unwrap());
    }
}
