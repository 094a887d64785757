//! Messages that are read without the rest of their conversation are those of the whole, to the letter, or are told to be unsure.

use std::path::{Path, PathBuf};

use backscroll_fixtures::{
    Composer, CursorHome, Era, Speaks, StateDatabase, Transcript, demo_home, recorded,
};
use backscroll_history::{AloneMessage, History, Index, Query, ReadAlone};
use backscroll_index::{Manner, refresh};
use backscroll_model::{ConversationId, Message};
use proptest::prelude::*;
use serde_json::json;

use crate::home::history_of;

fn index_of(history: &History, folder: &Path) -> Index {
    let manner = Manner::ordinary("2026-03-01T00:00:00Z".parse().unwrap());
    refresh(folder, history, manner, &mut |_, _| {}).unwrap();
    Index::open(folder).unwrap().expect("an index was just made")
}

/// The same message, without who else tells it or single facts of it.
fn alone(message: &Message) -> Message {
    Message { also: Vec::new(), fact_origins: Vec::new(), ..message.clone() }
}

/// Asserts that stretches of `id` are those of the whole; gives how many messages were asked for, and surely told.
fn compare(history: &History, index: &Index, id: &ConversationId, size: usize) -> (usize, usize) {
    let whole = history.load(id).unwrap();
    let (mut asked, mut told) = (0, 0);
    for from in (0..whole.messages.len()).step_by(size.max(1)) {
        let wanted = from as u64..(from + size) as u64;
        let read = history.read_alone(index, id, wanted).unwrap();
        let ReadAlone { total, messages } = read.expect("the index knows every conversation that is loaded");
        assert_eq!(total, whole.messages.len() as u64, "{id}");
        let expected = &whole.messages[from..(from + size).min(whole.messages.len())];
        for (AloneMessage { message, is_sure }, expected) in messages.iter().zip(expected) {
            assert_eq!(message.id, expected.id, "{id} from {from}");
            assert_eq!(
                *is_sure,
                alone(message) == alone(expected),
                "{id} from {from}: {message:#?} {expected:#?}"
            );
            told += usize::from(*is_sure);
        }
        assert!(messages.len() <= expected.len());
        asked += expected.len();
    }
    (asked, told)
}

fn compare_home(home: &Path, size: usize) -> (usize, usize) {
    let folder = tempfile::tempdir().unwrap();
    let history = history_of(home);
    let index = index_of(&history, folder.path());
    let summaries = history.list(&Query { all: true, ..Query::default() }).summaries;
    let counts = summaries.iter().map(|summary| compare(&history, &index, &summary.id, size));
    counts.fold((0, 0), |(asked, told), (more_asked, more_told)| (asked + more_asked, told + more_told))
}

#[test]
fn a_stretch_of_any_recorded_conversation_is_that_of_the_whole() {
    for recorded in recorded().unwrap() {
        let copy = recorded.copy_to_temp().unwrap();
        for below in ["", "snapshot1", "snapshot2"] {
            let home: PathBuf = copy.path().join(below);
            if home.is_dir() {
                compare_home(&home, 7);
            }
        }
    }
}

#[test]
fn a_stretch_of_the_demo_is_that_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    demo_home(folder.path()).unwrap();
    let (asked, told) = compare_home(folder.path(), 5);
    assert!(told > 0, "some of {asked} messages can be told alone");
}

/// A conversation of many turns, as editors write them today.
fn long_conversation(turns: usize) -> Composer {
    let mut composer = Composer::new("long").era(Era::V16).model("gpt-5").started(1_750_000_000_000);
    for turn in 0..turns {
        composer = composer
            .user(&format!("question {turn}"))
            .thinking("hm")
            .tool(
                "read_file",
                json!({"target_file": format!("{turn}.rs")}),
                json!({"contents": "fn main() {}"}),
            )
            .assistant("done");
    }
    composer
}

fn written(composer: &Composer) -> backscroll_fixtures::WrittenHome {
    CursorHome::new().unwrap().global(StateDatabase::new().composer(composer)).write().unwrap()
}

#[test]
fn all_of_a_sound_conversation_can_be_told_in_stretches() {
    for composer in [long_conversation(60), long_conversation(60).with_agent_blobs()] {
        let home = written(&composer);
        let (asked, told) = compare_home(home.root(), 50);
        assert_eq!((asked, told), (240, 240));
    }
}

#[test]
fn what_another_place_adds_is_not_told_without_it() {
    let composer = long_conversation(3);
    let transcript =
        Transcript::new("/w/project", "long").user("question 0").assistant("only the transcript has this");
    let home =
        CursorHome::new().unwrap().global(StateDatabase::new().composer(&composer)).transcript(transcript);
    let home = home.write().unwrap();
    let history = history_of(home.root());
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(&history, folder.path());
    let id = ConversationId::new("long");
    let whole = history.load(&id).unwrap();
    let only =
        whole.messages.iter().position(|message| message.text().contains("only the transcript")).unwrap();
    let read = history.read_alone(&index, &id, 0..100).unwrap().unwrap();
    assert!(read.messages.len() <= only, "{only}");
    compare(&history, &index, &id, 4);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "our own home")]
fn what_changed_since_the_index_was_made_is_not_told() {
    let composer = long_conversation(20);
    let home = written(&composer);
    let folder = tempfile::tempdir().unwrap();
    let index = index_of(&history_of(home.root()), folder.path());
    let id = ConversationId::new("long");
    let told = |from, to| {
        let read = history_of(home.root()).read_alone(&index, &id, from..to).unwrap().unwrap();
        read.messages.iter().filter(|message| message.is_sure).count()
    };
    assert_eq!((told(0, 10), told(90, 100)), (10, 0));
    let file = home.root().join(".config/Cursor/User/globalStorage/state.vscdb");
    let row = format!("bubbleId:long:{}", composer.bubble_id(8));
    let sql = "UPDATE cursorDiskKV SET value = replace(value, 'question 2', 'question 200') WHERE key = ?";
    assert_eq!(rusqlite::Connection::open(file).unwrap().execute(sql, [row]).unwrap(), 1);
    assert_eq!(told(0, 10), 9);
    let unknown = ConversationId::new("unknown");
    assert_eq!(history_of(home.root()).read_alone(&index, &unknown, 0..10).unwrap(), None);
}

/// One step of a conversation, and what became of its row.
fn steps() -> impl Strategy<Value = Vec<(u8, u8)>> {
    prop::collection::vec((0_u8..6, 0_u8..12), 1..60)
}

fn composed(steps: &[(u8, u8)], era: Era, has_blobs: bool) -> Composer {
    let mut composer = Composer::new("made").era(era).started(1_750_000_000_000).user("begin");
    for (number, (what, fate)) in steps.iter().enumerate() {
        composer = match what {
            0 => composer.user(&format!("and {}", number % 3)),
            1 => composer.thinking(&format!("thought {}", number % 2)),
            2 => composer.edits(&format!("/w/{number}.rs"), "one\n", "two\n"),
            3 => composer.tool("run_terminal_cmd", json!({"command": "ls"}), json!({"output": "a b"})),
            4 => composer.tool("read_file", json!({"target_file": "a.rs"}), json!(null)),
            _ => composer.assistant(&format!("answer {}", number % 4)),
        };
        composer = match fate {
            0 => composer.orphaned(),
            1 => composer.nulled(),
            2 => composer.lost(),
            _ => composer,
        };
    }
    if has_blobs { composer.with_agent_blobs() } else { composer }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_stretch_of_any_conversation_is_that_of_the_whole(
        steps in steps(),
        size in 1_usize..40,
        era in prop::sample::select(vec![Era::V3, Era::V10, Era::V16]),
        has_blobs in any::<bool>(),
    ) {
        let home = written(&composed(&steps, era, has_blobs && era == Era::V16));
        compare_home(home.root(), size);
    }
}
