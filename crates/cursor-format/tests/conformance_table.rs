//! The table of conformance facts, kept true: a test file that it names exists and mentions the number.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Whether `text` mentions the fact `number`, in a name or a comment, alone or inside of a span of facts.
fn mentions(text: &str, number: &str) -> bool {
    text.to_uppercase().contains(number)
}

#[test]
fn every_fact_is_tested_where_the_table_says() {
    let table = read("../../docs/formats/conformance.md");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("| C"))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    assert!(rows.len() > 100, "the table has a row for every fact");
    for row in rows {
        let (number, place) = (row[1], row[3]);
        assert!(number.len() == 4 && !place.is_empty(), "{row:?}");
        if let Some(file) = place.strip_prefix('`').and_then(|rest| rest.strip_suffix(".rs`")) {
            let text = read(&format!("tests/{file}.rs"));
            assert!(mentions(&text, number), "{number} is not mentioned in {place}");
        } else {
            assert!(place.contains("room `") || place == "not here", "{number}: {place}");
        }
    }
}
