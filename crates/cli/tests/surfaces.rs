//! One home with every surface, asked as people ask: which stores there are, what each conversation is, where each fact
//! was read.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use backscroll_fixtures::{
    CliChat, Composer, CursorHome, Dialect, SdkAgent, SdkStore, Speaks, StateDatabase, Tracking,
    TrackingGeneration, Transcript, WorkspaceFolder, WrittenHome,
};
use serde_json::{Value, json};

const EDITOR: &str = "11111111-1111-4111-8111-111111111111";
const LINE: &str = "22222222-2222-4222-8222-222222222222";
const AGENT: &str = "agent-33333333-3333-4333-8333-333333333333";
const LEFT: &str = "44444444-4444-4444-8444-444444444444";
const CHILD: &str = "55555555-5555-4555-8555-555555555555";
const APP: &str = "/home/dev/app";
const SPILLED: &str = "0f0e0d0c-0000-4000-8000-000000000001.txt";

pub(crate) fn home() -> WrittenHome {
    let ask = |talk: Transcript| talk.user("rename it").assistant("Renamed.");
    let composer = Composer::new(EDITOR)
        .titled("Rename")
        .in_workspace("0123abcd", APP)
        .user("rename it")
        .with("requestId", json!("request-1"))
        .tool(
            "run_terminal_command_v2",
            json!({ "command": "make" }),
            json!({ "output": format!("too long, see /home/dev/.cursor/projects/home-dev-app/agent-tools/{SPILLED}") }),
        )
        .assistant("Renamed.");
    let agent = SdkAgent::new(AGENT).named("Nightly").user("check it").thinking("hm").assistant("Fine.");
    let tracking = Tracking::new()
        .generation(TrackingGeneration::Third)
        .line(EDITOR, "request-1", "/home/dev/app/src/a.rs", "composer-2.5")
        .line(LEFT, "request-2", "/home/dev/app/src/b.rs", "gpt-5")
        .commit("a41c9e2", "main", "Rename it");
    CursorHome::new()
        .unwrap()
        .global(StateDatabase::new().composer(&composer))
        .workspace(WorkspaceFolder::new("0123abcd").folder("file:///home/dev/app").head(&composer))
        .cli(CliChat::new(APP, LINE).named("On the line").user("ls").thinking("list").assistant("Two files."))
        .transcript(Transcript::new(APP, LINE).user("ls").assistant("Two files."))
        .sdk(SdkStore::new(APP).agent(agent))
        .transcript(ask(Transcript::new(APP, LEFT)))
        .transcript(ask(Transcript::new(APP, LEFT).dialect(Dialect::Text)).thinking("why not"))
        .transcript(Transcript::new(APP, CHILD).subagent_of(LEFT).user("look around").assistant("Looked."))
        .tracking(tracking)
        .file(format!(".cursor/projects/home-dev-app/agent-tools/{SPILLED}"), "a long story\n")
        .file(".cursor/projects/home-dev-app/agent-tools/whose.txt", "nobody knows")
        .write()
        .unwrap()
}

fn asked(home: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
    command.env_clear().env("HOME", home).stdin(Stdio::null()).arg("--home").arg(home).args(arguments);
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

fn objects(home: &Path, arguments: &[&str]) -> Vec<Value> {
    asked(home, arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_surface_is_listed_once_and_can_be_asked_for() {
    let home = home();
    let table = [("ide", EDITOR), ("cli", LINE), ("sdk", AGENT), ("transcript", LEFT)];
    for (surface, id) in table {
        let listed = objects(home.root(), &["list", "--surface", surface, "--json"]);
        let ids: Vec<_> = listed.iter().map(|one| one["id"].as_str().unwrap()).collect();
        assert_eq!(ids, [id], "{surface}");
        let shown = objects(home.root(), &["show", id, "--json"]).remove(0);
        assert_eq!(shown["surface"], surface);
        assert_eq!(shown["workspace"]["path"], APP, "{surface}");
        let exported = objects(home.root(), &["export", "--surface", surface, "--format", "jsonl"]);
        assert_eq!(exported.len(), 1, "{surface}");
        assert_eq!(exported[0]["messages"], shown["messages"], "{surface}");
    }
    let all = objects(home.root(), &["list", "--all", "--json"]);
    assert_eq!(all.len(), 5, "and the subagent as a conversation of its own");
    let child = all.iter().find(|one| one["id"] == CHILD).unwrap();
    assert_eq!((&child["parent"], &child["flags"]), (&json!(LEFT), &json!(["subagent"])));
}

#[test]
fn every_store_is_listed_with_what_it_holds() {
    let home = home();
    let stores = objects(home.root(), &["sources", "--json"]);
    let mut held: BTreeMap<&str, Vec<[u64; 2]>> = BTreeMap::new();
    for store in &stores {
        assert_eq!(store["health"], "ok", "{store}");
        let is_folder = store["spilled"].is_object();
        assert!(is_folder || store["bytes"].as_u64().unwrap() > 0, "{store}");
        assert!(is_folder || store["first_at"].is_string() || store["last_at"].is_string(), "{store}");
        let count = |name: &str| store[name].as_u64().unwrap_or_default();
        for layer in store["layers"].as_array().unwrap() {
            let counts = [count("conversations"), count("messages")];
            held.entry(layer.as_str().unwrap()).or_default().push(counts);
        }
    }
    for counts in held.values_mut() {
        counts.sort_unstable();
    }
    let expected = BTreeMap::from([
        // The command line's session, and the SDK agent's own blobs.
        ("cli-store", vec![[1, 5], [1, 5]]),
        ("ide-global", vec![[1, 3]]),
        ("ide-workspace", vec![[1, 0]]),
        // It has no words of the user.
        ("sdk-index", vec![[1, 1]]),
        ("tracking", vec![[2, 0]]),
        // The parent, its subagent, the session's and the SDK agent's.
        ("transcript-jsonl", vec![[1, 2], [1, 2], [1, 2], [1, 2]]),
        // The same as text, and a folder with spilled output.
        ("transcript-text", vec![[0, 0], [1, 2]]),
    ]);
    assert_eq!(held, expected);
    let tracking = stores.iter().find(|store| store["layers"] == json!(["tracking"])).unwrap();
    assert_eq!(tracking["tracked_lines"], 2);
    assert_eq!(tracking["commits"][0]["hash"], "a41c9e2");
    assert_eq!(tracking["commits"][0]["lines"]["composer"], json!({ "added": 7, "removed": 3 }));
    let spilled = stores.iter().find(|store| store["spilled"].is_object()).unwrap();
    assert_eq!(spilled["spilled"], json!({ "files": 2, "unnamed": 2 }));
    let lines = asked(home.root(), &["sources"]);
    assert!(lines.contains("2 tracked lines, 1 scored commit"), "{lines}");
    assert!(lines.contains("2 files of spilled output, 2 named by no call"), "{lines}");
}

#[test]
fn spilled_output_stands_beside_the_call_of_the_editor_that_names_it() {
    let home = home();
    let shown = objects(home.root(), &["show", EDITOR, "--json"]).remove(0);
    let parts = shown["messages"].as_array().unwrap().iter().flat_map(|one| one["parts"].as_array().unwrap());
    let outputs: Vec<_> = parts.filter(|part| part["kind"] == "output").map(|part| &part["text"]).collect();
    assert_eq!(outputs, ["a long story\n"]);
}

#[test]
fn damaged_spilled_output_is_reported() {
    let home = home();
    let file = home.root().join(".cursor/projects/home-dev-app/agent-tools").join(SPILLED);
    for (bytes, says) in [
        (&b"a long \xff story"[..], json!(["some bytes of spilled output are no UTF-8"])),
        (
            b"a long \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0 story",
            json!(["many bytes of spilled output are zero"]),
        ),
        (b"one\0two\0", json!([])),
    ] {
        fs::write(&file, bytes).unwrap();
        let shown = objects(home.root(), &["show", EDITOR, "--json"]).remove(0);
        let findings = shown["findings"].as_array().unwrap().iter();
        let damaged = findings.filter(|one| one["kind"] == "damaged").map(|one| one["says"].clone());
        assert_eq!(json!(damaged.collect::<Vec<_>>()), says);
    }
}

#[test]
fn every_message_and_fact_says_where_it_was_read() {
    let home = home();
    let folder = home.root().join(".cursor/projects/home-dev-app/agent-transcripts");
    let text = fs::File::options().append(true).open(folder.join(format!("{LEFT}.txt"))).unwrap();
    text.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)).unwrap();
    let shown = objects(home.root(), &["show", LINE, "--json"]).remove(0);
    for message in shown["messages"].as_array().unwrap() {
        assert_eq!(message["origin"]["layer"], "cli-store");
    }
    let read_in = |shown: &Value, fact: &str| {
        let facts = shown["fact_origins"].as_array().unwrap().clone();
        facts.into_iter().find(|noted| noted["fact"] == fact).map(|noted| noted["origin"]["layer"].clone())
    };
    for (fact, layer) in [("title", "cli-store"), ("begun", "cli-store"), ("workspace", "cli-store")] {
        assert_eq!(read_in(&shown, fact), Some(json!(layer)), "{fact}");
    }
    let shown = objects(home.root(), &["show", LEFT, "--json"]).remove(0);
    assert_eq!(read_in(&shown, "models"), Some(json!("tracking")));
    let taken = &shown["messages"][1]["fact_origins"];
    assert_eq!(taken[0]["fact"], "thinking", "{taken}");
    assert_eq!(taken[0]["origin"]["layer"], "transcript-text");

    let read = asked(home.root(), &["show", LEFT, "--origins", "--no-pager", "--thinking", "--width", "300"]);
    let read = read.replace(&*home.root().to_string_lossy(), "~");
    let folder = "~/.cursor/projects/home-dev-app/agent-transcripts";
    for line in [
        &format!("  [1] transcript-jsonl {folder}/{LEFT}/{LEFT}.jsonl\n"),
        &format!("  [2] transcript-text {folder}/{LEFT}.txt\n"),
        "  [3] tracking ~/.cursor/ai-tracking/ai-code-tracking.db\n",
        &format!("  from [1] file · also [2] file · also [3] ai_code_hashes:{LEFT}\n"),
        &format!(
            "  title, workspace (by slug) from [1] file · begun, changed, models from [3] ai_code_hashes:{LEFT}\n"
        ),
        "  from [1] line 1 · also [2] line 1\n  rename it\n",
        "  from [1] line 2\n  thinking from [2] line 6\n  Renamed.\n\n  … thought\n    why not\n",
    ] {
        assert!(read.contains(line), "{line}in:\n{read}");
    }
}

#[test]
fn a_tree_shows_the_subagent_below_whoever_started_it() {
    let home = home();
    let read = asked(home.root(), &["show", LEFT, "--tree", "--no-pager"]);
    let outline: Vec<_> = read.lines().take(2).collect();
    assert!(outline[0].starts_with("44444444-444…") && outline[1].starts_with("└─ 55555555-555…"), "{read}");
    assert!(read.contains("look around"), "{read}");
    let children = objects(home.root(), &["show", LEFT, "--json"]).remove(0)["children"].clone();
    assert_eq!(children, json!([CHILD]));
}

#[test]
fn what_is_not_known_is_listed_without_words_and_shown_as_it_is() {
    assert_eq!(asked(home().root(), &["sources", "--drift", "--json"]), "", "everything is known");
    let composer =
        Composer::new(EDITOR).titled("Rename").user("a secret word").with("newField", json!({ "deep": 7 }));
    let composer =
        composer.assistant("and the answer").with("timingInfo", json!({ "newInside": "a secret word" }));
    let database = StateDatabase::new().composer(&composer).kv("newRows:1", "{}");
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    let told = asked(home.root(), &["sources", "--drift", "--json"]);
    let lines: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let named: Vec<_> = lines
        .iter()
        .map(|one| ["schema", "layer", "kind", "name", "where"].map(|field| one[field].as_str().unwrap()))
        .collect();
    assert_eq!(
        named,
        [
            ["backscroll.drift/1", "ide-global", "key", "newRows", "cursorDiskKV"],
            ["backscroll.drift/1", "ide-global", "json-field", "newField", "bubbleId"],
            ["backscroll.drift/1", "ide-global", "json-field", "newInside", "bubbleId.timingInfo"],
        ]
    );
    assert!(lines.iter().all(|one| one["count"] == json!(1) && one["file"].is_string()));
    assert!(lines[1]["example"].as_str().unwrap().starts_with("bubbleId:"));
    assert!(!told.contains("secret"), "{told}");
    let shown = asked(home.root(), &["show", EDITOR, "--origins", "--raw", "--no-pager"]);
    let place = |text: &str| shown.find(text).unwrap_or_else(|| panic!("{text} in {shown}"));
    let inside = place(r#""newField":{"deep":7}"#);
    assert!(place("\n  a secret word") > inside && place("❯ You") < inside, "beside its message: {shown}");
    assert!(place("and the answer\n") > place("\"newInside\""), "{shown}");
    assert_eq!(shown.matches("\"newField\"").count(), 1, "each value once: {shown}");
}
