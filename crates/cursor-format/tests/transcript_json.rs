//! JSON lines and the JSON array.

use std::path::Path;

use backscroll_cursor_format::MOST_MESSAGES;
use backscroll_cursor_format::transcript::{Dialect, Transcript, decode, head};
use backscroll_model::{
    AtIs, Decoded, FindingKind, Layer, Message, Origin, Part, Payload, Role, ToolCall, ToolStatus,
};

fn read(dialect: Dialect, text: &[u8]) -> Decoded<Transcript> {
    let origin = Origin::new(Layer::TranscriptJsonl, Path::new("t.jsonl"), "file");
    decode(dialect, text, &origin)
}

fn lines(text: &str) -> Decoded<Transcript> {
    read(Dialect::Jsonl, text.as_bytes())
}

fn calls(transcript: &Transcript) -> Vec<&ToolCall> {
    transcript.messages.iter().flat_map(Message::tool_calls).collect()
}

/// C057: control records are neither prompts nor calls, even if they carry a role.
#[test]
fn c057_control_records_are_no_messages() {
    let decoded = lines(
        r#"{"role":"user","message":{"content":[{"type":"text","text":"Ship the parser change"}]}}
{"type":"progress","role":"assistant"}
{"type":"turn_ended","status":"success","role":"user"}
{"type":"turn_ended","status":"error","role":"assistant"}
{"role":"assistant","message":{"content":[{"type":"tool_use","name":"ReadFile","input":{"path":"/repo/real.ts"}}]}}
"#,
    );
    let transcript = decoded.value;
    let roles: Vec<_> = transcript.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant]);
    assert_eq!(
        transcript.messages[0].parts,
        [Part::Text("Ship the parser change".into()), Part::Error("error".into())]
    );
    let calls = calls(&transcript);
    assert_eq!((calls.len(), calls[0].name.as_str(), calls[0].status), (1, "read", ToolStatus::Unknown));
    assert_eq!(transcript.messages[1].origin.key, "line 5");
    assert_eq!(transcript.records, 5);
    assert_eq!(decoded.findings, []);
}

/// The mark of the text dialect says nothing here: thoughts have a block or a field of their own.
#[test]
fn a_line_that_begins_with_the_mark_of_thoughts_is_text() {
    let said = "Look at the log:\n[Thinking] is printed twice\nper line";
    let line = serde_json::json!({ "role": "assistant", "message": { "content": [{ "type": "text", "text": said }] } });
    assert_eq!(lines(&line.to_string()).value.messages[0].parts, [Part::Text(said.into())]);
    let array = serde_json::json!([{ "role": "assistant", "text": said, "thinking": "Which log?" }]);
    let thought = Part::Thinking { text: "Which log?".into(), duration_ms: None };
    let messages = read(Dialect::Json, array.to_string().as_bytes()).value.messages;
    assert_eq!(messages[0].parts, [thought, Part::Text(said.into())]);
}

/// C058: the prompt after 11 metadata records; JSON whitespace does not matter.
#[test]
fn c058_the_head_is_found_behind_metadata() {
    let mut text = "{ \"type\" : \"progress\" }\n".repeat(11);
    text.push_str("{ \"role\" : \"user\" , \"message\" : { \"content\" : [ { \"type\" : \"text\" , \"text\" : \"Inspect the delayed prompt\" } ] } }\n{half");
    let head = head(Dialect::Jsonl, text.as_bytes());
    assert_eq!(head.title.as_deref(), Some("Inspect the delayed prompt"));
    assert_eq!(head.at, None);
}

#[test]
fn prompts_have_exact_times_and_contents_may_be_strings() {
    let transcript = lines(
        "{\"role\":\"user\",\"message\":{\"content\":\"<timestamp>Tuesday, Jul 7, 2026, 9:43 AM (UTC+5:30)</timestamp>\\n<user_query>\\nhi\\n</user_query>\"}}\r\n{\"role\":\"assistant\",\"message\":\"plain\"}",
    )
    .value;
    assert_eq!(transcript.messages[0].at.is, AtIs::Exact);
    assert_eq!(transcript.messages[0].at.at.unwrap().to_string(), "2026-07-07T04:13:00Z");
    assert_eq!(transcript.messages[0].text(), "hi");
    assert_eq!(transcript.messages[1].text(), "plain");
    assert_eq!(transcript.messages[1].at.is, AtIs::Unknown);
}

#[test]
fn removed_thinking_is_reported_once_and_never_shown() {
    let decoded = lines(
        r#"{"role":"assistant","message":{"content":[{"type":"text","text":"[REDACTED]"},{"type":"text","text":"Looking.\n\n[REDACTED]"}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"It says [REDACTED] in the log"}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"[REDACTED]"}]}}"#,
    );
    let texts: Vec<_> = decoded.value.messages.iter().map(Message::text).collect();
    assert_eq!(texts, ["Looking.", "It says [REDACTED] in the log", ""]);
    assert_eq!(decoded.findings.len(), 1);
    assert!(decoded.findings[0].says.contains("3 times"), "{}", decoded.findings[0].says);
    assert_eq!((decoded.value.coverage.read, decoded.value.coverage.empty), (2, 1));
    assert!(decoded.value.coverage.adds_up());
}

#[test]
fn a_half_written_last_line_is_a_finding_and_a_broken_one_in_the_middle_another() {
    let decoded = lines(
        "{\"role\":\"user\",\"message\":{\"content\":\"a\"}}\nnot json\n{\"role\":\"assistant\",\"message\":{\"content\":[{\"ty",
    );
    let shown: Vec<_> = decoded.findings.iter().map(|one| (one.kind, one.at.key.as_str())).collect();
    assert_eq!(shown, [(FindingKind::Undecodable, "line 2"), (FindingKind::Incomplete, "line 3")]);
    assert_eq!(decoded.value.messages.len(), 1);
    assert_eq!(decoded.value.coverage.undecodable, 1);
    assert!(decoded.value.coverage.adds_up());
}

#[test]
fn odd_records_and_blocks_are_reported_and_kept() {
    let decoded = lines(
        r#"{"type":"holo","x":1}
{"type":"holo","x":2}
{"role":"narrator"}
{"role":"assistant","message":{"content":[{"type":"sparkle","text":"glitter"},{"type":"blob","n":1},{"type":"thinking","thinking":"hm"},{"type":"image","source":{"media_type":"image/png","data":"AA=="}}]}}
{"type":"error","error":{"message":"quota"}}
"#,
    );
    let mut says: Vec<_> = decoded.findings.iter().map(|one| one.says.as_str()).collect();
    says.sort_unstable();
    assert_eq!(
        says,
        [
            "a block of type \"blob\" (1 times)",
            "a block of type \"sparkle\" (1 times)",
            "a record of role \"narrator\" (1 times)",
            "a record of type \"holo\" (2 times)",
        ]
    );
    let parts = &decoded.value.messages[0].parts;
    assert_eq!(parts[0], Part::Text("glitter".into()));
    assert_eq!(parts[1], Part::Text(r#"{"type":"blob","n":1}"#.into()));
    assert!(matches!(&parts[2], Part::Thinking { text, .. } if text == "hm"));
    assert!(matches!(&parts[3], Part::Image(image) if image.media_type.as_deref() == Some("image/png")));
    assert_eq!(parts[4], Part::Error("quota".into()));
}

#[test]
fn raw_patches_and_results_by_id() {
    let transcript = lines(
        r#"{"role":"assistant","message":{"content":[{"type":"tool_use","name":"ApplyPatch","input":"*** Begin Patch\n*** Add File: /p/n.txt\n+one\n+two\n*** End Patch"},{"type":"tool_use","id":"t1","name":"Shell","input":{"command":"ls"}}]}}
{"role":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"a\nb"}]}}
"#,
    )
    .value;
    let calls = calls(&transcript);
    assert!(matches!(&calls[0].arguments, Some(Payload::Text(_))));
    insta::assert_snapshot!(calls[0].diff.as_deref().unwrap(), @r"
    --- /dev/null
    +++ /p/n.txt
    @@ -0,0 +1,2 @@
    +one
    +two
    ");
    assert_eq!(calls[1].status, ToolStatus::Completed);
    assert_eq!(calls[1].result.as_ref().unwrap().as_str(), "a\nb");
}

#[test]
fn the_array_form_pairs_results_by_name() {
    let text = r#"[{"role":"user","text":"<user_query>\nset up\n</user_query>"},
{"role":"assistant","text":"<think>\nplan\n</think>\nGo.","toolCalls":[{"toolName":"run_terminal_cmd","args":{"command":"ls"}},{"toolName":"read_file","args":{"target_file":"/a"}}]},
{"role":"tool","toolResult":{"toolName":"run_terminal_cmd"}},
{"role":"tool","toolResult":{"toolName":"nobody"}}]"#;
    let decoded = read(Dialect::Json, text.as_bytes());
    let messages = &decoded.value.messages;
    assert_eq!(messages.len(), 2);
    assert!(matches!(&messages[1].parts[0], Part::Thinking { text, .. } if text == "plan"));
    assert_eq!(messages[1].parts[1], Part::Text("Go.".into()));
    let states: Vec<_> = messages[1].tool_calls().map(|call| (call.name.as_str(), call.status)).collect();
    assert_eq!(
        states,
        [("shell", ToolStatus::Completed), ("read", ToolStatus::Unknown), ("nobody", ToolStatus::Completed)]
    );
    assert_eq!(decoded.findings[0].kind, FindingKind::DanglingReference);
    assert_eq!(head(Dialect::Json, text.as_bytes()).title.as_deref(), Some("set up"));
}

#[test]
fn an_array_that_ends_too_early_gives_what_is_complete() {
    let decoded = read(Dialect::Json, br#"[{"role":"user","text":"a"},{"role":"assistant","te"#);
    assert_eq!(decoded.value.messages.len(), 1);
    assert_eq!(decoded.findings[0].kind, FindingKind::Incomplete);
    assert_eq!(head(Dialect::Json, br#"[{"role":"user","text":"a"},{"role"#).title.as_deref(), Some("a"));
}

#[test]
fn bytes_that_are_no_text_are_shown_and_reported() {
    let decoded =
        read(Dialect::Jsonl, b"\xef\xbb\xbf{\"role\":\"user\",\"message\":{\"content\":\"a\xffb\"}}\n");
    assert_eq!(decoded.value.messages[0].text(), "a\u{fffd}b");
    assert_eq!(decoded.findings[0].kind, FindingKind::Damaged);
}

/// A message that is nothing but the editor's context is of the role `system`, as in every other layer; one that also
/// has words or a picture is the user's.
#[test]
fn context_alone_is_the_systems() {
    let context = r#"{"type":"text","text":"<user_info>\nOS: x\n</user_info>"}"#;
    let words = r#"{"type":"text","text":"<user_query>\nhello\n</user_query>"}"#;
    let picture = r#"{"type":"text","text":"[Image]"}"#;
    let table = [
        (vec![context], Role::System),
        (vec![context, words], Role::User),
        (vec![words, context], Role::User),
        (vec![context, picture], Role::User),
        (vec![picture], Role::User),
    ];
    for (blocks, expected) in table {
        let line = format!(r#"{{"role":"user","message":{{"content":[{}]}}}}"#, blocks.join(","));
        let message = &lines(&line).value.messages[0];
        assert_eq!((message.role, &message.sender), (expected, &None), "{line}");
        assert_eq!(message.parts.len(), blocks.len(), "{line}");
    }
}

/// JavaScript cuts texts in the middle of a pair of code units: the rest of the text is still there.
#[test]
fn half_a_letter_does_not_cost_the_text() {
    let line = r#"{"role":"user","message":{"content":[{"type":"text","text":"cut \ud83d"}]}}"#;
    assert_eq!(lines(line).value.messages[0].text(), "cut \u{fffd}");
}

/// Shape 18: other names for arguments and roles, and times and models of single lines.
#[test]
fn lines_may_name_arguments_roles_times_and_models_in_other_ways() {
    let decoded = lines(
        r#"{"role":"user","timestamp":"2026-10-01T08:00:00Z","message":{"content":"go"}}
{"role":"ai","timestamp":1790841601000,"model":"gpt-5","content":[{"type":"tool_use","name":"Read","parameters":{"path":"/a"}}]}
{"role":"ai","content":"done","toolCalls":[{"name":"Shell","arguments":"{\"command\":\"ls\"}"}]}
"#,
    );
    assert_eq!(decoded.findings, []);
    let messages = &decoded.value.messages;
    let roles: Vec<_> = messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Assistant]);
    let times: Vec<_> = messages.iter().map(|message| message.at.at.map(|at| at.to_string())).collect();
    assert_eq!(times[0].as_deref(), Some("2026-10-01T08:00:00Z"));
    assert_eq!(times[1].as_deref(), Some("2026-10-01T08:00:01Z"));
    assert_eq!(messages[1].model.as_deref(), Some("gpt-5"));
    let given: Vec<_> =
        calls(&decoded.value).iter().map(|call| call.arguments.as_ref().unwrap().as_str()).collect();
    assert_eq!(given, [r#"{"path":"/a"}"#, r#"{"command":"ls"}"#]);
}

/// Shape 20: a file is no picture.
#[test]
fn files_are_attachments_and_pictures_stay_pictures() {
    let decoded = lines(
        r#"{"role":"user","message":{"content":[{"type":"file","filename":"notes.md","content":"milk","mediaType":"text/markdown"},{"type":"file","name":"lamp.png","data":"aGk=","mediaType":"image/png"}]}}
"#,
    );
    assert_eq!(decoded.findings, []);
    let [Part::Attachment(file), Part::Image(picture)] = decoded.value.messages[0].parts.as_slice() else {
        panic!("{:?}", decoded.value.messages[0].parts);
    };
    assert_eq!((file.path.as_deref(), file.text.as_deref()), (Some("notes.md"), Some("milk")));
    assert_eq!((picture.media_type.as_deref(), picture.data.as_deref()), (Some("image/png"), Some("aGk=")));
}

#[test]
fn a_transcript_of_very_many_messages_is_read_up_to_the_limit() {
    let line = "{\"role\":\"user\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"m\"}]}}\n";
    let decoded = lines(&line.repeat(MOST_MESSAGES + 7));
    assert_eq!(decoded.value.messages.len(), MOST_MESSAGES);
    assert_eq!(decoded.value.records, MOST_MESSAGES as u64 + 7);
    assert!(decoded.value.messages.iter().all(|message| message.parts.len() == 1), "no part strays");
    let found = &decoded.findings[..];
    assert!(
        matches!(found, [one] if one.kind == FindingKind::TooLarge && one.says.contains("7 are left out")),
        "{found:?}"
    );
}
