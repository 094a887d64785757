//! JSON as the contract spells it.

use backscroll_model::{Conversation, ConversationId, Payload, Summary, Surface};
use backscroll_render::json;
use serde_json::Value;

use crate::every_part::{self, origin};

fn written(conversation: &Conversation) -> String {
    let mut out = Vec::new();
    json::conversation(conversation, &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("JSON is UTF-8")
}

#[test]
fn a_conversation_with_every_part() {
    let line = written(&every_part::conversation());
    assert!(!line.contains(['\n', '\r']), "one object, one line");
    // One field a line, in the order in which they are written.
    insta::assert_snapshot!(line.replace(",\"", ",\n\"").replace("},{", "},\n{"));
}

#[test]
fn a_summary() {
    let mut out = Vec::new();
    json::summary(&every_part::summary(), &mut out).expect("a vector takes everything");
    let line = String::from_utf8(out).expect("JSON is UTF-8");
    insta::assert_snapshot!(line.replace(",\"", ",\n\""));
}

#[test]
fn what_is_not_known_is_null_or_empty_but_there() {
    let summary = Summary::new(ConversationId::new("a\nb"), Surface::IdeChat, origin("k"));
    let line = written(&Conversation::new(summary));
    let value: Value = serde_json::from_str(&line).expect("valid JSON");
    for field in ["title", "workspace", "created_at", "updated_at", "mode", "parent", "tokens", "lines"] {
        assert_eq!(value.get(field), Some(&Value::Null), "{field}");
    }
    for field in ["models", "flags", "children", "messages", "orphans", "findings"] {
        assert_eq!(value.get(field), Some(&Value::Array(Vec::new())), "{field}");
    }
    assert_eq!(value["id"], "a\nb");
}

#[test]
fn payloads_are_written_as_they_were_stored() {
    let table = [
        (Payload::from_text("{\"b\":1.0,\"a\":[1e400]}".to_owned()), "{\"b\":1.0,\"a\":[1e400]}"),
        (Payload::from_text("{\r\n\"a\":\n\"x\\n\"}".to_owned()), "{  \"a\": \"x\\n\"}"),
        (Payload::from_text("{\"cut\": \"of".to_owned()), "\"{\\\"cut\\\": \\\"of\""),
    ];
    for (payload, expected) in table {
        let mut conversation = every_part::conversation();
        let backscroll_model::Part::ToolCall(call) = &mut conversation.messages[2].parts[2] else {
            panic!("the third part is a tool call");
        };
        call.arguments = Some(payload);
        assert!(written(&conversation).contains(&format!("\"arguments\":{expected},")), "{expected}");
    }
}

#[test]
fn a_line_is_one_line_for_everybody() {
    let odd = "a\u{85}b\u{2028}c\u{2029}d é";
    let mut conversation = every_part::conversation();
    conversation.summary.title = Some(odd.to_owned());
    let backscroll_model::Part::ToolCall(call) = &mut conversation.messages[2].parts[2] else {
        panic!("the third part is a tool call");
    };
    call.arguments = Some(Payload::from_text(format!("{{\"q\":\"{odd}\"}}")));
    let line = written(&conversation);
    assert!(!line.contains(['\u{85}', '\u{2028}', '\u{2029}']), "many languages end lines there");
    let value: Value = serde_json::from_str(&line).expect("valid JSON");
    assert_eq!(value["title"], odd);
    assert_eq!(value["messages"][2]["parts"][2]["arguments"]["q"], odd);
}
