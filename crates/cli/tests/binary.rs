//! The program itself, as a shell runs it.

use std::process::{Command, Output, Stdio};

fn backscroll(home: &std::path::Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
    command.env_clear().env("HOME", home).stdin(Stdio::null());
    command
}

fn output(arguments: &[&str]) -> Output {
    let home = tempfile::tempdir().expect("a folder");
    backscroll(home.path()).args(arguments).output().expect("the program runs")
}

#[test]
fn codes_are_those_of_the_contract() {
    let table: [(&[&str], i32); 7] = [
        (&["--help"], 0),
        (&["--version"], 0),
        (&["list"], 1),
        (&["show", "@1"], 1),
        (&["export"], 1),
        (&["list", "--nonsense"], 2),
        (&["list", "--store", "/no/such/store"], 3),
    ];
    for (arguments, code) in table {
        assert_eq!(output(arguments).status.code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn data_and_the_rest_go_apart() {
    let help = output(&["list", "--help"]);
    assert!(help.stderr.is_empty() && !help.stdout.is_empty());
    let nothing = output(&["list"]);
    assert!(nothing.stdout.is_empty() && !nothing.stderr.is_empty());
    assert!(!nothing.stderr.contains(&0x1b), "no colour away from a terminal");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let home = tempfile::tempdir().expect("a folder");
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let ended = backscroll(home.path())
        .args(["export", "--format", "json"])
        .stdout(writer)
        .output()
        .expect("the program runs");
    let said = String::from_utf8(ended.stderr).expect("text");
    assert!(!said.contains("error") && !said.contains("panicked"), "{said}");
    assert_eq!(ended.status.code(), Some(0));
}

/// A home with one conversation.
#[cfg(target_os = "linux")]
fn with_a_conversation() -> backscroll_fixtures::WrittenHome {
    use backscroll_fixtures::{Composer, CursorHome, Speaks, StateDatabase};
    let talk =
        Composer::new("00000001-talk").titled("Talk").user("Why?").assistant(&"Because. ".repeat(20_000));
    let database = StateDatabase::new().composer(&talk);
    CursorHome::new().expect("a folder").global(database).write().expect("written")
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_refused() {
    let home = with_a_conversation();
    for format in ["jsonl", "md", "html"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full disk");
        let ended = backscroll(home.root())
            .args(["export", "--format", format])
            .stdout(full)
            .output()
            .expect("the program runs");
        let said = String::from_utf8(ended.stderr).expect("text");
        assert_eq!(ended.status.code(), Some(4), "{said}");
        assert!(said.contains("cannot write the output: No space left"), "{said}");
        assert!(said.contains("hint: make room"), "{said}");
    }
}
