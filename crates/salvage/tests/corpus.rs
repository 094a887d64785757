//! The SQLite Forensic Corpus (CC0), where it lies beside the repository: live rows of all its databases.
//!
//! The 77 consistent databases are read exactly as SQLite reads them. So are those of the 64 manipulated ones that SQLite
//! reads at all; where it does not, the statements that made them are the answer key. [`EXCEPTIONS`] names the rest.

use std::path::{Path, PathBuf};

use backscroll_salvage::{SqliteFile, salvage};
use rusqlite::Connection;

use crate::collect::{Collected, Content, by_sqlite, open};

/// Manipulated databases that neither say what SQLite reads nor what their statements made, and why.
const EXCEPTIONS: &[(&str, &[&str])] = &[
    (
        "the schema names the page of another table, whose rows are refused, or counted against its index",
        &["11-03", "11-05"],
    ),
    (
        "interior pages name leaves of another table of the same shape, or none at all",
        &["12-01", "12-02", "12-03", "12-04", "12-05", "12-06"],
    ),
    (
        "overflow chains lead elsewhere: the values are not there any more",
        &["13-01", "13-02", "13-04", "13-05", "13-06", "13-07", "13-08"],
    ),
    (
        "cell pointers name no cells; SQLite shows empty rows or an error, we report each cell",
        &["14-01", "14-02", "14-03", "14-04", "14-05", "14-06", "14-07", "14-08"],
    ),
    (
        "lengths and types of values are false, so that records are cut or say something else",
        &[
            "15-01", "15-02", "15-04", "15-05", "15-06", "15-07", "15-08", "15-09", "15-10", "15-11",
            "15-12", "15-13",
        ],
    ),
    ("the file ends early, and the missing rows were behind its end", &["19-02", "19-03", "19-04"]),
];

#[test]
fn live_rows_of_the_corpus_are_read_exactly() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/sqlite-forensic-corpus");
    if !corpus.is_dir() {
        eprintln!("skipped: no corpus at {}", corpus.display());
        return;
    }
    let mut wrong = Vec::new();
    let mut databases = 0;
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(&corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    for folder in folders.into_iter().filter(|folder| folder.is_dir()) {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for file in files.into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "db")) {
            databases += 1;
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            let found = found(&file);
            let differences = answers(&file).into_iter().map(|answer| difference(&answer, &found));
            let best = differences.min_by_key(|difference| difference.as_ref().map_or(0, String::len));
            let is_exception = EXCEPTIONS.iter().any(|(_, names)| {
                names.iter().any(|exception| name.strip_suffix("_antifor") == Some(exception))
            });
            match best.flatten() {
                Some(difference) if !is_exception => wrong.push(format!("{name}: {difference}")),
                None if is_exception => wrong.push(format!("{name} is no exception any more")),
                _ => {}
            }
        }
    }
    assert_eq!(databases, 141);
    assert_eq!(wrong.join("\n"), "");
}

fn found(file: &Path) -> Content {
    let bytes = std::fs::read(file).unwrap();
    let mut found = Collected::default();
    if let Some(file) = SqliteFile::read(&bytes, None) {
        salvage(&file, &mut found);
    }
    found.sorted()
}

/// The rows as SQLite reads them, where it does. A manipulated database may say otherwise than the statements that made
/// it; where SQLite cannot read it, these are the answer.
fn answers(file: &Path) -> Vec<Content> {
    let name = file.file_stem().unwrap().to_string_lossy().into_owned();
    let own = by_sqlite(&open(file));
    if !name.ends_with("_antifor") {
        return vec![own.unwrap()];
    }
    let statements = std::fs::read_to_string(file.with_file_name(name.replace("_antifor", ".sql"))).unwrap();
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(&statements).unwrap();
    own.ok().into_iter().chain([by_sqlite(&connection).unwrap()]).collect()
}

fn difference(expected: &Content, found: &Content) -> Option<String> {
    if expected == found {
        return None;
    }
    let mut differences = Vec::new();
    for (table, rows) in expected {
        let other = found.get(table).map_or(&[][..], Vec::as_slice);
        let missing: Vec<&String> = rows.iter().filter(|row| !other.contains(row)).collect();
        let new: Vec<&String> = other.iter().filter(|row| !rows.contains(row)).collect();
        if !missing.is_empty() || !new.is_empty() || rows.len() != other.len() {
            differences.push(format!(
                "{table}: {} rows, {} found, missing {} {:.60}, new {} {:.60}",
                rows.len(),
                other.len(),
                missing.len(),
                missing.first().map_or("", |row| row.as_str()),
                new.len(),
                new.first().map_or("", |row| row.as_str()),
            ));
        }
    }
    for table in found.keys().filter(|table| !expected.contains_key(*table)) {
        differences.push(format!("{table} is new"));
    }
    Some(differences.join("; "))
}
