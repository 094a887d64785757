//! Commands over a damaged store, as a shell runs them: what was exported stays, and what a search cannot find is reported.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use backscroll_fixtures::{
    CliChat, Composer, CursorHome, Journal, Speaks as _, StateDatabase, Value, create_database,
};
use tempfile::TempDir;

const PAGE: usize = 4096;

/// A home with many conversations, a folder for the index and one for an export.
struct Place {
    home: TempDir,
    index: TempDir,
    notes: TempDir,
    database: PathBuf,
}

impl Place {
    fn new() -> Self {
        let mut global = StateDatabase::new();
        for number in 0..40 {
            let composer = Composer::new(format!("{number:08x}-0000-4000-8000-000000000000"))
                .titled(&format!("Conversation {number}"))
                .started(1_780_000_000_000 + number)
                .user(&format!("word{number} {}", "a question of some length. ".repeat(90)))
                .assistant(&"an answer of some length. ".repeat(90));
            global = global.composer(&composer);
        }
        let home = TempDir::new().unwrap();
        let written = CursorHome::at(home.path()).global(global).write().unwrap();
        let database = written.global_database();
        Self { home, index: TempDir::new().unwrap(), notes: TempDir::new().unwrap(), database }
    }

    fn run(&self, words: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
        command.env_clear().env("HOME", self.home.path()).stdin(Stdio::null());
        command.arg("--index").arg(self.index.path()).args(words);
        let Output { status, stderr, .. } = command.output().unwrap();
        (status.code(), String::from_utf8(stderr).unwrap())
    }

    fn export(&self, more: &[&str]) -> String {
        let notes = self.notes.path().to_str().unwrap();
        let (code, err) = self.run(&[&["export", "--all", "--format", "md", "-o", notes], more].concat());
        assert_eq!(code, Some(0), "{err}");
        err
    }

    /// The exported files, with their sizes.
    fn exported(&self) -> BTreeMap<PathBuf, u64> {
        let mut all = BTreeMap::new();
        for folder in fs::read_dir(self.notes.path()).unwrap().map(|entry| entry.unwrap().path()) {
            for file in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
                all.insert(file.clone(), fs::metadata(&file).unwrap().len());
            }
        }
        all
    }
}

fn zero_page_with(database: &Path, word: &str) {
    let mut bytes = fs::read(database).unwrap();
    let at = bytes.windows(word.len()).position(|window| window == word.as_bytes()).unwrap();
    bytes[at / PAGE * PAGE..][..PAGE].fill(0);
    fs::write(database, bytes).unwrap();
}

#[test]
fn an_update_removes_and_shortens_nothing_while_a_store_is_damaged() {
    let place = Place::new();
    place.export(&[]);
    let before = place.exported();
    assert_eq!(before.len(), 40);
    let whole = fs::read(&place.database).unwrap();
    for length in [whole.len() / 2, whole.len() / 10, 100, 0] {
        fs::write(&place.database, &whole[..length]).unwrap();
        let notes = place.notes.path().to_str().unwrap();
        let (_, err) = place.run(&["export", "--all", "--format", "md", "-o", notes, "--update"]);
        let after = place.exported();
        let shorter =
            before.iter().filter(|(file, size)| after.get(*file).is_none_or(|after| after < size)).count();
        assert_eq!(shorter, 0, "cut to {length}: {err}");
    }
    // Once it is whole again, what is gone goes.
    fs::write(&place.database, &whole).unwrap();
    let err = place.export(&["--update"]);
    assert!(err.contains("40 unchanged"), "{err}");
}

#[test]
fn a_search_reports_what_could_not_be_read() {
    let place = Place::new();
    zero_page_with(&place.database, "word17 ");
    for words in [&["search", "word17"][..], &["search", "--exact", "word17"], &["related", "00000001"]] {
        let (_, err) = place.run(words);
        assert!(err.contains("1 conversation not read in full: 00000011"), "{words:?}: {err}");
        fs::remove_dir_all(place.index.path()).unwrap();
    }
    // The second time it is said to those who are strict.
    let (code, err) = place.run(&["index", "rebuild", "--strict"]);
    assert_eq!(code, Some(5), "{err}");
    let (code, err) = place.run(&["search", "word3", "--strict"]);
    assert_eq!(code, Some(5), "{err}");
    assert_eq!(place.run(&["search", "word3"]).0, Some(0));
}

#[test]
fn a_conversation_that_is_lost_is_not_passed_over_in_silence() {
    let place = Place::new();
    zero_page_with(&place.database, "\"name\":\"Conversation 17\"");
    let (_, err) = place.run(&["show", "nobody"]);
    assert!(err.contains("state.vscdb (composerData:00000011"), "{err}");
}

#[test]
fn a_lost_main_database_is_an_error_beside_what_can_be_read() {
    let place = Place::new();
    let chat =
        CliChat::new("/home/mira/tides", "chat-1").named("Ebb").user("When is ebb?").assistant("At six.");
    CursorHome::at(place.home.path()).cli(chat).write().unwrap();
    let whole = fs::read(&place.database).unwrap();
    fs::write(&place.database, "garbagegarbage").unwrap();
    let lost = "error: the editor's main database cannot be read (";
    let commands = [
        &["list"][..],
        &["search", "ebb"],
        &["export", "-o", "-"],
        &["list", "--json"],
        &["sources"],
        &["show", "chat-1"],
        &["show", "chat-1", "--json"],
        &["handoff", "chat-1"],
        &["replay", "chat-1", "-o", "-"],
        &["export", "chat-1"],
        &["related", "chat-1"],
        &["--quiet", "list"],
    ];
    for content in ["garbagegarbage", ""] {
        fs::write(&place.database, content).unwrap();
        for words in commands {
            let (code, err) = place.run(words);
            assert_eq!(code, Some(3), "{words:?}: {err}");
            assert_eq!(err.matches(lost).count(), 1, "{words:?}: {err}");
            assert!(err.contains("Backups: none found."), "{words:?}: {err}");
            assert_eq!(err.matches(place.database.to_str().unwrap()).count(), 1, "{words:?}: {err}");
        }
        let (code, err) = place.run(&["list", "--store", place.database.to_str().unwrap()]);
        assert_eq!(code, Some(3), "{err}");
    }
    // What has nothing to do with the stores does not speak of them.
    let file = place.notes.path().join("notes.txt");
    fs::write(&file, "Ebb is at six.").unwrap();
    assert_eq!(place.run(&["redact", "--check", file.to_str().unwrap()]).0, Some(0));
    let backup = place.database.with_extension("vscdb.backup");
    fs::write(&backup, &whole).unwrap();
    for words in [&["list"][..], &["list", "--store", place.database.to_str().unwrap()]] {
        let (code, err) = place.run(words);
        assert_eq!(code, Some(3), "{err}");
        assert!(err.contains(&format!("Backups: {}.", backup.display())), "{err}");
    }
}

/// SQLite reads a view; what it shows is not what the editor stored.
#[test]
fn a_table_that_is_a_view_is_reported_in_words() {
    for table in ["cursorDiskKV", "ItemTable", "composerHeaders"] {
        let place = Place::new();
        place.export(&[]);
        let database = rusqlite::Connection::open(&place.database).unwrap();
        let _ = database.execute_batch("CREATE TABLE composerHeaders (composerId TEXT)");
        let swap = format!("ALTER TABLE {table} RENAME TO t; CREATE VIEW {table} AS SELECT * FROM t");
        database.execute_batch(&swap).unwrap();
        drop(database);
        let says = format!("({table}): {table} is not a table with the column");
        for words in [&["list"][..], &["search", "word3"]] {
            let (_, err) = place.run(words);
            assert!(err.contains(&says), "{words:?}: {err}");
        }
        // This one has all conversations.
        let strict = if table == "cursorDiskKV" { 1 } else { 5 };
        assert_eq!(place.run(&["list", "--all", "--strict"]).0, Some(strict), "{table}");
        let notes = place.notes.path().to_str().unwrap();
        place.run(&["export", "--all", "--format", "md", "-o", notes, "--update"]);
        assert_eq!(place.exported().len(), 40, "{table}");
    }
}

#[test]
fn what_is_normal_is_not_said_after_every_command() {
    let place = Place::new();
    let gone = StateDatabase::new().kv("composerData:gone", Value::Null).kv("bubbleId:gone:1", Value::Null);
    CursorHome::at(place.home.path()).global(gone).write().unwrap();
    for words in [
        &["list"][..],
        &["search", "word7"],
        &["export", "-o", "-"],
        &["files", "x"],
        &["search", "word7", "--count"],
    ] {
        let (_, err) = place.run(words);
        assert!(!err.contains("finding") && !err.contains("NULL"), "{words:?}: {err}");
    }
    assert!(place.run(&["list", "--strict"]).1.contains("NULL"));
}

#[test]
fn a_wait_for_a_writer_is_announced() {
    let composer = Composer::new("c1").titled("Tide").user("question").assistant("answer");
    let database = StateDatabase::new().journal(Journal::Rollback).composer(&composer);
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    let writer = create_database(&home.global_database()).unwrap();
    let statements = "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 5; BEGIN EXCLUSIVE;
        INSERT INTO ItemTable SELECT 'a' || value, randomblob(60000) FROM json_each('[1,2,3,4,5,6,7,8,9]')";
    writer.execute_batch(statements).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
    command.env_clear().env("HOME", home.root()).stdin(Stdio::null()).args(["list", "--no-index"]);
    let Output { stderr, .. } = command.output().unwrap();
    let err = String::from_utf8(stderr).unwrap();
    assert_eq!(err.matches("waiting for the program that is writing ").count(), 1, "{err}");
    writer.execute_batch("ROLLBACK").unwrap();
}
