//! Places of agents that are newer than the others: stores named by another hash, ids written in names of files, transcripts
//! elsewhere, logs and notes.

use std::fs;
use std::path::Path;

use backscroll_cursor_store::{Surroundings, Where, find};
use backscroll_fixtures::{CursorHome, SdkAgent, SdkStore, Speaks, WrittenHome, recorded_named, sha256_of};
use backscroll_history::{History, Keep};
use backscroll_model::{Conversation, ConversationId, Source, Summary};

const SAID: &str = r#"{"role":"user","message":{"content":[{"type":"text","text":"sweep the floor"}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"Swept."}]}}
"#;

fn sources(home: &Path) -> Vec<Box<dyn Source>> {
    find(&Where { home: Some(home.to_owned()), ..Where::default() }).sources
}

fn history(home: &Path) -> History {
    History::over(sources(home), Vec::new())
}

fn listed(history: &History) -> Vec<Summary> {
    history.list(&backscroll_history::Ask::everything()).summaries
}

fn load(history: &History, id: &str) -> Conversation {
    history.load(&ConversationId::new(id)).unwrap()
}

fn home_with(files: &[(&str, &str)]) -> WrittenHome {
    let home = CursorHome::new().unwrap();
    files.iter().fold(home, |home, (path, text)| home.file(*path, *text)).write().unwrap()
}

fn workspace(summary: &Summary) -> Option<&str> {
    summary.workspace.as_ref().map(|workspace| workspace.path.as_str())
}

/// `tide watch/7` is `tide_20watch_2F7` in the name of a file; what looks so without an agent behind it stays as it is.
#[test]
fn an_id_that_is_written_in_another_way_is_one_agent() {
    let agent = SdkAgent::new("tide watch/7").named("Watch").user("look out").assistant("Looking.");
    let written =
        CursorHome::new().unwrap().sdk(SdkStore::new("/home/dev/app").agent(agent).without_transcripts());
    let name = ".cursor/projects/home-dev-app/agent-transcripts";
    let home = written
        .file(format!("{name}/tide_20watch_2F7/tide_20watch_2F7.jsonl"), SAID)
        .file(format!("{name}/tide_20watch_2F7/subagents/child.jsonl"), SAID)
        .file(format!("{name}/build_20.jsonl"), SAID)
        .write()
        .unwrap();
    let history = history(home.root());
    let mut ids: Vec<String> = listed(&history).iter().map(|one| one.id.to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["build_20", "child", "tide watch/7"]);
    let watch = load(&history, "tide watch/7");
    assert_eq!(watch.summary.children, [ConversationId::new("child")]);
    let words: Vec<String> = watch.messages.iter().map(backscroll_model::Message::text).collect();
    assert!(words.contains(&"Looking.".to_owned()) && words.contains(&"Swept.".to_owned()), "{words:?}");
    assert_eq!(load(&history, "child").summary.parent, Some(ConversationId::new("tide watch/7")));
}

/// Since 1.1 a store is called by the SHA-256 of its folder. One that was renamed is the same for the index.
#[test]
fn a_renamed_store_is_the_same_store() {
    let agent = SdkAgent::new("agent-1").named("Watch").user("look out").assistant("Looking.");
    let written = CursorHome::new().unwrap().sdk(SdkStore::new("/home/dev/app").agent(agent));
    let home = written.write().unwrap();
    let cache = tempfile::tempdir().unwrap();
    let open = || {
        let keep = Keep {
            folder: Some(cache.path()),
            patience: std::time::Duration::from_secs(60),
            ..Keep::default()
        };
        History::open(sources(home.root()), Vec::new(), keep)
    };
    let before = load(&open(), "agent-1");
    let store = home.cursor_dir().join("projects/home-dev-app/sdk-agent-store");
    let old = fs::read_dir(&store).unwrap().next().unwrap().unwrap().path();
    fs::rename(old, store.join(sha256_of(b"/home/dev/app"))).unwrap();
    let after = open();
    assert_eq!(listed(&after).len(), 1);
    let after = load(&after, "agent-1");
    assert_eq!(after.messages.len(), before.messages.len());
    assert_eq!(after.summary.workspace, before.summary.workspace);
}

/// The folder that the name of a store stands for, where the index does not say.
#[test]
fn a_store_is_placed_by_either_hash_of_its_folder() {
    for hash in [backscroll_fixtures::md5_of("/home/dev/app"), sha256_of(b"/home/dev/app")] {
        let trusted = ".cursor/projects/home-dev-app/.workspace-trusted";
        let home = home_with(&[(trusted, r#"{"workspacePath":"/home/dev/app"}"#)]);
        let store = home.cursor_dir().join("projects/elsewhere/sdk-agent-store").join(&hash);
        fs::create_dir_all(&store).unwrap();
        let index = backscroll_fixtures::create_database(&store.join("index.db")).unwrap();
        index
            .execute_batch(
                "CREATE TABLE agents (agent_id TEXT, name TEXT); INSERT INTO agents VALUES ('agent-1', 'A');",
            )
            .unwrap();
        drop(index);
        assert_eq!(workspace(&listed(&history(home.root()))[0]), Some("/home/dev/app"), "{hash}");
    }
}

/// `kiln.v2` and `kiln-v2` have one slug: a subagent belongs where its parent works.
#[test]
fn a_slug_that_two_folders_share_decides_nothing() {
    let agent = |id: &str| SdkAgent::new(id).named(id).user("fire it").assistant("Fired.");
    let name = ".cursor/projects/home-dev-kiln-v2/agent-transcripts";
    let home = CursorHome::new()
        .unwrap()
        .sdk(SdkStore::new("/home/dev/kiln.v2").agent(agent("one")))
        .sdk(SdkStore::new("/home/dev/kiln-v2").agent(agent("two")))
        .file(format!("{name}/one/subagents/of-one.jsonl"), SAID)
        .file(format!("{name}/two/subagents/of-two.jsonl"), SAID)
        .file(format!("{name}/alone/alone.jsonl"), SAID)
        .write()
        .unwrap();
    let history = history(home.root());
    let listed = listed(&history);
    for (id, expected) in [
        ("one", Some("/home/dev/kiln.v2")),
        ("two", Some("/home/dev/kiln-v2")),
        ("of-one", Some("/home/dev/kiln.v2")),
        ("of-two", Some("/home/dev/kiln-v2")),
        ("alone", None),
    ] {
        let summary = listed.iter().find(|one| one.id.as_str() == id).unwrap();
        assert_eq!(workspace(summary), expected, "{id}");
        assert_eq!(workspace(&load(&history, id).summary), expected, "{id}");
    }
}

/// Shape 6: the log of the worker that looks through a folder names it in full.
#[test]
fn the_log_of_a_worker_names_the_folder() {
    let log = |line: &str| format!("[info] started\n[info] Getting tree structure for {line}\n[info] done\n");
    for (slug, line, expected) in [
        ("home-dev-app", "workspacePath=/home/dev/app", Some("/home/dev/app")),
        ("home-dev-my-app", "workspacePath=/home/dev/my app depth=3", Some("/home/dev/my app")),
        ("home-dev-app", "workspacePath=/home/dev/other", None),
        ("1712345678", "workspacePath=/home/dev/app, again", Some("/home/dev/app")),
    ] {
        let project = format!(".cursor/projects/{slug}");
        let home = home_with(&[
            (&format!("{project}/worker.log"), &log(line)),
            (&format!("{project}/agent-transcripts/t.jsonl"), SAID),
        ]);
        let history = history(home.root());
        assert_eq!(workspace(&listed(&history)[0]), expected, "{slug}: {line}");
        assert_eq!(workspace(&load(&history, "t").summary), expected, "{slug}: {line}");
    }
}

/// `CURSOR_DATA_DIR` moves transcripts alone; without a home that can be written they are in the temporary folder.
#[test]
fn transcripts_elsewhere_are_found() {
    let home = home_with(&[
        ("data/projects/home-dev-app/agent-transcripts/moved/moved.jsonl", SAID),
        ("tmp/cursor-transcripts-a1B2c3/home-dev-app/agent-transcripts/lost/lost.jsonl", SAID),
        ("tmp/other/home-dev-app/agent-transcripts/nobody/nobody.jsonl", SAID),
    ]);
    let environment = Surroundings {
        home: Some(home.root().join("home")),
        cursor_data_dir: Some(home.root().join("data")),
        temp: home.root().join("tmp"),
        ..Surroundings::default()
    };
    let found = find(&Where { environment, ..Where::default() });
    let mut ids: Vec<String> =
        listed(&History::over(found.sources, Vec::new())).iter().map(|one| one.id.to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["lost", "moved"]);
    // Named folders are searched as they are.
    let stores = vec![home.root().join("tmp/cursor-transcripts-a1B2c3")];
    let named = find(&Where { stores, ..Where::default() });
    assert_eq!(listed(&History::over(named.sources, Vec::new())).len(), 1);
}

/// What agents write down for each other is counted; what is a conversation is read.
#[test]
fn notes_are_counted_and_conversations_among_them_are_read() {
    let project = ".cursor/projects/home-dev-app";
    let home = home_with(&[
        (&format!("{project}/agent-notes/shared/plan.md"), "# Plan\n"),
        (&format!("{project}/agent-notes/0a0b/notes.txt"), "user: no transcript\n"),
        (&format!("{project}/swarm-agents/roster.json"), "{}"),
        (&format!("{project}/swarm-agents/bee-1.jsonl"), SAID),
    ]);
    let sources = sources(home.root());
    let holdings: Vec<(String, u64)> = sources
        .iter()
        .flat_map(|source| source.holdings().unwrap())
        .filter_map(|one| Some((one.file.file_name()?.to_string_lossy().into_owned(), one.notes?)))
        .collect();
    assert_eq!(holdings, [("agent-notes".to_owned(), 2), ("swarm-agents".to_owned(), 1)]);
    let ids: Vec<String> = listed(&history(home.root())).iter().map(|one| one.id.to_string()).collect();
    assert_eq!(ids, ["bee-1"]);
}

/// The desktop program's bridge keeps a token: its folder is never opened, by no way in.
#[cfg(unix)]
#[test]
fn the_bridge_is_never_opened() {
    let home = home_with(&[
        (".cursor/desktop-bridge/token.jsonl", SAID),
        (".cursor/projects/home-dev-app/agent-transcripts/t.jsonl", SAID),
    ]);
    let bridge = home.cursor_dir().join("desktop-bridge");
    let read_at = |path: &Path| fs::metadata(path).unwrap().accessed().unwrap();
    let old = fs::FileTimes::new().set_accessed(std::time::UNIX_EPOCH);
    let before = |path: &Path| fs::File::open(path).unwrap().set_times(old).unwrap();
    before(&bridge);
    before(&bridge.join("token.jsonl"));
    let ways = [
        Where { home: Some(home.root().to_owned()), ..Where::default() },
        Where { stores: vec![home.root().to_owned()], ..Where::default() },
        Where { stores: vec![home.cursor_dir()], ..Where::default() },
    ];
    for way in ways {
        let history = History::over(find(&way).sources, Vec::new());
        let ids: Vec<String> = listed(&history).iter().map(|one| one.id.to_string()).collect();
        assert_eq!(ids, ["t"], "{way:?}");
        load(&history, "t");
    }
    assert_eq!(read_at(&bridge.join("token.jsonl")), std::time::UNIX_EPOCH);
    assert_eq!(read_at(&bridge), std::time::UNIX_EPOCH);
}

/// Shape 7: output that spilled is read in Cursor's own folder, which is nobody's workspace.
#[test]
fn reading_spilled_output_places_nothing() {
    let read = |path: &str| format!(r#"{{"type":"tool_use","name":"Read","input":{{"path":"{path}"}}}}"#);
    let spilled = "/home/dev/.cursor/projects/home-dev-app/agent-tools";
    let reads = |paths: &[String]| {
        let calls: Vec<String> = paths.iter().map(|path| read(path)).collect();
        format!("{{\"role\":\"assistant\",\"message\":{{\"content\":[{}]}}}}\n", calls.join(","))
    };
    let many: Vec<String> = (0..9).map(|number| format!("{spilled}/{number}.txt")).collect();
    let some: Vec<String> = many.iter().cloned().chain(["/srv/shop/lamps/a.rs".to_owned()]).collect();
    for (paths, expected) in [(many, None), (some, Some("/srv/shop/lamps"))] {
        let home = home_with(&[(".cursor/projects/empty-window/agent-transcripts/t.jsonl", &reads(&paths))]);
        assert_eq!(workspace(&load(&history(home.root()), "t").summary), expected);
    }
}

/// Shape 22: two transcripts of one conversation that went different ways.
#[test]
fn transcripts_that_diverge_are_one_conversation() {
    let folder = ".cursor/projects/home-dev-app/agent-transcripts";
    let text = "user:\n<user_query>\nsweep the floor\n</user_query>\n\nassistant:\nNot today.\n\nuser:\n<user_query>\nwhy?\n</user_query>\n\nassistant:\nTired.\n";
    let home = home_with(&[(&format!("{folder}/t.jsonl"), SAID), (&format!("{folder}/t.txt"), text)]);
    let history = history(home.root());
    let listed = listed(&history);
    assert_eq!(listed.len(), 1);
    let loaded = load(&history, "t");
    assert_eq!(listed[0].flags, loaded.summary.flags, "the same in a listing and in an export");
    let mut ids: Vec<&str> = loaded.messages.iter().map(|message| message.id.as_str()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "{ids:?}");
    let words: Vec<String> = loaded.messages.iter().map(backscroll_model::Message::text).collect();
    for said in ["sweep the floor", "Swept.", "Not today.", "why?", "Tired."] {
        assert_eq!(words.iter().filter(|text| *text == said).count(), 1, "{said}: {words:?}");
    }
}

/// Shape 19: the same table under other names.
#[test]
fn blobs_may_have_other_columns() {
    let copy = recorded_named("cli-pending-call").unwrap().copy_to_temp().unwrap();
    let before = listed(&history(copy.path()));
    let texts = |home: &Path| {
        let history = history(home);
        let loaded = load(&history, before[0].id.as_str());
        loaded.messages.iter().map(backscroll_model::Message::text).collect::<Vec<_>>()
    };
    let said = texts(copy.path());
    let chats = copy.path().join(".cursor/chats");
    let store = walk(&chats).into_iter().find(|file| file.ends_with("store.db")).unwrap();
    let other = copy.path().join("other.db");
    let database = backscroll_fixtures::create_database(&other).unwrap();
    database
        .execute_batch(&format!(
            "ATTACH '{}' AS old; CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
             CREATE TABLE blobs (key TEXT PRIMARY KEY, value BLOB);
             INSERT INTO meta SELECT * FROM old.meta; INSERT INTO blobs SELECT * FROM old.blobs; DETACH old;",
            store.display()
        ))
        .unwrap();
    drop(database);
    for tail in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{tail}", store.display()));
    }
    fs::rename(&other, &store).unwrap();
    assert_eq!(texts(copy.path()), said);
    assert!(said.iter().any(|text| !text.is_empty()));
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(walk(&path));
        } else {
            found.push(path);
        }
    }
    found
}
