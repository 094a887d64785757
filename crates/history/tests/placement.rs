//! Where the merge puts what only one layer has: beside the neighbours that it has in its own layer.

use std::path::Path;

use backscroll_fixtures::MemorySource;
use backscroll_history::History;
use backscroll_model::{
    Conversation, Coverage, Fact, Finding, FindingKind, Fragment, Layer, Message, Origin, Part, RequestFact,
    Role, Summary, Surface, ToolCall,
};
use jiff::Timestamp;

fn merged(fragments: &[Fragment]) -> Conversation {
    let source = MemorySource::new("memory", fragments.to_vec());
    let whole = History::over(vec![Box::new(source)], Vec::new()).load(&"c".into()).unwrap();
    assert!(whole.coverage.adds_up());
    whole
}

/// A fragment in which each message is `role: parts`; a part in brackets is a thought, one in angles the id of a call.
fn fragment(layer: Layer, surface: Surface, messages: &[&str]) -> Fragment {
    let origin = Origin::new(layer, Path::new(layer.name()), "c");
    let mut fragment = Fragment::new(Summary::new("c".into(), surface, origin.clone()));
    for (number, message) in messages.iter().enumerate() {
        let (role, parts) = message.split_once(": ").unwrap_or((message, ""));
        let role = if role == "user" { Role::User } else { Role::Assistant };
        let mut message =
            Message::new(format!("{}-{number}", layer.name()), role, origin.with_key(number.to_string()));
        message.parts = parts.split(", ").filter(|part| !part.is_empty()).map(part).collect();
        fragment.messages.push(message);
    }
    let missing = fragment.messages.iter().filter(|message| message.parts.is_empty()).count() as u64;
    let listed = messages.len() as u64;
    fragment.coverage = Coverage { listed, read: listed - missing, missing, ..Coverage::default() };
    fragment
}

fn part(text: &str) -> Part {
    if let Some(thought) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        return Part::Thinking { text: thought.to_owned(), duration_ms: None };
    }
    if let Some(id) = text.strip_prefix('<').and_then(|text| text.strip_suffix('>')) {
        let call = ToolCall { id: Some(id.to_owned()), name: id.to_owned(), ..ToolCall::default() };
        return Part::ToolCall(Box::new(call));
    }
    Part::Text(text.to_owned())
}

fn shown(whole: &Conversation) -> Vec<String> {
    let parts = |message: &Message| {
        let parts = message.parts.iter().map(|part| match part {
            Part::Thinking { text, .. } => format!("[{text}]"),
            Part::ToolCall(call) => format!("<{}>", call.name),
            Part::Text(text) => text.clone(),
            other => format!("{other:?}"),
        });
        parts.collect::<Vec<_>>().join(", ")
    };
    whole.messages.iter().map(parts).collect()
}

#[test]
fn parts_stand_where_the_layer_that_has_them_has_them() {
    let table: [(&str, &str, &str); 6] = [
        ("assistant: <one>", "assistant: [thought], words, <one>", "[thought], words, <one>"),
        ("assistant: <one>", "assistant: <one>, words, <two>", "<one>, words, <two>"),
        ("assistant: <one>", "assistant: <one>, [thought], words", "<one>, [thought], words"),
        ("assistant: words, <two>", "assistant: words, <one>, <two>, last", "words, <one>, <two>, last"),
        ("assistant: words", "assistant: [a], words, [b], <one>", "[a], words, [b], <one>"),
        ("assistant: first, second", "assistant: [a], first, [b], second", "[a], first, [b], second"),
    ];
    for (spine, other, expected) in table {
        let index = fragment(Layer::SdkIndex, Surface::Sdk, &["user: ask", spine]);
        let blobs = fragment(Layer::CliStore, Surface::Sdk, &["user: ask", other]);
        assert_eq!(shown(&merged(&[blobs, index])), ["ask", expected]);
    }
}

#[test]
fn the_short_end_of_one_text_is_not_taken_for_that_of_another() {
    let lines = ["user: ask", "assistant: the first words of i, t, the other, words of it"];
    let text = ["user: ask", "assistant: the first, words of it, the other words of i, t"];
    let lines = fragment(Layer::TranscriptJsonl, Surface::Transcript, &lines);
    let text = fragment(Layer::TranscriptText, Surface::Transcript, &text);
    let words: String = shown(&merged(&[lines, text]))[1].chars().filter(|c| c.is_alphabetic()).collect();
    assert_eq!(words, "thefirstwordsofittheotherwordsofit");
}

#[test]
fn what_follows_a_message_that_was_lost_still_follows_it() {
    let rows = fragment(Layer::IdeGlobal, Surface::Ide, &["user: ask", "assistant: at work", "assistant"]);
    let lines = ["user: ask", "assistant: at work", "assistant: done", "user: thanks", "assistant: welcome"];
    let lines = fragment(Layer::TranscriptJsonl, Surface::Transcript, &lines);
    let whole = merged(&[rows, lines]);
    assert_eq!(shown(&whole), ["ask", "at work", "done", "thanks", "welcome"]);
    assert_eq!(whole.coverage.missing, 0);
}

#[test]
fn what_was_asked_comes_before_answers_that_begin() {
    let index = fragment(Layer::SdkIndex, Surface::Sdk, &["assistant: <one>", "assistant: done"]);
    let blobs = fragment(Layer::CliStore, Surface::Sdk, &["user: ask", "user: and this", "assistant: [aha]"]);
    assert_eq!(shown(&merged(&[index, blobs])), ["ask", "and this", "[aha]", "<one>", "done"]);
    let rows = fragment(Layer::IdeGlobal, Surface::Ide, &["user: ask", "assistant: done"]);
    let lines = fragment(Layer::TranscriptJsonl, Surface::Transcript, &["user: more", "assistant: <one>"]);
    assert_eq!(
        shown(&merged(&[rows, lines])),
        ["ask", "done", "more", "<one>"],
        "nothing says which came first"
    );
}

#[test]
fn what_is_wrong_with_a_file_of_two_fragments_is_reported_once() {
    let wrong = |key: &str| {
        let at = Origin::new(Layer::TranscriptJsonl, Path::new("c.jsonl"), key);
        Finding::new(FindingKind::Damaged, at, "thinking was removed")
    };
    let mut index = fragment(Layer::SdkIndex, Surface::Sdk, &["user: ask"]);
    let mut lines = fragment(Layer::TranscriptJsonl, Surface::Transcript, &["user: ask"]);
    index.findings = vec![wrong("line 1")];
    lines.findings = vec![wrong("line 1"), wrong("line 2")];
    assert_eq!(merged(&[index, lines]).findings, [wrong("line 1"), wrong("line 2")]);
}

#[test]
fn the_time_of_an_sdk_agents_store_counts_only_where_nothing_else_has_one() {
    let at = |second| Some(Timestamp::from_second(second).unwrap());
    let mut index = fragment(Layer::SdkIndex, Surface::Sdk, &["user: ask"]);
    let mut blobs = fragment(Layer::CliStore, Surface::Sdk, &["user: ask"]);
    index.summary.updated_at = at(5);
    (blobs.summary.updated_at, blobs.summary.is_updated_by_file) = (at(9), true);
    assert_eq!(merged(&[index, blobs.clone()]).summary.updated_at, at(5), "copying changes a file's time");
    assert_eq!(merged(&[blobs]).summary.updated_at, at(9));
}

#[test]
fn a_tracked_request_names_the_model_of_its_whole_turn() {
    let lines = ["user: ask", "assistant: at work", "assistant: done", "user: thanks", "assistant: welcome"];
    let mut store = fragment(Layer::CliStore, Surface::Cli, &lines);
    store.messages[0].request_id = Some("r".to_owned());
    let mut tracked = fragment(Layer::Tracking, Surface::Transcript, &[]).as_evidence();
    tracked.facts.requests.push(RequestFact {
        request_id: "r".to_owned(),
        model: Some("tracked".to_owned()),
        files: Vec::new(),
        origin: None,
        ..RequestFact::default()
    });
    let models: Vec<_> =
        merged(&[store, tracked]).messages.into_iter().map(|message| message.model).collect();
    let named = Some("tracked".to_owned());
    assert_eq!(models, [named.clone(), named.clone(), named, None, None]);
}

#[test]
fn a_fact_that_a_source_took_from_elsewhere_names_that_place() {
    let head = Origin::new(Layer::IdeHeaders, Path::new("state.vscdb"), "composer.composerHeaders");
    let mut rows = fragment(Layer::IdeGlobal, Surface::Ide, &["user: ask"]);
    rows.summary.title = Some("Named by a head".to_owned());
    rows.summary.mode = Some("agent".to_owned());
    rows.note(Fact::Title, &head);
    let record = rows.summary.origins[0].clone();
    let whole = merged(&[rows]);
    let origin = |fact| whole.fact_origins.iter().find(|one| one.fact == fact).map(|one| one.origin.clone());
    assert_eq!((origin(Fact::Title), origin(Fact::Mode)), (Some(head), Some(record)));
}
