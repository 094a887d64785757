//! `backscroll tail` over stores that are replaced, restored, compacted, cut, taken away and brought back. What was reported stays
//! reported once, what comes later is not missed, and the process goes on.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use backscroll_fixtures::{
    CliChat, Composer, CursorHome, Speaks, StateDatabase, Transcript, WrittenHome, create_database,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::tail::{Tail, start, words};

/// Longer than what is gone has to be gone before that is reported.
const LONG_GONE: Duration = Duration::from_millis(1_600);

/// Who waits longer than this for an event waits in vain.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a running `tail` reports, an event a line: `c1 message words`.
struct Heard {
    events: Receiver<String>,
    _tail: Tail,
    _index: TempDir,
}

impl Heard {
    fn from(home: &WrittenHome) -> Self {
        let index = TempDir::new().unwrap();
        let mut tail = start(home.root(), index.path(), &["--json", "--all"]);
        let lines = BufReader::new(tail.0.stdout.take().unwrap()).lines();
        let (sender, events) = channel();
        std::thread::spawn(move || {
            for line in lines {
                let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
                if sender.send(described(&event)).is_err() {
                    return;
                }
            }
        });
        Self { events, _tail: tail, _index: index }
    }

    /// The events up to the one that ends with `last`.
    fn until(&self, last: &str) -> Vec<String> {
        let mut heard: Vec<String> = Vec::new();
        while !heard.last().is_some_and(|event| event.ends_with(last)) {
            match self.events.recv_timeout(PATIENCE) {
                Ok(event) => heard.push(event),
                Err(why) => panic!("no `{last}`, {why}; heard: {heard:?}"),
            }
        }
        heard
    }
}

fn described(event: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let id: String = text(&event["conversation"]).chars().take(2).collect();
    let kind = text(&event["event"]);
    let what = match kind.as_str() {
        "message" | "message-changed" => words(event),
        "conversation-changed" => event["changes"].to_string(),
        "deleted" => text(&event["message"]["id"]),
        _ => String::new(),
    };
    format!("{id} {kind} {what}").trim_end().to_owned()
}

/// Two conversations of the editor, one of which is never touched.
fn home() -> WrittenHome {
    let conversation = |id| Composer::new(id).titled("Greeting").user("hello").assistant("Hi there.");
    let database = StateDatabase::new().composer(&conversation("c1")).composer(&conversation("c2"));
    CursorHome::new().unwrap().global(database).write().unwrap()
}

/// Appends messages to `c1`, each with its words as its id.
const SAY: &str = "INSERT OR REPLACE INTO cursorDiskKV VALUES ('bubbleId:c1:' || ?1,
    json_object('_v', 3, 'type', 2, 'bubbleId', ?1, 'text', ?1))";
const LIST: &str =
    "INSERT OR REPLACE INTO cursorDiskKV SELECT key, json_insert(value, '$.fullConversationHeadersOnly[#]',
    json_object('bubbleId', ?1, 'type', 2)) FROM cursorDiskKV WHERE key = 'composerData:c1'";

fn say(database: &Path, said: &[&str]) {
    let mut database = create_database(database).unwrap();
    for words in said {
        let transaction = database.transaction().unwrap();
        transaction.execute(SAY, [words]).unwrap();
        transaction.execute(LIST, [words]).unwrap();
        transaction.commit().unwrap();
    }
}

/// A copy of a database, beside which a process ended without closing it: `said` is in the log alone.
fn crashed(database: &Path, said: &[&str], into: &Path) -> (PathBuf, PathBuf) {
    let (copy, log) = (into.join("crashed.vscdb"), into.join("crashed.vscdb-wal"));
    let open = into.join("open.vscdb");
    fs::copy(database, &open).unwrap();
    let writer = create_database(&open).unwrap();
    writer.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0").unwrap();
    for words in said {
        writer.execute(SAY, [words]).unwrap();
        writer.execute(LIST, [words]).unwrap();
    }
    fs::copy(&open, &copy).unwrap();
    fs::copy(into.join("open.vscdb-wal"), &log).unwrap();
    (copy, log)
}

fn log_of(database: &Path) -> PathBuf {
    database.with_extension("vscdb-wal")
}

#[test]
fn a_database_that_another_is_renamed_over_is_followed_on() {
    let (home, scratch) = (home(), TempDir::new().unwrap());
    let database = home.global_database();
    let heard = Heard::from(&home);
    say(&database, &["one"]);
    assert_eq!(heard.until("one"), ["c1 message one"]);
    for (number, words) in ["two", "three", "four"].into_iter().enumerate() {
        let copy = database.with_file_name(format!("copy{number}"));
        fs::copy(&database, scratch.path().join("copy")).unwrap();
        say(&scratch.path().join("copy"), &[words]);
        fs::copy(scratch.path().join("copy"), &copy).unwrap();
        fs::rename(&copy, &database).unwrap();
        assert_eq!(heard.until(words), [format!("c1 message {words}")]);
    }
    std::thread::sleep(LONG_GONE);
    say(&database, &["five"]);
    assert_eq!(heard.until("five"), ["c1 message five"]);
}

/// The older copy has the time that it had, as `cp -p` and most programs for backups do.
#[test]
fn what_an_older_copy_lacks_is_deleted_and_comes_back_as_changed() {
    for is_in_place in [true, false] {
        let (home, scratch) = (home(), TempDir::new().unwrap());
        let database = home.global_database();
        let heard = Heard::from(&home);
        say(&database, &["one"]);
        let (older, newer) = (scratch.path().join("older"), scratch.path().join("newer"));
        let keep = |copy: &Path| {
            fs::copy(&database, copy).unwrap();
            let time = fs::metadata(&database).unwrap().modified().unwrap();
            fs::File::options().write(true).open(copy).unwrap().set_modified(time).unwrap();
        };
        let restore = |copy: &Path| {
            let time = fs::metadata(copy).unwrap().modified().unwrap();
            if is_in_place {
                fs::write(&database, fs::read(copy).unwrap()).unwrap();
            } else {
                let beside = database.with_file_name("restored");
                fs::copy(copy, &beside).unwrap();
                fs::rename(beside, &database).unwrap();
            }
            fs::File::options().write(true).open(&database).unwrap().set_modified(time).unwrap();
        };
        keep(&older);
        say(&database, &["two", "three"]);
        assert_eq!(heard.until("three"), ["c1 message one", "c1 message two", "c1 message three"]);
        keep(&newer);
        restore(&older);
        assert_eq!(heard.until("two"), ["c1 deleted three", "c1 deleted two"]);
        restore(&newer);
        assert_eq!(heard.until("three"), ["c1 message-changed two", "c1 message-changed three"]);
        restore(&older);
        say(&database, &["four"]);
        let mut last = heard.until("two");
        last.sort();
        assert_eq!(last, ["c1 deleted three", "c1 deleted two", "c1 message four"]);
    }
}

#[test]
fn a_database_that_is_compacted_is_followed_on() {
    let home = home();
    let database = home.global_database();
    let heard = Heard::from(&home);
    for words in ["one", "two", "three"] {
        say(&database, &[words]);
        let open = create_database(&database).unwrap();
        open.execute_batch("DELETE FROM ItemTable; PRAGMA page_size = 8192; VACUUM").unwrap();
        drop(open);
        assert_eq!(heard.until(words), [format!("c1 message {words}")]);
    }
    std::thread::sleep(LONG_GONE);
    say(&database, &["four"]);
    assert_eq!(heard.until("four"), ["c1 message four"]);
}

#[test]
fn a_log_that_is_cut_or_deleted_takes_along_what_was_in_it_alone() {
    for is_deleted in [true, false] {
        let (home, scratch) = (home(), TempDir::new().unwrap());
        let database = home.global_database();
        let heard = Heard::from(&home);
        let (copy, log) = crashed(&database, &["one", "two"], scratch.path());
        fs::copy(&copy, &database).unwrap();
        fs::copy(&log, log_of(&database)).unwrap();
        assert_eq!(heard.until("two"), ["c1 message one", "c1 message two"]);
        if is_deleted {
            fs::remove_file(log_of(&database)).unwrap();
        } else {
            fs::File::options().write(true).open(log_of(&database)).unwrap().set_len(0).unwrap();
        }
        assert_eq!(heard.until("two"), ["c1 deleted one", "c1 deleted two"], "deleted: {is_deleted}");
        say(&database, &["three"]);
        assert_eq!(heard.until("three"), ["c1 message three"]);
    }
}

/// The frames that are whole still count.
#[test]
fn a_log_that_is_cut_in_the_middle_of_a_frame_is_read_as_far_as_it_goes() {
    let (home, scratch) = (home(), TempDir::new().unwrap());
    let database = home.global_database();
    let heard = Heard::from(&home);
    let (copy, log) = crashed(&database, &["one", "two"], scratch.path());
    let bytes = fs::read(&log).unwrap();
    fs::copy(&copy, &database).unwrap();
    fs::write(log_of(&database), &bytes).unwrap();
    assert_eq!(heard.until("two"), ["c1 message one", "c1 message two"]);
    // Cut in the frames of the last transaction: `two` is stored, but not listed.
    fs::write(log_of(&database), &bytes[..bytes.len() - 100]).unwrap();
    std::thread::sleep(LONG_GONE);
    fs::write(log_of(&database), &bytes).unwrap();
    std::thread::sleep(LONG_GONE);
    say(&database, &["three"]);
    assert_eq!(heard.until("three"), ["c1 message three"]);
}

#[test]
fn stores_that_go_for_a_moment_or_longer_come_back() {
    let chat = CliChat::new("/home/dev/app", "5e8695fb-527d-40be-8dad-19fae0f917f9")
        .named("Chat")
        .user("hello")
        .assistant("Hi.");
    let conversation = Composer::new("c1").titled("Greeting").user("hello").assistant("Hi there.");
    let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&conversation));
    let home = home.cli(chat.clone()).write().unwrap();
    let (database, chats) = (home.global_database(), home.cursor_dir().join("chats"));
    let heard = Heard::from(&home);
    let away = [database.with_file_name("away"), home.root().join("away")];
    let go = || {
        fs::rename(&database, &away[0]).unwrap();
        fs::rename(&chats, &away[1]).unwrap();
    };
    let come = || {
        fs::rename(&away[0], &database).unwrap();
        fs::rename(&away[1], &chats).unwrap();
    };
    go();
    std::thread::sleep(Duration::from_millis(300));
    come();
    std::thread::sleep(LONG_GONE);
    say(&database, &["one"]);
    chat.clone().user("and now?").write_below(&home.cursor_dir()).unwrap();
    let both = |last: [&str; 2]| {
        let mut events = heard.until(last[0]);
        if !events.iter().any(|event| event.ends_with(last[1])) {
            events.extend(heard.until(last[1]));
        }
        events.sort();
        events
    };
    assert_eq!(both(["one", "and now?"]), ["5e message and now?", "c1 message one"]);
    go();
    assert_eq!(both(["c1 deleted", "5e deleted"]), ["5e deleted", "c1 deleted"]);
    come();
    let back = both(["c1 conversation-changed {}", "5e conversation-changed {}"]);
    assert_eq!(back, ["5e conversation-changed {}", "c1 conversation-changed {}"]);
    say(&database, &["two"]);
    assert_eq!(heard.until("two"), ["c1 message two"]);
}

/// A conversation that nobody read before is known by its head alone.
#[test]
fn the_end_of_a_conversation_that_was_never_read_is_reported_with_its_title() {
    let mut all = StateDatabase::new();
    for number in 0..40 {
        let started = 1_760_000_000_000_i64 + number * 60_000;
        let one = Composer::new(format!("{number:02}")).titled(&format!("Title {number}")).started(started);
        all = all.composer(&one.user("hello").assistant("Hi."));
    }
    let home = CursorHome::new().unwrap().global(all).write().unwrap();
    let index = TempDir::new().unwrap();
    let mut tail = start(home.root(), index.path(), &["--json"]);
    let delete = "DELETE FROM cursorDiskKV WHERE key LIKE '%:00%'";
    create_database(&home.global_database()).unwrap().execute_batch(delete).unwrap();
    let event = crate::tail::events(&mut tail).next().unwrap();
    let seen = ["event", "conversation", "title"].map(|field| event[field].clone());
    assert_eq!(seen, [json!("deleted"), json!("00"), json!("Title 0")], "{event}");
}

#[test]
fn a_transcript_that_is_cut_and_written_again_is_followed_on() {
    let transcript = || {
        Transcript::new("/home/dev/app", "7d1f3c1e-58a6-4a0e-9b52-7d2a06e5f001")
            .user("a question")
            .assistant("An answer.")
    };
    let home = CursorHome::new().unwrap().transcript(transcript()).write().unwrap();
    let file = home.cursor_dir().join("projects").join(transcript().path());
    let heard = Heard::from(&home);
    // At once: cut to nothing, and written again with more.
    let more = transcript().user("another");
    fs::write(&file, "").unwrap();
    fs::write(&file, more.content()).unwrap();
    assert_eq!(heard.until("another"), ["7d message another"]);
    // Line by line, the last one in two pieces.
    let more = more.assistant("One more.");
    let content = more.content();
    let (first, second) = content.split_at(content.find("One").unwrap());
    for part in ["", first, second] {
        let before = if part == second { first } else { "" };
        fs::write(&file, format!("{before}{part}")).unwrap();
        std::thread::sleep(Duration::from_millis(250));
    }
    assert_eq!(heard.until("One more."), ["7d message One more."]);
    // For longer: what is gone is deleted, and comes back.
    let shorter: String = content.split_inclusive('\n').take(2).collect();
    fs::write(&file, &shorter).unwrap();
    let gone = heard.until("");
    assert!(gone.iter().all(|event| event.starts_with("7d deleted")), "{gone:?}");
    assert_eq!(heard.until("").len() + gone.len(), 2);
    fs::write(&file, more.assistant("The end.").content()).unwrap();
    let back = ["7d message-changed another", "7d message-changed One more.", "7d message The end."];
    assert_eq!(heard.until("The end."), back);
}
