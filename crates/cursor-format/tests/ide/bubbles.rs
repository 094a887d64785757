//! Bubbles as the editor writes them, down to the last awkward field.

use backscroll_model::{AtIs, AttachmentKind, FindingKind, Fragment, Part, Payload, Role, ToolStatus};
use serde_json::{Value, json};

use super::store::{Table, conversation, listing};

/// Appendix A.3 of the format notes: a user's message, a tool call, and a stub that is none.
#[test]
fn minimal_bubbles_of_3_7_are_read_whole() {
    let decoded = listing(&[
        json!({"_v": 3, "type": 1, "bubbleId": "B1", "requestId": "R1", "createdAt": "2026-07-07T04:13:44.574Z",
            "unifiedMode": 2, "text": "fix it",
            "richText": r#"{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"fix it"}]}]}"#,
            "context": {"fileSelections": [], "mentions": {}}, "modelInfo": {"modelName": "composer-2.5"},
            "checkpointId": "K1", "conversationState": "~",
            "tokenCount": {"inputTokens": 0, "outputTokens": 0}, "isAgentic": false}),
        json!({"_v": 3, "type": 2, "bubbleId": "B2", "text": "", "capabilityType": 15,
            "createdAt": "2026-07-07T04:15:56.600Z", "requestId": "", "conversationState": "~",
            "toolFormerData": {"tool": 15, "toolIndex": 0, "modelCallId": "", "toolCallId": "tool_x",
                "status": "completed", "rawArgs": "", "name": "run_terminal_command_v2",
                "params": r#"{"command":"ls","cwd":"","options":{"timeout":30000}}"#,
                "result": r#"{"output":"a\n","rejected":false,"notInterrupted":true}"#,
                "additionalData": {"status": "success", "startedAtMs": 1_783_397_756_528_i64}}}),
        json!({"_v": 2, "type": 1, "bubbleId": "B0", "text": "hello",
            "toolFormerData": {"additionalData": {"status": "error"}}}),
    ]);
    assert_eq!(decoded.findings, []);
    let [asked, ran, stub] = &decoded.messages[..] else { panic!("three messages") };
    assert_eq!((asked.role, asked.text(), asked.tokens), (Role::User, "fix it".into(), None));
    assert_eq!((asked.request_id.as_deref(), asked.model.as_deref()), (Some("R1"), Some("composer-2.5")));
    assert_eq!(asked.parts.len(), 1, "an empty context adds nothing, rich text repeats nothing");
    let call = ran.tool_calls().next().unwrap();
    assert_eq!(
        (call.name.as_str(), call.status, call.id.as_deref()),
        ("shell", ToolStatus::Completed, Some("tool_x"))
    );
    assert_eq!(
        call.arguments.as_ref().unwrap().as_str(),
        r#"{"command":"ls","cwd":"","options":{"timeout":30000}}"#
    );
    assert_eq!(call.started_at.unwrap().as_millisecond(), 1_783_397_756_528);
    assert_eq!((call.decision.as_deref(), call.error.as_deref()), (None, None));
    assert_eq!(ran.model.as_deref(), Some("composer-2.5"), "the model of the question answers it");
    assert_eq!((stub.role, stub.text(), stub.parts.len()), (Role::User, "hello".into(), 1));
}

fn one(fields: &Value) -> Fragment {
    let mut bubble = json!({"bubbleId": "b", "type": 2});
    bubble.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    listing(&[bubble])
}

#[test]
fn words_and_time_of_a_bubble_in_odd_fields_are_read() {
    let read = one(&json!({ "type": 7, "message": "Here I am.", "timestamp": 1_760_000_000_000_i64 }));
    assert_eq!(read.messages[0].parts, [Part::Text("Here I am.".into())]);
    assert_eq!(read.messages[0].at.at.unwrap().as_millisecond(), 1_760_000_000_000);
    let read = one(
        &json!({ "text": "Words.", "message": "Others.", "createdAt": "2026-01-01T00:00:00Z", "timestamp": 1 }),
    );
    assert_eq!(read.messages[0].parts, [Part::Text("Words.".into())]);
    assert_eq!(read.messages[0].at.at.unwrap().to_string(), "2026-01-01T00:00:00Z");
}

#[test]
fn rejected_edits_changed_nothing() {
    let rejected = |result: &str| {
        let args = r#"{"file_path":"a","old_string":"x","new_string":"y"}"#;
        one(
            &json!({"toolFormerData": {"name": "search_replace", "status": "completed", "rawArgs": args, "result": result}}),
        )
    };
    let done = rejected(r#"{"isApplied":true}"#);
    let call = done.messages[0].tool_calls().next().unwrap();
    assert_eq!(call.diff.as_deref(), Some("--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n"));
    let refused = rejected(r#"{"rejected":true}"#);
    let call = refused.messages[0].tool_calls().next().unwrap();
    assert_eq!((call.decision.as_deref(), call.diff.as_deref()), (Some("rejected"), None));
}

#[test]
fn a_tool_without_a_name_is_named_by_its_number() {
    let table = [(15, "shell", "run_terminal_command_v2"), (999, "tool 999", "tool 999")];
    for (number, name, raw_name) in table {
        let decoded = one(&json!({"toolFormerData": {"tool": number}}));
        let call = decoded.messages[0].tool_calls().next().unwrap();
        assert_eq!((call.name.as_str(), call.raw_name.as_str()), (name, raw_name));
    }
}

#[test]
fn cut_off_arguments_are_kept_and_reported() {
    let cut = json!({"toolFormerData": {"name": "write", "rawArgs": "{\"a\":\"b", "params": "{\"a\":1}"}});
    let decoded = one(&cut);
    assert_eq!(decoded.findings[0].kind, FindingKind::Damaged);
    let call = decoded.messages[0].tool_calls().next().unwrap();
    assert!(matches!(call.arguments, Some(Payload::Json(_))));
}

#[test]
fn summaries_errors_todos_and_attachments_are_parts() {
    let decoded = one(&json!({
        "text": "t",
        "cachedConversationSummary": "{\"summary\":\"so far\"}",
        "todos": ["{\"id\":\"1\",\"content\":\"do it\",\"status\":\"pending\"}", {"content": "and this"}, "bare"],
        "errorDetails": {"message": "no"},
        "context": {
            "fileSelections": [{"uri": {"fsPath": "/a.rs", "scheme": "file"}}],
            "selections": [{"text": "t", "rawText": "raw", "range": {"selectionStartLineNumber": 3, "positionLineNumber": 1}, "uri": {"path": "/b.rs"}}],
            "selectedImages": [{"uuid": "u", "path": "/img/x.PNG"}],
            "somethingNew": [1, 2],
        },
    }));
    let parts = &decoded.messages[0].parts;
    assert!(parts.contains(&Part::Summary("so far".into())) && parts.contains(&Part::Error("no".into())));
    let todos = parts.iter().find_map(|part| if let Part::Todos(todos) = part { Some(todos) } else { None });
    let contents: Vec<&str> = todos.unwrap().iter().map(|todo| todo.content.as_str()).collect();
    assert_eq!(contents, ["do it", "and this", "bare"]);
    let attached: Vec<_> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Attachment(one) => {
                Some((one.kind, one.path.as_deref(), one.lines.map(|l| (l.first, l.last))))
            }
            _ => None,
        })
        .collect();
    let expected = [
        (AttachmentKind::File, Some("/a.rs"), None),
        (AttachmentKind::Selection, Some("/b.rs"), Some((1, 3))),
    ];
    assert_eq!(attached, expected);
    assert!(
        parts.iter().any(|p| matches!(p, Part::Image(i) if i.media_type.as_deref() == Some("image/png")))
    );
}

#[test]
fn orphans_follow_apart_and_lost_lists_are_rebuilt_by_time() {
    let row = |id: &str, second: u32| json!({"bubbleId": id, "type": 1, "text": id, "createdAt": format!("2026-01-01T00:00:{second:02}Z")});
    let rows = [row("a", 9), row("b", 1), row("c", 5)];
    let partly = conversation(&json!({"fullConversationHeadersOnly": [{"bubbleId": "a", "type": 1}]}), &rows);
    let ids = |messages: &[backscroll_model::Message]| -> Vec<String> {
        messages.iter().map(|message| message.id.to_string()).collect()
    };
    assert_eq!(
        (ids(&partly.messages), ids(&partly.orphans)),
        (vec!["a".into()], vec!["b".into(), "c".into()])
    );
    assert_eq!((partly.coverage.listed, partly.coverage.orphaned), (1, 2));
    let lost = conversation(&json!({"fullConversationHeadersOnly": []}), &rows);
    assert_eq!(ids(&lost.messages), ["b", "c", "a"]);
    assert!(lost.findings.iter().any(|finding| finding.kind == FindingKind::ListLost));
    assert!(lost.orphans.is_empty() && lost.coverage.adds_up());
}

#[test]
fn a_row_wins_over_the_same_message_inline_and_a_null_row_does_not() {
    let inline = json!({"bubbleId": "b", "type": 1, "text": "inline"});
    let record =
        json!({"fullConversationHeadersOnly": [{"bubbleId": "b", "type": 1}], "conversation": [inline]});
    let decoded = conversation(&record, &[json!({"bubbleId": "b", "type": 1, "text": "row"})]);
    assert_eq!(decoded.messages[0].text(), "row");
    let mut table = Table::default();
    table.put_json("composerData:c", &record);
    table.0.insert("bubbleId:c:b".into(), (None, 2));
    assert_eq!(table.assemble("c").fragment.messages[0].text(), "inline");
}

#[test]
fn times_between_known_ones_are_interpolated() {
    let timed = |id: &str, at: Option<&str>| json!({"bubbleId": id, "type": 2, "text": id, "createdAt": at});
    let decoded = listing(&[
        timed("a", Some("2026-01-01T00:00:00Z")),
        timed("b", None),
        timed("c", Some("2026-01-01T00:00:10Z")),
        timed("d", None),
    ]);
    let kinds: Vec<AtIs> = decoded.messages.iter().map(|message| message.at.is).collect();
    assert_eq!(kinds, [AtIs::Exact, AtIs::Interpolated, AtIs::Exact, AtIs::Conversation]);
    assert_eq!(decoded.messages[1].at.at.unwrap().to_string(), "2026-01-01T00:00:05Z");
}

#[test]
fn a_subagent_inside_its_call_is_an_attachment_however_deep() {
    let mut record =
        json!({"composerId": "leaf", "conversation": [{"bubbleId": "x", "type": 1, "text": "leaf"}]});
    for depth in 0..40 {
        let call = json!({"name": "task", "additionalData": {"composerData": record}});
        let bubble =
            json!({"bubbleId": "x", "type": 2, "text": format!("level {depth}"), "toolFormerData": call});
        record = json!({"composerId": format!("child-{depth}"), "conversation": [bubble]});
    }
    let decoded =
        one(&json!({"toolFormerData": {"name": "task", "additionalData": {"composerData": record}}}));
    let call = decoded.messages[0].tool_calls().next().unwrap();
    assert_eq!(call.child.as_deref(), Some("child-39"));
    let said = decoded.messages[0].parts.iter().find_map(|part| match part {
        Part::Attachment(one) => one.text.clone(),
        _ => None,
    });
    assert_eq!(said.as_deref(), Some("assistant: level 39"));
}
