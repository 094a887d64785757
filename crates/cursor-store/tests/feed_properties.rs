//! Whatever is done to a home, in any order: each conversation that changed is named, and the index has what the stores have.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use backscroll_fixtures::{
    CliChat, Composer, CursorHome, HeaderTable, Speaks, StateDatabase, Transcript, WrittenHome,
};
use backscroll_model::ConversationId;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::feed_watch::{Watch, differing, run};

const IDS: [&str; 4] = ["a", "b", "c", "d"];

/// Something that may happen to a home.
#[derive(Debug, Clone)]
enum Event {
    Write(&'static str, u8),
    /// The row at some place of the table is deleted.
    Delete(Index),
    DeleteHighest,
    DeleteConversation(&'static str),
    Head(&'static str, u8),
    Vacuum,
    Keep,
    Restore {
        in_place: bool,
    },
    Transcript(u8),
    Session(u8),
    Log(bool),
}

fn event() -> impl Strategy<Value = Event> {
    let id = || select(IDS.to_vec());
    prop_oneof![
        4 => (id(), 0_u8..6).prop_map(|(id, number)| Event::Write(id, number)),
        2 => any::<Index>().prop_map(Event::Delete),
        2 => Just(Event::DeleteHighest),
        1 => id().prop_map(Event::DeleteConversation),
        1 => (id(), 0_u8..9).prop_map(|(id, number)| Event::Head(id, number)),
        1 => Just(Event::Vacuum),
        1 => Just(Event::Keep),
        2 => any::<bool>().prop_map(|in_place| Event::Restore { in_place }),
        1 => (0_u8..9).prop_map(Event::Transcript),
        1 => (0_u8..9).prop_map(Event::Session),
        1 => any::<bool>().prop_map(Event::Log),
    ]
}

fn home() -> WrittenHome {
    let composer = |id: &str| Composer::new(id).titled(id).user("hello").assistant("hi");
    let blobs = composer("a").with_agent_blobs();
    let mut database = StateDatabase::new().header_table(HeaderTable::new().composer(&composer("a")));
    database = database.composer(&blobs).composer(&composer("b")).composer(&composer("c"));
    let home = CursorHome::new().unwrap().global(database);
    home.cli(CliChat::new("/home/dev/app", "s").user("hello"))
        .transcript(Transcript::new("/home/dev/app", "t").user("hello"))
        .write()
        .unwrap()
}

fn happen(home: &WrittenHome, event: &Event) {
    let file = home.global_database();
    let kept = home.root().join("kept");
    match event {
        Event::Write(id, number) => {
            let value =
                format!("{{\"type\":1,\"bubbleId\":\"n{number}\",\"text\":\"{number} {}\"}}", entropy(&file));
            run(&file, &format!("INSERT INTO cursorDiskKV VALUES ('bubbleId:{id}:n{number}', '{value}')"));
        }
        Event::Delete(at) => {
            let rows = Index::index(at, 64);
            run(
                &file,
                &format!(
                    "DELETE FROM cursorDiskKV WHERE rowid IN (SELECT rowid FROM cursorDiskKV LIMIT 1 OFFSET {rows})"
                ),
            );
        }
        Event::DeleteHighest => {
            run(&file, "DELETE FROM cursorDiskKV WHERE rowid = (SELECT max(rowid) FROM cursorDiskKV)");
        }
        Event::DeleteConversation(id) => {
            run(&file, &format!("DELETE FROM cursorDiskKV WHERE key LIKE '%:{id}' OR key LIKE '%:{id}:%'"));
        }
        Event::Head(id, number) => run(
            &file,
            &format!(
                "INSERT OR REPLACE INTO composerHeaders (composerId, createdAt, value) VALUES ('{id}', {number}, '{{\"composerId\":\"{id}\"}}')"
            ),
        ),
        Event::Vacuum => run(&file, "VACUUM"),
        Event::Keep => drop(fs::copy(&file, &kept).unwrap()),
        Event::Restore { in_place } => match (kept.is_file(), in_place) {
            (false, _) => {}
            (true, true) => drop(fs::copy(&kept, &file).unwrap()),
            (true, false) => {
                let again = home.root().join("again");
                fs::copy(&kept, &again).unwrap();
                fs::rename(&again, &file).unwrap();
            }
        },
        Event::Transcript(number) => {
            let transcript = Transcript::new("/home/dev/app", "t").user(&format!("said {number}"));
            transcript.write_below(&home.cursor_dir().join("projects")).unwrap();
        }
        Event::Session(number) => {
            let folder = home.cursor_dir().join(CliChat::new("/home/dev/app", "s").folder());
            fs::write(folder.join("meta.json"), format!("{{\"title\":\"named {number}\"}}")).unwrap();
        }
        Event::Log(on) => {
            run(&file, if *on { "PRAGMA journal_mode = WAL" } else { "PRAGMA journal_mode = DELETE" });
        }
    }
}

/// Something that differs from write to write: the length of the file and the number of its rows.
fn entropy(file: &Path) -> u64 {
    let connection = backscroll_fixtures::create_database(file).unwrap();
    let top =
        connection.query_row("SELECT max(rowid) FROM cursorDiskKV", [], |row| row.get::<_, Option<u32>>(0));
    u64::from(top.unwrap().unwrap_or_default())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn each_conversation_that_changed_is_named(rounds in prop::collection::vec(prop::collection::vec(event(), 1..4), 1..8)) {
        let home = home();
        let mut watch = Watch::on(home.root());
        let mut before = watch.state();
        for events in rounds {
            for event in &events {
                happen(&home, event);
            }
            let changed = watch.look();
            let now = watch.state();
            for id in differing(&before, &now) {
                let is_named = changed.contains(&ConversationId::new(&id));
                prop_assert!(is_named, "{id} changed by {events:?}");
            }
            prop_assert_eq!(watch.look(), BTreeSet::new());
            before = now;
        }
    }
}
