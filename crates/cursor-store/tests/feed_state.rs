//! The change feed of the editor's database: what rowids show, and every way in which they may deceive.

use std::fs;
use std::path::PathBuf;

use backscroll_fixtures::{Composer, CursorHome, HeaderTable, Speaks, StateDatabase, WrittenHome};
use serde_json::json;

use crate::feed_watch::{Watch, run};
use crate::writer::Writer;

fn composer(id: &str) -> Composer {
    Composer::new(id).titled(id).user("hello").assistant("hi").user("more").assistant("yes")
}

/// Three conversations, and rows between them that are nobody's.
fn home() -> (WrittenHome, PathBuf) {
    let mut database = StateDatabase::new().header_table(HeaderTable::new().composer(&composer("a")));
    for id in ["a", "b", "c"] {
        database = database.composer(&composer(id)).kv(format!("composer.content.{id}"), "text");
    }
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    let file = home.global_database();
    (home, file)
}

const A_BUBBLE_OF_B: &str = "(SELECT min(key) FROM cursorDiskKV WHERE key > 'bubbleId:b:')";

/// What is done to the database, and who is named.
const CASES: &[(&str, &str, &[&str])] = &[
    (
        "a row that is new",
        "INSERT INTO cursorDiskKV VALUES ('bubbleId:b:new', '{\"type\":1,\"text\":\"x\"}')",
        &["b"],
    ),
    (
        "a row that is written anew",
        "INSERT INTO cursorDiskKV SELECT key, value FROM cursorDiskKV WHERE key = 'composerData:c'",
        &["c"],
    ),
    ("a conversation that is new", "INSERT INTO cursorDiskKV VALUES ('composerData:d', '{}')", &["d"]),
    ("a row that is deleted", "DELETE FROM cursorDiskKV WHERE key = @", &["b"]),
    (
        "a row that is deleted while another conversation grows",
        "DELETE FROM cursorDiskKV WHERE key = @; INSERT INTO cursorDiskKV VALUES ('bubbleId:a:new', '{}')",
        &["a", "b"],
    ),
    (
        "a conversation that is deleted with its contents",
        "DELETE FROM cursorDiskKV WHERE key LIKE '%:b:%' OR key LIKE '%:b' OR key LIKE '%.b'",
        &["a", "b", "c"],
    ),
    (
        "contents that anybody may miss",
        "DELETE FROM cursorDiskKV WHERE key = 'composer.content.a'",
        &["a", "b", "c"],
    ),
    ("contents that came", "INSERT INTO cursorDiskKV VALUES ('agentKv:blob:00', 'x')", &[]),
    (
        "the text of a file before any edit",
        "INSERT INTO cursorDiskKV VALUES ('ofsContent:b:file:///src/main.rs', 'x')",
        &["b"],
    ),
    ("a row of nobody", "INSERT INTO cursorDiskKV VALUES ('inlineDiffs-1', 'x')", &[]),
    (
        "the highest row deleted and its rowid used again by another key",
        "DELETE FROM cursorDiskKV WHERE rowid = (SELECT max(rowid) FROM cursorDiskKV);
         INSERT INTO cursorDiskKV VALUES ('bubbleId:b:new', '{\"type\":1,\"text\":\"x\"}')",
        &["a", "b", "c"],
    ),
    (
        "rowids that begin anew",
        "CREATE TABLE rest AS SELECT key, value FROM cursorDiskKV WHERE key != @;
         DELETE FROM cursorDiskKV;
         INSERT INTO cursorDiskKV SELECT key, value FROM rest ORDER BY key DESC; DROP TABLE rest",
        &["a", "b", "c"],
    ),
    ("a head of the table that is changed in its place", "UPDATE composerHeaders SET isArchived = 1", &["a"]),
    (
        "a list of heads",
        "INSERT INTO ItemTable VALUES ('composer.composerHeaders', '{\"allComposers\":[{\"composerId\":\"c\",\"name\":\"C\"}]}')",
        &["c"],
    ),
    ("a value of no interest", "INSERT INTO ItemTable VALUES ('workbench.view', 'x')", &[]),
    ("the table is gone", "DROP TABLE cursorDiskKV", &["a", "b", "c"]),
];

#[test]
fn each_change_names_those_whom_it_concerns() {
    for mode in ["DELETE", "WAL"] {
        for (what, statements, expected) in CASES {
            let (home, file) = home();
            run(&file, &format!("PRAGMA journal_mode = {mode}"));
            let mut watch = Watch::on(home.root());
            let before = watch.state();
            run(&file, &statements.replace('@', A_BUBBLE_OF_B));
            let named = watch.named();
            assert_eq!(named, *expected, "{mode}: {what}");
            for changed in crate::feed_watch::differing(&before, &watch.state()) {
                assert!(named.contains(&changed), "{mode}: {what}: {changed} changed");
            }
        }
    }
}

/// The highest row is deleted, and the same key comes back under the same rowid with other words.
#[test]
fn a_rowid_is_used_again_by_the_same_key() {
    let (home, file) = home();
    run(&file, "INSERT INTO cursorDiskKV VALUES ('bubbleId:b:last', '{\"type\":1,\"text\":\"one\"}')");
    let mut watch = Watch::on(home.root());
    run(
        &file,
        "DELETE FROM cursorDiskKV WHERE key = 'bubbleId:b:last';
         INSERT INTO cursorDiskKV VALUES ('bubbleId:b:last', '{\"type\":1,\"text\":\"two\"}')",
    );
    assert_eq!(watch.named(), ["b"]);
}

#[test]
fn a_vacuum_that_renumbers_hides_nothing() {
    let (home, file) = home();
    run(&file, &format!("DELETE FROM cursorDiskKV WHERE key = {A_BUBBLE_OF_B}"));
    let mut watch = Watch::on(home.root());
    let before = watch.state();
    run(&file, "VACUUM; INSERT INTO cursorDiskKV VALUES ('bubbleId:a:new', '{\"type\":1,\"text\":\"x\"}')");
    let named = watch.named();
    let changed = crate::feed_watch::differing(&before, &watch.state());
    assert!(!changed.is_empty() && changed.iter().all(|id| named.contains(id)), "{changed:?} {named:?}");
}

#[test]
fn an_older_file_comes_back() {
    for is_put_in_place in [true, false] {
        let (home, file) = home();
        let kept = home.root().join("kept");
        fs::copy(&file, &kept).unwrap();
        run(&file, "INSERT INTO cursorDiskKV VALUES ('bubbleId:b:new', '{\"type\":1,\"text\":\"x\"}')");
        let mut watch = Watch::on(home.root());
        if is_put_in_place {
            fs::rename(&kept, &file).unwrap();
        } else {
            fs::copy(&kept, &file).unwrap();
        }
        assert_eq!(watch.named(), ["b"], "put in its place: {is_put_in_place}");
        // And it goes on from there, up to the same number of rows.
        run(&file, "INSERT INTO cursorDiskKV VALUES ('bubbleId:c:new', '{\"type\":1,\"text\":\"x\"}')");
        assert_eq!(watch.named(), ["c"]);
    }
}

/// Contents name no conversation. Those that are back may be of any.
#[test]
fn an_older_file_brings_contents_back() {
    for is_put_in_place in [true, false] {
        let (home, file) = home();
        let kept = home.root().join("kept");
        fs::copy(&file, &kept).unwrap();
        run(&file, "DELETE FROM cursorDiskKV WHERE key = 'composer.content.a'");
        let mut watch = Watch::on(home.root());
        if is_put_in_place {
            fs::rename(&kept, &file).unwrap();
        } else {
            fs::copy(&kept, &file).unwrap();
        }
        assert_eq!(watch.named(), ["a", "b", "c"], "put in its place: {is_put_in_place}");
    }
}

/// Rows that went from the end and came back with an older file look like new ones.
#[test]
fn an_older_file_brings_the_last_contents_back() {
    let (home, file) = home();
    run(&file, "INSERT INTO cursorDiskKV VALUES ('composer.content.last', 'x')");
    let kept = home.root().join("kept");
    fs::copy(&file, &kept).unwrap();
    let mut watch = Watch::on(home.root());
    run(&file, "DELETE FROM cursorDiskKV WHERE key = 'composer.content.last'");
    assert_eq!(watch.named(), ["a", "b", "c"], "it may be of any");
    fs::copy(&kept, &file).unwrap();
    assert_eq!(watch.named(), ["a", "b", "c"], "it is back");
    // New contents in a place that became free concern nobody until a row names them.
    run(&file, "DELETE FROM cursorDiskKV WHERE key = 'composer.content.last'");
    assert_eq!(watch.named(), ["a", "b", "c"]);
    run(&file, "INSERT INTO cursorDiskKV VALUES ('composer.content.other', 'y')");
    assert_eq!(watch.named(), Vec::<String>::new());
}

#[test]
fn another_file_in_its_place() {
    let (home, file) = home();
    let mut watch = Watch::on(home.root());
    fs::remove_file(&file).unwrap();
    StateDatabase::new().composer(&composer("a")).composer(&composer("z")).write_to(&file).unwrap();
    let named = watch.named();
    assert!(["b", "c", "z"].iter().all(|id| named.contains(&(*id).to_owned())), "{named:?}");
}

/// Many writes within one tick of the clock, a log that is written again from its beginning: each is seen.
#[test]
fn a_writer_that_has_it_open() {
    let (home, file) = home();
    let mut writer = Writer::on(&file);
    writer.run("PRAGMA journal_mode = WAL");
    writer.run("INSERT INTO cursorDiskKV VALUES ('bubbleId:a:0', '{}')");
    let mut watch = Watch::on(home.root());
    for round in 0..40 {
        let id = ["a", "b", "c"][round % 3];
        writer.run(&format!(
            "INSERT INTO cursorDiskKV VALUES ('bubbleId:{id}:same', '{{\"x\":{}}}')",
            10 + round
        ));
        assert_eq!(watch.named(), [id], "round {round}");
        if round % 10 == 9 {
            writer.run("PRAGMA wal_checkpoint(RESTART)");
            assert_eq!(watch.look().len(), 0);
        }
    }
    writer.run("BEGIN; INSERT INTO cursorDiskKV VALUES ('bubbleId:a:later', '{}')");
    assert_eq!(watch.look().len(), 0, "it may still be rolled back");
    writer.run("COMMIT");
    assert_eq!(watch.named(), ["a"]);
    writer.crash();
    assert_eq!(watch.look().len(), 0);
}

/// A workspace that gets or loses its folder places the conversations that name it.
#[test]
fn a_workspace_that_moves() {
    let placed = composer("p").in_workspace("0123abcd", "/home/a/app");
    let home = CursorHome::new()
        .unwrap()
        .global(StateDatabase::new().composer(&placed).composer(&composer("q")))
        .file(
            ".config/Cursor/User/workspaceStorage/0123abcd/workspace.json",
            "{\"folder\":\"file:///home/a/app\"}",
        )
        .write()
        .unwrap();
    let mut watch = Watch::on(home.root());
    let json = home.workspace_dir("0123abcd").join("workspace.json");
    fs::write(json, "{\"folder\":\"file:///home/a/other\"}").unwrap();
    assert_eq!(watch.named(), ["p"]);
}

/// A plan belongs to those who made or name it, though none of their rows changes with it.
#[test]
fn a_plan_that_comes_changes_or_goes() {
    let made = composer("made").tool(
        "create_plan",
        json!({ "name": "Tidy up", "plan": "..." }),
        json!({ "planUri": "file:///home/a/.cursor/plans/tidy_up_0a1b2c3d.plan.md" }),
    );
    let names = composer("names").user("go on with tidy_up_0a1b2c3d.plan.md");
    let database = StateDatabase::new().composer(&made).composer(&names).composer(&composer("other"));
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    let plans = home.cursor_dir().join("plans");
    let plan = plans.join("tidy_up_0a1b2c3d.plan.md");
    let mut watch = Watch::on(home.root());
    fs::create_dir_all(&plans).unwrap();
    for (what, text) in
        [("comes", Some("one")), ("changes", Some("another")), ("goes", None), ("comes again", Some("one"))]
    {
        let before = watch.state();
        match text {
            Some(text) => fs::write(&plan, text).unwrap(),
            None => fs::remove_file(&plan).unwrap(),
        }
        assert_eq!(watch.named(), ["made", "names"], "a plan {what}");
        let changed = crate::feed_watch::differing(&before, &watch.state());
        assert!(changed.iter().eq(["made", "names"]), "a plan {what}: {changed:?}");
    }
    let later = composer("other").user("tidy_up_0a1b2c3d.plan.md");
    home.more().global(StateDatabase::new().composer(&later)).write().unwrap();
    assert_eq!(watch.named(), ["other"]);
    fs::write(&plan, "two").unwrap();
    assert_eq!(
        watch.named(),
        ["made", "names", "other"],
        "a conversation that names plans later is known too"
    );
}
