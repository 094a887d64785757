//! The brief of a conversation: what is in it, what the budget leaves out, and that every line can be looked up.

use backscroll_model::{Message, Part, Payload, Role, Todo, ToolCall, ToolStatus};
use backscroll_render::handoff::{Handoff, tokens};

use crate::every_part::{conversation, holding, origin};

fn said(id: &str, role: Role, text: &str) -> Message {
    let mut message = Message::new(id, role, origin(id));
    message.parts.push(Part::Text(text.to_owned()));
    message
}

fn ran(id: &str, command: &str, code: i64) -> Message {
    let mut message = Message::new(id, Role::Assistant, origin(id));
    message.parts.push(Part::ToolCall(Box::new(ToolCall {
        name: "shell".to_owned(),
        raw_name: "run_terminal_cmd".to_owned(),
        arguments: Some(Payload::from_text(format!("{{\"command\":\"{command}\"}}"))),
        result: Some(Payload::from_text(format!("{{\"output\":\"…\",\"exitCode\":{code}}}"))),
        status: ToolStatus::Completed,
        ..ToolCall::default()
    })));
    message
}

fn edited(id: &str, path: &str) -> Message {
    let mut message = Message::new(id, Role::Assistant, origin(id));
    message.parts.push(Part::ToolCall(Box::new(ToolCall {
        name: "edit".to_owned(),
        raw_name: "edit_file".to_owned(),
        arguments: Some(Payload::from_text(format!("{{\"target_file\":\"{path}\"}}"))),
        status: ToolStatus::Completed,
        diff: Some(format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1,2 @@\n-old\n+new\n+newer\n")),
        ..ToolCall::default()
    })));
    message
}

fn worked() -> Vec<Message> {
    vec![
        said("p1", Role::User, "Make the tide table know summer time."),
        said("a1", Role::Assistant, "I will look."),
        said("p2", Role::User, "It is in src/tides.rs."),
        ran("c1", "cargo test", 101),
        ran("c2", "cargo fmt", 1),
        edited("e1", "src/tides.rs"),
        said("p3", Role::User, "No, use UTC instead, and never the local time."),
        edited("e2", "src/tides.rs"),
        ran("c3", "cargo test", 0),
        said("p4", Role::User, "Thanks."),
        said("a2", Role::Assistant, "All tests pass now."),
        said("p5", Role::User, "What is left?"),
        said("a3", Role::Assistant, "Only the formatting."),
    ]
}

#[test]
fn what_was_wanted_decided_done_and_left() {
    let mut whole = holding(worked());
    whole.facts.todos = vec![
        Todo { id: None, content: "Format".to_owned(), status: Some("pending".to_owned()) },
        Todo { id: None, content: "Use UTC".to_owned(), status: Some("completed".to_owned()) },
    ];
    let brief = Handoff::new(&whole, 4_000);
    let texts = |all: &[backscroll_render::handoff::Said]| {
        all.iter().map(|said| (said.message.clone(), said.text.clone())).collect::<Vec<_>>()
    };
    let ids = |all: &[backscroll_render::handoff::Said]| {
        texts(all).into_iter().map(|one| one.0).collect::<Vec<_>>()
    };
    assert_eq!(ids(&brief.goal), ["p1", "p2"]);
    assert_eq!(ids(&brief.decisions), ["p3", "p4"]);
    assert_eq!(ids(&brief.last), ["p5", "a3"]);
    assert_eq!(
        texts(&brief.open_errors),
        [("c2".to_owned(), "cargo fmt: exit code 1".to_owned())],
        "the tests pass since"
    );
    let file = &brief.files[0];
    assert_eq!((file.path.as_str(), file.message.as_str()), ("src/tides.rs", "e2"));
    assert_eq!(file.state, "changed 2 times, +4 −2 lines");
    let commands: Vec<_> =
        brief.commands.iter().map(|run| (run.command.as_str(), run.status.as_str())).collect();
    assert_eq!(commands, [("cargo fmt", "exit code 1"), ("cargo test", "completed")]);
    assert_eq!(brief.todos.len(), 2);
    assert_eq!(brief.left_out, 0);
    insta::assert_snapshot!("handoff", brief.markdown());
}

#[test]
fn the_budget_holds_and_what_matters_stays() {
    let mut messages = worked();
    for number in 0..200 {
        messages.insert(3, ran(&format!("x{number}"), &format!("echo {number} {}", "long ".repeat(30)), 0));
    }
    let whole = holding(messages);
    for budget in [200, 400, 1_000, 4_000] {
        let brief = Handoff::new(&whole, budget);
        assert!(brief.tokens_estimated <= budget, "{} of {budget}", brief.tokens_estimated);
        assert!(brief.left_out > 0);
        assert_eq!(brief.goal[0].message, "p1", "{budget}");
        assert_eq!(brief.last.last().unwrap().message, "a3", "{budget}");
        assert!(brief.decisions.iter().any(|said| said.message == "p3"), "{budget}: a correction stays");
    }
}

#[test]
fn every_line_can_be_looked_up() {
    let whole = conversation();
    let brief = Handoff::new(&whole, 4_000);
    let known: Vec<String> = whole.messages.iter().map(|message| message.id.to_string()).collect();
    for cited in brief.citations() {
        assert!(known.iter().any(|id| id == cited), "{cited}");
        assert!(brief.markdown().contains(cited));
    }
    assert!(!brief.citations().is_empty());
}

#[test]
fn tokens_are_estimated() {
    assert_eq!([tokens(""), tokens("abcd"), tokens("abcde"), tokens("日本")], [0, 1, 2, 2]);
}
