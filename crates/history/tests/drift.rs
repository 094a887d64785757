//! What Cursor stores beyond what we know: it is named, with a count and a key, and nothing is lost by it.

use std::collections::BTreeSet;
use std::path::Path;

use backscroll_cursor_store::drift;
use backscroll_fixtures::{
    BlobGraph, Composer, CursorHome, HeaderTable, Proto, Speaks, StateDatabase, create_database, recorded,
};
use backscroll_model::{Drift, DriftKind, FindingKind, Layer};
use proptest::prelude::*;
use serde_json::json;

use crate::home::{ask, load, said};

fn files_below(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            files_below(&path, found);
        } else if path
            .extension()
            .is_some_and(|ending| ["vscdb", "db", "jsonl", "ndjson"].iter().any(|known| ending == *known))
        {
            found.push(path);
        }
    }
}

#[test]
fn recorded_stores_hold_nothing_unknown() {
    let mut looked_at = 0;
    for recorded in recorded().unwrap().iter().filter(|one| !one.name.starts_with("not-cursor")) {
        let home = recorded.copy_to_temp().unwrap();
        let mut files = Vec::new();
        files_below(home.path(), &mut files);
        // What was said is no store.
        for file in files.into_iter().filter(|file| !file.ends_with("said.jsonl")) {
            looked_at += 1;
            assert_eq!(drift(&file, Layer::IdeGlobal).unwrap(), [], "{}", file.display());
        }
    }
    assert!(looked_at > 20, "{looked_at}");
}

/// Everything unknown that is put into a home.
#[derive(Debug, Clone)]
struct Unknown {
    names: [String; 15],
    root: u64,
    user: u64,
    tool: u64,
}

fn unknown() -> impl Strategy<Value = Unknown> {
    let names = proptest::collection::btree_set("zz[a-z]{3,9}", 15);
    let names =
        names.prop_map(|names| <[String; 15]>::try_from(names.into_iter().collect::<Vec<_>>()).unwrap());
    (names, 51..2_000_u64, 39..2_000_u64, 500..2_000_u64).prop_map(|(names, root, user, tool)| Unknown {
        names,
        root,
        user,
        tool,
    })
}

/// A conversation of every layer of the editor; with `unknown`, one unknown thing in every place.
fn home(unknown: Option<&Unknown>) -> CursorHome {
    let mut composer = Composer::new("c").titled("T").user("hello").under_id("u1").assistant("hi");
    composer = composer.tool("read_file_v2", json!({"targetFile": "a"}), json!({"contents": "x"}));
    let mut user = Proto::new().text(1, "hello").text(2, "u1");
    let mut further = Proto::new();
    let step = Proto::new().message(1, &Proto::new().text(1, "hi"));
    let mut head = composer.head();
    let mut list = composer.document()["fullConversationHeadersOnly"].clone();
    let mut database = StateDatabase::new();
    if let Some(Unknown {
        names: [record, bubble, entry, data, key, table, column, field, event, item, called, inside @ ..],
        root,
        user: number,
        tool,
    }) = unknown
    {
        composer = composer.with(bubble, json!({"deep": [1]})).with_tool(data, json!("x"));
        composer = composer.with_tool("tool", json!(tool)).with_tool("name", json!(called));
        let [in_record, in_bubble, in_call, in_head] = inside;
        composer =
            composer.set(record, json!(true)).set("modelConfig", json!({"modelName": "m", in_record: 1}));
        composer = composer.with("tokenCount", json!({in_bubble: 1}));
        composer = composer.with_tool("additionalData", json!({in_call: "x"}));
        head["workspaceIdentifier"] = json!({"id": "w", in_head: {}});
        list[0][entry] = json!(1);
        head[field] = json!("x");
        user = user.text(*number, "later");
        further = further.number(*root, 1);
        database = database
            .kv(format!("{key}:1"), "{}")
            .item(format!("composer.{item}"), "{}")
            .item(format!("extension.{item}"), "{}")
            .sql(format!("CREATE TABLE {table} (a, b); INSERT INTO {table} VALUES (1, 2)"))
            .sql(format!("ALTER TABLE ItemTable ADD COLUMN {column}"))
            .sql(format!(
                "CREATE TABLE run_events (run_id TEXT, seq INTEGER, event_type TEXT, payload_json TEXT);
                 INSERT INTO run_events VALUES ('r', 1, 'run_stream_event', '{{\"type\":\"{event}\"}}')"
            ));
    }
    let graph = BlobGraph::new().raw_turn(user, [step]).finish_with(1, "ide", composer.time_of(0), further);
    let composer =
        composer.set("conversationState", json!(graph.state())).set("fullConversationHeadersOnly", list);
    let database = database.composer(&composer).rows(graph.rows());
    CursorHome::new().unwrap().global(database.header_table(HeaderTable::new().head(head)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn what_is_unknown_is_named_and_nothing_is_lost(unknown in unknown()) {
        let plain = home(None).write().unwrap();
        let drifted = home(Some(&unknown)).write().unwrap();
        let file = |home: &Path| home.join(".config/Cursor/User/globalStorage/state.vscdb");
        prop_assert_eq!(drift(&file(plain.root()), Layer::IdeGlobal).unwrap(), []);
        let found = drift(&file(drifted.root()), Layer::IdeGlobal).unwrap();
        let named: BTreeSet<(DriftKind, String)> = found.iter().map(|one| (one.kind, one.name.clone())).collect();
        let [record, bubble, entry, data, key, table, column, field, event, item, called, inside @ ..] =
            unknown.names.clone();
        let mut expected: BTreeSet<(DriftKind, String)> = [
            (DriftKind::JsonField, record.clone()),
            (DriftKind::JsonField, bubble.clone()),
            (DriftKind::JsonField, entry),
            (DriftKind::JsonField, data),
            (DriftKind::JsonField, field),
            (DriftKind::Key, key),
            (DriftKind::Key, format!("composer.{item}")),
            (DriftKind::Tool, called),
            (DriftKind::Table, table),
            (DriftKind::Column, column),
            (DriftKind::Event, event),
            (DriftKind::ProtoField, unknown.root.to_string()),
            (DriftKind::ProtoField, unknown.user.to_string()),
            (DriftKind::Tool, unknown.tool.to_string()),
        ]
        .into();
        expected.extend(inside.iter().map(|name| (DriftKind::JsonField, name.clone())));
        prop_assert_eq!(&named, &expected);
        let is_counted = |one: &Drift| one.count > 0 && !one.example.is_empty() && !one.place.is_empty();
        prop_assert!(found.iter().all(is_counted), "{found:?}");
        let before = ask(plain.root(), |history| load(history, "c"));
        let after = ask(drifted.root(), |history| load(history, "c"));
        prop_assert_eq!(said(&before.messages), said(&after.messages));
        prop_assert_eq!(before.coverage, after.coverage);
        let told = |name: &str| {
            let is_it = |says: &str| says.contains(&format!("`{name}`"));
            after.findings.iter().any(|one| one.kind == FindingKind::Drift && is_it(&one.says))
        };
        prop_assert!(told(&record) && told(&bubble) && told(&unknown.root.to_string()), "{:?}", after.findings);
        prop_assert!(!before.findings.iter().any(|one| one.kind == FindingKind::Drift), "{:?}", before.findings);
    }
}

#[test]
fn names_that_may_be_words_are_not_repeated() {
    let composer = Composer::new("c").user("x").with("what we talked about", json!(1));
    let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&composer)).write().unwrap();
    let found =
        drift(&home.root().join(".config/Cursor/User/globalStorage/state.vscdb"), Layer::IdeGlobal).unwrap();
    assert_eq!(found.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["(no identifier)"]);
}

/// A store of the SDK: its meta names no root, and only the blobs of its latest one have a field that nobody knows.
#[test]
fn the_graph_of_an_sdk_agent_and_the_names_of_its_tools_are_walked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    let user = Proto::new().text(1, "hello").text(2, "u1").text(777, "later");
    let step = Proto::new().message(1, &Proto::new().text(1, "hi"));
    let graph = BlobGraph::new().prompt(&json!({"role": "system", "content": "x"})).raw_turn(user, [step]);
    let graph = graph.finish(1, "sdk", 1_783_000_000_000);
    let store = create_database(&file).unwrap();
    store
        .execute_batch(
            "CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT, value TEXT)",
        )
        .unwrap();
    store.execute("INSERT INTO meta VALUES ('0', '{\"latestRootBlobId\":\"\"}')", []).unwrap();
    let root = (graph.root_id(), graph.root());
    for row in graph.blobs().iter().chain([&root]) {
        store.execute("INSERT INTO blobs VALUES (?1, ?2)", (&row.0, &row.1)).unwrap();
    }
    let call = |name: &str| {
        let part = json!({"type": "tool-call", "toolCallId": "t", "toolName": name, "args": {}});
        json!({"role": "assistant", "id": "1", "content": [part]}).to_string().into_bytes()
    };
    for (id, name) in [("aa", "Read"), ("bb", "mcp_server_anything"), ("cc", "Levitate")] {
        store.execute("INSERT INTO blobs VALUES (?1, ?2)", (id, call(name))).unwrap();
    }
    let events = "CREATE TABLE run_events (run_id TEXT, seq INTEGER, payload_json TEXT)";
    store.execute_batch(events).unwrap();
    for (seq, name) in (1_i64..).zip(["readLints", "mcp", "hover"]) {
        let payload =
            json!({"type": "sdk_message", "message": {"type": "tool_call", "call_id": "t", "name": name}});
        store.execute("INSERT INTO run_events VALUES ('r', ?1, ?2)", (seq, payload.to_string())).unwrap();
    }
    drop(store);
    let found = drift(&file, Layer::SdkIndex).unwrap();
    let named: Vec<_> = found.iter().map(|one| (one.kind, one.name.as_str(), one.place.as_str())).collect();
    let expected = [
        (DriftKind::ProtoField, "777", "user message"),
        (DriftKind::Tool, "Levitate", "message blob"),
        (DriftKind::Tool, "hover", "run_events"),
    ];
    assert_eq!(named, expected);
}

/// A tool whose name says nothing is a server's or a user's if any call of the store says so.
#[test]
fn names_of_tools_that_a_server_has_are_no_drift() {
    let call = |name: &str, arguments: serde_json::Value| {
        let part = json!({"type": "tool-call", "toolCallId": "t", "toolName": name, "args": arguments});
        json!({"role": "assistant", "id": "1", "content": [part]}).to_string().into_bytes()
    };
    let blob = |name: &str| {
        let bytes = call(name, json!({}));
        (format!("agentKv:blob:{}", backscroll_fixtures::sha256_of(&bytes)), bytes)
    };
    let tools = ["in_the_turn", "in_the_call", "served", "relayed", "of_nobody"];
    let arguments = Proto::new().text(1, "in_the_call").text(4, "server").text(5, "served");
    let tool = Proto::new().message(15, &Proto::new().message(1, &arguments));
    let step = Proto::new().message(2, &tool);
    let user = Proto::new().text(1, "hello").text(2, "u1");
    let turn = Proto::new().text(9, "in_the_turn");
    let composer = Composer::new("c").titled("T").user("hello").tool(
        "mcp-x",
        json!({"tools": [{"name": "relayed", "serverName": "x", "parameters": "{}"}]}),
        json!({}),
    );
    let composer = composer.with_tool("tool", json!(19));
    let graph = BlobGraph::new().raw_turn_with(user, [step], turn).finish(1, "ide", composer.time_of(0));
    let composer = composer.set("conversationState", json!(graph.state()));
    let mut database = StateDatabase::new().composer(&composer).rows(graph.rows());
    for (key, bytes) in tools.map(blob) {
        database = database.kv(key, bytes);
    }
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    let file = home.root().join(".config/Cursor/User/globalStorage/state.vscdb");
    let found = drift(&file, Layer::IdeGlobal).unwrap();
    let names: Vec<_> = found.iter().map(|one| (one.kind, one.name.as_str())).collect();
    assert_eq!(names, [(DriftKind::Tool, "of_nobody")]);
}
