//! The workspace of a conversation, by every route, strongest first, in the spelling of its own machine.

use backscroll_fixtures::{
    CliChat, Composer, CursorHome, HeaderTable, Speaks, StateDatabase, WorkspaceFolder, WrittenHome,
    create_database, md5_of,
};
use backscroll_history::{Ask, Filter, History, Request, Showing};
use backscroll_index::{Index, Manner, refresh};
use backscroll_model::{Attribution, FindingKind, Workspace};
use serde_json::{Value as Json, json};

use crate::home::{all, ask, history_of, kept_history_of, load};

fn composer(id: &str) -> Composer {
    Composer::new(id).titled(id).user("one").assistant("two")
}

fn only(database: StateDatabase) -> WrittenHome {
    CursorHome::new().unwrap().global(database).write().unwrap()
}

/// The workspace of `c1`, which listing and loading must agree upon.
fn workspace(home: &WrittenHome) -> Option<Workspace> {
    ask(home.root(), |history| {
        let loaded = load(history, "c1").summary.workspace;
        assert_eq!(listed(history), loaded, "listing and loading agree");
        loaded
    })
}

fn listed(history: &History) -> Option<Workspace> {
    all(history).into_iter().find(|summary| summary.id.as_str() == "c1").unwrap().workspace
}

fn assert_route(home: &WrittenHome, path: &str, by: Attribution) {
    let workspace = workspace(home).unwrap_or_else(|| panic!("{by:?} finds no workspace"));
    assert_eq!((workspace.path.as_str(), workspace.by), (path, by));
}

fn head(id: &str, more: &Json) -> Json {
    let mut head = composer(id).head();
    head.as_object_mut().unwrap().remove("workspaceIdentifier");
    for (key, value) in more.as_object().unwrap() {
        head[key] = value.clone();
    }
    head
}

fn identifier(path: &str) -> Json {
    let uri = json!({ "$mid": 1, "fsPath": path, "external": format!("file://{path}"), "path": path, "scheme": "file" });
    json!({ "workspaceIdentifier": { "id": "0123abcd", "uri": uri } })
}

#[test]
fn by_the_header_table() {
    let table = HeaderTable::new().head(head("c1", &identifier("/home/a/table")));
    let record = composer("c1").in_workspace("4567", "/home/a/record");
    assert_route(
        &only(StateDatabase::new().composer(&record).header_table(table)),
        "/home/a/table",
        Attribution::Header,
    );
}

#[test]
fn by_the_id_in_the_header_table() {
    let table = HeaderTable::new().head(head("c1", &json!({ "workspaceIdentifier": { "id": "0123abcd" } })));
    let home =
        CursorHome::new().unwrap().global(StateDatabase::new().composer(&composer("c1")).header_table(table));
    let home =
        home.workspace(WorkspaceFolder::new("0123abcd").folder("file:///home/a/by%20id")).write().unwrap();
    assert_route(&home, "/home/a/by id", Attribution::Header);
}

#[test]
fn by_the_header_list() {
    let database =
        StateDatabase::new().composer(&composer("c1")).head_list([head("c1", &identifier("/home/a/list"))]);
    assert_route(&only(database), "/home/a/list", Attribution::Header);
}

#[test]
fn by_the_record() {
    let record = composer("c1").in_workspace("4567", "/home/a/record");
    assert_route(&only(StateDatabase::new().composer(&record)), "/home/a/record", Attribution::Record);
}

#[test]
fn by_a_project_of_the_agents_window() {
    let workspace = &identifier("/home/a/project")["workspaceIdentifier"];
    let database = StateDatabase::new()
        .composer(&composer("c1"))
        .item("glass.localAgentProjects.v1", json!([{ "id": "p1", "name": "P", "workspace": workspace }]))
        .item("glass.localAgentProjectMembership.v1", json!({ "c1": "p1" }));
    assert_route(&only(database), "/home/a/project", Attribution::Project);
}

#[test]
fn by_the_workspaces_own_database() {
    let c1 = composer("c1");
    let folder = || WorkspaceFolder::new("0123abcd").folder("file:///home/a/app");
    let routes = [
        ("list", folder().head(&c1)),
        ("selected", folder().without_list().selected("c1")),
        ("pane", folder().pane("1f2e", "c1")),
    ];
    for (name, workspace) in routes {
        let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&c1)).workspace(workspace);
        let home = home.write().unwrap();
        let found = self::workspace(&home).unwrap_or_else(|| panic!("{name} finds no workspace"));
        assert_eq!((found.path.as_str(), found.by), ("/home/a/app", Attribution::WorkspaceList), "{name}");
    }
}

#[test]
fn by_where_the_agent_ran() {
    let environment = json!({ "type": "local", "environment": { "uri": { "$mid": 1, "fsPath": "/home/a/ran", "path": "/home/a/ran", "scheme": "file" } } });
    let routes = [
        ("agentLocation", environment, "/home/a/ran"),
        ("gitWorktree", json!({ "worktreePath": "/home/a/tree", "branchName": "b" }), "/home/a/tree"),
        ("trackedGitRepos", json!([{ "repoPath": "/home/a/repo", "branches": [] }]), "/home/a/repo"),
    ];
    for (field, value, path) in routes {
        let record = composer("c1").set(field, value);
        assert_route(&only(StateDatabase::new().composer(&record)), path, Attribution::AgentLocation);
    }
}

#[test]
fn by_what_messages_name() {
    let record =
        Composer::new("c1").titled("c1").user("one").with("workspaceUris", json!(["file:///home/a/message"]));
    let home = only(StateDatabase::new().composer(&record.assistant("two")));
    let loaded = ask(home.root(), |history| load(history, "c1")).summary.workspace.unwrap();
    assert_eq!((loaded.path.as_str(), loaded.by), ("/home/a/message", Attribution::Message));
}

#[test]
fn by_where_most_tool_calls_worked_and_marked_as_such() {
    let read = |composer: Composer, path: &str| {
        composer.tool("read_file_v2", json!({ "targetFile": path }), json!({ "contents": "x" }))
    };
    let record = Composer::new("c1").titled("c1").user("one");
    let record =
        read(read(read(record, "/home/a/tools/src/x.rs"), "/home/a/tools/src/y.rs"), "/home/a/tools/z.rs");
    let home = only(StateDatabase::new().composer(&read(record, "/etc/hosts")));
    let whole = ask(home.root(), |history| load(history, "c1"));
    let workspace = whole.summary.workspace.unwrap();
    assert_eq!((workspace.path.as_str(), workspace.by), ("/home/a/tools", Attribution::ToolPaths));
    assert!(whole.findings.iter().any(|finding| finding.kind == FindingKind::Inferred));
}

/// What only messages tell is listed, selected and counted as soon as the index has read them, and until they change.
#[test]
fn what_messages_tell_is_listed_once_the_index_knows_it() {
    let composer = |turns: usize| {
        let begun = Composer::new("c1").titled("Bar").user("one");
        (0..turns).fold(begun, |composer, turn| {
            let path = format!("/home/a/.config/waybar/{turn}.css");
            composer.tool("read_file_v2", json!({ "targetFile": path }), json!({ "contents": "x" }))
        })
    };
    let home = only(StateDatabase::new().composer(&composer(3)));
    let folder = tempfile::tempdir().unwrap();
    let asked = Ask::default().with([Filter::Workspace(vec!["waybar".to_owned()])]);
    let listed = |ask: &Ask| kept_history_of(home.root(), folder.path()).list(ask).summaries;
    assert!(listed(&asked).is_empty() && listed(&Ask::default())[0].workspace.is_none(), "nobody read it");

    let manner = Manner::ordinary("2026-03-01T00:00:00Z".parse().unwrap());
    let read = || refresh(folder.path(), &history_of(home.root()), manner, &mut |_, _| {}).unwrap();
    assert!(read().has_told);
    let whole = ask(home.root(), |history| load(history, "c1")).summary.workspace;
    assert_eq!(whole.as_ref().unwrap().path, "/home/a/.config/waybar");
    assert_eq!(listed(&asked)[0].workspace, whole);
    let index = Index::open(folder.path()).unwrap().unwrap();
    let request = |ask: &Ask| Request { facets: true, ..Request::new(ask.clone(), manner.now) };
    let history = history_of(home.root());
    let found = history.search(&index, &request(&asked), Showing::default()).unwrap();
    assert_eq!(found.facets.unwrap().workspaces[0].value, "/home/a/.config/waybar");

    let connection = create_database(&home.global_database()).unwrap();
    for (key, value) in composer(5).rows() {
        let sql = "INSERT OR REPLACE INTO cursorDiskKV (key, value) VALUES (?1, ?2)";
        connection.execute(sql, rusqlite::params![key, value]).unwrap();
    }
    drop(connection);
    assert_eq!(listed(&asked)[0].workspace, whole, "what was told is believed until it is read again");
    assert!(!read().has_told);
    assert_eq!(serde_json::to_value(&listed(&asked)[0].workspace).unwrap()["known_from"], "tools");
}

#[test]
fn a_session_that_nothing_places_is_found_by_the_folder_of_chats_around_it() {
    let chat = CliChat::new("", "chat").without_meta_json().user("hello").assistant("Hi.");
    let home = CursorHome::new().unwrap().cli(chat).write().unwrap();
    let chats = home.cursor_dir().join("chats");
    std::fs::rename(chats.join(md5_of("")), chats.join(md5_of("/h/x"))).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let history = kept_history_of(home.root(), folder.path());
    assert_eq!(all(&history)[0].workspace, None);
    let manner = Manner::ordinary("2026-03-01T00:00:00Z".parse().unwrap());
    refresh(folder.path(), &history, manner, &mut |_, _| {}).unwrap();
    let index = Index::open(folder.path()).unwrap().unwrap();
    for (path, count) in [("/h/x", 1), ("/h/y", 0)] {
        let asked = Ask::default().with([Filter::Workspace(vec![path.to_owned(), md5_of(path)])]);
        let request = Request::new(asked.clone(), manner.now);
        let found = history.search(&index, &request, Showing::default()).unwrap();
        assert_eq!(
            (history.list(&asked).summaries.len(), found.conversations.len()),
            (count, count),
            "{path}"
        );
    }
}

#[test]
fn windows_without_a_folder_belong_nowhere() {
    for id in ["1748059805057", "empty-window"] {
        let c1 = composer("c1");
        let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&c1));
        let home = home.workspace(WorkspaceFolder::new(id).head(&c1)).write().unwrap();
        assert_eq!(workspace(&home), None, "{id}");
    }
}

#[test]
fn each_machine_has_its_own_spelling() {
    // `{"hostName":"core"}` in hex.
    let ssh_in_hex = "vscode-remote://ssh-remote%2B7b22686f73744e616d65223a22636f7265227d/srv/app";
    for (uri, path, remote) in [
        ("file:///c%3A/Users/Ann%20B/app", r"c:\Users\Ann B\app", None),
        ("file:///home/a/%C3%BCber%20app", "/home/a/über app", None),
        ("vscode-remote://wsl%2Bubuntu/home/a/app", "/home/a/app", Some("wsl+ubuntu")),
        ("vscode-remote://ssh-remote%2Bbox/srv/app", "/srv/app", Some("ssh-remote+box")),
        (ssh_in_hex, "/srv/app", Some("ssh-remote+core")),
        ("file://wsl.localhost/Ubuntu/home/a", r"\\wsl.localhost\Ubuntu\home\a", None),
    ] {
        let c1 = composer("c1");
        let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&c1));
        let home = home.workspace(WorkspaceFolder::new("0123abcd").folder(uri).head(&c1)).write().unwrap();
        let found = workspace(&home).unwrap();
        assert_eq!((found.path.as_str(), found.remote.as_deref()), (path, remote), "{uri}");
        assert_eq!(found.uri.as_deref(), Some(uri));
    }
    let c1 = composer("c1");
    let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&c1));
    let several = WorkspaceFolder::new("0123abcd").multi_root("file:///home/a/all.code-workspace").head(&c1);
    assert_eq!(
        workspace(&home.workspace(several).write().unwrap()).unwrap().path,
        "/home/a/all.code-workspace"
    );
}

#[test]
fn several_folders_for_one_path_are_one_workspace() {
    let (c1, c2) = (composer("c1"), composer("c2"));
    let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&c1).composer(&c2));
    let home = home.workspace(WorkspaceFolder::new("aaaa").folder("file:///home/a/app").head(&c1).head(&c2));
    let home =
        home.workspace(WorkspaceFolder::new("bbbb").folder("file:///home/a/app").head(&c1)).write().unwrap();
    ask(home.root(), |history| {
        let asked = Ask::default().with([Filter::Workspace(vec!["/home/a/app".to_owned()])]);
        let listing = history.list(&asked);
        assert_eq!(listing.summaries.len(), 2);
        assert!(listing.findings.is_empty(), "{:?}", listing.findings);
    });
}

#[test]
fn of_several_claims_the_newest_head_wins_and_the_others_are_reported() {
    let old = composer("c1");
    let new = composer("c1").started(1_893_456_000_000);
    let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&composer("c1")));
    let home = home.workspace(WorkspaceFolder::new("aaaa").folder("file:///home/a/old").head(&old));
    let home =
        home.workspace(WorkspaceFolder::new("bbbb").folder("file:///home/a/new").head(&new)).write().unwrap();
    assert_route(&home, "/home/a/new", Attribution::WorkspaceList);
    ask(home.root(), |history| {
        let findings = history.list(&Ask::default()).findings;
        assert!(findings.iter().any(|finding| finding.says.contains("/home/a/old")), "{findings:?}");
    });
}
