//! The recorded command line stores, against their tallies.

use std::collections::BTreeMap;

use backscroll_cursor_format::agent::{Piece, conversation_at, message, reachable, root, store_meta};
use backscroll_model::{FindingKind, Message, Part, Role, ToolStatus};

use super::store::{about, cli_store, origin, skeleton};

/// A count as TOML has it.
fn whole(count: usize) -> i64 {
    i64::try_from(count).expect("a small count")
}

fn tally<'a>(names: impl Iterator<Item = &'a str>) -> toml::Table {
    let mut counts = BTreeMap::<String, i64>::new();
    for name in names {
        *counts.entry(name.to_owned()).or_default() += 1;
    }
    counts.into_iter().map(|(name, n)| (name, n.into())).collect()
}

#[test]
fn stored_messages_are_counted_as_recorded() {
    for name in ["cli-many-stale-blobs", "cli-pending-call"] {
        let (held, meta) = cli_store(name);
        let expected = &about(name)["expected"];
        let meta = store_meta(&meta, &origin("0")).value.expect("a meta row");
        assert_eq!(meta.agent_id.as_deref(), expected["session"].as_str());
        assert_eq!(meta.mode.as_deref(), expected["mode"].as_str());
        assert_eq!(meta.model.as_deref(), expected["model"].as_str());
        let created = meta.created_at.map(jiff::Timestamp::as_millisecond);
        assert_eq!(created, expected["created_at_ms"].as_integer());
        assert_eq!(whole(held.0.len()), expected["blobs"].as_integer().expect("blobs"));

        let root_bytes = &held.0[&meta.root_id.expect("a root")];
        let root = root(root_bytes, &origin("root")).value;
        let messages: Vec<_> = root
            .messages
            .iter()
            .map(|one| {
                message(&held.0[&one.id().expect("an id").to_string()], &origin("m"))
                    .value
                    .expect("a message")
            })
            .collect();
        let roles = messages.iter().map(|one| one.speaker.name());
        assert_eq!(Some(&tally(roles)), expected["messages_by_role"].as_table(), "{name}");
        let pieces: Vec<&Piece> = messages.iter().flat_map(|one| &one.pieces).collect();
        let kinds = pieces.iter().map(|piece| match piece {
            Piece::Text(_) => "text",
            Piece::Thought { .. } => "reasoning",
            Piece::Call(_) => "tool-call",
            Piece::Result(_) => "tool-result",
            Piece::Image(_) => "image",
            Piece::Attachment(_) => "file",
        });
        let mut parts = expected["parts"].as_table().expect("parts").clone();
        // The system prompt is a plain string: for us a text like any other.
        let plain = parts.remove("(content is a string)").and_then(|n| n.as_integer()).expect("one");
        let texts = parts["text"].as_integer().expect("texts");
        parts.insert("text".to_owned(), (texts + plain).into());
        assert_eq!(tally(kinds), parts, "{name}");
        let silent =
            pieces.iter().filter(|piece| matches!(piece, Piece::Thought { text, .. } if text.is_empty()));
        assert_eq!(whole(silent.count()), expected["empty_reasoning"].as_integer().expect("a count"));
    }
}

#[test]
fn conversations_are_as_recorded() {
    for name in ["cli-many-stale-blobs", "cli-pending-call"] {
        let (held, meta) = cli_store(name);
        let expected = &about(name)["expected"];
        let number = |field: &str| expected[field].as_integer().expect("a number");
        let meta = store_meta(&meta, &origin("0")).value.expect("a meta row");
        let root_id = meta.root_id.expect("a root");
        let decoded = conversation_at(&root_id, &held.place());
        // Nothing but the empty thoughts is to be reported.
        let kinds: Vec<_> = decoded.findings.iter().map(|finding| finding.kind).collect();
        assert_eq!(kinds, [FindingKind::Undecodable], "{:?}", decoded.findings);
        let read = decoded.value.expect("a conversation");
        assert!(read.coverage.adds_up());
        assert_eq!(
            read.coverage.listed.cast_signed(),
            number("messages_in_root_order") + number("pending_messages")
        );
        assert_eq!(whole(root(&held.0[&root_id], &origin("root")).value.turns.len()), number("turns"));
        let is_pending = |one: &&Message| one.tool_calls().any(|call| call.status == ToolStatus::Pending);
        let (pending, done): (Vec<&Message>, Vec<_>) = read.messages.iter().partition(is_pending);
        assert_eq!(whole(pending.len()), number("pending_messages"));
        let asked: Vec<_> = pending.iter().flat_map(|one| one.tool_calls()).collect();
        let asked = tally(asked.iter().map(|call| call.raw_name.as_str()));
        assert_eq!(Some(&asked), expected["pending_tools"].as_table());

        let calls: Vec<_> = done.iter().flat_map(|one| one.tool_calls()).collect();
        assert_eq!(whole(calls.len()), number("tool_calls"));
        let answered = calls.iter().filter(|call| call.result.is_some()).count();
        assert_eq!(whole(answered), number("tool_results"));
        let broken = calls.iter().filter(|call| call.id.as_ref().is_some_and(|id| id.contains('\n')));
        assert_eq!(whole(broken.count()), number("tool_call_ids_with_newline"));
        let tools = tally(calls.iter().map(|call| call.raw_name.as_str()));
        assert_eq!(Some(&tools), expected["tools"].as_table());
        assert!(!done.iter().any(|one| one.role == Role::Tool), "every answer has its call");

        let ids: std::collections::HashSet<_> = read.messages.iter().map(|one| &one.id).collect();
        assert_eq!(ids.len(), read.messages.len(), "ids are unique");
        let users: Vec<_> = read.messages.iter().filter(|one| one.role == Role::User).collect();
        let outline = skeleton(&held.0[&root_id], &held.place());
        assert_eq!(outline.findings, []);
        let read_ids: Vec<_> = users.iter().map(|one| Some(one.id.as_str().to_owned())).collect();
        let turn_ids: Vec<_> = outline.value.into_iter().map(|turn| turn.user_message_id).collect();
        assert_eq!(read_ids, turn_ids, "each user message has the id its turn gives");
    }
}

#[test]
fn reachable_and_stale_blobs_are_as_recorded() {
    for name in ["cli-many-stale-blobs", "cli-pending-call"] {
        let (held, meta) = cli_store(name);
        let expected = &about(name)["expected"];
        let root_id = store_meta(&meta, &origin("0")).value.and_then(|meta| meta.root_id).expect("a root");
        let reached = reachable(&held.0[&root_id], &held.place());
        assert_eq!(reached.findings, []);
        assert_eq!(Some(whole(reached.value.len())), expected["blobs_reachable"].as_integer());
        let stale = held.0.len() - reached.value.len();
        assert_eq!(Some(whole(stale)), expected["blobs_stale"].as_integer());
    }
}

#[test]
fn steps_give_durations_and_diffs_to_the_messages() {
    let (held, meta) = cli_store("cli-many-stale-blobs");
    let root_id = store_meta(&meta, &origin("0")).value.and_then(|meta| meta.root_id).expect("a root");
    let read = conversation_at(&root_id, &held.place()).value.expect("a conversation");
    let parts = read.messages.iter().flat_map(|one| &one.parts);
    let thoughts: Vec<_> = parts
        .filter_map(|part| match part {
            Part::Thinking { duration_ms, .. } => Some(*duration_ms),
            _ => None,
        })
        .collect();
    assert_eq!(thoughts.len(), 22, "26 thoughts, 4 of them without words");
    assert!(thoughts.iter().all(Option::is_some), "{thoughts:?}");
    let edits = read.messages.iter().flat_map(Message::tool_calls).filter(|call| call.name == "edit");
    let with_diff = edits.filter(|call| call.diff.is_some()).count();
    assert!(with_diff > 8, "{with_diff} of 13 patches have a diff");
}
