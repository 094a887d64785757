//! What the replay knows of files: each state rebuilt from the splices, as the player does it.

use backscroll_model::{Conversation, Message, Part, Payload, Role, ToolCall, ToolStatus};
use backscroll_render::replay::script::{PlayedFile, Row, Splice, Trouble, play};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::every_part::{holding, origin};

fn call(name: &str, arguments: &Value, result: Option<&Value>, diff: Option<String>) -> Part {
    let payload = |value: &Value| Payload::from_text(value.to_string());
    Part::ToolCall(Box::new(ToolCall {
        name: name.to_owned(),
        arguments: Some(payload(arguments)),
        result: result.map(payload),
        status: ToolStatus::Completed,
        diff,
        ..ToolCall::default()
    }))
}

fn conversation(parts: Vec<Part>) -> Conversation {
    let mut message = Message::new("m", Role::Assistant, origin("m"));
    message.parts = parts;
    holding(vec![message])
}

fn spliced(rows: &[Row], splices: &[Splice]) -> Vec<Row> {
    let (mut done, mut at) = (Vec::new(), 0);
    for splice in splices {
        done.extend_from_slice(&rows[at..splice.at]);
        done.extend_from_slice(&splice.added);
        at = splice.at + splice.removed;
    }
    done.extend_from_slice(&rows[at..]);
    done
}

/// The rows of `file` after each of its changes.
pub(crate) fn states(file: &PlayedFile) -> Vec<Vec<Row>> {
    let mut rows = vec![Row::Gap(None)];
    let mut states = Vec::new();
    for change in &file.changes {
        rows = spliced(&spliced(&rows, &change.told), &change.changed);
        states.push(rows.clone());
    }
    states
}

/// Rows on one line: `?3` is a gap of three lines, `?` one of unknown length, `~` begins a stretch without a place.
pub(crate) fn shown(rows: &[Row]) -> String {
    let row = |row: &Row| match row {
        Row::Line(line) => line.to_string(),
        Row::Gap(lines) => format!("?{}", lines.map(|n| n.to_string()).unwrap_or_default()),
        Row::Elsewhere => "~".to_owned(),
        Row::Cut => "cut".to_owned(),
    };
    rows.iter().map(row).collect::<Vec<_>>().join(" ")
}

fn told(parts: Vec<Part>) -> Vec<(String, Option<Trouble>)> {
    let play = play(&conversation(parts));
    let file = play.files.first().expect("a file was touched");
    let troubles = file.changes.iter().map(|change| change.trouble);
    states(file).iter().map(|rows| shown(rows)).zip(troubles).collect()
}

fn read(contents: &str, first: u64, total: u64) -> Part {
    let result = json!({"contents": contents, "startLineOneIndexed": first, "totalLines": total});
    call("read", &json!({"target_file": "a.rs"}), Some(&result), None)
}

fn edit(diff: &str) -> Part {
    call("edit", &json!({"target_file": "/home/a/app/a.rs"}), None, Some(diff.to_owned()))
}

fn replace(old: &str, new: &str) -> Part {
    let arguments = json!({"file_path": "a.rs", "old_string": old, "new_string": new});
    call("edit", &arguments, None, Some(format!("--- a.rs\n+++ a.rs\n@@ -1 +1 @@\n-{old}\n+{new}\n")))
}

type Case = (&'static str, Vec<Part>, &'static [&'static str]);

fn check(table: Vec<Case>) {
    for (name, parts, expected) in table {
        let states = told(parts);
        assert_eq!(
            states,
            expected.iter().map(|rows| ((*rows).to_owned(), None)).collect::<Vec<_>>(),
            "{name}"
        );
    }
}

#[test]
fn what_is_read_and_written_is_known() {
    check(vec![
        ("a whole read", vec![read("a\nb\n", 1, 2)], &["a b"]),
        ("a stretch", vec![read("c\nd\n", 3, 6)], &["?2 c d ?2"]),
        ("two stretches", vec![read("c\n", 3, 4), read("a\nb\n", 1, 4)], &["?2 c ?1", "a b c ?1"]),
        ("the rest", vec![read("c\n", 3, 3), read("a\nb\n", 1, 3)], &["?2 c", "a b c"]),
        (
            "numbers in the text",
            vec![Part::ToolCall(Box::new(ToolCall {
                name: "read".into(),
                arguments: Some(Payload::from_text(r#"{"path":"a.rs","offset":7}"#.into())),
                result: Some(Payload::Text("     7|x | y\n     8|z".into())),
                ..ToolCall::default()
            }))],
            &["?6 x | y z ?"],
        ),
        (
            "a whole write",
            vec![call("write", &json!({"path": "a.rs", "contents": "x\ny\n"}), None, None)],
            &["x y"],
        ),
    ]);
}

#[test]
fn what_is_changed_is_applied() {
    check(vec![
        (
            "a file that was not there",
            vec![edit("--- /dev/null\n+++ a.rs\n@@ -0,0 +1,2 @@\n+x\n+y\n")],
            &["x y"],
        ),
        (
            "strings inside of lines",
            vec![read("let a = 1;\n", 1, 1), replace("a = 1", "b = 2")],
            &["let a = 1;", "let b = 2;"],
        ),
        (
            "before and after",
            vec![call(
                "edit",
                &json!({"path": "a.rs"}),
                Some(&json!({"success": {"beforeFullFileContent": "a\n", "afterFullFileContent": "b\n"}})),
                Some("@@ -1 +1 @@\n-a\n+b\n".into()),
            )],
            &["b"],
        ),
        (
            "a deleted file",
            vec![read("a\n", 1, 1), call("delete", &json!({"target_file": "a.rs"}), None, None)],
            &["a", ""],
        ),
        (
            "a hunk in what is not known",
            vec![edit("--- a.rs\n+++ a.rs\n@@ -11,2 +11,3 @@\n k\n-l\n+m\n+n\n")],
            &["?10 k m n ?"],
        ),
        (
            "a hunk that is found though its number is wrong",
            vec![read("a\nb\nc\n", 1, 3), edit("--- a.rs\n+++ a.rs\n@@ -1 +1 @@\n-b\n+B\n")],
            &["a b c", "a B c"],
        ),
        (
            "a patch without numbers",
            vec![
                read("a\nb\nc\nd\ne\n", 1, 5),
                edit("--- a.rs\n+++ a.rs\n@@ -1 +1 @@\n-b\n+B\n@@ -2 +2 @@\n-e\n+E\n"),
            ],
            &["a b c d e", "a B c d E"],
        ),
    ]);
}

#[test]
fn contradictions_are_marked_and_nothing_is_guessed() {
    let misfit = edit("--- a.rs\n+++ a.rs\n@@ -2,2 +2,2 @@\n x\n-y\n+z\n");
    let states = told(vec![read("a\nb\nc\n", 1, 3), misfit]);
    assert_eq!(states[1], ("?1 x z ?".to_owned(), Some(Trouble::Contradiction)));
    let states = told(vec![read("a\nb\nc\n", 1, 3), replace("nowhere", "x")]);
    assert_eq!(states[1], ("? ~ x".to_owned(), Some(Trouble::Contradiction)));
    let states = told(vec![read("a\nb\n", 1, 2), read("a\nB\n", 1, 2)]);
    assert_eq!(states[1], ("a B".to_owned(), Some(Trouble::ChangedOutside)));
    let states = told(vec![read("c\n", 3, 9), read("X\nd\n", 3, 9)]);
    assert_eq!(states[1], ("?2 X d ?5".to_owned(), Some(Trouble::ChangedOutside)));
}

#[test]
fn an_edit_without_a_place_loosens_the_numbers_behind_the_first_gap() {
    let states = told(vec![read("a\n", 1, 9), read("f\n", 6, 9), replace("somewhere", "x")]);
    assert_eq!(states[1], ("a ?4 f ?3".to_owned(), None));
    assert_eq!(states[2], ("a ? ~ f ~ x".to_owned(), Some(Trouble::Unplaced)));
    let again = told(vec![replace("x", "y"), replace("y", "z")]);
    assert_eq!(again[1], ("? ~ z".to_owned(), None), "a known stretch goes on being known");
}

#[test]
fn what_was_stopped_changes_nothing() {
    let mut stopped = edit("--- a.rs\n+++ a.rs\n@@ -1 +1 @@\n-a\n+b\n");
    if let Part::ToolCall(call) = &mut stopped {
        call.status = ToolStatus::Error;
    }
    assert_eq!(told(vec![read("a\n", 1, 1), stopped]), [("a".to_owned(), None)]);
}

#[test]
fn a_diff_of_several_files_changes_each() {
    let diff = "--- a/x\n+++ b/x\n@@ -4 +4 @@\n-1\n+2\n--- a/y\n+++ b/y\n@@ -5 +5 @@\n-3\n+4\n";
    let play = play(&conversation(vec![call("edit", &json!({}), None, Some(diff.to_owned()))]));
    let files: Vec<(&str, String)> =
        play.files.iter().map(|file| (file.path.as_str(), shown(&states(file)[0]))).collect();
    assert_eq!(files, [("x", "?3 2 ?".to_owned()), ("y", "?4 4 ?".to_owned())]);
}

#[test]
fn only_what_changed_is_marked_as_changed() {
    let play = play(&conversation(vec![edit("--- a.rs\n+++ a.rs\n@@ -11,3 +11,3 @@\n k\n-l\n+m\n n\n")]));
    let change = &play.files[0].changes[0];
    assert_eq!(change.changed, [Splice { at: 2, removed: 1, added: vec![Row::Line("m".into())] }]);
    assert_eq!(shown(&spliced(&[Row::Gap(None)], &change.told)), "?10 k l n ?");
}

#[test]
fn large_files_are_cut_and_say_so() {
    let states =
        told(vec![call("write", &json!({"path": "a.rs", "contents": "x\n".repeat(30_000)}), None, None)]);
    assert!(states[0].0.ends_with("x cut"));
    assert_eq!(states[0].1, Some(Trouble::Cut));
}

fn file() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[abc]{1,2}", 1..40)
}

fn joined(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |text, line| text + line + "\n")
}

proptest! {
    #[test]
    fn a_diff_of_a_known_file_gives_the_file_after(versions in prop::collection::vec(file(), 2..6), around in 1_usize..5) {
        let count = versions[0].len() as u64;
        let mut parts = vec![read(&joined(&versions[0]), 1, count)];
        for pair in versions.windows(2) {
            let (before, after) = (joined(&pair[0]), joined(&pair[1]));
            let diff = similar::TextDiff::from_lines(&before, &after);
            let diff = diff.unified_diff().context_radius(around).header("a.rs", "a.rs").to_string();
            if !diff.is_empty() {
                parts.push(edit(&diff));
            }
        }
        let states = told(parts);
        let expected = versions.last().expect("two versions").join(" ");
        prop_assert_eq!(states.last(), Some(&(expected, None)));
    }

    #[test]
    fn nothing_that_tools_say_makes_it_fall(
        diffs in prop::collection::vec("(@@ -[0-9]{1,20}(,[0-9]{1,20})? \\+[0-9]{1,9}(,[0-9])? @@\n|--- a\n\\+\\+\\+ b\n|[-+ \\\\]?[ab]{0,2}\n){0,12}", 1..5),
        contents in "[ab\n|0-9é]{0,20}",
        first in any::<u64>(),
        total in any::<u64>(),
        old in "[ab\n]{0,3}",
    ) {
        let mut parts: Vec<Part> = diffs.iter().map(|diff| edit(diff)).collect();
        parts.insert(parts.len() / 2, read(&contents, first % 30_000, total % 30_000));
        parts.push(read(&contents, first, total));
        parts.push(replace(&old, "new\n"));
        parts.push(edit(&diffs[0]));
        let play = play(&conversation(parts));
        for file in &play.files {
            prop_assert_eq!(states(file).len(), file.changes.len());
        }
    }
}
