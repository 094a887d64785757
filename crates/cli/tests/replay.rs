//! `backscroll replay`, from what is typed to what is written.

use std::fs;

use backscroll_cli::Exit;
use backscroll_model::Part;

use crate::memory::{conversation, holding, run, three};

#[test]
fn a_page_is_written_and_never_overwritten_unasked() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("play.html");
    let file = place.to_str().expect("a path");
    let ran = run(&[three()], &["replay", "@1", "-o", file, "--title", "A <b>title</b>"]);
    assert_eq!((ran.exit, ran.out.as_str()), (Exit::Done, ""), "{}", ran.err);
    let page = fs::read_to_string(&place).expect("the page");
    assert!(page.contains("<title>A &lt;b&gt;title&lt;/b&gt;</title>") && page.contains("id=\"play\""));
    let refused = run(&[three()], &["replay", "@1", "-o", file]);
    assert_eq!(refused.exit, Exit::Refused);
    assert!(refused.err.contains("--force"), "{}", refused.err);
    assert_eq!(run(&[three()], &["replay", "@1", "-o", file, "--force"]).exit, Exit::Done);
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1, "nothing is left beside it");
    let piped = run(&[three()], &["replay", "@1", "-o", "-"]);
    assert!(piped.exit == Exit::Done && piped.out.starts_with("<!DOCTYPE html>"), "{}", piped.err);
}

#[test]
fn secrets_and_what_is_hidden_are_nowhere_in_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("play.html");
    let file = place.to_str().expect("a path");
    let mut keys = conversation("id-1", "Keys", 1);
    let key = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bD1fH3jL5");
    let words = format!("my token is {key}");
    keys.messages[0].parts.push(Part::Text(words));
    keys.messages[0].parts.push(Part::Thinking { text: "a secret thought".into(), duration_ms: None });
    let source = || holding(vec![keys.clone()]);
    let page = |words: &[&str]| {
        let ran = run(&[source()], &[&["replay", "@1", "--force", "-o", file], words].concat());
        assert_eq!(ran.exit, Exit::Done, "{}", ran.err);
        fs::read_to_string(&place).expect("the page")
    };
    let usual = page(&[]);
    assert!(!usual.contains(&key) && usual.contains("a secret thought"));
    assert!(page(&["--no-redact"]).contains(&key));
    assert!(!page(&["--hide", "thinking,paths"]).contains("a secret thought"));
}

#[test]
fn what_cannot_be_played_is_said() {
    let nothing = run(&[three()], &["replay", "@1", "--from", "900", "-o", "never.html"]);
    assert_eq!(nothing.exit, Exit::NothingMatched, "{}", nothing.err);
    assert_eq!(run(&[three()], &["replay", "@1", "--from", "soon"]).exit, Exit::Usage);
    assert_eq!(run(&[three()], &["replay", "no-such-conversation"]).exit, Exit::NothingMatched);
}

#[test]
fn notes_that_are_too_large_or_no_file_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes.md");
    fs::write(&notes, "x".repeat((1 << 20) + 1)).unwrap();
    let replay = |notes: &str| run(&[three()], &["replay", "@1", "-o", "-", "--notes", notes]);
    let large = replay(notes.to_str().unwrap());
    assert_eq!(large.exit, Exit::Unreadable, "{}", large.err);
    for told in ["notes.md", "larger than 1048576 bytes", "at most 1 MB"] {
        assert!(large.err.contains(told), "{}", large.err);
    }
    fs::write(&notes, "x".repeat(1 << 20)).unwrap();
    assert_eq!(replay(notes.to_str().unwrap()).exit, Exit::Done);
    assert_eq!(replay(folder.path().to_str().unwrap()).exit, Exit::Done, "these are words");
    if cfg!(unix) {
        let endless = replay("/dev/zero");
        assert!(
            endless.exit == Exit::Unreadable && endless.err.contains("it is a device"),
            "{}",
            endless.err
        );
    }
}
