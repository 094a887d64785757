//! SDK agents told whole: along a transcript, and without one.

use std::path::Path;

use backscroll_cursor_format::sdk::{AgentRow, RunRow, assemble};
use backscroll_cursor_format::transcript::{Dialect, Transcript, decode};
use backscroll_model::{AtIs, Decoded, FindingKind, Layer, Origin, Part, Role, Tokens, ToolCall, ToolStatus};

use crate::sdk::{event, origin};

fn agent() -> AgentRow {
    AgentRow {
        agent_id: "agent-1".into(),
        workspace_ref: Some("/home/u/proj".into()),
        created_at: Some("2026-07-07T00:00:00Z".into()),
        updated_at: Some("2026-07-07T00:01:00Z".into()),
        ..AgentRow::default()
    }
}

fn run(run_id: &str, turn: i64) -> RunRow {
    RunRow {
        run_id: run_id.into(),
        agent_id: "agent-1".into(),
        request_id: Some(format!("request-{run_id}")),
        turn_number: Some(turn),
        status: Some("FINISHED".into()),
        model: Some("composer-2".into()),
        usage_json: Some(r#"{"inputTokens":10,"outputTokens":2}"#.into()),
        started_at: Some(format!("2026-07-07T00:0{turn}:00Z")),
        finished_at: Some(format!("2026-07-07T00:0{turn}:30Z")),
        ..RunRow::default()
    }
}

fn transcript(text: &str) -> Decoded<Transcript> {
    let origin = Origin::new(Layer::TranscriptJsonl, Path::new("a.jsonl"), "file");
    decode(Dialect::Jsonl, text.as_bytes(), &origin)
}

const DONE: &str = r#"{"type":"tool_call","call_id":"ID","name":"NAME","status":"completed","args":ARGS,"result":{"status":"success","value":{"content":"RESULT"}}}"#;

fn done(id: &str, name: &str, arguments: &str, result: &str) -> String {
    DONE.replace("ID", id).replace("NAME", name).replace("ARGS", arguments).replace("RESULT", result)
}

fn results(calls: &[&ToolCall]) -> Vec<Option<String>> {
    calls.iter().map(|call| call.result.as_ref().map(|result| result.as_str().to_owned())).collect()
}

/// Two prompts, and a call before the first.
const TWO_PROMPTS: &str = r#"{"role":"assistant","message":{"content":[{"type":"tool_use","name":"Read","input":{"path":"/before"}}]}}
{"role":"user","message":{"content":"one"}}
{"role":"assistant","message":{"content":[{"type":"text","text":"Looking."},{"type":"tool_use","name":"Read","input":{"path":"/a"}},{"type":"tool_use","name":"Read","input":{"path":"/b"}}]}}
{"role":"user","message":{"content":"two"}}
{"role":"assistant","message":{"content":[{"type":"tool_use","name":"Shell","input":{"command":"ls"}}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}
"#;

/// C118: prompt k belongs to run k; the same tool, the same primary argument first.
#[test]
fn c118_the_transcript_is_the_spine() {
    let spine = transcript(TWO_PROMPTS);
    // Runs come in any order and count from one.
    let runs = [run("r2", 2), run("r1", 1)];
    let events = [
        event("r2", 1, "00:02:01", &done("c3", "shell", r#"{"command":"ls"}"#, "files")),
        event("r2", 2, "00:02:02", &done("c4", "grep", r#"{"pattern":"x"}"#, "hits")),
        event("r1", 1, "00:01:01", &done("c1", "read", r#"{"path":"/b"}"#, "of b")),
    ];
    let conversation = assemble(&agent(), &runs, &events, Some(spine), &origin());
    let messages = &conversation.messages;
    let before: Vec<_> = messages[0].tool_calls().collect();
    assert_eq!(results(&before), [None]);
    let first: Vec<_> = messages[2].tool_calls().collect();
    // One call for two blocks: the one with the same path has it.
    assert_eq!(results(&first), [None, Some(r#"{"content":"of b"}"#.into())]);
    assert_eq!((first[1].id.as_deref(), first[1].status), (Some("c1"), ToolStatus::Completed));
    let second: Vec<_> = messages[4].tool_calls().collect();
    assert_eq!(results(&second), [Some(r#"{"content":"files"}"#.into())]);
    // The transcript lacks the grep: it stands after what was said.
    assert_eq!(messages[5].parts.len(), 2);
    assert!(matches!(&messages[5].parts[1], Part::ToolCall(call) if call.name == "grep"));
    assert_eq!(messages[1].at.at.unwrap().to_string(), "2026-07-07T00:01:00Z");
    assert_eq!(messages[5].at.at.unwrap().to_string(), "2026-07-07T00:02:30Z");
    assert_eq!((messages[4].at.is, messages[5].at.is), (AtIs::Interpolated, AtIs::Exact));
    assert_eq!(messages[5].tokens, Some(Tokens { input: 10, output: 2 }));
    assert_eq!(conversation.facts.tokens, Some(Tokens { input: 20, output: 4 }));
    assert_eq!(messages[3].request_id.as_deref(), Some("request-r2"));
    assert_eq!(messages[0].request_id, None);
    assert_eq!(conversation.summary.models, ["composer-2"]);
    assert_eq!(conversation.summary.title.as_deref(), Some("one"));
    assert_eq!(conversation.summary.workspace.as_ref().unwrap().path, "/home/u/proj");
    assert_eq!(conversation.findings, []);
    assert!(conversation.coverage.adds_up());
}

#[test]
fn c118_answered_calls_take_no_other_calls_answer() {
    let spine = transcript(
        r#"{"role":"user","message":{"content":"one"}}
{"role":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Read","input":{"path":"/a"}},{"type":"tool_result","tool_use_id":"t","content":""},{"type":"tool_use","name":"Read","input":{"path":"/other"}}]}}
"#,
    );
    let events = [event("r1", 1, "00:01:01", &done("c1", "read", r#"{"path":"/a"}"#, "of a"))];
    let conversation = assemble(&agent(), &[run("r1", 0)], &events, Some(spine), &origin());
    let calls: Vec<_> = conversation.messages[1].tool_calls().collect();
    assert_eq!(results(&calls), [Some(String::new()), Some(r#"{"content":"of a"}"#.into())]);
}

#[test]
fn agents_without_a_transcript_come_from_their_events() {
    let events = [
        event(
            "r1",
            1,
            "00:01:00",
            r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"<user_query>\nfix it\n</user_query>"}]}}"#,
        ),
        event("r1", 2, "00:01:01", r#"{"type":"thinking","text":"Let me "}"#),
        event("r1", 3, "00:01:01", r#"{"type":"thinking","text":"see."}"#),
        event(
            "r1",
            4,
            "00:01:02",
            r#"{"type":"tool_call","call_id":"c","name":"shell","status":"running","args":{"command":"ls"}}"#,
        ),
        event(
            "r1",
            5,
            "00:01:03",
            r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"All "},{"type":"tool_use","id":"c","name":"shell","input":{}}]}}"#,
        ),
        event(
            "r1",
            6,
            "00:01:03",
            r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"good."}]}}"#,
        ),
        event(
            "r1",
            7,
            "00:01:04",
            r#"{"type":"tool_call","call_id":"c","name":"shell","status":"error","result":{"status":"error","value":{"error":"no"}}}"#,
        ),
        event("lost", 1, "00:01:04", r#"{"type":"done"}"#),
    ];
    let conversation = assemble(&agent(), &[run("r1", 1)], &events, None, &origin());
    let messages = &conversation.messages;
    let roles: Vec<_> = messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant]);
    assert_eq!(messages[0].text(), "fix it");
    assert_eq!(messages[1].parts[0], Part::Thinking { text: "Let me see.".into(), duration_ms: None });
    assert!(matches!(&messages[1].parts[1], Part::ToolCall(call) if call.status == ToolStatus::Error
        && call.arguments.as_ref().unwrap().as_str() == r#"{"command":"ls"}"#));
    assert_eq!(messages[1].parts[2], Part::Text("All good.".into()));
    assert_eq!(messages[1].parts.len(), 3);
    assert_eq!(conversation.findings[0].kind, FindingKind::DanglingReference);
    assert_eq!(conversation.findings.len(), 1);
}

#[test]
fn a_run_without_events_still_has_its_last_words_and_its_error() {
    let mut failed = run("r2", 2);
    failed.result = Some("final words".into());
    failed.error = Some("quota".into());
    let conversation = assemble(&agent(), &[failed], &[], None, &origin());
    assert_eq!(
        conversation.messages[0].parts,
        [Part::Text("final words".into()), Part::Error("quota".into())]
    );
}

#[test]
fn runs_that_the_transcript_does_not_know_follow_it() {
    let spine = transcript("{\"role\":\"user\",\"message\":{\"content\":\"one\"}}\n");
    let events = [event("r2", 1, "00:02:01", r#"{"type":"assistant","message":{"content":"later"}}"#)];
    let conversation = assemble(&agent(), &[run("r1", 1), run("r2", 2)], &events, Some(spine), &origin());
    let texts: Vec<_> = conversation.messages.iter().map(backscroll_model::Message::text).collect();
    assert_eq!(texts, ["one", "later"]);
}

fn said(message: &str) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"role":"assistant","content":[{{"type":"text","text":"{message}"}}]}}}}"#
    )
}

fn thought(text: &str) -> String {
    format!(r#"{{"type":"thinking","text":"{text}"}}"#)
}

/// The words and thoughts of a conversation, in order, with calls by their names.
fn outline(conversation: &backscroll_model::Conversation) -> Vec<String> {
    let of = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Thinking { text, .. } => format!("({text})"),
        Part::ToolCall(call) => format!("[{}]", call.name),
        other => format!("{other:?}"),
    };
    conversation.messages.iter().flat_map(|message| &message.parts).map(of).collect()
}

#[test]
fn what_only_the_events_have_is_brought_in_where_it_was_said() {
    let spine = r#"{"role":"user","message":{"content":"one"}}
{"role":"assistant","message":{"content":[{"type":"text","text":"Looking at it."},{"type":"tool_use","name":"Shell","input":{"command":"ls"}}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}
"#;
    let told = [
        thought("Let me "),
        thought("see."),
        said("Looking "),
        said("at it."),
        done("c1", "shell", r#"{"command":"ls"}"#, "files"),
        thought("Nothing odd."),
        said("Only here."),
        said("Done."),
    ];
    let events: Vec<_> =
        told.iter().zip(1..).map(|(message, seq)| event("r1", seq, "00:01:01", message)).collect();
    let mut ended = run("r1", 1);
    ended.result = Some("Done.".into());
    let conversation =
        assemble(&agent(), std::slice::from_ref(&ended), &events, Some(transcript(spine)), &origin());
    let expected =
        ["one", "(Let me see.)", "Looking at it.", "[shell]", "(Nothing odd.)", "Only here.", "Done."];
    assert_eq!(outline(&conversation), expected, "nothing is lost, nothing is told twice");
    assert!(
        conversation.messages[1].also.iter().any(|at| at.key == "run_events/r1/1"),
        "and says from where"
    );
    assert!(conversation.coverage.adds_up());

    // A transcript that ended early: the events and the last words go on.
    let cut = spine.lines().next().unwrap();
    ended.result = Some("Last words.".into());
    let conversation = assemble(&agent(), &[ended], &events, Some(transcript(cut)), &origin());
    let expected = [
        "one",
        "(Let me see.)",
        "Looking at it.",
        "(Nothing odd.)",
        "Only here.Done.",
        "[shell]",
        "Last words.",
    ];
    let mut told = outline(&conversation);
    let mut all = expected.map(str::to_owned).to_vec();
    told.sort();
    all.sort();
    assert_eq!(told, all);
    assert_eq!(conversation.messages.len(), 2);
}

#[test]
fn a_prompt_that_the_transcript_lacks_is_told() {
    let spine = "{\"role\":\"user\",\"message\":{\"content\":\"<user_query>\\none\\n</user_query>\"}}\n";
    let asked = |text: &str| format!(r#"{{"type":"user","message":{{"role":"user","content":"{text}"}}}}"#);
    let same = [event("r1", 1, "00:01:01", &asked("one")), event("r1", 2, "00:01:02", &said("Yes."))];
    let conversation = assemble(&agent(), &[run("r1", 1)], &same, Some(transcript(spine)), &origin());
    assert_eq!(outline(&conversation), ["one", "Yes."]);
    let other = [event("r1", 1, "00:01:01", &asked("before it"))];
    let conversation = assemble(&agent(), &[run("r1", 1)], &other, Some(transcript(spine)), &origin());
    assert_eq!(outline(&conversation), ["before it", "one"]);
    assert!(conversation.messages.iter().all(|message| message.role == Role::User));
}

#[test]
fn a_run_without_columns_is_named_by_what_it_began_with() {
    let mut bare = run("r1", 1);
    (bare.model, bare.request_id) = (None, None);
    let events = [
        event("r1", 1, "00:01:00", r#"{"type":"system","subtype":"init","model":{"id":"composer-2"}}"#),
        event("r1", 2, "00:01:00", r#"{"type":"request","request_id":"q"}"#),
        event("r1", 3, "00:01:01", &said("Hi.")),
    ];
    let conversation = assemble(&agent(), &[bare], &events, None, &origin());
    let told = &conversation.messages[0];
    assert_eq!((told.model.as_deref(), told.request_id.as_deref()), (Some("composer-2"), Some("q")));
}
