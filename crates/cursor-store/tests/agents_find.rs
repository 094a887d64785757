//! Where agents are found: in a home, and wherever a store is named.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use backscroll_cursor_store::{FoundStores, Where, find};
use backscroll_fixtures::{
    CliChat, CursorHome, Dialect, Proto, SdkAgent, SdkStore, Speaks, Tracking, Transcript, WrittenHome,
    behaves_like_a_source, demo_home, snapshot_of,
};
use backscroll_model::{Attribution, Flag, Layer, Summary};
use serde_json::json;

use crate::asked::{fragments, listing};

fn home() -> WrittenHome {
    CursorHome::new()
        .unwrap()
        .cli(CliChat::new("/home/dev/app", "chat").user("a"))
        .cli(CliChat::new("/home/dev/app", "acp").user("b").acp())
        .transcript(Transcript::new("/home/dev/app", "text").user("c").dialect(Dialect::Text))
        .transcript(Transcript::new("/home/dev/app", "array").user("c").dialect(Dialect::JsonArray))
        .transcript(Transcript::new("/home/dev/app", "lines").user("c"))
        .sdk(SdkStore::new("/home/dev/app").agent(SdkAgent::new("agent-1").user("d").assistant("D.")))
        .tracking(Tracking::new().line("chat", "r", "/home/dev/app/a.rs", "m"))
        .file(".cursor/prompt_history.json", json!(["a", "b"]).to_string())
        .write()
        .unwrap()
}

fn ids(found: &FoundStores) -> BTreeSet<String> {
    let all = found.sources.iter().flat_map(|source| listing(&**source).0);
    all.map(|summary| summary.id.as_str().to_owned()).collect()
}

fn set(ids: &[&str]) -> BTreeSet<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

const ALL: [&str; 7] = ["acp", "agent-1", "array", "chat", "lines", "prompt-history", "text"];

#[test]
fn a_home_and_everything_in_it() {
    let home = home();
    let before = snapshot_of(home.root()).unwrap();
    let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
    assert_eq!(found.findings, []);
    assert_eq!(ids(&found), set(&ALL));
    found.sources.iter().for_each(|source| behaves_like_a_source(&**source));
    let files: BTreeSet<Layer> =
        found.sources.iter().flat_map(|source| source.files()).map(|(layer, _)| layer).collect();
    let expected = [
        Layer::CliStore,
        Layer::SdkIndex,
        Layer::TranscriptJsonl,
        Layer::TranscriptJson,
        Layer::TranscriptText,
        Layer::Tracking,
    ];
    assert_eq!(files, BTreeSet::from(expected), "every file is named with its layer");
    assert_eq!(snapshot_of(home.root()).unwrap(), before);
}

#[test]
fn every_way_to_name_a_store() {
    let home = home();
    let cursor = home.cursor_dir();
    let project = cursor.join("projects/home-dev-app");
    let transcripts = project.join("agent-transcripts");
    let sdk = fs::read_dir(project.join("sdk-agent-store")).unwrap().next().unwrap().unwrap().path();
    let chat = cursor.join(CliChat::new("/home/dev/app", "chat").folder());
    let table: Vec<(PathBuf, BTreeSet<String>)> = vec![
        (home.root().to_owned(), set(&ALL)),
        (cursor.clone(), set(&ALL)),
        (cursor.join("chats"), set(&["chat"])),
        (chat.clone(), set(&["chat"])),
        (chat.join("store.db"), set(&["chat"])),
        (cursor.join("acp-sessions"), set(&["acp"])),
        (cursor.join("projects"), set(&["agent-1", "array", "lines", "text"])),
        (project.clone(), set(&["agent-1", "array", "lines", "text"])),
        (transcripts.clone(), set(&["agent-1", "array", "lines", "text"])),
        (transcripts.join("text.txt"), set(&["text"])),
        (transcripts.join("array.json"), set(&["array"])),
        (transcripts.join("lines/lines.jsonl"), set(&["lines"])),
        (sdk.clone(), set(&["agent-1"])),
        (sdk.join("index.db"), set(&["agent-1"])),
        (cursor.join("ai-tracking/ai-code-tracking.db"), set(&[])),
    ];
    for (path, expected) in table {
        let found = find(&Where { stores: vec![path.clone()], ..Where::default() });
        assert!(!found.sources.is_empty(), "{}", path.display());
        assert_eq!(ids(&found), expected, "{}", path.display());
        found.sources.iter().for_each(|source| behaves_like_a_source(&**source));
    }
}

#[test]
fn a_store_is_known_by_what_is_in_it() {
    let home = home();
    let elsewhere = CursorHome::new().unwrap().write().unwrap();
    let cursor = home.cursor_dir();
    let chat = cursor.join(CliChat::new("/home/dev/app", "chat").folder());
    let text = cursor.join("projects/home-dev-app/agent-transcripts/text.txt");
    let tracking = cursor.join("ai-tracking/ai-code-tracking.db");
    fs::copy(chat.join("store.db"), elsewhere.root().join("a.db")).unwrap();
    fs::copy(text, elsewhere.root().join("transcript")).unwrap();
    fs::copy(tracking, elsewhere.root().join("lines.db")).unwrap();
    fs::write(elsewhere.root().join("notes.txt"), "nothing of ours").unwrap();
    let found = find(&Where { stores: vec![elsewhere.root().to_owned()], ..Where::default() });
    assert_eq!(found.sources.len(), 3);
    assert_eq!(ids(&found), set(&["chat", "transcript"]));
}

#[test]
fn the_demo_home_behaves() {
    let folder = CursorHome::new().unwrap().write().unwrap();
    demo_home(folder.root()).unwrap();
    let found = find(&Where { home: Some(folder.root().to_owned()), ..Where::default() });
    found.sources.iter().for_each(|source| behaves_like_a_source(&**source));
}

/// What `find` lists under this id in a home.
fn listed(home: &WrittenHome, id: &str) -> Vec<Summary> {
    let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
    let all = found.sources.iter().flat_map(|source| listing(&**source).0);
    all.filter(|summary| summary.id.as_str() == id).collect()
}

#[test]
fn a_session_is_held_in_the_folder_whose_hash_a_project_names() {
    let chat = || CliChat::new("/home/dev/my_app.v2", "chat").named("Old").user("a").without_meta_json();
    let trusted = json!({ "workspacePath": "/home/dev/my_app.v2" }).to_string();
    let trusted =
        CursorHome::new().unwrap().cli(chat()).file(".cursor/projects/home-dev/.workspace-trusted", trusted);
    let agent = SdkAgent::new("agent-1").user("d").assistant("D.");
    let sdk = CursorHome::new().unwrap().cli(chat()).sdk(SdkStore::new("/home/dev/my_app.v2").agent(agent));
    for home in [trusted, sdk] {
        let workspace = listed(&home.write().unwrap(), "chat").remove(0).workspace.unwrap();
        assert_eq!(
            (workspace.path.as_str(), workspace.by),
            ("/home/dev/my_app.v2", Attribution::StoreFolder)
        );
    }
}

#[test]
fn a_transcript_without_a_word_is_empty_unless_another_file_has_some() {
    let folder = ".cursor/projects/home-dev-app/agent-transcripts";
    let home = CursorHome::new()
        .unwrap()
        .transcript(Transcript::new("/home/dev/app", "both").user("c").dialect(Dialect::Text))
        .file(format!("{folder}/both.jsonl"), "")
        .file(format!("{folder}/none.jsonl"), "{\"role\":\"user\",\"mess")
        .write()
        .unwrap();
    assert!(listed(&home, "none")[0].flags.contains(&Flag::Empty));
    assert!(!listed(&home, "both")[0].flags.contains(&Flag::Empty));
}

#[test]
fn a_compacted_session_holds_what_was_summarised_away() {
    let chat = CliChat::new("/home/dev/app", "chat").user("a").assistant("b").user("c").assistant("d");
    let old = json!({ "role": "user", "content": "long ago" }).to_string().into_bytes();
    let mut graph = chat.graph();
    let archive = Proto::new().bytes(1, &graph.put(old.clone())).text(2, "what was before").into_bytes();
    let archive_id = graph.put(archive.clone());
    let chat = chat.stale_blob(old).stale_blob(archive).root_fields(Proto::new().bytes(13, &archive_id));
    let home = CursorHome::new().unwrap().cli(chat).write().unwrap();
    let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
    let source = &*found.sources[0];
    let read = fragments(source, "chat").remove(0);
    assert!(read.messages.iter().any(|message| message.text() == "long ago"));
    assert_eq!(source.holdings().unwrap()[0].messages, Some(read.coverage.listed));
}
