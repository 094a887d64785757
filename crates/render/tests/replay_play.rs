//! The order and the moments of a replay.

use backscroll_model::{Message, Moment, Part, Role, ToolCall};
use backscroll_render::replay::script::{Known, Play, StepKind, play};

use Known::{Exact, Interpolated, Unknown};

use crate::every_part::{conversation, holding, origin, time};

fn said(role: Role, at: Option<&str>, parts: Vec<Part>) -> Message {
    let mut message = Message::new("m", role, origin("m"));
    message.at = Moment::exact_or_unknown(at.map(time));
    message.parts = parts;
    message
}

fn words(text: &str) -> Vec<Part> {
    vec![Part::Text(text.to_owned())]
}

fn shell(started: &str, result: &str) -> Part {
    Part::ToolCall(Box::new(ToolCall {
        name: "shell".into(),
        arguments: Some(backscroll_model::Payload::from_text(r#"{"command":"cargo test"}"#.into())),
        result: Some(backscroll_model::Payload::from_text(result.into())),
        started_at: Some(time(started)),
        ..ToolCall::default()
    }))
}

fn two_turns() -> Play {
    let mut answer = said(Role::Assistant, Some("2026-01-01T10:00:30Z"), words("Done."));
    answer.model = Some("gpt-x".into());
    let messages = vec![
        said(Role::User, Some("2026-01-01T10:00:00Z"), words("# Make it *fast*\nplease")),
        said(Role::Assistant, None, words("I will.")),
        answer,
        said(Role::User, Some("2026-01-01T13:00:30Z"), words("And now?")),
        said(Role::Assistant, None, vec![shell("2026-01-01T13:00:40Z", r#"{"exitCode":1}"#)]),
        said(Role::Assistant, None, vec![Part::Error("Connection lost".into())]),
    ];
    play(&holding(messages))
}

#[test]
fn turns_have_title_model_and_duration() {
    let play = two_turns();
    let first = &play.chapters[0];
    assert_eq!(
        (first.title.as_str(), first.step, first.model.as_deref()),
        ("Make it *fast*", 0, Some("gpt-x"))
    );
    assert_eq!(first.took, Some(30_000));
    let second = &play.chapters[1];
    assert_eq!((second.step, second.commands, second.errors, second.took), (3, 1, 2, Some(10_000)));
}

#[test]
fn times_are_exact_between_or_unknown() {
    let play = two_turns();
    let known: Vec<Known> = play.steps.iter().map(|step| step.is).collect();
    assert_eq!(known, [Exact, Interpolated, Exact, Exact, Exact, Unknown]);
    assert_eq!(play.steps[1].at, Some(time("2026-01-01T10:00:15Z").as_millisecond()));
    assert_eq!(play.steps[5].at, None);
}

#[test]
fn idle_time_is_skipped_and_told() {
    let play = two_turns();
    let idle: Vec<Option<u64>> = play.steps.iter().map(|step| step.idle).collect();
    assert_eq!(idle, [None, None, None, Some(3 * 3_600_000), None, None]);
    let gap = play.steps[3].starts - (play.steps[2].starts + play.steps[2].lasts);
    assert!(gap > 0 && gap < 10_000, "{gap}");
    assert!(play.lasts < 60_000);
}

#[test]
fn steps_follow_each_other() {
    let play = play(&conversation());
    assert!(!play.steps.is_empty());
    for pair in play.steps.windows(2) {
        assert!(pair[0].starts + pair[0].lasts <= pair[1].starts);
    }
    assert!(play.steps.iter().any(|step| step.kind == StepKind::Edit));
}

#[test]
fn steps_say_what_they_are() {
    let play = two_turns();
    let captions: Vec<(StepKind, &str, bool)> =
        play.steps.iter().map(|step| (step.kind, step.caption.as_str(), step.failed)).collect();
    let expected = [
        (StepKind::Prompt, "Make it *fast*", false),
        (StepKind::Text, "I will.", false),
        (StepKind::Text, "Done.", false),
        (StepKind::Prompt, "And now?", false),
        (StepKind::Shell, "$ cargo test", true),
        (StepKind::Error, "Connection lost", true),
    ];
    assert_eq!(captions, expected);
}
