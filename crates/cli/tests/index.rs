//! The search index as the program keeps it: made, followed, killed, written by two at once, asked by `list`.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use backscroll_fixtures::{Composer, CursorHome, Speaks as _, StateDatabase, create_database, demo_home};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::index_dump::dump;

/// A home and a folder for indexes over it.
struct Place {
    home: TempDir,
    index: TempDir,
}

impl Place {
    fn command(&self, words: &[&str]) -> Command {
        self.command_with(self.index.path(), words)
    }

    fn command_with(&self, index: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
        self.prepare(&mut command, index, words);
        command
    }

    fn prepare(&self, command: &mut Command, index: &Path, words: &[&str]) {
        command.env_clear().env("HOME", self.home.path()).stdin(Stdio::null());
        command.args(words).arg("--index").arg(index);
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("the program runs")
    }

    fn start(&self, words: &[&str]) -> Child {
        self.command(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs")
    }

    /// The one folder beneath the folder of indexes.
    fn folder(&self) -> PathBuf {
        only_folder(self.index.path())
    }

    /// Adds a conversation, or writes it again.
    fn write(&self, composer: &Composer) {
        let file = self.home.path().join(".config/Cursor/User/globalStorage/state.vscdb");
        let connection = create_database(&file).expect("a database");
        for (key, value) in composer.rows() {
            let sql = "INSERT OR REPLACE INTO cursorDiskKV (key, value) VALUES (?1, ?2)";
            connection.execute(sql, rusqlite::params![key, value]).expect("a row");
        }
    }

    /// The index says the same as one that is made anew.
    fn assert_as_made_anew(&self) {
        let anew = TempDir::new().expect("a folder");
        let made = self.command_with(anew.path(), &["index", "rebuild"]).output().expect("the program runs");
        assert!(made.status.success(), "{made:?}");
        assert_eq!(dump(&self.folder()), dump(&only_folder(anew.path())));
    }
}

fn only_folder(of: &Path) -> PathBuf {
    let mut entries = std::fs::read_dir(of).expect("a folder").map(|entry| entry.expect("an entry").path());
    let first = entries.next().expect("one folder");
    assert_eq!(entries.next(), None, "and no other");
    first
}

#[cfg(unix)]
fn largest_file(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    entries.map(|entry| entry.metadata().expect("a file").len()).max().expect("a file")
}

fn talk(number: usize, turns: usize) -> Composer {
    let id = format!("{number:08}-0000-4000-8000-000000000000");
    let begun = Composer::new(&id).titled(&format!("Conversation {number}"));
    (0..turns).fold(begun, |talk, turn| {
        let contents = format!("fn turn_{turn}() {{ tideTable.lookUp({number}) }}\n").repeat(20);
        let arguments = json!({"target_file": format!("src/file_{turn}.rs")});
        talk.user(&format!("question {turn}"))
            .tool("read_file", arguments, json!({ "contents": contents }))
            .assistant("It is high at noon.")
    })
}

fn place(conversations: usize) -> Place {
    let home = TempDir::new().expect("a folder");
    let global =
        (0..conversations).fold(StateDatabase::new(), |global, number| global.composer(&talk(number, 6)));
    CursorHome::at(home.path()).global(global).write().expect("a home");
    Place { home, index: TempDir::new().expect("a folder") }
}

fn demo() -> Place {
    let place = Place { home: TempDir::new().expect("a folder"), index: TempDir::new().expect("a folder") };
    demo_home(place.home.path()).expect("a home");
    place
}

fn status(place: &Place) -> Value {
    let told = place.run(&["index", "status", "--json"]);
    serde_json::from_slice(&told.stdout).expect("one JSON object")
}

#[test]
fn the_index_is_made_followed_and_told_of() {
    let place = place(3);
    let none = place.run(&["index", "status"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&none.stdout).contains("there is none yet"));
    assert_eq!(status(&place)["exists"], false);
    let made = place.run(&["index", "refresh"]);
    assert!(String::from_utf8_lossy(&made.stderr).contains("3 conversations indexed"), "{made:?}");
    let told = status(&place);
    assert_eq!(told["schema"], "backscroll.index/1");
    assert_eq!(
        (&told["conversations"], &told["messages"], &told["fresh"]),
        (&json!(3), &json!(54), &json!(true))
    );
    assert!(told["text_bytes"].as_u64() > Some(1_000) && told["disk_bytes"].as_u64() > Some(1_000));
    place.write(&talk(7, 1));
    assert_eq!((&status(&place)["fresh"], &status(&place)["changed"]), (&json!(false), &json!(1)));
    let followed = place.run(&["index", "refresh"]);
    assert!(
        String::from_utf8_lossy(&followed.stderr).contains("1 conversation brought up to date"),
        "{followed:?}"
    );
    assert!(String::from_utf8_lossy(&place.run(&["index", "refresh"]).stderr).contains("up to date"));
    place.write(&talk(7, 1).set("text", json!("typed, and not sent yet")));
    assert!(place.run(&["index", "refresh"]).status.success());
    place.assert_as_made_anew();
}

/// Killed while a first index is written, then while it is followed or made anew: at once, in the midst and near the end.
#[cfg(unix)]
#[test]
fn killed_while_it_writes_it_stays_usable() {
    use crate::killed::{limited, was_killed};
    let place = place(40);
    let other = TempDir::new().expect("a folder");
    assert!(place.command_with(other.path(), &["index", "refresh"]).status().expect("it runs").success());
    let whole = largest_file(&only_folder(other.path())) / 512;
    // How much of a whole index may be written, in sixteenths.
    let rounds: [(&str, Option<u64>); 15] = [
        ("refresh", Some(0)),
        ("refresh", Some(1)),
        ("refresh", Some(8)),
        ("refresh", Some(15)),
        ("refresh", None),
        ("refresh", Some(0)),
        ("refresh", Some(1)),
        ("refresh", Some(2)),
        ("refresh", Some(3)),
        ("rebuild", Some(1)),
        ("rebuild", Some(15)),
        ("refresh", Some(4)),
        ("refresh", None),
        ("rebuild", Some(8)),
        ("refresh", Some(3)),
    ];
    for (round, (word, sixteenths)) in rounds.into_iter().enumerate() {
        let blocks = sixteenths.map(|share| whole * share / 16);
        let mut command = blocks.map_or_else(|| Command::new(env!("CARGO_BIN_EXE_backscroll")), limited);
        place.prepare(&mut command, place.index.path(), &["index", word]);
        let output = command.output().expect("the program runs");
        assert_eq!(was_killed(output.status), blocks.is_some(), "round {round}: {output:?}");
        let told = place.run(&["index", "status", "--json"]);
        assert!(matches!(told.status.code(), Some(0 | 1)), "round {round}: {told:?}");
        place.write(&talk(100 + round, 3));
        place.write(&talk(round, 7));
    }
    let refreshed = place.run(&["index", "refresh"]);
    assert!(refreshed.status.success(), "{refreshed:?}");
    place.assert_as_made_anew();
}

#[test]
fn two_at_once_do_not_disturb_each_other() {
    let place = place(20);
    for round in 0..3 {
        let words: &[&str] = if round == 1 { &["index", "rebuild"] } else { &["index", "refresh"] };
        let mut both = [place.start(words), place.start(words)];
        for child in &mut both {
            assert_eq!(child.wait().expect("it ends").code(), Some(0), "round {round}");
        }
        place.assert_as_made_anew();
        place.write(&talk(200 + round, 3));
    }
}

#[test]
fn other_places_have_other_indexes() {
    let place = place(2);
    place.run(&["index", "refresh"]);
    place.folder();
    let store = place.home.path().join(".config/Cursor/User/globalStorage/state.vscdb");
    let other = place.run(&["index", "refresh", "--store", store.to_str().expect("text")]);
    assert!(other.status.success(), "{other:?}");
    assert_eq!(std::fs::read_dir(place.index.path()).expect("a folder").count(), 2);
}

#[test]
fn a_relative_path_is_the_same_place() {
    let place = demo();
    let ends = |words: &[&str]| {
        let mut command = place.command(words);
        let output = command.current_dir(place.home.path()).output().expect("the program runs");
        String::from_utf8(output.stderr).expect("text")
    };
    let home = place.home.path().to_str().expect("text");
    let first = ends(&["index", "refresh", "--home", home]);
    assert!(first.contains("conversations indexed"), "{first}");
    for same in [".", "./", home] {
        let again = ends(&["index", "refresh", "--home", same]);
        assert!(again.contains("the index is up to date"), "{same}: {again}");
    }
}

#[test]
fn list_says_the_same_with_and_without_an_index() {
    let place = demo();
    let questions: [&[&str]; 12] = [
        &[],
        &["--all"],
        &["--json", "--all"],
        &["--tool", "read"],
        &["--has", "diff", "--all"],
        &["--has", "thinking", "--has", "tools"],
        &["--model", "claude"],
        &["--workspace", "tides", "--sort", "title"],
        &["--since", "2026-01", "--limit", "2"],
        &["--until", "2025-06", "--all", "--sort", "created"],
        &["--title", "nothing is called so"],
        &["--strict"],
    ];
    let ask = |extra: &[&str], question: &[&str]| {
        let words: Vec<&str> = ["list"].iter().chain(question).chain(extra).copied().collect();
        let output = place.run(&words);
        (output.status.code(), String::from_utf8(output.stdout), String::from_utf8(output.stderr))
    };
    let without: Vec<_> = questions.iter().map(|question| ask(&["--no-index"], question)).collect();
    let kept = || std::fs::read_dir(place.index.path()).expect("a folder").count();
    assert_eq!(kept(), 0, "nothing is kept");
    for (question, expected) in questions.iter().zip(&without) {
        assert_eq!(ask(&[], question), *expected, "{question:?} with heads alone");
    }
    assert_eq!(kept(), 1, "the heads are kept");
    assert_eq!(status(&place)["conversations"], 0, "no message is read");
    assert!(place.run(&["index", "refresh"]).status.success());
    for (question, expected) in questions.iter().zip(without) {
        assert_eq!(ask(&[], question), expected, "{question:?}");
        assert_eq!(ask(&["--no-index"], question), expected, "{question:?} without");
    }
    assert_eq!(status(&place)["fresh"], true, "it was asked, not passed by");
}

#[test]
fn a_store_that_cannot_be_read_is_told_by_the_exit_code() {
    let place = place(2);
    let other = place.home.path().join(".cursor/chats/aa/bb");
    std::fs::create_dir_all(&other).expect("a folder");
    std::fs::write(other.join("store.db"), "no database at all, but long enough to be taken for one")
        .expect("a file");
    let garbage = other.join("store.db");
    let garbage = garbage.to_str().expect("a path");
    for what in ["refresh", "rebuild"] {
        let named = place.run(&["index", what, "--store", garbage]);
        assert_eq!(named.status.code(), Some(3), "{named:?}");
        assert!(String::from_utf8_lossy(&named.stderr).contains("is not a SQLite database"), "{named:?}");
        // As with every command: what could be read is there, and only those who are strict are stopped.
        let beside = place.run(&["index", what]);
        assert_eq!(beside.status.code(), Some(0), "{beside:?}");
        assert!(String::from_utf8_lossy(&beside.stderr).contains("warning: "), "{beside:?}");
        assert_eq!(place.run(&["index", what, "--strict"]).status.code(), Some(5));
    }
    let empty = TempDir::new().expect("a folder");
    let nothing = place.run(&["index", "refresh", "--home", empty.path().to_str().expect("a path")]);
    assert_eq!(nothing.status.code(), Some(0), "there is nothing to index: {nothing:?}");
}
