//! SDK agents out of their rows, runs and events.

use backscroll_cursor_format::sdk::{AgentRow, EventRow, Run, RunStatus, assemble, usage};
use backscroll_model::{FindingKind, Flag, Fragment, Message, Part, Role, Tokens, ToolStatus};

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

fn run(run_id: &str, turn: i64) -> Run {
    Run {
        run_id: run_id.into(),
        agent_id: "agent-1".into(),
        request_id: Some(format!("request-{run_id}")),
        turn_number: Some(turn),
        status: RunStatus::Finished,
        model: Some("composer-2".into()),
        usage: usage(r#"{"inputTokens":10,"outputTokens":2}"#),
        started_at: format!("2026-07-07T00:0{turn}:00Z").parse().ok(),
        finished_at: format!("2026-07-07T00:0{turn}:30Z").parse().ok(),
        ..Run::default()
    }
}

#[test]
fn agents_come_from_their_events() {
    let events = [
        event(
            "r1",
            1,
            "00:01:00",
            r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"<user_query>\nfix it\n</user_query>"}]}}"#,
        ),
        event("r1", 2, "00:01:01", r#"{"type":"thinking","text":"Let me "}"#),
        event("r1", 3, "00:01:01", r#"{"type":"thinking","text":"see."}"#),
        event("r1", 30, "00:01:01", r#"{"type":"thinking","text":"","thinking_duration_ms":20}"#),
        event(
            "r1",
            40,
            "00:01:02",
            r#"{"type":"tool_call","call_id":"c","name":"shell","status":"running","args":{"command":"ls"}}"#,
        ),
        event(
            "r1",
            50,
            "00:01:03",
            r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"All "},{"type":"tool_use","id":"c","name":"shell","input":{}}]}}"#,
        ),
        event(
            "r1",
            60,
            "00:01:03",
            r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"good."}]}}"#,
        ),
        event(
            "r1",
            70,
            "00:01:04",
            r#"{"type":"tool_call","call_id":"c","name":"shell","status":"error","result":{"status":"error","value":{"error":"no"}}}"#,
        ),
        event("lost", 1, "00:01:04", r#"{"type":"done"}"#),
    ];
    let conversation = assemble(&agent(), &[run("r1", 1)], &events, &origin());
    let messages = &conversation.messages;
    let roles: Vec<_> = messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Assistant], "what follows a call is another step");
    assert_eq!(messages[0].text(), "fix it");
    assert_eq!(messages[1].parts[0], Part::Thinking { text: "Let me see.".into(), duration_ms: Some(20) });
    assert!(matches!(&messages[1].parts[1], Part::ToolCall(call) if call.status == ToolStatus::Error
        && call.arguments.as_ref().unwrap().as_str() == r#"{"command":"ls"}"#));
    assert_eq!(messages[2].parts, [Part::Text("All good.".into())]);
    assert_eq!(messages[1].parts.len(), 2);
    assert_eq!(messages[2].at.at.unwrap().to_string(), "2026-07-07T00:01:03Z");
    assert_eq!((messages[1].tokens, messages[2].tokens), (None, Some(Tokens::new(10, 2))));
    assert_eq!(conversation.facts.tokens, Some(Tokens::new(10, 2)));
    assert!(conversation.coverage.adds_up());
    assert_eq!(conversation.findings[0].kind, FindingKind::DanglingReference);
    assert_eq!(conversation.findings.len(), 1);
}

#[test]
fn a_run_without_events_still_has_its_last_words_and_its_error() {
    let mut failed = run("r2", 2);
    failed.result = Some("final words".into());
    failed.error = Some("quota".into());
    let conversation = assemble(&agent(), &[failed], &[], &origin());
    let [prompt, answer] = &conversation.messages[..] else { panic!("{:?}", conversation.messages) };
    assert_eq!(answer.parts, [Part::Text("final words".into()), Part::Error("quota".into())]);
    assert_eq!((prompt.role, prompt.parts.len()), (Role::User, 0), "its words are in other layers");
    assert_eq!(prompt.at.at.unwrap().to_string(), "2026-07-07T00:02:00Z");
    assert_eq!(prompt.request_id.as_deref(), Some("request-r2"));
}

/// The last words of a run that its events have, in pieces, are not there again.
#[test]
fn the_last_words_are_there_once() {
    let mut ended = run("r1", 1);
    ended.result = Some("All done.".into());
    let texts = |conversation: &Fragment| {
        conversation.messages.iter().map(Message::text).filter(|text| !text.is_empty()).collect::<Vec<_>>()
    };
    let pieces = [event("r1", 1, "00:01:01", &said("All ")), event("r1", 2, "00:01:02", &said("done."))];
    assert_eq!(texts(&assemble(&agent(), &[ended.clone()], &pieces, &origin())), ["All done."]);
    assert_eq!(texts(&assemble(&agent(), &[ended], &pieces[..1], &origin())), ["All ", "All done."]);
}

fn said(message: &str) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"role":"assistant","content":[{{"type":"text","text":"{message}"}}]}}}}"#
    )
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
    let conversation = assemble(&agent(), &[bare], &events, &origin());
    let decoded = conversation.messages.last().unwrap();
    assert_eq!((decoded.model.as_deref(), decoded.request_id.as_deref()), (Some("composer-2"), Some("q")));
}

#[test]
fn a_thought_that_has_its_duration_is_closed() {
    let thinking = |seq, text: &str, took: &str| {
        event("r1", seq, "00:01:01", &format!(r#"{{"type":"thinking","text":"{text}"{took}}}"#))
    };
    let events = [
        thinking(1, "One ", ""),
        thinking(2, "thought.", ""),
        thinking(3, "", r#","thinking_duration_ms":812"#),
        thinking(4, "Another.", ""),
        thinking(5, "", r#","thinking_duration_ms":40"#),
    ];
    let conversation = assemble(&agent(), &[run("r1", 1)], &events, &origin());
    let thought = |text: &str, took| Part::Thinking { text: text.into(), duration_ms: Some(took) };
    let parts: Vec<Part> = conversation.messages.into_iter().flat_map(|message| message.parts).collect();
    assert_eq!(parts, [thought("One thought.", 812), thought("Another.", 40)]);
}

/// A call that a run left open was stopped with it; in one that goes on it runs.
#[test]
fn open_calls_end_with_their_run() {
    let call =
        r#"{"type":"tool_call","call_id":"c","name":"shell","status":"running","args":{"command":"x"}}"#;
    for (status, expected) in [
        ("RUNNING", ToolStatus::Running),
        ("CANCELLED", ToolStatus::Cancelled),
        ("EXPIRED", ToolStatus::Cancelled),
        ("ERROR", ToolStatus::Cancelled),
    ] {
        let run = Run { status: RunStatus::from_word(status), ..run("r1", 1) };
        let conversation = assemble(&agent(), &[run], &[event("r1", 1, "00:01:01", call)], &origin());
        let calls: Vec<_> = conversation.messages.iter().flat_map(Message::tool_calls).collect();
        assert_eq!(calls[0].status, expected, "{status}");
    }
}

#[test]
fn a_run_that_failed_says_why_and_ended_when_it_was_last_written() {
    let failed = |status: &str, code: &str| {
        let line = format!(
            r#"{{"run_id":"r1","agent_id":"a","status":"{status}","error":"{code}","updated_at":"2026-07-07T00:09:00Z"}}"#
        );
        Run::from_line(&line).unwrap()
    };
    for (status, code, says, has_end) in [
        ("ERROR", "[resource_exhausted] no oil", "[resource_exhausted] no oil", true),
        ("EXPIRED", "force_send", "the run expired: force_send", false),
    ] {
        let decoded = failed(status, code);
        assert_eq!(
            (decoded.failure().as_deref(), decoded.finished_at.is_some()),
            (Some(says), has_end),
            "{status}"
        );
        let conversation = assemble(&agent(), &[failed(status, code)], &[], &origin());
        let last = conversation.messages.last().unwrap();
        assert_eq!(last.parts, [Part::Error(says.to_owned())]);
    }
}

#[test]
fn an_event_that_was_sent_twice_was_said_once() {
    let said =
        r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"once"}]}}"#;
    let twice =
        |seq| EventRow { idempotency_key: Some("k".to_owned()), ..event("r1", seq, "00:01:01", said) };
    let conversation = assemble(&agent(), &[run("r1", 1)], &[twice(1), twice(2)], &origin());
    assert_eq!(conversation.messages.last().unwrap().text(), "once");
}

#[test]
fn an_archived_agent_is_archived() {
    let archived = AgentRow { status: Some("ARCHIVED".to_owned()), ..agent() };
    let flags = assemble(&archived, &[], &[], &origin()).summary.flags;
    assert!(flags.contains(&Flag::Archived));
    assert!(!assemble(&agent(), &[], &[], &origin()).summary.flags.contains(&Flag::Archived));
}

/// Buckets are kept as they are: what `totalTokens` counts differs between versions.
#[test]
fn cache_and_thinking_are_counted_apart() {
    let json = r#"{"inputTokens":10,"outputTokens":4,"cacheReadTokens":7,"cacheWriteTokens":3,"reasoningTokens":2,"totalTokens":24}"#;
    let used = |turn| Run { usage: usage(json), ..run(&format!("r{turn}"), turn) };
    let tokens = assemble(&agent(), &[used(1), used(2)], &[], &origin()).facts.tokens.unwrap();
    assert_eq!((tokens.input, tokens.output), (20, 8));
    assert_eq!((tokens.cache_read, tokens.cache_write, tokens.reasoning), (Some(14), Some(6), Some(4)));
}
