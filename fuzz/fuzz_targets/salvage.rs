//! Any bytes as a SQLite file and its log or journal: read as far as they go, never a panic, and no page is named that is not there.
#![no_main]

use backscroll_fuzz::Cut;
use backscroll_salvage::{Damage, Index, Journal, Row, Salvager, SqliteFile, Table, Value, salvage};
use libfuzzer_sys::fuzz_target;

struct Check {
    pages: u32,
}

impl Salvager for Check {
    fn expected(&self) -> Vec<Table> {
        let sql = "CREATE TABLE t (key TEXT UNIQUE, value BLOB)";
        Table::of_statement("t", sql, None).into_iter().collect()
    }

    fn choose(&mut self, candidates: &[&Table], rows: &[Row]) -> Option<usize> {
        rows.len().checked_rem(candidates.len())
    }

    fn tables(&mut self, _: &[Table]) {}

    fn row(&mut self, table: &Table, row: Row, _: bool) {
        assert!((1..=self.pages).contains(&row.page), "a row lies on a page of the file");
        assert!(
            row.damaged.is_some() || row.values.len() == table.columns.len(),
            "a whole row has all values"
        );
    }

    fn entry(&mut self, _: &Index, _: Vec<Value>) {}

    fn damage(&mut self, _: Option<&str>, _: Damage) {}
}

fuzz_target!(|bytes: &[u8]| {
    let main = Cut::of(bytes).first();
    let log = bytes.get(main.len()..).unwrap_or_default().strip_prefix(b"\n<cut>\n".as_slice());
    let log = log.unwrap_or_default();
    if let Some(file) = SqliteFile::read(&main, Some(&log)) {
        salvage(&file, &mut Check { pages: file.count() });
    }
    if let Some(journal) = Journal::read(&log, Some(4096)) {
        let restored = journal.restore(|offset, page| {
            let end = offset + page.len() as u64;
            if end <= journal.size() { Ok(()) } else { Err(end) }
        });
        assert_eq!(restored, Ok(()), "a page lies inside of the database");
    }
});
