//! The ledger of hooks: appended by many, read at any moment.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use backscroll_cursor_store::{FileCache, HookLedger, Where, find, find_with};
use backscroll_fixtures::{behaves_like_a_source, hook_payload};
use backscroll_model::{ConversationId, FindingKind, Fragment, FragmentKind, Layer, Source};
use jiff::Timestamp;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::asked::fragments;

/// Every event that Cursor runs hooks for.
const EVENTS: [&str; 21] = [
    "sessionStart",
    "sessionEnd",
    "preToolUse",
    "postToolUse",
    "postToolUseFailure",
    "subagentStart",
    "subagentStop",
    "beforeShellExecution",
    "afterShellExecution",
    "beforeMCPExecution",
    "afterMCPExecution",
    "beforeReadFile",
    "afterFileEdit",
    "beforeTabFileRead",
    "afterTabFileEdit",
    "beforeSubmitPrompt",
    "afterAgentResponse",
    "afterAgentThought",
    "preCompact",
    "stop",
    "workspaceOpen",
];

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_794_000_000 + second).unwrap()
}

fn append(data: &Path, payload: &Json, second: i64) {
    HookLedger::append(data, payload.to_string().as_bytes(), at(second), false).unwrap();
}

fn ledger(data: &Path) -> HookLedger {
    HookLedger::in_data(data).unwrap()
}

fn months(data: &Path) -> Vec<String> {
    let mut files: Vec<_> =
        fs::read_dir(data.join("hooks")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| fs::read_to_string(file).unwrap()).collect()
}

/// What the catalogues of all files say is wrong.
fn findings(source: &dyn Source) -> Vec<FindingKind> {
    let stores = source.stores().value.into_iter();
    let found = stores.flat_map(|store| source.catalogue(&store.path, None).unwrap().findings);
    found.map(|finding| finding.kind).collect()
}

#[test]
fn every_event_is_kept_without_its_words() {
    let data = tempfile::tempdir().unwrap();
    for (second, event) in (0..).zip(EVENTS) {
        append(data.path(), &hook_payload(event, "c", "g"), second);
    }
    let kept = months(data.path()).concat();
    assert_eq!(kept.lines().count(), EVENTS.len());
    for (line, event) in kept.lines().zip(EVENTS) {
        let line: Json = serde_json::from_str(line).unwrap();
        assert_eq!(line["payload"]["hook_event_name"], json!(event));
        assert_eq!(line["payload"]["conversation_id"], json!("c"));
    }
    for words in
        ["tide", "look", "secret", "example.invalid", "/home/dev", "no such file", "old_string", "ls\""]
    {
        assert!(!kept.to_lowercase().contains(words), "{words} in {kept}");
    }
    assert!(
        kept.contains("\"prompt\":30") && kept.contains("\"modified_files\":1"),
        "sizes are kept: {kept}"
    );
    let source = ledger(data.path());
    behaves_like_a_source(&source);
    let loaded = fragments(&source, "c").remove(0);
    assert_eq!((loaded.kind, loaded.layer()), (FragmentKind::Evidence, Layer::Hooks));
    assert_eq!(loaded.summary.children, [ConversationId::new("child-1")]);
    let turn = &loaded.facts.requests[0];
    let tokens = turn.tokens.unwrap();
    assert_eq!(
        (tokens.input, tokens.output, tokens.cache_read, tokens.cache_write),
        (1200, 340, Some(9000), Some(64))
    );
    assert_eq!((turn.asked_at, turn.answered_at), (Some(at(15)), Some(at(19))));
    assert_eq!(fragments(&source, "child-1").remove(0).summary.parent, Some(ConversationId::new("c")));

    let whole = tempfile::tempdir().unwrap();
    for event in EVENTS {
        let payload = hook_payload(event, "c", "g").to_string();
        HookLedger::append(whole.path(), payload.as_bytes(), at(0), true).unwrap();
    }
    let kept = months(whole.path()).concat();
    assert!(kept.contains("Write the tide table\\nfor today") && !kept.contains("example.invalid"));
    behaves_like_a_source(&ledger(whole.path()));
}

#[test]
fn what_two_write_at_once_is_whole_and_can_be_read_meanwhile() {
    const EACH: i64 = 500;
    let data = tempfile::tempdir().unwrap();
    append(data.path(), &hook_payload("sessionStart", "c", "g"), 0);
    let is_done = Arc::new(AtomicBool::new(false));
    thread::scope(|scope| {
        let writers: Vec<_> = (0..2)
            .map(|writer| {
                let data = data.path();
                scope.spawn(move || {
                    for number in 0..EACH {
                        let generation = format!("g{writer}-{number}");
                        append(data, &hook_payload("stop", "c", &generation), number);
                    }
                })
            })
            .collect();
        let reader = scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                let kinds = findings(&ledger(data.path()));
                assert!(kinds.iter().all(|kind| *kind == FindingKind::Incomplete), "{kinds:?}");
            }
        });
        for writer in writers {
            writer.join().unwrap();
        }
        is_done.store(true, Ordering::Relaxed);
        reader.join().unwrap();
    });
    let source = ledger(data.path());
    assert_eq!(findings(&source), []);
    assert_eq!(fragments(&source, "c").remove(0).facts.requests.len(), 2 * 500);
}

#[test]
fn ten_thousand_in_a_row_are_all_there_once() {
    let data = tempfile::tempdir().unwrap();
    for number in 0..10_000_i64 {
        let conversation = format!("c{}", number % 100);
        append(data.path(), &hook_payload("stop", &conversation, &format!("g{number}")), number);
        if number % 10 == 0 {
            append(data.path(), &hook_payload("stop", &conversation, &format!("g{number}")), number + 1);
        }
    }
    let source = ledger(data.path());
    let stores = source.stores().value;
    let entries = source.catalogue(&stores[0].path, None).unwrap().entries;
    assert_eq!(entries.len(), 100);
    let all: Vec<Fragment> = (0..100).flat_map(|number| fragments(&source, &format!("c{number}"))).collect();
    let turns = all.iter().flat_map(|one| &one.facts.requests);
    assert_eq!(turns.clone().count(), 10_000);
    assert_eq!(turns.filter_map(|turn| turn.tokens).map(|tokens| tokens.input).sum::<u64>(), 12_000_000);
}

#[test]
fn a_line_that_could_not_be_finished_costs_itself_alone() {
    let data = tempfile::tempdir().unwrap();
    append(data.path(), &hook_payload("stop", "c", "g1"), 0);
    let file = fs::read_dir(data.path().join("hooks")).unwrap().next().unwrap().unwrap().path();
    let whole = fs::read(&file).unwrap();
    fs::write(&file, [&whole[..], &whole[..whole.len() / 2]].concat()).unwrap();
    assert_eq!(findings(&ledger(data.path())), [FindingKind::Incomplete]);
    append(data.path(), &hook_payload("stop", "c", "g2"), 1);
    let source = ledger(data.path());
    behaves_like_a_source(&source);
    assert_eq!(findings(&source), [FindingKind::Undecodable]);
    assert_eq!(fragments(&source, "c").remove(0).facts.requests.len(), 2);
}

#[test]
fn each_month_has_a_file_and_only_the_last_one_changes() {
    let data = tempfile::tempdir().unwrap();
    append(data.path(), &hook_payload("stop", "c", "g1"), 0);
    append(data.path(), &hook_payload("stop", "c", "g2"), 40 * 86_400);
    let source = ledger(data.path());
    behaves_like_a_source(&source);
    let before = source.stores().value;
    assert_eq!(before.len(), 2);
    append(data.path(), &hook_payload("stop", "d", "g3"), 40 * 86_400 + 1);
    let after = ledger(data.path()).stores().value;
    assert_eq!(before[0], after[0]);
    assert_ne!(before[1].stamp, after[1].stamp);
    assert_eq!(fragments(&source, "c").len(), 2, "one for each month");
}

#[cfg(unix)]
#[test]
fn what_cannot_be_written_is_an_error_and_the_ledger_is_private() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let data = tempfile::tempdir().unwrap();
    append(data.path(), &hook_payload("stop", "c", "g"), 0);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = data.path().join("hooks");
    let file = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
    // A link, to a device or a file.
    let linked = tempfile::tempdir().unwrap();
    fs::create_dir(linked.path().join("hooks")).unwrap();
    symlink("/dev/full", linked.path().join("hooks").join(file.file_name().unwrap())).unwrap();
    let payload = hook_payload("stop", "c", "g").to_string();
    let error = HookLedger::append(linked.path(), payload.as_bytes(), at(0), false).unwrap_err();
    assert!(error.to_string().contains("is not a file but a link"), "{error}");
    // A folder that is none.
    let odd = tempfile::NamedTempFile::new().unwrap();
    assert!(HookLedger::append(odd.path(), payload.as_bytes(), at(0), false).is_err());
    assert!(HookLedger::in_data(odd.path()).is_none());
}

#[test]
fn it_is_found_where_our_data_lies_and_nowhere_else() {
    let data = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    let asked = |data: Option<&Path>| {
        let asked =
            Where { home: Some(home.path().to_owned()), data: data.map(Path::to_owned), ..Where::default() };
        find(&asked).sources.iter().filter(|source| source.id().layer == Layer::Hooks).count()
    };
    assert_eq!(asked(Some(data.path())), 0, "there is none yet");
    append(data.path(), &hook_payload("stop", "c", "g"), 0);
    assert_eq!((asked(Some(data.path())), asked(None)), (1, 0));
}

#[test]
fn a_folder_that_is_not_there_yet_is_among_those_that_are_looked_at() {
    let data = TempDir::new().unwrap();
    let files = Arc::new(FileCache::default());
    let asked = Where {
        stores: vec![data.path().join("none")],
        data: Some(data.path().to_owned()),
        ..Where::default()
    };
    find_with(&asked, &files);
    let looked_at = files.searched_folders();
    assert!(
        looked_at.iter().any(|(folder, _)| *folder == HookLedger::folder_in(data.path())),
        "{looked_at:?}"
    );
}
