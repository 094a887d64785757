//! Hooks from outside: Cursor runs the program, and the program changes `hooks.json`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use backscroll_cli::{Environment, Exit, Surroundings};
use backscroll_fixtures::{Composer, CursorHome, Speaks, StateDatabase, hook_payload};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::memory::{Ran, environment, run_in};

fn backscroll(home: &Path, arguments: &[&str], stdin: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
    command.env_clear().env("HOME", home).args(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It need not read to the end.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

fn ledger(data: &Path) -> String {
    let files = fs::read_dir(data.join("hooks")).into_iter().flatten().map(|entry| entry.unwrap().path());
    files.map(|file| fs::read_to_string(file).unwrap()).collect()
}

fn assert_let_go(ended: &Output) {
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert_eq!(ended.stdout, b"{}\n", "{ended:?}");
}

#[test]
fn one_event_is_one_line_where_data_is_kept() {
    let home = TempDir::new().unwrap();
    let payload = hook_payload("stop", "c", "g").to_string();
    let ended = backscroll(home.path(), &["hook"], payload.as_bytes());
    assert_let_go(&ended);
    assert!(ended.stderr.is_empty(), "{ended:?}");
    let kept = ledger(&home.path().join(".local/share/backscroll"));
    let line: Json = serde_json::from_str(&kept).unwrap();
    assert_eq!(line["payload"]["input_tokens"], json!(1200));
    let data = home.path().join("elsewhere");
    let named = ["hook", "--content", "--data", data.to_str().unwrap()];
    assert_let_go(&backscroll(
        home.path(),
        &named,
        hook_payload("beforeSubmitPrompt", "c", "g").to_string().as_bytes(),
    ));
    assert!(ledger(&data).contains("tide table"));
}

/// On Windows one or two marks come before the payload.
#[test]
fn byte_order_marks_before_a_payload_are_no_words_of_it() {
    let home = TempDir::new().unwrap();
    for marks in ["\u{feff}", "\u{feff}\u{feff}"] {
        let payload = format!("{marks}{}", hook_payload("stop", "c", "g"));
        assert_let_go(&backscroll(home.path(), &["hook"], payload.as_bytes()));
    }
    let kept = ledger(&home.path().join(".local/share/backscroll"));
    let lines: Vec<Json> = kept.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|line| line["payload"]["input_tokens"] == 1200), "{kept}");
}

/// Everything below `folder`: the bytes of each file, nothing of a folder.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let places = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let each = places.flat_map(|place| {
        let below = if place.is_dir() { contents(&place) } else { BTreeMap::new() };
        let bytes = place.is_file().then(|| fs::read(&place).unwrap());
        below.into_iter().chain([(place, bytes)])
    });
    each.collect()
}

/// The folder is byte for byte what it was.
#[test]
fn uninstalling_leaves_what_there_was() {
    let odd = "\u{feff}{ \"version\": 1 ,\r\n\"hooks\":{\"stop\":[ ]} }";
    for before in [Some(FOREIGN), Some(odd), Some(""), Some("{\"version\": 1, \"hooks\": {}}"), None] {
        for has_folder in [true, false] {
            let home = TempDir::new().unwrap();
            let here = here(home.path());
            let folder = home.path().join(".cursor");
            if has_folder || before.is_some() {
                fs::create_dir(&folder).unwrap();
            }
            if let Some(before) = before {
                fs::write(folder.join("hooks.json"), before).unwrap();
            }
            let was = contents(home.path());
            for install in [&["install", "--yes"][..], &["install", "--yes", "--content"]] {
                assert_eq!(hooks(&here, install).exit, Exit::Done, "{before:?}");
            }
            assert_eq!(hooks(&here, &["uninstall", "--yes"]).exit, Exit::Done, "{before:?}");
            fs::remove_dir(home.path().join("data")).unwrap();
            assert_eq!(contents(home.path()), was, "{before:?} {has_folder}");
        }
    }
}

/// What somebody wrote into the file meanwhile stays.
#[test]
fn what_was_changed_since_stays() {
    let home = TempDir::new().unwrap();
    let here = here(home.path());
    let file = home.path().join(".cursor/hooks.json");
    assert_eq!(hooks(&here, &["install", "--yes"]).exit, Exit::Done);
    let changed = fs::read_to_string(&file).unwrap().replacen('{', "{\n  \"mine\": true,", 1);
    fs::write(&file, changed).unwrap();
    assert_eq!(hooks(&here, &["uninstall", "--yes"]).exit, Exit::Done);
    let left: Json = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!((&left["mine"], left["hooks"].get("stop")), (&json!(true), None));
}

#[test]
fn a_folder_of_data_that_is_named_stands_in_the_command() {
    let home = TempDir::new().unwrap();
    let named = Environment { named_data: Some("/my data".into()), ..here(home.path()) };
    let shown = hooks(&named, &["install", "--dry-run"]);
    assert!(shown.out.contains("hook --data \\\"/my data\\\""), "{}", shown.out);
    let project = hooks(&named, &["install", "--dry-run", "--project"]);
    assert!(!project.out.contains("--data"), "{}", project.out);
}

/// Whatever it is given and wherever it runs, Cursor goes on.
#[test]
fn nothing_stops_cursor() {
    let home = TempDir::new().unwrap();
    let data = home.path().join("data");
    let named = |more: &[&str]| {
        let words = ["--data", data.to_str().unwrap(), "hook"];
        words.iter().chain(more).map(ToString::to_string).collect::<Vec<_>>()
    };
    let huge = vec![b'x'; 20 << 20];
    let deep = "[".repeat(1 << 20);
    let table: [(&[&str], &[u8]); 9] = [
        (&[], b""),
        (&[], b"not json"),
        (&[], b"[]"),
        (&[], b"\xff\xfe{}"),
        (&[], b"{\"conversation_id\":\"\\u0000\\ud800\"}"),
        (&[], deep.as_bytes()),
        (&[], &huge),
        (&["--no-such-option"], b"{}"),
        (&["too", "many", "words"], b"{}"),
    ];
    for (more, stdin) in table {
        let words = named(more);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_let_go(&backscroll(home.path(), &words, stdin));
    }
    let kept = ledger(&data);
    assert_eq!(kept.lines().count(), 7, "what is called in a wrong way keeps nothing: {kept}");
    assert_eq!(kept.matches("\"lost\"").count(), 6, "{kept}");
    // No home, no folder, no room.
    let nowhere =
        Command::new(env!("CARGO_BIN_EXE_backscroll")).env_clear().arg("hook").stdin(Stdio::null()).output();
    assert_let_go(&nowhere.unwrap());
    let blocked = home.path().join("blocked");
    fs::write(&blocked, "a file").unwrap();
    let ended = backscroll(home.path(), &["hook", "--data", blocked.to_str().unwrap()], b"{}");
    assert_let_go(&ended);
    assert!(String::from_utf8_lossy(&ended.stderr).contains("was not kept"), "{ended:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_and_a_closed_folder_do_not_stop_cursor_either() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let home = TempDir::new().unwrap();
    let folder = home.path().join("full/hooks");
    fs::create_dir_all(&folder).unwrap();
    for month in 1..=12 {
        for year in 2026..2040 {
            symlink("/dev/full", folder.join(format!("{year}-{month:02}.jsonl"))).unwrap();
        }
    }
    let payload = hook_payload("stop", "c", "g").to_string();
    let full = home.path().join("full");
    let ended = backscroll(home.path(), &["hook", "--data", full.to_str().unwrap()], payload.as_bytes());
    assert_let_go(&ended);
    assert!(String::from_utf8_lossy(&ended.stderr).contains("not kept"), "{ended:?}");
    let closed = home.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o500)).unwrap();
    assert_let_go(&backscroll(
        home.path(),
        &["hook", "--data", closed.to_str().unwrap()],
        payload.as_bytes(),
    ));
    // Who may do anything writes there all the same.
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn many_at_once_keep_a_line_each() {
    let home = TempDir::new().unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let home = home.path();
            scope.spawn(move || {
                for turn in 0..5 {
                    let payload = hook_payload("stop", "c", &format!("g{number}-{turn}")).to_string();
                    assert_let_go(&backscroll(home, &["hook"], payload.as_bytes()));
                }
            });
        }
    });
    let kept = ledger(&home.path().join(".local/share/backscroll"));
    assert_eq!(kept.lines().filter(|line| serde_json::from_str::<Json>(line).is_ok()).count(), 40);
}

#[test]
fn measured_tokens_are_shown_with_the_conversation() {
    let composer = Composer::new("c0000000-1111").titled("Tides").user("write it").assistant("written");
    let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&composer)).write().unwrap();
    let payload = hook_payload("stop", "c0000000-1111", &composer.request_id(0)).to_string();
    assert_let_go(&backscroll(home.root(), &["hook"], payload.as_bytes()));
    let show = |more: &[&str]| {
        let words: Vec<&str> = ["show", "c0000000-1111", "--json"].iter().chain(more).copied().collect();
        let ended = backscroll(home.root(), &words, b"");
        serde_json::from_slice::<Json>(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"))
    };
    let expected = json!({"input": 1200, "output": 340, "cache_read": 9000, "cache_write": 64});
    let shown = show(&[]);
    assert_eq!(shown["tokens"], expected);
    assert_eq!(shown["messages"][1]["tokens"], expected);
    assert!(shown["origins"].as_array().unwrap().iter().any(|origin| origin["layer"] == "hooks"), "{shown}");
    let elsewhere = show(&["--home", home.root().to_str().unwrap()]);
    assert_eq!(elsewhere["tokens"], json!(null), "the user's own ledger is not another home's");
    let data = home.root().join(".local/share/backscroll");
    let named = show(&["--home", home.root().to_str().unwrap(), "--data", data.to_str().unwrap()]);
    assert_eq!(named["tokens"], expected);
    let sources = backscroll(home.root(), &["sources", "--json"], b"");
    assert!(String::from_utf8_lossy(&sources.stdout).contains("\"hooks\""), "{sources:?}");
}

/// Surroundings with a home and a project in it.
fn here(home: &Path) -> Environment {
    let project = home.join("app");
    fs::create_dir_all(&project).unwrap();
    Environment {
        surroundings: Surroundings { home: Some(home.to_owned()), ..environment().surroundings },
        data: Some(home.join("data")),
        current_folder: project,
        ..environment()
    }
}

fn hooks(environment: &Environment, arguments: &[&str]) -> Ran {
    let words: Vec<&str> = ["hooks"].iter().chain(arguments).copied().collect();
    run_in(environment, &[], &words)
}

const FOREIGN: &str = "{\n\t\"version\": 1,\n\t\"hooks\": {\n\t\t\"stop\": [{ \"command\": \"./audit.sh\" }]\n\t},\n\t\"mine\": true\n}\n";

#[test]
fn entries_come_and_go_and_what_is_not_ours_stays() {
    let home = TempDir::new().unwrap();
    let here = here(home.path());
    let file = home.path().join(".cursor/hooks.json");
    fs::create_dir(home.path().join(".cursor")).unwrap();
    fs::write(&file, FOREIGN).unwrap();
    let shown = hooks(&here, &["install", "--dry-run"]);
    assert_eq!(shown.exit, Exit::Done);
    assert!(shown.out.contains('+') && shown.out.contains("/usr/bin/backscroll hook"), "{}", shown.out);
    assert_eq!(fs::read_to_string(&file).unwrap(), FOREIGN, "nothing was changed");
    let asked = hooks(&here, &["install"]);
    assert_eq!(asked.exit, Exit::Refused, "it is not confirmed");
    assert!(asked.out == shown.out && asked.err.contains("--yes"), "{asked:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), FOREIGN);

    assert_eq!(hooks(&here, &["install", "--yes"]).exit, Exit::Done);
    let written = fs::read_to_string(&file).unwrap();
    let read: Json = serde_json::from_str(&written).unwrap();
    assert_eq!(read["mine"], json!(true));
    assert_eq!(read["hooks"]["stop"][0], json!({"command": "./audit.sh"}));
    for event in ["stop", "afterAgentResponse", "beforeSubmitPrompt", "subagentStart", "subagentStop"] {
        let entries = read["hooks"][event].as_array().unwrap();
        assert_eq!(entries.last().unwrap()["command"], json!("/usr/bin/backscroll hook"), "{event}");
    }
    let again = hooks(&here, &["install", "--yes"]);
    assert_eq!((again.exit, again.out.as_str()), (Exit::Done, ""));
    assert_eq!(fs::read_to_string(&file).unwrap(), written);
    let status = hooks(&here, &["status", "--json"]);
    let line: Json = serde_json::from_str(status.out.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&line["installed"], &line["content"], &line["foreign"]),
        (&json!(true), &json!(false), &json!(1))
    );

    assert_eq!(hooks(&here, &["install", "--yes", "--content"]).exit, Exit::Done);
    assert!(hooks(&here, &["status"]).out.contains("backscroll hook --content"));
    let planned = hooks(&here, &["uninstall", "--dry-run", "--json"]);
    let plan: Json = serde_json::from_str(&planned.out).unwrap();
    assert_eq!(
        (&plan["schema"], &plan["steps"][0]["action"]),
        (&json!("backscroll.plan/1"), &json!("replace"))
    );
    assert_eq!(hooks(&here, &["uninstall", "--yes"]).exit, Exit::Done);
    let left: Json = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(left, serde_json::from_str::<Json>(FOREIGN).unwrap());
    assert!(hooks(&here, &["status"]).out.contains("not installed"));
    assert_eq!(hooks(&here, &["uninstall", "--yes"]).exit, Exit::Done, "again does nothing");
}

#[test]
fn a_project_has_a_file_of_its_own_that_names_no_place() {
    let home = TempDir::new().unwrap();
    let here = here(home.path());
    let done = hooks(&here, &["install", "--project", "--yes", "--json"]);
    let lines: Vec<Json> = done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        lines.iter().map(|line| &line["schema"]).collect::<Vec<_>>(),
        ["backscroll.plan/1", "backscroll.change/1"]
    );
    let file = here.current_folder.join(".cursor/hooks.json");
    let written = fs::read_to_string(&file).unwrap();
    assert!(written.contains("\"backscroll hook\""), "{written}");
    assert!(!home.path().join(".cursor/hooks.json").exists());
    assert_eq!(hooks(&here, &["status", "--json"]).out.lines().count(), 3, "two files and the ledger");
}

#[test]
fn what_cannot_be_changed_is_left_alone() {
    let home = TempDir::new().unwrap();
    let here = here(home.path());
    let file = home.path().join(".cursor/hooks.json");
    fs::create_dir(home.path().join(".cursor")).unwrap();
    for (text, says) in
        [("{ broken", "not JSON"), ("{\"version\":2}", "version 2"), ("{\"hooks\":[]}", "not an object")]
    {
        fs::write(&file, text).unwrap();
        let refused = hooks(&here, &["install", "--yes"]);
        assert_eq!(refused.exit, Exit::Refused, "{text}");
        assert!(refused.err.contains(says) && refused.err.contains("hooks.json"), "{}", refused.err);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    let homeless =
        Environment { surroundings: Surroundings { home: None, ..here.surroundings.clone() }, ..here };
    assert_eq!(hooks(&homeless, &["install", "--yes"]).exit, Exit::Refused);
}

#[cfg(unix)]
#[test]
fn a_link_and_its_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let home = TempDir::new().unwrap();
    let here = here(home.path());
    let real = home.path().join("dotfiles.json");
    fs::write(&real, FOREIGN).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir(home.path().join(".cursor")).unwrap();
    let link = home.path().join(".cursor/hooks.json");
    symlink(&real, &link).unwrap();
    assert_eq!(hooks(&here, &["install", "--yes"]).exit, Exit::Done);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("backscroll hook"));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}

/// Readers of JSON differ in which of two equal keys they take, so none is changed.
#[test]
fn of_two_keys_none_is_changed() {
    let home = TempDir::new().unwrap();
    let place = home.path().join(".cursor/hooks.json");
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    for text in ["{\"hooks\":{},\"hooks\":{}}", "{\"version\":1,\"hooks\":{\"stop\":[],\"stop\":[]}}"] {
        fs::write(&place, text).unwrap();
        for change in
            [&["hooks", "install", "--yes"][..], &["hooks", "uninstall", "--yes"], &["hooks", "status"]]
        {
            let refused = backscroll(home.path(), change, b"");
            let says = String::from_utf8_lossy(&refused.stderr);
            assert_eq!(refused.status.code(), Some(4), "{says}");
            assert!(says.contains("hooks.json") && says.contains("` is there twice"), "{says}");
            assert_eq!(fs::read_to_string(&place).unwrap(), text);
        }
    }
    let settings = home.path().join(".cursor/mcp.json");
    fs::write(&settings, "{\"mcpServers\":{},\"mcpServers\":{}}").unwrap();
    let refused = backscroll(home.path(), &["mcp", "config", "cursor", "--write"], b"");
    let says = String::from_utf8_lossy(&refused.stderr);
    assert!(says.contains("mcp.json") && says.contains("`mcpServers` is there twice"), "{says}");
    assert_eq!(fs::read_to_string(&settings).unwrap(), "{\"mcpServers\":{},\"mcpServers\":{}}");
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_left_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = TempDir::new().unwrap();
    let place = home.path().join(".cursor/hooks.json");
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(&place, "{\"version\":1,\"hooks\":{}}").unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o444)).unwrap();
    // To look is allowed.
    assert_eq!(backscroll(home.path(), &["hooks", "install", "--dry-run"], b"").status.code(), Some(0));
    let refused = backscroll(home.path(), &["hooks", "install", "--yes"], b"");
    let says = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(4), "{says}");
    assert!(says.contains(&format!("{} is read-only", place.display())), "{says}");
    assert_eq!(fs::read_to_string(&place).unwrap(), "{\"version\":1,\"hooks\":{}}");
    assert_eq!(fs::metadata(&place).unwrap().permissions().mode() & 0o777, 0o444);
    assert_eq!(fs::read_dir(place.parent().unwrap()).unwrap().count(), 1, "and nothing is left beside it");
}

/// A project may be another person's, and the target of a link is none of its files.
#[cfg(unix)]
#[test]
fn a_project_leads_to_no_file_elsewhere() {
    let (home, project) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (folder, settings) = (project.path().join(".cursor"), home.path().join("settings.json"));
    fs::write(&settings, "{\"theme\": 1}").unwrap();
    fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink(&settings, folder.join("hooks.json")).unwrap();
    let mut here = here(home.path());
    here.current_folder = project.path().to_owned();
    for _ in 0..2 {
        let refused = hooks(&here, &["install", "--project", "--yes"]);
        assert_eq!(refused.exit, Exit::Refused, "{}", refused.err);
        assert!(refused.err.contains(" is a link"), "{}", refused.err);
        assert_eq!(fs::read_to_string(&settings).unwrap(), "{\"theme\": 1}");
        // The folder may be one, too.
        fs::remove_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(home.path(), &folder).unwrap();
    }
    assert_eq!(hooks(&here, &["status"]).exit, Exit::Done);
}
