//! Rows and events of SDK agents; `C…` names the conformance line that a test comes from.

use std::path::Path;

use backscroll_cursor_format::sdk::{
    AgentRow, EventRow, Run, RunStatus, SdkEvent, SdkMessage, collapse, unwrap_result,
};
use backscroll_model::{FindingKind, Layer, Origin, Payload, Tokens, ToolStatus};

pub(crate) fn origin() -> Origin {
    Origin::new(Layer::SdkIndex, Path::new("index.db"), "")
}

pub(crate) fn event(run_id: &str, seq: i64, at: &str, message: &str) -> EventRow {
    EventRow {
        run_id: run_id.into(),
        seq,
        event_type: Some("sdk_message".into()),
        payload_json: Some(format!(
            r#"{{"schemaVersion":1,"type":"sdk_message","agentId":"a","runId":"{run_id}","message":{message}}}"#
        )),
        created_at: Some(format!("2026-07-07T{at}Z")),
        ..EventRow::default()
    }
}

fn events(rows: &[EventRow]) -> Vec<SdkEvent> {
    rows.iter().map(|row| SdkEvent::from_row(row, &origin()).value).collect()
}

#[test]
fn c115_the_message_stands_in_an_envelope_or_bare() {
    let message = r#"{"type":"tool_call","call_id":"call_a","name":"shell","status":"running","args":{"command":"ls"}}"#;
    let wrapped = event("r", 1, "00:00:00", message);
    let bare = EventRow { payload_json: Some(message.to_owned()), ..wrapped.clone() };
    let found = events(&[wrapped, bare]);
    assert_eq!(found[0].says, found[1].says);
    assert!(matches!(&found[0].says, SdkMessage::ToolCall(call) if call.name == "shell"));
}

#[test]
fn c116_events_of_one_call_are_one_call() {
    let rows = [
        event(
            "r",
            1,
            "00:00:00",
            r#"{"type":"tool_call","call_id":"call_a","name":"shell","status":"running","args":{"command":"echo partial"},"result":"early"}"#,
        ),
        event(
            "r",
            2,
            "00:00:01",
            r#"{"type":"tool_call","call_id":"call_b","name":"read","status":"running","args":{"path":"/x"}}"#,
        ),
        event("r", 3, "00:00:01", r#"{"type":"status","status":"RUNNING"}"#),
        event(
            "r",
            4,
            "00:00:02",
            r#"{"type":"tool_call","call_id":"call_a","name":"shell","status":"completed","args":{"command":"echo full command"},"result":{"status":"success","value":{"exitCode":0,"stdout":"ok\n","stderr":""}}}"#,
        ),
        event(
            "r",
            5,
            "00:00:03",
            r#"{"type":"tool_call","call_id":"call_a","name":"shell","status":"completed","args":{},"result":{"status":"success","value":{"exitCode":0,"stdout":"ok\n","stderr":""}}}"#,
        ),
    ];
    let calls = collapse(&events(&rows));
    assert_eq!(calls.len(), 2);
    let call = &calls[0].call;
    assert_eq!(call.arguments.as_ref().unwrap().as_str(), r#"{"command":"echo full command"}"#);
    assert_eq!(
        (call.status, unwrap_result(call.result.as_ref()).output.as_str()),
        (ToolStatus::Completed, "ok")
    );
    assert_eq!(call.result.as_ref().unwrap().as_str(), r#"{"exitCode":0,"stdout":"ok\n","stderr":""}"#);
    assert_eq!((calls[1].call.status, &calls[1].call.result), (ToolStatus::Running, &None));
}

#[test]
fn c117_results_are_read_as_each_tool_writes_them() {
    let table = [
        (r#"{"value":{"exitCode":0,"stdout":"hello world\n","stderr":""}}"#, "hello world", false),
        (r#"{"value":{"exitCode":1,"stdout":"","stderr":"boom"}}"#, "[stderr]\nboom", true),
        (r#"{"value":{"exitCode":0,"stdout":"a\n","stderr":"b"}}"#, "a\n[stderr]\nb", false),
        (r#"{"value":{"content":"line1\nline2\n"}}"#, "line1\nline2\n", false),
        (r#"{"status":"success","value":{"diffString":"-a\n+b"}}"#, "-a\n+b", false),
        (r#"{"status":"success","value":{"files":["a"]}}"#, r#"{"files":["a"]}"#, false),
        (r#"{"status":"error","error":"no such file"}"#, "no such file", true),
        (r#"{"content":"bare"}"#, "bare", false),
        (r#"{"status":"success","value":null}"#, "", false),
        ("raw text", "raw text", false),
        ("null", "", false),
    ];
    for (result, output, is_error) in table {
        let outcome = unwrap_result(Some(&Payload::from_text(result.to_owned())));
        assert_eq!((outcome.output.as_str(), outcome.is_error), (output, is_error), "{result}");
    }
    assert_eq!(unwrap_result(None).output, "");
    let edit = r#"{"value":{"diffString":"-a\n+b","linesAdded":1}}"#;
    let outcome = unwrap_result(Some(&Payload::from_text(edit.to_owned())));
    assert_eq!(outcome.diff.as_deref(), Some("-a\n+b"));
}

/// One line for each tool: what the SDK calls it, what it was given, what it answered; our name for it, its answer in
/// words.
const TOOLS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "shell",
        r#"{"command":"ls"}"#,
        r#"{"exitCode":0,"signal":"","stdout":"a\n","stderr":"","executionTime":12}"#,
        "shell",
        "a",
    ),
    (
        "shell.execute",
        r#"{"command":"ls"}"#,
        r#"{"exit_code":0,"stdout":"a\n","stderr":"w"}"#,
        "shell",
        "a\n[stderr]\nw",
    ),
    ("read", r#"{"path":"/a"}"#, r#"{"content":"x\ny\n","totalLines":2,"fileSize":4}"#, "read", "x\ny\n"),
    (
        "edit",
        r#"{"path":"/a"}"#,
        r#"{"linesAdded":1,"linesRemoved":1,"diffString":"-a\n+b"}"#,
        "edit",
        "-a\n+b",
    ),
    (
        "write",
        r#"{"path":"/a","fileText":"x"}"#,
        r#"{"path":"/a","linesCreated":1}"#,
        "write",
        r#"{"path":"/a","linesCreated":1}"#,
    ),
    (
        "delete",
        r#"{"path":"/a"}"#,
        r#"{"path":"/a","fileSize":4}"#,
        "delete",
        r#"{"path":"/a","fileSize":4}"#,
    ),
    (
        "glob",
        r#"{"globPattern":"*"}"#,
        r#"{"files":["a"],"totalFiles":1}"#,
        "glob",
        r#"{"files":["a"],"totalFiles":1}"#,
    ),
    ("grep", r#"{"pattern":"x"}"#, r#"{"workspaceResults":{}}"#, "grep", r#"{"workspaceResults":{}}"#),
    ("ls", r#"{"path":"/"}"#, r#"{"directoryTreeRoot":{}}"#, "list_dir", r#"{"directoryTreeRoot":{}}"#),
    ("readLints", r#"{"paths":["/a"]}"#, r#"{"diagnostics":[]}"#, "lints", r#"{"diagnostics":[]}"#),
    ("updateTodos", r#"{"todos":[]}"#, r#"{"todos":[]}"#, "todo", r#"{"todos":[]}"#),
    ("semSearch", r#"{"query":"x"}"#, r#"{"results":"none"}"#, "semantic_search", r#"{"results":"none"}"#),
    ("webSearch", r#"{"searchTerm":"x"}"#, r#"{"references":[]}"#, "web_search", r#"{"references":[]}"#),
    (
        "task",
        r#"{"description":"d","prompt":"p"}"#,
        r#"{"agentId":"a","durationMs":3}"#,
        "task",
        r#"{"agentId":"a","durationMs":3}"#,
    ),
    (
        "mcp",
        r#"{"providerIdentifier":"gh","toolName":"make","args":{}}"#,
        r#"{"content":[{"text":{"text":"made"}}],"isError":false}"#,
        "mcp:gh:make",
        "made",
    ),
    ("createPlan", r#"{"plan":"p"}"#, r#"{"planUri":"u"}"#, "plan", r#"{"planUri":"u"}"#),
];

#[test]
fn every_tool_is_unwrapped_as_it_answers() {
    for &(tool, arguments, value, name, output) in TOOLS {
        let message = format!(
            r#"{{"type":"tool_call","call_id":"c","name":"{tool}","status":"completed","args":{arguments},"result":{{"status":"success","value":{value}}}}}"#
        );
        let calls = collapse(&events(&[event("r", 1, "00:00:00", &message)]));
        let call = &calls[0].call;
        assert_eq!((call.name.as_str(), call.raw_name.as_str()), (name, tool));
        assert_eq!(call.result.as_ref().unwrap().as_str(), value, "{tool}");
        assert_eq!(call.arguments.as_ref().unwrap().as_str(), arguments, "{tool}");
        assert_eq!(
            (call.status, unwrap_result(call.result.as_ref()).output.as_str()),
            (ToolStatus::Completed, output),
            "{tool}"
        );
        let failed = format!(
            r#"{{"type":"tool_call","call_id":"c","name":"{tool}","status":"error","args":{arguments},"result":{{"status":"error","error":{{"message":"no way"}}}}}}"#
        );
        let call = collapse(&events(&[event("r", 1, "00:00:00", &failed)])).remove(0).call;
        assert_eq!((call.status, call.error.as_deref()), (ToolStatus::Error, Some("no way")), "{tool}");
    }
}

#[test]
fn a_failed_call_says_why() {
    let rows = [event(
        "r",
        1,
        "00:00:00",
        r#"{"type":"tool_call","call_id":"c","name":"shell","status":"completed","args":{"command":"x"},"result":{"status":"success","value":{"exitCode":2,"stdout":"","stderr":"boom"}}}"#,
    )];
    let calls = collapse(&events(&rows));
    assert_eq!(calls[0].call.status, ToolStatus::Error);
    assert_eq!(calls[0].call.error.as_deref(), Some("[stderr]\nboom"));
}

#[test]
fn c120_usage_is_known_of_each_run() {
    let with = |model: &str, usage: Option<&str>| {
        let usage = usage.unwrap_or("null");
        let line = format!(r#"{{"run_id":"r","agent_id":"a","model":"{model}","usage":{usage}}}"#);
        Run::from_line(&line).unwrap()
    };
    let runs = [
        with(
            "composer-2",
            Some(r#"{"inputTokens":120,"outputTokens":40,"cacheReadTokens":15,"cacheWriteTokens":5}"#),
        ),
        with(
            "composer-2",
            Some(r#"{"inputTokens":80,"outputTokens":10,"cacheReadTokens":5,"cacheWriteTokens":0}"#),
        ),
        with("composer-2", None),
        with("gpt-5", Some(r#"{"input":1,"output":2}"#)),
    ];
    let of = |model: &str| {
        let runs = runs.iter().filter(|run| run.model.as_deref() == Some(model));
        runs.filter_map(|run| run.usage).reduce(Tokens::plus).unwrap()
    };
    let sum = of("composer-2");
    assert_eq!((sum.input, sum.output, sum.cache_write, sum.cache_read), (200, 50, Some(5), Some(20)));
    assert_eq!((of("gpt-5").input, of("gpt-5").output), (1, 2));
}

#[test]
fn c121_a_call_lasts_from_its_first_event_to_its_last() {
    let rows = [
        event(
            "r",
            1,
            "00:00:02.000",
            r#"{"type":"tool_call","call_id":"c","name":"shell","status":"running","args":{}}"#,
        ),
        event(
            "r",
            2,
            "00:00:05.500",
            r#"{"type":"tool_call","call_id":"c","name":"shell","status":"completed","result":null}"#,
        ),
    ];
    let call = &collapse(&events(&rows))[0].call;
    let [began, ended] = [call.started_at, call.ended_at].map(|at| at.unwrap().as_millisecond());
    assert_eq!(ended - began, 3_500);
}

#[test]
fn statuses_of_both_generations() {
    let table = [
        ("FINISHED", RunStatus::Finished),
        ("COMPLETED", RunStatus::Finished),
        ("running", RunStatus::Running),
        ("EXPIRED", RunStatus::Expired),
        ("CANCELLED", RunStatus::Cancelled),
        ("QUEUED", RunStatus::Queued),
        ("ERROR", RunStatus::Error),
        ("whatever", RunStatus::Unknown),
    ];
    for (word, expected) in table {
        assert_eq!(RunStatus::from_word(word), expected, "{word}");
    }
}

#[test]
fn what_is_not_understood_is_reported() {
    let broken = EventRow { payload_json: Some("{".into()), ..EventRow::default() };
    let elsewhere = EventRow { payload_ref: Some("blob:1".into()), ..EventRow::default() };
    let new = event("r", 1, "00:00:00", r#"{"type":"hologram"}"#);
    let kinds: Vec<_> = [broken, elsewhere, new]
        .iter()
        .flat_map(|row| SdkEvent::from_row(row, &origin()).findings)
        .map(|finding| finding.kind)
        .collect();
    assert_eq!(kinds, [FindingKind::Undecodable, FindingKind::DanglingReference, FindingKind::Unknown]);
}

#[test]
fn json_lines_give_the_same_rows() {
    let agent = AgentRow::from_line(
        r#"{"agentId":"agent-1","workspaceRef":"/p","status":"IDLE","createdAt":"2026-07-07T00:00:00Z"}"#,
    )
    .unwrap();
    assert_eq!((agent.agent_id.as_str(), agent.workspace_ref.as_deref()), ("agent-1", Some("/p")));
    let run = Run::from_line(r#"{"run_id":"r","agent_id":"agent-1","turn_number":1,"usage":{"inputTokens":3,"outputTokens":4},"model":{"id":"composer-2"}}"#).unwrap();
    assert_eq!((run.model.as_deref(), run.usage.unwrap().output), (Some("composer-2"), 4));
    let event = EventRow::from_line(
        r#"{"runId":"r","seq":7,"payload":{"type":"thinking","text":"hm","thinking_duration_ms":12}}"#,
    )
    .unwrap();
    assert_eq!(
        SdkEvent::from_row(&event, &origin()).value.says,
        SdkMessage::Thinking { text: "hm".into(), duration_ms: Some(12) }
    );
    assert_eq!(Run::from_line("{}"), None);
    let checkpoint =
        |json: &str| AgentRow { latest_checkpoint_ref_json: Some(json.into()), ..AgentRow::default() };
    let local = checkpoint(r#"{"blobId":"AB12","storeKind":"local-agent-store"}"#);
    assert_eq!(local.root_blob().as_deref(), Some("ab12"));
    let newer = checkpoint(r#"{"schemaVersion":1,"rootBlobId":"cd"}"#);
    assert_eq!(newer.root_blob().as_deref(), Some("cd"));
}

#[test]
fn an_answer_of_an_mcp_server_says_itself_that_it_failed() {
    let message = r#"{"type":"tool_call","call_id":"c","name":"mcp","status":"completed","result":{"status":"success","value":{"content":[{"text":{"text":"no lamp"}}],"isError":true}}}"#;
    let call = collapse(&events(&[event("r", 1, "00:00:00", message)])).remove(0).call;
    assert_eq!((call.status, call.error.as_deref()), (ToolStatus::Error, Some("no lamp")));
}
