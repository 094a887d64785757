//! `backscroll handoff`: the brief as Markdown and as JSON, what the budget leaves, and what a link holds.

use backscroll_cli::Exit;
use backscroll_fixtures::MemorySource;
use backscroll_model::{Message, Part, Role};
use serde_json::Value;

use crate::memory::{conversation, holding, origin, run};

/// A conversation of a prompt and an answer, both long.
fn talk(words: usize) -> MemorySource {
    let mut talk = conversation("aaaa-1", "Deploy", 1);
    talk.messages.clear();
    for (id, role) in [("p", Role::User), ("a", Role::Assistant)] {
        let said = vec![Part::Text(format!("{id} {}", "deploy the lamp ".repeat(words)))];
        talk.messages.push(Message { parts: said, ..Message::new(id, role, origin(id)) });
    }
    holding(vec![talk])
}

#[test]
fn a_brief_cites_its_messages_in_both_forms() {
    let markdown = run(&[talk(2)], &["handoff", "aaaa"]);
    assert_eq!(markdown.exit, Exit::Done, "{}", markdown.err);
    assert!(markdown.out.contains("## Goal\n\n> p deploy the lamp"), "{}", markdown.out);
    assert!(markdown.err.contains("tokens"), "the estimate is stated: {}", markdown.err);
    let json: Value = serde_json::from_str(&run(&[talk(2)], &["handoff", "@1", "--json"]).out).unwrap();
    assert_eq!((&json["schema"], &json["goal"][0]["message"]), (&"backscroll.handoff/1".into(), &"p".into()));
    assert_eq!(json["last"][0]["message"], "a");
}

#[test]
fn a_budget_bounds_the_brief() {
    let whole: Value = serde_json::from_str(&run(&[talk(90)], &["handoff", "@1", "--json"]).out).unwrap();
    let small: Value =
        serde_json::from_str(&run(&[talk(90)], &["handoff", "@1", "--json", "--budget", "500"]).out).unwrap();
    let tokens = |brief: &Value| brief["tokens_estimated"].as_u64().unwrap();
    assert!(tokens(&whole) > 500 && tokens(&small) <= 500, "{} {}", tokens(&whole), tokens(&small));
    assert_eq!(run(&[talk(1)], &["handoff", "@1", "--budget", "0"]).exit, Exit::Usage);
}

#[test]
fn a_brief_that_is_too_long_for_a_link_is_refused() {
    let mut talk = conversation("aaaa-1", "Deploy", 1);
    for number in 0..9 {
        let said = vec![Part::Text(format!("{number} {}", "deploy the lamp ".repeat(90)))];
        talk.messages
            .push(Message { parts: said, ..Message::new(number.to_string(), Role::User, origin("m")) });
    }
    let ran = run(&[holding(vec![talk])], &["handoff", "@1", "--budget", "100k", "--open"]);
    assert_eq!((ran.exit, ran.out.as_str()), (Exit::Refused, ""));
    assert!(ran.err.contains("--budget"), "{}", ran.err);
}
