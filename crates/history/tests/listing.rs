//! What a listing shows and hides, which title a conversation has, and which one is meant by what a user types.

use std::path::Path;

use backscroll_cursor_store::{Where, find};
use backscroll_fixtures::{
    Composer, CursorHome, MemorySource, SearchIndex, Speaks, StateDatabase, WorkspaceFolder, WrittenHome,
    recorded_named,
};
use backscroll_history::{Ask, AskError, Filter, History};
use backscroll_model::{FindingKind, Flag, Fragment, Layer, Message, Origin, Part, Role, Summary, Surface};
use serde_json::{Value as Json, json};

use crate::home::{all, ask, history_of, load};

fn composer(id: &str) -> Composer {
    Composer::new(id).user("one").assistant("two")
}

#[test]
fn what_is_hidden_is_hidden_unless_all_is_asked_for() {
    let global = StateDatabase::new()
        .composer(&composer("shown"))
        .composer(&Composer::new("empty"))
        .composer(&Composer::new("draft-1").set("isDraft", json!(true)).set("text", json!("not sent")))
        .composer(&composer("archived").set("isArchived", json!(true)))
        .composer(&composer("child").subagent_of("shown", "tool_1", "explore"))
        .composer(&composer("task-tool_1"))
        .composer(&composer("best").set("isBestOfNSubcomposer", json!(true)));
    let gone = composer("gone");
    let home = CursorHome::new()
        .unwrap()
        .global(global)
        .backup(StateDatabase::new().composer(&gone))
        .write()
        .unwrap();
    ask(home.root(), |history| {
        let ids = |query: &Ask| {
            let mut ids: Vec<_> =
                history.list(query).summaries.iter().map(|summary| summary.id.as_str().to_owned()).collect();
            ids.sort();
            ids
        };
        assert_eq!(ids(&Ask::default()), ["best", "shown"]);
        let everything = ["archived", "best", "child", "draft-1", "empty", "gone", "shown", "task-tool_1"];
        assert_eq!(ids(&Ask::everything()), everything);
        let parent = all(history).into_iter().find(|summary| summary.id.as_str() == "child").unwrap().parent;
        assert_eq!(parent, Some("shown".into()));
        let flags = |id: &str| load(history, id).summary.flags;
        assert_eq!(flags("archived").into_iter().collect::<Vec<_>>(), [Flag::Archived]);
        assert_eq!(flags("gone").into_iter().collect::<Vec<_>>(), [Flag::Deleted]);
        assert!(flags("empty").contains(&Flag::Empty) && flags("draft-1").contains(&Flag::Draft));
    });
}

#[test]
fn a_home_of_empty_conversations_shows_none() {
    let copy = recorded_named("profile-mostly-empty-chats").unwrap().copy_to_temp().unwrap();
    ask(copy.path(), |history| {
        assert!(history.list(&Ask::default()).summaries.is_empty());
        assert_eq!(all(history).len(), 314);
    });
}

/// A workspace's database that lists conversations with these names, begun and changed at these times.
fn listing_of(heads: &[(&str, Option<&str>, i64, i64)]) -> StateDatabase {
    let heads = heads.iter().map(|(id, name, begun, changed)| {
        json!({ "type": "head", "composerId": id, "name": name, "createdAt": begun, "lastUpdatedAt": changed,
            "unifiedMode": "agent" })
    });
    StateDatabase::new().item("composer.composerData", json!({ "allComposers": heads.collect::<Vec<_>>() }))
}

#[test]
fn a_chat_with_a_name_whose_record_is_gone_is_lost_and_not_empty() {
    let (begun, changed) = (1_734_000_000_000, 1_734_000_100_000);
    let heads = [
        ("lost", Some("Tide tables"), begun, changed),
        ("unnamed", None, begun, changed),
        ("unused", Some("Never used"), begun, begun),
        ("there", Some("Has a record"), begun, changed),
        ("removed", Some("Deleted in Cursor"), begun, changed),
        ("spoken", Some("Only bubbles"), begun, changed),
    ];
    let global = StateDatabase::new()
        .composer(&Composer::new("there"))
        .kv("composerData:removed", backscroll_fixtures::Value::Null)
        .kv("bubbleId:spoken:b1", json!({ "_v": 2, "type": 1, "bubbleId": "b1", "text": "Hello" }));
    let folder = WorkspaceFolder::new("0123abcd").folder("file:///home/a/app").without_list();
    let home = CursorHome::new().unwrap().global(global).workspace(folder).write().unwrap();
    listing_of(&heads).write_to(&home.workspace_dir("0123abcd").join("state.vscdb")).unwrap();
    ask(home.root(), |history| {
        let listing = history.list(&Ask::everything());
        let flags: Vec<_> = listing.summaries.iter().map(|one| (one.id.as_str(), &one.flags)).collect();
        for (id, flags) in flags {
            let expected: &[Flag] = match id {
                "lost" => &[Flag::Lost],
                "removed" => &[Flag::Empty, Flag::Deleted],
                "spoken" => &[Flag::Deleted],
                _ => &[Flag::Empty],
            };
            assert_eq!(flags, &expected.iter().copied().collect(), "{id} listed");
            assert_eq!(&load(history, id).summary.flags, flags, "{id} loaded");
        }
        assert_eq!(listing.summaries.len(), heads.len());
        let shown = history.list(&Ask::default()).summaries;
        assert_eq!(shown.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["lost"]);
        let of_lost = |findings: &[backscroll_model::Finding]| {
            let is_it = |finding: &&backscroll_model::Finding| finding.kind == FindingKind::DanglingReference;
            findings.iter().filter(is_it).count()
        };
        assert_eq!((of_lost(&listing.findings), of_lost(&load(history, "lost").findings)), (1, 1));
        assert!(listing.findings.iter().all(|finding| finding.kind != FindingKind::MissingStore));
    });
}

#[test]
fn a_home_without_the_database_that_its_workspaces_rely_on_says_so_once() {
    let home = CursorHome::new().unwrap();
    let home = ["a", "b"].into_iter().fold(home, |home, id| {
        home.workspace(WorkspaceFolder::new(id).folder(&format!("file:///home/{id}")).without_list())
    });
    let home = home.write().unwrap();
    for id in ["a", "b"] {
        let lost = [(id, Some("Named"), 1_734_000_000_000, 1_734_000_100_000)];
        listing_of(&lost).write_to(&home.workspace_dir(id).join("state.vscdb")).unwrap();
    }
    ask(home.root(), |history| {
        let listing = history.list(&Ask::default());
        assert_eq!(listing.summaries.len(), 2);
        let gone: Vec<_> = listing.findings.iter().filter(|finding| finding.is_loss()).collect();
        let [gone] = gone[..] else { panic!("{gone:?}") };
        assert_eq!(gone.kind, FindingKind::MissingStore);
        assert!(gone.at.file.ends_with("globalStorage/state.vscdb"), "{gone:?}");
    });
    // A workspace's database alone says nothing of what a home lacks.
    let named = home.workspace_dir("a").join("state.vscdb");
    let found = find(&Where { stores: vec![named], ..Where::default() });
    let listing = History::over(found.sources, found.findings).list(&Ask::everything());
    assert_eq!(listing.summaries[0].flags.iter().copied().collect::<Vec<_>>(), [Flag::Empty]);
    assert!(listing.findings.is_empty(), "{:?}", listing.findings);
}

/// One database that stands alone may be a global one or a workspace's: what both would read is read once.
#[test]
fn what_a_database_that_stands_alone_holds_is_read_once() {
    let database = StateDatabase::new()
        .item("aiService.prompts", json!([{ "text": "Where is the tide table?", "commandType": 4 }]));
    let folder = tempfile::tempdir().unwrap();
    let named = |below: &str| {
        let file = folder.path().join(below).join("state.vscdb");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        database.write_to(&file).unwrap();
        let found = find(&Where { stores: vec![file], ..Where::default() });
        let history = History::over(found.sources, found.findings);
        all(&history).iter().map(|one| one.id.as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(named("copies"), ["prompts-global"]);
    assert_eq!(named("workspaceStorage/0123abcd"), ["prompts-0123abcd"]);
}

/// A home with one conversation whose record and workspace head have these fields.
fn titled(record: &Json, head: Option<&Json>) -> WrittenHome {
    let mut document = json!({ "composerId": "c1", "conversation": [
        { "type": 1, "bubbleId": "b1", "text": "Hello\nsecond line" }, { "type": 2, "bubbleId": "b2", "text": "Hi there!" } ] });
    for (key, value) in record.as_object().unwrap() {
        document[key] = value.clone();
    }
    let home = CursorHome::new().unwrap().global(StateDatabase::new().kv("composerData:c1", document));
    let Some(head) = head else { return home.write().unwrap() };
    let mut entry = json!({ "type": "head", "composerId": "c1", "createdAt": 1_734_000_000_000_i64 });
    for (key, value) in head.as_object().unwrap() {
        entry[key] = value.clone();
    }
    let list = json!({ "allComposers": [entry] });
    let folder = WorkspaceFolder::new("0123abcd").folder("file:///test/project/path").without_list();
    let home = home.workspace(folder).write().unwrap();
    let database = StateDatabase::new().item("composer.composerData", list);
    database.write_to(&home.workspace_dir("0123abcd").join("state.vscdb")).unwrap();
    home
}

#[test]
fn the_title_is_that_of_the_strongest_layer() {
    let head = |head: Json| Some(head);
    let table = [
        (json!({ "name": "My Chat Title" }), None, "My Chat Title"),
        (json!({ "subtitle": "My Subtitle" }), None, "My Subtitle"),
        (json!({ "name": "Global Title" }), head(json!({ "name": "Workspace Title" })), "Workspace Title"),
        (json!({}), head(json!({ "name": "Test Chat Name", "subtitle": "Test Subtitle" })), "Test Chat Name"),
        (json!({ "name": "New Chat" }), head(json!({ "name": "New Agent" })), "Hello"),
        (json!({ "name": "Global Title" }), head(json!({ "name": "" })), "Global Title"),
        (json!({}), None, "Hello"),
    ];
    for (record, head, expected) in table {
        let home = titled(&record, head.as_ref());
        ask(home.root(), |history| {
            let listed = all(history);
            assert_eq!(listed.len(), 1, "{record} {head:?}");
            assert_eq!(listed[0].title.as_deref(), Some(expected), "{record} {head:?} listed");
            let whole = load(history, "c1");
            assert_eq!(whole.summary.title.as_deref(), Some(expected), "{record} {head:?} loaded");
            assert_eq!(whole.messages.len(), 2);
            if head.is_some() {
                assert_eq!(whole.summary.workspace.unwrap().path, "/test/project/path");
            }
        });
    }
}

#[test]
fn a_title_of_the_head_list_is_the_newest() {
    let global = StateDatabase::new()
        .composer(&composer("c1").titled("Record"))
        .head_list([composer("c1").titled("Renamed").head()]);
    let home = CursorHome::new().unwrap().global(global);
    let home =
        home.workspace(WorkspaceFolder::new("a").folder("file:///a").head(&composer("c1").titled("Old")));
    let home = home.search_index(SearchIndex::new().local("c1", "Index", "", 1)).write().unwrap();
    ask(home.root(), |history| {
        assert_eq!(all(history)[0].title.as_deref(), Some("Renamed"));
        assert_eq!(load(history, "c1").summary.title.as_deref(), Some("Renamed"));
    });
}

#[test]
fn what_a_user_types_means_one_conversation_or_several() {
    let at = |hours: i64| json!(1_783_397_624_574_i64 + hours * 3_600_000);
    let named = |id: &str, title: &str, hours| composer(id).titled(title).set("lastUpdatedAt", at(hours));
    let global = StateDatabase::new()
        .composer(&named("aaaa-1", "Fix the parser", 1))
        .composer(&named("aaaa-2", "Fix the lexer", 3))
        .composer(&named("bbbb-1", "Lexer", 2))
        .composer(&named("cccc-1", "Put away", 9).set("isArchived", json!(true)))
        .composer(&Composer::new("aaaa-2-empty"));
    let home = CursorHome::new().unwrap().global(global).write().unwrap();
    let history = history_of(home.root());
    for (asked, expected) in [
        ("@1", "aaaa-2"),
        ("@2", "bbbb-1"),
        ("@3", "aaaa-1"),
        ("aaaa-1", "aaaa-1"),
        ("aaaa-2", "aaaa-2"),
        ("aaaa-2-", "aaaa-2-empty"),
        ("b", "bbbb-1"),
        ("cc", "cccc-1"),
        ("PARSER", "aaaa-1"),
        ("lexer", "bbbb-1"),
        ("put AW", "cccc-1"),
    ] {
        assert_eq!(history.resolve(asked).unwrap().as_str(), expected, "{asked}");
    }
    for asked in ["@0", "@4", "@", "nothing", "", "  ", "%", "@99999999999999999999"] {
        assert!(matches!(history.resolve(asked), Err(AskError::NoMatch { .. })), "{asked:?}");
    }
    for (asked, expected) in
        [("aaaa", &["aaaa-1", "aaaa-2", "aaaa-2-empty"][..]), ("fix", &["aaaa-1", "aaaa-2"])]
    {
        let Err(AskError::Ambiguous { matches, .. }) = history.resolve(asked) else { panic!("{asked}") };
        let mut ids: Vec<&str> = matches.iter().map(|summary| summary.id.as_str()).collect();
        ids.sort_unstable();
        assert_eq!(ids, expected, "{asked}");
    }
}

#[test]
fn a_filter_that_cannot_read_messages_says_so() {
    let origin = Origin::new(Layer::IdeGlobal, Path::new("broken"), "composerData:c1");
    let head = Fragment::new(Summary::new("c1".into(), Surface::Ide, origin));
    let mut source = MemorySource::new("broken", vec![head]);
    source.without_messages = Some("it is broken".to_owned());
    let history = History::over(vec![Box::new(source)], Vec::new());
    assert_eq!(history.list(&Ask::default()).summaries.len(), 1);
    let asked = history.list(&Ask::default().with([Filter::Tool(vec!["shell".into()])]));
    assert!(asked.summaries.is_empty());
    assert_eq!(asked.unreadable.len(), 1, "what could not be read is reported");
}

#[test]
fn a_source_that_cannot_be_read_is_reported_with_its_own_layer() {
    let said = |layer: Layer, place: &str| {
        let origin = Origin::new(layer, Path::new(place), "c1");
        let mut fragment = Fragment::new(Summary::new("c1".into(), Surface::Ide, origin.clone()));
        let mut message = Message::new("m1", Role::User, origin);
        message.parts.push(Part::Text("ask".to_owned()));
        fragment.messages.push(message);
        fragment.count_messages();
        fragment
    };
    let readable = || MemorySource::new("state.vscdb", vec![said(Layer::IdeGlobal, "state.vscdb")]);
    for layer in [Layer::IdeGlobal, Layer::CliStore, Layer::SdkIndex, Layer::TranscriptJsonl] {
        let mut broken = MemorySource::new("broken", vec![said(layer, "broken")]);
        broken.id.layer = layer;
        let mut without_messages = broken.clone();
        without_messages.without_messages = Some("it is broken".to_owned());
        broken.unreadable = Some("it is broken".to_owned());
        let listing = History::over(vec![Box::new(broken.clone())], Vec::new()).list(&Ask::default());
        assert_eq!(listing.unreadable.iter().map(|error| error.layer).collect::<Vec<_>>(), [layer]);
        for broken in [broken, without_messages] {
            let alone = History::over(vec![Box::new(broken.clone())], Vec::new()).load(&"c1".into());
            let Err(AskError::Source(error)) = alone else { panic!("{alone:?}") };
            assert_eq!((error.layer, error.place.as_path()), (layer, Path::new("broken")));
            let beside = History::over(vec![Box::new(broken), Box::new(readable())], Vec::new());
            let findings = beside.load(&"c1".into()).unwrap().findings;
            let found: Vec<_> = findings.iter().map(|finding| (finding.kind, finding.at.layer)).collect();
            assert_eq!(found, [(FindingKind::Unreadable, layer)]);
        }
    }
}
