//! Shapes that other tools met: each line of their table that concerns the editor, by its number.

use backscroll_fixtures::{Composer, CursorHome, Era, Speaks, StateDatabase, WorkspaceFolder, WrittenHome};
use backscroll_model::{AtIs, Conversation, FindingKind, Flag, Message, Part};
use serde_json::json;

use crate::home::{all, ask, load, said, words};

const AT: i64 = 1_790_000_000_000;

fn written(database: StateDatabase) -> WrittenHome {
    CursorHome::new().unwrap().global(database).write().unwrap()
}

fn read(database: StateDatabase, id: &str) -> Conversation {
    let home = written(database);
    ask(home.root(), |history| load(history, id))
}

fn one(composer: &Composer) -> Conversation {
    read(StateDatabase::new().composer(composer), composer.id())
}

fn kinds(whole: &Conversation) -> Vec<FindingKind> {
    whole.findings.iter().map(|finding| finding.kind).collect()
}

/// A fork of `original` that lists its first two messages, whose rows it does not have.
fn fork(original: &Composer, at: i64) -> Composer {
    let list = json!([
        {"bubbleId": original.bubble_id(0), "type": 1, "createdAt": at},
        {"bubbleId": original.bubble_id(1), "type": 2, "createdAt": original.time_of(1)},
    ]);
    Composer::new("fork").titled("Fork").set("_v", json!(17)).set("fullConversationHeadersOnly", list)
}

#[test]
fn line_1_a_fork_reads_rows_under_the_key_of_its_original() {
    let original = Composer::new("original").titled("O").user("the words").assistant("the answer");
    let database = StateDatabase::new().composer(&original).composer(&fork(&original, original.time_of(0)));
    let whole = read(database.clone(), "fork");
    assert_eq!(said(&whole.messages), ["the words", "the answer"]);
    assert_eq!((whole.coverage.read, whole.coverage.missing), (2, 0));
    assert!(whole.messages[0].origin.key.starts_with("bubbleId:original:"), "{:?}", whole.messages[0].origin);
    assert_eq!(kinds(&whole), [FindingKind::Inferred]);
    // Another time is another message; so are two rows with the same id.
    let other = StateDatabase::new().composer(&original).composer(&fork(&original, original.time_of(0) + 1));
    assert_eq!(read(other, "fork").coverage.missing, 1);
    let twin =
        Composer::new("twin").user("the words").under_id(&original.bubble_id(0)).at(original.time_of(0));
    assert_eq!(read(database.composer(&twin), "fork").coverage.missing, 1);
}

#[test]
fn line_4_start_and_end_alone_are_exact_times_and_give_durations() {
    let composer = Composer::new("c").era(Era::V3).titled("T");
    let bare = |composer: Composer, from: i64, to: i64| {
        let composer = composer.with("timingInfo", json!(null)).with("createdAt", json!(null));
        composer.with("startedAtMs", json!(from)).with("completedAtMs", json!(to))
    };
    let composer = bare(composer.user("go"), AT, AT + 10);
    let composer =
        bare(composer.thinking("hm").with("thinkingDurationMs", json!(null)), AT + 1_000, AT + 3_500);
    let call = composer.tool("read_file_v2", json!({"targetFile": "a"}), json!({"contents": "x"}));
    let whole = one(&bare(call, AT + 4_000, AT + 4_200));
    let at: Vec<_> =
        whole.messages.iter().map(|one| (one.at.at.unwrap().as_millisecond(), one.at.is)).collect();
    assert_eq!(at, [(AT, AtIs::Exact), (AT + 1_000, AtIs::Exact), (AT + 4_000, AtIs::Exact)]);
    assert!(matches!(whole.messages[1].parts[..], [Part::Thinking { duration_ms: Some(2_500), .. }]));
    let call = whole.messages[2].tool_calls().next().unwrap();
    assert_eq!(call.ended_at.unwrap().as_millisecond(), AT + 4_200);
}

#[test]
fn line_5_a_thought_may_have_its_words_in_text() {
    let whole = one(&Composer::new("c").user("go").assistant("I wonder").with("isThought", json!(true)));
    assert!(matches!(&whole.messages[1].parts[..], [Part::Thinking { text, .. }] if text == "I wonder"));
}

#[test]
fn line_8_an_empty_prompt_has_the_words_of_the_blob_of_its_request() {
    let composer = Composer::new("c").titled("T").user("").with("richText", json!("")).assistant("yes");
    let request = composer.request_id(0);
    let blob = |request: &str, text: &str| {
        let message = json!({"role": "user", "content": [{"type": "text", "text": format!("<user_query>\n{text}\n</user_query>")}],
            "providerOptions": {"cursor": {"requestId": request}}});
        let bytes = message.to_string().into_bytes();
        (format!("agentKv:blob:{}", backscroll_fixtures::sha256_of(&bytes)), bytes)
    };
    let (key, bytes) = blob(&request, "what was asked");
    let (other_key, other) = blob("another", "not this");
    let database = StateDatabase::new().composer(&composer).kv(key.clone(), bytes).kv(other_key, other);
    let whole = read(database, "c");
    assert_eq!(said(&whole.messages), ["what was asked", "yes"]);
    assert!(whole.messages[0].also.iter().any(|origin| origin.key == key));
    assert!(whole.coverage.adds_up() && whole.coverage.empty == 0, "{:?}", whole.coverage);
}

#[test]
fn line_9_dated_bubbles_without_a_record_date_the_conversation() {
    let gone = Composer::new("gone").user("left").at(AT).assistant("over").at(AT + 60_000);
    let home = written(StateDatabase::new().composer(&gone).delete("composerData:gone"));
    ask(home.root(), |history| {
        let whole = load(history, "gone").summary;
        let listed = all(history).remove(0);
        for summary in [whole, listed] {
            assert_eq!(summary.created_at.unwrap().as_millisecond(), AT);
            assert_eq!(summary.updated_at.unwrap().as_millisecond(), AT + 60_000);
            assert!(summary.flags.contains(&Flag::Deleted));
        }
    });
}

#[test]
fn line_11_results_and_diffs_beside_the_message() {
    let results = json!([{"toolCallId": "t1", "toolName": "read_file", "args": {"target_file": "a.rs"},
        "content": "fn main() {}", "startedAtMs": AT, "completedAtMs": AT + 5}]);
    let diffs = json!([{"path": "a.rs", "diff": "@@ -1 +1 @@\n-a\n+b\n"}]);
    let composer = Composer::new("c").user("go").assistant("done");
    let whole = one(&composer.with("toolResults", results).with("assistantSuggestedDiffs", diffs));
    let answer = &whole.messages[1];
    let call = answer.tool_calls().next().unwrap();
    assert_eq!((call.name.as_str(), call.result.as_ref().unwrap().as_str()), ("read", "fn main() {}"));
    assert_eq!(call.ended_at.unwrap().as_millisecond(), AT + 5);
    let diff = answer.parts.iter().find_map(|part| match part {
        Part::Code(code) => code.diff.as_deref(),
        _ => None,
    });
    assert_eq!(diff, Some("@@ -1 +1 @@\n-a\n+b\n"));
}

#[test]
fn line_12_words_under_other_names_and_of_other_types() {
    let said_as = |field: &str, value: serde_json::Value| {
        let composer = Composer::new("c").user("go").assistant("").with(field, value);
        one(&composer).messages.remove(1)
    };
    let thought = |message: &Message| match &message.parts[..] {
        [Part::Thinking { text, .. }] => text.clone(),
        parts => panic!("{parts:?}"),
    };
    assert_eq!(words(&said_as("rawText", json!("raw"))), "raw");
    assert_eq!(words(&said_as("content", json!("content"))), "content");
    assert_eq!(thought(&said_as("thinking", json!({"content": "hm"}))), "hm");
    assert_eq!(thought(&said_as("thinking", json!("bare"))), "bare");
    let whole = one(&Composer::new("c").user("go").assistant("of type ai").with("type", json!("ai")));
    assert_eq!((said(&whole.messages), kinds(&whole)), (vec!["go".into(), "of type ai".into()], vec![]));
    let odd = Composer::new("c").user("go").assistant("of type 7").with("type", json!(7));
    let whole = one(&odd);
    assert_eq!(said(&whole.messages), ["go", "of type 7"]);
    assert_eq!(kinds(&whole), [FindingKind::Unknown], "an unknown type is said");
}

#[test]
fn line_13_records_in_the_database_of_a_workspace() {
    let composer = Composer::new("c").titled("Here").user("hello").assistant("hi");
    let database = StateDatabase::new().composer(&composer);
    let home = CursorHome::new().unwrap().database("workspaceStorage/abc/state.vscdb", database);
    let home = home.workspace(WorkspaceFolder::new("def").folder("file:///w/other")).write().unwrap();
    ask(home.root(), |history| {
        let whole = load(history, "c");
        assert_eq!(said(&whole.messages), ["hello", "hi"]);
        assert_eq!(whole.messages[0].origin.layer, backscroll_model::Layer::IdeWorkspace);
        assert_eq!(all(history)[0].title.as_deref(), Some("Here"));
    });
}

#[test]
fn line_14_bubbles_in_tabs_and_unknown_lists_of_messages() {
    let tabs = json!([{"type": "composer", "bubbles": [
        {"type": "user", "id": "b1", "text": "asked in a tab"},
        {"type": "ai", "id": "b2", "rawText": "answered in a tab"},
    ]}]);
    let whole = one(&Composer::new("c").titled("T").set("tabs", tabs));
    assert_eq!(said(&whole.messages), ["asked in a tab", "answered in a tab"]);
    let home = written(StateDatabase::new().composer(&Composer::new("c").set(
        "turnLog",
        json!([{"role": "user", "text": "who reads this?"}, {"role": "assistant", "text": "nobody"}]),
    )));
    let whole = ask(home.root(), |history| load(history, "c"));
    let unknown = whole.findings.iter().find(|finding| finding.kind == FindingKind::Unknown).unwrap();
    assert!(unknown.says.contains("2 messages in the unknown list `turnLog`"), "{}", unknown.says);
}

#[test]
fn line_15_tabs_without_an_id_in_two_workspaces_are_two_conversations() {
    let tabs = |text: &str| json!({"tabs": [{"timestamp": AT, "bubbles": [{"type": "user", "text": text, "timestamp": AT + 1}]}]});
    let workspace = |id: &str, text: &str| {
        WorkspaceFolder::new(id)
            .folder(&format!("file:///w/{id}"))
            .item("workbench.panel.aichat.view.aichat.chatdata", tabs(text))
    };
    let home =
        CursorHome::new().unwrap().workspace(workspace("one", "hello")).workspace(workspace("two", "bye"));
    let home = home.write().unwrap();
    ask(home.root(), |history| {
        let listed = all(history);
        assert_eq!(listed.len(), 2, "{listed:?}");
        for summary in listed {
            let whole = load(history, summary.id.as_str());
            assert_eq!(whole.messages[0].at.at.unwrap().as_millisecond(), AT + 1);
            assert_eq!(whole.messages[0].at.is, AtIs::Exact);
            assert_eq!(whole.summary.updated_at.unwrap().as_millisecond(), AT);
        }
    });
}

#[test]
fn line_21_short_keys_bare_control_characters_and_ids_that_differ() {
    let home =
        written(StateDatabase::new().kv("bubbleId:too-short", json!({"type": 1, "text": "still here"})));
    ask(home.root(), |history| {
        for summary in all(history) {
            assert_eq!(
                said(&load(history, summary.id.as_str()).messages),
                ["still here"],
                "listed is loadable"
            );
        }
        assert_eq!(all(history).len(), 1);
    });
    let composer = Composer::new("c").titled("T").user("x").under_id("b1").assistant("two").under_id("b2");
    let database = StateDatabase::new().composer(&composer);
    let whole = read(
        database.clone().kv("bubbleId:c:b1", "{\"type\":1,\"bubbleId\":\"b1\",\"text\":\"a\nb\u{1}c\"}"),
        "c",
    );
    assert_eq!(said(&whole.messages), ["a\nb\u{1}c", "two"]);
    assert_eq!(kinds(&whole), [FindingKind::Damaged]);
    let moved = json!({"type": 1, "bubbleId": "b1", "text": "by its own id"});
    let whole = read(database.delete("bubbleId:c:b1").kv("bubbleId:c:elsewhere", moved), "c");
    assert_eq!(said(&whole.messages), ["by its own id", "two"]);
    assert_eq!((whole.coverage.missing, whole.coverage.orphaned), (0, 0));
    assert_eq!(kinds(&whole), [FindingKind::Contradiction]);
}

#[test]
fn line_23_old_panes_under_chat_sessions_with_content() {
    let sessions = json!({"chatSessions": [{"tabId": "s1", "bubbles": [
        {"type": "user", "content": "asked"}, {"type": "ai", "content": "answered"},
    ]}]});
    let workspace = WorkspaceFolder::new("one").folder("file:///w/one");
    let workspace = workspace.item("workbench.panel.aichat.view.aichat.chatdata", sessions);
    let home = CursorHome::new().unwrap().workspace(workspace).write().unwrap();
    let whole = ask(home.root(), |history| load(history, "s1"));
    assert_eq!(said(&whole.messages), ["asked", "answered"]);
}

#[test]
fn line_24_a_location_in_a_worktree_is_a_workspace_and_not_the_background() {
    let location = json!({"type": "worktree", "worktreeId": "w1", "worktreePath": "/h/.cursor/worktrees/app/w1",
        "sourceRepoRootPath": "/h/app", "ownership": "agent", "retentionPolicy": "keep"});
    let whole = one(&Composer::new("c").titled("T").user("x").set("agentLocation", location));
    assert_eq!(whole.summary.workspace.as_ref().map(|one| one.path.as_str()), Some("/h/app"));
    assert!(whole.summary.flags.contains(&Flag::Worktree));
    assert!(!whole.summary.flags.contains(&Flag::Background));
    let cloud = one(&Composer::new("c").titled("T").user("x").set("agentLocation", json!({"type": "cloud"})));
    assert!(cloud.summary.flags.contains(&Flag::Background));
}

#[test]
fn line_25_drafts_hashed_models_and_entries_for_display_only() {
    let hash = "5f2a9c0d7be84c51";
    let composer =
        Composer::new("c").titled("T").user("sent").assistant("yes").set("text", json!("not sent yet"));
    let composer = composer.set("modelConfig", json!({"modelName": hash, "maxMode": false}));
    let mut list = composer.document()["fullConversationHeadersOnly"].clone();
    list[1]["isDisplayOnly"] = json!(true);
    let whole = one(&composer.set("fullConversationHeadersOnly", list));
    assert_eq!(whole.facts.draft.as_deref(), Some("not sent yet"));
    assert_eq!(said(&whole.messages), ["sent", "yes"], "a draft is no message");
    assert!(whole.summary.models.iter().any(|model| model == hash), "{:?}", whole.summary.models);
    assert_eq!(kinds(&whole), []);
}

/// The header table with its columns in this order, and one head.
fn header_table(columns: &str, without_rowid: bool) -> String {
    let rowid = if without_rowid { " WITHOUT ROWID" } else { "" };
    let head = json!({"type": "head", "composerId": "c", "name": "From the table", "createdAt": AT,
        "subagentInfo": {"parentComposerId": "p"}});
    format!(
        "CREATE TABLE composerHeaders ({columns}){rowid};
         INSERT INTO composerHeaders (composerId, createdAt, lastUpdatedAt, isArchived, isSubagent, recency, value,
           subagentTypeName) VALUES ('c', {AT}, {AT}, 1, 1, {AT}, '{head}', 'explore')"
    )
}

#[test]
fn the_header_table_is_read_by_name_in_any_order_and_without_rowids() {
    let fresh = "composerId TEXT PRIMARY KEY, workspaceId TEXT, createdAt INTEGER, lastUpdatedAt INTEGER,
        isArchived INTEGER, isSubagent INTEGER, recency INTEGER, checkpointAt INTEGER, subagentTypeName TEXT, value TEXT";
    let altered = "composerId TEXT PRIMARY KEY, workspaceId TEXT, createdAt INTEGER, lastUpdatedAt INTEGER,
        isArchived INTEGER, isSubagent INTEGER, recency INTEGER, checkpointAt INTEGER, value TEXT, subagentTypeName TEXT";
    for (columns, without_rowid) in [(fresh, false), (altered, false), (fresh, true), (altered, true)] {
        for mark in ["cursorDiskKV", "ItemTable"] {
            let composer = Composer::new("c").user("hello").assistant("hi");
            let database = StateDatabase::new().composer(&composer).sql(header_table(columns, without_rowid));
            let database = match mark {
                "ItemTable" => database.item("composer.composerHeaders.migratedToTable", "1"),
                _ => database.kv("composer.composerHeaders.migratedToTable", "1"),
            };
            let whole = read(database, "c");
            assert_eq!(whole.summary.title.as_deref(), Some("From the table"));
            assert!(
                whole.summary.flags.contains(&Flag::Archived)
                    && whole.summary.flags.contains(&Flag::Subagent)
            );
            assert_eq!(kinds(&whole), [], "{mark}");
        }
    }
}

#[test]
fn a_table_without_rowids_is_read_and_its_changes_are_seen() {
    let composer = Composer::new("c").titled("T").user("hello").assistant("hi");
    let moved = "CREATE TABLE moved AS SELECT key, value FROM cursorDiskKV; DROP TABLE cursorDiskKV;
        CREATE TABLE cursorDiskKV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
        INSERT INTO cursorDiskKV SELECT key, value FROM moved; DROP TABLE moved";
    let home = written(StateDatabase::new().composer(&composer).sql(moved));
    ask(home.root(), |history| {
        assert_eq!(said(&load(history, "c").messages), ["hello", "hi"]);
        assert_eq!(all(history).len(), 1);
    });
}

/// A record with a NULL value is Cursor's own delete, whatever an index still says.
#[test]
fn null_records_are_deletes_with_what_is_left() {
    let composer = Composer::new("c").titled("T").user("hello").assistant("hi");
    let headers = backscroll_fixtures::HeaderTable::new().composer(&composer);
    let database = StateDatabase::new().composer(&composer).header_table(headers);
    let home = written(database.kv("composerData:c", backscroll_fixtures::Value::Null));
    ask(home.root(), |history| {
        let whole = load(history, "c");
        assert_eq!(said(&whole.messages), ["hello", "hi"]);
        assert!(whole.summary.flags.contains(&Flag::Deleted));
        assert!(all(history)[0].flags.contains(&Flag::Deleted));
    });
}
