//! What backups, copies and leftover rows add to a conversation, and what they must not.

use backscroll_fixtures::{
    Composer, CursorHome, Era, SearchIndex, Speaks, StateDatabase, Value, WorkspaceFolder, WrittenHome,
    recorded_named,
};
use backscroll_history::{Ask, AskError};
use backscroll_model::{ConversationId, FindingKind, Flag, Layer, Role};
use serde_json::json;

use crate::home::{all, ask, history_of, load, said};

fn composer(id: &str) -> Composer {
    Composer::new(id).titled(id).user("one").assistant("two").user("three")
}

fn home(main: StateDatabase, backup: StateDatabase) -> WrittenHome {
    CursorHome::new().unwrap().global(main).backup(backup).write().unwrap()
}

fn database<'a>(composers: impl IntoIterator<Item = &'a Composer>) -> StateDatabase {
    composers.into_iter().fold(StateDatabase::new(), StateDatabase::composer)
}

#[test]
fn a_conversation_that_only_a_backup_has_is_deleted() {
    let (kept, gone) = (composer("kept"), composer("gone"));
    let home = home(database([&kept]), database([&kept, &gone]));
    ask(home.root(), |history| {
        let shown = history.list(&Ask::default()).summaries;
        assert_eq!(shown.iter().map(|summary| summary.id.as_str()).collect::<Vec<_>>(), ["kept"]);
        let flags: Vec<_> =
            all(history).iter().map(|s| (s.id.clone(), s.flags.contains(&Flag::Deleted))).collect();
        assert!(
            flags.contains(&("kept".into(), false)) && flags.contains(&("gone".into(), true)),
            "{flags:?}"
        );
        let gone = load(history, "gone");
        assert!(gone.summary.flags.contains(&Flag::Deleted));
        assert_eq!(said(&gone.messages), ["one", "two", "three"]);
        assert!(gone.messages.iter().all(|message| message.deleted));
        assert!(gone.messages[0].origin.file.ends_with("state.vscdb.backup"));
        let kept = load(history, "kept");
        assert_eq!(said(&kept.messages), ["one", "two", "three"]);
        assert!(kept.orphans.is_empty() && kept.messages.iter().all(|message| !message.deleted));
    });
}

#[test]
fn a_message_that_only_a_backup_has_is_an_orphan() {
    let now = composer("c1");
    let before = composer("c1").assistant("four, taken back").user("five");
    let home = home(database([&now]), database([&before]));
    let whole = ask(home.root(), |history| load(history, "c1"));
    assert_eq!(said(&whole.messages), ["one", "two", "three"]);
    assert_eq!(said(&whole.orphans), ["four, taken back", "five"]);
    assert!(whole.orphans.iter().all(|orphan| orphan.deleted));
    assert_eq!((whole.coverage.listed, whole.coverage.orphaned), (3, 2));
    assert!(!whole.summary.flags.contains(&Flag::Deleted));
}

#[test]
fn a_listed_message_without_row_is_read_from_the_backup() {
    for lose in [Composer::nulled as fn(Composer) -> Composer, Composer::lost] {
        let now = lose(Composer::new("c1").titled("c1").user("one").assistant("two")).user("three");
        let home = home(database([&now]), database([&composer("c1")]));
        let whole = ask(home.root(), |history| load(history, "c1"));
        assert_eq!(said(&whole.messages), ["one", "two", "three"]);
        let deleted: Vec<bool> = whole.messages.iter().map(|message| message.deleted).collect();
        assert_eq!(deleted, [false, true, false]);
        assert!(whole.messages[1].origin.file.ends_with("state.vscdb.backup"));
        assert!(whole.orphans.is_empty());
        assert!(whole.coverage.adds_up());
        assert_eq!((whole.coverage.read, whole.coverage.missing), (3, 0));
        let alone = self::home(database([&now]), StateDatabase::new());
        let whole = ask(alone.root(), |history| load(history, "c1"));
        assert_eq!(said(&whole.messages), ["one", "", "three"]);
        assert_eq!((whole.coverage.read, whole.coverage.missing), (2, 1));
    }
}

#[test]
fn an_orphan_of_the_main_file_that_the_backup_lists_stays_one() {
    let now = Composer::new("c1").user("one").assistant("two").orphaned().user("three");
    let home = home(database([&now]), database([&composer("c1")]));
    let whole = ask(home.root(), |history| load(history, "c1"));
    assert_eq!(
        (said(&whole.messages), said(&whole.orphans)),
        (vec!["one".into(), "three".into()], vec!["two".into()])
    );
    assert!(!whole.orphans[0].deleted, "the main file still has it");
}

#[test]
fn a_conversation_of_several_backups_is_shown_once() {
    let (gone, more) = (composer("gone"), composer("gone").assistant("four"));
    let home = CursorHome::new().unwrap().global(database([&composer("kept")])).backup(database([&gone]));
    let home = home.file_manager_copy(database([&gone]));
    let home = home
        .database("globalStorage/state.vscdb.corrupted.1700000000000", database([&more]))
        .write()
        .unwrap();
    ask(home.root(), |history| {
        assert_eq!(all(history).len(), 2);
        let whole = load(history, "gone");
        let mut words = said(&whole.messages);
        words.extend(said(&whole.orphans));
        words.sort();
        assert_eq!(words, ["four", "one", "three", "two"]);
        assert!(whole.coverage.adds_up());
    });
}

#[test]
fn a_backup_with_an_older_list_of_empty_conversations_adds_nothing() {
    let recorded = recorded_named("global-orphans-empty-backup").unwrap();
    let copy = recorded.copy_to_temp().unwrap();
    ask(copy.path(), |history| {
        let mut deleted = all(history);
        deleted.retain(|summary| summary.flags.contains(&Flag::Deleted));
        deleted.retain(|summary| summary.origins[0].layer == Layer::IdeGlobal);
        assert!(deleted.is_empty(), "{deleted:?}");
    });
}

#[test]
fn rows_without_a_record_are_a_deleted_conversation_in_order() {
    let gone =
        Composer::new("gone").era(Era::V10).user("one").assistant("two").user("three").assistant("four");
    let mut rows: Vec<_> = gone.rows().into_iter().filter(|(key, _)| key.starts_with("bubbleId:")).collect();
    rows.reverse();
    for tombstone in [None, Some(Value::Null)] {
        let mut main = StateDatabase::new().rows(rows.clone());
        if let Some(value) = tombstone {
            main = main.kv("composerData:gone", value);
        }
        let home = home(main, StateDatabase::new());
        ask(home.root(), |history| {
            assert!(history.list(&Ask::default()).summaries.is_empty(), "hidden");
            let listed = all(history);
            assert_eq!(listed.len(), 1);
            assert!(listed[0].flags.contains(&Flag::Deleted));
            let whole = load(history, "gone");
            assert_eq!(said(&whole.messages), ["one", "two", "three", "four"], "in order of time");
            assert!(whole.summary.flags.contains(&Flag::Deleted));
            assert!(whole.findings.iter().any(|finding| finding.kind == FindingKind::ListLost));
            assert_eq!(whole.messages[0].role, Role::User);
        });
    }
}

#[test]
fn a_deleted_conversation_whose_rows_are_all_null_is_listed_and_loads() {
    let rows = (1..4).map(|number| (format!("bubbleId:gone:b{number}"), Value::Null));
    for tombstone in [None, Some(Value::Null)] {
        let mut main = StateDatabase::new().rows(rows.clone());
        if let Some(value) = tombstone {
            main = main.kv("composerData:gone", value);
        }
        let home = home(main, StateDatabase::new());
        ask(home.root(), |history| {
            assert!(history.list(&Ask::default()).summaries.is_empty(), "hidden");
            let listed = all(history);
            assert_eq!(listed.iter().map(|summary| summary.id.as_str()).collect::<Vec<_>>(), ["gone"]);
            assert!(listed[0].flags.contains(&Flag::Deleted));
            assert_eq!(history.resolve("gone").unwrap().as_str(), "gone");
            let whole = load(history, "gone");
            assert!(whole.summary.flags.contains(&Flag::Deleted));
            assert!(whole.messages.iter().chain(&whole.orphans).all(|message| message.parts.is_empty()));
            assert!(whole.findings.iter().any(|finding| finding.kind == FindingKind::NullRow));
            assert!(whole.coverage.adds_up());
        });
    }
}

#[test]
fn an_emptied_list_does_not_lose_the_rows() {
    let emptied = composer("c1").set("fullConversationHeadersOnly", json!([]));
    let home = home(database([&emptied]), StateDatabase::new());
    ask(home.root(), |history| {
        let shown = history.list(&Ask::default()).summaries;
        assert_eq!(shown.len(), 1, "it is not empty");
        let whole = load(history, "c1");
        assert_eq!(said(&whole.messages), ["one", "two", "three"]);
        assert!(whole.findings.iter().any(|finding| finding.kind == FindingKind::ListLost));
        assert!(!whole.summary.flags.contains(&Flag::Deleted));
        assert_eq!(whole.summary.title.as_deref(), Some("c1"));
    });
}

#[test]
fn a_record_that_is_null_and_has_no_rows_is_no_conversation() {
    let home = home(StateDatabase::new().kv("composerData:gone", Value::Null), StateDatabase::new());
    let history = history_of(home.root());
    assert!(all(&history).is_empty());
    assert!(matches!(history.load(&ConversationId::new("gone")), Err(AskError::NoMatch { .. })));
}

#[test]
fn the_search_index_names_what_is_in_the_cloud_and_keeps_words_of_the_lost() {
    let untitled = Composer::new("untitled").user("first line").assistant("two");
    let search = SearchIndex::new()
        .local("kept", "Old title", "words of the index", 1_783_397_624_574)
        .local("untitled", "Title of the index", "", 1_783_397_624_574)
        .local("lost", "Lost one", "all its words", 1_783_397_624_574)
        .cloud("bc-1", "In the cloud", 1_783_397_624_574);
    let home =
        CursorHome::new().unwrap().global(database([&composer("kept"), &untitled])).search_index(search);
    let home = home.write().unwrap();
    ask(home.root(), |history| {
        let listed = all(history);
        let of = |id: &str| listed.iter().find(|summary| summary.id.as_str() == id).unwrap();
        assert_eq!(of("kept").title.as_deref(), Some("kept"), "the record knows better");
        assert!(of("kept").flags.is_empty(), "{:?}", of("kept").flags);
        assert_eq!(of("bc-1").title.as_deref(), Some("In the cloud"));
        assert!(of("bc-1").flags.contains(&Flag::Background));
        assert!(!of("bc-1").flags.contains(&Flag::Deleted), "what is in the cloud was not deleted here");
        assert!(of("lost").flags.contains(&Flag::Deleted));
        let lost = load(history, "lost");
        assert_eq!(said(&lost.messages), ["all its words"]);
        let kept = load(history, "kept");
        assert_eq!(said(&kept.messages), ["one", "two", "three"]);
        assert!(kept.orphans.is_empty(), "words of the index are no message where messages are");
    });
}

#[test]
fn a_workspace_backup_has_a_deleted_conversation() {
    let gone = composer("gone");
    let list = json!({ "allComposers": [backscroll_fixtures::inline_composer(&gone)] });
    let home = CursorHome::new()
        .unwrap()
        .workspace(WorkspaceFolder::new("0123abcd").folder("file:///home/a/app"))
        .database(
            "workspaceStorage/0123abcd/state.vscdb.backup",
            StateDatabase::new().item("composer.composerData", list),
        )
        .write()
        .unwrap();
    ask(home.root(), |history| {
        let whole = load(history, "gone");
        assert_eq!(said(&whole.messages), ["one", "two", "three"]);
        assert!(whole.summary.flags.contains(&Flag::Deleted));
        assert_eq!(whole.summary.workspace.as_ref().unwrap().path, "/home/a/app");
    });
}
