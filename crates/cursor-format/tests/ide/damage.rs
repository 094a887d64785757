//! Damage that is written on purpose: nothing panics, nothing takes long, and what is left is read.

use backscroll_cursor_format::ide;
use backscroll_model::{ConversationId, FindingKind, Part};
use serde_json::json;

use super::store::{Table, origin};

/// The conversation `c` with one listed row, as bytes.
fn with_bubble(record: &str, bubble: &[u8]) -> backscroll_model::Fragment {
    let mut table = Table::default();
    table.put("composerData:c", record);
    table.put("bubbleId:c:b", bubble);
    let decoded = table.assemble("c").fragment;
    assert!(decoded.coverage.adds_up(), "{:?}", decoded.coverage);
    decoded
}

const RECORD: &str = r#"{"fullConversationHeadersOnly":[{"bubbleId":"b","type":2}]}"#;

#[test]
fn bottomless_json_in_any_field_costs_that_field_alone() {
    let shapes = [
        ("[".repeat(100_000), "]".repeat(100_000)),
        ("{\"summary\":".repeat(100_000) + "1", "}".repeat(100_000)),
        ("{\"error\":".repeat(100_000) + "1", "}".repeat(100_000)),
        ("{\"root\":".repeat(100_000) + "1", "}".repeat(100_000)),
        ("{\"children\":[".repeat(100_000), "]}".repeat(100_000)),
    ];
    let fields = [
        "text",
        "richText",
        "thinking",
        "allThinkingBlocks",
        "codeBlocks",
        "codeBlock",
        "todos",
        "cachedConversationSummary",
        "conversationSummary",
        "errorDetails",
        "timingInfo",
        "modelInfo",
        "tokenCount",
        "toolFormerData",
        "context",
        "relevantFiles",
        "fileSelections",
        "mentions",
        "unknownToUs",
    ];
    for (open, close) in &shapes {
        for field in fields {
            let deep = format!("{open}{close}");
            let inside = serde_json::Value::from(deep.as_str()).to_string();
            let is_read_as_json =
                ["thinking", "richText", "errorDetails"].contains(&field) || field.ends_with("Summary");
            for value in [&deep, &inside].into_iter().take(1 + usize::from(is_read_as_json)) {
                // The deep field stands first: `text` after it must still be read.
                let own = if field == "text" { "" } else { r#","text":"still here""# };
                let bubble = format!(r#"{{"type":2,"{field}":{value}{own}}}"#);
                let decoded = with_bubble(RECORD, bubble.as_bytes());
                assert_eq!(decoded.coverage.undecodable, 0, "{field}");
                assert_eq!(decoded.messages[0].text().contains("still here"), field != "text", "{field}");
            }
        }
    }
}

#[test]
fn bottomless_json_in_a_tool_call_is_kept_as_text() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    for field in ["rawArgs", "params", "result", "error", "additionalData"] {
        for value in [deep.clone(), serde_json::Value::from(deep.as_str()).to_string()] {
            let bubble = format!(r#"{{"type":2,"toolFormerData":{{"name":"edit_file","{field}":{value}}}}}"#);
            let decoded = with_bubble(RECORD, bubble.as_bytes());
            assert_eq!(decoded.messages[0].tool_calls().count(), 1, "{field}");
        }
    }
}

#[test]
fn bottomless_json_in_a_record_costs_that_field_alone() {
    let fields = [
        "latestConversationSummary",
        "conversation",
        "conversationMap",
        "codeBlockData",
        "originalModelLines",
        "originalFileStates",
        "capabilities",
        "usageData",
        "todos",
        "workspaceIdentifier",
        "gitWorktree",
        "richText",
        "queueItems",
        "newlyCreatedFiles",
        "agentLocation",
        "trackedGitRepos",
        "unknownToUs",
    ];
    let shapes = ["[", "{\"summary\":", "{\"uri\":", "{\"data\":{\"bubbleDataMap\":"];
    for field in fields {
        for shape in shapes {
            let depth = 100_000 / (1 + shape.matches('{').count());
            let close = shape.chars().rev().filter_map(|c| match c {
                '{' => Some("}"),
                '[' => Some("]"),
                _ => None,
            });
            let close = close.collect::<String>().repeat(depth);
            let core = if shape == "[" { "" } else { "1" };
            let record = format!(
                r#"{{"name":"n","{field}":{}{core}{close},"fullConversationHeadersOnly":[{{"bubbleId":"b","type":2}}]}}"#,
                shape.repeat(depth)
            );
            let decoded = with_bubble(&record, br#"{"type":2,"text":"still here"}"#);
            assert_eq!(decoded.summary.title.as_deref(), Some("n"), "{field} {shape}");
            assert!(decoded.messages.iter().any(|message| message.text() == "still here"), "{field} {shape}");
        }
    }
}

#[test]
fn a_hundred_megabytes_of_text_are_read() {
    let long = "word ".repeat(20_000_000);
    let bubble = format!(r#"{{"type":2,"text":"{long}","codeBlocks":[{{"content":"absent"}}]}}"#);
    let decoded = with_bubble(RECORD, bubble.as_bytes());
    assert!(matches!(&decoded.messages[0].parts[0], Part::Text(text) if text.len() == long.len()));
}

#[test]
fn invalid_characters_are_replaced_and_reported() {
    let mut bubble = br#"{"type":2,"text":"a "#.to_vec();
    bubble.extend(b"\xff\xfe");
    bubble.extend(br#" z","thinking":{"text":"half \ud83d"}}"#);
    let decoded = with_bubble(RECORD, &bubble);
    assert_eq!(decoded.messages[0].text(), "a \u{fffd}\u{fffd} z");
    assert!(
        decoded.messages[0]
            .parts
            .contains(&Part::Thinking { text: "half \u{fffd}".into(), duration_ms: None })
    );
    assert_eq!(decoded.findings[0].kind, FindingKind::Damaged);
    let half = with_bubble(RECORD, br#"{"type":2,"thinking":{"text":"half \ud83d, whole \ud83d\ude00"}}"#);
    let thought = Part::Thinking { text: "half \u{fffd}, whole \u{1f600}".into(), duration_ms: None };
    assert_eq!(half.messages[0].parts, [thought]);
    let record = br#"{"allComposers":[{"composerId":"c","name":"\ud83d","conversation":[{"bubbleId":"b","type":1,"text":"x"}]}]}"#;
    let decoded = ide::inline_conversation(record, &ConversationId::new("c"), &origin("k")).unwrap();
    assert_eq!(decoded.messages[0].text(), "x");
}

#[test]
fn the_last_of_duplicate_keys_wins_as_in_javascript() {
    let decoded = with_bubble(RECORD, br#"{"type":1,"text":"first","type":2,"text":"last","text":"last"}"#);
    assert_eq!(decoded.messages[0].text(), "last");
}

#[test]
fn ids_may_hold_anything() {
    for id in ["task-call_1\nfc_2", "nul\0inside", "spaced out", "ü", "", "%", "a'b\"c"] {
        let mut table = Table::default();
        let headers = json!([{"bubbleId": format!("b{id}"), "type": 1}]);
        table.put_json(format!("composerData:{id}"), &json!({"fullConversationHeadersOnly": headers}));
        table.put_json(format!("bubbleId:{id}:b{id}"), &json!({"type": 1, "text": "found"}));
        let decoded = table.assemble(id).fragment;
        assert_eq!((decoded.messages[0].text().as_str(), decoded.orphans.len()), ("found", 0), "{id:?}");
    }
}

#[test]
fn a_record_that_cannot_be_read_still_leaves_its_rows() {
    for record in ["", "{", "[1]", "null", "\"text\"", "{\"a\":"] {
        let decoded = with_bubble(record, br#"{"type":2,"text":"still here"}"#);
        assert_eq!(decoded.messages[0].text(), "still here", "{record}");
        let kinds: Vec<FindingKind> = decoded.findings.iter().map(|finding| finding.kind).collect();
        assert_eq!(kinds, [FindingKind::Undecodable, FindingKind::ListLost], "{record}");
    }
}

#[test]
fn more_messages_than_fit_into_memory_are_counted() {
    // Listed messages, and rows that nothing lists.
    for (listed, rows) in [(100_010, 100_010), (10, 100_010), (0, 100_010)] {
        let mut table = Table::default();
        let heads: Vec<_> =
            (0..listed).map(|number| json!({"bubbleId": format!("b{number:06}"), "type": 2})).collect();
        table.put_json("composerData:c", &json!({ "fullConversationHeadersOnly": heads }));
        for number in 0..rows {
            table.put(format!("bubbleId:c:b{number:06}"), r#"{"type":2,"text":"still here"}"#);
        }
        let decoded = table.assemble("c").fragment;
        assert!(decoded.coverage.adds_up(), "{:?}", decoded.coverage);
        assert_eq!(decoded.messages.len() + decoded.orphans.len(), 100_000);
        assert_eq!(decoded.coverage.listed, if listed == 0 { 100_000 } else { listed });
        let found: Vec<&str> = decoded
            .findings
            .iter()
            .filter(|finding| finding.kind == FindingKind::TooLarge)
            .map(|finding| finding.says.as_str())
            .collect();
        let lost = if listed > 100_000 { "10 listed ones and 10 rows" } else { "0 listed ones and 10 rows" };
        assert!(matches!(found[..], [says] if says.contains(lost)), "{found:?}");
    }
}

#[test]
fn what_a_message_refers_to_and_is_gone_is_reported() {
    let result = r#"{"beforeContentId":"composer.content.aa","afterContentId":"composer.content.bb"}"#;
    let tool =
        json!({"name": "edit_file_v2", "params": r#"{"relativeWorkspacePath":"/a"}"#, "result": result});
    let decoded = with_bubble(RECORD, json!({"type": 2, "toolFormerData": tool}).to_string().as_bytes());
    assert_eq!(decoded.findings.len(), 2);
    assert!(decoded.findings.iter().all(|finding| finding.kind == FindingKind::DanglingReference));
}

#[test]
fn a_row_beside_a_message_that_is_not_json_is_reported() {
    let mut table = Table::default();
    table.put("composerData:c", RECORD);
    table.put("bubbleId:c:b", r#"{"type":2,"text":"x"}"#);
    table.put("messageRequestContext:c:b", "{half");
    let decoded = table.assemble("c").fragment;
    assert_eq!(decoded.findings[0].kind, FindingKind::Undecodable);
    assert_eq!(decoded.findings[0].at.key, "messageRequestContext:c:b");
}
