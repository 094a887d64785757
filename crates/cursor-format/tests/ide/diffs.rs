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
    for message in ids.iter().flat_map(|id| table.assemble(id).fragment.messages) {
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
    Table(
        table
            .0
            .iter()
            .filter(|(key, _)| !key.starts_with(prefix))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect(),
    )
}

/// How many more lines of each length a diff adds than it takes away. The recorded words are filler, of the same length
/// wherever the same words stood; blanks around a line do not count, since the editor's own hunks do not heed them.
fn growth(diff: &str) -> BTreeMap<usize, i64> {
    let mut lengths = BTreeMap::new();
    for line in diff.lines().skip(2) {
        let sign = match line.as_bytes().first() {
            Some(b'+') => 1,
            Some(b'-') => -1,
            _ => continue,
        };
        *lengths.entry(line[1..].trim().chars().count()).or_default() += sign;
    }
    lengths.retain(|length, count| *length > 0 && *count != 0);
    lengths
}

#[test]
fn edits_of_the_first_agents_get_their_diff_from_the_result_or_from_code_blocks() {
    // Edits, with a diff, with one from `result.diff.chunks` alone, with one from `codeBlockDiff` alone.
    let table = [
        ("global-null-bubbles-big-checkpoints", 24, 21, 21, 21),
        ("global-older-backup-null-bubbles", 16, 13, 13, 13),
        ("global-orphans-empty-backup", 3, 3, 3, 3),
    ];
    for (home, all, decoded, by_hunks, by_blocks) in table {
        let whole = store(home);
        let (edited, hunks, blocks) =
            (edits(&whole), edits(&without_rows(&whole, "codeBlockDiff:")), edits(&without_hunks(&whole)));
        let counts = (edited.len(), with_diff(&edited), with_diff(&hunks), with_diff(&blocks));
        assert_eq!(counts, (all, decoded, by_hunks, by_blocks), "{home}");
        let neither = edits(&without_rows(&without_hunks(&whole), "codeBlockDiff:"));
        assert_eq!(with_diff(&neither), 0, "{home}");
        for (key, call) in &hunks {
            let (Some(one), Some(other)) = (&call.diff, &blocks[key].diff) else { continue };
            assert_eq!(growth(one), growth(other), "{home} {key}");
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
    let (decoded, by_contents) = (edits(&whole), edits(&without_binary));
    let without_contents = without_rows(&whole, "composer.content.");
    let counts =
        (decoded.len(), with_diff(&decoded), with_diff(&by_contents), with_diff(&edits(&without_contents)));
    assert_eq!(counts, (2, 2, 2, 0), "the agent's own account of these two edits has no contents");
    for call in decoded.values() {
        let result: Value = serde_json::from_str(call.result.as_ref().unwrap().as_str()).unwrap();
        let content = |key: &str| {
            let row = whole.bytes(result[key].as_str().unwrap()).unwrap();
            String::from_utf8(row.to_vec()).unwrap()
        };
        let diff = call.diff.as_deref().unwrap();
        let signed = |sign: char| {
            i64::try_from(diff.lines().skip(2).filter(|line| line.starts_with(sign)).count()).unwrap()
        };
        let lines = |text: String| i64::try_from(text.lines().count()).unwrap();
        let grown = lines(content("afterContentId")) - lines(content("beforeContentId"));
        assert_eq!(signed('+') - signed('-'), grown);
    }
}
