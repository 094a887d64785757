//! A library over a home that changes: every change is seen, and the patched snapshot is the one that a fresh look gives.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use backscroll_cursor_store::{FileCache, Where, file_stamp, find_with, names_stamp};
use backscroll_fixtures::{
    CliChat, Composer, CursorHome, SdkAgent, SdkStore, Speaks, StateDatabase, Transcript, WrittenHome,
    create_database, snapshot_of,
};
use backscroll_history::live::{
    Clock, Discovered, Discovery, Follow, FollowOptions, IndexState, Library, Searched, Snapshot,
};
use backscroll_history::{Ask, Request, parse};
use backscroll_model::{Contents, EventKind, Part};
use jiff::{Timestamp, Zoned};
use tempfile::TempDir;

struct Places(PathBuf);

impl Discovery for Places {
    fn find(&self, noted: String, now: Timestamp) -> Discovered {
        let files = Arc::new(FileCache::new(noted, SystemTime::from(now)));
        let found = find_with(&Where { home: Some(self.0.clone()), ..Where::default() }, &files);
        let finish = move || {
            files.end_search();
            let (noted, folders) = (files.to_store(), files.searched_folders());
            Searched { unreadable_files: Vec::new(), noted, folders }
        };
        Discovered { sources: found.sources, findings: found.findings, finish: Box::new(finish) }
    }

    fn contents(&self, _: &Path) -> Result<Contents, String> {
        Err("nobody asks".to_owned())
    }

    fn folder_stamp(&self, folder: &Path) -> u64 {
        file_stamp(folder)
    }

    fn names_stamp(&self, folder: &Path) -> u64 {
        names_stamp(folder)
    }
}

/// A library that looks whenever it is asked.
fn library(home: &Path, index: Option<&Path>) -> Library {
    let here = Box::new(Places(home.to_owned()));
    Library::new(here, index.map(Path::to_owned), Clock::new(Zoned::now)).without_words(Duration::ZERO)
}

/// The first snapshot after the one with this number. If there is none, the test runner stops the test.
fn after(library: &Library, number: u64) -> Arc<Snapshot> {
    loop {
        let snapshot = library.snapshot();
        if snapshot.number > number {
            return snapshot;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn chat() -> CliChat {
    CliChat::new("/home/dev/app", "5e8695fb-527d-40be-8dad-19fae0f917f9")
        .named("Chat")
        .user("hello")
        .assistant("Hi.")
}

fn transcript() -> Transcript {
    Transcript::new("/home/dev/app", "7d1f3c1e-58a6-4a0e-9b52-7d2a06e5f001")
        .user("a question")
        .assistant("An answer.")
}

fn agent() -> SdkStore {
    let agent = SdkAgent::new("agent-0d2b6f9e-1c1b-4a3c-8a55-3f6f2f0c9a11")
        .named("Agent")
        .user("do it")
        .assistant("Done.");
    SdkStore::new("/home/dev/app").agent(agent)
}

fn composer(id: &str) -> Composer {
    Composer::new(id).titled("Greeting").user("hello").assistant("Hi there.")
}

fn home() -> WrittenHome {
    let home = CursorHome::new()
        .unwrap()
        .global(StateDatabase::new().composer(&composer("c1")).composer(&composer("c2")));
    home.cli(chat()).transcript(transcript()).sdk(agent()).write().unwrap()
}

/// Runs statements in the editor's database.
fn write(home: &WrittenHome, statements: &str) {
    create_database(&home.global_database()).unwrap().execute_batch(statements).unwrap();
}

const RENAMED: &str =
    "INSERT OR REPLACE INTO cursorDiskKV SELECT key, json_set(value, '$.name', 'Renamed') FROM cursorDiskKV
    WHERE key = 'composerData:c1'";

/// The conversation that a change concerns, and what makes the change.
type Change<'a> = (&'static str, Box<dyn Fn() + 'a>);

/// Every kind of change.
fn changes(home: &WrittenHome) -> Vec<Change<'_>> {
    let cursor = home.cursor_dir();
    let projects = cursor.join("projects");
    let transcript_file = projects.join(transcript().path());
    vec![
        ("c1", Box::new(|| write(home, RENAMED))),
        ("c2", Box::new(|| write(home, "DELETE FROM cursorDiskKV WHERE key LIKE '%c2%'"))),
        ("5e8695fb", {
            let cursor = cursor.clone();
            Box::new(move || chat().user("and now?").assistant("Still here.").write_below(&cursor).unwrap())
        }),
        ("7d1f3c1e", {
            Box::new(move || {
                let more = transcript().user("another").assistant("One more.").content();
                std::fs::write(&transcript_file, more).unwrap();
            })
        }),
        ("agent-0d2b", {
            let store = std::fs::read_dir(&projects)
                .unwrap()
                .map(|project| project.unwrap().path().join("sdk-agent-store"));
            let store = { store }.find(|store| store.is_dir()).unwrap();
            let index = std::fs::read_dir(store).unwrap().next().unwrap().unwrap().path().join("index.db");
            Box::new(move || {
                create_database(&index).unwrap().execute_batch("UPDATE agents SET name = 'Other'").unwrap();
            })
        }),
        ("99999999", {
            let chat =
                CliChat::new("/home/dev/other", "99999999-527d-40be-8dad-19fae0f917f9").user("new here");
            Box::new(move || chat.write_below(&cursor).unwrap())
        }),
    ]
}

#[test]
fn a_patched_snapshot_is_the_one_that_a_fresh_look_gives() {
    for keeps_index in [false, true] {
        let (home, index) = (home(), TempDir::new().unwrap());
        let library = library(home.root(), keeps_index.then(|| index.path()));
        let mut number = library.snapshot().number;
        for (id, change) in changes(&home) {
            change();
            let snapshot = after(&library, number);
            number = snapshot.number;
            let changed = snapshot.changed.as_ref().unwrap();
            assert!(changed.iter().any(|one| one.as_str().starts_with(id)), "{id}: {changed:?}");
            let fresh = self::library(home.root(), None).snapshot();
            assert_eq!(snapshot.summaries, fresh.summaries, "{id}");
            assert_eq!(snapshot.findings, fresh.findings, "{id}");
        }
    }
}

/// A face that stays has a temporary index then, which follows what happens and serves several at once.
#[test]
fn an_index_that_cannot_be_kept_costs_no_answer() {
    let (home, folder) = (home(), TempDir::new().unwrap());
    let no_folder = folder.path().join("a file");
    std::fs::write(&no_folder, "a file").unwrap();
    let here = Box::new(Places(home.root().to_owned()));
    let library = Library::new(here, Some(no_folder.clone()), Clock::new(Zoned::now));
    let ask = |word: &str| {
        let now = Zoned::now();
        let request = Request::new(parse(word, &now).unwrap(), now.timestamp());
        loop {
            let (index, state) = library.index(&library.snapshot());
            match index {
                Some(index) if !state.is_behind() => {
                    assert!(
                        matches!(&state, IndexState::Temporary(why) if why.contains("a file")),
                        "{state:?}"
                    );
                    return index.count(&request).unwrap().conversations;
                }
                _ => assert!(state.is_behind(), "{state:?}"),
            }
        }
    };
    std::thread::scope(|scope| {
        let asking: Vec<_> = (0..4).map(|_| scope.spawn(|| ask("hello"))).collect();
        for asked in asking {
            assert_eq!(asked.join().unwrap(), 3);
        }
    });
    let number = library.snapshot().number;
    write(&home, RENAMED);
    after(&library, number);
    // One that is asked while it follows may still be the earlier one.
    while ask("renamed") == 0 {}
    assert_eq!((ask("renamed"), ask("hello")), (1, 3));
    assert_eq!(std::fs::read_to_string(no_folder).unwrap(), "a file");
}

#[test]
fn looking_leaves_no_trace() {
    let home = home();
    let before = snapshot_of(home.root()).unwrap();
    let library = library(home.root(), None);
    for _ in 0..20 {
        library.snapshot();
    }
    assert_eq!(snapshot_of(home.root()).unwrap(), before);
}

#[test]
fn a_change_that_concerns_no_conversation_makes_no_new_snapshot() {
    let home = home();
    let library = library(home.root(), None);
    let number = library.snapshot().number;
    write(&home, "INSERT OR REPLACE INTO ItemTable VALUES ('workbench.panel', '1')");
    for _ in 0..50 {
        assert_eq!(library.snapshot().number, number);
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A face that searches shows what only messages tell, once the index has read them.
#[test]
fn a_workspace_that_messages_tell_comes_with_the_index() {
    let read = composer("c1").tool(
        "read_file_v2",
        serde_json::json!({ "targetFile": "/home/dev/told/x.rs" }),
        serde_json::json!({ "contents": "x" }),
    );
    let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&read)).write().unwrap();
    let folder = TempDir::new().unwrap();
    let places = Box::new(Places(home.root().to_owned()));
    let library = Library::new(places, Some(folder.path().to_owned()), Clock::new(Zoned::now));
    let first = library.snapshot();
    assert!(first.workspaces.is_empty());
    let then = after(&library, first.number);
    assert_eq!(then.workspaces[0].workspace.path, "/home/dev/told");
    assert_eq!(then.changed.as_ref().map(std::collections::BTreeSet::len), Some(1));
    while !library.index_is_fresh(&library.snapshot()) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(library.snapshot().number, then.number, "it is told once");
}

/// What `follow` reports until `is_enough`.
fn heard(follow: &mut Follow<'_>, is_enough: impl Fn(&[String]) -> bool) -> Vec<String> {
    let mut heard = Vec::new();
    while !is_enough(&heard) {
        let mut each = |event: backscroll_model::Event| {
            let words = match &event.kind {
                EventKind::Message(message) | EventKind::MessageChanged { message, .. } => message
                    .parts
                    .iter()
                    .map(|part| if let Part::Text(text) = part { text.as_str() } else { "" })
                    .collect(),
                _ => String::new(),
            };
            heard.push(
                format!("{} {} {words}", &event.summary.id.as_str()[..2], event.kind.name())
                    .trim_end()
                    .to_owned(),
            );
            Ok(())
        };
        follow.poll(&mut each).unwrap();
        std::thread::sleep(Duration::from_millis(5));
    }
    heard
}

#[test]
fn what_is_written_is_reported_for_every_kind_of_store() {
    let home = home();
    let library = library(home.root(), None);
    let options = FollowOptions { ask: Ask::everything(), ..FollowOptions::default() };
    let mut follow = Follow::begin(&library, options, &mut |_| unreachable!("nothing happened yet")).unwrap();
    let cursor = home.cursor_dir();
    chat().user("and now?").assistant("Still here.").write_below(&cursor).unwrap();
    let expected = ["5e message and now?", "5e message Still here."];
    assert_eq!(heard(&mut follow, |heard| heard.len() >= 2), expected);
    let more = transcript().user("another").assistant("One more.").content();
    std::fs::write(cursor.join("projects").join(transcript().path()), more).unwrap();
    let expected = ["7d message another", "7d message One more."];
    assert_eq!(heard(&mut follow, |heard| heard.len() >= 2), expected);
    write(
        &home,
        "INSERT OR REPLACE INTO cursorDiskKV SELECT key, json_set(value, '$.text', 'Hi there, and more.') FROM cursorDiskKV
         WHERE key LIKE 'bubbleId:c1:%' AND json_extract(value, '$.type') = 2",
    );
    assert_eq!(heard(&mut follow, |heard| !heard.is_empty()), ["c1 message-changed Hi there, and more."]);
    write(&home, RENAMED);
    assert_eq!(heard(&mut follow, |heard| !heard.is_empty()), ["c1 conversation-changed"]);
    write(&home, "DELETE FROM cursorDiskKV WHERE key LIKE '%c2%'");
    assert_eq!(heard(&mut follow, |heard| !heard.is_empty()), ["c2 deleted"]);
    let new = CliChat::new("/home/dev/other", "99999999-527d-40be-8dad-19fae0f917f9")
        .user("new here")
        .assistant("Welcome.");
    new.write_below(&cursor).unwrap();
    let expected = ["99 conversation", "99 message new here", "99 message Welcome."];
    // What the agent was given before the first words is not of interest here.
    let mut heard = heard(&mut follow, |heard| heard.last().is_some_and(|last| last.ends_with("Welcome.")));
    heard.drain(1..heard.len() - 2);
    assert_eq!(heard, expected);
}

#[test]
fn a_row_that_is_changed_in_its_place_is_reported() {
    let home = home();
    let library = library(home.root(), None);
    let options = FollowOptions::default();
    let mut follow = Follow::begin(&library, options, &mut |_| unreachable!("nothing happened yet")).unwrap();
    for words in ["Hi there, and", "Hi there, and more."] {
        write(
            &home,
            &format!(
                "UPDATE cursorDiskKV SET value = json_set(value, '$.text', '{words}')
                 WHERE key LIKE 'bubbleId:c1:%' AND json_extract(value, '$.type') = 2"
            ),
        );
        let expected = [format!("c1 message-changed {words}")];
        assert_eq!(heard(&mut follow, |heard| !heard.is_empty()), expected);
    }
}

#[test]
fn from_the_start_everything_is_reported_once_and_the_latest_last() {
    let home = home();
    let library = library(home.root(), None);
    let options = FollowOptions { from_start: true, ..FollowOptions::default() };
    let mut events = Vec::new();
    let follow = Follow::begin(&library, options, &mut |event| {
        events.push(event);
        Ok(())
    });
    drop(follow);
    let snapshot = library.snapshot();
    let shown: Vec<_> = snapshot.shown().map(|summary| summary.id.clone()).collect();
    let named = events.iter().filter(|event| event.kind == EventKind::Conversation);
    let mut named: Vec<_> = named.map(|event| event.summary.id.clone()).collect();
    named.reverse();
    assert_eq!(named, shown);
    for id in &shown {
        let loaded = snapshot.history.load(id).unwrap();
        let heard: Vec<_> = events
            .iter()
            .filter(|event| event.summary.id == *id)
            .filter_map(|event| match &event.kind {
                EventKind::Message(message) => Some((**message).clone()),
                _ => None,
            })
            .collect();
        assert_eq!(heard, loaded.messages, "as they are in the conversation");
    }
}
