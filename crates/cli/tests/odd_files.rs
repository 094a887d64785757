//! Whatever lies where Cursor keeps a file (a pipe, a socket, a device, a folder), every command ends, and says what it is.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::surfaces::home;

const KINDS: [&str; 4] = ["pipe", "folder", "device", "socket"];

fn put(kind: &str, place: &Path) {
    if place.exists() {
        fs::remove_file(place).unwrap();
    }
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    match kind {
        "pipe" => assert!(Command::new("mkfifo").arg(place).status().unwrap().success()),
        "folder" => fs::create_dir(place).unwrap(),
        "device" => symlink("/dev/zero", place).unwrap(),
        _ => {
            // The path of a socket has a limit, so it is made elsewhere and moved.
            let short = tempfile::tempdir().unwrap();
            drop(UnixListener::bind(short.path().join("s")).unwrap());
            fs::rename(short.path().join("s"), place).unwrap();
        }
    }
}

/// Ends by itself, with a code that is no crash; gives what was printed.
fn asked(home: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
    command.env_clear().env("HOME", home).stdin(Stdio::null()).arg("--home").arg(home).args(arguments);
    let ran = command.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(matches!(ran.status.code(), Some(0 | 1 | 3)), "{arguments:?}: {:?} {said}", ran.status);
    String::from_utf8(ran.stdout).unwrap()
}

/// Whether a line of JSON has a finding at this file, or says that it cannot be read.
fn names(line: &str, file: &str) -> bool {
    let value: Value = serde_json::from_str(line).unwrap();
    let is_unreadable = value["file"].as_str().is_some_and(|own| own.ends_with(file))
        && value["health"].as_str().is_some_and(|health| health != "ok");
    let named = |finding: &Value| {
        let at = finding["at"]["file"].as_str().unwrap_or_default();
        let at = format!("{at} {}", finding["at"]["key"].as_str().unwrap_or_default());
        at.contains(file)
    };
    is_unreadable || value["findings"].as_array().is_some_and(|findings| findings.iter().any(named))
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_below(&path, found) } else { found.push(path) }
    }
}

#[test]
fn what_is_no_file_is_reported_at_once() {
    let template = home();
    let mut files = Vec::new();
    files_below(template.root(), &mut files);
    let mut relative: Vec<PathBuf> =
        files.iter().map(|file| file.strip_prefix(template.root()).unwrap().to_owned()).collect();
    let database = relative.iter().find(|file| file.ends_with("globalStorage/state.vscdb")).unwrap().clone();
    for ending in ["-wal", "-shm", "-journal"] {
        let mut name = database.clone().into_os_string();
        name.push(ending);
        relative.push(name.into());
    }
    relative.sort();
    relative.dedup();
    for (number, file) in relative.iter().enumerate() {
        // Each file gets one of the kinds; each kind of store has several files.
        for kind in [KINDS[number % KINDS.len()], "pipe"] {
            let home = home();
            put(kind, &home.root().join(file));
            asked(home.root(), &["list", "--all"]);
            asked(home.root(), &["search", "rename"]);
            let exported = asked(home.root(), &["export", "--all", "--format", "jsonl"]);
            let sources = asked(home.root(), &["sources", "--json"]);
            let name = file.file_name().unwrap().to_str().unwrap();
            let is_named = exported.lines().chain(sources.lines()).any(|line| names(line, name));
            assert!(is_named, "nothing says that {} is a {kind}\n{sources}", file.display());
        }
    }
}

/// What is no file, is too large, or is something else than its name says is reported, also where no other file tells that it is missing.
#[test]
fn odd_files_that_were_never_read_are_reported() {
    let global = ".config/Cursor/User/globalStorage";
    let not_files = [
        ".cursor/prompt_history.json",
        ".config/Cursor/User/globalStorage/state.vscdb.backup",
        ".cursor/ai-tracking/ai-code-tracking.db-wal",
    ];
    let workspace_backup = {
        let mut files = Vec::new();
        let home = home();
        files_below(home.root(), &mut files);
        let inside = files.iter().find(|file| {
            file.ends_with("state.vscdb") && file.to_string_lossy().contains("workspaceStorage")
        });
        let relative =
            inside.unwrap().strip_prefix(home.root()).unwrap().with_file_name("state.vscdb.backup");
        relative.to_str().unwrap().to_owned()
    };
    let mut cases = Vec::new();
    for file in not_files.into_iter().chain([workspace_backup.as_str()]) {
        cases.extend(KINDS.into_iter().chain(["loop"]).map(|kind| (file.to_owned(), kind)));
    }
    for (name, kind) in [("state.vscdb-shm", "sparse"), ("state.vscdb-journal", "words")] {
        cases.push((format!("{global}/{name}"), kind));
    }
    cases.push((".cursor/plans/long_1a2b3c4d.plan.md".to_owned(), "sparse"));
    for (file, kind) in cases {
        let home = home();
        let place = home.root().join(&file);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        match kind {
            "loop" => {
                let _ = fs::remove_file(&place);
                symlink(&place, &place).unwrap();
            }
            "sparse" => fs::File::create(&place).unwrap().set_len(10 << 30).unwrap(),
            "words" => fs::write(&place, "no journal").unwrap(),
            kind => put(kind, &place),
        }
        let sources = asked(home.root(), &["sources", "--json"]);
        let name = place.file_name().unwrap().to_str().unwrap();
        let is_named = sources.lines().any(|line| names(line, name));
        assert!(is_named, "nothing says that {file} is {kind}\n{sources}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
        command.env_clear().env("HOME", home.root()).stdin(Stdio::null()).arg("--home").arg(home.root());
        let strict = command.args(["list", "--all", "--strict"]).output().unwrap();
        assert_eq!(strict.status.code(), Some(5), "{file} is {kind}");
    }
}

/// Every command that reads conversations reports what lies in place of a folder.
#[test]
fn what_is_no_folder_is_told_by_every_command() {
    let user = ".config/Cursor/User";
    let places = [
        (".cursor".to_owned(), "pipe"),
        (".cursor/chats".to_owned(), "socket"),
        (".cursor/projects".to_owned(), "nowhere"),
        (".cursor/plans".to_owned(), "device"),
        (".cursor/projects/home-dev-app/sdk-agent-store".to_owned(), "file"),
        (user.to_owned(), "file"),
        (format!("{user}/globalStorage"), "nowhere"),
        (format!("{user}/workspaceStorage"), "pipe"),
        (format!("{user}/globalStorage/state.vscdb"), "nowhere"),
    ];
    let commands: [&[&str]; 4] = [
        &["list", "--all"],
        &["export", "--all", "--format", "jsonl"],
        &["search", "rename"],
        &["sources", "--json"],
    ];
    for (place, kind) in places {
        let home = home();
        let path = home.root().join(&place);
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap();
        }
        match kind {
            "nowhere" => {
                let _ = fs::remove_file(&path);
                symlink("/nowhere/at/all", &path).unwrap();
            }
            "file" => fs::write(&path, "no folder").unwrap(),
            kind => put(kind, &path),
        }
        for arguments in commands {
            let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
            command.env_clear().env("HOME", home.root()).stdin(Stdio::null()).arg("--home").arg(home.root());
            let ran = command.args(arguments).arg("--strict").output().unwrap();
            let said =
                String::from_utf8(if arguments[0] == "sources" { ran.stdout } else { ran.stderr }).unwrap();
            assert!(matches!(ran.status.code(), Some(3 | 5)), "{place} is a {kind}, {arguments:?}: {said}");
            assert!(said.contains(place.as_str()), "{place} is a {kind}, {arguments:?}: {said}");
        }
    }
}

/// The folder of the index that is below `cache`.
fn index_folder(cache: &Path) -> PathBuf {
    let mut folders = fs::read_dir(cache).unwrap();
    folders.next().unwrap().unwrap().path()
}

#[test]
fn what_is_no_file_in_the_index_is_removed_and_the_index_made_anew() {
    let home = home();
    let cache = tempfile::tempdir().unwrap();
    let ask = |words: &[&str]| {
        let arguments = [words, &["--index", cache.path().to_str().unwrap()]].concat();
        asked(home.root(), &arguments)
    };
    let expected = ask(&["search", "rename", "--json"]);
    for name in ["current", "current.new", "lock", "index-1.db", "index-1.db-wal", "index-2.db"] {
        for kind in KINDS.into_iter().chain(["loop", "sparse"]) {
            fs::remove_dir_all(index_folder(cache.path())).unwrap();
            ask(&["index", "refresh"]);
            let place = index_folder(cache.path()).join(name);
            match kind {
                "loop" => {
                    let _ = fs::remove_file(&place);
                    symlink(&place, &place).unwrap();
                }
                "sparse" => fs::File::create(&place).unwrap().set_len(1 << 30).unwrap(),
                kind => put(kind, &place),
            }
            assert_eq!(ask(&["search", "rename", "--json"]), expected, "{name} is a {kind}");
            ask(&["index", "refresh"]);
            let current = index_folder(cache.path()).join("current");
            let named = fs::read_to_string(current);
            assert!(named.is_ok_and(|named| named.len() < 200), "{name} is a {kind}: it is made anew");
        }
    }
}

#[test]
fn what_is_no_file_among_our_own_and_in_settings_is_refused_at_once() {
    for kind in KINDS {
        let home = home();
        let root = home.root();
        put(kind, &root.join(".config/backscroll/config.toml"));
        put(kind, &root.join(".cache/backscroll/export-key"));
        put(kind, &root.join(".cursor/hooks.json"));
        put(kind, &root.join("exported/.backscroll-export"));
        let exported = root.join("exported");
        let commands: [&[&str]; 4] = [
            &["hooks", "status"],
            &["export", "--redact", "--format", "jsonl"],
            &["export", "--format", "md", "--update", "-o", exported.to_str().unwrap()],
            &["redact", "--check", "@1"],
        ];
        for arguments in commands {
            let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
            command.env_clear().env("HOME", root).stdin(Stdio::null()).arg("--home").arg(root);
            let ran = command.args(arguments).output().unwrap();
            let said = String::from_utf8_lossy(&ran.stderr);
            assert!(
                matches!(ran.status.code(), Some(0..=4)),
                "{kind}, {arguments:?}: {:?} {said}",
                ran.status
            );
        }
    }
}
