//! Whole conversations: every text is looked at, JSON stays JSON, and what is found in one place is known in all.

use std::path::Path;
use std::sync::Arc;

use backscroll_model::{Conversation, Message, Part, Payload, RequestFact, Role, ToolCall};
use backscroll_redact::{HomeNames, PlaceholderKey, RedactOptions, Redactor};

use crate::synthetic::{self, PLAIN, chance, key_block, numbered};

fn redactor() -> Redactor {
    Redactor::new(&RedactOptions::default()).expect("made so here")
}

fn with(parts: Vec<Part>) -> Conversation {
    let message = Message { parts, ..Message::new("m", Role::User, synthetic::origin("k")) };
    synthetic::holding(vec![message])
}

fn written(conversation: &Conversation) -> String {
    numbered(&format!("{conversation:?}"))
}

/// A text in every place of the conversation that holds free text.
fn everywhere(text: &str) -> Conversation {
    let mut conversation = synthetic::conversation();
    let put = |place: &mut String| place.push_str(text);
    let put_in = |place: &mut Option<String>| place.get_or_insert_default().push_str(text);
    let summary = &mut conversation.summary;
    put_in(&mut summary.title);
    put_in(&mut summary.mode);
    summary.models.iter_mut().for_each(put);
    let workspace = summary.workspace.as_mut().expect("made so here");
    put(&mut workspace.path);
    put_in(&mut workspace.uri);
    conversation.facts.held_in = Some(workspace.clone());
    let facts = &mut conversation.facts;
    put_in(&mut facts.branch);
    put_in(&mut facts.draft);
    facts.requests.push(RequestFact { model: Some(text.to_owned()), ..RequestFact::default() });
    for texts in [&mut facts.branches, &mut facts.pull_requests, &mut facts.files, &mut facts.plans] {
        texts.iter_mut().for_each(put);
    }
    facts.todos.iter_mut().for_each(|todo| put(&mut todo.content));
    conversation.findings.iter_mut().for_each(|finding| put(&mut finding.says));
    let folder: Arc<Path> = Path::new(&format!("/srv/{}/store.db", text.trim())).into();
    conversation.summary.origins[0].file = Arc::clone(&folder);
    conversation.messages[0].origin.file = folder;
    for message in conversation.messages.iter_mut().chain(&mut conversation.orphans) {
        put_in(&mut message.model);
        for part in &mut message.parts {
            match part {
                Part::Text(words) | Part::Summary(words) | Part::Error(words) => put(words),
                Part::Thinking { text, .. } => put(text),
                Part::ToolCall(call) => {
                    put(&mut call.name);
                    put(&mut call.raw_name);
                    put_in(&mut call.error);
                    put_in(&mut call.decision);
                    put_in(&mut call.diff);
                    let field = serde_json::to_string(text).expect("made so here");
                    call.arguments = Some(Payload::from_text(format!("{{\"a\":[1,{field}],{field}:null}}")));
                    call.result = Some(Payload::Text(text.to_owned()));
                }
                Part::Image(image) => {
                    put_in(&mut image.path);
                    put_in(&mut image.description);
                }
                Part::Attachment(attached) => {
                    put_in(&mut attached.path);
                    put_in(&mut attached.title);
                    put_in(&mut attached.text);
                }
                Part::Code(code) => {
                    put_in(&mut code.path);
                    put(&mut code.text);
                    put_in(&mut code.diff);
                    put_in(&mut code.language);
                    put_in(&mut code.status);
                }
                Part::Todos(todos) => todos.iter_mut().for_each(|todo| put(&mut todo.content)),
            }
        }
    }
    conversation
}

/// C132: nested arguments too; and before anything is shortened, since renderers are given what is left.
#[test]
fn every_text_of_a_conversation_is_looked_at() {
    let secret = format!("gh{}{}", "p_", chance(PLAIN, 36, 1));
    let mut conversation = everywhere(&format!(" {secret} "));
    let before = written(&conversation).matches(&secret).count();
    let mut redactor = redactor();
    redactor.conversation(&mut conversation);
    let after = written(&conversation);
    assert!(!after.contains(&secret), "{after}");
    assert_eq!(after.matches("‹github-token-1›").count(), before);
    let counts: Vec<_> =
        redactor.report().kinds().map(|(kind, count)| (kind.to_owned(), count.distinct)).collect();
    assert_eq!(counts, [("github-token".to_owned(), 1)]);
}

#[test]
fn what_is_found_late_is_known_early() {
    let secret = chance(PLAIN, 40, 2);
    let shell =
        ToolCall { result: Some(Payload::Text(format!("API_KEY={secret}\n"))), ..ToolCall::default() };
    let mut conversation =
        with(vec![Part::Text(format!("use {secret} please")), Part::ToolCall(Box::new(shell))]);
    redactor().conversation(&mut conversation);
    assert_eq!(numbered(&conversation.messages[0].text()), "use ‹api-key-1› please");
    assert!(!written(&conversation).contains(&secret));
}

#[test]
fn json_changes_nowhere_but_in_the_secret() {
    let secret = chance(PLAIN, 40, 3);
    let block = key_block("PRIVATE KEY", 4).replace('\n', "\\n");
    let frame = "{ \"caf\\u00e9\\/\" : [1.50, \"\\ud83d\\ude00 API_KEY=§\\nNEXT=1\"],\n\"token\":\"§\", \"private_key\": \"¶\\n\", \"n\": 1e3 }";
    let stored = frame.replace('§', &secret).replace('¶', &block);
    let call = ToolCall { result: Some(Payload::from_text(stored)), ..ToolCall::default() };
    let mut conversation = with(vec![Part::ToolCall(Box::new(call))]);
    redactor().conversation(&mut conversation);
    let Part::ToolCall(call) = &conversation.messages[0].parts[0] else { panic!("a call") };
    let result = call.result.as_ref().expect("made so here");
    assert!(matches!(result, Payload::Json(_)));
    assert_eq!(numbered(result.as_str()), frame.replace('§', "‹api-key-1›").replace('¶', "‹private-key-1›"));
}

#[test]
fn the_same_secret_has_the_same_placeholder_in_every_conversation() {
    let token = |seed| format!("gh{}{}", "p_", chance(PLAIN, 36, seed));
    let redacted = |text: String, redactor: &mut Redactor| {
        let mut conversation = with(vec![Part::Text(text)]);
        redactor.conversation(&mut conversation);
        conversation.messages[0].text()
    };
    let mut first = redactor();
    let (one, two) = (redacted(token(1), &mut first), redacted(token(2), &mut first));
    assert_ne!(one, two);
    assert_eq!(redacted(format!("{} {}", token(2), token(1)), &mut first), format!("{two} {one}"));
    assert_eq!(redacted(token(2), &mut first.fresh()), two);
    let other = RedactOptions { key: PlaceholderKey::new([7; 32]), ..RedactOptions::default() };
    assert_ne!(redacted(token(2), &mut Redactor::new(&other).expect("made so here")), two);
}

#[test]
fn scanning_apart_gives_the_same() {
    let text = format!("API_KEY={} and gh{}{}", chance(PLAIN, 40, 8), "p_", chance(PLAIN, 36, 9));
    let (mut whole, mut apart) = (everywhere(&text), everywhere(&text));
    redactor().conversation(&mut whole);
    let mut redactor = redactor();
    let scanned = redactor.scan(&apart);
    redactor.apply(&mut apart, scanned);
    assert_eq!(whole, apart);
}

#[test]
fn origins_lose_the_home_when_it_goes() {
    let mut conversation = synthetic::conversation();
    let home: Arc<Path> = Path::new("/home/mirak/.config/Cursor/state.vscdb").into();
    conversation.summary.origins[0].file = Arc::clone(&home);
    conversation.messages[0].origin.file = home;
    let options =
        RedactOptions { home: Some(HomeNames::from_folder("/home/mirak")), ..RedactOptions::default() };
    Redactor::new(&options).expect("made so here").conversation(&mut conversation);
    assert!(!written(&conversation).contains("mirak"));
    assert_eq!(&*conversation.messages[0].origin.file, Path::new("~/.config/Cursor/state.vscdb"));
}

#[test]
fn inspecting_tells_the_place_and_never_the_secret() {
    let secret = format!("gh{}{}", "p_", chance(PLAIN, 36, 1));
    let conversation = with(vec![Part::Text(format!("one\ntwo {secret}\n"))]);
    let sightings = redactor().inspect(&conversation);
    assert_eq!(sightings.len(), 1);
    assert_eq!(sightings[0].place.expect("made so here").to_string(), "message 1, text");
    assert_eq!((sightings[0].line, sightings[0].kind.as_str()), (2, "github-token"));
    assert!(!format!("{sightings:?}").contains(&secret));
}
