//! Agents of the SDK: index, JSON lines, transcript and own blobs, in all combinations.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use backscroll_cursor_store::{KnownPaths, SdkStores, Where, drift, find, raw_value};
use backscroll_fixtures::{
    CursorHome, SdkAgent, SdkStore, Speaks, WrittenHome, behaves_like_a_source, recorded_named, sha256_of,
    snapshot_of,
};
use backscroll_model::{
    Attribution, DriftKind, FindingKind, Fragment, Layer, Message, Source, Surface, ToolStatus,
};
use serde_json::json;

use crate::asked::{fragments, listing};

const ID: &str = "agent-5a1c0000-0000-4000-8000-000000000001";

fn agent() -> SdkAgent {
    SdkAgent::new(ID)
        .named("Builder")
        .user("build it")
        .thinking("first look")
        .tool("shell", json!({ "command": "make" }), json!({ "exitCode": 0, "stdout": "ok\n", "stderr": "" }))
        .assistant("Built.")
}

fn projects(home: &WrittenHome) -> SdkStores {
    SdkStores::of_projects(&home.cursor_dir().join("projects"), Arc::new(KnownPaths::default()))
}

fn store_folder(home: &WrittenHome) -> std::path::PathBuf {
    let store = home.cursor_dir().join("projects/home-dev-app/sdk-agent-store");
    fs::read_dir(store).unwrap().next().unwrap().unwrap().path()
}

#[test]
fn index_and_blobs_are_two_fragments() {
    let home = CursorHome::new().unwrap().sdk(SdkStore::new("/home/dev/app").agent(agent())).write().unwrap();
    let before = snapshot_of(home.root()).unwrap();
    let source = projects(&home);
    behaves_like_a_source(&source);
    let (summaries, findings) = listing(&source);
    assert_eq!(findings, []);
    assert_eq!(summaries.len(), 1);
    let summary = &summaries[0];
    assert_eq!((summary.surface, summary.title.as_deref()), (Surface::Sdk, Some("Builder")));
    assert_eq!(summary.workspace.as_ref().map(|one| one.path.as_str()), Some("/home/dev/app"));
    assert_eq!(summary.models, ["composer-2.5"]);
    let fragments = fragments(&source, ID);
    let layers: Vec<_> = fragments.iter().map(|one| one.summary.origins[0].layer).collect();
    assert_eq!(layers, [Layer::SdkIndex, Layer::CliStore]);
    assert!(fragments.iter().all(|one| one.summary.surface == Surface::Sdk));
    let indexed = &fragments[0];
    let layers: Vec<_> = indexed.messages.iter().map(|message| message.origin.layer).collect();
    assert!(
        layers.iter().all(|layer| *layer == Layer::SdkIndex),
        "transcripts are another source: {layers:?}"
    );
    let calls: Vec<_> = indexed.messages.iter().flat_map(Message::tool_calls).collect();
    assert_eq!(calls.len(), 1, "running and completed are one call");
    assert_eq!(calls[0].status, ToolStatus::Completed);
    let result = calls[0].result.as_ref().unwrap().as_str();
    assert!(
        result.contains(r#""stdout":"ok\n""#) && !result.contains("status"),
        "taken out of its envelope: {result}"
    );
    assert_eq!(indexed.facts.tokens.map(|tokens| tokens.output), Some(340));
    assert_eq!(snapshot_of(home.root()).unwrap(), before, "reading changes nothing");
}

#[test]
fn agents_without_transcript_and_transcripts_without_index_come_out() {
    let store = SdkStore::new("/home/dev/app").agent(agent());
    let home = CursorHome::new().unwrap().sdk(store.clone().without_transcripts()).write().unwrap();
    let source = projects(&home);
    behaves_like_a_source(&source);
    let read = fragments(&source, ID).remove(0);
    assert!(read.messages.iter().any(|message| message.text() == "Built."));

    let home = CursorHome::new().unwrap().sdk(store).write().unwrap();
    fs::remove_dir_all(home.cursor_dir().join("projects/home-dev-app/sdk-agent-store")).unwrap();
    let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
    let listed: Vec<_> = found.sources.iter().flat_map(|source| listing(&**source).0).collect();
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].id.as_str(), listed[0].surface), (ID, Surface::Transcript));
}

#[test]
fn blobs_without_a_row_in_the_index_come_out() {
    let home = CursorHome::new().unwrap().sdk(SdkStore::new("/home/dev/app").agent(agent())).write().unwrap();
    let folder = store_folder(&home);
    let index = backscroll_fixtures::create_database(&folder.join("index.db")).unwrap();
    index.execute_batch("DELETE FROM run_events; DELETE FROM runs; DELETE FROM agents").unwrap();
    drop(index);
    let source = projects(&home);
    behaves_like_a_source(&source);
    let (summaries, _) = listing(&source);
    assert_eq!(summaries.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), [ID]);
    // Without `agent-` before the hash, as another version names it.
    let agents = folder.join("agents");
    let old = fs::read_dir(&agents).unwrap().next().unwrap().unwrap().path();
    let bare = old.file_name().unwrap().to_string_lossy().replace("agent-", "");
    fs::rename(&old, agents.join(bare)).unwrap();
    assert_eq!(fragments(&source, ID).len(), 1);
}

#[test]
fn an_index_that_cannot_be_read_is_reported_with_what_the_blobs_have() {
    let home = CursorHome::new().unwrap().sdk(SdkStore::new("/home/dev/app").agent(agent())).write().unwrap();
    fs::write(store_folder(&home).join("index.db"), "no database at all, but long enough to be read")
        .unwrap();
    let loaded = fragments(&projects(&home), ID);
    assert_eq!(loaded.len(), 1);
    assert!(!loaded[0].messages.is_empty(), "the agent's own store is whole");
    let reported = loaded[0].findings.iter().filter(|one| one.at.layer == Layer::SdkIndex);
    assert_eq!(reported.map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::Unreadable]);
}

#[test]
fn an_agent_without_a_row_works_where_the_others_of_its_store_do() {
    let lost = agent();
    let other = SdkAgent::new("agent-5a1c0000-0000-4000-8000-000000000002").user("stay");
    let store = SdkStore::new("/home/dev/app").agent(lost).agent(other).without_transcripts();
    let home = CursorHome::new().unwrap().sdk(store).write().unwrap();
    let index = backscroll_fixtures::create_database(&store_folder(&home).join("index.db")).unwrap();
    let held = || {
        let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
        let listed: Vec<_> = found.sources.iter().flat_map(|source| listing(&**source).0).collect();
        let lost = listed.into_iter().find(|one| one.id.as_str() == ID).unwrap();
        let read = found.sources.iter().flat_map(|source| fragments(&**source, ID)).next().unwrap();
        let [listed, read] =
            [lost.workspace, read.summary.workspace].map(|one| one.map(|one| (one.path, one.by)));
        assert_eq!(listed, read, "listed and read");
        listed
    };
    let there = Some(("/home/dev/app".to_owned(), Attribution::StoreFolder));
    index.execute("DELETE FROM agents WHERE agent_id = ?1", [ID]).unwrap();
    assert_eq!(held(), there, "only its runs are left");
    index.execute_batch("DELETE FROM run_events; DELETE FROM runs").unwrap();
    assert_eq!(held(), there, "only its blobs are left");
}

#[test]
fn json_lines_are_found_in_the_folders_of_a_home() {
    let home = CursorHome::new().unwrap().write().unwrap();
    let places = [("agents", true), (".agents", true), ("code/agents", false), (".cache/agents", false)];
    for (number, (place, _)) in (1..).zip(places) {
        let agent = SdkAgent::new(&format!("agent-{number}")).user("go").assistant("gone");
        SdkStore::new("/home/dev/app").agent(agent).write_ndjson(&home.root().join(place)).unwrap();
    }
    let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
    let mut ids: Vec<String> = Vec::new();
    for source in &found.sources {
        ids.extend(listing(&**source).0.iter().map(|one| one.id.as_str().to_owned()));
    }
    ids.sort();
    let expected: Vec<String> =
        (1..).zip(places).filter(|(_, (_, is_found))| *is_found).map(|(n, _)| format!("agent-{n}")).collect();
    assert_eq!(ids, expected);
}

#[test]
fn what_is_unknown_in_json_lines_is_drift() {
    let folder = tempfile_folder();
    SdkStore::new("/home/dev/app").agent(agent()).write_ndjson(folder.path()).unwrap();
    let file = folder.path().join("agents.ndjson");
    assert_eq!(drift(&file, Layer::SdkIndex).unwrap(), []);
    let events = folder.path().join("run_events.ndjson");
    let call =
        json!({"runId": "r", "seq": 7, "payload": {"type": "tool_call", "call_id": "t", "name": "hover"}});
    let strange = json!({"runId": "r", "seq": 8, "payload": {"type": "applause"}});
    fs::write(&events, format!("{}{call}\n{strange}\n", fs::read_to_string(&events).unwrap())).unwrap();
    let add = |name: &str, line: serde_json::Value| {
        let file = folder.path().join(name);
        let before = fs::read_to_string(&file).unwrap_or_default();
        fs::write(file, format!("{before}{line}\n")).unwrap();
    };
    add(
        "agents.ndjson",
        json!({"agentId": "a", "zzAgent": 1, "latestCheckpoint": {"rootBlobId": "", "zzRef": 1}}),
    );
    add(
        "runs.ndjson",
        json!({"runId": "r", "agentId": "a", "zzRun": 1, "usage": {"inputTokens": 1, "zzUsage": 2}}),
    );
    add(
        "run_events.ndjson",
        json!({"runId": "r", "seq": 9, "zzLine": 1, "payload":
        {"type": "sdk_message", "zzEnvelope": 1, "message": {"type": "thinking", "text": "x", "zzMessage": 1}}}),
    );
    let message = r#"{"role":"user","content":[{"type":"text","text":"x","zzPiece":1}]}"#;
    let in_base64 =
        "eyJyb2xlIjoidXNlciIsImNvbnRlbnQiOlt7InR5cGUiOiJ0ZXh0IiwidGV4dCI6IngiLCJ6elBpZWNlIjoxfV19";
    add(
        "checkpoints.ndjson",
        json!({"agentId": "a", "blobId": sha256_of(message.as_bytes()), "zzBlob": 1,
        "dataBase64": in_base64}),
    );
    let found = drift(&file, Layer::SdkIndex).unwrap();
    let named: Vec<_> = found.iter().map(|one| (one.kind, one.name.as_str(), one.place.as_str())).collect();
    let field = |name, place| (DriftKind::JsonField, name, place);
    let expected = [
        field("zzAgent", "agents.ndjson"),
        field("zzBlob", "checkpoints.ndjson"),
        field("zzEnvelope", "run_events"),
        field("zzLine", "run_events.ndjson"),
        field("zzMessage", "run_events.message"),
        field("zzPiece", "message blob.content"),
        field("zzRef", "agents.ndjson.latestCheckpoint"),
        field("zzRun", "runs.ndjson"),
        field("zzUsage", "runs.ndjson.usage"),
        (DriftKind::Tool, "hover", "run_events"),
        (DriftKind::Event, "applause", "run_events"),
    ];
    assert_eq!(named, expected);
    assert_eq!(found[0].example, "agents.ndjson line 2");
    assert_eq!(found.last().unwrap().example, "r:8");
}

/// Of every message the rows and blobs can be shown that it was read from.
#[test]
fn the_stored_values_behind_messages_are_shown() {
    for name in ["sdk-real-1.0", "sdk-real-1.1"] {
        let home = recorded_named(name).unwrap().copy_to_temp().unwrap();
        let mut found = find(&Where { home: Some(home.path().to_owned()), ..Where::default() });
        if name == "sdk-real-1.1" {
            let lines = vec![home.path().join("lamp-chats")];
            found.sources.extend(find(&Where { stores: lines, ..Where::default() }).sources);
        }
        let mut shown = 0;
        for source in &found.sources {
            for id in listing(&**source).0.into_iter().map(|summary| summary.id) {
                let fragments = fragments(&**source, id.as_str());
                for message in fragments.iter().flat_map(|fragment| &fragment.messages) {
                    let value = raw_value(&message.origin).unwrap();
                    assert!(value.is_some_and(|value| !value.is_empty()), "{name}: {:?}", message.origin);
                    shown += 1;
                }
            }
        }
        assert!(shown > 100, "{name}: {shown}");
    }
}

#[test]
fn json_lines_have_the_same_as_the_index() {
    let store = SdkStore::new("/home/dev/app").agent(agent());
    let home = CursorHome::new().unwrap().sdk(store.clone().without_transcripts()).write().unwrap();
    let indexed = fragments(&projects(&home), ID).remove(0);
    let folder = tempfile_folder();
    store.write_ndjson(folder.path()).unwrap();
    let found = find(&Where { stores: vec![folder.path().to_owned()], ..Where::default() });
    assert_eq!(found.sources.len(), 1);
    behaves_like_a_source(&*found.sources[0]);
    let read = fragments(&*found.sources[0], ID).remove(0);
    let said =
        |messages: &[Message]| messages.iter().map(|one| (one.role, one.parts.clone())).collect::<Vec<_>>();
    assert_eq!(said(&read.messages), said(&indexed.messages));
    assert_eq!(read.summary.models, indexed.summary.models);
    // A record is written again when it changes: the last one counts.
    let agents = folder.path().join("agents.ndjson");
    let again = fs::read_to_string(&agents).unwrap().replace("Builder", "Renamed");
    fs::write(&agents, fs::read_to_string(&agents).unwrap() + &again).unwrap();
    let (listed, _) = listing(&*found.sources[0]);
    let titles: Vec<_> = listed.iter().map(|one| one.title.as_deref()).collect();
    assert_eq!(titles, [Some("Renamed")]);
    // The last line is cut: the rest counts.
    let events = folder.path().join("run_events.ndjson");
    let text = fs::read_to_string(&events).unwrap();
    fs::write(&events, &text[..text.len() - 5]).unwrap();
    let cut = fragments(&*found.sources[0], ID).remove(0);
    assert!(cut.findings.iter().any(|one| one.kind == FindingKind::Incomplete));
    assert_eq!(said(&cut.messages), said(&indexed.messages));
}

/// What is said, and the findings that name a run which has no row.
fn with_lost_runs(source: &dyn Source) -> (Vec<Message>, Vec<String>) {
    behaves_like_a_source(source);
    let (summaries, listed) = listing(source);
    assert_eq!(summaries.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), [ID]);
    let read = fragments(source, ID).remove(0);
    let all = listed.into_iter().chain(read.findings);
    let lost =
        all.filter(|one| one.kind == FindingKind::DanglingReference && one.at.key.starts_with("run_events"));
    (read.messages, lost.map(|one| format!("{}: {}", one.at.key, one.says)).collect())
}

#[test]
fn events_of_a_run_that_has_no_row_belong_to_their_agent() {
    let store = SdkStore::new("/home/dev/app").agent(agent()).without_transcripts();
    let home = CursorHome::new().unwrap().sdk(store.clone()).write().unwrap();
    let whole = fragments(&projects(&home), ID).remove(0).messages;
    let index = backscroll_fixtures::create_database(&store_folder(&home).join("index.db")).unwrap();
    index
        .execute_batch(
            "DELETE FROM runs;
             INSERT INTO run_events (run_id, seq, payload_json) VALUES ('run-of-nobody', 0, '{\"type\":\"done\"}')",
        )
        .unwrap();
    drop(index);
    let said = |messages: &[Message]| messages.iter().map(|one| one.parts.clone()).collect::<Vec<_>>();
    let (messages, lost) = with_lost_runs(&projects(&home));
    assert_eq!(said(&messages), said(&whole));
    let nobody = "run_events/run-of-nobody: 1 events belong to a run that has no row, and name no agent";
    assert_eq!(lost.iter().filter(|one| *one == nobody).count(), 1, "{lost:?}");
    assert!(lost.iter().any(|one| one.ends_with("its own row is gone")), "{lost:?}");
    let index = backscroll_fixtures::create_database(&store_folder(&home).join("index.db")).unwrap();
    index.execute_batch("DELETE FROM agents; DROP TABLE runs").unwrap();
    drop(index);
    assert_eq!(said(&with_lost_runs(&projects(&home)).0), said(&whole), "nor has the agent one");

    let folder = tempfile_folder();
    store.write_ndjson(folder.path()).unwrap();
    fs::write(folder.path().join("runs.ndjson"), "").unwrap();
    let events = folder.path().join("run_events.ndjson");
    let line = "{\"run_id\":\"run-of-nobody\",\"seq\":0,\"payload_json\":\"{}\"}\n";
    fs::write(&events, fs::read_to_string(&events).unwrap() + line).unwrap();
    let found = find(&Where { stores: vec![folder.path().to_owned()], ..Where::default() });
    let (messages, lost) = with_lost_runs(&*found.sources[0]);
    assert_eq!(said(&messages), said(&whole));
    assert!(lost.iter().any(|one| one == nobody), "{lost:?}");
}

/// A line for each blob, and roots that the agent's line names.
#[test]
fn checkpoints_in_lines_are_read() {
    let store = recorded_named("sdk-real-1.1").unwrap().copy_to_temp().unwrap();
    let folder = store.path().join("lamp-chats");
    let file = folder.join("checkpoints.ndjson");
    let mut lines = fs::read_to_string(&file).unwrap();
    lines.push_str("{\"agentId\":\"x\",\"blobId\":\"no hash\",\"dataBase64\":\"\"}\n");
    fs::write(&file, lines).unwrap();
    let found = find(&Where { stores: vec![folder], ..Where::default() });
    assert_eq!(found.sources.len(), 1);
    behaves_like_a_source(&*found.sources[0]);
    let (heads, findings) = listing(&*found.sources[0]);
    assert_eq!((heads.len(), findings), (1, Vec::new()));
    let id = heads[0].id.as_str().to_owned();
    assert_eq!(heads[0].created_at.unwrap().to_string(), "2026-11-09T08:30:00.271Z");
    let read = fragments(&*found.sources[0], &id);
    let layers: Vec<Layer> = read.iter().map(Fragment::layer).collect();
    assert_eq!(layers, [Layer::SdkIndex, Layer::CliStore]);
    let last = read[0].messages.last().unwrap();
    assert_eq!(last.tokens.unwrap().cache_read, Some(900));
    let words: Vec<String> =
        read[1].messages.iter().map(Message::text).filter(|text| !text.is_empty()).collect();
    assert_eq!(words.last().unwrap(), "It is kept in four files.");
    assert!(words.contains(&"Keep this chat in plain files.".to_owned()));
    let kinds: Vec<FindingKind> = read[1].findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::Undecodable, FindingKind::Unreached]);
}

#[test]
fn any_column_may_be_missing() {
    let folder = tempfile_folder();
    let index = backscroll_fixtures::create_database(&folder.path().join("index.db")).unwrap();
    index
        .execute_batch(
            "CREATE TABLE agents (agent_id TEXT PRIMARY KEY, created_at TEXT);
             CREATE TABLE runs (run_id TEXT, agent_id TEXT, turn_number INTEGER, result TEXT, error_code TEXT, expired_at TEXT);
             INSERT INTO agents VALUES ('a', '2026-07-07T04:13:46Z');
             INSERT INTO runs VALUES ('r', 'a', 0, 'all done', NULL, '2026-07-07T04:15:00Z');",
        )
        .unwrap();
    drop(index);
    let found = find(&Where { stores: vec![folder.path().join("index.db")], ..Where::default() });
    assert_eq!(found.sources.len(), 1);
    behaves_like_a_source(&*found.sources[0]);
    let read = fragments(&*found.sources[0], "a").remove(0);
    assert_eq!(
        read.messages.iter().map(Message::text).collect::<Vec<_>>(),
        ["", "all done"],
        "a prompt without words"
    );
    assert!(Path::new(&*read.messages[0].origin.file).ends_with("index.db"));
}

/// C114: the schema as newer SDKs have it, with a column that is not known yet.
const FULL_SCHEMA: &str = "
    CREATE TABLE agents (agent_id TEXT PRIMARY KEY, workspace_ref TEXT NOT NULL, status TEXT NOT NULL,
      active_run_id TEXT, latest_checkpoint_ref_json TEXT, name TEXT, metadata_json TEXT NOT NULL DEFAULT '{}',
      created_at TEXT NOT NULL, updated_at TEXT NOT NULL, hologram BLOB);
    CREATE TABLE runs (run_id TEXT PRIMARY KEY, agent_id TEXT REFERENCES agents, turn_number INTEGER, status TEXT,
      model TEXT, model_params_json TEXT, start_checkpoint_ref_json TEXT, latest_checkpoint_ref_json TEXT,
      error_code TEXT, usage_ref TEXT, result TEXT, created_at TEXT, updated_at TEXT, started_at TEXT,
      finished_at TEXT, cancelled_at TEXT, expired_at TEXT, usage_json TEXT, UNIQUE (agent_id, turn_number));
    CREATE TABLE run_events (run_id TEXT, seq INTEGER, offset INTEGER, event_type TEXT, payload_json TEXT,
      payload_ref TEXT, idempotency_key TEXT, created_at TEXT, PRIMARY KEY (run_id, seq));";

#[test]
fn c114_the_full_schema_is_read_by_name() {
    let folder = tempfile_folder();
    let index = backscroll_fixtures::create_database(&folder.path().join("index.db")).unwrap();
    index.execute_batch(FULL_SCHEMA).unwrap();
    let call = json!({ "schemaVersion": 1, "type": "sdk_message", "agentId": "a", "runId": "r0", "message":
        { "type": "tool_call", "call_id": "c", "name": "shell", "status": "completed", "args": { "command": "ls" },
          "result": { "status": "success", "value": { "stdout": "x", "exitCode": 0 } } } });
    index
        .execute_batch(&format!(
            "INSERT INTO agents VALUES ('a', '/home/dev/app', 'IDLE', NULL, NULL, 'Named', '{{}}',
               '2026-07-07T04:13:46Z', '2026-07-07T04:15:00Z', x'00');
             INSERT INTO runs (run_id, agent_id, turn_number, status, model, error_code, started_at, cancelled_at, usage_json) VALUES
               ('r1', 'a', 1, 'CANCELLED', 'gpt-5', 'user_abort', '2026-07-07T04:14:30Z', '2026-07-07T04:14:40Z', NULL),
               ('r0', 'a', 0, 'FINISHED', 'composer-2', NULL, '2026-07-07T04:13:50Z', NULL, '{{\"inputTokens\":7,\"outputTokens\":3}}');
             INSERT INTO run_events VALUES ('r0', 1, 0, 'sdk_message', '{call}', NULL, 'k', '2026-07-07T04:13:55Z');"
        ))
        .unwrap();
    // Runs whose agent has no row, and a row without any id.
    index
        .execute_batch(
            "PRAGMA foreign_keys = OFF;
             INSERT INTO runs (run_id, agent_id, turn_number, status, result, started_at) VALUES
               ('rX', 'ghost', 0, 'FINISHED', 'Still here.', '2026-07-07T05:00:00Z');
             INSERT INTO runs (run_id, agent_id, turn_number) VALUES (NULL, NULL, 9);",
        )
        .unwrap();
    drop(index);
    let found = find(&Where { stores: vec![folder.path().join("index.db")], ..Where::default() });
    let source = &*found.sources[0];
    behaves_like_a_source(source);
    let (summaries, findings) = listing(source);
    let listed: Vec<_> = summaries.iter().map(|one| (one.id.as_str(), one.title.as_deref())).collect();
    assert_eq!(listed, [("a", Some("Named")), ("ghost", None)]);
    let kinds: Vec<_> = findings.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [FindingKind::NullRow, FindingKind::DanglingReference]);
    assert_eq!(summaries[0].models, ["composer-2", "gpt-5"], "in the order of turns");
    let read = fragments(source, "a").remove(0);
    let calls: Vec<_> = read.messages.iter().flat_map(Message::tool_calls).collect();
    assert_eq!(calls[0].result.as_ref().unwrap().as_str(), r#"{"exitCode":0,"stdout":"x"}"#);
    assert_eq!(read.facts.tokens.map(|tokens| (tokens.input, tokens.output)), Some((7, 3)));
    let ghost = fragments(source, "ghost").remove(0);
    assert_eq!(ghost.messages[1].text(), "Still here.");
    assert_eq!(ghost.summary.created_at.unwrap().to_string(), "2026-07-07T05:00:00Z");
}

#[test]
fn blobs_are_found_by_the_checkpoint_where_their_own_record_is_gone() {
    let home = CursorHome::new().unwrap().sdk(SdkStore::new("/home/dev/app").agent(agent())).write().unwrap();
    let folder = store_folder(&home);
    let own = fs::read_dir(folder.join("agents")).unwrap().next().unwrap().unwrap().path().join("store.db");
    let blobs = backscroll_fixtures::create_database(&own).unwrap();
    let meta: String = blobs.query_row("SELECT value FROM meta", [], |row| row.get(0)).unwrap();
    let bytes: Vec<u8> =
        (0..meta.len()).step_by(2).map(|at| u8::from_str_radix(&meta[at..at + 2], 16).unwrap()).collect();
    let meta: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    blobs.execute("DELETE FROM meta", []).unwrap();
    drop(blobs);
    for reference in [
        json!({ "blobId": meta["latestRootBlobId"], "storeKind": "local-agent-store" }),
        json!({ "schemaVersion": 1, "rootBlobId": meta["latestRootBlobId"] }),
    ] {
        let index = backscroll_fixtures::create_database(&folder.join("index.db")).unwrap();
        index.execute("UPDATE agents SET latest_checkpoint_ref_json = ?1", [reference.to_string()]).unwrap();
        drop(index);
        let read = fragments(&projects(&home), ID);
        assert_eq!(read.len(), 2);
        assert!(read[1].messages.iter().any(|message| message.text() == "Built."), "{reference}");
    }
}

/// A folder that is removed with the home that made it.
fn tempfile_folder() -> TempFolder {
    TempFolder(CursorHome::new().unwrap().write().unwrap())
}

struct TempFolder(WrittenHome);

impl TempFolder {
    fn path(&self) -> &Path {
        self.0.root()
    }
}

#[test]
fn an_agent_without_a_name_is_called_by_its_first_words_wherever_they_are() {
    let agent = SdkAgent::new(ID).user("build it").assistant("Built.");
    let store = SdkStore::new("/home/dev/app").agent(agent).without_transcripts();
    let home = CursorHome::new().unwrap().sdk(store).write().unwrap();
    let index = backscroll_fixtures::create_database(&store_folder(&home).join("index.db")).unwrap();
    index.execute_batch("UPDATE agents SET name = NULL; DELETE FROM run_events").unwrap();
    let (listed, _) = listing(&projects(&home));
    assert_eq!(listed[0].title.as_deref(), Some("build it"));
}
