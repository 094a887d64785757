//! When a conversation was held: what is stored, never the time of a file where anything stored has a time.

use backscroll_fixtures::{CliChat, CursorHome, Speaks, Tracking};
use backscroll_model::{AtIs, Conversation, Summary};
use jiff::Timestamp;
use serde_json::json;

use crate::home::{all, ask, load};

const STARTED: i64 = 1_760_000_000_000;
const FOLDER: &str = "/home/dev/lamp";

/// The home, as a list and `show` tell of `id`.
fn told(home: CursorHome, id: &str) -> (Summary, Conversation) {
    let home = home.write().unwrap();
    ask(home.root(), |history| {
        let listed = all(history).into_iter().find(|one| one.id.as_str() == id).unwrap();
        let whole = load(history, id);
        assert_eq!(whole.summary.updated_at, listed.updated_at);
        assert_eq!(whole.summary.is_updated_by_file, listed.is_updated_by_file);
        (listed, whole)
    })
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Prompts, each with its time, in the lines of a transcript.
fn lines(times: &[&str], padding: usize) -> String {
    let line = |role: &str, text: String| {
        json!({ "role": role, "message": { "content": [{ "type": "text", "text": text }] } }).to_string()
            + "\n"
    };
    let turn = |at: &&str| {
        let prompt = format!("<timestamp>{at}</timestamp>\n<user_query>\nask at {at}\n</user_query>");
        line("user", prompt) + &line("assistant", "words ".repeat(padding))
    };
    times.iter().map(turn).collect()
}

fn transcript(id: &str, content: &str) -> CursorHome {
    let path = format!(".cursor/projects/home-dev-lamp/agent-transcripts/{id}.jsonl");
    CursorHome::new().unwrap().file(path, content.as_bytes())
}

#[test]
fn a_session_was_changed_when_its_store_says() {
    let chat = CliChat::new(FOLDER, "c1").started(STARTED).user("one").assistant("two").user("three");
    let (listed, whole) = told(CursorHome::new().unwrap().cli(chat.without_meta_json()), "c1");
    let (begun, changed) = (listed.created_at.unwrap(), listed.updated_at.unwrap());
    assert_eq!(begun.as_millisecond(), STARTED);
    assert_eq!(changed.as_millisecond(), STARTED + 40_000, "the last prompt");
    assert!(!listed.is_updated_by_file);
    let times: Vec<_> = whole.messages.iter().filter_map(|message| message.at.at).collect();
    assert!(times.iter().all(|at| (begun..=changed).contains(at)), "{times:?}");
}

/// A store that knows nothing but its beginning: no message is spread up to the time of the file.
#[test]
fn a_session_of_which_only_the_beginning_is_known_is_not_spread() {
    let home =
        CursorHome::new().unwrap().cli(CliChat::new(FOLDER, "c1").without_meta_json()).write().unwrap();
    let store = home.root().join(".cursor").join(CliChat::new(FOLDER, "c1").folder()).join("store.db");
    let database = rusqlite::Connection::open(&store).unwrap();
    let prompt = |text: &str| json!({ "role": "user", "content": text }).to_string();
    let root: Vec<u8> = ["one", "two", "three"]
        .iter()
        .flat_map(|text| {
            let (bytes, id) =
                (prompt(text).into_bytes(), backscroll_fixtures::sha256_of(prompt(text).as_bytes()));
            database.execute("INSERT INTO blobs VALUES (?1, ?2)", rusqlite::params![id, bytes]).unwrap();
            let id: Vec<u8> =
                (0..32).map(|at| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).unwrap()).collect();
            [vec![0x0a, 32], id].concat()
        })
        .collect();
    let root_id = backscroll_fixtures::sha256_of(&root);
    database.execute("INSERT INTO blobs VALUES (?1, ?2)", rusqlite::params![root_id, root]).unwrap();
    let meta = json!({ "agentId": "c1", "latestRootBlobId": root_id, "createdAt": STARTED }).to_string();
    database.execute("INSERT OR REPLACE INTO meta VALUES ('0', ?1)", [meta]).unwrap();
    drop(database);
    ask(home.root(), |history| {
        let whole = load(history, "c1");
        assert_eq!(whole.messages.len(), 3);
        assert_eq!(whole.summary.updated_at.unwrap().as_millisecond(), STARTED);
        assert!(!whole.summary.is_updated_by_file);
        for message in &whole.messages {
            assert_eq!(
                (message.at.at.unwrap().as_millisecond(), message.at.is),
                (STARTED, AtIs::Conversation)
            );
        }
        assert_eq!(all(history)[0].updated_at, whole.summary.updated_at);
    });
}

#[test]
fn a_transcript_was_changed_by_its_last_prompt() {
    let times = ["Monday, Mar 2, 2026, 9:00 AM (UTC)", "Tuesday, Mar 3, 2026, 9:00 AM (UTC)"];
    // Of a long file the beginning and the end are read.
    for padding in [2, 20_000] {
        let (listed, _) = told(transcript("t1", &lines(&times[..1], padding)), "t1");
        assert_eq!(listed.updated_at, Some(time("2026-03-02T09:00:00Z")), "{padding}");
        let long = lines(&times[..1], padding) + &lines(&times[1..], 2);
        let (listed, _) = told(transcript("t1", &long), "t1");
        assert_eq!(listed.created_at, Some(time("2026-03-02T09:00:00Z")));
        assert_eq!(listed.updated_at, Some(time("2026-03-03T09:00:00Z")), "{padding}");
        assert!(!listed.is_updated_by_file);
    }
}

#[test]
fn tracked_lines_date_a_transcript_without_times() {
    let without = "user:\n<user_query>\nask\n</user_query>\n\nassistant:\nDone.\n";
    let home = || {
        let path = ".cursor/projects/home-dev-lamp/agent-transcripts/t1.txt";
        CursorHome::new().unwrap().file(path.to_owned(), without.as_bytes())
    };
    let (listed, _) = told(home(), "t1");
    assert!(listed.is_updated_by_file && listed.updated_at.is_some(), "nothing else is known");

    let tracked = Tracking::new().line("t1", "r1", "/home/dev/lamp/a.rs", "m").line(
        "t1",
        "r1",
        "/home/dev/lamp/b.rs",
        "m",
    );
    let (listed, whole) = told(home().tracking(tracked), "t1");
    assert!(!listed.is_updated_by_file);
    assert!(listed.created_at.is_some() && listed.updated_at >= listed.created_at);
    assert_eq!(listed.created_at, whole.summary.created_at);
    let own = [listed.created_at, listed.updated_at];
    assert!(whole.messages.iter().all(|message| own.contains(&message.at.at)));
}
