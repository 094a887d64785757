//! The plain text dialect: its awkward cases.

use std::path::Path;

use backscroll_cursor_format::transcript::{Dialect, Transcript, absolute_paths, decode, head};
use backscroll_model::{
    Decoded, FindingKind, Layer, Message, Origin, Part, Payload, Role, ToolCall, ToolStatus,
};

fn read(text: &str) -> Decoded<Transcript> {
    let origin = Origin::new(Layer::TranscriptText, Path::new("t.txt"), "file");
    decode(Dialect::Text, text.as_bytes(), &origin)
}

fn calls(transcript: &Transcript) -> Vec<&ToolCall> {
    transcript.messages.iter().flat_map(Message::tool_calls).collect()
}

fn arguments(call: &ToolCall) -> serde_json::Value {
    serde_json::from_str(call.arguments.as_ref().unwrap().as_str()).unwrap()
}

/// Appendix A.4 of the format notes.
const AWKWARD: &str = "user:\n<user_query>\nrename the heading\n</user_query>\n\nassistant:\n<think>\nSimple edit.\n</think>\nDoing it.\n\n[Tool call] StrReplace\n  path: /home/u/proj/README.md\n  old_string: # Old\n\nIntro line\n  new_string: # New\n\nIntro line\n[Tool call] ApplyPatch*** Begin Patch\n*** Update File: /home/u/proj/a.txt\n@@\n-a\n+b\n*** End Patch\n\n[Tool result] StrReplace\n\n[Tool result] ApplyPatch\n\nassistant:\nDone.\n";

#[test]
fn the_awkward_example_is_read_whole() {
    let decoded = read(AWKWARD);
    assert_eq!(decoded.findings, []);
    let transcript = decoded.value;
    let roles: Vec<_> = transcript.messages.iter().map(|m| (m.role, m.id.as_str())).collect();
    assert_eq!(roles, [(Role::User, "1"), (Role::Assistant, "6"), (Role::Assistant, "31")]);
    assert_eq!(transcript.messages[1].origin.key, "line 6");
    assert_eq!(transcript.messages[0].text(), "rename the heading");
    let Part::Thinking { text, .. } = &transcript.messages[1].parts[0] else {
        panic!("thinking comes first: {:?}", transcript.messages[1].parts);
    };
    assert_eq!(text, "Simple edit.");
    assert_eq!(transcript.messages[1].parts[1], Part::Text("Doing it.".into()));
    let calls = calls(&transcript);
    assert_eq!(
        arguments(calls[0]),
        serde_json::json!({
            "path": "/home/u/proj/README.md",
            "old_string": "# Old\n\nIntro line",
            "new_string": "# New\n\nIntro line",
        })
    );
    insta::assert_snapshot!(calls[0].diff.as_deref().unwrap(), @r"
    --- /home/u/proj/README.md
    +++ /home/u/proj/README.md
    @@ -1,3 +1,3 @@
    -# Old
    +# New
     
     Intro line
    ");
    assert_eq!((calls[1].name.as_str(), calls[1].raw_name.as_str()), ("edit", "ApplyPatch"));
    assert!(
        matches!(&calls[1].arguments, Some(Payload::Text(patch)) if patch.starts_with("*** Begin Patch\n")
        && patch.ends_with("*** End Patch"))
    );
    insta::assert_snapshot!(calls[1].diff.as_deref().unwrap(), @r"
    --- /home/u/proj/a.txt
    +++ /home/u/proj/a.txt
    @@ -1,1 +1,1 @@
    -a
    +b
    ");
    assert!(calls.iter().all(|call| call.status == ToolStatus::Completed));
    assert_eq!(transcript.messages[2].text(), "Done.");
    assert_eq!(absolute_paths(&transcript.messages), ["/home/u/proj/README.md", "/home/u/proj/a.txt"]);
    assert!(transcript.coverage.adds_up());
}

#[test]
fn line_ends_and_a_byte_order_mark_do_not_matter() {
    let plain = read(AWKWARD).value;
    let crlf = read(&AWKWARD.replace('\n', "\r\n")).value;
    let marked = read(&format!("\u{feff}{}", AWKWARD.trim_end())).value;
    assert_eq!(plain.messages, crlf.messages);
    assert_eq!(plain.messages, marked.messages);
}

#[test]
fn only_markers_are_markers() {
    let text = "user:\nlog:\n[WARN] no marker\nassistant:\n\nassistant:\n[INFO] hello\n[Tool call]\nuser:\n\nA:\nbye";
    let messages = read(text).value.messages;
    let shown: Vec<_> = messages.iter().map(|m| (m.role, m.text())).collect();
    assert_eq!(
        shown,
        [
            (Role::User, "log:\n[WARN] no marker\nassistant:".to_owned()),
            (Role::Assistant, "[INFO] hello\n[Tool call]\nuser:".to_owned()),
            (Role::Assistant, "bye".to_owned()),
        ]
    );
}

#[test]
fn a_marker_inside_a_query_or_a_thought_is_text() {
    let text = "user:\n<user_query>\nlog says\n\nassistant:\nhm\n</user_query>\n\nassistant:\n<think>\nx\n\nuser:\ny\n[Tool call] Read\n</think>\nok\n";
    let messages = read(text).value.messages;
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[0].text(), "log says\n\nassistant:\nhm");
    assert_eq!(messages[1].text(), "ok");
    assert_eq!(messages[1].tool_calls().count(), 0);
}

#[test]
fn unclosed_blocks_end_with_their_message() {
    let text =
        "user:\n<user_query>\ncut\n\nassistant:\n<think>\nhalf\n\nuser:\n<user_query>\nnext\n</user_query>\n";
    let messages = read(text).value.messages;
    let shown: Vec<_> = messages.iter().map(Message::text).collect();
    assert_eq!(shown, ["<user_query>\ncut", "<think>\nhalf", "next"]);
}

#[test]
fn written_files_may_look_like_arguments() {
    let text = "assistant:\n[Tool call] Write\n  path: /p/a.yml\n  contents: services:\n  web: x\n  path: inner\n  image: y\n\n  done: 1\n[Tool call] Shell\n  command: true\n  block_until_ms: 30000\n  is_background: false\n";
    let transcript = read(text).value;
    let calls = calls(&transcript);
    assert_eq!(
        arguments(calls[0]),
        serde_json::json!({
            "path": "/p/a.yml",
            "contents": "services:\n  web: x\n  path: inner\n  image: y\n\n  done: 1",
        })
    );
    assert_eq!(
        arguments(calls[1]),
        serde_json::json!({"command": "true", "block_until_ms": 30000, "is_background": false})
    );
    assert!(calls.iter().all(|call| call.status == ToolStatus::Unknown));
    assert!(calls[0].diff.as_deref().unwrap().starts_with("--- /dev/null\n+++ /p/a.yml\n"));
}

#[test]
fn results_find_their_calls_by_name_and_order() {
    let text = "assistant:\n[Tool call] Read\n  path: /a\n[Tool call] LS\n[Tool call] Read\n  path: /b\n\n[Tool result] Read\nbody of a\n[Tool result] LS\n\n[Tool result] Grep\n\nafter\n";
    let decoded = read(text);
    let transcript = decoded.value;
    let shown: Vec<_> = calls(&transcript)
        .iter()
        .map(|call| (call.raw_name.clone(), call.status, call.result.as_ref().map(|r| r.as_str().to_owned())))
        .collect();
    assert_eq!(
        shown,
        [
            ("Read".to_owned(), ToolStatus::Completed, Some("body of a".to_owned())),
            ("LS".to_owned(), ToolStatus::Completed, None),
            ("Read".to_owned(), ToolStatus::Unknown, None),
            ("Grep".to_owned(), ToolStatus::Completed, None),
        ]
    );
    assert_eq!(transcript.messages[0].text(), "after");
    let kinds: Vec<_> = decoded.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::DanglingReference]);
}

#[test]
fn thoughts_of_gpt_models_end_where_the_words_begin() {
    let text = "assistant:\n[Thinking] **Head one**\n\nPara one.\n**Head two**\n\nPara two.\nNow the words.\n\n- more\n[Tool call] LS\n\nassistant:\n[Thinking] \nOnly words.\n\nassistant:\n[Thinking] plain thought\nthat goes on\n";
    let messages = read(text).value.messages;
    let thought = |text: &str| Part::Thinking { text: text.into(), duration_ms: None };
    assert_eq!(
        messages[0].parts[..2],
        [
            thought("**Head one**\n\nPara one.\n**Head two**\n\nPara two."),
            Part::Text("Now the words.\n\n- more".into())
        ]
    );
    assert_eq!(messages[1].parts, [Part::Text("Only words.".into())]);
    assert_eq!(messages[2].parts, [thought("plain thought"), Part::Text("that goes on".into())]);
}

/// A thought ends with one line break, and has others inside.
#[test]
fn a_thought_after_a_mark_ends_at_the_first_single_break() {
    let table = [
        (
            "First.\n\nSecond paragraph.\nHere is the answer.\n\n- a list",
            "First.\n\nSecond paragraph.",
            "Here is the answer.\n\n- a list",
        ),
        ("One line.\nThe answer.", "One line.", "The answer."),
        (
            "Steps:\n\n- one\n- two\n  more\n\n  end\nDone.",
            "Steps:\n\n- one\n- two\n  more\n\n  end",
            "Done.",
        ),
        ("1. one\n2) two\nDone.\nNow.", "1. one\n2) two", "Done.\nNow."),
        (
            "Rows:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n# Done",
            "Rows:\n\n| a | b |\n|---|---|\n| 1 | 2 |",
            "# Done",
        ),
        ("Code:\n\n    a\n    b\nDone.", "Code:\n\n    a\n    b", "Done."),
        ("What is it?\n- a list\n- of words", "What is it?", "- a list\n- of words"),
        ("Only a thought.\n\nIn two paragraphs.", "Only a thought.\n\nIn two paragraphs.", ""),
    ];
    for (text, thought, words) in table {
        let messages = read(&format!("user:\nask\n\nassistant:\n[Thinking] {text}\n")).value.messages;
        let mut expected = vec![Part::Thinking { text: thought.into(), duration_ms: None }];
        expected.extend(Some(words).filter(|words| !words.is_empty()).map(|words| Part::Text(words.into())));
        assert_eq!(messages[1].parts, expected, "{text}");
    }
}

#[test]
fn text_without_a_speaker_is_kept_and_reported() {
    let decoded = read("hello\nworld\n\nuser:\nhi\n");
    assert_eq!(decoded.value.messages[0].role, Role::System);
    assert_eq!(decoded.value.messages[0].text(), "hello\nworld");
    assert_eq!(decoded.findings[0].kind, FindingKind::Unknown);
}

#[test]
fn the_head_is_the_first_prompt() {
    let text = "user:\n<user_info>\nWorkspace Path: /w\n</user_info>\n\nuser:\n<timestamp>Tuesday, Jul 7, 2026, 9:43 AM (UTC+5:30)</timestamp>\n<user_query>\n\nfix the bug\n</user_query>\n\nassistant:\nok\n";
    let head = head(Dialect::Text, text.as_bytes());
    assert_eq!(head.title.as_deref(), Some("fix the bug"));
    assert_eq!(head.at.unwrap().to_string(), "2026-07-07T04:13:00Z");
    assert_eq!(head.workspace_path.as_deref(), Some("/w"));
}

#[test]
fn a_file_that_breaks_off_says_so() {
    let table = [
        ("user:\n<user_query>\nfix it\n</user_query>\n", None),
        ("user:\n<user_query>\nfix", Some("the file ends within a query")),
        ("assistant:\n<think>\nlet me s", Some("the file ends within a thought")),
        ("assistant:\n<think>\nlet me see\n</think>\nDon", None),
        ("assistant:\n[Tool call] ApplyPatch*** Begin Patch\n*** E", Some("the file ends within a call")),
        ("assistant:\n[Tool call] Read\n  path: a.rs\n\n[Tool result] Read\n", None),
        ("assistant:\n[Tool call] Read\n  path: a.rs\n\nassistant:\nDone.", None),
    ];
    for (text, expected) in table {
        let decoded = read(text);
        let says: Vec<_> = decoded.findings.iter().map(|one| (one.kind, one.says.as_str())).collect();
        let expected: Vec<_> = expected.into_iter().map(|says| (FindingKind::Incomplete, says)).collect();
        assert_eq!(says, expected, "{text}");
    }
}

/// Shape 16: an answer may follow a query without a blank line; a mark alone on its line has its thought below it.
#[test]
fn boundaries_without_blank_lines() {
    for speaker in ["assistant:", "A:"] {
        let text = format!(
            "user:\n<user_query>\nwhich lamp?\n</user_query>\n{speaker}\n[Thinking]\nBrass or paper.\nPaper.\n\nThe paper one.\n"
        );
        let decoded = read(&text);
        assert_eq!(decoded.findings, []);
        let messages = decoded.value.messages;
        let roles: Vec<_> = messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::User, Role::Assistant], "{speaker}");
        assert_eq!(messages[0].text(), "which lamp?");
        let thought = Part::Thinking { text: "Brass or paper.\nPaper.".into(), duration_ms: None };
        assert_eq!(messages[1].parts, [thought, Part::Text("The paper one.".into())]);
    }
    // A line of the query that looks like a speaker is none.
    let decoded = read("user:\n<user_query>\nwhat is\nassistant:\n</user_query>\n\nassistant:\nA role.\n");
    assert_eq!(decoded.value.messages.len(), 2);
}

#[test]
fn zeros_of_a_lost_page_cost_what_stood_there() {
    let lost = "\0".repeat(4096);
    let decoded = read(&format!("{lost}\n\nuser:\nfirst\n\nassistant:\nan{lost}swer\n\nuser:\nlast\n"));
    let said: Vec<String> = decoded.value.messages.iter().map(Message::text).collect();
    assert_eq!(said, ["first", "answer", "last"]);
    let findings: Vec<_> = decoded.findings.iter().map(|one| (one.kind, one.says.as_str())).collect();
    assert_eq!(findings, [(FindingKind::Damaged, "some bytes are zero and are left out")]);
}
