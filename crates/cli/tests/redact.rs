//! `backscroll redact`: what is listed, what is rewritten, what the configuration adds, and what no export ever holds.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use backscroll_cli::{Environment, Exit, Surroundings};
use backscroll_fixtures::{CliChat, Composer, CursorHome, MemorySource, Speaks, StateDatabase};
use backscroll_model::{Message, Part, Role};
use serde_json::{Value, json};

use crate::memory::{conversation, environment, holding, numbered, origin, run, run_in};

/// A token that stands nowhere in this file.
fn token() -> String {
    format!("gh{}{}", "p_", "a8Kd93kdLs02mXpQ77vbTr41zzKd93kdLs02")
}

fn with_secret() -> MemorySource {
    let mut talk = conversation("aaaa-1", "Deploy", 1);
    let said = vec![Part::Text(format!("first\nuse {} please", token()))];
    talk.messages.push(Message { parts: said, ..Message::new("m", Role::User, origin("m")) });
    holding(vec![talk])
}

#[test]
fn a_conversation_is_checked_without_showing_the_secret() {
    let ran = run(&[with_secret()], &["redact", "--check", "aaaa"]);
    assert_eq!(ran.exit, Exit::SECRETS_FOUND, "{}", ran.err);
    assert!(numbered(&ran.out).contains("line 2: ‹github-token-1›  ghp_… (40 characters)"), "{}", ran.out);
    assert!(ran.err.contains("would be removed: 1 github-token"), "{}", ran.err);
    let told = run(&[with_secret()], &["redact", "--check", "aaaa", "--json"]);
    let value: Value = serde_json::from_str(&told.out).expect("JSON");
    assert_eq!((value["schema"].as_str(), value["line"].as_u64()), (Some("backscroll.secret/1"), Some(2)));
    assert!(!format!("{}{}{}", ran.out, ran.err, told.out).contains(&token()[8..]));
}

#[test]
fn nothing_to_remove_is_code_zero() {
    let source = holding(vec![conversation("aaaa-1", "Plain", 1)]);
    assert_eq!(run(&[source], &["redact", "--check", "aaaa"]).exit, Exit::Done);
}

/// Code, output and errors of `redact` with this on standard input.
fn with_input(arguments: &[&str], input: &[u8]) -> (Option<i32>, String, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_backscroll"));
    command.env_clear().env("HOME", "/nowhere").arg("redact").args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    child.stdin.take().expect("a pipe").write_all(input).expect("written");
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn what_is_not_all_text_is_checked_and_not_rewritten() {
    let input = [b"caf\xe9 ", token().as_bytes(), b" \xff\n"].concat();
    let (code, listed, told) = with_input(&["--check"], &input);
    assert_eq!(code, Some(1), "{told}");
    assert!(numbered(&listed).starts_with("-: line 1: ‹github-token-1›"), "{listed}");
    assert!(told.contains("- is not all text in UTF-8"), "{told}");
    assert_eq!(with_input(&["--check"], b"caf\xe9\n").0, Some(0));
    assert_eq!(with_input(&["-o", "-"], &input).0, Some(3), "what is written again would not be the same");
}

#[test]
fn standard_input_is_checked_and_rewritten() {
    let program = |arguments: &[&str], text: &str| {
        let (code, out, _) = with_input(arguments, text.as_bytes());
        (code, numbered(&out))
    };
    let secret = format!("use {}\n", token());
    let (code, listed) = program(&["--check"], &secret);
    assert!(code == Some(1) && listed.starts_with("-: line 1: ‹github-token-1›"), "{code:?} {listed}");
    assert_eq!(program(&["--check", "-"], "nothing to see\n"), (Some(0), String::new()));
    assert_eq!(program(&["-o", "-"], &secret), (Some(0), "use ‹github-token-1›\n".to_owned()));
}

#[test]
fn a_file_is_checked_and_rewritten() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("log.txt"), format!("a\nb {}\n", token())).expect("written");
    let here = Environment { current_folder: folder.path().to_owned(), ..environment() };
    let checked = run_in(&here, &[], &["redact", "--check", "log.txt"]);
    assert!(numbered(&checked.out).starts_with("log.txt: line 2: ‹github-token-1›"), "{}", checked.out);
    let rewritten = run_in(&here, &[], &["redact", "log.txt", "-o", "-"]);
    assert_eq!((rewritten.exit, numbered(&rewritten.out).as_str()), (Exit::Done, "a\nb ‹github-token-1›\n"));
    let clean = folder.path().join("clean.txt");
    let place = clean.to_str().expect("text");
    assert_eq!(run_in(&here, &[], &["redact", "log.txt", "-o", place]).exit, Exit::Done);
    assert_eq!(numbered(&fs::read_to_string(&clean).expect("text")), "a\nb ‹github-token-1›\n");
    assert_eq!(run_in(&here, &[], &["redact", "log.txt", "-o", place]).exit, Exit::Refused);
    assert_eq!(run_in(&here, &[], &["redact", "log.txt"]).exit, Exit::Usage);
}

#[cfg(unix)]
#[test]
fn what_is_too_large_or_no_file_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = Environment { current_folder: folder.path().to_owned(), ..environment() };
    let large = fs::File::create(folder.path().join("large.log")).expect("a file");
    large.set_len(10 << 30).expect("a sparse file");
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("endless.log")).expect("a link");
    let too_large = ["larger than 134217728 bytes", "split it"];
    for (file, told) in [("large.log", &too_large[..]), ("endless.log", &["it is a device, not a file"])] {
        for arguments in [&["redact", "--check", file][..], &["redact", file, "-o", "clean.log"]] {
            let ran = run_in(&here, &[], arguments);
            assert_eq!(ran.exit, Exit::Unreadable, "{}", ran.err);
            assert!(ran.err.contains(file), "{}", ran.err);
            assert!(told.iter().all(|told| ran.err.contains(told)), "{}", ran.err);
        }
    }
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_backscroll"));
    command.env_clear().env("HOME", "/nowhere").args(["redact", "--check"]);
    let ran = command.stdin(fs::File::open("/dev/zero").expect("a device")).output().expect("it ends");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(3), "{said}");
    assert!(said.contains("standard input: it is larger than 134217728 bytes"), "{said}");
}

#[test]
fn the_configuration_adds_rules_and_its_mistakes_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("backscroll/config.toml");
    fs::create_dir_all(config.parent().expect("a folder")).expect("made");
    fs::write(folder.path().join("a.txt"), "ACME-1234 and mira@firma.de\n").expect("written");
    let here = Environment {
        current_folder: folder.path().to_owned(),
        surroundings: Surroundings {
            xdg_config_home: Some(folder.path().to_owned()),
            appdata: Some(folder.path().to_owned()),
            ..environment().surroundings
        },
        ..environment()
    };
    let rewritten = || run_in(&here, &[], &["redact", "a.txt", "-o", "-"]);
    assert_eq!(rewritten().out, "ACME-1234 and mira@firma.de\n");
    let text = "[redact]\nemails = true\n\n[[redact.rule]]\nname = 'ticket'\npattern = 'ACME-\\d+'\n";
    fs::write(&config, text).expect("written");
    assert_eq!(numbered(&rewritten().out), "‹ticket-1› and ‹email-1›@firma.de\n");
    fs::write(&config, "[redact]\nmails = true\n").expect("written");
    let refused = rewritten();
    assert_eq!(refused.exit, Exit::Usage);
    assert!(refused.err.contains("config.toml, line 2: unknown field `mails`"), "{}", refused.err);
    let missing = run_in(&here, &[], &["redact", "a.txt", "-o", "-", "--config", "none.toml"]);
    assert_eq!(missing.exit, Exit::Usage);
}

/// What Cursor keeps for itself never leaves, redaction or not.
#[test]
fn the_editors_own_secrets_are_in_no_output() {
    const MARK: &str = "0wnS3cretOfTheEditor";
    let talk = Composer::new("c1")
        .titled("Greeting")
        .set("blobEncryptionKey", json!(MARK))
        .set("speculativeSummarizationEncryptionKey", json!(MARK))
        .user("hello")
        .assistant("Hi there.");
    let database = StateDatabase::new()
        .composer(&talk)
        .item("cursorAuth/accessToken", MARK)
        .item("cursorAuth/refreshToken", MARK)
        .item("cursorAuth/cachedEmail", MARK);
    let chat = CliChat::new("/home/a/app", "5e55").user("hello").assistant("Hi.");
    let home = CursorHome::new().expect("a folder").global(database).cli(chat).write().expect("written");
    let place = home.root().to_str().expect("text");
    let program = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_backscroll"));
        let output = command.env_clear().env("HOME", place).args(["--home", place]).args(arguments).output();
        let output = output.expect("the program runs");
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    };
    let listed = program(&["list", "--all", "--json"]);
    assert!(listed.contains("Greeting"), "{listed}");
    let mut outputs = vec![listed, program(&["sources", "--json"])];
    for view in [&["--json"][..], &["--no-pager", "--tools", "full", "--origins", "--findings"]] {
        outputs.push(program(&[&["show", "c1"], view].concat()));
    }
    for id in ["c1", "5e55"] {
        for format in ["jsonl", "json", "md", "html", "txt", "csv"] {
            let out = program(&["export", id, "--format", format, "--no-redact", "-o", "-"]);
            assert!(out.contains("hello"), "{id}, {format}: {out}");
            outputs.push(out);
        }
    }
    assert!(outputs.iter().all(|output| !output.contains(MARK)));
}
