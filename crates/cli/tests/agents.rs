//! The program as an agent starts it: what it prints goes to a model.

use std::path::Path;
use std::process::Command;

use backscroll_fixtures::{Composer, CursorHome, Speaks as _, StateDatabase};

const KEY: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

/// What the program prints for `arguments`, with this variable set.
fn printed(home: &Path, variable: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
    command.env_clear().env("HOME", home).env("COLUMNS", "200").args(arguments);
    if !variable.is_empty() {
        command.env(variable, "1");
    }
    let output = command.output().expect("the program runs");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn an_agent_reads_no_secret_and_finds_no_piece_of_one() {
    let composer = Composer::new("c1")
        .titled(&format!("Upload with {KEY}"))
        .user(&format!("The upload works with the token {KEY} now."))
        .assistant("Good.");
    let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&composer)).write().unwrap();
    let commands: [&[&str]; 8] = [
        &["list"],
        &["list", "--json"],
        &["search", "upload"],
        &["search", "--json", "upload"],
        &["show", "c1"],
        &["show", "c1", "--json"],
        &["show", "c1", "--origins", "--raw"],
        &["export", "--format", "jsonl"],
    ];
    for arguments in commands {
        let stored = printed(home.root(), "", arguments);
        assert!(stored.contains(KEY), "{arguments:?}: {stored}");
        for variable in ["CURSOR_AGENT", "CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "AI_AGENT"] {
            let read = printed(home.root(), variable, arguments);
            assert!(
                read.to_lowercase().contains("upload") && !read.contains(&KEY[4..]),
                "{arguments:?}: {read}"
            );
        }
        let wanted = printed(home.root(), "CURSOR_AGENT", &[arguments, &["--no-redact"]].concat());
        assert!(wanted.contains(KEY), "{arguments:?}: {wanted}");
    }
    assert!(printed(home.root(), "", &["search", "16C7e42*"]).contains("Upload"));
    assert_eq!(printed(home.root(), "CURSOR_AGENT", &["search", "16C7e42*"]), "");
    assert_eq!(printed(home.root(), "CURSOR_AGENT", &["search", "--exact", "16C7e42"]), "");
}

#[test]
fn an_index_of_other_rules_does_not_stay() {
    let composer = Composer::new("c1").user("Where is the tide table?").assistant("Here.");
    let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&composer)).write().unwrap();
    let indexes = || {
        let all = std::fs::read_dir(home.root().join(".cache/backscroll/index")).unwrap();
        let names = all.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.contains("redacted")).collect();
        names.sort();
        names
    };
    assert!(!printed(home.root(), "CURSOR_AGENT", &["search", "tide"]).is_empty());
    let before = indexes();
    assert!(!printed(home.root(), "CURSOR_AGENT", &["search", "tide", "--redact-emails"]).is_empty());
    let after = indexes();
    assert!(before.len() == 1 && after.len() == 1 && before != after, "{before:?} {after:?}");
}
