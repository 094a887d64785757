//! Events for people: what grows, grows in its place on a terminal, and is written once elsewhere.

use std::path::Path;
use std::sync::Arc;

use backscroll_model::{
    ConversationId, Event, EventKind, Flag, HeadChange, Layer, Message, MessageId, Origin, Part, Role,
    Summary, Surface, Tokens, ToolCall, ToolStatus,
};
use backscroll_render::json;
use backscroll_render::terminal::{LiveView, View};
use proptest::prelude::*;
use serde_json::{Value, json};

fn summary(id: &str) -> Arc<Summary> {
    let mut summary = Summary::without_origin(ConversationId::new(id), Surface::Ide);
    summary.title = Some(format!("About {id}"));
    Arc::new(summary)
}

fn message(id: &str, role: Role, words: &str) -> Message {
    let mut message = Message::new(id, role, Origin::new(Layer::IdeGlobal, Path::new("/x"), id));
    message.parts.push(Part::Text(words.to_owned()));
    message
}

fn first(conversation: &str, message: Message) -> Event {
    Event { summary: summary(conversation), kind: EventKind::Message(Box::new(message)) }
}

fn changed(conversation: &str, message: Message) -> Event {
    let kind = EventKind::MessageChanged { message: Box::new(message), revision: 2 };
    Event { summary: summary(conversation), kind }
}

fn written(events: &[Event], is_terminal: bool) -> String {
    let mut view = LiveView::new(View::plain(60), is_terminal);
    let mut out = Vec::new();
    for event in events {
        view.event(event, &mut out).unwrap();
    }
    view.rest(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// What a terminal shows of it: lines, some of which are taken back.
fn screen(written: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in written.split_inclusive('\n') {
        let mut line = line;
        while let Some(rest) = line.strip_prefix("\u{1b}[") {
            let (count, rest) = rest.split_once('A').unwrap();
            lines.truncate(lines.len() - count.parse::<usize>().unwrap());
            line = rest.strip_prefix("\u{1b}[J").unwrap();
        }
        lines.push(line.trim_end_matches('\n').to_owned());
    }
    lines
}

#[test]
fn text_grows_in_its_place_on_a_terminal() {
    let events = [
        first("c1", message("1", Role::User, "tell me")),
        first("c1", message("2", Role::Assistant, "It was a dark")),
        changed(
            "c1",
            message(
                "2",
                Role::Assistant,
                "It was a dark and stormy night; the rain fell in torrents, except at times",
            ),
        ),
        first("c1", message("3", Role::Assistant, "The end.")),
    ];
    insta::assert_snapshot!(written(&events, true).replace('\u{1b}', "␛"));
    assert_eq!(
        screen(&written(&events, true)),
        screen(&written(&events, false)),
        "the same without taking back"
    );
}

#[test]
fn conversations_are_named_when_they_change() {
    let call = |status| {
        let mut message = message("2", Role::Assistant, "");
        let call = ToolCall { name: "shell".to_owned(), status, ..ToolCall::default() };
        message.parts = vec![Part::ToolCall(Box::new(call))];
        message
    };
    let flags = HeadChange::Flags([].into(), [Flag::Archived].into());
    let events = [
        Event { summary: summary("c1"), kind: EventKind::Conversation },
        first("c1", message("1", Role::User, "run it")),
        first("c1", call(ToolStatus::Running)),
        first("c2", message("1", Role::User, "something else")),
        changed("c1", call(ToolStatus::Completed)),
        Event {
            summary: summary("c1"),
            kind: EventKind::Usage { message: MessageId::new("2"), tokens: Tokens::new(1500, 20) },
        },
        Event { summary: summary("c1"), kind: EventKind::ConversationChanged(vec![flags]) },
        Event { summary: summary("c2"), kind: EventKind::Deleted(None) },
        Event { summary: summary("c2"), kind: EventKind::ConversationChanged(Vec::new()) },
    ];
    insta::assert_snapshot!(written(&events, false));
}

#[test]
fn what_is_stored_cannot_command_the_terminal() {
    let events = [first("c1", message("1", Role::Assistant, "\u{1b}[2J\u{1b}]0;owned\u{7} hello"))];
    assert!(!written(&events, true).contains('\u{1b}'));
}

#[test]
fn events_as_json() {
    let line = |event: &Event| -> Value {
        let mut out = Vec::new();
        json::event(event, 12, "2026-07-20T10:00:00Z".parse().unwrap(), &mut out).unwrap();
        serde_json::from_slice(&out).unwrap()
    };
    let usage = EventKind::Usage {
        message: MessageId::new("2"),
        tokens: Tokens { cache_read: Some(7), ..Tokens::new(15, 2) },
    };
    let usage = line(&Event { summary: summary("c1"), kind: usage });
    assert_eq!(usage["tokens"], json!({"input": 15, "output": 2, "cache_read": 7, "cache_write": null}));
    let titled = HeadChange::Title(Some("old".to_owned()), Some("new".to_owned()));
    let titled = line(&Event { summary: summary("c1"), kind: EventKind::ConversationChanged(vec![titled]) });
    assert_eq!(
        (&titled["event"], &titled["changes"]),
        (&json!("conversation-changed"), &json!({"title": ["old", "new"]}))
    );
    let deleted =
        line(&Event { summary: summary("c1"), kind: EventKind::Deleted(Some(MessageId::new("2"))) });
    assert_eq!((&deleted["event"], &deleted["message"]), (&json!("deleted"), &json!({"id": "2"})));
    let gone = line(&Event { summary: summary("c1"), kind: EventKind::Deleted(None) });
    assert_eq!(gone.get("message"), None);
    let said = line(&changed("c1", message("1", Role::User, "hello")));
    assert_eq!(
        (&said["seq"], &said["revision"], &said["seen_at"]),
        (&json!(12), &json!(2), &json!("2026-07-20T10:00:00Z"))
    );
    assert_eq!(said["message"]["parts"], json!([{"type": "text", "text": "hello"}]));
}

proptest! {
    /// However a text comes, what is seen in the end is the text.
    #[test]
    fn the_last_words_are_seen(words in "[a-z\n ]{0,300}", cuts in proptest::collection::vec(0..300_usize, 0..6)) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(words.len())).collect();
        cuts.sort_unstable();
        let mut events = vec![first("c1", message("1", Role::Assistant, ""))];
        events.extend(cuts.iter().map(|cut| changed("c1", message("1", Role::Assistant, &words[..*cut]))));
        events.push(changed("c1", message("1", Role::Assistant, &words)));
        let at_once = written(&[first("c1", message("1", Role::Assistant, &words))], true);
        let trimmed = |lines: Vec<String>| lines.join("\n").trim_end().to_owned();
        prop_assert_eq!(trimmed(screen(&written(&events, true))), trimmed(screen(&at_once)));
    }
}
