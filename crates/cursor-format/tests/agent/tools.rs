//! Tool calls, one row for each kind and outcome.

use backscroll_cursor_format::agent::{tool_call, tool_call_from_base64};
use backscroll_model::{FindingKind, Payload, ToolCall, ToolStatus};

use super::build::Proto;
use super::store::{Held, origin};

fn read(bytes: &[u8]) -> ToolCall {
    let decoded = tool_call(bytes, &origin("t"), &Held::default());
    assert_eq!(decoded.findings, []);
    decoded.value.expect("a call")
}

/// A call of tool `number` with these arguments and this result.
fn call(number: u32, arguments: &Proto, result: &Proto) -> Vec<u8> {
    let body = Proto::new().message(1, arguments).message(2, result);
    Proto::new()
        .message(number, &body)
        .bytes(57, "id\n1")
        .number(59, 1_700_000_000_000)
        .number(60, 1_700_000_001_000)
        .0
}

fn json(payload: Option<&Payload>) -> String {
    payload.map(Payload::as_str).unwrap_or_default().to_owned()
}

#[test]
fn a_shell_command_that_failed() {
    let failure = Proto::new().bytes(1, "ls x").number(3, 2).bytes(5, "out").bytes(6, "err");
    let found = read(&call(
        1,
        &Proto::new().bytes(1, "ls x").bytes(2, "/p").number(3, 30_000).number(99, 7),
        &Proto::new().message(2, &failure).number(102, 0),
    ));
    assert_eq!((found.name.as_str(), found.raw_name.as_str()), ("shell", "shell"));
    assert_eq!(found.id.as_deref(), Some("id\n1"));
    assert_eq!(found.status, ToolStatus::Error);
    assert_eq!(found.error.as_deref(), Some("exit code 2"));
    assert_eq!(found.started_at.map(jiff::Timestamp::as_second), Some(1_700_000_000));
    assert_eq!(found.ended_at.map(jiff::Timestamp::as_second), Some(1_700_000_001));
    insta::assert_snapshot!(json(found.arguments.as_ref()), @r#"{"command":"ls x","field_99":7,"timeout":30000,"workingDirectory":"/p"}"#);
    insta::assert_snapshot!(json(found.result.as_ref()), @r#"{"failure":{"command":"ls x","exitCode":2,"stderr":"err","stdout":"out"},"isBackground":0}"#);
}

#[test]
fn how_calls_end() {
    let reason = |field| Proto::new().bytes(field, "no");
    let table = [
        (1, 4, reason(3), ToolStatus::Cancelled, Some("rejected")),
        (1, 5, reason(3), ToolStatus::Error, None),
        (8, 1, Proto::new().bytes(1, "text"), ToolStatus::Completed, None),
        (8, 2, reason(1), ToolStatus::Error, None),
        (12, 6, reason(2), ToolStatus::Cancelled, Some("rejected")),
        (12, 7, reason(2), ToolStatus::Error, None),
        (15, 3, reason(1), ToolStatus::Cancelled, Some("rejected")),
        (5, 2, reason(1), ToolStatus::Error, None),
    ];
    for (tool, outcome, fields, status, decision) in table {
        let found = read(&call(tool, &Proto::new(), &Proto::new().message(outcome, &fields)));
        assert_eq!(found.status, status, "tool {tool}, outcome {outcome}");
        assert_eq!(found.decision.as_deref(), decision);
        let expected = (status != ToolStatus::Completed).then_some("no");
        assert_eq!(found.error.as_deref(), expected, "tool {tool}, outcome {outcome}");
    }
    let body = Proto::new().message(1, &Proto::new().bytes(1, "ls"));
    assert_eq!(read(&Proto::new().message(1, &body).0).status, ToolStatus::Pending);
    let started = Proto::new().message(1, &body).number(59, 1_700_000_000_000);
    assert_eq!(read(&started.0).status, ToolStatus::Running);
}

#[test]
fn an_edit_has_a_diff_either_way() {
    let found = |success: Proto| {
        let arguments = Proto::new().bytes(1, "/p/a.txt");
        read(&call(12, &arguments, &Proto::new().message(1, &success))).diff
    };
    let given = Proto::new().bytes(1, "/p/a.txt").bytes(5, "@@ as stored @@");
    assert_eq!(found(given).as_deref(), Some("@@ as stored @@"));
    let contents = Proto::new().bytes(1, "/p/a.txt").bytes(6, "a\nb\n").bytes(7, "a\nc\n");
    insta::assert_snapshot!(found(contents).expect("a diff"), @r"
    --- /p/a.txt
    +++ /p/a.txt
    @@ -1,2 +1,2 @@
     a
    -b
    +c
    ");
}

#[test]
fn names_of_servers_and_ids_of_children() {
    let value = Proto::new().bytes(3, "title");
    let number = Proto::new().double(2, 1.5);
    let list = Proto::new().message(6, &Proto::new().message(1, &number).message(1, &value));
    let entry = |key: &str, value: &Proto| Proto::new().bytes(1, key).message(2, value);
    let arguments = Proto::new()
        .bytes(1, "github-create_issue")
        .message(2, &entry("title", &value))
        .message(2, &entry("list", &list))
        .bytes(5, "create_issue")
        .bytes(9, "github");
    let found = read(&call(15, &arguments, &Proto::new().message(1, &Proto::new())));
    assert_eq!(found.name, "mcp:github:create_issue");
    insta::assert_snapshot!(json(found.arguments.as_ref()), @r#"{"args":{"list":[1.5,"title"],"title":"title"},"name":"github-create_issue","serverIdentifier":"github","toolName":"create_issue"}"#);

    let kind = Proto::new().message(3, &Proto::new().bytes(1, "reviewer"));
    let arguments = Proto::new().bytes(1, "look").bytes(2, "please").message(3, &kind);
    let success = Proto::new().bytes(2, "child-1").number(3, 1);
    let found = read(&call(19, &arguments, &Proto::new().message(1, &success)));
    assert_eq!((found.name.as_str(), found.child.as_deref()), ("task", Some("child-1")));
    insta::assert_snapshot!(json(found.arguments.as_ref()), @r#"{"description":"look","prompt":"please","subagentType":"reviewer"}"#);
}

#[test]
fn todos_questions_and_plans_have_names() {
    let todo = Proto::new().bytes(1, "1").bytes(2, "sweep").number(3, 2).bytes(6, "0");
    let found = read(&call(9, &Proto::new().message(1, &todo).number(2, 1), &Proto::new()));
    insta::assert_snapshot!(json(found.arguments.as_ref()), @r#"{"merge":true,"todos":[{"content":"sweep","dependencies":["0"],"id":"1","status":"in_progress"}]}"#);
    let option = Proto::new().bytes(1, "y").bytes(2, "yes");
    let question = Proto::new().bytes(1, "q").bytes(2, "really?").message(3, &option);
    let found = read(&call(23, &Proto::new().bytes(1, "t").message(2, &question), &Proto::new()));
    assert_eq!(found.name, "ask");
    insta::assert_snapshot!(json(found.arguments.as_ref()), @r#"{"questions":[{"id":"q","options":[{"id":"y","label":"yes"}],"prompt":"really?"}],"title":"t"}"#);
    let found = read(&call(17, &Proto::new().bytes(1, "# Plan").bytes(4, "n"), &Proto::new()));
    assert_eq!(found.name, "plan");
}

#[test]
fn content_in_a_blob_and_calls_cut_short_are_followed() {
    let mut held = Held::default();
    let content = held.put("the whole file");
    let success = Proto::new().number(4, 1).bytes(10, content);
    let whole = call(8, &Proto::new().bytes(1, "/p/a"), &Proto::new().message(1, &success));
    let step = held.put(Proto::new().bytes(2, whole).0);
    let cut = Proto::new().message(34, &Proto::new().bytes(1, step)).0;
    let decoded = tool_call(&cut, &origin("t"), &held);
    assert_eq!(decoded.findings, []);
    let found = decoded.value.expect("the whole call");
    insta::assert_snapshot!(json(found.result.as_ref()), @r#"{"success":{"content":"the whole file","totalLines":1}}"#);

    let lost = Proto::new().message(34, &Proto::new().bytes(1, [9; 32])).0;
    let decoded = tool_call(&lost, &origin("t"), &held);
    assert_eq!(decoded.value, None);
    assert_eq!(decoded.findings[0].kind, FindingKind::DanglingReference);
}

#[test]
fn a_call_that_is_cut_short_by_itself_is_a_circle() {
    let mut held = Held::default();
    let id = [5_u8; 32];
    let cut = Proto::new().message(34, &Proto::new().bytes(1, id)).0;
    held.0.insert(super::store::hex(&id), Proto::new().bytes(2, &cut).0);
    let kinds: Vec<_> = tool_call(&cut, &origin("t"), &held).findings.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [FindingKind::HashMismatch, FindingKind::Cycle]);
}

#[test]
fn unknown_tools_are_reported_and_kept() {
    let bytes = call(300, &Proto::new().bytes(1, "words").bytes(2, [0xff, 0xfe]), &Proto::new());
    let decoded = tool_call(&bytes, &origin("t"), &Held::default());
    assert_eq!(decoded.findings[0].kind, FindingKind::Unknown);
    let found = decoded.value.expect("a call");
    assert_eq!(found.raw_name, "field_300");
    insta::assert_snapshot!(json(found.arguments.as_ref()), @r#"{"field_1":"words","field_2":"base64://4="}"#);
    for text in ["", "!"] {
        let decoded = tool_call_from_base64(text, &origin("t"), &Held::default());
        assert_eq!(decoded.value, None);
        assert_eq!(decoded.findings[0].kind, FindingKind::Undecodable);
    }
}

/// The tools that came since September 2026: a name for each number, and what it is about.
#[test]
fn new_tools_have_names_and_say_what_they_are_about() {
    let text = |number, said: &str| Proto::new().bytes(number, said);
    let task = Proto::new().message(2, &text(2, "sweep"));
    let table = [
        (69, text(1, "lamps"), "search_conversations", "search_conversations", r#"{"query":"lamps"}"#),
        (
            75,
            text(2, "agent-1"),
            "read_agent_transcript",
            "read_agent_transcript",
            r#"{"agentId":"agent-1"}"#,
        ),
        (79, text(3, "Chart"), "write_canvas", "write_canvas", r#"{"title":"Chart"}"#),
        (80, text(1, "canvas-1"), "read_canvas", "read_canvas", r#"{"canvasId":"canvas-1"}"#),
        (81, text(1, "a lamp"), "generate_video", "generate_video", r#"{"prompt":"a lamp"}"#),
        (82, text(1, "lamps"), "x_search", "web_search", r#"{"query":"lamps"}"#),
        (86, task, "create_tracked_tasks", "create_tracked_tasks", r#"{"tasks":[{"title":"sweep"}]}"#),
        (88, text(2, "T-1"), "delete_tracked_tasks", "delete_tracked_tasks", r#"{"keys":["T-1"]}"#),
        (90, text(2, "build it"), "create_project", "create_project", r#"{"prompt":"build it"}"#),
        (
            94,
            text(2, "agent-1"),
            "start_project_updates",
            "start_project_updates",
            r#"{"agentId":"agent-1"}"#,
        ),
    ];
    for (number, arguments, raw_name, name, shown) in table {
        let found = read(&call(number, &arguments, &Proto::new().message(1, &Proto::new())));
        assert_eq!((found.raw_name.as_str(), found.name.as_str()), (raw_name, name), "{number}");
        assert_eq!(json(found.arguments.as_ref()), shown, "{number}");
        assert_eq!((found.status, found.child), (ToolStatus::Completed, None), "{number}");
    }
    for number in (79..=91).chain([93, 94, 69, 75]) {
        let found = read(&call(number, &Proto::new(), &Proto::new()));
        assert!(!found.raw_name.starts_with("field_"), "{number}");
    }
}

#[test]
fn a_lack_of_memory_repaired_arguments_and_plan_files_are_noted() {
    let killed = Proto::new().number(3, 137).message(16, &Proto::new().number(1, 1).number(2, 512));
    let found = read(&call(1, &Proto::new().bytes(1, "make"), &Proto::new().message(2, &killed)));
    assert_eq!(found.notes, ["killed: out of memory (limit 512 bytes)"]);
    assert_eq!(found.status, ToolStatus::Error);
    let given = Proto::new().bytes(1, "gh-make").bytes(4, "gh").bytes(5, "make").number(11, 1);
    let found = read(&call(15, &given, &Proto::new().message(1, &Proto::new())));
    assert_eq!(found.notes, ["Cursor repaired the arguments that the model gave"]);
    let planned = Proto::new().message(1, &Proto::new()).bytes(3, "file:///p/tidy_0a1b.plan.md");
    let found = read(&call(17, &Proto::new().bytes(1, "# Plan"), &planned));
    assert_eq!(found.notes, ["plan file: file:///p/tidy_0a1b.plan.md"]);
    assert_eq!((found.name.as_str(), found.status), ("plan", ToolStatus::Completed));
}

/// A server of tools answers that it failed inside of a success.
#[test]
fn an_answer_that_is_an_error_is_one() {
    let block = Proto::new().message(1, &Proto::new().bytes(1, "No such lamp."));
    let given = Proto::new().bytes(4, "shop").bytes(5, "price_of");
    let answer = |is_error| Proto::new().message(1, &Proto::new().message(1, &block).number(2, is_error));
    let found = read(&call(15, &given, &answer(1)));
    assert_eq!((found.status, found.error.as_deref()), (ToolStatus::Error, Some("No such lamp.")));
    let found = read(&call(15, &given, &answer(0)));
    assert_eq!((found.status, found.error), (ToolStatus::Completed, None));
}

/// Where the whole call is gone, its preview is shown.
#[test]
fn a_call_that_was_cut_short_shows_its_preview() {
    let preview = Proto(call(8, &Proto::new().bytes(1, "/p/long.txt"), &Proto::new()));
    let cut = Proto::new().bytes(1, [7_u8; 32]).number(4, 90_000).message(5, &preview);
    let bytes = Proto::new().message(34, &cut).0;
    let decoded = tool_call(&bytes, &origin("t"), &Held::default());
    let found = decoded.value.unwrap();
    assert_eq!(
        (found.name.as_str(), json(found.arguments.as_ref()).as_str()),
        ("read", r#"{"path":"/p/long.txt"}"#)
    );
    assert_eq!(found.notes, ["only a preview of 90000 bytes is stored"]);
    assert_eq!(decoded.findings[0].kind, FindingKind::DanglingReference);
}
