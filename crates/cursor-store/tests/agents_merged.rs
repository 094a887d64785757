//! Conversations that several places have, merged.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use backscroll_cursor_store::{KnownPaths, Transcripts, Where, find};
use backscroll_fixtures::{
    CliChat, Composer, CursorHome, Dialect, Era, Proto, SdkAgent, SdkStore, Speaks, StateDatabase, Tracking,
    Transcript, recorded_named,
};
use backscroll_history::{Ask, Filter, History};
use backscroll_model::{
    Attribution, Conversation, FindingKind, Flag, Fragment, Layer, Message, Part, Payload, Role, Surface,
};
use serde_json::json;

use crate::asked::fragments;

fn history(home: &Path) -> History {
    let found = find(&Where { home: Some(home.to_owned()), ..Where::default() });
    History::over(found.sources, found.findings)
}

fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// How often each text or call is in these messages. Calls are distinguished by tool and by what they are about:
/// layers spell the rest of the arguments differently.
fn pieces(messages: &[Message]) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for message in messages {
        for part in &message.parts {
            let piece = match part {
                Part::Text(text) => format!("{} {}", message.role.name(), bare(text)),
                Part::ToolCall(call) => {
                    let fields = call.arguments.iter().flat_map(Payload::text_fields);
                    let about = fields
                        .filter(|(key, _)| key.contains("path") || key.contains("file") || key == "command");
                    format!("call {} {:?}", call.name, about.map(|(_, value)| bare(&value)).next())
                }
                _ => continue,
            };
            *all.entry(piece).or_default() += 1;
        }
    }
    all
}

/// Every piece of every fragment is in the whole, exactly as often as in the fragment that has it most often.
fn is_union(whole: &Conversation, fragments: &[Fragment]) {
    let counted: Vec<BTreeMap<String, usize>> =
        fragments.iter().map(|fragment| pieces(&fragment.messages)).collect();
    let mut expected: BTreeMap<String, usize> = BTreeMap::new();
    for fragment in &counted {
        for (piece, count) in fragment {
            let most = expected.entry(piece.clone()).or_default();
            *most = (*most).max(*count);
        }
    }
    let merged = pieces(&whole.messages);
    let mixed = mixtures(&whole.messages);
    for (piece, count) in expected.iter().filter(|(piece, _)| !mixed.contains(*piece)) {
        let start: String = piece.chars().take(90).collect();
        assert_eq!(merged.get(piece), Some(count), "{}: {start}", whole.summary.id);
    }
    for piece in merged.keys() {
        assert!(expected.contains_key(piece), "{}: no layer has {piece}", whole.summary.id);
    }
}

/// What JSON lines write where they do not distinguish thoughts and words.
fn mixtures(messages: &[Message]) -> BTreeSet<String> {
    let mut mixed = BTreeSet::new();
    for message in messages {
        let thoughts = message.parts.iter().filter_map(|part| match part {
            Part::Thinking { text, .. } => Some(bare(text)),
            _ => None,
        });
        let (thoughts, words) = (thoughts.collect::<String>(), bare(&message.text()));
        mixed.insert(format!("assistant {thoughts}{words}"));
        mixed.insert(format!("assistant {words}{thoughts}"));
    }
    mixed
}

/// No message is more often in the whole than in the fragment that has it most often.
fn no_message_twice(whole: &Conversation, fragments: &[Fragment]) {
    let count = |messages: &[Message]| {
        let mut seen: BTreeMap<(Role, String), usize> = BTreeMap::new();
        for message in messages.iter().filter(|message| !message.text().trim().is_empty()) {
            *seen.entry((message.role, bare(&message.text()))).or_default() += 1;
        }
        seen
    };
    let counted: Vec<_> = fragments.iter().map(|fragment| count(&fragment.messages)).collect();
    for (message, times) in count(&whole.messages) {
        let most = counted.iter().filter_map(|fragment| fragment.get(&message)).max().copied().unwrap_or(1);
        assert!(times <= most, "{}: {times} times {}", whole.summary.id, message.1);
    }
}

#[test]
fn recorded_pairs_are_united_without_repeats() {
    for name in ["transcripts-jsonl-txt-pairs", "transcripts-json-txt-pair"] {
        let home = recorded_named(name).unwrap().copy_to_temp().unwrap();
        let history = history(home.path());
        let source =
            Transcripts::of_projects(&home.path().join(".cursor/projects"), Arc::new(KnownPaths::default()));
        let listed = history.list(&Ask::default()).summaries;
        assert!(!listed.is_empty());
        for summary in listed {
            let fragments = fragments(&source, summary.id.as_str());
            assert_eq!(fragments.len(), 2);
            let whole = history.load(&summary.id).unwrap();
            is_union(&whole, &fragments);
            no_message_twice(&whole, &fragments);
            let thoughts = |messages: &[Message]| {
                messages
                    .iter()
                    .flat_map(|one| &one.parts)
                    .filter(|part| matches!(part, Part::Thinking { .. }))
                    .count()
            };
            assert_eq!(
                thoughts(&whole.messages),
                thoughts(&fragments[0].messages).max(thoughts(&fragments[1].messages))
            );
        }
    }
}

fn talk<T: Speaks>(written: T) -> T {
    written
        .user("tidy up")
        .thinking("where to begin")
        .tool("Read", json!({ "path": "/home/dev/app/a.rs" }), json!("fn a() {}"))
        .assistant("Begun.")
        .user("go on")
        .tool("Shell", json!({ "command": "make" }), json!("ok"))
        .tool("Shell", json!({ "command": "make test" }), json!("ok"))
        .assistant("Done.")
}

fn texts(whole: &Conversation, role: Role) -> Vec<String> {
    let own = whole.messages.iter().filter(|message| message.role == role);
    own.map(Message::text).filter(|text| !text.is_empty()).collect()
}

fn is_there_once(whole: &Conversation) {
    assert_eq!(texts(whole, Role::User), ["tidy up", "go on"], "{:#?}", whole.findings);
    assert_eq!(texts(whole, Role::Assistant), ["Begun.", "Done."]);
    let calls: Vec<_> = whole.messages.iter().flat_map(Message::tool_calls).collect();
    let about: Vec<_> =
        calls.iter().map(|call| call.arguments.as_ref().unwrap().text_fields()[0].1.clone()).collect();
    assert_eq!(about, ["/home/dev/app/a.rs", "make", "make test"]);
    assert!(whole.coverage.adds_up());
    assert_eq!(whole.orphans, []);
}

fn layers(whole: &Conversation) -> BTreeSet<Layer> {
    whole.summary.origins.iter().map(|origin| origin.layer).collect()
}

#[test]
fn a_session_and_its_transcripts_are_one_conversation() {
    let home = CursorHome::new()
        .unwrap()
        .cli(talk(CliChat::new("/home/dev/app", "s1").named("Tidying").model("composer-2")))
        .transcript(talk(Transcript::new("/home/dev/app", "s1")))
        .transcript(talk(Transcript::new("/home/dev/app", "s1").dialect(Dialect::Text)))
        .transcript(talk(Transcript::new("/home/dev/app", "s1").dialect(Dialect::JsonArray)))
        .tracking(Tracking::new().line("s1", "elsewhere", "/home/dev/app/a.rs", "m"))
        .write()
        .unwrap();
    let history = history(home.root());
    let listed = history.list(&Ask::default()).summaries;
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].surface, listed[0].title.as_deref()), (Surface::Cli, Some("Tidying")));
    let whole = history.load(&"s1".into()).unwrap();
    is_there_once(&whole);
    let all = [
        Layer::CliStore,
        Layer::TranscriptJsonl,
        Layer::TranscriptJson,
        Layer::TranscriptText,
        Layer::Tracking,
    ];
    assert_eq!(layers(&whole), BTreeSet::from(all));
    let thoughts =
        whole.messages.iter().flat_map(|one| &one.parts).filter(|part| matches!(part, Part::Thinking { .. }));
    assert_eq!(thoughts.count(), 1);
    let answered = whole.messages.iter().flat_map(Message::tool_calls).all(|call| call.result.is_some());
    assert!(answered, "results come from the store");
    assert_eq!(whole.facts.files, ["/home/dev/app/a.rs"]);
}

#[test]
fn an_editor_conversation_and_its_transcript_are_one() {
    let composer = talk(Composer::new("c1").titled("Tidying"));
    let home = CursorHome::new()
        .unwrap()
        .global(StateDatabase::new().composer(&composer))
        .transcript(talk(Transcript::new("/home/dev/app", "c1")))
        .write()
        .unwrap();
    let history = history(home.root());
    let whole = history.load(&"c1".into()).unwrap();
    is_there_once(&whole);
    assert_eq!(whole.summary.surface, Surface::Ide);
    assert!(layers(&whole).contains(&Layer::TranscriptJsonl));
    let found = history.list(&Ask::default().with([Filter::Surface(vec![Surface::Transcript])]));
    assert_eq!(found.summaries, [], "it was held in the editor");
}

#[test]
fn an_agent_of_the_sdk_is_one_conversation_led_by_its_index() {
    let agent = talk(SdkAgent::new("agent-1").named("Tidier"));
    let home = CursorHome::new().unwrap().sdk(SdkStore::new("/home/dev/app").agent(agent)).write().unwrap();
    let history = history(home.root());
    let listed = history.list(&Ask::default()).summaries;
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].surface, listed[0].title.as_deref()), (Surface::Sdk, Some("Tidier")));
    let whole = history.load(&"agent-1".into()).unwrap();
    is_there_once(&whole);
    assert_eq!(whole.summary.origins[0].layer, Layer::SdkIndex);
    assert!(layers(&whole).contains(&Layer::CliStore));
    let thoughts =
        whole.messages.iter().flat_map(|one| &one.parts).filter(|part| matches!(part, Part::Thinking { .. }));
    assert_eq!(thoughts.count(), 1, "what index and transcript lack comes from the blobs");
    assert_eq!(whole.facts.tokens.map(|tokens| tokens.output), Some(340));
}

#[test]
fn two_folders_of_one_session_are_one_and_the_longer_leads() {
    let home = CursorHome::new()
        .unwrap()
        .cli(CliChat::new("/home/dev/other", "s1").named("Short").user("tidy up"))
        .cli(talk(CliChat::new("/home/dev/app", "s1").named("Long")))
        .write()
        .unwrap();
    let whole = history(home.root()).load(&"s1".into()).unwrap();
    is_there_once(&whole);
}

/// C061: the same id in two project folders is one conversation; the longer one leads.
#[test]
fn c061_one_transcript_in_two_projects_is_one_conversation() {
    let long = Transcript::new("/repo-a", "t").user("first").assistant("one").user("second").assistant("two");
    let short = Transcript::new("/repo-b", "t").user("first").assistant("one").user("second");
    let home = CursorHome::new().unwrap().transcript(short).transcript(long).write().unwrap();
    let history = history(home.root());
    let listed = history.list(&Ask::default()).summaries;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].origins.len(), 2, "both paths are kept");
    let whole = history.load(&"t".into()).unwrap();
    assert_eq!(texts(&whole, Role::User), ["first", "second"], "prompts are not added up");
    assert_eq!(texts(&whole, Role::Assistant), ["one", "two"]);
}

/// C025: of two conversations of the same time, the one with the smaller id comes first, in every run.
#[test]
fn c025_conversations_of_one_time_are_ordered_by_id() {
    let at = 1_747_412_764_075;
    let [b, a] =
        ["session-bbb-222", "session-aaa-111"].map(|id| Composer::new(id).started(at).user("hi").at(at));
    let home =
        CursorHome::new().unwrap().global(StateDatabase::new().composer(&b).composer(&a)).write().unwrap();
    for _ in 0..3 {
        let listed = history(home.root()).list(&Ask::default()).summaries;
        let ids: Vec<_> = listed.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["session-aaa-111", "session-bbb-222"]);
    }
}

/// A plan, and output that spilled, belong to the conversation that names them, wherever that was held; a transcript
/// beside it does not double them.
#[test]
fn plans_and_spilled_output_go_to_the_editor_and_the_command_line_alike() {
    let spilled = "0f0e0d0c-0000-4000-8000-000000000001.txt";
    let named = format!("too long, see /home/dev/.cursor/projects/home-dev-app/agent-tools/{spilled}");
    let planned = json!({ "name": "Tidy up", "plan": "# Tidy up" });
    let composer = Composer::new("c1")
        .user("make a plan")
        .tool("create_plan", planned.clone(), json!({ "ok": true }))
        .tool("run_terminal_command_v2", json!({ "command": "make" }), json!({ "output": named }))
        .assistant("Done.");
    let session = CliChat::new("/home/dev/app", "s1")
        .user("make a plan")
        .tool("CreatePlan", planned.clone(), json!("ok"))
        .tool("Shell", json!({ "command": "make" }), json!(named))
        .assistant("Done.");
    let transcript = Transcript::new("/home/dev/app", "s1")
        .user("make a plan")
        .tool("CreatePlan", planned, json!(null))
        .tool("Shell", json!({ "command": "make" }), json!(null))
        .assistant("Done.");
    let home = CursorHome::new()
        .unwrap()
        .global(StateDatabase::new().composer(&composer))
        .cli(session)
        .transcript(transcript)
        .file(
            ".cursor/plans/tidy_up_0a1b2c3d.plan.md",
            "---\nname: Tidy up\noverview: all\n---\n\n# Tidy up\n",
        )
        .file(format!(".cursor/projects/home-dev-app/agent-tools/{spilled}"), "a long story\n")
        .write()
        .unwrap();
    let history = history(home.root());
    for id in ["c1", "s1"] {
        let whole = history.load(&id.into()).unwrap();
        let attached =
            whole.messages.iter().flat_map(|message| &message.parts).filter_map(|part| match part {
                Part::Attachment(one) => one.path.as_deref().and_then(|path| path.rsplit('/').next()),
                _ => None,
            });
        let mut attached: Vec<_> = attached.collect();
        attached.sort_unstable();
        assert_eq!(attached, [spilled, "tidy_up_0a1b2c3d.plan.md"], "{id}");
    }
}

/// Lines that name a request, and no conversation, still give that request's messages a model.
#[test]
fn a_request_that_was_watched_alone_names_its_model() {
    let composer =
        Composer::new("c1").era(Era::V3).user("hi").with("requestId", json!("r1")).assistant("Hello.");
    let tracked = Tracking::new().line("", "r1", "/home/dev/app/a.rs", "gpt-5");
    let home = CursorHome::new()
        .unwrap()
        .global(StateDatabase::new().composer(&composer))
        .tracking(tracked)
        .write()
        .unwrap();
    let whole = history(home.root()).load(&"c1".into()).unwrap();
    let named: Vec<_> = whole.messages.iter().filter(|one| one.request_id.as_deref() == Some("r1")).collect();
    assert!(!named.is_empty() && named.iter().all(|one| one.model.as_deref() == Some("gpt-5")), "{named:?}");
    assert!(whole.facts.files.contains(&"/home/dev/app/a.rs".to_owned()));
}

#[test]
fn what_only_one_transcript_has_is_kept_and_reported() {
    let more = talk(Transcript::new("/home/dev/app", "t").dialect(Dialect::Text))
        .user("and more")
        .assistant("More.");
    let home = CursorHome::new()
        .unwrap()
        .transcript(talk(Transcript::new("/home/dev/app", "t")))
        .transcript(more)
        .write()
        .unwrap();
    let whole = history(home.root()).load(&"t".into()).unwrap();
    assert_eq!(texts(&whole, Role::User), ["tidy up", "go on", "and more"]);
    assert_eq!(texts(&whole, Role::Assistant), ["Begun.", "Done.", "More."]);
    assert!(whole.findings.iter().any(|one| one.kind == FindingKind::OneSided));
}

#[test]
fn subagents_are_hidden_under_their_parents() {
    let parent = Transcript::new("/home/dev/app", "parent")
        .user("look into it")
        .tool("Task", json!({ "description": "look", "prompt": "look around" }), json!(null))
        .assistant("Looked.");
    let child = Transcript::new("/home/dev/app", "child")
        .subagent_of("parent")
        .user("look around")
        .assistant("Seen.");
    let home = CursorHome::new().unwrap().transcript(parent).transcript(child).write().unwrap();
    let history = history(home.root());
    let ids = |query: &Ask| {
        let listed = history.list(query).summaries;
        listed
            .into_iter()
            .map(|one| (one.id.as_str().to_owned(), one.flags.contains(&Flag::Subagent)))
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(ids(&Ask::default()), BTreeSet::from([("parent".to_owned(), false)]));
    let all = BTreeSet::from([("parent".to_owned(), false), ("child".to_owned(), true)]);
    assert_eq!(ids(&Ask::everything()), all);
    let whole = history.load(&"parent".into()).unwrap();
    assert_eq!(whole.summary.children, ["child".into()]);
    let started = whole.messages.iter().flat_map(Message::tool_calls).find_map(|call| call.child.clone());
    assert_eq!(started.as_deref(), Some("child"));
}

#[test]
fn a_subagent_inside_of_a_store_is_found_by_its_id() {
    let inner = CliChat::new("/home/dev/app", "inner").user("look around").assistant("Seen.");
    let state = Proto::new().bytes(1, &inner.graph().root());
    let entry = Proto::new().text(1, "inside-1").message(2, &state);
    let mut parent = talk(CliChat::new("/home/dev/app", "s1")).root_fields(Proto::new().message(16, &entry));
    for (_, bytes) in inner.graph().blobs() {
        parent = parent.stale_blob(bytes.clone());
    }
    let home = CursorHome::new().unwrap().cli(parent).write().unwrap();
    let history = history(home.root());
    assert_eq!(history.list(&Ask::default()).summaries.len(), 1);
    assert_eq!(history.list(&Ask::everything()).summaries.len(), 2);
    let id = history.resolve("inside").unwrap();
    let whole = history.load(&id).unwrap();
    assert_eq!((whole.summary.parent, whole.summary.surface), (Some("s1".into()), Surface::Cli));
}

#[test]
fn tracking_alone_is_no_conversation() {
    let rows = Tracking::new()
        .line("ghost", "r", "/home/dev/app/a.rs", "composer-2")
        .line("t", "r", "/home/dev/app/src/a.rs", "composer-2")
        .line("t", "r", "/home/dev/app/docs/b.md", "composer-2");
    let transcript = Transcript::in_slug("1742568473491", "t").user("hi").assistant("Hi.");
    let home = CursorHome::new().unwrap().tracking(rows).transcript(transcript).write().unwrap();
    let history = history(home.root());
    assert!(history.load(&"ghost".into()).is_err());
    let listed = history.list(&Ask::default()).summaries;
    assert_eq!(listed.len(), 1);
    let by = |workspace: &Option<backscroll_model::Workspace>| {
        workspace.as_ref().map(|one| (one.path.clone(), one.by))
    };
    let expected = Some(("/home/dev/app".to_owned(), Attribution::Tracking));
    assert_eq!(by(&listed[0].workspace), expected);
    let whole = history.load(&"t".into()).unwrap();
    assert_eq!(
        (by(&whole.summary.workspace), whole.summary.models),
        (expected, vec!["composer-2".to_owned()])
    );
}

#[test]
fn a_request_that_was_watched_names_the_model_of_its_messages() {
    let composer = Composer::new("c1")
        .user("hi")
        .with("requestId", json!("r1"))
        .assistant("Hi.")
        .with("requestId", json!("r1"));
    let home = CursorHome::new()
        .unwrap()
        .global(StateDatabase::new().composer(&composer))
        .tracking(Tracking::new().line("c1", "r1", "a.rs", "composer-2"))
        .write()
        .unwrap();
    let whole = history(home.root()).load(&"c1".into()).unwrap();
    let named = whole.messages.iter().filter(|message| message.request_id.as_deref() == Some("r1"));
    assert!(named.clone().count() > 0);
    for message in named {
        assert!(message.model.is_some(), "{message:?}");
    }
}
