//! One conversation in several places of different eras: shown once, whole, and the account adds up.

use backscroll_fixtures::{
    ChatTab, Composer, CursorHome, Era, Speaks, StateDatabase, WorkspaceFolder, demo_home, recorded,
};
use backscroll_history::{Ask, History};
use backscroll_model::{ConversationId, Flag, Surface};
use serde_json::json;

use crate::home::{all, ask, load, said};

fn composer(id: &str) -> Composer {
    Composer::new(id).titled(id).user("one").assistant("two").user("three")
}

/// What must hold for every conversation of every home.
fn check_all(history: &History, name: &str) {
    let listed = all(history);
    for summary in &listed {
        let whole =
            history.load(&summary.id).unwrap_or_else(|error| panic!("{name}: {} {error}", summary.id));
        let coverage = whole.coverage;
        assert!(coverage.adds_up(), "{name}: {} {coverage:?}", summary.id);
        let shown = whole.messages.len() as u64 + coverage.undecodable;
        let calls = whole.messages.iter().flat_map(backscroll_model::Message::tool_calls);
        let answers = calls.filter(|call| call.result.is_some()).count() as u64;
        assert!(
            shown <= coverage.listed && coverage.listed <= shown + answers,
            "{name}: {} is shown as listed, answers of tools with their calls",
            summary.id
        );
        let read = whole.messages.iter().filter(|message| !message.parts.is_empty()).count() as u64;
        assert!(
            read <= coverage.read && coverage.read <= read + answers,
            "{name}: {} {coverage:?}",
            summary.id
        );
        assert_eq!(coverage.orphaned, whole.orphans.len() as u64, "{name}: {}", summary.id);
        if let Some(promised) = summary.messages {
            assert_eq!(promised, coverage.listed, "{name}: {} keeps what its index promises", summary.id);
        }
        assert_eq!(whole.summary.title, summary.title, "{name}: {}", summary.id);
        assert_eq!(whole.summary.surface, summary.surface, "{name}: {}", summary.id);
        assert_eq!(whole.summary.created_at, summary.created_at, "{name}: {}", summary.id);
        assert_eq!(whole.summary.updated_at, summary.updated_at, "{name}: {}", summary.id);
        assert_eq!(whole.summary.parent, summary.parent, "{name}: {}", summary.id);
        let flags = (&whole.summary.flags, &summary.flags);
        assert_eq!(flags.0, flags.1, "{name}: {}", summary.id);
        // Only messages tell some things; what they tell may be stronger than an index's guess, never weaker.
        let routes = (&whole.summary.workspace, &summary.workspace);
        if let (Some(whole), Some(listed)) = routes {
            assert!(whole.by <= listed.by, "{name}: {}", summary.id);
            assert!(whole.by < listed.by || whole == listed, "{name}: {}", summary.id);
        }
        assert!(routes.0.is_some() || routes.1.is_none(), "{name}: {}", summary.id);
        assert_eq!(history.resolve(summary.id.as_str()).unwrap(), summary.id);
    }
}

#[test]
fn listing_and_loading_agree_on_every_recorded_home() {
    for recorded in recorded().unwrap() {
        let copy = recorded.copy_to_temp().unwrap();
        for below in ["", "snapshot1", "snapshot2"] {
            let home = copy.path().join(below);
            if home.is_dir() {
                ask(&home, |history| check_all(history, &recorded.name));
            }
        }
    }
}

#[test]
fn listing_and_loading_agree_on_the_demo_home() {
    let home = tempfile::tempdir().unwrap();
    demo_home(home.path()).unwrap();
    ask(home.path(), |history| check_all(history, "demo"));
}

#[test]
fn a_conversation_that_moved_from_a_workspace_to_the_global_database() {
    let (old, new) = (composer("c1"), composer("c1").era(Era::V3).assistant("four"));
    let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&new));
    let home =
        home.workspace(WorkspaceFolder::new("a").folder("file:///home/a/app").inline(&old)).write().unwrap();
    ask(home.root(), |history| {
        check_all(history, "moved");
        let whole = load(history, "c1");
        assert_eq!(said(&whole.messages), ["one", "two", "three", "four"]);
        assert_eq!(whole.summary.workspace.unwrap().path, "/home/a/app");
    });
}

#[test]
fn a_moved_conversation_whose_rows_are_lost_is_read_from_the_workspace() {
    let home =
        CursorHome::new().unwrap().global(StateDatabase::new().composer(&Composer::new("c1").titled("c1")));
    let folder = WorkspaceFolder::new("a").folder("file:///home/a/app").inline(&composer("c1"));
    let home = home.workspace(folder).write().unwrap();
    ask(home.root(), |history| {
        check_all(history, "lost");
        assert_eq!(said(&load(history, "c1").messages), ["one", "two", "three"]);
        assert_eq!(history.list(&Ask::default()).summaries.len(), 1, "it is not empty");
    });
}

#[test]
fn chat_tabs_of_workspace_and_global_database() {
    let tab =
        |id: &str| ChatTab::new(id).titled(id).last_sent(Some(1_700_000_000_000)).user("q").assistant("a");
    let key = "workbench.panel.aichat.view.aichat.chatdata";
    let global = StateDatabase::new().item(key, ChatTab::chat_data(&[tab("both"), tab("global")]));
    let home = CursorHome::new().unwrap().global(global);
    let folder = WorkspaceFolder::new("a")
        .folder("file:///home/a/app")
        .chat_tab(tab("both"))
        .chat_tab(tab("workspace"));
    let home = home.workspace(folder.prompt("q")).write().unwrap();
    ask(home.root(), |history| {
        check_all(history, "tabs");
        let listed = all(history);
        assert_eq!(listed.len(), 3, "{listed:?}");
        assert!(listed.iter().all(|summary| summary.surface == Surface::IdeChat));
        assert_eq!(said(&load(history, "both").messages), ["q", "a"]);
        assert_eq!(load(history, "both").summary.workspace.unwrap().path, "/home/a/app");
    });
}

#[test]
fn prompts_are_shown_where_nothing_else_is_left() {
    let folder =
        |id: &str| WorkspaceFolder::new(id).folder("file:///home/a/app").prompt("first").prompt("second");
    let alone = CursorHome::new().unwrap().workspace(folder("a")).write().unwrap();
    ask(alone.root(), |history| {
        check_all(history, "prompts");
        let listed = history.list(&Ask::default()).summaries;
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0].surface, Surface::IdeChat);
        assert_eq!(listed[0].workspace.as_ref().unwrap().path, "/home/a/app");
        assert_eq!(said(&load(history, listed[0].id.as_str()).messages), ["first", "second"]);
    });
}

#[test]
fn prompts_that_no_conversation_beside_them_has_are_a_deleted_conversation() {
    let c1 = composer("c1");
    let folder = |prompts: &[&str]| {
        let folder = WorkspaceFolder::new("a").folder("file:///home/a/app").head(&c1);
        prompts.iter().fold(folder, |folder, prompt| folder.prompt(prompt))
    };
    let home = |prompts: &[&str]| {
        let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&c1));
        home.workspace(folder(prompts)).write().unwrap()
    };
    ask(home(&["one", "first", " three", "second", "first"]).root(), |history| {
        check_all(history, "prompts beside a conversation");
        assert_eq!(history.list(&Ask::default()).summaries.len(), 1, "hidden");
        let left: Vec<_> = all(history).into_iter().filter(|summary| summary.id.as_str() != "c1").collect();
        let [left] = &left[..] else { panic!("{left:?}") };
        assert!(left.flags.contains(&Flag::Deleted));
        assert_eq!((left.title.as_deref(), left.messages), (Some("first"), Some(2)));
        assert_eq!(said(&load(history, left.id.as_str()).messages), ["first", "second"]);
    });
    ask(home(&["one", "three"]).root(), |history| assert_eq!(all(history).len(), 1, "nothing is left"));
}

#[test]
fn a_backup_fills_an_emptied_message_and_the_account_still_adds_up() {
    let now = Composer::new("c1")
        .titled("c1")
        .user("one")
        .assistant("")
        .user("three")
        .lost()
        .assistant("four")
        .nulled();
    let before =
        Composer::new("c1").titled("c1").user("one").assistant("two").user("three").assistant("four");
    let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&now));
    let home = home.backup(StateDatabase::new().composer(&before)).write().unwrap();
    ask(home.root(), |history| {
        check_all(history, "emptied");
        assert_eq!(said(&load(history, "c1").messages), ["one", "two", "three", "four"]);
    });
}

#[test]
fn a_message_that_cannot_be_read_is_counted_and_taken_from_the_backup() {
    let now = composer("c1");
    let broken =
        StateDatabase::new().composer(&now).kv(format!("bubbleId:c1:{}", now.bubble_id(1)), "{\"type\": 2, ");
    for backup in [StateDatabase::new(), StateDatabase::new().composer(&now)] {
        let home = CursorHome::new().unwrap().global(broken.clone()).backup(backup.clone()).write().unwrap();
        ask(home.root(), |history| {
            check_all(history, "undecodable");
            let whole = load(history, "c1");
            assert_eq!(whole.coverage.undecodable, 1);
            assert_eq!(said(&whole.messages), ["one", "three"]);
            let kept = if backup.pairs().next().is_some() { vec!["two".to_owned()] } else { Vec::new() };
            assert_eq!(said(&whole.orphans), kept);
        });
    }
}

#[test]
fn ids_with_odd_signs_and_damaged_records() {
    let odd =
        ["line\nbreak", "nul\0inside", "percent%", "under_score", "quote'", "日本", "a:b", "composerData:x"];
    let mut global = StateDatabase::new()
        .kv("composerData:broken", "{\"composerId\": \"broken\", ")
        .kv("composerData:number", "5");
    for id in odd {
        global = global.composer(&composer(id));
    }
    let home = CursorHome::new().unwrap().global(global).write().unwrap();
    ask(home.root(), |history| {
        for id in odd {
            let whole =
                history.load(&ConversationId::new(id)).unwrap_or_else(|error| panic!("{id:?}: {error}"));
            assert_eq!(said(&whole.messages), ["one", "two", "three"], "{id:?}");
            assert_eq!(history.resolve(id).unwrap().as_str(), id);
        }
        let findings = history.list(&Ask::default()).findings;
        let about = |key: &str| findings.iter().any(|finding| finding.at.key.ends_with(key));
        assert!(about("composerData:broken") && about("composerData:number"), "{findings:?}");
        assert!(
            all(history).iter().filter(|summary| odd.contains(&summary.id.as_str())).count() == odd.len()
        );
    });
}

#[test]
fn parents_and_children_know_each_other() {
    let parent = composer("parent").set("subagentComposerIds", json!(["child"]));
    let child = composer("child").subagent_of("parent", "tool_1", "explore");
    let other = composer("named by its parent alone");
    let parent = parent.set("subComposerIds", json!(["named by its parent alone"]));
    let global = StateDatabase::new().composer(&parent).composer(&child).composer(&other);
    let home = CursorHome::new().unwrap().global(global).write().unwrap();
    ask(home.root(), |history| {
        let mut children = load(history, "parent").summary.children;
        children.sort();
        assert_eq!(children, ["child".into(), "named by its parent alone".into()]);
        for id in ["child", "named by its parent alone"] {
            let summary = all(history).into_iter().find(|summary| summary.id.as_str() == id).unwrap();
            assert_eq!(summary.parent, Some("parent".into()), "{id} listed");
        }
        assert_eq!(load(history, "child").summary.parent, Some("parent".into()));
        assert!(load(history, "child").summary.flags.contains(&Flag::Subagent));
    });
}
