//! The agent's own account beside the bubbles: it fills what they lack, once, and adds nothing where both agree.

use backscroll_fixtures::{
    BlobGraph, Composer, CursorHome, Speaks, StateDatabase, Value, WrittenHome, recorded_named,
};
use backscroll_model::{Flag, Layer, Message, Part, Payload, Surface, ToolCall};
use serde_json::json;

use crate::home::{all, ask, load, said};

fn asked(id: &str) -> Composer {
    Composer::new(id)
        .titled("Blobs")
        .in_workspace("0123abcd", "/home/a/app")
        .user("read it")
        .thinking("I should look.")
        .tool(
            "read_file_v2",
            json!({ "targetFile": "/home/a/app/x" }),
            json!({ "contents": "the words in x" }),
        )
        .assistant("It says something.")
        .user("and now?")
        .assistant("Now I am done.")
}

fn home(database: StateDatabase) -> WrittenHome {
    CursorHome::new().unwrap().global(database).write().unwrap()
}

fn calls(messages: &[Message]) -> Vec<&ToolCall> {
    messages.iter().flat_map(Message::tool_calls).collect()
}

fn parts(messages: &[Message]) -> usize {
    messages.iter().map(|message| message.parts.len()).sum()
}

#[test]
fn nothing_is_added_where_both_agree() {
    let without = home(StateDatabase::new().composer(&asked("c1")));
    let with = home(StateDatabase::new().composer(&asked("c1").with_agent_blobs()));
    let without = ask(without.root(), |history| load(history, "c1"));
    let with = ask(with.root(), |history| load(history, "c1"));
    assert_eq!(said(&with.messages), said(&without.messages));
    assert_eq!(parts(&with.messages), parts(&without.messages));
    assert_eq!(with.coverage, without.coverage);
    assert_eq!(with.findings, without.findings);
    assert!(with.summary.origins.iter().any(|origin| origin.layer == Layer::AgentBlobs));
}

#[test]
fn nothing_is_added_to_a_recorded_conversation() {
    let recorded = recorded_named("profile-agentkv-wal-workspaces").unwrap();
    let copy = recorded.copy_to_temp().unwrap();
    let conversations: Vec<_> = ask(copy.path(), |history| {
        all(history).iter().map(|summary| load(history, summary.id.as_str())).collect()
    });
    let with_messages: Vec<_> = conversations
        .iter()
        .filter(|whole| whole.coverage.listed > 0 && whole.summary.surface == Surface::Ide)
        .collect();
    let [whole] = with_messages[..] else { panic!("{} conversations have messages", with_messages.len()) };
    let main = recorded.expected["main"].as_table().unwrap();
    assert_eq!(i64::try_from(whole.messages.len()).unwrap(), main["messages_listed"].as_integer().unwrap());
    assert_eq!(
        i64::try_from(calls(&whole.messages).len()).unwrap(),
        main["tool_parts"].as_integer().unwrap()
    );
    for call in calls(&whole.messages) {
        assert!(
            call.result.as_ref().is_some_and(|result| !result.is_hollow()) || call.error.is_some(),
            "{call:?}"
        );
    }
}

/// The bubble of a call without its result, as Cursor prunes old ones.
fn pruned(composer: &Composer, binary: bool) -> StateDatabase {
    let bubble = composer.bubble_id(2);
    let rows = composer.rows().into_iter().map(|(key, value)| {
        if !key.ends_with(&bubble) {
            return (key, value);
        }
        let mut json: serde_json::Value = serde_json::from_slice(value.bytes().unwrap()).unwrap();
        let data = json["toolFormerData"].as_object_mut().unwrap();
        data.remove("result");
        if !binary {
            data.remove("toolCallBinary");
        }
        (key, Value::from(json))
    });
    StateDatabase::new().rows(rows)
}

#[test]
fn a_pruned_result_is_recovered() {
    for binary in [true, false] {
        let home = home(pruned(&asked("c1").with_agent_blobs(), binary));
        let whole = ask(home.root(), |history| load(history, "c1"));
        let calls = calls(&whole.messages);
        assert_eq!(calls.len(), 1, "the call is shown once");
        let result = format!("{:?}", calls[0].result);
        assert!(result.contains("the words in x"), "binary {binary}: {result}");
        assert_eq!(whole.messages.len(), 6);
        assert_eq!(whole.coverage.listed, 6);
    }
    let gone = home(pruned(&asked("c1"), false));
    let whole = ask(gone.root(), |history| load(history, "c1"));
    assert!(calls(&whole.messages)[0].result.as_ref().is_none_or(Payload::is_hollow));
}

/// The record is NULL, some bubbles are left, and the root of the agent's account has more of the same turn.
#[test]
fn what_is_left_of_a_deleted_conversation_is_deleted_with_its_account() {
    let composer = asked("c1");
    let graph = BlobGraph::of_composer(&composer);
    let first = composer.bubble_id(0);
    let rows = composer.rows().into_iter().filter(|(key, _)| key.ends_with(&first));
    let database = StateDatabase::new()
        .rows(rows)
        .kv("composerData:c1", Value::Null)
        .kv("agentKv:checkpoint:c1", graph.root_id())
        .kv(format!("agentKv:blob:{}", graph.root_id()), graph.root())
        .rows(graph.rows());
    let home = home(database);
    ask(home.root(), |history| {
        let listed = all(history).remove(0);
        let whole = load(history, "c1");
        assert!(whole.messages.len() > 1, "the account has more");
        assert_eq!(listed.flags, [Flag::Deleted].into());
        assert_eq!(whole.summary.flags, listed.flags);
    });
}

#[test]
fn a_turn_that_only_the_graph_has_is_added_once() {
    let more = asked("c1").user("one more").assistant("The last answer.");
    let graph = BlobGraph::of_composer(&more);
    let shorter = asked("c1").set("conversationState", json!(graph.state()));
    let home = home(StateDatabase::new().composer(&shorter).rows(graph.rows()));
    let whole = ask(home.root(), |history| load(history, "c1"));
    let texts: Vec<String> = said(&whole.messages).into_iter().filter(|text| !text.is_empty()).collect();
    assert_eq!(
        texts,
        ["read it", "It says something.", "and now?", "Now I am done.", "one more", "The last answer."]
    );
    assert_eq!(calls(&whole.messages).len(), 1);
    let thoughts =
        whole.messages.iter().flat_map(|m| &m.parts).filter(|part| matches!(part, Part::Thinking { .. }));
    assert_eq!(thoughts.count(), 1);
    assert!(whole.coverage.adds_up());
    let last = whole.messages.last().unwrap();
    assert_eq!(last.origin.layer, Layer::AgentBlobs);
}

#[test]
fn a_turn_in_the_middle_that_only_the_graph_has_stands_in_the_middle() {
    let whole = asked("c1");
    let graph = BlobGraph::of_composer(&whole);
    let mut lost = Composer::new("c1").titled("Blobs").user("and now?").under_id(&whole.bubble_id(4));
    lost = lost.assistant("Now I am done.").under_id(&whole.bubble_id(5));
    let database = StateDatabase::new().composer(&lost.set("conversationState", json!(graph.state())));
    let home = home(database.rows(graph.rows()));
    let whole = ask(home.root(), |history| load(history, "c1"));
    let texts: Vec<String> = said(&whole.messages).into_iter().filter(|text| !text.is_empty()).collect();
    assert_eq!(texts, ["read it", "It says something.", "and now?", "Now I am done."]);
}

#[test]
fn a_checkpoint_names_the_root_where_the_record_does_not() {
    let more = asked("c1").user("one more").assistant("The last answer.");
    let graph = BlobGraph::of_composer(&more);
    let root = (format!("agentKv:blob:{}", graph.root_id()), Value::Blob(graph.root()));
    let database = StateDatabase::new()
        .composer(&asked("c1"))
        .rows(graph.rows())
        .rows([root])
        .kv("agentKv:checkpoint:c1", graph.root_id());
    let home = home(database);
    let whole = ask(home.root(), |history| load(history, "c1"));
    assert_eq!(said(&whole.messages).last().map(String::as_str), Some("The last answer."));
}

#[test]
fn a_graph_with_lost_blobs_is_read_as_far_as_it_goes() {
    let composer = asked("c1").with_agent_blobs();
    let rows = composer.rows();
    let (blobs, others): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|(key, _)| key.starts_with("agentKv:blob:"));
    let half: Vec<_> = blobs.into_iter().step_by(2).collect();
    let home = home(StateDatabase::new().rows(others).rows(half));
    let whole = ask(home.root(), |history| load(history, "c1"));
    let texts: Vec<String> = said(&whole.messages).into_iter().filter(|text| !text.is_empty()).collect();
    assert_eq!(texts, ["read it", "It says something.", "and now?", "Now I am done."]);
    assert!(!whole.findings.is_empty(), "lost blobs are reported");
}
