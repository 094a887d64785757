//! Facts that other tools test, by their numbers in the conformance list. Those about wrappers around the user's
//! words (C034–C050, C073–C081) belong to `user_text`; those about folders (C051, C084) to the store.

use backscroll_cursor_format::agent::{message, reachable, references, root, store_meta};
use backscroll_model::{FindingKind, Part, Role, ToolStatus};
use serde_json::json;

use super::build::Proto;
use super::store::{Held, conversation, hex, origin};

/// A conversation of these JSON messages, in order.
fn read(messages: &[serde_json::Value]) -> Vec<backscroll_model::Message> {
    let mut held = Held::default();
    let root = messages.iter().fold(Proto::new(), |root, one| root.bytes(1, held.put(one.to_string())));
    let decoded = conversation(&root.0, &held.place());
    assert_eq!(decoded.findings, []);
    decoded.value.messages
}

#[test]
fn c032_results_are_texts_lists_or_errors() {
    let call = |id: &str| json!({"type":"tool-call","toolCallId":id,"toolName":"Read","args":{}});
    let messages = read(&[
        json!({"role":"assistant","content":[call("tc_123"), call("tc_456"), call("tc_err"), call("o")]}),
        json!({"role":"tool","content":[{"type":"tool-result","toolCallId":"tc_123","result":"file contents here"}]}),
        json!({"role":"tool","content":[{"type":"tool-result","toolCallId":"tc_456",
            "result":[{"type":"text","text":"line 1"},{"type":"text","text":"line 2"}]}]}),
        json!({"role":"tool","content":[{"type":"tool-result","toolCallId":"tc_err",
            "result":"Error: file not found","isError":true}]}),
        json!({"role":"tool","content":[{"type":"tool-result","toolCallId":"o","result":{"a":1}}]}),
    ]);
    assert_eq!(messages.len(), 1);
    let results: Vec<_> = messages[0]
        .tool_calls()
        .map(|call| (call.result.as_ref().expect("a result").as_str(), call.status))
        .collect();
    assert_eq!(
        results,
        [
            ("file contents here", ToolStatus::Completed),
            ("line 1\nline 2", ToolStatus::Completed),
            ("Error: file not found", ToolStatus::Error),
            (r#"{"a":1}"#, ToolStatus::Completed),
        ]
    );
}

#[test]
fn c033_blocks_keep_their_order() {
    let messages = read(&[
        json!({"role":"user","content":"Just a simple string message"}),
        json!({"role":"assistant","content":[{"type":"text","text":"I will read the file"},
            {"type":"tool-call","toolCallId":"tc_001","toolName":"Read","args":{"path":"main.go"}}]}),
        json!({"role":"assistant","content":[{"type":"reasoning","text":"Let me think about this..."}]}),
    ]);
    let kinds: Vec<Vec<&str>> = messages
        .iter()
        .map(|one| {
            let kinds = one.parts.iter().map(|part| match part {
                Part::Text(_) => "text",
                Part::Thinking { .. } => "thinking",
                Part::ToolCall(call) => {
                    assert_eq!((call.id.as_deref(), call.name.as_str()), (Some("tc_001"), "read"));
                    "tool_use"
                }
                other => panic!("{other:?}"),
            });
            kinds.collect()
        })
        .collect();
    assert_eq!(kinds, [vec!["text"], vec!["text", "tool_use"], vec!["thinking"]]);
}

#[test]
fn c052_nested_lists_and_an_embedded_tail_are_read() {
    let mut held = Held::default();
    let first = held.put(r#"{"role":"user","content":"one"}"#);
    let second = held.put(r#"{"role":"assistant","content":[{"type":"text","text":"two"}]}"#);
    let nested = held.put(Proto::new().bytes(1, first).bytes(1, second).0);
    let mut root = Proto::new().bytes(1, nested).0;
    root.extend_from_slice(br#"{"role":"assistant","content":[{"type":"text","text":"embedded tail"}]}"#);
    let decoded = conversation(&root, &held.place());
    let texts: Vec<_> = decoded.value.messages.iter().map(backscroll_model::Message::text).collect();
    assert_eq!(texts, ["one", "two", "embedded tail"]);
    for name in ["", "New Agent"] {
        let row = json!({"name":name}).to_string();
        assert_eq!(store_meta(row.as_bytes(), &origin("0")).value.expect("meta").title, None);
    }
}

#[test]
fn c082_ids_are_found_behind_bytes_that_are_no_protobuf() {
    let id = [7_u8; 32];
    let odd = [&[0xff, 0x0a, 0x20][..], &id, &[0xee]].concat();
    for (bytes, expected) in [(odd.as_slice(), 1), (&[0, 1, 2], 0), (&[], 0)] {
        let decoded = root(bytes, &origin("root"));
        assert_eq!(decoded.value.messages.len(), expected, "{bytes:?}");
        let is_damaged = decoded.findings.iter().any(|one| one.kind == FindingKind::Damaged);
        assert_eq!(is_damaged, !bytes.is_empty());
    }
}

#[test]
fn c083_nine_messages_and_a_root_are_ten_blobs() {
    let mut held = Held::default();
    let root = (0..9).fold(Proto::new(), |root, n| {
        root.bytes(1, held.put(json!({"role":"user","content":format!("message {n}")}).to_string()))
    });
    let root_id = hex(&held.put(&root.0));
    assert_eq!(references(&root.0).len(), 9);
    assert_eq!(reachable(&root.0, &held.place()).value.len(), 10);
    let meta = hex(json!({"latestRootBlobId":root_id,"name":"x"}).to_string().as_bytes());
    let meta = store_meta(meta.as_bytes(), &origin("0")).value.expect("hex JSON");
    assert_eq!(meta.root_id, Some(root_id));
}

#[test]
fn c122_bare_calls_and_answers_find_each_other() {
    let messages = read(&[
        json!({"role":"user","content":"Run tests"}),
        json!({"role":"assistant","toolCallId":"call_2","toolName":"run_terminal_cmd",
            "args":{"command":"pnpm test"},"content":""}),
        json!({"role":"tool","content":"all green"}),
    ]);
    assert_eq!(messages.len(), 2);
    let call = messages[1].tool_calls().next().expect("a call");
    assert_eq!((call.id.as_deref(), call.name.as_str()), (Some("call_2"), "shell"));
    assert_eq!(call.result.as_ref().map(backscroll_model::Payload::as_str), Some("all green"));
}

#[test]
fn c123_every_value_of_32_bytes_may_be_an_id_and_nothing_else() {
    let (a, b) = ([1_u8; 32], [2_u8; 32]);
    let decoy = [&[0x0a, 0x20][..], &[3; 33]].concat();
    let nested = Proto::new().bytes(1, "path").message(2, &Proto::new().bytes(1, b));
    let root = Proto::new().bytes(1, a).bytes(7, &decoy).message(15, &nested).0;
    assert_eq!(references(&root), [a.into(), b.into()]);
}

#[test]
fn openai_messages_are_read_like_the_others() {
    let messages = read(&[
        json!({"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",
            "function":{"name":"Shell","arguments":"{\"command\":\"ls\"}"}}]}),
        json!({"role":"tool","tool_call_id":"c1","content":"a\nb"}),
        json!({"role":"tool","tool_call_id":"nobody","content":"lost"}),
    ]);
    let call = messages[0].tool_calls().next().expect("a call");
    assert_eq!(call.arguments.as_ref().map(backscroll_model::Payload::as_str), Some(r#"{"command":"ls"}"#));
    assert_eq!(call.result.as_ref().map(backscroll_model::Payload::as_str), Some("a\nb"));
    assert_eq!(messages[1].role, Role::Tool);
    assert_eq!(messages[1].tool_calls().next().and_then(|call| call.id.as_deref()), Some("nobody"));
}

#[test]
fn what_cursor_says_beside_a_message_is_used() {
    let messages = read(&[
        json!({"role":"user","content":"edit","providerOptions":{"cursor":{"requestId":"r1"}}}),
        json!({"role":"assistant","content":[
            {"type":"reasoning","text":"hm","providerOptions":{"cursor":{"modelName":"m-1"}}},
            {"type":"tool-call","toolCallId":"c\nfc","toolName":"StrReplace","args":{}}]}),
        json!({"role":"tool","id":"c\nfc","content":[{"type":"tool-result","toolCallId":"c\nfc","result":"",
            "experimental_content":[{"type":"text","text":"done"},{"type":"image","data":"AAAA","mimeType":"image/png"}]}],
            "providerOptions":{"cursor":{"highLevelToolCallResult":{"isError":false,"output":{"success":{
                "path":"/p/a.txt","beforeFullFileContent":"a\n","afterFullFileContent":"b\n"}}}}}}),
    ]);
    assert_eq!(messages[0].request_id.as_deref(), Some("r1"));
    assert_eq!(messages[1].model.as_deref(), Some("m-1"));
    let call = messages[1].tool_calls().next().expect("a call");
    assert_eq!(call.result.as_ref().map(backscroll_model::Payload::as_str), Some("done"));
    assert_eq!(call.diff.as_deref(), Some("--- /p/a.txt\n+++ /p/a.txt\n@@ -1 +1 @@\n-a\n+b\n"));
    let image = messages[1].parts.iter().find(|part| matches!(part, Part::Image(_)));
    assert!(matches!(image, Some(Part::Image(image)) if image.media_type.as_deref() == Some("image/png")));
}

#[test]
fn an_unknown_part_is_reported_and_kept() {
    let decoded = message(br#"{"role":"user","content":[{"type":"hologram","x":1}]}"#, &origin("m"));
    assert_eq!(decoded.findings[0].kind, FindingKind::Unknown);
    assert_eq!(decoded.value.expect("a message").pieces.len(), 1);
}

#[test]
fn pictures_that_the_words_name_are_parts_and_no_context() {
    let words = "[Image]\n<image_files>\n1. /tmp/a.png\n</image_files>";
    let messages = read(&[
        json!({"role":"user","content":words}),
        json!({"role":"user","content":"<user_info>\nOS: x\n</user_info>"}),
    ]);
    assert_eq!(messages[0].role, Role::User);
    let paths: Vec<_> = messages[0]
        .parts
        .iter()
        .map(|part| match part {
            Part::Image(image) => image.path.as_deref(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(paths, [Some("/tmp/a.png")]);
    assert_eq!(messages[1].role, Role::System);
}

#[test]
fn relayed_calls_are_named_by_what_they_call() {
    let args = json!({"server":"github","toolName":"create_issue","arguments":{"title":"x"}});
    let call = json!({"type":"tool-call","toolCallId":"t","toolName":"CallMcpTool","args":args});
    let messages = read(&[json!({"role":"assistant","content":[call]})]);
    let call = messages[0].tool_calls().next().expect("a call");
    assert_eq!((call.name.as_str(), call.raw_name.as_str()), ("mcp:github:create_issue", "CallMcpTool"));
}
