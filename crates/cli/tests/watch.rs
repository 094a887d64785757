//! `backscroll watch`: an exported folder that is kept up to date, and the service that does so.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use backscroll_fixtures::{CliChat, Composer, CursorHome, Speaks, StateDatabase, create_database};
use serde_json::Value;
use tempfile::TempDir;

struct Watching(Child);

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The documents of a folder: what each says.
fn documents(folder: &Path) -> Vec<String> {
    let mut open = vec![folder.to_owned()];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if entry.is_dir() {
                open.push(entry);
            } else if entry.extension().is_some_and(|ending| ending == "md") && !entry.ends_with("README.md")
            {
                found.push(fs::read_to_string(entry).unwrap_or_default());
            }
        }
    }
    found
}

/// Waits until the documents of `folder` are as they should be. If they never are, the test runner stops the test.
fn wait_for(folder: &Path, is_right: impl Fn(&[String]) -> bool) {
    while !is_right(&documents(folder)) {
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn an_exported_folder_follows_the_conversations() {
    let greeting = Composer::new("c1").titled("Greeting").user("hello").assistant("Hi there.");
    let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&greeting)).write().unwrap();
    let out = TempDir::new().unwrap();
    let folder = out.path().join("notes.d");
    let mut child = Command::new(env!("CARGO_BIN_EXE_backscroll"))
        .args(["watch", "--home"])
        .arg(home.root())
        .arg("--index")
        .arg(out.path().join("index"))
        .arg("--export")
        .arg(&folder)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    let _watching = Watching(child);
    assert!(said.any(|line| line.unwrap().contains("watching")));
    std::thread::spawn(move || said.count());
    let has = |documents: &[String], words: &str| documents.iter().any(|document| document.contains(words));
    assert!(has(&documents(&folder), "Hi there."));
    let chat = CliChat::new("/home/dev/app", "5e8695fb-527d-40be-8dad-19fae0f917f9")
        .named("Later")
        .user("are you there?");
    chat.write_below(&home.cursor_dir()).unwrap();
    wait_for(&folder, |documents| documents.len() == 2 && has(documents, "are you there?"));
    create_database(&home.global_database())
        .unwrap()
        .execute_batch(
            "INSERT OR REPLACE INTO cursorDiskKV SELECT key, replace(value, 'Hi there.', 'Hello again.') FROM cursorDiskKV
             WHERE key LIKE 'bubbleId:c1:%'",
        )
        .unwrap();
    wait_for(&folder, |documents| has(documents, "Hello again.") && !has(documents, "Hi there."));
    create_database(&home.global_database())
        .unwrap()
        .execute_batch("DELETE FROM cursorDiskKV WHERE key LIKE '%c1%'")
        .unwrap();
    wait_for(&folder, |documents| documents.len() == 1 && has(documents, "are you there?"));
}

/// A place with a `systemctl` that only notes what it was asked, and says that everything runs.
struct Machine {
    folder: TempDir,
}

impl Machine {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let program = folder.path().join("systemctl");
        let script =
            format!("#!/bin/sh\necho \"$@\" >> {}\necho active\n", folder.path().join("asked").display());
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_backscroll"))
            .env_clear()
            .env("HOME", self.folder.path())
            .env("PATH", format!("{}:/bin:/usr/bin", self.folder.path().display()))
            .current_dir(self.folder.path())
            .arg("watch")
            .args(arguments)
            .output()
            .unwrap()
    }

    fn unit(&self) -> PathBuf {
        self.folder.path().join(".config/systemd/user/backscroll-watch.service")
    }

    fn asked(&self) -> String {
        fs::read_to_string(self.folder.path().join("asked")).unwrap_or_default()
    }
}

#[test]
fn a_service_is_shown_written_asked_for_and_removed() {
    let machine = Machine::new();
    assert_eq!(machine.run(&["status"]).status.code(), Some(1));
    let install = ["install", "--export", "my notes", "--", "--workspace", "."];
    let shown = machine.run(&[&install[..3], &["--dry-run"], &install[3..]].concat());
    assert_eq!(shown.status.code(), Some(0));
    assert!(!machine.unit().exists() && machine.asked().is_empty(), "nothing was done");
    let installed = machine.run(&install);
    assert_eq!(installed.status.code(), Some(0), "{}", String::from_utf8_lossy(&installed.stderr));
    assert_eq!(installed.stdout, shown.stdout, "what was shown is what is written");
    let unit = fs::read_to_string(machine.unit()).unwrap();
    assert!(String::from_utf8(installed.stdout).unwrap().ends_with(&unit));
    let folder = machine.folder.path().join("my notes");
    let expected = format!(" watch --export \"{}\" --format md -- --workspace .\n", folder.display());
    assert!(unit.contains(&expected), "{unit}");
    let asked = "--user daemon-reload\n--user enable backscroll-watch.service\n--user restart backscroll-watch.service\n";
    assert_eq!(machine.asked(), asked);
    let status = machine.run(&["status", "--json"]);
    let status: Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!((&status["installed"], &status["running"]), (&Value::Bool(true), &Value::Bool(true)));
    assert_eq!(machine.run(&["uninstall"]).status.code(), Some(0));
    assert!(!machine.unit().exists());
    assert!(machine.asked().ends_with("--user disable --now backscroll-watch.service\n"));
    assert_eq!(machine.run(&["uninstall"]).status.code(), Some(1));
}

#[test]
fn what_export_would_refuse_is_not_installed() {
    let machine = Machine::new();
    for arguments in [
        &["install", "--export", "notes", "--", "--no-such-option"][..],
        &["install"],
        &["--format", "md"],
        &["install", "--export", "notes", "--format", "pdf"],
    ] {
        assert_eq!(machine.run(arguments).status.code(), Some(2), "{arguments:?}");
    }
    assert!(!machine.unit().exists());
}
