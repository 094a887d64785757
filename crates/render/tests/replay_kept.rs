//! Checkpoints in the replay: they make states exact, and where the steps tell otherwise, that is marked.

use backscroll_model::{
    Checkpoint, Conversation, KeptFiles, KeptState, Message, Part, Payload, Role, Side, ToolCall, ToolStatus,
};
use backscroll_redact::{RedactOptions, Redactor};
use backscroll_render::replay::script::{Change, How, Trouble, play};
use backscroll_render::replay::{End, Hide, hide, narrow, page};
use backscroll_render::{Detail, Options};
use jiff::tz::TimeZone;
use serde_json::json;

use crate::every_part::{holding, origin};
use crate::replay_files::{shown, states};

/// A conversation of edits of one file, each a message of its own: `e1`, `e2`, ….
fn edited(diffs: &[&str]) -> Conversation {
    let edit = |(number, diff): (usize, &&str)| {
        let mut message = Message::new(format!("e{}", number + 1), Role::Assistant, origin("m"));
        message.parts = vec![Part::ToolCall(Box::new(ToolCall {
            name: "edit".to_owned(),
            arguments: Some(Payload::from_text(json!({"target_file": "src/a.rs"}).to_string())),
            status: ToolStatus::Completed,
            diff: Some((*diff).to_owned()),
            ..ToolCall::default()
        }))];
        message
    };
    holding(diffs.iter().enumerate().map(edit).collect())
}

/// The conversation with a checkpoint of the file beside each of these messages; `None` is a file that is not there.
fn keeping(mut conversation: Conversation, kept: &[(&str, Side, Option<&str>)]) -> Conversation {
    let states = kept.iter().map(|(_, _, text)| KeptState {
        path: "/home/a/app/src/a.rs".to_owned(),
        text: text.map(str::to_owned),
    });
    let checkpoints = kept.iter().enumerate().map(|(number, (message, side, _))| Checkpoint {
        message: (*message).into(),
        side: *side,
        states: vec![number],
    });
    conversation.kept_files = KeptFiles { states: states.collect(), checkpoints: checkpoints.collect() };
    conversation
}

/// Each change: its step, what it did, the state behind it, what was wrong, and whether a checkpoint says so.
fn told(conversation: &Conversation) -> Vec<(usize, How, String, Option<Trouble>, bool)> {
    let play = play(conversation);
    assert_eq!(play.files.len(), 1, "the checkpoint's whole path and the step's are one file");
    let file = &play.files[0];
    let told = |(change, rows): (&Change, Vec<_>)| {
        (change.step, change.how, shown(&rows), change.trouble, change.kept)
    };
    file.changes.iter().zip(states(file)).map(told).collect()
}

const SECOND_TO_B: &str = "--- a\n+++ a\n@@ -2 +2 @@\n-b\n+B\n";
const THIRD_TO_C: &str = "--- a\n+++ a\n@@ -3 +3 @@\n-c\n+C\n";

#[test]
fn a_checkpoint_tells_what_no_step_told() {
    let alone = told(&edited(&[SECOND_TO_B]));
    assert_eq!(alone, [(0, How::Edited, "?1 B ?".to_owned(), None, false)]);
    let before = keeping(edited(&[SECOND_TO_B]), &[("e1", Side::Before, Some("a\nb\nc\n"))]);
    assert_eq!(told(&before), [(0, How::Edited, "a B c".to_owned(), None, false)]);
    let after = keeping(edited(&[SECOND_TO_B]), &[("e1", Side::After, Some("a\nB\nc\n"))]);
    assert_eq!(told(&after), [(0, How::Edited, "a B c".to_owned(), None, true)]);
}

#[test]
fn states_between_checkpoints_come_from_the_steps() {
    let conversation = keeping(
        edited(&[SECOND_TO_B, THIRD_TO_C]),
        &[("e1", Side::Before, Some("a\nb\nc")), ("e2", Side::After, Some("a\nB\nC"))],
    );
    let expected =
        [(0, How::Edited, "a B c".to_owned(), None, false), (1, How::Edited, "a B C".to_owned(), None, true)];
    assert_eq!(told(&conversation), expected);
}

#[test]
fn the_change_of_a_step_is_what_lies_between_its_checkpoints() {
    let conversation = keeping(
        edited(&[SECOND_TO_B]),
        &[("e1", Side::Before, Some("a\nb\nc")), ("e1", Side::After, Some("a\nB\nc\nformatted"))],
    );
    assert_eq!(
        told(&conversation),
        [(0, How::Edited, "a B c formatted".to_owned(), Some(Trouble::NotAsKept), true)]
    );
    let play = play(&conversation);
    let added: Vec<String> = play.files[0].changes[0].changed.iter().map(|one| shown(&one.added)).collect();
    assert_eq!(added, ["B", "formatted"]);
}

#[test]
fn what_contradicts_a_checkpoint_is_marked_and_the_checkpoint_is_shown() {
    let conversation = keeping(
        edited(&[SECOND_TO_B, THIRD_TO_C]),
        &[
            ("e1", Side::Before, Some("a\nb\nc")),
            ("e2", Side::Before, Some("a\nB\nc\nby hand")),
            ("e2", Side::After, None),
        ],
    );
    let expected = [
        (0, How::Edited, "a B c".to_owned(), None, false),
        (1, How::Edited, String::new(), Some(Trouble::NotAsKept), true),
    ];
    assert_eq!(told(&conversation), expected);
    // Beside a message that does nothing to the file it stands alone.
    let mut talk = keeping(
        edited(&[SECOND_TO_B]),
        &[("e1", Side::After, Some("a\nB\nc")), ("u", Side::Before, Some("a\nB\nby hand"))],
    );
    let mut words = Message::new("u", Role::User, origin("m"));
    words.parts = vec![Part::Text("I changed it".to_owned())];
    talk.messages.push(words);
    let kept = (1, How::Kept, "a B by hand".to_owned(), Some(Trouble::NotAsKept), true);
    assert_eq!(told(&talk)[1], kept);
}

#[test]
fn an_edit_that_fits_nowhere_is_explained_by_the_checkpoints_around_it() {
    let nowhere = "--- a\n+++ a\n@@ -1 +1 @@\n-not there\n+new\n";
    let alone = keeping(edited(&[nowhere]), &[("e1", Side::Before, Some("a\nb"))]);
    assert_eq!(told(&alone)[0].3, Some(Trouble::Contradiction));
    let both = keeping(
        edited(&[nowhere]),
        &[("e1", Side::Before, Some("a\nb")), ("e1", Side::After, Some("a\nnew"))],
    );
    // The state is exact, but that the step tells otherwise is not hidden.
    assert_eq!(told(&both), [(0, How::Edited, "a new".to_owned(), Some(Trouble::NotAsKept), true)]);
    let play = play(&both);
    let added: Vec<String> = play.files[0].changes[0].changed.iter().map(|one| shown(&one.added)).collect();
    assert_eq!(added, ["new"], "and what it changed is what the checkpoints tell");
}

#[test]
fn a_new_file_has_one_empty_line_or_none() {
    let made = "--- a\n+++ a\n@@ -1 +1,2 @@\n-\n+one\n+two\n";
    let conversation =
        keeping(edited(&[made]), &[("e1", Side::Before, Some("")), ("e1", Side::After, Some("one\ntwo\n"))]);
    assert_eq!(told(&conversation), [(0, How::Edited, "one two".to_owned(), None, true)]);
}

fn written(conversation: Conversation) -> String {
    let mut page_bytes = Vec::new();
    let options = Options::alone(Detail::Normal, TimeZone::UTC);
    page(conversation, &options, None, &mut page_bytes).unwrap();
    String::from_utf8(page_bytes).unwrap()
}

#[test]
fn secrets_and_what_is_hidden_or_left_out_are_in_no_state() {
    let secret = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bD1fH3jL5");
    let text = format!("a\nb\nc\nlet token = \"{secret}\";\nin /home/a/elsewhere\n");
    let whole = || keeping(edited(&[SECOND_TO_B, THIRD_TO_C]), &[("e1", Side::Before, Some(&text))]);
    assert!(written(whole()).contains(&secret) && written(whole()).contains("/home/a/elsewhere"));
    let mut redacted = whole();
    Redactor::new(&RedactOptions::default()).unwrap().conversation(&mut redacted);
    let redacted = written(redacted);
    assert!(!redacted.contains(&secret) && redacted.contains("let token"));
    let hidden = |what: Hide| {
        let mut conversation = whole();
        hide(&mut conversation, &[what]);
        written(conversation)
    };
    let without_paths = hidden(Hide::Paths);
    assert!(!without_paths.contains("/home/a") && without_paths.contains("in ~/elsewhere"));
    for without in [Hide::Tools, Hide::Results] {
        assert!(!hidden(without).contains("let token"));
    }
    let mut narrowed = whole();
    narrow(&mut narrowed, Some(End::Message(2)), None);
    assert_eq!(narrowed.kept_files, KeptFiles::default());
}
