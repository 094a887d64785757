//! No bytes make a decoder panic.

use backscroll_cursor_format::agent::{
    conversation_at, conversation_state, message, prompt_history, reachable, references, root, session_file,
    store_meta, tool_call, tool_call_from_base64,
};
use proptest::prelude::*;

use super::build::Proto;
use super::store::{Held, conversation, hex, origin, skeleton};

/// Everything public, over the same bytes, as a root and as a blob that a root lists everywhere.
fn decode_everything(bytes: &[u8]) {
    let at = origin("x");
    let mut held = Held::default();
    let id = held.put(bytes);
    let text = String::from_utf8_lossy(bytes);
    let wrapped = [1, 2, 3, 6, 7, 8, 11, 13].iter().fold(Proto::new(), |root, field| root.bytes(*field, id));
    let wrapped = wrapped.bytes(4, &*text).bytes(16, bytes).bytes(30, bytes);
    for root_bytes in [bytes, &wrapped.0] {
        let decoded = conversation(root_bytes, &held.place()).value;
        assert!(decoded.coverage.adds_up());
        skeleton(root_bytes, &held.place());
        reachable(root_bytes, &held.place());
        root(root_bytes, &at);
    }
    conversation_at(&hex(&id), &held.place());
    references(bytes);
    message(bytes, &at);
    tool_call(bytes, &at, &held);
    tool_call_from_base64(&text, &at, &held);
    store_meta(bytes, &at);
    session_file(bytes, &at);
    prompt_history(bytes, &at);
    let _ = conversation_state(&text);
}

/// Bytes that look like messages: small fields, nested in one another.
fn message_like() -> impl Strategy<Value = Vec<u8>> {
    let leaf = prop::collection::vec(any::<u8>(), 0..40);
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop::collection::vec((1_u32..70, inner, any::<u64>(), any::<bool>()), 0..6).prop_map(|fields| {
            let message = fields.into_iter().fold(Proto::new(), |message, (number, bytes, value, nested)| {
                if nested { message.bytes(number, bytes) } else { message.number(number, value) }
            });
            message.0
        })
    })
}

/// JSON with the keys that matter and values of any kind.
fn json_like() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "[0-9]{1,3}",
        "\"[a-z~<>/_ é-]{0,12}\"",
        "\"(user|assistant|tool|text|tool-call|tool-result|reasoning|image)\"",
    ];
    let key = "(role|content|type|text|toolCallId|toolName|args|result|id|tool_calls|function|name|providerOptions|cursor|experimental_content|image|data|highLevelToolCallResult|output|success)";
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::btree_map(key, inner, 0..6).prop_map(|fields| {
                let fields: Vec<_> =
                    fields.into_iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", fields.join(","))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        decode_everything(&bytes);
    }

    #[test]
    fn bytes_like_messages(bytes in message_like()) {
        decode_everything(&bytes);
    }

    #[test]
    fn text_like_json(text in json_like()) {
        decode_everything(text.as_bytes());
    }

    #[test]
    fn tool_calls_of_every_number(number in 1_u32..90, body in message_like()) {
        let call = Proto::new().bytes(number, body);
        decode_everything(&call.0);
        decode_everything(&Proto::new().message(2, &call).0);
    }
}

#[test]
fn bottomless_nesting() {
    let deep = |open: &str, close: &str| open.repeat(100_000) + &close.repeat(100_000);
    let array = deep("[", "]");
    let object = deep("{\"content\":", "}");
    for json in [
        array.clone(),
        object,
        format!(r#"{{"role":"user","content":{array}}}"#),
        format!(r#"{{"role":"tool","content":[{{"type":"tool-result","result":{array}}}]}}"#),
        format!(r#"{{"role":"assistant","content":[{{"type":"tool-call","toolName":"x","args":{array}}}]}}"#),
        format!(r#"{{"role":"assistant","tool_calls":{array},"providerOptions":{array}}}"#),
    ] {
        decode_everything(json.as_bytes());
    }
    let mut nested = Proto::new();
    for _ in 0..3_000 {
        nested = Proto::new().message(1, &nested);
    }
    decode_everything(&nested.0);
    decode_everything(&Proto::new().message(19, &nested).0);
}
