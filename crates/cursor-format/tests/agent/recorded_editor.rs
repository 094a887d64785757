//! The recorded editor profile, whose `conversationState` and `agentKv:blob:` rows hold the same as its bubbles.

use backscroll_cursor_format::agent::{GraphLocation, conversation_state, tool_call_from_base64};
use backscroll_model::{AtIs, FindingKind, Layer, Message, Origin, Part, Role, ToolStatus};
use serde_json::Value;

use super::store::{Held, about, conversation, recorded, rows, skeleton};

const NAME: &str = "profile-agentkv-wal-workspaces";

struct Profile {
    held: Held,
    composers: Vec<Value>,
    bubbles: Vec<Value>,
}

fn profile() -> Profile {
    let database = recorded(NAME).join(".config/Cursor/User/globalStorage/state.vscdb");
    let all = rows(&database, "SELECT key, value FROM cursorDiskKV WHERE key IS NOT NULL");
    let under = |prefix: &'static str| {
        all.iter().filter_map(move |(key, value)| Some((key.strip_prefix(prefix)?, value.as_deref()?)))
    };
    let json = |(_, value): (&str, &[u8])| serde_json::from_slice::<Value>(value).expect("JSON");
    Profile {
        held: Held(under("agentKv:blob:").map(|(id, data)| (id.to_owned(), data.to_vec())).collect()),
        composers: under("composerData:").map(json).collect(),
        bubbles: under("bubbleId:").map(json).collect(),
    }
}

impl Profile {
    fn place(&self) -> GraphLocation<'_> {
        GraphLocation {
            blobs: &self.held,
            root: Origin::new(Layer::AgentBlobs, std::path::Path::new("state.vscdb"), "composerData:x"),
            prefix: "agentKv:blob:",
        }
    }

    fn root(&self) -> Vec<u8> {
        let states = self.composers.iter().filter_map(|one| one["conversationState"].as_str());
        let mut full = states.filter_map(|text| conversation_state(text).expect("a state"));
        full.next().expect("one conversation")
    }
}

#[test]
fn the_graph_is_as_recorded() {
    let profile = profile();
    let expected = &about(NAME)["expected"]["main"]["agentkv"];
    let number =
        |field: &str| usize::try_from(expected[field].as_integer().expect("a number")).expect("positive");
    assert_eq!(profile.held.0.len(), number("blobs"));
    let states = profile.composers.iter().filter_map(|one| one["conversationState"].as_str());
    let (full, empty): (Vec<_>, Vec<_>) =
        states.map(|text| conversation_state(text).expect("a state")).partition(Option::is_some);
    assert_eq!(
        (full.len(), empty.len()),
        (number("conversation_states"), number("conversation_states_empty"))
    );

    let decoded = conversation(&profile.root(), &profile.place());
    let kinds: Vec<_> = decoded.findings.iter().map(|finding| finding.kind).collect();
    assert!(
        kinds.iter().all(|kind| *kind == FindingKind::Undecodable) && kinds.len() <= 1,
        "{:?}",
        decoded.findings
    );
    let read = decoded.value;
    assert!(read.coverage.adds_up());
    assert_eq!(usize::try_from(read.coverage.listed).expect("small"), number("root_message_refs"));
    let calls: Vec<_> = read.messages.iter().flat_map(Message::tool_calls).collect();
    assert_eq!(calls.len(), number("tool_calls"));
    assert_eq!(calls.iter().filter(|call| call.result.is_some()).count(), number("tool_results"));
    assert!(calls.iter().all(|call| call.ended_at.is_some()), "every step has its time");
    for (tool, count) in expected["tools"].as_table().expect("tools") {
        let found = calls.iter().filter(|call| call.raw_name == *tool).count();
        assert_eq!(i64::try_from(found).ok(), count.as_integer(), "{tool}");
    }
    assert_eq!(read.mode.as_deref(), Some("agent"));
    assert_eq!(read.facts.context.and_then(|context| context.limit), Some(200_000));
    assert_eq!(read.workspace_uris, ["file:///home/dev/.config/iase"]);
    assert_eq!(read.working_directory.as_deref(), Some("/home/dev/.config/iase"));
    assert!(!read.models.is_empty(), "thoughts name the model");
}

#[test]
fn the_graph_agrees_with_the_bubbles() {
    let profile = profile();
    let root = profile.root();
    let outline = skeleton(&root, &profile.place());
    assert_eq!(outline.findings, []);
    let read = conversation(&root, &profile.place()).value;
    let users: Vec<_> = profile.bubbles.iter().filter(|bubble| bubble["type"] == 1).collect();
    assert_eq!(outline.value.len(), users.len());
    for turn in &outline.value {
        let id = turn.user_message_id.as_deref().expect("an id");
        let bubble = users.iter().find(|bubble| bubble["bubbleId"] == id).expect("a bubble with that id");
        assert_eq!(bubble["requestId"].as_str(), turn.request_id.as_deref());
        let message = read.messages.iter().find(|one| one.id.as_str() == id).expect("a message with that id");
        assert_eq!(message.request_id, turn.request_id);
        assert_eq!(message.role, Role::User);
        assert!(message.text().contains(bubble["text"].as_str().expect("text")));
    }
    let thoughts = profile.bubbles.iter().filter_map(|bubble| bubble["thinking"]["text"].as_str());
    for thought in thoughts.filter(|text| !text.is_empty()) {
        let is_read = read
            .messages
            .iter()
            .flat_map(|one| &one.parts)
            .any(|part| matches!(part, Part::Thinking { text, duration_ms: Some(_) } if text == thought));
        assert!(is_read, "the thought {thought:?} is taken from its step");
    }
    let answers =
        read.messages.iter().filter(|one| one.role == Role::Assistant && one.tool_calls().count() > 0);
    assert!(answers.into_iter().all(|one| one.at.is == AtIs::Exact && one.request_id.is_some()));
}

#[test]
fn every_tool_call_binary_decodes_and_agrees() {
    let profile = profile();
    let mut seen = 0;
    for bubble in &profile.bubbles {
        let tool = &bubble["toolFormerData"];
        let Some(binary) = tool["toolCallBinary"].as_str() else {
            continue;
        };
        seen += 1;
        let decoded = tool_call_from_base64(binary, &profile.place().root, &profile.held);
        assert_eq!(decoded.findings, []);
        let call = decoded.value.expect("a call");
        let stored = tool["toolCallId"].as_str();
        assert!(call.id.is_none() || call.id.as_deref() == stored, "{:?} {stored:?}", call.id);
        let name = tool["name"].as_str().expect("a name");
        let canonical = backscroll_cursor_format::tool_names::canonical(name, tool["tool"].as_u64());
        assert_eq!(call.name, canonical);
        if tool["status"] == "error" {
            assert_eq!(call.status, ToolStatus::Error);
        }
    }
    let expected = about(NAME)["expected"]["main"]["agentkv"]["tool_call_binaries"].as_integer();
    assert_eq!(Some(seen), expected);
}
