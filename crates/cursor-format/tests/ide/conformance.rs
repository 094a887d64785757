//! Facts about messages that other tools test, by their numbers in the conformance list.

use backscroll_cursor_format::ide;
use backscroll_model::{ConversationId, FindingKind, Flag, Part, Role, ToolStatus};
use serde_json::{Value, json};

use super::store::{Table, conversation, listing, origin};

fn inline(bubbles: &Value) -> backscroll_model::Fragment {
    conversation(&json!({"composerId": "c", "conversation": bubbles}), &[])
}

fn said(decoded: &backscroll_model::Fragment) -> Vec<(Role, String)> {
    decoded.messages.iter().map(|message| (message.role, message.text())).collect()
}

#[test]
fn c001_inline_messages_are_read() {
    let decoded = inline(&json!([
        {"type": 1, "bubbleId": "bubble-1", "text": "Hello"},
        {"type": 2, "bubbleId": "bubble-2", "text": "Hi there!"},
    ]));
    assert_eq!(said(&decoded), [(Role::User, "Hello".into()), (Role::Assistant, "Hi there!".into())]);
}

#[test]
fn c002_a_null_record_hides_no_other() {
    let mut table = Table::default();
    table.put_json("composerData:test-composer-123", &json!({"composerId": "test-composer-123"}));
    table.0.insert("composerData:null-composer-456".into(), (None, 2));
    let ids: Vec<ConversationId> = table.composers().map(|(id, _)| id).collect();
    assert_eq!(ids, [ConversationId::new("test-composer-123")]);
    // Its rows may still be there; without any there is nothing to show.
    let gone =
        ide::orphaned(&ConversationId::new("null-composer-456"), &table, &table, &origin("k")).unwrap();
    assert!(gone.fragment.messages.is_empty() && gone.fragment.summary.flags.contains(&Flag::Deleted));
}

#[test]
fn c006_messages_come_in_the_order_of_the_headers() {
    let rows = [
        json!({"bubbleId": "bubble-1", "type": 1, "text": "User question"}),
        json!({"bubbleId": "a-2", "type": 2, "text": "Assistant response"}),
    ];
    let decoded = listing(&rows);
    assert_eq!(
        said(&decoded),
        [(Role::User, "User question".into()), (Role::Assistant, "Assistant response".into())]
    );
}

#[test]
fn c007_a_header_without_a_row_is_an_empty_message() {
    let headers = json!([{"bubbleId": "bubble-1", "type": 1}, {"bubbleId": "bubble-2", "type": 2}]);
    let decoded = conversation(&json!({"fullConversationHeadersOnly": headers}), &[]);
    assert_eq!(said(&decoded), [(Role::User, String::new()), (Role::Assistant, String::new())]);
    assert_eq!((decoded.coverage.listed, decoded.coverage.missing), (2, 2));
    let missing = decoded.findings.iter().filter(|finding| finding.kind == FindingKind::MissingMessage);
    assert_eq!(missing.count(), 2);
}

#[test]
fn c009_a_message_of_unknown_type_keeps_its_words_and_is_reported() {
    let decoded =
        inline(&json!([{"bubbleId": "b", "type": 99, "text": "By whom?"}, {"bubbleId": "c", "type": 99}]));
    assert_eq!(said(&decoded), [(Role::Assistant, "By whom?".to_owned())]);
    assert_eq!((decoded.coverage.listed, decoded.coverage.read, decoded.coverage.undecodable), (2, 1, 1));
    assert!(decoded.findings.iter().all(|finding| finding.kind == FindingKind::Unknown));
    assert_eq!(decoded.findings.len(), 2);
}

#[test]
fn c010_c013_c066_what_a_bubble_says_is_what_it_holds() {
    let tool = json!({"name": "read_file", "params": "{}", "result": "ok"});
    let table = [
        (json!({"text": "Response text"}), "text"),
        (json!({"text": "", "richText": "rich"}), "text"),
        (json!({"text": "", "codeBlock": {"content": "print('hello')"}}), "code"),
        (json!({"text": ""}), ""),
        (json!({"text": "", "thinking": {"text": "Let me think about this..."}}), "thinking"),
        (json!({"thinking": "x"}), "thinking"),
        (json!({"toolFormerData": tool}), "tool"),
    ];
    for (fields, expected) in table {
        let mut bubble = json!({"bubbleId": "b", "type": 2});
        bubble.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let decoded = listing(&[bubble]);
        let kinds: Vec<&str> = decoded.messages[0].parts.iter().map(kind).collect();
        assert_eq!(kinds.join(" "), expected, "{fields}");
        assert_eq!(decoded.coverage.empty, u64::from(expected.is_empty()), "{fields}");
    }
}

fn kind(part: &Part) -> &'static str {
    match part {
        Part::Text(_) => "text",
        Part::Thinking { .. } => "thinking",
        Part::ToolCall(_) => "tool",
        Part::Code(_) => "code",
        _ => "other",
    }
}

#[test]
fn c064_messages_are_counted_by_headers_and_inline_messages() {
    let ids = |ids: &[&str]| Value::from(ids.iter().map(|id| json!({"bubbleId": id})).collect::<Vec<_>>());
    let table = [
        (json!({}), 0),
        (json!({"fullConversationHeadersOnly": "oops"}), 0),
        (json!({"fullConversationHeadersOnly": ids(&["a", "b", "c"])}), 3),
        (json!({"fullConversationHeadersOnly": [], "conversation": ids(&["a", "b"])}), 2),
        (json!({"fullConversationHeadersOnly": ids(&["a", "b", "a", "c"])}), 3),
        (json!({"fullConversationHeadersOnly": ids(&["a"]), "conversationMap": {"a": {}, "b": {}}}), 2),
    ];
    for (record, expected) in table {
        let bytes = record.to_string();
        let listed =
            ide::index_entry(&ConversationId::new("c"), bytes.as_bytes(), &origin("k")).value.unwrap();
        assert_eq!(listed.evidence.summary.messages, Some(expected), "{record}");
        assert_eq!(listed.evidence.summary.flags.contains(&Flag::Empty), expected == 0, "{record}");
        assert_eq!(conversation(&record, &[]).coverage.listed, expected, "{record}");
    }
    let repeated = conversation(&json!({"fullConversationHeadersOnly": ids(&["a", "b", "a", "c"])}), &[]);
    let order: Vec<&str> = repeated.messages.iter().map(|message| message.id.as_str()).collect();
    assert_eq!(order, ["a", "b", "c"]);
}

#[test]
fn c071_errors_are_read_out_of_json_in_text() {
    let details = r#"{"error":"ERROR_USER_ABORTED_REQUEST","details":{"title":"User aborted request."}}"#;
    let decoded = listing(&[json!({"bubbleId": "b", "type": 2, "errorDetails": {"error": details}})]);
    assert!(
        matches!(&decoded.messages[0].parts[..], [Part::Error(says)] if says.starts_with("ERROR_USER_ABORTED_REQUEST"))
    );
}

/// C085–C113 in the words of our contract: other tools say `Bash`, `Agent`, `Browser`.
#[test]
fn c085_to_c113_tools_have_one_name_each() {
    let table = [
        ("C085", "run_terminal_cmd", "shell"),
        ("C086", "run_terminal_command_v2", "shell"),
        ("C087", "Shell", "shell"),
        ("C088", "shell", "shell"),
        ("C089", "read_file", "read"),
        ("C090", "read_file_v2", "read"),
        ("C091", "ReadFile", "read"),
        ("C092", "search_replace", "edit"),
        ("C093", "edit_file", "edit"),
        ("C094", "edit_file_v2", "edit"),
        ("C095", "StrReplace", "edit"),
        ("C096", "ApplyPatch", "edit"),
        ("C097", "write", "write"),
        ("C098", "delete_file", "delete"),
        ("C099", "Task", "task"),
        ("C100", "task_v2", "task"),
        ("C101", "Subagent", "task"),
        ("C102", "create_plan", "plan"),
        ("C103", "list_dir", "list_dir"),
        ("C104", "glob_file_search", "glob"),
        ("C105", "file_search", "glob"),
        ("C106", "rg", "grep"),
        ("C107", "grep_search", "grep"),
        ("C108", "ripgrep_raw_search", "grep"),
        ("C109", "codebase_search", "semantic_search"),
        ("C110", "web_search", "web_search"),
        ("C111", "todo_write", "todo"),
        (
            "C112",
            "mcp-cursor-ide-browser-cursor-ide-browser-browser_navigate",
            "mcp:cursor-ide-browser:browser_navigate",
        ),
        ("C113", "chrome-devtools-new_page", "mcp:chrome-devtools:new_page"),
    ];
    for (number, raw_name, expected) in table {
        let tool = json!({"name": raw_name, "params": "{}", "status": "completed"});
        let decoded = listing(&[json!({"bubbleId": "b", "type": 2, "toolFormerData": tool})]);
        let call = decoded.messages[0].tool_calls().next().unwrap();
        let name = (call.name.as_str(), call.raw_name.as_str(), call.status);
        assert_eq!(name, (expected, raw_name, ToolStatus::Completed), "{number}");
    }
}
