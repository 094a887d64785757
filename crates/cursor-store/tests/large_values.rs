//! A value that would take all memory is not read, and reported.

use backscroll_cursor_store::{Where, find};
use backscroll_fixtures::{
    CliChat, Composer, CursorHome, Journal, Speaks, StateDatabase, WorkspaceFolder, create_database,
};
use backscroll_history::{Ask, History};
use backscroll_model::{ConversationId, FindingKind, Flag, Message};

use crate::damaged_logs::files_below;

#[test]
fn a_message_of_two_hundred_megabytes_costs_itself() {
    let id = "aaaaaaaa-0000-4000-8000-000000000000";
    let composer = Composer::new(id).user("hello").assistant("large").user("goodbye");
    let key = format!("bubbleId:{id}:{}", composer.bubble_id(1));
    let database = StateDatabase::new().journal(Journal::Rollback).composer(&composer);
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    let writer = create_database(&home.global_database()).unwrap();
    writer.execute("UPDATE cursorDiskKV SET value = zeroblob(90 << 20) WHERE key = ?1", [&key]).unwrap();
    drop(writer);
    let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
    let read = History::over(found.sources, found.findings).load(&ConversationId::new(id)).unwrap();
    let words: Vec<String> = read.messages.iter().map(Message::text).collect();
    assert_eq!(words, ["hello", "", "goodbye"]);
    let large: Vec<_> = read.findings.iter().filter(|one| one.kind == FindingKind::TooLarge).collect();
    assert!(
        matches!(large[..], [one] if one.at.key == key && one.says.contains("90 MB")),
        "{:?}",
        read.findings
    );
}

#[test]
fn a_conversation_of_many_large_messages_is_read_up_to_its_limit() {
    let id = "aaaaaaaa-0000-4000-8000-000000000000";
    let composer = Composer::new(id).user("one").user("two").user("three").user("four").user("hello");
    let database = StateDatabase::new().journal(Journal::Rollback).composer(&composer);
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    let writer = create_database(&home.global_database()).unwrap();
    for number in 0..4 {
        let key = format!("bubbleId:{id}:{}", composer.bubble_id(number));
        let sql = "UPDATE cursorDiskKV SET value = json_set(value, '$.text', hex(zeroblob(24 << 20))) WHERE key = ?1";
        assert_eq!(writer.execute(sql, [&key]).unwrap(), 1);
    }
    drop(writer);
    let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
    let read = History::over(found.sources, found.findings).load(&ConversationId::new(id)).unwrap();
    // Two of the four messages of 48 MB.
    assert_eq!(read.messages.iter().filter(|message| message.text().len() == 48 << 20).count(), 2);
    assert!(read.messages.iter().any(|message| message.text() == "hello"));
    let large: Vec<_> = read.findings.iter().filter(|one| one.kind == FindingKind::TooLarge).collect();
    assert!(
        matches!(large[..], [one] if one.says.contains("2 messages are left out")),
        "{:?}",
        read.findings
    );
}

#[test]
fn a_blob_of_a_hundred_megabytes_costs_itself() {
    let id = "0c000000-0000-4000-8000-000000000001";
    let chat = CliChat::new("/w/project", id).user("hello").assistant("large").user("goodbye");
    let home = CursorHome::new().unwrap().cli(chat).write().unwrap();
    let [database] = &files_below(home.root(), "store.db")[..] else { panic!("one store") };
    let writer = create_database(database).unwrap();
    let sql = "UPDATE blobs SET data = zeroblob(100 << 20) WHERE CAST(data AS TEXT) LIKE '{%large%'";
    assert_eq!(writer.execute(sql, []).unwrap(), 1);
    drop(writer);
    let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
    let read = History::over(found.sources, found.findings).load(&ConversationId::new(id)).unwrap();
    let words: String = read.messages.iter().map(Message::text).collect();
    assert!(words.contains("hello") && words.contains("goodbye"), "{words}");
    let large = read.findings.iter().filter(|one| one.kind == FindingKind::TooLarge);
    assert!(large.clone().any(|one| one.says.contains("100 MB")), "{:?}", read.findings);
}

#[test]
fn a_record_of_two_hundred_megabytes_is_that_of_a_conversation_which_exists() {
    let (with, without) = ("aaaaaaaa-0000-4000-8000-000000000000", "bbbbbbbb-0000-4000-8000-000000000000");
    let database = StateDatabase::new().journal(Journal::Rollback);
    let database = database
        .composer(&Composer::new(with).user("hello").assistant("hi"))
        .composer(&Composer::new(without));
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    let writer = create_database(&home.global_database()).unwrap();
    let sql = "UPDATE cursorDiskKV SET value = zeroblob(200 << 20) WHERE key LIKE 'composerData:%'";
    assert_eq!(writer.execute(sql, []).unwrap(), 2);
    drop(writer);
    let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
    let global = found.sources.iter().find(|source| source.id().kind == "ide-global").unwrap();
    let catalogue = global.catalogue(&global.stores().value[0].path, None).unwrap();
    for id in [with, without] {
        let listed = catalogue.entries.iter().find(|one| one.entry.id.as_str() == id).unwrap();
        let large: Vec<_> = listed.heads.iter().flat_map(|head| &head.findings).collect();
        assert!(
            matches!(large[..], [one] if one.kind == FindingKind::TooLarge && one.says.contains("200 MB")),
            "{large:?}"
        );
    }
    assert!(!catalogue.findings.iter().any(|finding| finding.kind == FindingKind::NullRow));
    let history = History::over(found.sources, found.findings);
    let listed = history.list(&Ask::everything()).summaries;
    assert_eq!(listed.len(), 2);
    for summary in listed {
        let read = history.load(&summary.id).unwrap();
        for flags in [&summary.flags, &read.summary.flags] {
            assert!(!flags.contains(&Flag::Deleted) && !flags.contains(&Flag::Empty), "{flags:?}");
        }
        assert_eq!(read.messages.len(), if summary.id.as_str() == with { 2 } else { 0 });
        assert!(read.findings.iter().any(|finding| finding.kind == FindingKind::TooLarge));
    }
}

#[test]
fn a_record_of_two_hundred_megabytes_in_a_workspace_is_that_of_a_conversation_which_exists() {
    let id = "aaaaaaaa-0000-4000-8000-000000000000";
    let home = CursorHome::new().unwrap().workspace(WorkspaceFolder::new("w1").folder("/home/dev/w1"));
    let home = home.write().unwrap();
    let file = home.user_dir().join("workspaceStorage/w1/state.vscdb");
    let writer = create_database(&file).unwrap();
    let sql = format!(
        r#"INSERT INTO cursorDiskKV VALUES ('composerData:{id}', zeroblob(200 << 20));
           INSERT INTO cursorDiskKV VALUES ('bubbleId:{id}:b', '{{"_v":3,"type":1,"bubbleId":"b","text":"hello"}}');"#
    );
    writer.execute_batch(&sql).unwrap();
    drop(writer);
    let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
    let history = History::over(found.sources, found.findings);
    let listing = history.list(&Ask::everything());
    assert!(listing.findings.iter().any(|finding| finding.kind == FindingKind::TooLarge));
    let read = history.load(&ConversationId::new(id)).unwrap();
    for flags in [&listing.summaries[0].flags, &read.summary.flags] {
        assert!(!flags.contains(&Flag::Deleted) && !flags.contains(&Flag::Empty), "{flags:?}");
    }
    assert_eq!(read.messages.iter().map(Message::text).collect::<Vec<_>>(), ["hello"]);
    assert!(read.findings.iter().any(|one| one.kind == FindingKind::TooLarge && one.says.contains("200 MB")));
}

#[test]
fn fifty_thousand_conversations_without_a_record_are_listed_and_the_rest_is_counted() {
    let (most, more) = (50_000, 7);
    let database = StateDatabase::new().composer(&Composer::new("known").user("hello"));
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    let writer = create_database(&home.global_database()).unwrap();
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
               INSERT INTO cursorDiskKV SELECT printf('bubbleId:lost%06d:b', i), '{\"type\":1,\"text\":\"x\"}' FROM n";
    writer.execute(sql, [most + more]).unwrap();
    drop(writer);
    let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
    let global = found.sources.iter().find(|source| source.id().kind == "ide-global").unwrap();
    let catalogue = global.catalogue(&global.stores().value[0].path, None).unwrap();
    let lost = |number: usize| ConversationId::new(format!("lost{number:06}"));
    let ids: Vec<_> = catalogue.entries.iter().map(|one| &one.entry.id).collect();
    assert_eq!(ids.len(), 50_001);
    assert!(ids.contains(&&lost(50_000)) && !ids.contains(&&lost(50_001)) && ids.contains(&&"known".into()));
    let large: Vec<_> =
        catalogue.findings.iter().filter(|finding| finding.kind == FindingKind::TooLarge).collect();
    assert!(matches!(large[..], [one] if one.says.starts_with("50007 conversations")), "{large:?}");
}
