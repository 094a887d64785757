//! Sessions of the command line agent: recorded ones, and built ones with everything that may go wrong.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use backscroll_cursor_store::{CliStores, KnownPaths, Where, find};
use backscroll_fixtures::{
    CliChat, CursorHome, Journal, Proto, Speaks, WorkspaceFolder, WrittenHome, behaves_like_a_source, md5_of,
    recorded, sha256_of, snapshot_of,
};
use backscroll_history::History;
use backscroll_model::{
    AtIs, Attribution, FindingKind, Flag, Fragment, Inventory as _, Layer, Message, Part, Role, Scope,
    Source, Surface, ToolStatus,
};
use rusqlite::Connection;
use serde_json::json;

use crate::asked::{catalogued, fragments, listing};
use crate::writer::Writer;

fn chats(home: &Path) -> CliStores {
    CliStores::chats(&home.join(".cursor/chats"), Arc::new(KnownPaths::default()))
}

fn load(source: &CliStores, id: &str) -> Fragment {
    let mut fragments = fragments(source, id);
    assert_eq!(fragments.len(), 1, "{id} is in one store");
    fragments.remove(0)
}

fn finding(fragment: &Fragment, kind: FindingKind) -> Vec<&str> {
    fragment.findings.iter().filter(|one| one.kind == kind).map(|one| one.says.as_str()).collect()
}

/// Opens a store for the changes that a test makes to it.
fn change(path: &Path, statement: &str, parameters: impl rusqlite::Params) {
    let connection = backscroll_fixtures::create_database(path).unwrap();
    assert_ne!(connection.execute(statement, parameters).unwrap(), 0, "{statement} changes something");
}

fn store_of(home: &WrittenHome, chat: &CliChat) -> std::path::PathBuf {
    home.cursor_dir().join(chat.folder()).join("store.db")
}

#[test]
fn every_recorded_tally_holds() {
    let mut seen = 0;
    for store in recorded().unwrap().into_iter().filter(|store| store.name.starts_with("cli-")) {
        let home = store.copy_to_temp().unwrap();
        let before = snapshot_of(home.path()).unwrap();
        let source = chats(home.path());
        behaves_like_a_source(&source);
        let number = |key: &str| u64::try_from(store.expected[key].as_integer().unwrap()).unwrap();
        let text = |key: &str| store.expected[key].as_str().unwrap().to_owned();

        let (summaries, findings) = listing(&source);
        assert_eq!((summaries.len() as u64, findings.len()), (number("sessions"), 0));
        let summary = &summaries[0];
        assert_eq!(summary.id.as_str(), text("session"));
        assert_eq!(summary.surface, Surface::Cli);
        assert_eq!(summary.mode, Some(text("mode")));
        assert_eq!(summary.models, [text("model")]);
        let created = u64::try_from(summary.created_at.unwrap().as_millisecond()).unwrap();
        assert_eq!(created, number("created_at_ms"));
        assert_eq!(summary.messages, None, "no index has it without reading blobs");
        assert!(summary.title.is_some());

        let whole = load(&source, &text("session"));
        assert_eq!(whole.coverage.listed, number("messages_in_root_order") + number("pending_messages"));
        assert_eq!(whole.coverage.orphaned, 0, "all JSON messages are in the root");
        let calls: Vec<_> = whole.messages.iter().flat_map(Message::tool_calls).collect();
        assert_eq!(calls.len() as u64, number("tool_calls") + number("pending_tool_calls"));
        let answered = calls.iter().filter(|call| call.result.is_some()).count() as u64;
        assert_eq!(answered, number("tool_results"));
        let pending = calls.iter().filter(|call| call.status == ToolStatus::Pending).count() as u64;
        assert_eq!(pending, number("pending_tool_calls"));
        let odd = calls.iter().filter(|call| call.id.as_ref().is_some_and(|id| id.contains('\n'))).count();
        assert!(odd as u64 >= number("tool_call_ids_with_newline"));
        let stale = format!("{} blobs cannot be reached", number("blobs_stale"));
        assert!(finding(&whole, FindingKind::Unreached)[0].starts_with(&stale), "{:?}", whole.findings);
        let workspace = whole.summary.workspace.unwrap();
        assert_eq!(
            (workspace.path, workspace.by),
            (text("cwd"), Attribution::StoreFolder),
            "its hash proves it"
        );
        assert!(whole.messages.iter().all(|message| message.at.is != AtIs::Unknown));
        assert_eq!(snapshot_of(home.path()).unwrap(), before, "reading changes nothing");
        seen += 1;
    }
    assert_eq!(seen, 2);
}

#[test]
fn times_are_spread_from_the_sessions_beginning_to_its_last_change_and_never_to_its_files() {
    let store = recorded().unwrap().into_iter().find(|store| store.name == "cli-pending-call").unwrap();
    let home = store.copy_to_temp().unwrap();
    let id = store.expected["session"].as_str().unwrap();
    let whole = load(&chats(home.path()), id);
    let begun = whole.summary.created_at.unwrap().as_millisecond();
    let database = whole.summary.origins[0].file.clone();
    let ends_at = |ended: i64| {
        let whole = load(&chats(home.path()), id);
        let [first, between @ .., last] = whole.messages.as_slice() else { panic!("there are messages") };
        let own = |ms: i64, message: &Message| {
            (message.at.at.unwrap().as_millisecond(), message.at.is) == (ms, AtIs::Conversation)
        };
        assert!(own(begun, first) && own(ended, last), "{:?} {:?}", first.at, last.at);
        assert!(between.iter().all(|message| message.at.is == AtIs::Interpolated));
    };

    let changed = SystemTime::UNIX_EPOCH + Duration::from_millis((begun + 90_000).cast_unsigned());
    fs::File::options().write(true).open(&database).unwrap().set_modified(changed).unwrap();
    let whole = load(&chats(home.path()), id);
    assert_eq!(whole.summary.updated_at, whole.summary.created_at, "nothing later is stored");
    let own =
        |message: &Message| message.at.is == AtIs::Conversation && message.at.at == whole.summary.created_at;
    assert!(whole.messages.iter().all(own));

    let record = json!({ "schemaVersion": 1, "updatedAtMs": begun + 60_000 }).to_string();
    fs::write(database.parent().unwrap().join("meta.json"), record).unwrap();
    ends_at(begun + 60_000);
}

fn greeting(id: &str) -> CliChat {
    CliChat::new("/home/dev/app", id)
        .named("Greeting")
        .model("composer-2")
        .user("say hello")
        .thinking("the user wants a greeting")
        .tool("Read", json!({ "path": "/home/dev/app/README.md" }), json!("# app"))
        .assistant("Hello.")
}

#[test]
fn a_session_in_every_state_of_its_database() {
    for journal in [
        Journal::Rollback,
        Journal::WalClosed,
        Journal::WalCrashed,
        Journal::WalWithoutShm,
        Journal::WalHoldsEverything,
    ] {
        let home = CursorHome::new().unwrap().cli(greeting("s1").journal(journal)).write().unwrap();
        let before = snapshot_of(home.root()).unwrap();
        let source = chats(home.root());
        behaves_like_a_source(&source);
        let whole = load(&source, "s1");
        assert_eq!(whole.summary.title.as_deref(), Some("Greeting"), "{journal:?}");
        assert_eq!(whole.summary.models, ["composer-2"]);
        let workspace = whole.summary.workspace.unwrap();
        assert_eq!((workspace.path.as_str(), workspace.by), ("/home/dev/app", Attribution::Record));
        let said: Vec<_> = whole.messages.iter().map(|message| (message.role, message.text())).collect();
        assert!(said.contains(&(Role::User, "say hello".to_owned())), "{journal:?}: {said:?}");
        assert!(said.contains(&(Role::Assistant, "Hello.".to_owned())));
        assert_eq!(snapshot_of(home.root()).unwrap(), before, "{journal:?}");
    }
}

#[test]
fn a_live_session_is_read_while_its_writer_is_at_work() {
    let chat = greeting("s1");
    let home = CursorHome::new().unwrap().cli(chat.clone()).write().unwrap();
    let store = store_of(&home, &chat);
    let writer: Connection = backscroll_fixtures::create_database(&store).unwrap();
    writer.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).unwrap();
    writer.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    let late = json!({ "role": "assistant", "content": "written a moment ago" }).to_string();
    let id = sha256_of(late.as_bytes());
    writer.execute("INSERT INTO blobs VALUES (?1, ?2)", (id, late.as_bytes())).unwrap();
    let before = snapshot_of(home.root()).unwrap();
    let whole = load(&chats(home.root()), "s1");
    assert_eq!(whole.orphans.len(), 1, "the newest committed state is seen");
    assert_eq!(whole.orphans[0].text(), "written a moment ago");
    let after = snapshot_of(home.root()).unwrap();
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    assert_eq!(
        before[Path::new(".cursor").join(chat.folder()).join("store.db").as_path()],
        after[Path::new(".cursor").join(chat.folder()).join("store.db").as_path()]
    );
    drop(writer);
}

#[test]
fn a_session_under_two_folders_is_listed_once_and_loaded_twice() {
    let one = greeting("s1");
    let other = CliChat::new("/home/dev/other", "s1").named("Greeting").user("say hello");
    let home = CursorHome::new().unwrap().cli(one).cli(other).write().unwrap();
    let source = chats(home.root());
    behaves_like_a_source(&source);
    let (summaries, _) = listing(&source);
    assert_eq!(summaries.len(), 1);
    assert_eq!(summaries[0].origins.len(), 2);
    assert_eq!(fragments(&source, "s1").len(), 2);
}

#[test]
fn leftovers_are_nothing_or_empty() {
    let meta =
        |has| json!({ "schemaVersion": 1, "hasConversation": has, "cwd": "/home/dev/app" }).to_string();
    let home = CursorHome::new()
        .unwrap()
        .file(".cursor/chats/0123/left/store.db-shm", "x")
        .file(".cursor/chats/0123/asked/meta.json", meta(false))
        .file(".cursor/chats/0123/hollow/store.db", "")
        .write()
        .unwrap();
    let source = chats(home.root());
    behaves_like_a_source(&source);
    let (summaries, findings) = listing(&source);
    let says: Vec<_> = findings.iter().map(|one| one.says.as_str()).collect();
    assert_eq!(says, ["the database is empty: 0 bytes"]);
    let listed: Vec<_> =
        summaries.iter().map(|one| (one.id.as_str(), one.flags.contains(&Flag::Empty))).collect();
    assert_eq!(listed, [("asked", true), ("hollow", true)]);
}

#[test]
fn a_store_that_is_none_is_reported_and_hides_nothing() {
    let home = CursorHome::new()
        .unwrap()
        .file(".cursor/chats/0123/broken/store.db", "no database")
        .file(
            ".cursor/chats/0123/broken/meta.json",
            json!({ "title": "Lost", "hasConversation": true }).to_string(),
        )
        .cli(greeting("s1"))
        .write()
        .unwrap();
    let source = chats(home.root());
    behaves_like_a_source(&source);
    let (summaries, findings) = listing(&source);
    assert_eq!(summaries.len(), 2);
    assert_eq!(findings.iter().map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::Unreadable]);
    let broken = load(&source, "broken");
    assert_eq!(broken.summary.title.as_deref(), Some("Lost"));
    assert_eq!(finding(&broken, FindingKind::Unreadable).len(), 1);
}

#[test]
fn a_session_without_a_name_takes_the_first_query() {
    let chat = CliChat::new("/home/dev/app", "s1").user("Question 0 please").assistant("Yes.");
    let home = CursorHome::new().unwrap().cli(chat.without_meta_json()).write().unwrap();
    let source = chats(home.root());
    let (summaries, _) = listing(&source);
    assert_eq!(summaries[0].title.as_deref(), Some("Question 0 please"));
    assert_eq!(summaries[0].workspace.as_ref().map(|one| one.by), Some(Attribution::StoreFolder));
    assert!(summaries[0].updated_at.is_some(), "the file's own time, where no record has one");
}

#[test]
fn a_missing_blob_and_a_wrong_hash_are_findings() {
    let chat = greeting("s1");
    let home = CursorHome::new().unwrap().cli(chat.clone()).write().unwrap();
    let store = store_of(&home, &chat);
    let graph = chat.graph();
    let holds = |words: &str| {
        let found = graph.blobs().iter().find(|(_, bytes)| {
            bytes.first() == Some(&b'{') && String::from_utf8_lossy(bytes).contains(words)
        });
        found.unwrap().0.clone()
    };
    change(&store, "DELETE FROM blobs WHERE id = ?1", [holds("Hello.")]);
    let changed = json!({ "role": "user", "content": "<user_query>\nsay hullo\n</user_query>" }).to_string();
    change(&store, "UPDATE blobs SET data = ?2 WHERE id = ?1", (holds("say hello"), changed.as_bytes()));
    let source = chats(home.root());
    behaves_like_a_source(&source);
    let whole = load(&source, "s1");
    assert_eq!(whole.coverage.missing, 1);
    assert_eq!(finding(&whole, FindingKind::DanglingReference).len(), 1, "{:?}", whole.findings);
    assert_eq!(finding(&whole, FindingKind::HashMismatch).len(), 1, "{:?}", whole.findings);
    assert!(whole.messages.iter().any(|message| message.text() == "say hullo"), "what is there is read");
}

/// What is odd in a long session is reported, and costs no other message.
#[test]
fn a_long_session_with_odd_blobs_loses_none_of_the_others() {
    let mut chat = CliChat::new("/home/dev/app", "s1").named("Long");
    for turn in 0..300 {
        chat = chat.user(&format!("question {turn}.")).assistant(&format!("answer {turn}."));
    }
    let home = CursorHome::new().unwrap().cli(chat.clone()).write().unwrap();
    let whole = load(&chats(home.root()), "s1");
    let answers = |whole: &Fragment| -> Vec<String> {
        let texts = whole.messages.iter().filter(|message| message.role == Role::Assistant);
        texts.map(Message::text).collect()
    };
    let mut expected: Vec<String> = (0..300).map(|turn| format!("answer {turn}.")).collect();
    assert_eq!((answers(&whole), whole.findings.len()), (expected.clone(), 0), "{:?}", whole.findings);

    let store = store_of(&home, &chat);
    let graph = chat.graph();
    let holds = |words: &str| {
        let is_it = |bytes: &[u8]| bytes.starts_with(b"{") && String::from_utf8_lossy(bytes).contains(words);
        graph.blobs().iter().find(|(_, bytes)| is_it(bytes)).unwrap().0.clone()
    };
    change(&store, "DELETE FROM blobs WHERE id = ?1", [holds("answer 17.")]);
    change(&store, "UPDATE blobs SET data = NULL WHERE id = ?1", [holds("answer 18.")]);
    change(&store, "UPDATE blobs SET data = 7 WHERE id = ?1", [holds("answer 200.")]);
    change(&store, "UPDATE blobs SET data = CAST(data AS TEXT) WHERE id = ?1", [holds("answer 201.")]);
    change(&store, "UPDATE blobs SET data = x'7b' WHERE id = ?1", [holds("answer 250.")]);
    let odd = load(&chats(home.root()), "s1");
    expected.remove(250);
    assert_eq!(answers(&odd), expected, "of those that are gone, their turns still have the words");
    assert_eq!((odd.coverage.missing, odd.coverage.undecodable), (3, 1));
    assert_eq!(finding(&odd, FindingKind::DanglingReference).len(), 3, "{:?}", odd.findings);
    assert_eq!(finding(&odd, FindingKind::HashMismatch).len(), 1, "{:?}", odd.findings);
    assert_eq!(finding(&odd, FindingKind::Undecodable).len(), 1, "{:?}", odd.findings);
}

/// The turn still has the words of a prompt that cannot be read; no answer may be there twice.
#[test]
fn a_prompt_that_cannot_be_read_doubles_no_answer() {
    let mut chat = CliChat::new("/home/dev/app", "s1").named("Short");
    for turn in 0..3 {
        chat = chat.user(&format!("question {turn}.")).assistant(&format!("answer {turn}."));
    }
    let home = CursorHome::new().unwrap().cli(chat.clone()).write().unwrap();
    let graph = chat.graph();
    let is_prompt =
        |bytes: &[u8]| bytes.starts_with(b"{") && String::from_utf8_lossy(bytes).contains("question 1.");
    let (id, _) = graph.blobs().iter().find(|(_, bytes)| is_prompt(bytes)).unwrap();
    change(&store_of(&home, &chat), "UPDATE blobs SET data = x'7b' WHERE id = ?1", [id.clone()]);
    let odd = load(&chats(home.root()), "s1");
    let texts: Vec<String> =
        odd.messages.iter().filter(|message| message.role != Role::System).map(Message::text).collect();
    let expected = ["question 0.", "answer 0.", "question 1.", "answer 1.", "question 2.", "answer 2."];
    assert_eq!(texts, expected);
    assert_eq!(finding(&odd, FindingKind::Undecodable).len(), 1, "{:?}", odd.findings);
}

#[test]
fn a_lost_root_leaves_all_messages_as_orphans() {
    let chat = greeting("s1");
    let home = CursorHome::new().unwrap().cli(chat.clone()).write().unwrap();
    change(&store_of(&home, &chat), "DELETE FROM blobs WHERE id = ?1", [chat.graph().root_id()]);
    let source = chats(home.root());
    behaves_like_a_source(&source);
    let whole = load(&source, "s1");
    assert_eq!(whole.messages, []);
    assert_eq!(finding(&whole, FindingKind::DanglingReference).len(), 1);
    let texts: Vec<_> = whole.orphans.iter().map(Message::text).collect();
    assert!(texts.contains(&"say hello".to_owned()) && texts.contains(&"Hello.".to_owned()), "{texts:?}");
    let answered = whole.orphans.iter().flat_map(Message::tool_calls).any(|call| call.result.is_some());
    assert!(answered, "an answer goes to its call even among orphans");
}

#[test]
fn abandoned_branches_are_orphans_and_old_states_are_counted() {
    let branch = json!({ "role": "assistant", "content": [{ "type": "text", "text": "another way" }] });
    let chat =
        greeting("s1").stale_blob(branch.to_string()).stale_blob(Proto::new().number(10, 1).into_bytes());
    let home = CursorHome::new().unwrap().cli(chat).write().unwrap();
    let source = chats(home.root());
    behaves_like_a_source(&source);
    let whole = load(&source, "s1");
    assert_eq!(whole.coverage.orphaned, 1);
    assert_eq!((whole.orphans[0].role, whole.orphans[0].text()), (Role::Assistant, "another way".to_owned()));
    assert_eq!(finding(&whole, FindingKind::Unreached).len(), 1);
    assert!(whole.messages.iter().all(|message| message.text() != "another way"));
}

#[test]
fn a_circle_of_blobs_ends() {
    let home = CursorHome::new().unwrap().cli(greeting("s1")).write().unwrap();
    let store = home.cursor_dir().join(greeting("s1").folder()).join("store.db");
    // A hash cannot be forged, so the circle is a blob under a name that it does not have.
    let name = [7_u8; 32];
    let id = name.map(|byte| format!("{byte:02x}")).concat();
    let circle = Proto::new().bytes(1, &name).into_bytes();
    let connection = backscroll_fixtures::create_database(&store).unwrap();
    connection.execute("INSERT INTO blobs VALUES (?1, ?2)", (&id, circle)).unwrap();
    let root = Proto::new().bytes(1, &name).into_bytes();
    connection.execute("INSERT INTO blobs VALUES (?1, ?2)", (sha256_of(&root), &root)).unwrap();
    let meta = json!({ "agentId": "s1", "latestRootBlobId": sha256_of(&root), "name": "Round" }).to_string();
    connection.execute("UPDATE meta SET value = ?1", [meta]).unwrap();
    drop(connection);
    let whole = load(&chats(home.root()), "s1");
    assert_eq!(finding(&whole, FindingKind::Cycle).len(), 1, "{:?}", whole.findings);
    assert!(!whole.orphans.is_empty(), "what the new root no longer reaches is not lost");
}

#[test]
fn subagents_with_their_own_state_are_conversations_of_their_own() {
    let child = CliChat::new("/home/dev/app", "child").user("look around").assistant("Nothing to see.");
    let state = Proto::new().bytes(1, &child.graph().root()).number(2, 1_783_397_626_124);
    let entry = Proto::new().text(1, "child-1").message(2, &state);
    let mut parent = greeting("s1").root_fields(Proto::new().message(16, &entry));
    for (_, bytes) in child.graph().blobs() {
        parent = parent.stale_blob(bytes.clone());
    }
    let home = CursorHome::new().unwrap().cli(parent).write().unwrap();
    let source = chats(home.root());
    let (summaries, _) = listing(&source);
    assert_eq!(summaries.len(), 1, "an agent inside is not reported as the store's own");
    assert_eq!(source.holdings().unwrap()[0].conversations, 2, "counting what a store holds does");
    let inside: Vec<_> = catalogued(&source).into_iter().filter(|one| one.entry.parent.is_some()).collect();
    let ids: Vec<_> = inside.iter().map(|one| (one.entry.id.as_str(), one.entry.parent.clone())).collect();
    assert_eq!(ids, [("child-1", Some("s1".into()))]);
    let heads = &inside[0].heads;
    assert_eq!(heads.len(), 1);
    assert_eq!(
        (heads[0].summary.id.as_str(), heads[0].summary.parent.clone()),
        ("child-1", Some("s1".into()))
    );
    assert!(heads[0].summary.flags.contains(&Flag::Subagent));
    let child = source.load(&inside[0].entry, Scope::Whole).unwrap().remove(0);
    assert_eq!(child.summary.parent, Some("s1".into()));
    let texts: Vec<_> = child.messages.iter().map(Message::text).collect();
    assert!(texts.contains(&"look around".to_owned()) && texts.contains(&"Nothing to see.".to_owned()));
    let parent = load(&source, "s1");
    assert_eq!(parent.summary.children, ["child-1".into()]);
    assert_eq!(parent.coverage.orphaned, 0, "a subagent's messages are no orphans of its parent");
}

#[test]
fn sessions_over_the_editor_protocol_and_their_prompts() {
    let chat = greeting("s1").acp();
    let history = json!(["say hello", "never answered"]).to_string();
    let home = CursorHome::new()
        .unwrap()
        .cli(chat.clone())
        .file(Path::new(".cursor").join(chat.folder()).join("prompt_history.json"), history)
        .write()
        .unwrap();
    let source = CliStores::acp(&home.cursor_dir().join("acp-sessions"), Arc::new(KnownPaths::default()));
    behaves_like_a_source(&source);
    let whole = History::over(vec![Box::new(source)], Vec::new()).load(&"s1".into()).unwrap();
    let orphans: Vec<_> = whole.orphans.iter().map(Message::text).collect();
    assert_eq!(orphans, ["never answered"]);
    assert_eq!(whole.coverage.orphaned, 1);
}

#[test]
fn the_folder_is_known_by_its_hash_where_no_record_names_it() {
    let chat = CliChat::new("/home/dev/app", "old").named("Old").user("hi").without_meta_json();
    let other = CliChat::new("/home/dev/app", "new").named("New").user("hi");
    assert_eq!(chat.folder().parent(), other.folder().parent());
    assert!(chat.folder().to_string_lossy().contains(&md5_of("/home/dev/app")));
    let home = CursorHome::new().unwrap().cli(chat).cli(other).write().unwrap();
    let folder = home.cursor_dir().join("chats");
    let source = CliStores::chats(
        &folder,
        Arc::new(KnownPaths::new(Vec::new(), vec![folder.clone()], Vec::new(), Arc::default())),
    );
    behaves_like_a_source(&source);
    let workspace = load(&source, "old").summary.workspace.unwrap();
    assert_eq!((workspace.path.as_str(), workspace.by), ("/home/dev/app", Attribution::StoreFolder));
}

/// C051: the folder's hash is that of the real path; a link to it is understood too.
#[cfg(unix)]
#[test]
fn c051_a_project_behind_a_link_is_known_by_its_real_path() {
    let home = CursorHome::new().unwrap().write().unwrap();
    let root = home.root().canonicalize().unwrap();
    let (real, linked) = (root.join("real/myproject"), root.join("linked"));
    std::fs::create_dir_all(&real).unwrap();
    std::os::unix::fs::symlink(root.join("real"), &linked).unwrap();
    let chat = CliChat::new(&real.to_string_lossy(), "s1").without_meta_json().user("hi").assistant("Hello.");
    let named = linked.join("myproject");
    let workspace = WorkspaceFolder::new("0123abcd").folder(&format!("file://{}", named.display()));
    drop(home.more().cli(chat).workspace(workspace).write().unwrap());
    let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
    let listed = found.sources.iter().flat_map(|source| listing(&**source).0);
    let session = listed.into_iter().find(|one| one.id.as_str() == "s1").unwrap();
    assert_eq!(session.workspace.unwrap().path, named.to_string_lossy(), "as the editor names it");
}

/// Another process writes; what is complete is read, and the session says that there is more to come.
#[test]
fn a_session_that_another_process_writes_is_read_as_far_as_it_is_committed() {
    let chat = greeting("s1");
    let home = CursorHome::new().unwrap().cli(chat.clone()).write().unwrap();
    let store = store_of(&home, &chat);
    let complete = load(&chats(home.root()), "s1").messages.len();
    let mut writer = Writer::on(&store);
    writer.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
    let late = json!({ "role": "assistant", "content": "written a moment ago" }).to_string();
    let id = sha256_of(late.as_bytes());
    writer.run(&format!("INSERT INTO blobs VALUES ('{id}', CAST('{late}' AS BLOB))"));
    let names = || snapshot_of(home.root()).unwrap().into_keys().collect::<Vec<_>>();
    let before = names();
    writer.run("BEGIN IMMEDIATE; DELETE FROM blobs");
    let whole = load(&chats(home.root()), "s1");
    assert_eq!(whole.messages.len(), complete, "what is not committed has not happened");
    assert_eq!(whole.orphans[0].text(), "written a moment ago", "what is committed has, in the log alone");
    writer.run("ROLLBACK");
    assert_eq!(names(), before, "and nothing is left beside it");
    writer.run(&format!("DELETE FROM blobs WHERE id <> '{id}'"));
    let lost = load(&chats(home.root()), "s1");
    assert!(!finding(&lost, FindingKind::DanglingReference).is_empty(), "the root went: {:?}", lost.findings);
    writer.close();
}

#[test]
fn a_plan_is_attached_to_the_call_that_made_it() {
    let plan = "---\nname: Tidy up\noverview: all of it\ntodos:\n  - id: a\n    content: sweep\n    status: pending\n---\n\n# Tidy up\n";
    let chat = CliChat::new("/home/dev/app", "s1")
        .user("make a plan")
        .tool("CreatePlan", json!({ "name": "Tidy up", "plan": "# Tidy up" }), json!("ok"))
        .assistant("Done.");
    let home = CursorHome::new()
        .unwrap()
        .cli(chat)
        .file(".cursor/plans/tidy_up_0a1b2c3d.plan.md", plan)
        .file(".cursor/plans/other_ffffffff.plan.md", "# Other")
        .write()
        .unwrap();
    let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
    let whole = History::over(found.sources, found.findings).load(&"s1".into()).unwrap();
    let plans: Vec<_> = whole
        .messages
        .iter()
        .filter_map(|message| {
            let part = message.parts.iter().find(
                |part| matches!(part, Part::Attachment(one) if one.title.as_deref() == Some("Tidy up")),
            );
            part.map(|_| message.tool_calls().count())
        })
        .collect();
    assert_eq!(plans, [1], "one plan, beside its call");
    assert_eq!(whole.facts.todos.len(), 1);
    assert_eq!(whole.facts.plans.len(), 1);
    assert!(fs::read_dir(home.cursor_dir().join("plans")).unwrap().count() == 2);
    assert_eq!(whole.messages[0].origin.layer, Layer::CliStore);
}
