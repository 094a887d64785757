//! A damaged page costs the rows on it, no others, and is reported; no bytes make the reader panic.

use std::collections::BTreeSet;

use backscroll_salvage::{Header, SqliteFile, Table, salvage};
use proptest::prelude::*;

use crate::collect::{Collected, Content, open};

/// Two tables of the same shape with values of many sizes, one without row numbers, free pages, and an index.
fn written(page_size: usize, encoding: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let connection = open(&path);
    connection
        .execute_batch(&format!("PRAGMA page_size = {page_size}; PRAGMA encoding = '{encoding}'; {SCHEMA}"))
        .unwrap();
    connection.execute_batch("BEGIN").unwrap();
    for nth in 0..400 {
        let value = format!("{nth} ").repeat([1, 10, 100, 700][nth % 4]);
        for table in ["one", "two"] {
            let statement = format!("INSERT INTO {table} VALUES (?1, ?2)");
            connection.execute(&statement, (format!("{table}:{nth}"), &value)).unwrap();
        }
        connection
            .execute(
                "INSERT INTO without VALUES (?1, ?2, ?1)",
                (format!("key {nth}"), f64::from(u16::try_from(nth).unwrap())),
            )
            .unwrap();
    }
    connection
        .execute_batch("COMMIT; DELETE FROM one WHERE rowid % 3 = 0 OR rowid BETWEEN 50 AND 90")
        .unwrap();
    drop(connection);
    std::fs::read(&path).unwrap()
}

const SCHEMA: &str = "CREATE TABLE one (key TEXT UNIQUE, value BLOB);
    CREATE TABLE two (key TEXT UNIQUE, value BLOB);
    CREATE TABLE without (a TEXT, b REAL, c, PRIMARY KEY (a)) WITHOUT ROWID;";

fn expected() -> Vec<Table> {
    let statements = SCHEMA.split(';').map(str::trim).filter(|statement| !statement.is_empty());
    let table = |statement: &str| {
        let name = statement.split_whitespace().nth(2)?;
        Table::of_statement(name, statement, None)
    };
    statements.filter_map(table).collect()
}

fn read(main: &[u8]) -> Collected {
    let mut found = Collected { expected: expected(), ..Collected::default() };
    if let Some(file) = SqliteFile::read(&main, None) {
        salvage(&file, &mut found);
    }
    found
}

/// How many rows of the whole file were not found, and how many were that it does not have.
fn lost(whole: &Content, found: Collected) -> (usize, usize) {
    let found = found.sorted();
    let (mut missing, mut new) = (0, 0);
    for (table, rows) in whole {
        let before: BTreeSet<&String> = rows.iter().collect();
        let after: BTreeSet<&String> = found.get(table).into_iter().flatten().collect();
        missing += before.difference(&after).count();
        new += after.difference(&before).count();
    }
    (missing, new)
}

#[test]
fn a_page_of_zeros_costs_the_rows_that_are_on_it() {
    let whole = written(1024, "UTF-8");
    let all = read(&whole).sorted();
    for page in 1..whole.len() / 1024 {
        let mut damaged = whole.clone();
        damaged[page * 1024..(page + 1) * 1024].fill(0);
        let found = read(&damaged);
        let has_damage = !found.damages.is_empty();
        let (missing, new) = lost(&all, found);
        assert!(missing <= MOST_ON_PAGE, "page {}: {missing} rows are lost", page + 1);
        assert_eq!(new, 0, "page {}: rows appear from nowhere", page + 1);
        assert!(missing == 0 || has_damage, "page {}: {missing} rows are lost in silence", page + 1);
    }
}

#[test]
fn a_lost_first_page_costs_nothing_but_itself() {
    for (page_size, encoding) in
        [(512, "UTF-8"), (1024, "UTF-16le"), (4096, "UTF-8"), (8192, "UTF-16be"), (32768, "UTF-8")]
    {
        let whole = written(page_size, encoding);
        let all = read(&whole).sorted();
        let mut damaged = whole.clone();
        damaged[..page_size].fill(0);
        let file = SqliteFile::read(&damaged, None).unwrap();
        assert_eq!((file.page_size(), file.header()), (page_size, Header::Guessed), "{encoding}");
        let found = read(&damaged);
        assert!(!found.damages.is_empty());
        assert_eq!(lost(&all, found), (0, 0), "{page_size} {encoding}");
    }
}

/// As many rows fit on a page of these files at most.
const MOST_ON_PAGE: usize = 60;

#[test]
fn a_wrong_bit_in_the_header_costs_nothing() {
    let whole = written(1024, "UTF-8");
    let all = read(&whole).sorted();
    // Reserved bytes, and the encoding.
    for (byte, bit) in (0..8).map(|bit| (20, bit)).chain([(59, 1), (59, 0)]) {
        let mut damaged = whole.clone();
        damaged[byte] ^= 1 << bit;
        assert_eq!(lost(&all, read(&damaged)), (0, 0), "byte {byte}, bit {bit}");
    }
    let mut damaged = whole.clone();
    damaged[59] = 3;
    assert_eq!(SqliteFile::read(&damaged, None).unwrap().header(), Header::Corrected);
    // The first page, with fewer rows of the schema than it has.
    damaged = whole.clone();
    for count in 0..damaged[104] {
        damaged[104] = count;
        let found = read(&damaged);
        assert!(!found.damages.is_empty(), "{count} rows of the schema");
        assert_eq!(lost(&all, found), (0, 0), "{count} rows of the schema");
    }
}

#[test]
fn a_wrong_bit_between_leaves_costs_nothing_but_its_page() {
    let whole = written(1024, "UTF-8");
    let all = read(&whole).sorted();
    let kind = |page: usize| whole[page * 1024];
    for page in (1..whole.len() / 1024).filter(|page| [2, 5].contains(&kind(*page))) {
        // Rows of tables are on leaves only.
        let most = if kind(page) == 5 { 0 } else { MOST_ON_PAGE };
        for at in 0..48 {
            let mut damaged = whole.clone();
            damaged[page * 1024 + at] ^= 1 << (at % 8);
            let (missing, new) = lost(&all, read(&damaged));
            assert!(missing <= most, "byte {at} of page {}: {missing} rows are lost", page + 1);
            assert!(new <= MOST_ON_PAGE, "byte {at} of page {}: {new} rows appear from nowhere", page + 1);
        }
    }
}

#[test]
fn a_page_in_place_of_another_costs_the_rows_of_that_one() {
    let whole = written(1024, "UTF-8");
    let all = read(&whole).sorted();
    let pages = whole.len() / 1024;
    for page in (1..pages).filter(|page| [2, 5, 10, 13].contains(&whole[page * 1024])).step_by(11) {
        for other in (1..pages).step_by(37) {
            let mut damaged = whole.clone();
            damaged.copy_within(other * 1024..(other + 1) * 1024, page * 1024);
            let (missing, _) = lost(&all, read(&damaged));
            assert!(missing <= MOST_ON_PAGE, "page {} is {}: {missing} rows are lost", page + 1, other + 1);
        }
    }
}

#[test]
fn a_file_that_ends_early_gives_what_is_left() {
    let whole = written(1024, "UTF-8");
    let all = read(&whole).sorted();
    let rows: usize = all.values().map(Vec::len).sum();
    for percent in [99, 95, 75, 50, 10] {
        let damaged = whole[..whole.len() * percent / 100].to_vec();
        let found = read(&damaged);
        assert!(!found.damages.is_empty(), "{percent} %");
        let (missing, new) = lost(&all, found);
        assert!(
            missing * 100 <= rows * (100 - percent) * 2 + 300,
            "{percent} %: {missing} of {rows} are lost"
        );
        assert_eq!(new, 0, "{percent} %");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_without_a_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..4096),
        log in prop::collection::vec(any::<u8>(), 0..2048),
    ) {
        if let Some(file) = SqliteFile::read(&bytes, Some(&log)) {
            salvage(&file, &mut Collected::default());
        }
    }

    #[test]
    fn any_damage_is_read_without_a_panic(
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..200),
        cut in any::<prop::sample::Index>(),
    ) {
        thread_local! {
            static WHOLE: Vec<u8> = written(512, "UTF-8");
        }
        let mut bytes = WHOLE.with(Clone::clone);
        for (place, byte) in places {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        bytes.truncate(cut.index(bytes.len()).max(4096));
        read(&bytes);
    }
}
