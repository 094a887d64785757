//! Stores that Cursor's own SDK wrote: every item of their `said.jsonl` comes out, in order, once, and nothing else does.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use backscroll_fixtures::{Recorded, recorded_named};
use backscroll_model::{
    AttachmentKind, Conversation, FindingKind, Flag, Message, Part, Role, ToolCall, ToolStatus,
};
use serde_json::Value as Json;

use crate::home::{all, ask, load};

const NAMES: [&str; 2] = ["sdk-real-1.0", "sdk-real-1.1"];

/// One thing that was said: its kind, and its words or what names a call.
type Item = (String, String);

/// What went in, by agent, with the outcome of calls.
fn said(store: &Recorded) -> BTreeMap<String, Vec<(Item, Option<Json>)>> {
    let mut agents: BTreeMap<String, Vec<(Item, Option<Json>)>> = BTreeMap::new();
    for line in fs::read_to_string(store.path.join("said.jsonl")).unwrap().lines() {
        let run: Json = serde_json::from_str(line).unwrap();
        let items = agents.entry(run["agent"].as_str().unwrap().to_owned()).or_default();
        items.push((("prompt".to_owned(), run["prompt"].as_str().unwrap().to_owned()), None));
        for part in run["parts"].as_array().unwrap() {
            let kind = part[0].as_str().unwrap().to_owned();
            items.push(((kind, part[1].as_str().unwrap().to_owned()), Some(part.clone())));
        }
    }
    agents
}

/// What came out. Context, pictures, spilled output and errors stand beside what was said.
fn items(conversation: &Conversation) -> Vec<(Item, Option<&ToolCall>)> {
    let mut items = Vec::new();
    for message in &conversation.messages {
        for part in &message.parts {
            let (kind, text, call) = match part {
                Part::Text(text) if message.role == Role::User => ("prompt", text.clone(), None),
                Part::Text(text) if message.role == Role::Assistant => ("text", text.clone(), None),
                Part::Thinking { text, .. } => ("thinking", text.clone(), None),
                Part::Summary(text) => ("summary", text.clone(), None),
                Part::ToolCall(call) => ("tool", call.raw_name.clone(), Some(&**call)),
                _ => continue,
            };
            items.push(((kind.to_owned(), text), call));
        }
    }
    items
}

fn check_call(call: &ToolCall, said: &Json, at: &str) {
    let arguments: Json = serde_json::from_str(call.arguments.as_ref().unwrap().as_str()).unwrap();
    assert_eq!(arguments, said[2], "{at}: whole arguments");
    let status = match said[3].as_str().unwrap() {
        "ok" => ToolStatus::Completed,
        "error" => ToolStatus::Error,
        // It was left open when its run was stopped.
        _ => ToolStatus::Cancelled,
    };
    assert_eq!(call.status, status, "{at}: outcome of {}", call.raw_name);
    if let Some(told) = said[4].as_str() {
        let result = call.result.as_ref().map(|result| result.as_str().to_owned()).unwrap_or_default();
        assert_eq!(result, told, "{at}: whole result");
        assert_eq!(call.id.as_deref(), said[5].as_str(), "{at}: id");
    }
}

#[test]
fn everything_that_was_said_comes_out_once_and_in_order() {
    for name in NAMES {
        let store = recorded_named(name).unwrap();
        let copy = store.copy_to_temp().unwrap();
        ask(copy.path(), |history| {
            let listed: Vec<String> = all(history).iter().map(|one| one.id.as_str().to_owned()).collect();
            let said = said(&store);
            let ids: BTreeSet<&String> = listed.iter().collect();
            assert_eq!(ids.len(), listed.len(), "{name}: no agent twice");
            for id in &ids {
                let silent = load(history, id).messages.is_empty();
                assert!(said.contains_key(*id) || silent, "{name}: {id} said nothing");
            }
            for (id, expected) in &said {
                let conversation = load(history, id);
                let found = items(&conversation);
                let mut wanted: Vec<Item> = expected.iter().map(|(item, _)| item.clone()).collect();
                // Of an agent that the SDK's host ran by itself there is a transcript alone, which writes thoughts as words.
                let is_transcript_only = conversation.summary.parent.is_some();
                if is_transcript_only {
                    wanted
                        .iter_mut()
                        .filter(|item| item.0 == "thinking")
                        .for_each(|item| "text".clone_into(&mut item.0));
                }
                let words: Vec<Item> = found.iter().map(|(item, _)| item.clone()).collect();
                assert_eq!(words, wanted, "{name}: {id}");
                for ((_, call), (_, said)) in found.iter().zip(expected).filter(|_| !is_transcript_only) {
                    if let (Some(call), Some(said)) = (call, said) {
                        // The events of the agent that was written by hand have another form of result.
                        if conversation.messages.iter().all(|one| !one.id.as_str().starts_with("run-7000")) {
                            check_call(call, said, &format!("{name}: {id}"));
                        }
                    }
                }
                assert!(conversation.coverage.adds_up());
                let is_drift = |kind: FindingKind| matches!(kind, FindingKind::Unknown | FindingKind::Drift);
                let drift = conversation.findings.iter().find(|finding| is_drift(finding.kind));
                assert_eq!(drift, None, "{name}: {id}");
            }
        });
    }
}

/// The counts that another reader took.
#[test]
fn heads_are_those_that_the_index_names() {
    for name in NAMES {
        let store = recorded_named(name).unwrap();
        let copy = store.copy_to_temp().unwrap();
        ask(copy.path(), |history| {
            let listed = all(history);
            for agent in store.expected["agent"].as_array().unwrap() {
                let text = |key: &str| agent[key].as_str().unwrap();
                let summary = listed.iter().find(|one| one.id.as_str() == text("id")).unwrap();
                assert_eq!(
                    summary.workspace.as_ref().unwrap().path,
                    text("workspace"),
                    "{name}: {}",
                    summary.id
                );
                assert_eq!(
                    summary.created_at.unwrap(),
                    text("created_at").parse().unwrap(),
                    "{name}: {}",
                    summary.id
                );
                let is_archived = text("status") == "ARCHIVED";
                assert_eq!(summary.flags.contains(&Flag::Archived), is_archived, "{name}: {}", summary.id);
                let models: Vec<&str> =
                    agent["models"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
                assert_eq!(summary.models, models, "{name}: {}", summary.id);
            }
        });
    }
}

fn shelf_lamps(path: &Path) -> Conversation {
    ask(path, |history| {
        let named = all(history).into_iter().find(|one| one.title.as_deref() == Some("Shelf lamps"));
        load(history, named.unwrap().id.as_str())
    })
}

#[test]
fn context_stands_before_the_first_prompt_and_prompts_have_times_to_the_millisecond() {
    let copy = recorded_named("sdk-real-1.0").unwrap().copy_to_temp().unwrap();
    let conversation = shelf_lamps(copy.path());
    let roles: Vec<Role> = conversation.messages.iter().map(|message| message.role).take(3).collect();
    assert_eq!(roles, [Role::System, Role::System, Role::User]);
    let prompts = conversation.messages.iter().filter(|message| message.role == Role::User);
    for prompt in prompts {
        assert_ne!(prompt.at.at.unwrap().as_millisecond() % 60_000, 0, "{:?}", prompt.text());
    }
    let durations =
        conversation.messages.iter().flat_map(|message| &message.parts).filter_map(|part| match part {
            Part::Thinking { duration_ms, .. } => *duration_ms,
            _ => None,
        });
    assert_eq!(durations.collect::<Vec<_>>(), [812, 95, 40]);
    let tokens = conversation.facts.tokens.unwrap();
    assert_eq!((tokens.input, tokens.output), (5_910, 381));
    assert_eq!((tokens.cache_read, tokens.cache_write, tokens.reasoning), (Some(4_200), Some(402), Some(24)));
}

#[test]
fn a_transcript_beside_the_index_tells_thoughts_apart_where_the_blobs_are_gone() {
    let store = recorded_named("sdk-real-1.0").unwrap();
    let copy = store.copy_to_temp().unwrap();
    let stores = copy.path().join(".cursor/projects/home-dev-lamp/sdk-agent-store");
    for folder in fs::read_dir(stores).unwrap() {
        fs::remove_dir_all(folder.unwrap().path().join("agents")).unwrap();
    }
    let conversation = shelf_lamps(copy.path());
    let said = said(&store);
    let bare = |item: &Item| (item.0.clone(), item.1.split_whitespace().collect::<String>());
    let wanted: Vec<Item> =
        said[conversation.summary.id.as_str()].iter().map(|(item, _)| bare(item)).collect();
    let found: Vec<Item> = items(&conversation).iter().map(|(item, _)| bare(item)).collect();
    assert_eq!(found, wanted);
    let first = conversation.messages.iter().find(|message| message.role == Role::User).unwrap();
    assert_eq!(first.at.at.unwrap().to_string(), "2026-11-02T09:01:35.555Z", "the start of the run");
}

#[test]
fn pictures_are_there_once_and_spilled_output_follows_its_call() {
    for name in NAMES {
        let copy = recorded_named(name).unwrap().copy_to_temp().unwrap();
        ask(copy.path(), |history| {
            let loaded: Vec<Conversation> =
                all(history).iter().map(|one| load(history, one.id.as_str())).collect();
            let messages: Vec<&Message> = loaded.iter().flat_map(|one| &one.messages).collect();
            let pictures: Vec<_> = messages
                .iter()
                .flat_map(|message| &message.parts)
                .filter_map(|part| match part {
                    Part::Image(image) => Some(image),
                    _ => None,
                })
                .collect();
            assert_eq!(pictures.len(), 1, "{name}");
            assert_eq!(pictures[0].media_type.as_deref(), Some("image/png"));
            assert!(pictures[0].data.as_ref().unwrap().starts_with("iVBORw0KGgo"));
            let printed = messages.iter().find(|message| {
                message.tool_calls().any(|call| {
                    call.arguments.as_ref().is_some_and(|given| given.as_str().contains("seq -f"))
                })
            });
            let Part::Attachment(output) = &printed.unwrap().parts[1] else { panic!("{name}") };
            assert_eq!(output.kind, AttachmentKind::Output);
            assert!(output.text.as_ref().unwrap().ends_with("lamp no. 900\n"));
        });
    }
}

/// Where the index is gone, the root with the most turns is the conversation.
#[test]
fn stores_without_an_index_still_have_their_conversation() {
    let copy = recorded_named("sdk-real-1.0").unwrap().copy_to_temp().unwrap();
    for project in ["home-dev-lamp", "home-dev-tides"] {
        let stores = copy.path().join(".cursor/projects").join(project).join("sdk-agent-store");
        for folder in fs::read_dir(stores).unwrap() {
            for file in ["index.db", "index.db-wal", "index.db-shm"] {
                let _ = fs::remove_file(folder.as_ref().unwrap().path().join(file));
            }
        }
        fs::remove_dir_all(copy.path().join(".cursor/projects").join(project).join("agent-transcripts"))
            .unwrap();
    }
    let lengths: Vec<(usize, usize)> = ask(copy.path(), |history| {
        let loaded = all(history).into_iter().map(|one| load(history, one.id.as_str()));
        let of = |one: Conversation| {
            let prompts = one.messages.iter().filter(|message| message.role == Role::User).count();
            (prompts, one.orphans.len())
        };
        let mut lengths: Vec<(usize, usize)> = loaded.map(of).collect();
        lengths.sort_unstable();
        lengths
    });
    assert_eq!(lengths, [(1, 0), (2, 0), (2, 0), (2, 1), (3, 0), (7, 0)]);
}
