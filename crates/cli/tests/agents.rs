//! The program as an agent starts it: what it prints goes to a model.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use backscroll_fixtures::{Composer, CursorHome, Speaks as _, StateDatabase};

const KEY: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

/// How the program ends for `arguments`, with this variable set.
fn ended(home: &Path, variable: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
    command.env_clear().env("HOME", home).env("COLUMNS", "200").args(arguments);
    if !variable.is_empty() {
        command.env(variable, "1");
    }
    command.output().expect("the program runs")
}

/// What the program prints for `arguments`, with this variable set.
fn printed(home: &Path, variable: &str, arguments: &[&str]) -> String {
    String::from_utf8(ended(home, variable, arguments).stdout).expect("text")
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

/// Commands that redact what they write, and name conversations before that.
#[test]
fn what_an_agent_names_is_asked_of_redacted_texts() {
    let composer =
        |id: &str| Composer::new(id).titled(&format!("Upload {KEY}")).user("Where?").assistant("Here.");
    let global = StateDatabase::new().composer(&composer("c1")).composer(&composer("c2"));
    let home = CursorHome::new().unwrap().global(global).write().unwrap();
    let named = |variable: &str, name: &str| {
        let commands: [&[&str]; 7] = [
            &["export", name],
            &["export", "c1", "--title", name],
            &["export", "--title", name],
            &["handoff", name],
            &["replay", name, "-o", "-"],
            &["redact", "--check", name],
            &["show", name],
        ];
        commands.map(|arguments| ended(home.root(), variable, arguments))
    };
    for (stored, read) in named("", "upload").iter().zip(named("CURSOR_AGENT", "upload")) {
        let text = |ended: &Output| {
            String::from_utf8_lossy(&ended.stdout).into_owned() + &String::from_utf8_lossy(&ended.stderr)
        };
        assert!(text(stored).contains(&KEY[..8]), "{stored:?}");
        assert!(text(&read).contains("Upload") && !text(&read).contains(&KEY[4..]), "{read:?}");
        assert_eq!(read.status.code(), stored.status.code());
    }
    // The beginning of a secret is as unknown as any other word.
    let (begins, other) = (&KEY[..12], "ghp_99999999");
    for (read, unknown) in named("CURSOR_AGENT", begins).iter().zip(named("CURSOR_AGENT", other)) {
        assert_eq!((read.status.code(), &read.stdout), (unknown.status.code(), &unknown.stdout));
    }
}

#[test]
fn an_agent_reads_no_secret_in_the_names_of_stores() {
    let home = tempfile::TempDir::new().unwrap();
    let root = home.path().join(KEY);
    let global = StateDatabase::new().composer(&Composer::new("c1").user("Where?").assistant("Here."));
    let written = CursorHome::at(&root).global(global).write().unwrap();
    let words = |command: &[&'static str]| [command, &["--store"]].concat();
    let place = written.global_database();
    let place = place.to_str().unwrap();
    for command in [
        &["sources"][..],
        &["sources", "--json"],
        &["sources", "--kinds"],
        &["sources", "--drift"],
        &["redact", "--check", "c1"],
    ] {
        let arguments = [words(command), vec![place]].concat();
        let read = ended(home.path(), "CLAUDECODE", &arguments);
        let text = String::from_utf8([read.stdout, read.stderr].concat()).unwrap();
        assert!(!text.contains(&KEY[4..]), "{arguments:?}: {text}");
    }
    let kinds = printed(home.path(), "CLAUDECODE", &["sources", "--kinds", "--store", place]);
    assert!(kinds.contains("bubbleId"), "{kinds}");
    assert!(printed(home.path(), "CLAUDECODE", &["sources", "--no-redact", "--store", place]).contains(KEY));
    // A store that cannot be read.
    fs::write(place, "no database").unwrap();
    for command in [&["sources"][..], &["export"], &["list"], &["redact", "--check", "c1"]] {
        let arguments = [words(command), vec![place]].concat();
        let read = ended(home.path(), "CLAUDECODE", &arguments);
        // What was typed may come back.
        let says = String::from_utf8(read.stderr).unwrap().replace(&format!("looked in: {place}"), "");
        let text = String::from_utf8(read.stdout).unwrap() + &says;
        assert!(text.contains("state.vscdb") && !text.contains(&KEY[4..]), "{arguments:?}: {text}");
    }
}

/// A stored value that only another message gives away.
#[test]
fn an_agent_reads_no_stored_value_that_its_conversation_gives_away() {
    let composer = Composer::new("c1")
        .titled("Upload")
        .user("DB_PASSWORD=vR7kQp2xWm94ZtLb8d")
        .assistant("I typed vR7kQp2xWm94ZtLb8d there.");
    let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&composer)).write().unwrap();
    let arguments = ["show", "c1", "--raw", "--origins"];
    assert!(printed(home.root(), "", &arguments).matches("2xWm94").count() > 1);
    assert!(!printed(home.root(), "GEMINI_CLI", &arguments).contains("2xWm94"));
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
