//! What a listing shows and hides, which title a conversation has, and which one is meant by what a user types.

use std::path::Path;

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
