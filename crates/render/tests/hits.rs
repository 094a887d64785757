//! What a search found, for people and for programs.

use std::path::Path;
use std::slice::from_ref;

use backscroll_model::{
    ConversationId, Layer, Message, MessageId, Origin, Part, Payload, Role, Summary, Surface, ToolCall,
};
use backscroll_render::terminal::{self, HitsView};
use backscroll_render::{ShownConversation, ShownHit, ShownSnippet, json};

fn origin() -> Origin {
    Origin::new(Layer::IdeGlobal, Path::new("/home/a/state.vscdb"), "k")
}

fn summary(title: Option<&str>) -> Summary {
    Summary {
        title: title.map(str::to_owned),
        updated_at: Some("2026-01-02T10:00:00Z".parse().expect("a time")),
        ..Summary::new(ConversationId::new("aaaaaaaa-1111"), Surface::Ide, origin())
    }
}

fn hit<'a>(
    message: &'a MessageId,
    snippet: ShownSnippet<'a>,
    nearby: Vec<(u64, &'a Message)>,
) -> ShownHit<'a> {
    let at = Some("2026-01-02T10:00:00Z".parse().expect("a time"));
    ShownHit { message: Some(message), role: Role::User, at, score: 1.234_56, snippet, number: 1, nearby }
}

fn shown(found: &[ShownConversation<'_>], width: Option<usize>, colour: bool) -> String {
    let now = "2026-01-03T10:00:00Z[UTC]".parse().expect("a time");
    let mut out = Vec::new();
    terminal::hits(found, &HitsView { width, now, colour }, &mut out).expect("memory takes all");
    String::from_utf8(out).expect("text")
}

/// A title and a snippet that would colour, clear and retitle a terminal.
const HOSTILE: &str = "\u{1b}[2Jred \u{1b}]0;owned\u{7} crane\r\u{202e}";

#[test]
fn stored_control_characters_never_reach_the_terminal() {
    let (summary, id) = (summary(Some(HOSTILE)), MessageId::new("m"));
    let at = HOSTILE.find("crane").expect("it is there");
    let mark = at..at + 5;
    let near = Message {
        parts: vec![Part::Text(HOSTILE.to_owned())],
        ..Message::new("n", Role::Assistant, origin())
    };
    let snippet = ShownSnippet { part: "text", text: HOSTILE, marks: from_ref(&mark) };
    let nearby = vec![(0, &near), (2, &near)];
    let found = [ShownConversation {
        summary: &summary,
        hits: vec![hit(&id, snippet, nearby)],
        more: 2,
        matched: "all",
        missing: &[],
        corrected: &[],
    }];
    for width in [None, Some(40)] {
        let out = shown(&found, width, false);
        let is_bad = |character: char| character.is_control() && character != '\n' || character == '\u{202e}';
        assert!(!out.contains(is_bad), "{out:?}");
        assert_eq!(out.lines().count(), 5, "{out}");
        assert!(out.contains("«crane»") && out.contains("… 2 more hits"), "{out}");
    }
    assert!(shown(&found, None, true).contains("crane"));
}

#[test]
fn a_title_a_part_and_nothing() {
    let (with, without) = (summary(Some("Harbour crane")), summary(None));
    let id = MessageId::new("m");
    let title = ShownSnippet { part: "title", text: "Harbour crane", marks: from_ref(&(8..13)) };
    let tool = ShownSnippet { part: "tool_call", text: "… ls crane", marks: from_ref(&(7..12)) };
    let gone = ShownSnippet { part: "text", text: "", marks: &[] };
    let found = [
        ShownConversation {
            summary: &with,
            hits: vec![hit(&id, title, Vec::new()), hit(&id, tool, Vec::new())],
            more: 1,
            matched: "all",
            missing: &[],
            corrected: &[],
        },
        ShownConversation {
            summary: &without,
            hits: vec![hit(&id, gone, Vec::new())],
            more: 0,
            matched: "all",
            missing: &[],
            corrected: &[],
        },
    ];
    let out = shown(&found, None, false);
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("Harbour crane  "), "{out}");
    assert_eq!(
        &lines[1..5],
        ["  title: Harbour «crane»", "  user tool_call: … ls «crane»", "  … 1 more hit", ""]
    );
    assert!(lines[5].starts_with("(untitled)"), "{out}");
}

#[test]
fn the_object_of_the_contract() {
    let (summary, id) = (summary(Some("A \u{1b} title")), MessageId::new("m"));
    let snippet = ShownSnippet { part: "text", text: "the crane", marks: from_ref(&(4..9)) };
    let found = ShownConversation {
        summary: &summary,
        hits: vec![hit(&id, snippet, Vec::new())],
        more: 0,
        matched: "all",
        missing: &[],
        corrected: &[],
    };
    let mut out = Vec::new();
    json::hit(&found, &found.hits[0], &mut out).expect("memory takes all");
    insta::assert_snapshot!(String::from_utf8(out).expect("text"), @r#"{"schema":"backscroll.hit/1","conversation":"aaaaaaaa-1111","message":"m","title":"A \u001b title","workspace":null,"role":"user","at":"2026-01-02T10:00:00Z","part":"text","score":1.235,"snippet":"the «crane»","more":0,"match":"all","missing":[],"corrected":{}}"#);
}

#[test]
fn neighbours_without_words_say_what_they_do() {
    let (summary, id) = (summary(Some("Harbour crane")), MessageId::new("m"));
    let call = |name: &str, arguments: &str| {
        let arguments = Some(Payload::from_text(arguments.to_owned()));
        Part::ToolCall(Box::new(ToolCall { name: name.to_owned(), arguments, ..ToolCall::default() }))
    };
    let of = |parts| Message { parts, ..Message::new("n", Role::Assistant, origin()) };
    let thinking = |text: &str| Part::Thinking { text: text.to_owned(), duration_ms: None };
    let near = [
        of(vec![thinking("Let me see"), call("read", r#"{"path":"src/crane.rs"}"#), call("shell", "{}")]),
        of(vec![thinking("It is the\ndamping")]),
        of(Vec::new()),
        of(vec![thinking("aside"), Part::Text("Done.".to_owned())]),
    ];
    let nearby = (2..).zip(&near).collect();
    let snippet = ShownSnippet { part: "text", text: "crane", marks: from_ref(&(0..5)) };
    let found = [ShownConversation {
        summary: &summary,
        hits: vec![hit(&id, snippet, nearby)],
        more: 0,
        matched: "all",
        missing: &[],
        corrected: &[],
    }];
    let out = shown(&found, None, false);
    assert_eq!(
        out.lines().skip(2).collect::<Vec<_>>(),
        [
            "  assistant: read src/crane.rs, shell",
            "  assistant: thinking: It is the damping",
            "  assistant: Done."
        ]
    );
}
