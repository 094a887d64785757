//! Conversations as people see them.

use backscroll_model::{Conversation, ConversationId, Message, Part, Role, Summary, Surface};
use backscroll_render::terminal::{self, Branch, Tools, View};
use backscroll_render::text::width;
use proptest::prelude::*;

use crate::every_part::{self, origin};

fn shown(conversation: &Conversation, view: &View) -> String {
    let mut out = Vec::new();
    terminal::conversation(conversation, view, &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("text")
}

#[test]
fn folded() {
    for cells in [80, 40] {
        let text = shown(&every_part::conversation(), &View::plain(cells));
        assert!(text.lines().all(|line| width(line) <= cells), "{text}");
        insta::assert_snapshot!(format!("folded_{cells}"), text);
    }
}

#[test]
fn unfolded() {
    let view = View { thinking: true, tools: Tools::Full, origins: true, findings: true, ..View::plain(80) };
    insta::assert_snapshot!(shown(&every_part::conversation(), &view));
}

#[test]
fn in_colour() {
    let view = View { colour: true, tools: Tools::Full, ..View::plain(80) };
    insta::assert_snapshot!(shown(&every_part::conversation(), &view).replace('\u{1b}', "␛"));
}

#[test]
fn without_tools_their_number_is_told() {
    let view = View { tools: Tools::None, ..View::plain(80) };
    let text = shown(&every_part::conversation(), &view);
    assert!(text.contains("· 3 tool calls\n") && !text.contains("pytest"), "{text}");
}

/// The second half of a long conversation is made up by another thread: that must not show anywhere.
#[test]
fn many_messages_look_as_each_turn_does_alone() {
    let said = |number: usize, role, words: &str| {
        let mut message = Message::new(format!("{number}"), role, origin("k"));
        message.parts.push(Part::Text(words.to_owned()));
        message
    };
    let turn = |number: usize| {
        let answer = format!("Answer {number}\n\n```\ncode\n```\n \n");
        [said(number, Role::User, "Question"), said(number, Role::Assistant, &answer)]
    };
    let conversation = |messages| {
        let summary = Summary::new(ConversationId::new("id"), Surface::Cli, origin("k"));
        let mut conversation = Conversation::new(summary);
        conversation.messages = messages;
        conversation
    };
    let turns = 0..1_503_usize;
    let text = shown(&conversation(turns.clone().flat_map(turn).collect()), &View::plain(60));
    let body = |text: &str| text.split_once("──\n\n").expect("a line below the header").1.to_owned();
    let each: Vec<String> =
        turns.map(|number| body(&shown(&conversation(turn(number).to_vec()), &View::plain(60)))).collect();
    assert!(body(&text) == each.join("\n"), "the halves do not fit together");
}

#[test]
fn a_tree_of_conversations() {
    let branch = |id: &str, messages, children| Branch {
        summary: Summary {
            title: Some(format!("Task {id}")),
            ..Summary::new(ConversationId::new(id), Surface::Ide, origin("k"))
        },
        messages,
        children,
    };
    let grandchild = branch("grandchild", Some(1), vec![]);
    let root =
        branch("root", Some(12), vec![branch("one", Some(3), vec![grandchild]), branch("two", None, vec![])]);
    let mut out = Vec::new();
    terminal::tree(&root, &View::plain(60), &mut out).expect("a vector takes everything");
    insta::assert_snapshot!(String::from_utf8(out).expect("text"), @r"
    root Task root · 12 messages
    ├─ one Task one · 3 messages
    │  └─ grandchild Task grandchild · 1 message
    └─ two Task two · not in any store
    ");
}

proptest! {
    #[test]
    fn no_text_commands_the_terminal_or_leaves_the_width(
        text in "([ -~]{0,60}|[\u{0}-\u{1f}]{0,4}|\u{1b}\\[[0-9;]{0,3}[A-Z]|```|\\*\\*|`|- |日本){0,12}",
        cells in 20_usize..100,
    ) {
        let mut conversation = Conversation::new(every_part::summary());
        let mut message = Message::new("m", Role::User, origin("k"));
        message.parts = vec![
            Part::Text(text.clone()),
            Part::Thinking { text: text.clone(), duration_ms: None },
            Part::Error(text.clone()),
            Part::Summary(text),
        ];
        conversation.messages.push(message);
        for thinking in [false, true] {
            let page = shown(&conversation, &View { thinking, ..View::plain(cells) });
            prop_assert!(!page.chars().any(|c| c.is_control() && c != '\n'), "{:?}", page);
            for line in page.lines() {
                prop_assert!(width(line) <= cells, "{} cells: {line:?}", width(line));
            }
        }
    }
}

#[test]
fn a_title_that_is_a_page_is_cut() {
    let mut conversation = every_part::conversation();
    conversation.summary.title = Some("words ".repeat(500));
    let text = shown(&conversation, &View::plain(80));
    let end = text.lines().position(|line| line.ends_with('…'));
    assert!(end.is_some_and(|end| end <= 2), "{text}");
}
