//! Every page of an editor's database, lost in turn: only what is on it is lost, and it is said.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use backscroll_cursor_store::{Where, find};
use backscroll_fixtures::{
    Composer, CursorHome, Era, HeaderTable, Journal, Speaks, StateDatabase, WrittenHome, snapshot_of,
};
use backscroll_history::{Ask, History};
use backscroll_model::Finding;
use rusqlite::Connection;
use serde_json::json;

const PAGE: usize = 4096;
const CONVERSATIONS: usize = 37;

/// A database of some 3 MB with heads in both indexes, long values, agent blobs, and pages that became free.
fn home() -> WrittenHome {
    let mut database = StateDatabase::new().journal(Journal::Rollback);
    let mut table = HeaderTable::new();
    let mut heads = Vec::new();
    for nth in 0..CONVERSATIONS {
        let era = [Era::V3, Era::V10, Era::V16][nth % 3];
        let mut composer = Composer::new(format!("{nth:08x}-0000-4000-8000-000000000000"))
            .titled(&format!("Conversation {nth}"))
            .era(era)
            .started(1_760_000_000_000 + i64::try_from(nth).unwrap() * 60_000);
        if nth % 4 == 0 {
            composer = composer.with_agent_blobs();
        }
        for turn in 0..10 {
            let long = format!("answer {nth}.{turn} ").repeat([1, 20, 60, 250][(nth + turn) % 4]);
            composer = composer
                .user(&format!("question {nth}.{turn}"))
                .tool("read_file_v2", json!({ "targetFile": "/a.rs" }), json!({ "contents": long }))
                .assistant(&long);
        }
        heads.push(composer.head());
        table = table.composer(&composer);
        database = database.composer(&composer);
        let gone = format!("bubbleId:{}:gone", composer.id());
        database = database.kv(gone.clone(), "gone ".repeat(4_000)).delete(gone);
    }
    let filler = (0..40).fold(database.head_list(heads).header_table(table), |database, nth| {
        database.item(format!("some.setting.{nth}"), "setting ".repeat(300))
    });
    CursorHome::new().unwrap().global(filler).write().unwrap()
}

/// What a person sees of a home.
struct Seen {
    /// Each conversation: its title, and the ids and words of its messages, listed or not.
    conversations: BTreeMap<String, (Option<String>, BTreeMap<String, String>)>,
    findings: Vec<Finding>,
}

fn look(home: &Path) -> Seen {
    let found = find(&Where { home: Some(home.to_owned()), ..Where::default() });
    let history = History::over(found.sources, found.findings);
    let listing = history.list(&Ask::default());
    let mut seen = Seen { conversations: BTreeMap::new(), findings: listing.findings.clone() };
    for summary in &listing.summaries {
        let conversation = history.load(&summary.id).unwrap();
        let all = conversation.messages.iter().chain(&conversation.orphans);
        let messages = all.map(|message| (message.id.as_str().to_owned(), message.text())).collect();
        seen.findings.extend(conversation.findings.iter().cloned());
        seen.conversations.insert(summary.id.as_str().to_owned(), (summary.title.clone(), messages));
    }
    seen
}

/// Asserts that what differs is said, and that no message is lost but those whose rows are.
fn assert_contained(whole: &Seen, left: &Seen, what: &str) {
    let lost: BTreeSet<&str> = left.findings.iter().map(|finding| finding.at.key.as_str()).collect();
    let is_same = whole.conversations == left.conversations;
    assert!(is_same || !left.findings.is_empty(), "{what}: something differs in silence");
    for (id, (title, messages)) in &whole.conversations {
        let rows_lost = lost.iter().filter(|key| key.contains(id.as_str())).count();
        let Some((left_title, left_messages)) = left.conversations.get(id) else {
            panic!("{what}: conversation {id} is gone, findings: {lost:?}");
        };
        assert!(title == left_title || rows_lost > 0, "{what}: another title of {id}: {left_title:?}");
        for (message, words) in messages {
            let is_lost = lost.contains(format!("bubbleId:{id}:{message}").as_str());
            match left_messages.get(message) {
                Some(left) => {
                    assert!(left == words || is_lost, "{what}: other words of {message} of {id}: {left}");
                }
                None => assert!(is_lost, "{what}: message {message} of {id} is lost; lost rows: {lost:?}"),
            }
        }
    }
}

/// Zeroes every so many pages in turn. Returns how many pages there are, and how many rows were named as lost in all.
fn lose_pages(every: usize) -> (usize, usize) {
    let home = home();
    let file = home.global_database();
    let bytes = fs::read(&file).unwrap();
    let whole = look(home.root());
    assert_eq!(whole.conversations.len(), CONVERSATIONS);
    let pages = bytes.len() / PAGE;
    assert!(pages > 600, "{pages} pages");
    let mut lost_rows = 0;
    for page in (0..pages).step_by(every) {
        let mut damaged = bytes.clone();
        damaged[page * PAGE..(page + 1) * PAGE].fill(0);
        fs::write(&file, damaged).unwrap();
        let before = snapshot_of(home.root()).unwrap();
        let left = look(home.root());
        assert_contained(&whole, &left, &format!("page {} of {pages}", page + 1));
        assert_eq!(snapshot_of(home.root()).unwrap(), before);
        lost_rows += left.findings.iter().filter(|finding| finding.says.starts_with("a row of")).count();
    }
    (pages, lost_rows)
}

#[test]
fn a_lost_page_costs_what_is_on_it() {
    let (_, lost_rows) = lose_pages(10);
    assert!(lost_rows > 0, "some of these pages hold rows");
}

/// Run by `scripts/damage`.
#[test]
#[ignore = "takes minutes"]
fn any_lost_page_costs_what_is_on_it() {
    let (pages, lost_rows) = lose_pages(1);
    println!("{pages} pages lost in turn: {lost_rows} rows are named as lost");
}

#[test]
fn a_wrong_byte_of_the_first_page_costs_nothing() {
    let home = home();
    let file = home.global_database();
    let bytes = fs::read(&file).unwrap();
    let whole = look(home.root());
    let rows = bytes[104];
    // The page size, reserved bytes, the format of the schema, the text encoding, and how many rows the schema has.
    let cases = [
        (16, 2),
        (16, 32),
        (16, 128),
        (20, 4),
        (20, 128),
        (47, 5),
        (47, 132),
        (59, 2),
        (59, 3),
        (104, 0),
        (104, rows - 1),
        (104, rows / 2),
    ];
    for (at, byte) in cases {
        let mut damaged = bytes.clone();
        damaged[at] = byte;
        fs::write(&file, damaged).unwrap();
        let left = look(home.root());
        assert!(!left.findings.is_empty(), "byte {at} = {byte} is not reported");
        assert_eq!(left.conversations, whole.conversations, "byte {at} = {byte}: {:?}", left.findings);
    }
}

#[test]
fn a_root_that_is_no_page_costs_nothing() {
    let home = home();
    let file = home.global_database();
    let bytes = fs::read(&file).unwrap();
    let whole = look(home.root());
    for table in ["cursorDiskKV", "ItemTable", "composerHeaders"] {
        for root in ["0", "-5", "4294967298", "'x'", "NULL", "1000000"] {
            fs::write(&file, &bytes).unwrap();
            let change = format!("UPDATE sqlite_schema SET rootpage = {root} WHERE name = '{table}'");
            change_schema(&file, &change);
            let left = look(home.root());
            assert!(!left.findings.is_empty(), "{table} at {root} is not reported");
            assert_eq!(left.conversations, whole.conversations, "{table} at {root}: {:?}", left.findings);
        }
    }
}

#[test]
fn a_table_that_cannot_be_used_is_reported() {
    let home = home();
    let file = home.global_database();
    let bytes = fs::read(&file).unwrap();
    let moved = "ALTER TABLE cursorDiskKV RENAME TO moved;";
    let endless =
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n) SELECT n AS key, n AS value FROM n";
    for change in [
        "ALTER TABLE cursorDiskKV RENAME COLUMN value TO content".to_owned(),
        format!("{moved} CREATE VIEW cursorDiskKV AS SELECT * FROM moved"),
        format!("{moved} CREATE VIEW cursorDiskKV AS {endless}"),
        format!("{moved} CREATE VIRTUAL TABLE cursorDiskKV USING fts5(key, value)"),
    ] {
        fs::write(&file, &bytes).unwrap();
        change_schema(&file, &change);
        let left = look(home.root());
        let told = left.findings.iter().filter(|finding| finding.at.key == "cursorDiskKV").count();
        // Once for the store, and once for each conversation.
        assert_eq!(told, 1 + left.conversations.len(), "{change}");
    }
}

#[expect(clippy::disallowed_methods, reason = "a test writes its own database")]
fn change_schema(file: &Path, change: &str) {
    let connection = Connection::open(file).unwrap();
    connection.execute_batch(&format!("PRAGMA writable_schema = ON; {change}")).unwrap();
}

#[test]
fn a_page_in_place_of_another_costs_what_was_on_that_one() {
    let home = home();
    let file = home.global_database();
    let bytes = fs::read(&file).unwrap();
    let whole = look(home.root());
    let of_kinds = |kinds: &[u8]| -> Vec<usize> {
        (1..bytes.len() / PAGE).filter(|page| kinds.contains(&bytes[page * PAGE])).collect()
    };
    let all = of_kinds(&[2, 5, 10, 13]);
    // Roots of trees, which come first, and some others; and of each kind of page the first, the last and one between them.
    let pages = all.iter().take(9).chain(all.iter().skip(9).step_by(all.len() / 4));
    let of_each_kind = [2, 5, 10, 13].map(|kind| of_kinds(&[kind]));
    let others = of_each_kind.iter().flat_map(|pages| pages.iter().step_by((pages.len() / 2).max(1)));
    let others: Vec<&usize> = others.collect();
    for page in pages {
        for other in others.iter().copied().filter(|other| *other != page) {
            let mut damaged = bytes.clone();
            damaged.copy_within(other * PAGE..(other + 1) * PAGE, page * PAGE);
            fs::write(&file, damaged).unwrap();
            let left = look(home.root());
            let what = format!("page {} is a copy of page {}", page + 1, other + 1);
            assert_contained(&whole, &left, &what);
            assert_eq!(left.conversations.len(), CONVERSATIONS, "{what}: {:?}", left.conversations.keys());
        }
    }
}

#[test]
fn a_file_that_was_cut_off_keeps_what_is_left() {
    let home = home();
    let file = home.global_database();
    let bytes = fs::read(&file).unwrap();
    let whole = look(home.root());
    let all: usize = whole.conversations.values().map(|(_, messages)| messages.len()).sum();
    for percent in [99, 95, 80, 50, 20] {
        fs::write(&file, &bytes[..bytes.len() * percent / 100]).unwrap();
        let left = look(home.root());
        assert!(!left.findings.is_empty(), "{percent} %");
        let kept: usize = left.conversations.values().map(|(_, messages)| messages.len()).sum();
        assert!(kept * 100 >= all * (percent - 10), "{percent} %: {kept} of {all} messages");
    }
}
