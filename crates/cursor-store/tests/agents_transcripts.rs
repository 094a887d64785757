//! Transcripts: recorded ones, and built ones in every dialect and place.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use backscroll_cursor_store::{KnownPaths, Transcripts, Where, find, work};
use backscroll_fixtures::{
    CliChat, CursorHome, Dialect, Speaks, Transcript, behaves_like_a_source, recorded, recorded_named,
    snapshot_of,
};
use backscroll_history::History;
use backscroll_model::{
    Attribution, ConversationId, Finding, FindingKind, Flag, FragmentKind, Layer, Message, Part, Source as _,
    Surface,
};
use serde_json::json;

use crate::asked::{fragments, listing};

fn projects(home: &Path) -> Transcripts {
    let known = KnownPaths::new(Vec::new(), vec![home.join(".cursor/chats")], Vec::new(), Arc::default());
    Transcripts::of_projects(&home.join(".cursor/projects"), Arc::new(known))
}

#[test]
fn every_recorded_file_is_read() {
    let mut seen = 0;
    for store in recorded().unwrap().into_iter().filter(|store| store.name.starts_with("transcripts-")) {
        let home = store.copy_to_temp().unwrap();
        let before = snapshot_of(home.path()).unwrap();
        let source = projects(home.path());
        behaves_like_a_source(&source);
        let number = |key: &str| usize::try_from(store.expected[key].as_integer().unwrap()).unwrap();
        let (summaries, findings) = listing(&source);
        assert_eq!(findings, []);
        let is_child = |flags: &BTreeSet<Flag>| flags.contains(&Flag::Subagent);
        let children = summaries.iter().filter(|one| is_child(&one.flags)).count();
        assert_eq!(children, number("subagent_files"), "{}", store.name);
        assert_eq!(summaries.len() - children, number("conversations"), "{}", store.name);
        assert!(summaries.iter().all(|one| one.title.is_some() && one.surface == Surface::Transcript));
        let read = summaries.iter().flat_map(|one| fragments(&source, one.id.as_str()));
        let accounts = read.filter(|fragment| fragment.kind == FragmentKind::Account).count();
        assert_eq!(accounts, number("files"), "one account for each file of {}", store.name);
        assert_eq!(snapshot_of(home.path()).unwrap(), before, "reading changes nothing");
        seen += 1;
    }
    assert_eq!(seen, 4);
}

#[test]
fn a_recorded_subagent_is_linked_to_the_call_that_started_it() {
    let home = recorded_named("transcripts-parent-subagent").unwrap().copy_to_temp().unwrap();
    let source = projects(home.path());
    let (parent, child) = (
        ConversationId::new("97ce4cdf-41e3-4009-8776-4ee37c49ba72"),
        ConversationId::new("2ff315a8-20a0-4df6-a77b-c827ebdbffd1"),
    );
    let read = fragments(&source, parent.as_str()).remove(0);
    assert_eq!(read.summary.children, std::slice::from_ref(&child));
    let calls: Vec<_> =
        read.messages.iter().flat_map(Message::tool_calls).filter_map(|call| call.child.clone()).collect();
    assert_eq!(calls, [child.as_str()]);
    let subagent = fragments(&source, child.as_str()).remove(0);
    assert_eq!(subagent.summary.parent, Some(parent.clone()));
    assert!(subagent.summary.flags.contains(&Flag::Subagent));
    let (summaries, _) = listing(&source);
    let listed = summaries.iter().find(|one| one.id == parent).unwrap();
    assert_eq!(listed.children, [child]);
    assert_eq!(listed.workspace, None, "an empty window has no folder");
}

fn talk(transcript: Transcript) -> Transcript {
    transcript
        .user("tidy up")
        .tool("Read", json!({ "path": "/home/dev/my.app/src/lib.rs" }), json!("fn main() {}"))
        .assistant("Done.")
}

#[test]
fn all_dialects_and_places() {
    let bare = talk(Transcript::new("/x", "bare"));
    let home = CursorHome::new()
        .unwrap()
        .transcript(talk(Transcript::new("/home/dev/my.app", "text").dialect(Dialect::Text)))
        .transcript(talk(Transcript::new("/home/dev/my.app", "array").dialect(Dialect::JsonArray)))
        .transcript(talk(Transcript::new("/home/dev/my.app", "flat").dialect(Dialect::FlatLines)))
        .transcript(talk(Transcript::new("/home/dev/my.app", "nested")))
        .transcript(talk(Transcript::new("/home/dev/my.app", "twice")))
        .transcript(talk(Transcript::new("/home/dev/other", "twice")))
        .file(".cursor/projects/agent-transcripts/bare/bare.jsonl", bare.content())
        .write()
        .unwrap();
    let source = projects(home.root());
    behaves_like_a_source(&source);
    let (summaries, _) = listing(&source);
    let ids: Vec<_> = summaries.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["array", "bare", "flat", "nested", "text", "twice"]);
    assert!(summaries.iter().all(|one| one.title.as_deref() == Some("tidy up")));
    let layers: Vec<_> = ["text", "array", "flat", "nested"]
        .map(|id| fragments(&source, id)[0].messages[0].origin.layer)
        .into();
    assert_eq!(
        layers,
        [Layer::TranscriptText, Layer::TranscriptJson, Layer::TranscriptJsonl, Layer::TranscriptJsonl]
    );
    assert_eq!(fragments(&source, "twice").len(), 2);
    let workspace = fragments(&source, "flat")[0].summary.workspace.clone().unwrap();
    assert_eq!((workspace.path.as_str(), workspace.by), ("/home/dev/my.app", Attribution::Slug));
    assert_eq!(fragments(&source, "bare")[0].summary.workspace, None);
}

#[test]
fn a_slug_is_turned_back_by_evidence_alone() {
    let talk = |id: &str| Transcript::new("/home/dev/my.app", id).user("hi").assistant("Hi.");
    let listed = |home: &backscroll_fixtures::WrittenHome| {
        let (summaries, _) = listing(&projects(home.root()));
        summaries[0].workspace.clone().map(|workspace| (workspace.path, workspace.by))
    };
    let nothing = CursorHome::new().unwrap().transcript(talk("a")).write().unwrap();
    assert_eq!(listed(&nothing), None);
    let trusted = json!({ "workspacePath": "/home/dev/my_app" }).to_string();
    let home = CursorHome::new()
        .unwrap()
        .transcript(talk("a"))
        .file(".cursor/projects/home-dev-my-app/.workspace-trusted", trusted)
        .write()
        .unwrap();
    assert_eq!(listed(&home), Some(("/home/dev/my_app".to_owned(), Attribution::StoreFolder)));
    let session = CliChat::new("/home/dev/my.app", "s").user("hi");
    let home = CursorHome::new().unwrap().transcript(talk("a")).cli(session.clone()).write().unwrap();
    assert_eq!(listed(&home), Some(("/home/dev/my.app".to_owned(), Attribution::Slug)));
    let other = CliChat::new("/home/dev/my-app", "t").user("hi");
    let home = CursorHome::new().unwrap().transcript(talk("a")).cli(session).cli(other).write().unwrap();
    assert_eq!(listed(&home), None, "two folders with this slug prove nothing");
}

#[test]
fn a_prompt_behind_many_records_is_found() {
    let mut lines = String::new();
    for number in 0..11 {
        lines.push_str(
            &json!({ "type": "progress", "number": number, "data": "x".repeat(9_000) }).to_string(),
        );
        lines.push('\n');
    }
    lines.push_str("{ \"role\" : \"user\", \"message\" : { \"content\" : [ { \"type\" : \"text\", \"text\" : \"Inspect the delayed prompt\" } ] } }\n");
    let home = CursorHome::new()
        .unwrap()
        .file(".cursor/projects/p/agent-transcripts/late/late.jsonl", lines)
        .write()
        .unwrap();
    let (summaries, _) = listing(&projects(home.root()));
    assert_eq!(summaries[0].title.as_deref(), Some("Inspect the delayed prompt"));
}

#[test]
fn a_transcript_that_is_being_written_gives_what_is_complete() {
    let whole = talk(Transcript::new("/home/dev/app", "live").still_running());
    let text = whole.content();
    let cut = &text[..text.len() - 20];
    let home = CursorHome::new()
        .unwrap()
        .file(Path::new(".cursor/projects").join(whole.path()), cut)
        .write()
        .unwrap();
    let source = projects(home.root());
    behaves_like_a_source(&source);
    let read = fragments(&source, "live").remove(0);
    assert_eq!(read.messages.len(), 2);
    assert!(read.findings.iter().any(|one| one.kind == FindingKind::Incomplete), "{:?}", read.findings);
}

#[test]
fn an_endless_subagent_is_cut_off_and_its_parent_reads_only_its_beginning() {
    let home = recorded_named("transcripts-parent-subagent").unwrap().copy_to_temp().unwrap();
    let source = projects(home.path());
    let (parent, child) = ("97ce4cdf-41e3-4009-8776-4ee37c49ba72", "2ff315a8-20a0-4df6-a77b-c827ebdbffd1");
    let catalogued = |store: &Path| source.catalogue(store, None).unwrap().findings;
    let stores = source.stores().value;
    let store = stores.iter().find(|store| store.path.to_string_lossy().contains(child)).unwrap();
    assert_eq!(catalogued(&store.path), []);
    let file = std::fs::File::options().append(true).open(&store.path).unwrap();
    file.set_len(10 << 30).unwrap();
    let finding = catalogued(&store.path).remove(0);
    assert_eq!(finding.kind, FindingKind::TooLarge, "a listing says so");
    let before = work::done();
    let read = fragments(&source, parent).remove(0);
    assert!(before.since().bytes < 64 << 20, "{:?}", before.since());
    let calls: Vec<_> =
        read.messages.iter().flat_map(Message::tool_calls).filter_map(|call| call.child.as_deref()).collect();
    assert_eq!(calls, [child]);
    let before = work::done();
    let read = fragments(&source, child);
    assert!(before.since().bytes < 200 << 20, "{:?}", before.since());
    let is_told = |finding: &Finding| finding.kind == FindingKind::TooLarge;
    assert_eq!(read[0].findings.iter().filter(|finding| is_told(finding)).count(), 1);
}

#[test]
fn spilled_output_goes_to_the_call_that_names_it() {
    let name = "0f0e0d0c-0000-4000-8000-000000000001.txt";
    let transcript = Transcript::new("/home/dev/app", "t")
        .user("run it")
        .tool(
            "Read",
            json!({ "path": format!("/home/dev/.cursor/projects/home-dev-app/agent-tools/{name}") }),
            json!(null),
        )
        .assistant("Long.");
    let home = CursorHome::new()
        .unwrap()
        .transcript(transcript)
        .file(format!(".cursor/projects/home-dev-app/agent-tools/{name}"), "a long story\n")
        .file(".cursor/projects/lonely/agent-tools/ffffffff-0000-4000-8000-000000000001.txt", "whose?")
        .write()
        .unwrap();
    let source = projects(home.root());
    behaves_like_a_source(&source);
    let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
    let whole = History::over(found.sources, found.findings).load(&"t".into()).unwrap();
    let outputs = whole.messages.iter().flat_map(|message| &message.parts).filter_map(|part| match part {
        Part::Attachment(one) => one.text.clone(),
        _ => None,
    });
    assert_eq!(outputs.collect::<Vec<_>>(), ["a long story\n"]);
    let (_, findings) = listing(&source);
    assert_eq!(findings.len(), 1);
    assert!(findings[0].says.starts_with("1 files of spilled output"), "{findings:?}");
}
