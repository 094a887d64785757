//! Which edits of the recorded stores get a diff, and by which route: each route is tried alone, by taking the
//! evidence of the others away.

use std::collections::BTreeMap;

use backscroll_model::ToolCall;
use serde_json::Value;

use super::store::{Table, databases};

fn store(home: &str) -> Table {
    Table::of(&databases(home).0[0], "cursorDiskKV")
}

/// The edits of all conversations, by the key of their bubble.
fn edits(table: &Table) -> BTreeMap<String, ToolCall> {
    let ids: Vec<String> = table.composers().map(|(id, _)| id.as_str().to_owned()).collect();
    let mut edits = BTreeMap::new();
    for message in ids.iter().flat_map(|id| table.assemble(id).conversation.messages) {
        let is_edit = |call: &&ToolCall| matches!(call.name.as_str(), "edit" | "write" | "multi_edit");
        if let Some(call) = message.tool_calls().find(is_edit) {
            edits.insert(message.origin.key.clone(), call.clone());
        }
    }
    edits
}

fn with_diff(edits: &BTreeMap<String, ToolCall>) -> usize {
    edits.values().filter(|call| call.diff.is_some()).count()
}

/// The same store, its bubbles changed.
fn changed(table: &Table, change: impl Fn(&mut Value)) -> Table {
    let mut changed = table.clone();
    for (key, (value, _)) in &mut changed.0 {
        if let Some(bytes) = value.as_mut().filter(|_| key.starts_with("bubbleId:")) {
            let mut bubble: Value = serde_json::from_slice(bytes).unwrap();
            change(&mut bubble);
            *bytes = bubble.to_string().into_bytes();
        }
    }
    changed
}

fn without_hunks(table: &Table) -> Table {
    changed(table, |bubble| {
        let Some(result) = bubble["toolFormerData"]["result"].as_str() else { return };
        let Ok(mut result) = serde_json::from_str::<Value>(result) else { return };
        if result["diff"].is_object() {
            result["diff"] = Value::Null;
            bubble["toolFormerData"]["result"] = Value::from(result.to_string());
        }
    })
}

fn without_rows(table: &Table, prefix: &str) -> Table {
    Table(table.0.iter().filter(|(key, _)| !key.starts_with(prefix)).map(|(k, v)| (k.clone(), v.clone())).collect())
}

/// Lines that a diff takes away and adds, in order.
fn changed_lines(diff: &str) -> (Vec<&str>, Vec<&str>) {
    let lines = |sign: char, header: &'static str| {
        diff.lines().filter(move |line| !line.starts_with(header)).filter_map(move |line| line.strip_prefix(sign))
    };
    (lines('-', "--- ").collect(), lines('+', "+++ ").collect())
}

#[test]
fn edits_of_the_first_agents_get_their_diff_from_the_result_or_from_code_blocks() {
    // Edits, with a diff, with one from `result.diff.chunks` alone, with one from `codeBlockDiff` alone.
    let table = [
        ("global-null-bubbles-big-checkpoints", 24, 21, 21, 21),
        ("global-older-backup-null-bubbles", 16, 13, 13, 13),
        ("global-orphans-empty-backup", 3, 3, 3, 3),
    ];
    for (home, all, told, by_hunks, by_blocks) in table {
        let whole = store(home);
        let (edited, hunks, blocks) = (
            edits(&whole),
            edits(&without_rows(&whole, "codeBlockDiff:")),
            edits(&without_hunks(&whole)),
        );
        let counts = (edited.len(), with_diff(&edited), with_diff(&hunks), with_diff(&blocks));
        assert_eq!(counts, (all, told, by_hunks, by_blocks), "{home}");
        let neither = edits(&without_rows(&without_hunks(&whole), "codeBlockDiff:"));
        assert_eq!(with_diff(&neither), 0, "{home}");
        for (key, call) in &hunks {
            let (Some(one), Some(other)) = (&call.diff, &blocks[key].diff) else { continue };
            assert_eq!(changed_lines(one), changed_lines(other), "{home} {key}");
        }
    }
}

#[test]
fn an_edit_without_a_diff_was_not_done() {
    for home in ["global-null-bubbles-big-checkpoints", "global-older-backup-null-bubbles"] {
        for (key, call) in edits(&store(home)).into_iter().filter(|(_, call)| call.diff.is_none()) {
            let result = call.result.as_ref().map_or("", backscroll_model::Payload::as_str);
            let changed_nothing = result.contains("\"diff\":{}") || result.contains("\"rejected\":true");
            assert!(changed_nothing || call.result.is_none(), "{key} {result}");
        }
    }
}

#[test]
fn edits_of_3_x_get_their_diff_from_the_contents_before_and_after() {
    let whole = store("profile-agentkv-wal-workspaces");
    let without_binary = changed(&whole, |bubble| {
        if let Some(tool) = bubble["toolFormerData"].as_object_mut() {
            tool.remove("toolCallBinary");
        }
    });
    let (told, by_contents) = (edits(&whole), edits(&without_binary));
    let by_agent = edits(&without_rows(&whole, "composer.content."));
    assert_eq!((told.len(), with_diff(&told), with_diff(&by_contents), with_diff(&by_agent)), (2, 2, 2, 2));
    for (key, call) in &by_contents {
        let (one, other) = (call.diff.as_deref().unwrap(), by_agent[key].diff.as_deref().unwrap());
        assert_eq!(changed_lines(one), changed_lines(other), "{key}");
        assert!(one.starts_with("--- "), "{one}");
    }
    assert_eq!(with_diff(&edits(&without_rows(&without_binary, "composer.content."))), 0);
}
