//! No line of a transcript is lost, and no bytes make a decoder fall over.

use std::path::Path;

use backscroll_cursor_format::sdk::{AgentRow, EventRow, Run, assemble};
use backscroll_cursor_format::transcript::{Dialect, absolute_paths, count, decode, head};
use backscroll_cursor_format::{plan_file, slug};
use backscroll_model::{Layer, Origin};
use proptest::prelude::*;

fn origin() -> Origin {
    Origin::new(Layer::TranscriptText, Path::new("t"), "file")
}

/// Lines of a text transcript; `@` becomes a word of its own.
const LINES: [&str; 28] = [
    "user:",
    "assistant:",
    "A:",
    "",
    "",
    "<user_query>",
    "</user_query>",
    "<think>",
    "</think>",
    "@",
    "@ @",
    "  @",
    "  path: @",
    "  contents: @",
    "  @: x",
    "  limit: 3 @",
    "[Tool call] @",
    "[Tool call] Read",
    "[Tool result] Read",
    "[Tool result] @",
    "[Tool call] ApplyPatch*** Begin Patch @",
    "+@",
    "[Thinking] @",
    "[Thinking] **@**",
    "[WARN] @",
    "<user_info>",
    "</user_info>",
    "<think>@</think>",
];

/// Records of a JSON transcript; `@` becomes a word of its own.
const RECORDS: [&str; 15] = [
    r#"{"role":"user","message":{"content":"@"}}"#,
    r#"{"role":"user","message":{"content":[{"type":"text","text":"<user_query>@</user_query> @"}]}}"#,
    r#"{"role":"user","message":"<user_info>@</user_info>"}"#,
    r#"{"role":"assistant","message":{"content":[{"type":"text","text":"@ [REDACTED]"},{"type":"tool_use","name":"@","input":"@"}]}}"#,
    r#"{"role":"assistant","message":{"content":[{"type":"tool_use","id":"@","name":"Read","input":{"path":"@"}}]}}"#,
    r#"{"role":"assistant","text":"<think>@</think>@","toolCalls":[{"toolName":"Read","args":{"a":["@"]}}]}"#,
    r#"{"role":"tool","toolResult":{"toolName":"Read","result":"@"}}"#,
    r#"{"role":"tool","toolResult":{"toolName":"@"}}"#,
    r#"{"role":"system","content":[{"type":"thinking","thinking":"@"},{"type":"@"},"@"]}"#,
    r#"{"type":"turn_ended","status":"error","error":"@"}"#,
    r#"{"type":"turn_ended","status":"@"}"#,
    r#"{"type":"@","role":"user"}"#,
    r#"{"type":"progress","role":"assistant","message":{"content":"words"}}"#,
    r#"{"role":"@"}"#,
    "\"@\"",
];

/// The chosen shapes with words of their own, and these words.
fn filled(shapes: &[&str], picks: &[usize]) -> (Vec<String>, Vec<String>) {
    let mut words = Vec::new();
    let mut lines = Vec::new();
    for pick in picks {
        let mut line = String::new();
        for (index, piece) in shapes[*pick].split('@').enumerate() {
            if index > 0 {
                words.push(format!("w{}z", words.len()));
                line.push_str(&words[words.len() - 1]);
            }
            line.push_str(piece);
        }
        lines.push(line);
    }
    (lines, words)
}

fn all_words_are_read(dialect: Dialect, text: &str, words: &[String]) -> Result<(), TestCaseError> {
    let decoded = decode(dialect, text.as_bytes(), &origin());
    let shown = format!("{decoded:?}");
    for word in words {
        prop_assert!(shown.contains(word.as_str()), "{word} of\n{text}\nis lost in\n{shown}");
    }
    let (carried, read) = (text.contains("progress"), shown.contains("of type \\\"progress\\\""));
    prop_assert!(!carried || read, "a record with words, whatever it is called, is read of");
    prop_assert!(decoded.value.coverage.adds_up());
    prop_assert_eq!(count(dialect, text.as_bytes()), decoded.value.messages.len() as u64, "{}", text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_line_of_text_is_lost(picks in prop::collection::vec(0..LINES.len(), 0..60), crlf: bool) {
        let (lines, words) = filled(&LINES, &picks);
        all_words_are_read(Dialect::Text, &lines.join(if crlf { "\r\n" } else { "\n" }), &words)?;
    }

    #[test]
    fn no_record_is_lost(picks in prop::collection::vec(0..RECORDS.len(), 0..30)) {
        let (records, words) = filled(&RECORDS, &picks);
        all_words_are_read(Dialect::Jsonl, &records.join("\n"), &words)?;
        all_words_are_read(Dialect::Json, &format!("[{}]", records.join(",")), &words)?;
    }

    #[test]
    fn no_bytes_make_it_fall(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for dialect in [Dialect::Text, Dialect::Json, Dialect::Jsonl] {
            let decoded = decode(dialect, &bytes, &origin());
            prop_assert!(decoded.value.coverage.adds_up());
            prop_assert_eq!(count(dialect, &bytes), decoded.value.messages.len() as u64);
            absolute_paths(&decoded.value.messages);
            head(dialect, &bytes);
        }
    }

    #[test]
    fn no_broken_record_makes_it_fall(pick in 0..RECORDS.len(), cut in 0usize..120, junk in ".{0,20}") {
        let record = RECORDS[pick];
        let end = record.floor_char_boundary(cut.min(record.len()));
        let text = format!("{}{junk}{}", &record[..end], &record[end..]);
        for dialect in [Dialect::Text, Dialect::Json, Dialect::Jsonl] {
            prop_assert!(decode(dialect, text.as_bytes(), &origin()).value.coverage.adds_up());
        }
        plan_file::read(&text);
        prop_assert!(slug::matches(&slug::slug(&text), &text));
    }

    #[test]
    fn no_sdk_row_makes_it_fall(payload in ".{0,80}", time in ".{0,20}", usage in ".{0,20}") {
        let agent = AgentRow { agent_id: "a".into(), created_at: Some(time.clone()), ..AgentRow::default() };
        let columns = |names: &[&str]| match names[0] {
            "run_id" | "agent_id" => Some("r".to_owned()),
            "usage_json" => Some(usage.clone()),
            _ => Some(payload.clone()),
        };
        let run = Run::from_columns(&columns).unwrap();
        let bare = EventRow { run_id: "r".into(), payload_json: Some(payload.clone()), ..EventRow::default() };
        let call = EventRow {
            payload_json: Some(format!(r#"{{"type":"tool_call","name":{payload:?},"result":{{"value":{payload}}}}}"#)),
            created_at: Some(time),
            ..bare.clone()
        };
        let conversation = assemble(&agent, &[run], &[bare, call], &origin());
        prop_assert!(conversation.coverage.adds_up());
    }
}
