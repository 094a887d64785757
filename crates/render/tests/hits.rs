//! What a search found, for people and for programs.

use std::ops::Range;
use std::path::Path;

use backscroll_model::{
    ConversationId, FoundConversation, FoundHit, Hit, Layer, Message, MessageId, Moment, Origin, Part,
    Payload, Role, Rung, Snippet, Summary, Surface, ToolCall,
};
use backscroll_render::json;
use backscroll_render::terminal::{self, HitsView};

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

fn hit(snippet: impl Into<Option<Snippet>>, nearby: Vec<(u64, Message)>) -> FoundHit {
    let hit = Hit {
        conversation: ConversationId::new("aaaaaaaa-1111"),
        message: Some(MessageId::new("m")),
        number: 1,
        is_title: false,
        draft: None,
        noted: None,
        is_orphan: false,
        role: Role::User,
        at: Moment::exact_or_unknown(Some("2026-01-02T10:00:00Z".parse().expect("a time"))),
        origin: None,
        score: 1.234_56,
    };
    FoundHit { hit, snippet: snippet.into(), nearby }
}

fn snippet(part: &'static str, text: &str, mark: Range<usize>) -> Snippet {
    Snippet { part, text: text.to_owned(), marks: vec![mark] }
}

fn found(summary: Summary, hits: Vec<FoundHit>, more: usize) -> FoundConversation {
    FoundConversation { summary, hits, more, rung: Rung::All, missing: Vec::new(), corrected: Vec::new() }
}

fn shown(found: &[FoundConversation], width: Option<usize>, colour: bool) -> String {
    let now = "2026-01-03T10:00:00Z[UTC]".parse().expect("a time");
    let mut out = Vec::new();
    terminal::hits(found, &HitsView { width, now, colour }, &mut out).expect("memory takes all");
    String::from_utf8(out).expect("text")
}

/// A title and a snippet that would colour, clear and retitle a terminal.
const HOSTILE: &str = "\u{1b}[2Jred \u{1b}]0;owned\u{7} crane\r\u{202e}";

#[test]
fn stored_control_characters_never_reach_the_terminal() {
    let at = HOSTILE.find("crane").expect("it is there");
    let near = Message {
        parts: vec![Part::Text(HOSTILE.to_owned())],
        ..Message::new("n", Role::Assistant, origin())
    };
    let hit = hit(snippet("text", HOSTILE, at..at + 5), vec![(0, near.clone()), (2, near)]);
    let found = [found(summary(Some(HOSTILE)), vec![hit], 2)];
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
    let title = snippet("title", "Harbour crane", 8..13);
    let tool = snippet("tool_call", "… ls crane", 7..12);
    let found = [
        found(summary(Some("Harbour crane")), vec![hit(title, Vec::new()), hit(tool, Vec::new())], 1),
        found(summary(None), vec![hit(None, Vec::new())], 0),
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
    let hit = hit(snippet("text", "the crane", 4..9), Vec::new());
    let found = found(summary(Some("A \u{1b} title")), vec![hit], 0);
    let mut out = Vec::new();
    json::hit(&found, &found.hits[0], &mut out).expect("memory takes all");
    insta::assert_snapshot!(String::from_utf8(out).expect("text"), @r#"{"schema":"backscroll.hit/1","conversation":"aaaaaaaa-1111","message":"m","title":"A \u001b title","workspace":null,"role":"user","at":"2026-01-02T10:00:00Z","part":"text","score":1.235,"snippet":"the «crane»","more":0,"match":"all","missing":[],"corrected":{}}"#);
}

#[test]
fn neighbours_without_words_say_what_they_do() {
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
    let nearby = (2..).zip(near).collect();
    let hit = hit(snippet("text", "crane", 0..5), nearby);
    let found = [found(summary(Some("Harbour crane")), vec![hit], 0)];
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
