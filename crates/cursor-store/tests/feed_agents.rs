//! The change feed of everything besides the editor's database: each file that is read is watched.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use backscroll_fixtures::{
    CliChat, CursorHome, SdkAgent, SdkStore, SearchIndex, Speaks, StateDatabase, Tracking, Transcript,
    WorkspaceFolder, WrittenHome,
};

use serde_json::json;

use crate::feed_watch::{Watch, differing, run};

const ITEM: &str = "INSERT INTO ItemTable VALUES ";

fn home() -> WrittenHome {
    let heads = "{\"allComposers\":[{\"composerId\":\"w1\",\"name\":\"One\"},{\"composerId\":\"w2\"}]}";
    let spilled = "/home/dev/.cursor/projects/home-dev-app/agent-tools/o.txt";
    CursorHome::new()
        .unwrap()
        .global(StateDatabase::new())
        .workspace(WorkspaceFolder::new("0123abcd").folder("file:///home/dev/app"))
        .database(
            "workspaceStorage/4567abcd/state.vscdb",
            StateDatabase::new().item("composer.composerData", heads),
        )
        .cli(CliChat::new("/home/dev/app", "s1").user("hello").assistant("hi"))
        .cli(CliChat::new("/home/dev/app", "s2").user("hello").assistant("hi"))
        .transcript(Transcript::new("/home/dev/app", "t1").user("hello").assistant("hi"))
        .transcript(Transcript::new("/home/dev/app", "t2").user("hello").tool(
            "Read",
            json!({ "path": spilled }),
            json!(""),
        ))
        .sdk(
            SdkStore::new("/home/dev/sdk")
                .agent(SdkAgent::new("g1").user("go"))
                .agent(SdkAgent::new("g2").user("go")),
        )
        .tracking(Tracking::new().line("s1", "r1", "/home/dev/app/a.rs", "m"))
        .search_index(SearchIndex::new().local("x1", "X", "words", 1).local("x2", "Y", "words", 2))
        .file(".cursor/prompt_history.json", "[\"typed\"]")
        .write()
        .unwrap()
}

fn append(path: &Path, text: &str) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn session(home: &WrittenHome, id: &str) -> std::path::PathBuf {
    home.cursor_dir().join(CliChat::new("/home/dev/app", id).folder())
}

fn transcript(home: &WrittenHome, id: &str) -> std::path::PathBuf {
    home.cursor_dir().join("projects").join(Transcript::new("/home/dev/app", id).path())
}

fn sdk_index(home: &WrittenHome) -> std::path::PathBuf {
    let below =
        |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let projects = below(&home.cursor_dir().join("projects"));
    let stores =
        projects.iter().map(|project| project.join("sdk-agent-store")).filter(|store| store.is_dir());
    let mut indexes = stores.flat_map(|store| below(&store)).map(|store| store.join("index.db"));
    indexes.find(|index| index.is_file()).unwrap()
}

type Change = fn(&WrittenHome);

/// What is done, and who is named.
const CASES: &[(&str, Change, &[&str])] = &[
    (
        "a session's store",
        |home| run(&session(home, "s1").join("store.db"), "INSERT INTO blobs VALUES ('x', 'y')"),
        &["s1"],
    ),
    ("a session's head", |home| append(&session(home, "s2").join("meta.json"), " "), &["s2"]),
    (
        "a session's prompts",
        |home| fs::write(session(home, "s2").join("prompt_history.json"), "[]").unwrap(),
        &["s2"],
    ),
    ("a session that is gone", |home| fs::remove_dir_all(session(home, "s1")).unwrap(), &["s1"]),
    (
        "a session that is new",
        |home| drop(home.more().cli(CliChat::new("/home/dev/app", "s3").user("x")).write().unwrap()),
        &["s3"],
    ),
    (
        "a transcript that grows",
        |home| append(&transcript(home, "t1"), "{\"role\":\"user\",\"message\":{\"content\":[]}}\n"),
        &["t1"],
    ),
    ("a transcript that is gone", |home| fs::remove_file(transcript(home, "t2")).unwrap(), &["t2"]),
    (
        "a subagent's transcript",
        |home| {
            drop(
                home.more()
                    .transcript(Transcript::new("/home/dev/app", "t3").subagent_of("t1").user("x"))
                    .write()
                    .unwrap(),
            );
        },
        &["t1", "t3"],
    ),
    (
        "output that spilled",
        |home| {
            drop(home.more().file(".cursor/projects/home-dev-app/agent-tools/o.txt", "x").write().unwrap());
        },
        &["t2"],
    ),
    (
        "an agent of the SDK",
        |home| run(&sdk_index(home), "UPDATE agents SET status = 'other' WHERE agent_id = 'g1'"),
        &["g1"],
    ),
    (
        "events of the SDK",
        |home| {
            run(&sdk_index(home), "DELETE FROM run_events WHERE rowid = (SELECT max(rowid) FROM run_events)");
        },
        &["g2"],
    ),
    (
        "tracked lines",
        |home| {
            let file = home.cursor_dir().join("ai-tracking/ai-code-tracking.db");
            run(&file, "UPDATE ai_code_hashes SET model = 'other'");
        },
        &["s1"],
    ),
    (
        "the search index",
        |home| {
            run(
                &home.user_dir().join("globalStorage/conversation-search.db"),
                "UPDATE conversations SET title = 'Z' WHERE id = 'x2'",
            );
        },
        &["x2"],
    ),
    (
        "the prompt history",
        |home| fs::write(home.cursor_dir().join("prompt_history.json"), "[\"more\"]").unwrap(),
        &["prompt-history"],
    ),
    (
        "a workspace's heads",
        |home| {
            let heads =
                "{\"allComposers\":[{\"composerId\":\"w1\",\"name\":\"Other\"},{\"composerId\":\"w2\"}]}";
            let file = home.workspace_dir("4567abcd").join("state.vscdb");
            run(&file, &format!("{ITEM}('composer.composerData', '{heads}')"));
        },
        &["w1"],
    ),
    (
        "a workspace's prompts",
        |home| {
            let file = home.workspace_dir("4567abcd").join("state.vscdb");
            run(&file, &format!("{ITEM}('aiService.prompts', '[{{\"text\":\"asked\",\"commandType\":4}}]')"));
        },
        &["prompts-4567abcd"],
    ),
];

#[test]
fn each_change_names_those_whom_it_concerns() {
    for (what, change, expected) in CASES {
        let home = home();
        let mut watch = Watch::on(home.root());
        let before = watch.state();
        change(&home);
        let named = watch.named();
        assert_eq!(named, *expected, "{what}");
        for changed in differing(&before, &watch.state()) {
            assert!(named.contains(&changed), "{what}: {changed} changed");
        }
    }
}

/// Prompts are a conversation where no other place has messages of their workspace.
#[test]
fn prompts_give_way_to_messages_in_the_global_database() {
    let home = home();
    let prompts = "('aiService.prompts', '[{\"text\":\"asked\",\"commandType\":4}]')";
    run(&home.workspace_dir("4567abcd").join("state.vscdb"), &format!("{ITEM}{prompts}"));
    let mut watch = Watch::on(home.root());
    let composer = backscroll_fixtures::Composer::new("w1").user("one").assistant("two");
    StateDatabase::new().composer(&composer).write_to(&home.global_database()).unwrap();
    let named = watch.named();
    assert!(["w1", "prompts-4567abcd"].iter().all(|id| named.contains(&(*id).to_owned())), "{named:?}");
}

/// A place that is new names its own conversations, and so does one that is gone.
#[test]
fn places_come_and_go() {
    let home = home();
    let mut watch = Watch::on(home.root());
    let session = home.cursor_dir().join("acp-sessions");
    home.more().cli(CliChat::new("/home/dev/app", "p1").acp().user("x")).write().unwrap();
    assert_eq!(watch.named(), ["p1"]);
    fs::remove_dir_all(session).unwrap();
    assert_eq!(watch.named(), ["p1"]);
}
