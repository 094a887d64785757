//! The brief of a conversation: what is in it, what the budget leaves out, and that every line can be looked up.

use backscroll_model::{Message, Part, Payload, Role, Todo, ToolCall, ToolStatus};
use backscroll_render::handoff::Handoff;

use crate::every_part::{conversation, holding, origin};
use crate::tokens::tokens;

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
        result: Some(Payload::from_text(format!(
            "{{\"output\":\"Formatting\\nerror: no such file\",\"exitCode\":{code}}}"
        ))),
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
    assert_eq!(ids(&brief.decisions), ["p3"], "thanks are none");
    assert_eq!(ids(&brief.answers), ["a1", "a2"]);
    assert_eq!(ids(&brief.last), ["p5", "a3"]);
    assert_eq!(
        texts(&brief.open_errors),
        [("c2".to_owned(), "cargo fmt: exit code 1: error: no such file".to_owned())],
        "the tests pass since"
    );
    let file = &brief.files[0];
    assert_eq!((file.path.as_str(), file.message.as_str()), ("src/tides.rs", "e2"));
    assert_eq!(file.state, "changed 2 times, +4 −2 lines");
    let commands: Vec<_> =
        brief.commands.iter().map(|run| (run.command.as_str(), run.status.as_str())).collect();
    assert_eq!(commands, [("cargo fmt", "exit code 1"), ("cargo test", "completed")]);
    assert_eq!(brief.todos.len(), 1, "one is done");
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
    for budget in [300, 500, 1_000, 4_000] {
        let brief = Handoff::new(&whole, budget);
        assert!(brief.tokens_estimated <= budget, "{} of {budget}", brief.tokens_estimated);
        assert!(tokens(&brief.markdown()) <= brief.tokens_estimated);
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
    let markdown = brief.markdown();
    for cited in brief.citations() {
        let at = known.iter().position(|id| id == cited).unwrap();
        assert!(markdown.contains(&format!("[#{}]", at + 1)), "{cited}");
    }
    assert!(!brief.citations().is_empty());
}

fn asked(id: &str, name: &str, path: &str, error: Option<&str>) -> Message {
    let mut message = Message::new(id, Role::Assistant, origin(id));
    message.parts.push(Part::ToolCall(Box::new(ToolCall {
        name: name.to_owned(),
        arguments: Some(Payload::from_text(format!("{{\"target_file\":\"{path}\"}}"))),
        status: if error.is_some() { ToolStatus::Error } else { ToolStatus::Completed },
        error: error.map(str::to_owned),
        ..ToolCall::default()
    })));
    message
}

/// What a conversation found is mostly in the middle of it.
#[test]
fn answers_fill_the_budget() {
    let cause =
        format!("The tables are in standard time all year. {}", "That explains the hour. ".repeat(60));
    let whole = holding(vec![
        said("p1", Role::User, "Why is high water an hour late?"),
        said("a0", Role::Assistant, "Let me look."),
        said("a1", Role::Assistant, &cause),
        said("p2", Role::User, "Lovely, thank you. Please keep the comment."),
        said("a2", Role::Assistant, "It stays."),
        said("p3", Role::User, "Thanks a lot!"),
        said("a3", Role::Assistant, "You are welcome."),
    ]);
    let brief = Handoff::new(&whole, 4_000);
    let ids = |all: &[backscroll_render::handoff::Said]| {
        all.iter().map(|said| said.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        (ids(&brief.goal), ids(&brief.last)),
        (vec!["p1".to_owned()], vec!["p2".to_owned(), "a2".to_owned()])
    );
    assert_eq!(brief.answers[0].text, cause.trim(), "whole, where there is room");
    assert!(brief.markdown().contains("That explains the hour.\n> [#3]"), "{}", brief.markdown());
    let small = Handoff::new(&whole, 500);
    assert!(small.answers[0].text.starts_with("The tables are in standard time"), "{small:?}");
    assert!(small.answers[0].text.contains("characters more"), "{small:?}");
}

#[test]
fn what_only_looked_or_succeeded_since_is_no_open_error() {
    let whole = holding(vec![
        said("p1", Role::User, "Mend it."),
        ran("c1", "ps aux | grep tides", 1),
        asked("r1", "read", "/h/missing.rs", Some("File not found")),
        asked("e1", "edit", "/h/a.rs", Some("String not found")),
        asked("w1", "write", "/h/a.rs", None),
        asked("e2", "edit", "/h/b.rs", Some("\nCannot edit\nfor some reason")),
    ]);
    let brief = Handoff::new(&whole, 4_000);
    let errors: Vec<_> = brief.open_errors.iter().map(|said| (said.n, said.text.as_str())).collect();
    assert_eq!(errors, [(6, "edit /h/b.rs: Cannot edit")]);
}

#[test]
fn where_and_how_to_read_more_is_said() {
    let mut whole = holding(worked());
    whole.facts.branch = Some("summer-time".to_owned());
    let brief = Handoff::new(&whole, 4_000);
    let markdown = brief.markdown();
    assert!(markdown.contains("branch `summer-time`") && markdown.contains("backscroll show"), "{markdown}");
    assert_eq!(
        markdown.matches(whole.summary.id.as_str()).count(),
        1,
        "ids of messages are numbers: {markdown}"
    );
    assert_eq!(serde_json::to_value(&brief).unwrap()["branch"], "summer-time");
    assert_eq!(serde_json::to_value(&brief).unwrap()["goal"][0]["message"], "p1");
}

/// Whatever people write, and however small the budget.
#[test]
fn no_brief_is_larger_than_its_budget() {
    let odd =
        ["日本語の長い文章です。", "qzxjvk", "🦀👩‍👩‍👧", "3f9a1c07e2", "ЖЩъ", "!@#$%^&*", "words of a person "];
    for odd in odd {
        let long = odd.repeat(400);
        let mut messages: Vec<Message> = Vec::new();
        for turn in 0..6 {
            messages.push(said(&format!("p{turn}"), Role::User, &long));
            messages.push(ran(
                &format!("c{turn}"),
                &format!("echo {turn}{}", odd.replace('"', "").repeat(20)),
                1,
            ));
            messages.push(said(&format!("a{turn}"), Role::Assistant, &long));
        }
        let mut whole = holding(messages);
        whole.summary.title = Some(long.clone());
        for budget in [100, 250, 300, 1_000, 4_000] {
            let brief = Handoff::new(&whole, budget);
            let (real, most) = (tokens(&brief.markdown()), brief.tokens_estimated);
            assert!(real <= most && most <= budget, "{odd}: {real} {most} {budget}\n{}", brief.markdown());
        }
    }
}
