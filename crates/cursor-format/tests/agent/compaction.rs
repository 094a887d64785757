//! Conversations that were summed up: what left the prompt comes back from archives and turns.

use backscroll_model::{AtIs, Message, Part, Role, ToolStatus};
use serde_json::json;

use super::build::Proto;
use super::store::{Held, conversation, hex};

/// A turn of the user's words, one tool call and an answer.
fn turn(held: &mut Held, number: u32) -> [u8; 32] {
    let user = Proto::new().bytes(1, format!("question {number}")).bytes(2, format!("u{number}"));
    let user = held.put(user.number(25, 1_700_000_000_000 + u64::from(number)).0);
    let read = Proto::new().message(1, &Proto::new().bytes(1, "/p/a"));
    let read = read.message(2, &Proto::new().message(1, &Proto::new().bytes(1, "content")));
    let call = Proto::new().message(8, &read).bytes(57, format!("c{number}")).number(59, 1_700_000_000_500);
    let call = held.put(Proto::new().message(2, &call).0);
    let said = Proto::new().bytes(1, format!("answer {number}"));
    let said = held.put(Proto::new().message(1, &said).0);
    let agent = Proto::new().bytes(1, user).bytes(2, call).bytes(2, said);
    let agent = agent.bytes(3, format!("r{number}")).bytes(7, "some-model");
    held.put(Proto::new().message(1, &agent).0)
}

fn prompt(held: &mut Held, number: u32) -> Vec<[u8; 32]> {
    let call = json!({"type":"tool-call","toolCallId":format!("c{number}"),"toolName":"Read","args":{}});
    let result =
        json!({"type":"tool-result","toolCallId":format!("c{number}"),"toolName":"Read","result":"content"});
    [
        json!({"role":"user","content":format!("question {number}")}),
        json!({"role":"assistant","content":[call]}),
        json!({"role":"tool","content":[result]}),
        json!({"role":"assistant","content":[{"type":"text","text":format!("answer {number}")}]}),
    ]
    .iter()
    .map(|one| held.put(one.to_string()))
    .collect()
}

fn outline(messages: &[Message]) -> Vec<String> {
    let line = |one: &Message| {
        let parts = one.parts.iter().map(|part| match part {
            Part::Text(text) => text.clone(),
            Part::ToolCall(call) => format!("[{} {}]", call.name, call.status.name()),
            Part::Summary(text) => format!("<{text}>"),
            other => format!("{other:?}"),
        });
        format!("{}: {}", one.role.name(), parts.collect::<Vec<_>>().join(" "))
    };
    messages.iter().map(line).collect()
}

const WHOLE: [&str; 8] = [
    "system: be good",
    "user: question 1",
    "assistant: [read completed]",
    "assistant: answer 1",
    "system: <what was said>",
    "user: question 2",
    "assistant: [read completed]",
    "assistant: answer 2",
];

#[test]
fn turns_that_left_the_prompt_come_from_the_turns() {
    let mut held = Held::default();
    let (one, two) = (turn(&mut held, 1), turn(&mut held, 2));
    let system = held.put(r#"{"role":"system","content":"be good"}"#);
    let summary = held.put(r#"{"role":"user","content":"what was said"}"#);
    let archive = held.put(Proto::new().bytes(2, "what was said").bytes(4, summary).0);
    let mut root = Proto::new().bytes(1, system).bytes(1, summary);
    for id in prompt(&mut held, 2) {
        root = root.bytes(1, id);
    }
    let root = root.bytes(8, one).bytes(8, two).bytes(13, archive);
    let read = conversation(&root.0, &held.place());
    assert_eq!(read.findings, []);
    // A call and the words after it are two messages, as they are in the prompt.
    assert_eq!(outline(&read.value.messages), WHOLE);
    assert!(read.value.coverage.adds_up());
    let users: Vec<_> = read.value.messages.iter().filter(|one| one.role == Role::User).collect();
    let ids: Vec<_> = users.iter().map(|one| (one.id.as_str(), one.request_id.as_deref())).collect();
    assert_eq!(ids, [("u1", Some("r1")), ("u2", Some("r2"))]);
    assert!(users.iter().all(|one| one.at.is == AtIs::Exact && one.model.as_deref() == Some("some-model")));
}

#[test]
fn messages_in_archives_come_before_the_summary_and_only_once() {
    let mut held = Held::default();
    let (one, two) = (turn(&mut held, 1), turn(&mut held, 2));
    let system = held.put(r#"{"role":"system","content":"be good"}"#);
    let mut archive = Proto::new().bytes(1, system);
    for id in prompt(&mut held, 1) {
        archive = archive.bytes(1, id);
    }
    let archive = held.put(archive.bytes(2, "what was said").0);
    let mut root = Proto::new().bytes(1, system);
    for id in prompt(&mut held, 2) {
        root = root.bytes(1, id);
    }
    let root = root.bytes(8, one).bytes(8, two).bytes(11, archive).bytes(13, archive);
    let read = conversation(&root.0, &held.place());
    assert_eq!(read.findings, []);
    assert_eq!(outline(&read.value.messages), WHOLE);
}

#[test]
fn a_prompt_that_begins_inside_a_turn_is_completed() {
    let mut held = Held::default();
    let (one, two) = (turn(&mut held, 1), turn(&mut held, 2));
    let mut root = Proto::new();
    for id in prompt(&mut held, 2).into_iter().skip(1) {
        root = root.bytes(1, id);
    }
    let root = root.bytes(8, one).bytes(8, two);
    let read = conversation(&root.0, &held.place());
    let expected: Vec<_> = WHOLE.iter().filter(|line| !line.starts_with("system")).copied().collect();
    assert_eq!(outline(&read.value.messages), expected);
}

#[test]
fn a_shell_turn_is_the_users_words_and_a_call() {
    let mut held = Held::default();
    let command = held.put(Proto::new().bytes(1, "ls").0);
    let output = held.put(Proto::new().bytes(1, "a\n").0);
    let shell = Proto::new().message(2, &Proto::new().bytes(1, command).bytes(2, output));
    let shell = held.put(&shell.0);
    let read = conversation(&Proto::new().bytes(8, shell).0, &held.place()).value;
    assert_eq!(outline(&read.messages), ["user: ls", "assistant: [shell completed]"]);
}

#[test]
fn facts_of_the_root() {
    let mut held = Held::default();
    let todo = held.put(Proto::new().bytes(1, "1").bytes(2, "sweep").number(3, 3).0);
    let state = Proto::new().message(1, &Proto::new().number(10, 1)).number(2, 1_700_000_000_000);
    let root = Proto::new()
        .bytes(3, todo)
        .bytes(4, r#"{"role":"assistant","content":[{"type":"tool-call","toolCallId":"p","toolName":"Shell","args":{}}]}"#)
        .message(5, &Proto::new().number(1, 10).number(2, 100))
        .bytes(9, "file:///p")
        .number(10, 3)
        .message(16, &Proto::new().bytes(1, "child").message(2, &state))
        .bytes(19, "main")
        .message(20, &Proto::new().bytes(1, "k").message(2, &Proto::new().bytes(1, "k").bytes(2, "/plans/a.md")))
        .message(21, &Proto::new().bytes(1, "/p").bytes(2, "topic"));
    let read = conversation(&root.0, &held.place());
    assert_eq!(read.findings, []);
    let read = read.value;
    assert_eq!(read.facts.todos[0].status.as_deref(), Some("completed"));
    assert_eq!(read.facts.branch.as_deref(), Some("main"));
    assert_eq!(read.facts.branches, ["topic", "main"]);
    assert_eq!(read.facts.plans, ["/plans/a.md"]);
    assert_eq!(read.facts.context.and_then(|context| context.used), Some(10));
    assert_eq!(read.mode.as_deref(), Some("plan"));
    assert_eq!(read.children, [backscroll_model::ConversationId::from("child")]);
    let pending = read.messages.last().expect("a message").tool_calls().next().expect("a call");
    assert_eq!(pending.status, ToolStatus::Pending);
}

#[test]
fn messages_whose_blobs_are_gone_are_read_from_their_turn() {
    for (gone, kept) in [(1, "answer 2"), (2, "answer 2"), (3, "answer 2")] {
        let mut held = Held::default();
        let (first, second) = (turn(&mut held, 1), turn(&mut held, 2));
        let listed = [prompt(&mut held, 1), prompt(&mut held, 2)].concat();
        held.0.remove(&hex(&listed[4 + gone]));
        let root = listed.iter().fold(Proto::new(), |root, id| root.bytes(1, id));
        let decoded = conversation(&root.bytes(8, first).bytes(8, second).0, &held.place());
        assert!(decoded.value.coverage.adds_up());
        assert_eq!(decoded.value.coverage.missing, 1);
        let read = outline(&decoded.value.messages);
        assert_eq!(read[..3], ["user: question 1", "assistant: [read completed]", "assistant: answer 1"]);
        assert_eq!(read[3..5], ["user: question 2", "assistant: [read completed]"], "without {gone}");
        assert_eq!(read[5..], [format!("assistant: {kept}")], "without {gone}");
    }
}
