//! A value that would take all memory is not read, and reported.

use backscroll_cursor_store::{Where, find};
use backscroll_fixtures::{Composer, CursorHome, Journal, Speaks, StateDatabase, create_database};
use backscroll_history::History;
use backscroll_model::{ConversationId, FindingKind, Message};

#[test]
fn a_message_of_two_hundred_megabytes_costs_itself() {
    let id = "aaaaaaaa-0000-4000-8000-000000000000";
    let composer = Composer::new(id).user("hello").assistant("large").user("goodbye");
    let key = format!("bubbleId:{id}:{}", composer.bubble_id(1));
    let database = StateDatabase::new().journal(Journal::Rollback).composer(&composer);
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    let writer = create_database(&home.global_database()).unwrap();
    writer.execute("UPDATE cursorDiskKV SET value = zeroblob(200 << 20) WHERE key = ?1", [&key]).unwrap();
    drop(writer);
    let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
    let read = History::over(found.sources, found.findings).load(&ConversationId::new(id)).unwrap();
    let words: Vec<String> = read.messages.iter().map(Message::text).collect();
    assert_eq!(words, ["hello", "", "goodbye"]);
    let large: Vec<_> = read.findings.iter().filter(|one| one.kind == FindingKind::TooLarge).collect();
    assert!(
        matches!(large[..], [one] if one.at.key == key && one.says.contains("200 MB")),
        "{:?}",
        read.findings
    );
}
