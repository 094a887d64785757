//! How SQLite answers: by the index, never by going through the whole table.

use std::path::Path;

use backscroll_cursor_store::ReadOnlyDb;
use backscroll_fixtures::{demo_home, recorded, snapshot_of};

fn assert_searched(home: &Path) -> usize {
    let mut asked = 0;
    for name in snapshot_of(home).unwrap().into_keys() {
        let is_database = [".vscdb", ".backup"].iter().any(|ending| name.to_string_lossy().ends_with(ending));
        if !is_database {
            continue;
        }
        let db = ReadOnlyDb::open(&home.join(&name)).unwrap();
        for table in ["cursorDiskKV", "ItemTable"] {
            let Some(table) = db.table(table).unwrap() else { continue };
            let plans = table.query_plans().unwrap();
            assert_eq!(plans.len(), 5);
            for plan in plans {
                assert!(
                    plan.starts_with("SEARCH ") && plan.contains("USING") && plan.contains("INDEX"),
                    "{plan}"
                );
            }
            asked += 1;
        }
    }
    asked
}

#[test]
fn every_question_to_a_recorded_database_is_a_search() {
    let mut asked = 0;
    for recorded in recorded().unwrap() {
        asked += assert_searched(recorded.copy_to_temp().unwrap().path());
    }
    assert!(asked > 40, "{asked} tables were asked");
}

#[test]
fn every_question_to_the_demo_home_is_a_search() {
    let folder = tempfile::tempdir().unwrap();
    demo_home(folder.path()).unwrap();
    assert!(assert_searched(folder.path()) > 2);
}
