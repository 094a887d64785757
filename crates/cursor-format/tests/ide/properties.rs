//! Arbitrary bytes, arbitrary values under known keys, and recorded bubbles with their fields shuffled: no decoder
//! of the editor's shapes panics, and every account adds up.

use std::sync::OnceLock;

use backscroll_cursor_format::ide::{self, keys};
use backscroll_cursor_format::{rich_text, uri};
use backscroll_model::{Attribution, ConversationId, Fragment};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::store::{Table, databases, origin};

/// Keys that some decoder of the editor's shapes looks at.
const KEYS: [&str; 73] = [
    "type",
    "bubbleId",
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
    "createdAt",
    "timingInfo",
    "modelInfo",
    "modelName",
    "tokenCount",
    "toolFormerData",
    "context",
    "relevantFiles",
    "workspaceUris",
    "fileSelections",
    "mentions",
    "selectedImages",
    "uri",
    "content",
    "summary",
    "error",
    "details",
    "tool",
    "name",
    "toolCallId",
    "status",
    "rawArgs",
    "params",
    "result",
    "additionalData",
    "precomputedDiff",
    "lines",
    "codeblockId",
    "version",
    "composerData",
    "diff",
    "chunks",
    "diffString",
    "composerId",
    "conversation",
    "conversationMap",
    "fullConversationHeadersOnly",
    "codeBlockData",
    "originalModelLines",
    "originalFileStates",
    "capabilities",
    "data",
    "bubbleDataMap",
    "latestConversationSummary",
    "workspaceIdentifier",
    "agentLocation",
    "allComposers",
    "tabs",
    "bubbles",
    "beforeContentId",
    "checkpointId",
    "afterCheckpointId",
    "files",
    "nonExistentFiles",
    "activeInlineDiffs",
    "originalModelDiffWrtV0",
    "newTextDiffWrtV0",
    "original",
    "modified",
    "startLineNumber",
    "endLineNumberExclusive",
];

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0_i64..3).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "c",
            "b",
            "completed",
            "edit_file",
            "file:///a%2",
            "{\"a\":",
            "{}",
            "~",
            "vscode-remote://",
            "@@ -1 +1 @@",
        ])
        .prop_map(Value::from),
    ]
}

/// Any JSON whose objects have keys that somebody looks at; some of it as JSON inside a string.
fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(5, 48, 6, |inner| {
        let key = prop::sample::select(KEYS.to_vec()).prop_map(str::to_owned);
        let object = prop::collection::btree_map(key, inner.clone(), 0..6)
            .prop_map(|fields| Value::Object(fields.into_iter().collect()));
        prop_oneof![
            3 => object.clone(),
            1 => prop::collection::vec(inner, 0..5).prop_map(Value::from),
            1 => object.prop_map(|object| Value::from(object.to_string())),
        ]
    })
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    let key = prop::sample::select(KEYS.to_vec()).prop_map(str::to_owned);
    prop::collection::btree_map(key, value(), 0..8).prop_map(|fields| fields.into_iter().collect())
}

/// Bubbles and records of a recorded store.
fn recorded() -> &'static [Value] {
    static RECORDED: OnceLock<Vec<Value>> = OnceLock::new();
    RECORDED.get_or_init(|| {
        let homes = ["global-older-backup-null-bubbles", "profile-agentkv-wal-workspaces"];
        let tables = homes.map(|home| Table::of(&databases(home).0[0], "cursorDiskKV"));
        let values = tables
            .iter()
            .flat_map(|table| table.beginning("bubbleId:").chain(table.beginning("composerData:")));
        values.filter_map(|(_, (value, _))| serde_json::from_slice(value.as_deref()?).ok()).collect()
    })
}

/// A recorded value with some fields dropped, and others of another type.
fn mutated() -> impl Strategy<Value = Value> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(value())), 0..6);
    (any::<prop::sample::Index>(), changes).prop_map(|(which, changes)| {
        let mut value = recorded()[which.index(recorded().len())].clone();
        for (place, change) in changes {
            let Some(fields) = value.as_object_mut().filter(|fields| !fields.is_empty()) else { break };
            let key = fields.keys().nth(place.index(fields.len())).cloned().unwrap_or_default();
            match change {
                Some(other) => fields.insert(key, other),
                None => fields.remove(&key),
            };
        }
        value
    })
}

fn assemble(record: &[u8], rows: &[(&str, Vec<u8>)]) -> Fragment {
    let mut table = Table::default();
    for (key, value) in rows {
        table.put(*key, value);
    }
    let decoded =
        ide::assemble(&ConversationId::new("c"), record, &table, &table, &origin("composerData:c")).unwrap();
    let orphaned =
        ide::orphaned(&ConversationId::new("c"), &table, &table, &origin("composerData:c")).unwrap();
    assert!(orphaned.fragment.coverage.adds_up(), "{:?}", orphaned.fragment.coverage);
    let kept =
        ide::kept_files(&ConversationId::new("c"), record, &table, &origin("composerData:c")).unwrap().value;
    let mut numbers = kept.checkpoints.iter().flat_map(|checkpoint| &checkpoint.states);
    assert!(numbers.all(|number| *number < kept.states.len()));
    decoded.fragment
}

/// Hands the same bytes to every decoder of the editor's shapes.
fn decode_all(bytes: &[u8]) {
    let (id, at) = (ConversationId::new("c"), origin("k"));
    let mut findings = Vec::new();
    let _ = ide::bubble("b", bytes, &at, Some(2), &mut findings);
    let _ = ide::FirstLine::from_bytes(bytes);
    let _ = ide::index_entry(&id, bytes, &at);
    let mut tabs = Vec::new();
    ide::chat_tabs(bytes, &at, None, &mut |tab| tabs.push(tab));
    for tab in tabs {
        assert!(tab.coverage.adds_up(), "{:?}", tab.coverage);
    }
    if let (Some(decoded), _) = ide::prompts(id.clone(), Some(bytes), Some(bytes), &at) {
        assert!(decoded.coverage.adds_up(), "{:?}", decoded.coverage);
    }
    let _ = ide::heads(bytes, &at, Attribution::Header);
    for head in ide::workspace_index(bytes, &at).value.heads {
        let _ = ide::inline_conversation(bytes, &head.evidence.summary.id, &at);
    }
    let _ = ide::pane_ids(bytes);
    let _ = ide::membership(bytes, bytes);
    let text = String::from_utf8_lossy(bytes);
    let _ = ide::head(&text, &at, Attribution::Header);
    let _ = rich_text::read(&text);
    let _ = uri::place(&text);
    let _ = ide::is_windowless(&text);
    let names_checkpoint = br#"{"type":2,"checkpointId":"k","afterCheckpointId":"k"}"#;
    let rows = [
        ("bubbleId:c:b", bytes.to_vec()),
        ("messageRequestContext:c:b", bytes.to_vec()),
        ("bubbleId:c:kept", names_checkpoint.to_vec()),
        ("checkpointId:c:k", bytes.to_vec()),
    ];
    assert!(assemble(bytes, &rows).coverage.adds_up());
    let listing = br#"{"fullConversationHeadersOnly":[{"bubbleId":"b","type":2},{"bubbleId":"gone"}]}"#;
    let decoded = assemble(listing, &rows);
    assert!(decoded.coverage.adds_up() && decoded.coverage.listed == 2, "{:?}", decoded.coverage);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        decode_all(&bytes);
    }

    #[test]
    fn arbitrary_values_under_known_keys_are_survived(fields in object()) {
        decode_all(Value::Object(fields).to_string().as_bytes());
    }

    #[test]
    fn recorded_values_with_their_fields_shuffled_are_survived(value in mutated(), cut in any::<prop::sample::Index>()) {
        let text = value.to_string();
        decode_all(text.as_bytes());
        decode_all(&text.as_bytes()[..cut.index(text.len() + 1)]);
    }

    #[test]
    fn records_and_rows_may_disagree(record in object(), bubble in mutated(), other in object()) {
        let mut record = record;
        record.insert("fullConversationHeadersOnly".into(), json!([{"bubbleId": "b"}, {"bubbleId": "n", "type": 1}, 7]));
        let rows = [
            ("bubbleId:c:b", bubble.to_string().into_bytes()),
            ("bubbleId:c:o", Value::Object(other.clone()).to_string().into_bytes()),
            ("codeBlockDiff:c:b", Value::Object(other).to_string().into_bytes()),
        ];
        let decoded = assemble(Value::Object(record).to_string().as_bytes(), &rows);
        prop_assert!(decoded.coverage.adds_up(), "{:?}", decoded.coverage);
        prop_assert_eq!(decoded.coverage.orphaned, decoded.orphans.len() as u64);
    }

    #[test]
    fn duplicate_keys_are_survived(key in prop::sample::select(KEYS.to_vec()), first in value(), last in value()) {
        let text = format!(r#"{{"{key}":{first},"type":2,"{key}":{last}}}"#);
        decode_all(text.as_bytes());
        let _ = keys::BUBBLES;
    }
}
