//! Something for the fuzzers to begin with: real shapes, written by the same builders as the tests' homes.
//!
//! Without it a fuzzer spends its seconds on finding out what JSON is.

use std::fs;
use std::path::Path;

use backscroll_fixtures::{
    ChatTab, Composer, Dialect, Era, SdkAgent, SdkStore, Speaks, Transcript, hook_payload,
};
use serde_json::{Value as Json, json};

use crate::arguments::{Arguments, Trouble};

/// Between the pieces of one input; `fuzz/src/cut.rs` cuts here.
const MARK: &[u8] = b"\n<cut>\n";

pub(crate) fn run(arguments: &Arguments) -> Result<(), Trouble> {
    let out = arguments.path("out").ok_or("seeds needs --out DIR")?;
    for (name, era) in [("inline", Era::Inline045), ("v3", Era::V3), ("v10", Era::V10), ("v16", Era::V16)] {
        composer_seeds(&out, name, &talk(Composer::new("c1").titled("Seed").era(era)))?;
    }
    composer_seeds(&out, "autumn", &autumn())?;
    graph_seeds(&out)?;
    for dialect in [Dialect::Text, Dialect::JsonArray, Dialect::Lines] {
        let transcript = talk(Transcript::new("/home/dev/app", "t1").dialect(dialect));
        put(&out, "transcripts", &format!("{dialect:?}"), transcript.content().as_bytes())?;
    }
    let tab = talk(ChatTab::new("t1").titled("Seed"));
    put(&out, "indexes", "tabs", ChatTab::chat_data(&[tab]).to_string().as_bytes())?;
    sdk_seeds(&out)?;
    hook_seeds(&out)?;
    database_seeds(&out)?;
    for (index, text) in TEXTS.iter().enumerate() {
        put(&out, "user_text", &index.to_string(), text.as_bytes())?;
        put(&out, "patches", &index.to_string(), text.as_bytes())?;
    }
    for (index, query) in QUERIES.iter().enumerate() {
        put(&out, "queries", &index.to_string(), query.as_bytes())?;
    }
    Ok(())
}

fn hook_seeds(out: &Path) -> Result<(), Trouble> {
    for event in
        ["stop", "afterAgentResponse", "beforeSubmitPrompt", "subagentStart", "subagentStop", "preCompact"]
    {
        let payload = hook_payload(event, "c1", "g1");
        put(out, "hooks", event, payload.to_string().as_bytes())?;
        let line =
            json!({ "v": 1, "at": "2026-11-17T15:00:00Z", "payload": payload, "sizes": { "text": 3 } });
        put(out, "hooks", &format!("{event}-line"), format!("{line}\n{line}\n").as_bytes())?;
    }
    Ok(())
}

const QUERIES: &[&str] = &[
    "parser \"cannot borrow\" deserial* -tokio (a OR b) NOT c",
    "role:user tool:\"mcp:github\",shell path:src/auth.py workspace:app after:2026-01 title:\"log in\"",
    "自动保存 fooBar foo_bar src/sync_engine.rs v1.2.3",
];

const TEXTS: &[&str] = &[
    "<timestamp>Tuesday, Jul 7, 2026, 9:43 AM (UTC+5:30)</timestamp>\n<user_query>\nrename it\n</user_query>",
    "<user_info>\nWorkspace Path: /home/dev/app\n</user_info>\n<attached_files>\n<code_selection path=\"a.rs\" lines=\"1-2\">\nx\n</code_selection>\n</attached_files>",
    "*** Begin Patch\n*** Update File: /home/dev/app/a.txt\n@@\n-a\n+b\n*** Add File: c.txt\n+c\n*** End Patch",
];

fn talk<T: Speaks>(talk: T) -> T {
    let diff = json!({ "diff": { "chunks": [{ "diffString": "-a\n+b", "oldStart": 1, "newStart": 1, "oldLines": 1, "newLines": 1 }] } });
    talk.user("hello")
        .thinking("They greet.")
        .tool("read_file_v2", json!({ "targetFile": "/a.rs" }), json!({ "contents": "x" }))
        .tool("search_replace", json!({ "file_path": "/a.rs", "old_string": "a", "new_string": "b" }), diff)
        .tool("run_terminal_command_v2", json!({ "command": "ls" }), Json::Null)
        .assistant("Hi.")
}

/// Fields that the editor writes since September 2026.
fn autumn() -> Composer {
    talk(Composer::new("c1").titled("Seed").set("_v", json!(18)))
        .user("go on")
        .with("isSimulatedMsg", json!(true))
        .with("simulatedMsgReason", json!("GOAL_CONTINUATION"))
        .with("simulatedMessageMetadata", json!({ "title": "Tests ran", "taskId": "t1" }))
        .assistant("a thought")
        .with("isThought", json!(true))
        .with("startedAtMs", json!(1_790_000_000_000_i64))
        .with("completedAtMs", json!(1_790_000_002_000_i64))
        .with(
            "toolResults",
            json!([{ "toolCallId": "t", "toolName": "read_file", "args": {}, "content": "x" }]),
        )
        .with("assistantSuggestedDiffs", json!([{ "path": "a", "diff": "@@ -1 +1 @@\n-a\n+b\n" }]))
}

fn composer_seeds(out: &Path, name: &str, composer: &Composer) -> Result<(), Trouble> {
    let mut whole = Vec::new();
    for (index, (key, value)) in composer.rows().iter().enumerate() {
        let bytes = value.bytes().unwrap_or_default();
        if key.starts_with("bubbleId:") {
            put(out, "bubbles", &format!("{name}-{index}"), bytes)?;
            let bubble: Json = serde_json::from_slice(bytes)?;
            put(
                out,
                "rich_text",
                &format!("{name}-{index}"),
                bubble["richText"].as_str().unwrap_or_default().as_bytes(),
            )?;
        }
        whole.extend_from_slice(bytes);
        whole.extend_from_slice(MARK);
    }
    put(out, "composers", name, &whole)?;
    put(
        out,
        "indexes",
        name,
        json!({ "allComposers": [composer.head(), composer.document()] }).to_string().as_bytes(),
    )
}

fn graph_seeds(out: &Path) -> Result<(), Trouble> {
    let chat = talk(backscroll_fixtures::CliChat::new("/home/dev/app", "s1"));
    let graph = chat.graph();
    let mut whole = graph.root();
    for (id, blob) in graph.blobs() {
        put(out, "agent_values", id, blob)?;
        whole.extend_from_slice(MARK);
        whole.extend_from_slice(blob);
    }
    put(out, "agent_values", "state", graph.state().as_bytes())?;
    put(out, "agent_graph", "whole", &whole)
}

/// Lines as the SDK 1.1 writes them, and shapes that other tools met.
const SDK_LINES: &str = r#"{"agentId":"a","cwd":"/p","status":"archived","createdAt":1794213000271,"latestCheckpoint":{"schemaVersion":1,"rootBlobId":"00"}}
{"runId":"r","agentId":"a","turnNumber":1,"status":"cancelled","model":{"id":"m"},"usage":{"inputTokens":1,"outputTokens":2,"cacheReadTokens":3,"reasoningTokens":1,"totalTokens":3},"startedAt":1794213095305,"endedAt":1794213096061}
{"runId":"r","seq":1,"idempotencyKey":"k","payload":{"type":"sdk_message","message":{"type":"thinking","text":"","thinking_duration_ms":5}},"createdAt":"2026-11-09T08:31:35.305Z"}
{"agentId":"a","blobId":"88ca41cf480b826a0ef59196a3fc7acb6cd3cad42d3564dcd7cec689073c401e","dataBase64":"e30="}
{"role":"ai","timestamp":1790841601000,"model":"m","content":[{"type":"tool_use","name":"Read","parameters":{"path":"/a"}},{"type":"file","filename":"n","content":"x"}]}
"#;

fn sdk_seeds(out: &Path) -> Result<(), Trouble> {
    let folder = tempfile::tempdir()?;
    SdkStore::new("/home/dev/app").agent(talk(SdkAgent::new("agent-1"))).write_ndjson(folder.path())?;
    let mut lines = String::new();
    for name in ["agents.ndjson", "runs.ndjson", "run_events.ndjson"] {
        lines += &fs::read_to_string(folder.path().join(name))?;
    }
    lines += SDK_LINES;
    lines += &talk(Transcript::new("/home/dev/app", "agent-1")).content();
    put(out, "sdk", "all", lines.as_bytes())
}

/// A small database with its log, once with the log beside it and once with everything in the file.
fn database_seeds(out: &Path) -> Result<(), Trouble> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("seed.db");
    let connection = backscroll_fixtures::create_database(&path)?;
    connection.execute_batch(
        "PRAGMA page_size = 512; PRAGMA journal_mode = WAL;
         CREATE TABLE t (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
         CREATE TABLE w (a, b REAL, PRIMARY KEY (a)) WITHOUT ROWID;
         INSERT INTO w VALUES ('a', 1), ('b', 2.5);",
    )?;
    for nth in 0..20 {
        let value = "x".repeat(nth * 40);
        connection.execute("INSERT INTO t VALUES (?1, ?2)", (format!("key {nth}"), value))?;
    }
    let log = fs::read(folder.path().join("seed.db-wal"))?;
    put(out, "salvage", "log", &[fs::read(&path)?, MARK.to_vec(), log].concat())?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    connection.execute_batch("DELETE FROM t WHERE rowid % 3 = 0")?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    put(out, "salvage", "file", &fs::read(&path)?)
}

fn put(out: &Path, target: &str, name: &str, bytes: &[u8]) -> Result<(), Trouble> {
    fs::create_dir_all(out.join(target))?;
    Ok(fs::write(out.join(target).join(name), bytes)?)
}
