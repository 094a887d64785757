//! SDK agents whole: events of the index beside a transcript.

use std::fs;

use backscroll_fixtures::{CursorHome, WrittenHome, create_database};
use backscroll_model::{AtIs, Conversation, FindingKind, Message, Part, Payload, Role, Tokens, ToolStatus};

use crate::home::{ask, load};

const ID: &str = "agent-1";

/// A home with an agent that had these runs, by id and number, with these events, by run and time, and this transcript.
fn home(runs: &[(&str, i64)], events: &[(&str, &str, String)], transcript: &str) -> WrittenHome {
    let project = ".cursor/projects/home-u-proj";
    let file = format!("{project}/agent-transcripts/{ID}.jsonl");
    let home = CursorHome::new().unwrap().file(&file, transcript).write().unwrap();
    let store = home.root().join(project).join("sdk-agent-store/0123");
    fs::create_dir_all(&store).unwrap();
    let index = create_database(&store.join("index.db")).unwrap();
    index
        .execute_batch(
            "CREATE TABLE agents (agent_id TEXT, workspace_ref TEXT, created_at TEXT, updated_at TEXT);
             CREATE TABLE runs (run_id TEXT, agent_id TEXT, request_id TEXT, turn_number INTEGER, status TEXT, model TEXT,
               usage_json TEXT, started_at TEXT, finished_at TEXT);
             CREATE TABLE run_events (run_id TEXT, seq INTEGER, payload_json TEXT, created_at TEXT);
             INSERT INTO agents VALUES ('agent-1', '/home/u/proj', '2026-07-07T00:00:00Z', '2026-07-07T00:09:00Z');",
        )
        .unwrap();
    for (run, turn) in runs {
        let (begun, ended) = (format!("2026-07-07T00:0{turn}:00Z"), format!("2026-07-07T00:0{turn}:30Z"));
        index
            .execute(
                "INSERT INTO runs VALUES (?1, 'agent-1', 'request-' || ?1, ?2, 'FINISHED', 'composer-2',
                   '{\"inputTokens\":10,\"outputTokens\":2}', ?3, ?4)",
                (run, turn, begun, ended),
            )
            .unwrap();
    }
    for (seq, (run, at, payload)) in (1_i64..).zip(events) {
        let at = format!("2026-07-07T{at}Z");
        index.execute("INSERT INTO run_events VALUES (?1, ?2, ?3, ?4)", (run, seq, payload, at)).unwrap();
    }
    home
}

fn whole(home: &WrittenHome) -> Conversation {
    let whole = ask(home.root(), |history| load(history, ID));
    assert!(whole.coverage.adds_up());
    whole
}

fn done(id: &str, name: &str, arguments: &str, result: &str) -> String {
    format!(
        r#"{{"type":"tool_call","call_id":"{id}","name":"{name}","status":"completed","args":{arguments},"result":{{"status":"success","value":{{"content":"{result}"}}}}}}"#
    )
}

fn said(message: &str) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"role":"assistant","content":[{{"type":"text","text":"{message}"}}]}}}}"#
    )
}

fn thought(text: &str) -> String {
    format!(r#"{{"type":"thinking","text":"{text}"}}"#)
}

fn asked(text: &str) -> String {
    format!(r#"{{"type":"user","message":{{"role":"user","content":"{text}"}}}}"#)
}

fn results(message: &Message) -> Vec<Option<&str>> {
    message.tool_calls().map(|call| call.result.as_ref().map(Payload::as_str)).collect()
}

/// The words and thoughts of a conversation, in order, with calls by their names.
fn outline(conversation: &Conversation) -> Vec<String> {
    let of = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Thinking { text, .. } => format!("({text})"),
        Part::ToolCall(call) => format!("[{}]", call.name),
        Part::Attachment(one) => {
            format!(
                "{{{}}} {}",
                one.title.as_deref().unwrap_or_default(),
                one.text.as_deref().unwrap_or_default()
            )
        }
        other => format!("{other:?}"),
    };
    conversation.messages.iter().flat_map(|message| &message.parts).map(of).collect()
}

/// Two prompts, and a call before the first.
const TWO_PROMPTS: &str = r#"{"role":"assistant","message":{"content":[{"type":"tool_use","name":"Read","input":{"path":"/before"}}]}}
{"role":"user","message":{"content":"one"}}
{"role":"assistant","message":{"content":[{"type":"text","text":"Looking."},{"type":"tool_use","name":"Read","input":{"path":"/a"}},{"type":"tool_use","name":"Read","input":{"path":"/b"}}]}}
{"role":"user","message":{"content":"two"}}
{"role":"assistant","message":{"content":[{"type":"tool_use","name":"Shell","input":{"command":"ls"}}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}
"#;

/// C118: the transcript leads, and takes what the events of its runs have; a call is known by what it is.
#[test]
fn c118_the_transcript_is_the_spine() {
    // Runs come in any order and count from one.
    let events = [
        ("r1", "00:01:01", done("c1", "read", r#"{"path":"/b"}"#, "of b")),
        ("r2", "00:02:01", done("c3", "shell", r#"{"command":"ls"}"#, "files")),
        ("r2", "00:02:02", done("c4", "grep", r#"{"pattern":"x"}"#, "hits")),
    ];
    let conversation = whole(&home(&[("r2", 2), ("r1", 1)], &events, TWO_PROMPTS));
    let messages = &conversation.messages;
    assert_eq!(
        outline(&conversation),
        ["[read]", "one", "Looking.", "[read]", "[read]", "two", "[shell]", "[grep]", "Done."]
    );
    assert_eq!(results(&messages[0]), [None]);
    // One call for two blocks: the one with the same path has it.
    assert_eq!(results(&messages[2]), [None, Some(r#"{"content":"of b"}"#)]);
    let found = messages[2].tool_calls().last().unwrap();
    assert_eq!((found.id.as_deref(), found.status), (Some("c1"), ToolStatus::Completed));
    assert_eq!(results(&messages[4]), [Some(r#"{"content":"files"}"#), Some(r#"{"content":"hits"}"#)]);
    let times: Vec<_> =
        messages.iter().map(|message| (message.at.at.unwrap().to_string(), message.at.is)).collect();
    assert_eq!(times[1], ("2026-07-07T00:01:00Z".to_owned(), AtIs::Exact), "when the run began");
    assert_eq!(times[4], ("2026-07-07T00:02:01Z".to_owned(), AtIs::Exact));
    assert_eq!(messages[4].tokens, Some(Tokens::new(10, 2)));
    assert_eq!(conversation.facts.tokens, Some(Tokens::new(20, 4)));
    assert_eq!(
        (messages[3].request_id.as_deref(), messages[0].request_id.as_deref()),
        (Some("request-r2"), None)
    );
    assert_eq!(
        messages[5].model.as_deref(),
        Some("composer-2"),
        "no event has it, but it is of the same request"
    );
    assert_eq!(conversation.summary.models, ["composer-2"]);
    assert_eq!(conversation.summary.title.as_deref(), Some("one"));
    assert_eq!(conversation.summary.workspace.as_ref().unwrap().path, "/home/u/proj");
}

#[test]
fn c118_answered_calls_take_no_other_calls_answer() {
    let transcript = r#"{"role":"user","message":{"content":"one"}}
{"role":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Read","input":{"path":"/a"}},{"type":"tool_result","tool_use_id":"t","content":"a"},{"type":"tool_use","name":"Read","input":{"path":"/other"}}]}}
"#;
    let events = [("r1", "00:01:01", done("c1", "read", r#"{"path":"/c"}"#, "of c"))];
    let conversation = whole(&home(&[("r1", 1)], &events, transcript));
    assert_eq!(results(&conversation.messages[1]), [Some("a"), None]);
    let all: Vec<_> = conversation.messages.iter().flat_map(Message::tool_calls).collect();
    assert_eq!(all.len(), 3, "three files, three calls");
}

#[test]
fn runs_that_the_transcript_does_not_know_follow_it() {
    let transcript = "{\"role\":\"user\",\"message\":{\"content\":\"one\"}}\n";
    let events = [("r2", "00:02:01", said("later"))];
    let conversation = whole(&home(&[("r1", 1), ("r2", 2)], &events, transcript));
    assert_eq!(outline(&conversation), ["one", "later"]);
    assert!(conversation.messages.iter().all(|message| !message.parts.is_empty()), "no prompt without words");
}

#[test]
fn what_only_the_events_have_is_brought_in_where_it_was_said() {
    let transcript = r#"{"role":"user","message":{"content":"one"}}
{"role":"assistant","message":{"content":[{"type":"text","text":"Looking at it."},{"type":"tool_use","name":"Shell","input":{"command":"ls"}}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}
"#;
    let payloads = [
        thought("Let me "),
        thought("see."),
        said("Looking "),
        said("at it."),
        done("c1", "shell", r#"{"command":"ls"}"#, "files"),
        thought("Nothing odd."),
        said("Only here."),
        said("Done."),
    ];
    let events = payloads.map(|payload| ("r1", "00:01:01", payload));
    let conversation = whole(&home(&[("r1", 1)], &events, transcript));
    let expected =
        ["one", "(Let me see.)", "Looking at it.", "[shell]", "(Nothing odd.)", "Only here.", "Done."];
    assert_eq!(outline(&conversation), expected, "nothing is lost, nothing is there twice");
    let also = &conversation.messages[1].also;
    assert!(also.iter().any(|at| at.key == "run_events/r1/1"), "and says from where: {also:?}");

    // A transcript that ended early: the events go on.
    let cut = transcript.lines().next().unwrap();
    let conversation = whole(&home(&[("r1", 1)], &events, cut));
    let expected = ["one", "(Let me see.)", "Looking at it.", "[shell]", "(Nothing odd.)", "Only here.Done."];
    assert_eq!(outline(&conversation), expected);
}

#[test]
fn a_prompt_that_the_transcript_lacks_is_there() {
    let transcript = "{\"role\":\"user\",\"message\":{\"content\":\"<user_query>\\none\\n</user_query>\"}}\n";
    let same = [("r1", "00:01:01", asked("one")), ("r1", "00:01:02", said("Yes."))];
    assert_eq!(outline(&whole(&home(&[("r1", 1)], &same, transcript))), ["one", "Yes."]);
    let other = [("r1", "00:01:01", asked("before it"))];
    let conversation = whole(&home(&[("r1", 1)], &other, transcript));
    let mut prompts = outline(&conversation);
    prompts.sort();
    assert_eq!(prompts, ["before it", "one"]);
    assert!(conversation.messages.iter().all(|message| message.role == Role::User));
}

/// A run that failed between two that the transcript has: what it did stands between their prompts.
#[test]
fn a_run_without_an_answer_stands_after_its_own_prompt() {
    let transcript = r#"{"role":"user","message":{"content":"one"}}
{"role":"assistant","message":{"content":[{"type":"text","text":"First."}]}}
{"role":"user","message":{"content":"two"}}
{"role":"user","message":{"content":"three"}}
{"role":"assistant","message":{"content":[{"type":"text","text":"Third."}]}}
"#;
    let events = [
        ("r1", "00:01:01", said("First.")),
        ("r2", "00:02:01", thought("This is hard.")),
        ("r2", "00:02:02", r#"{"type":"error","message":"out of luck"}"#.to_owned()),
        ("r3", "00:03:01", said("Third.")),
    ];
    let conversation = whole(&home(&[("r1", 1), ("r2", 2), ("r3", 3)], &events, transcript));
    let expected = ["one", "First.", "two", "(This is hard.)", "Error(\"out of luck\")", "three", "Third."];
    assert_eq!(outline(&conversation), expected);
    let kinds: Vec<_> = conversation.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::OneSided]);
}

/// A compaction is an event of its own: where no other place has it, it stands before what was said after it.
#[test]
fn the_summary_of_a_compaction_is_shown_where_only_the_events_have_it() {
    let task = r#"{"type":"task","text":"Summary: one was done."}"#.to_owned();
    let progress = r#"{"type":"task","status":"done","text":"Half way."}"#.to_owned();
    let events = [
        ("r1", "00:01:01", said("Looking.")),
        ("r2", "00:02:01", task),
        ("r2", "00:02:02", progress),
        ("r2", "00:02:03", said("Done.")),
    ];
    let summary = r#"Summary("Summary: one was done.")"#;
    let half_way = "{task: done} Half way.";
    let runs = [("r1", 1), ("r2", 2)];
    let beside_transcript = whole(&home(&runs, &events, TWO_PROMPTS));
    assert_eq!(
        outline(&beside_transcript),
        ["[read]", "one", "Looking.", "[read]", "[read]", "two", "[shell]", summary, "Done.", half_way]
    );
    // The run was stopped before it said anything.
    let silent = whole(&home(&runs, &events[..2], TWO_PROMPTS));
    assert!(outline(&silent).contains(&summary.to_owned()), "{:?}", outline(&silent));
    let alone = whole(&home(&runs, &events, ""));
    assert_eq!(outline(&alone), ["Looking.", summary, half_way, "Done."]);
    assert!(alone.messages.iter().all(|message| message.text() != "Half way."), "the model did not say it");
}

/// What a status says in words is shown: as why the run failed, or as what it is.
#[test]
fn words_about_the_status_of_a_run_are_shown() {
    let status = |status: &str, message: &str| {
        format!(r#"{{"type":"status","status":"{status}","message":"{message}"}}"#)
    };
    let events = [
        ("r1", "00:01:01", status("RUNNING", "Waiting for a machine.")),
        ("r1", "00:01:02", said("Looking.")),
        ("r1", "00:01:03", r#"{"type":"task","status":"queued"}"#.to_owned()),
        ("r1", "00:01:04", status("ERROR", "out of oil")),
    ];
    let alone = whole(&home(&[("r1", 1)], &events, ""));
    let expected =
        ["{status: RUNNING} Waiting for a machine.", "Looking.", "{task: queued} ", "Error(\"out of oil\")"];
    assert_eq!(outline(&alone), expected);
}
