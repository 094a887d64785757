//! Every source, of every recorded home and of homes with everything in them, keeps what sources promise.

use std::path::Path;

use backscroll_cursor_store::{Where, find};
use backscroll_fixtures::{
    ChatTab, Composer, CursorHome, Era, HeaderTable, Journal, SearchIndex, Speaks, StateDatabase, Value,
    WorkspaceFolder, WrittenHome, behaves_like_a_source, demo_home, recorded, snapshot_of,
};
use serde_json::json;

/// Holds every source below `home` against the suite; gives how many there were.
fn hold(home: &Path) -> usize {
    let before = snapshot_of(home).unwrap();
    let found = find(&Where { home: Some(home.to_owned()), ..Where::default() });
    for source in &found.sources {
        behaves_like_a_source(source.as_ref());
    }
    let count = found.sources.len();
    drop(found);
    assert_eq!(snapshot_of(home).unwrap(), before, "nothing changed below {}", home.display());
    count
}

#[test]
fn every_recorded_home() {
    let mut sources = 0;
    for recorded in recorded().unwrap() {
        let home = recorded.copy_to_temp().unwrap();
        let homes = ["", "snapshot1", "snapshot2"].map(|below| home.path().join(below));
        sources += homes.iter().filter(|home| home.is_dir()).map(|home| hold(home)).sum::<usize>();
    }
    assert!(sources > 15, "{sources}");
}

#[test]
fn the_demo_home() {
    let home = tempfile::tempdir().unwrap();
    demo_home(home.path()).unwrap();
    assert!(hold(home.path()) >= 2);
}

/// Three eras of conversations, with a message that is not listed, one that is lost and one that is NULL.
fn conversations() -> [Composer; 3] {
    let old = Composer::new("inline").titled("Inline").era(Era::Inline045).user("one").assistant("two");
    let three = Composer::new("three").era(Era::V3).user("one").thinking("hm").assistant("two").orphaned();
    let ten = Composer::new("ten")
        .titled("Ten")
        .era(Era::V10)
        .user("one")
        .assistant("two")
        .nulled()
        .assistant("x")
        .lost();
    [old, three, ten]
}

fn global([old, three, ten]: &[Composer; 3]) -> StateDatabase {
    let blobs = Composer::new("blobs").titled("Blobs").in_workspace("0123abcd", "/home/a/app");
    let blobs = blobs.user("go").tool(
        "read_file_v2",
        json!({"targetFile": "/home/a/app/x"}),
        json!({"contents": "x"}),
    );
    let blobs = blobs.assistant("done").with_agent_blobs();
    let draft = Composer::new("draft-1").set("isDraft", json!(true)).set("text", json!("not sent"));
    let gone = Composer::new("gone").user("left").assistant("over");
    let mut main = StateDatabase::new();
    for composer in [old, three, ten, &blobs, &draft] {
        main = main.composer(composer);
    }
    main.rows(gone.rows().into_iter().filter(|(key, _)| key.starts_with("bubbleId:")))
        .kv("composerData:gone", Value::Null)
        .kv("bubbleId:all null:1", Value::Null)
        .kv("composerData:broken", "{\"composerId\": \"broken\", ")
        .kv("composerData:", "{}")
        .kv("composerData:no json", "hello")
        .kv("composerData:line\nbreak", json!({"composerId": "line\nbreak", "name": "Odd"}))
        .kv_without_key("x")
        .item(
            "workbench.panel.aichat.view.aichat.chatdata",
            ChatTab::chat_data(&[ChatTab::new("global tab").titled("Tab").user("q").assistant("a")]),
        )
        .head_list([blobs.head(), Composer::new("head only").titled("Head").head()])
        .header_table(
            HeaderTable::new().with_subagent_column().composer(&blobs).composer(&Composer::new("table only")),
        )
        .item("glass.localAgentProjects.v1", "[]")
        .journal(Journal::WalCrashed)
        .kv("composerData:later", Composer::new("later").titled("Later").document())
}

fn everything() -> WrittenHome {
    let conversations = conversations();
    let [_, three, ten] = &conversations;
    let workspace = |id: &str, uri: &str| WorkspaceFolder::new(id).folder(uri).head(three).head(ten);
    CursorHome::new()
        .unwrap()
        .global(global(&conversations))
        .backup(StateDatabase::new().composer(ten).composer(&Composer::new("backup only").user("q")))
        .file_manager_copy(StateDatabase::new().composer(three))
        .profile("1a2b3c4d", StateDatabase::new())
        .workspace(workspace("0123abcd", "file:///home/a/app").selected("blobs").prompt("left alone"))
        .workspace(workspace("again", "file:///home/a/app").pane("p1", "gone"))
        .workspace(WorkspaceFolder::new("1700000000000").prompt("one").generation(
            "g1",
            1_783_397_624_574,
            "one",
        ))
        .workspace(WorkspaceFolder::new("empty-window").prompt("two"))
        .workspace(
            WorkspaceFolder::new("inline").inline(&Composer::new("w").titled("W").user("a").assistant("b")),
        )
        .workspace(
            WorkspaceFolder::new("tabs").chat_tab(ChatTab::new("tab").titled("T").user("a").assistant("b")),
        )
        .search_index(SearchIndex::new().local("searched", "Found", "words", 1).cloud("bc-1", "Cloud", 2))
        .write()
        .unwrap()
}

#[test]
fn a_home_with_everything() {
    assert_eq!(hold(everything().root()), 6);
}
