//! Who said it: what no person wrote is not counted and not quoted as a person's words.

use backscroll_fixtures::{
    BlobGraph, Composer, CursorHome, HeaderTable, Proto, Speaks, StateDatabase, WrittenHome,
};
use backscroll_model::{Conversation, ConversationId, Message, Part, SenderKind};
use serde_json::{Value, json};

use crate::home::{all, ask, load};

fn home(composers: &[Composer]) -> WrittenHome {
    let database = composers.iter().fold(StateDatabase::new(), StateDatabase::composer);
    CursorHome::new().unwrap().global(database).write().unwrap()
}

/// Kind, id and name of a sender.
type Told<'a> = (SenderKind, Option<&'a str>, Option<&'a str>);

/// The sender of each message.
fn senders(whole: &Conversation) -> Vec<Option<Told<'_>>> {
    let senders = whole.messages.iter().map(|message| message.sender.as_ref());
    senders.map(|sender| sender.map(|one| (one.kind, one.id.as_deref(), one.name.as_deref()))).collect()
}

/// Line 2 of the shapes that other tools met.
#[test]
fn user_bubbles_that_the_editor_or_an_agent_wrote() {
    let table: [(&str, Value, Told<'_>); 7] = [
        ("isSimulatedMsg", json!(true), (SenderKind::Simulated, None, None)),
        ("isNudge", json!(true), (SenderKind::Simulated, None, None)),
        (
            "simulatedMsgReason",
            json!("GOAL_CONTINUATION"),
            (SenderKind::Simulated, None, Some("GOAL_CONTINUATION")),
        ),
        ("simulatedMsgReason", json!(3), (SenderKind::Simulated, None, Some("background task completion"))),
        (
            "simulatedMessageMetadata",
            json!({"title": "Tests ran", "taskId": "t1"}),
            (SenderKind::Simulated, Some("t1"), Some("Tests ran")),
        ),
        ("isPlanExecution", json!(true), (SenderKind::Simulated, None, None)),
        ("subagentSpawnTaskToolCallId", json!("call_1"), (SenderKind::Agent, None, None)),
    ];
    for (field, value, sender) in table {
        let composer =
            Composer::new("c").user("go on").with(field, value.clone()).assistant("done").user("mine");
        let home = home(&[composer]);
        ask(home.root(), |history| {
            let whole = load(history, "c");
            assert_eq!(senders(&whole), [Some(sender), None, None], "{field}: {value}");
            assert_eq!(whole.summary.title.as_deref(), Some("mine"), "{field}");
            assert_eq!(all(history)[0].title.as_deref(), Some("mine"), "{field}: a listing says the same");
        });
    }
}

#[test]
fn a_plan_that_is_carried_out_is_named() {
    let composer = Composer::new("c")
        .user("Implement the plan")
        .with("isPlanExecution", json!(true))
        .with("planId", json!("p-1"))
        .with("planTitle", json!("Tidy up"));
    let home = home(&[composer]);
    let whole = ask(home.root(), |history| load(history, "c"));
    assert_eq!(senders(&whole), [Some((SenderKind::Simulated, Some("p-1"), Some("Tidy up")))]);
    assert_eq!(whole.summary.title, None, "no person said anything");
}

#[test]
fn the_list_of_messages_may_say_it_alone() {
    let composer = Composer::new("c").user("<goal>").under_id("g").assistant("on it").user("thanks");
    let mut list = composer.document()["fullConversationHeadersOnly"].clone();
    list[0]["grouping"]["isSimulatedMsg"] = json!(true);
    let home = home(&[composer.set("fullConversationHeadersOnly", list)]);
    ask(home.root(), |history| {
        let whole = load(history, "c");
        assert_eq!(senders(&whole), [Some((SenderKind::Simulated, None, None)), None, None]);
        assert_eq!(whole.summary.title.as_deref(), Some("thanks"));
        assert_eq!(all(history)[0].title.as_deref(), Some("thanks"));
    });
}

#[test]
fn a_system_notification_is_no_prompt() {
    let composer =
        Composer::new("c").user("<system_notification source=\"goal\">\ngo on\n</system_notification>");
    let home = home(&[composer]);
    let whole = ask(home.root(), |history| load(history, "c"));
    assert_eq!(senders(&whole), [Some((SenderKind::Simulated, None, None))]);
}

/// Line 3: what a subagent was first asked, its parent asked; later words may be a person's.
#[test]
fn the_first_prompt_of_a_subagent_is_its_parents() {
    let child = Composer::new("child")
        .subagent_of("parent", "call_1", "explore")
        .user("Find the door")
        .assistant("found")
        .user("and the window?");
    let home = home(&[Composer::new("parent").titled("House").user("hello"), child]);
    ask(home.root(), |history| {
        let whole = load(history, "child");
        assert_eq!(senders(&whole), [Some((SenderKind::Agent, Some("parent"), None)), None, None]);
        assert_eq!(whole.summary.title.as_deref(), Some("and the window?"));
        let listed = all(history).into_iter().find(|summary| summary.id.as_str() == "child").unwrap();
        assert_eq!(listed.title, whole.summary.title);
    });
}

/// Line 10: only the child's head in the table knows its parent.
#[test]
fn a_parent_has_the_children_that_only_heads_name() {
    let child = Composer::new("child").user("Find it").assistant("here");
    let mut head = child.head();
    head["subagentInfo"] = json!({"parentComposerId": "parent", "subagentTypeName": "explore"});
    let parent = Composer::new("parent").titled("House").user("hello");
    let headers = HeaderTable::new().composer(&parent).head(head);
    let database = StateDatabase::new().composer(&child).composer(&parent).header_table(headers);
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    ask(home.root(), |history| {
        let children: Vec<_> = load(history, "parent").summary.children;
        assert_eq!(children.iter().map(ConversationId::as_str).collect::<Vec<_>>(), ["child"]);
        let child = load(history, "child");
        assert_eq!(child.summary.parent.as_ref().map(ConversationId::as_str), Some("parent"));
        assert_eq!(senders(&child), [Some((SenderKind::Agent, Some("parent"), None)), None]);
    });
}

/// The agent's own account knows the sender of a message that the bubble says nothing of.
#[test]
fn the_outline_of_the_agents_account_names_senders() {
    let composer = Composer::new("c").user("hello").under_id("u1").assistant("hi");
    let hook = Proto::new().text(1, "beforeSubmitPrompt").text(2, "mind the gap");
    let sender = Proto::new().number(1, 2).text(2, "agent-7").text(3, "reviewer");
    let user = Proto::new().text(1, "hello").text(2, "u1").text(27, "agent-7");
    let user = user.message(29, &sender).message(21, &hook);
    let step = Proto::new().message(1, &Proto::new().text(1, "hi"));
    let further = Proto::new().text(49, "Europe/Vienna");
    let graph = BlobGraph::new().raw_turn(user, [step]).finish_with(1, "ide", composer.time_of(0), further);
    let composer = composer.set("conversationState", json!(graph.state()));
    let database = StateDatabase::new().composer(&composer).rows(graph.rows());
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    let whole = ask(home.root(), |history| load(history, "c"));
    assert_eq!(senders(&whole), [Some((SenderKind::Agent, Some("agent-7"), Some("reviewer"))), None]);
    assert_eq!(whole.facts.time_zone.as_deref(), Some("Europe/Vienna"));
    assert_eq!(context(&whole.messages[0]), ["mind the gap"], "what a hook added is context");
    assert_eq!(whole.messages[0].text(), "hello");
}

fn context(message: &Message) -> Vec<&str> {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Attachment(attached) => attached.text.as_deref(),
        _ => None,
    });
    texts.collect()
}

/// What a voice call said stands behind the turn that it answers, in the editor too.
#[test]
fn voice_utterances_are_messages_in_their_place() {
    let composer =
        Composer::new("c").user("first").under_id("u1").assistant("one").user("second").assistant("two");
    let step = |text: &str| Proto::new().message(1, &Proto::new().text(1, text));
    let user = |text: &str, id: &str| Proto::new().text(1, text).text(2, id);
    let second = composer.bubble_id(2);
    let said = Proto::new().text(1, "v1").number(2, 2).text(3, "spoken aloud").text(4, "u1");
    let graph = BlobGraph::new()
        .raw_turn(user("first", "u1"), [step("one")])
        .raw_turn(user("second", &second), [step("two")])
        .finish_with(1, "ide", composer.time_of(0), Proto::new().message(43, &said));
    let composer = composer.set("conversationState", json!(graph.state()));
    let database = StateDatabase::new().composer(&composer).rows(graph.rows());
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    let whole = ask(home.root(), |history| load(history, "c"));
    assert_eq!(crate::home::said(&whole.messages), ["first", "one", "spoken aloud", "second", "two"]);
    assert_eq!(senders(&whole)[2], Some((SenderKind::Voice, None, None)));
}
