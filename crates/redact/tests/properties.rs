//! What holds for any text.

use std::borrow::Cow;

use backscroll_model::{Message, Part, Payload, Role, ToolCall};
use backscroll_redact::{HomeNames, RedactOptions, Redactor};
use proptest::prelude::*;

use crate::synthetic::{self, BASE64, HEX, PLAIN, chance, disguises, key_block, tokens};

fn options() -> RedactOptions {
    RedactOptions {
        emails: true,
        home: Some(HomeNames::from_folder("/home/mirak")),
        ..RedactOptions::default()
    }
}

fn redactor() -> Redactor {
    Redactor::new(&options()).expect("made so here")
}

/// What stands around secrets.
const FRAMES: &[&str] = &[
    "API_KEY=",
    "\"token\": \"",
    "password = '",
    "\\n",
    "\n",
    "://",
    ":",
    "@",
    "Bearer ",
    "%3D",
    "%2F",
    "‹",
    "›",
    "‹jwt·3f9a1c07›",
    "\\\"",
    "\\",
    "/home/mirak",
    "mirak",
    "a@b.io",
    "é",
    "=",
    "eyJ",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    " ",
    "{",
    "}",
    ";",
    "+",
    "-",
    "curl -su ",
    "echo ",
    " | sudo -S\n",
    "kind: Secret\ndata:\n  a: ",
    "auth=(\"a\", \"",
    "user,password\n",
    ",",
    "|",
    "> ",
    "     1|",
    "%25",
    "Private-Lines: 2\n",
    " || '",
    "[[",
    "]]",
    ": &a ",
    "cookie: a=",
    "hooks.slack.com/services/",
    "AKIAQ7XW2LMNB4TR6YZP",
    "'",
];

/// Pieces of which troublesome texts are made.
fn pieces() -> impl Strategy<Value = String> {
    let frames = prop::sample::select(FRAMES);
    let secret = (0..tokens().len(), 0..11_usize)
        .prop_map(|(token, disguise)| disguises(&tokens()[token].1)[disguise].1.clone());
    prop_oneof![
        4 => frames.prop_map(ToString::to_string),
        2 => secret,
        1 => (0..1000_u64).prop_map(|seed| chance(PLAIN, 40, seed)),
        1 => (0..1000_u64).prop_map(|seed| chance(HEX, 32, seed)),
        1 => (0..1000_u64).prop_map(|seed| chance(BASE64, 64, seed)),
        1 => (0..50_u64).prop_map(|seed| key_block("PRIVATE KEY", seed)),
        1 => any::<String>(),
    ]
}

fn texts() -> impl Strategy<Value = String> {
    prop::collection::vec(pieces(), 0..12).prop_map(|pieces| pieces.concat())
}

/// A letter of several bytes in front of what looks like a line of passwords.
#[test]
fn a_letter_of_several_bytes_before_a_port_is_survived() {
    for text in [
        "curl -aé x:y",
        "curl -sé mira:hunter2secret",
        "echo é | sudo -S",
        "Σ:*:",
        "é:5432:db:me:hunter2secret",
        "‹:*:*:*:abcd1234",
    ] {
        let once = redactor().text(text).into_owned();
        assert_eq!(redactor().text(&once), once, "{text}");
    }
}

proptest! {
    #[test]
    fn what_was_redacted_stays_as_it_is(text in texts()) {
        let once = redactor().text(&text).into_owned();
        let twice = redactor().text(&once).into_owned();
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn the_same_text_gives_the_same_text(text in texts()) {
        prop_assert_eq!(redactor().text(&text), redactor().text(&text));
    }

    #[test]
    fn words_are_borrowed(text in "[a-z ,.!\n]{0,400}") {
        let is_plain = !text.contains("mirak");
        let mut redactor = redactor();
        let redacted = redactor.text(&text);
        prop_assert!(!is_plain || matches!(redacted, Cow::Borrowed(_)));
    }

    #[test]
    fn json_stays_json(texts in prop::collection::vec(texts(), 1..4)) {
        let stored = serde_json::to_string(&serde_json::json!({ "texts": texts, "token": texts[0] })).expect("made so here");
        let call = ToolCall { result: Some(Payload::from_text(stored)), ..ToolCall::default() };
        let message = Message { parts: vec![Part::ToolCall(Box::new(call))], ..Message::new("m", Role::User, synthetic::origin("k")) };
        let mut conversation = synthetic::holding(vec![message]);
        redactor().conversation(&mut conversation);
        let Part::ToolCall(call) = &conversation.messages[0].parts[0] else { panic!("a call") };
        prop_assert!(matches!(call.result, Some(Payload::Json(_))));
        let once = conversation.clone();
        redactor().conversation(&mut conversation);
        prop_assert_eq!(once, conversation);
    }
}
