//! What is found, and where: every system's layout, overrides, backups and copies, and stores that are not Cursor's.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_cursor_store::{FileCache, FoundStores, Surroundings, Where, find, find_with};
use backscroll_fixtures::{
    Composer, CursorHome, Layout, SearchIndex, Speaks, StateDatabase, Value, WorkspaceFolder, recorded_named,
    snapshot_of,
};
use backscroll_history::{History, source_summaries};
use backscroll_model::{Finding, FindingKind, Flag};

use crate::asked::listing;

fn database(id: &str) -> StateDatabase {
    StateDatabase::new().composer(&Composer::new(id).titled(id).user("hello").assistant("Hi."))
}

fn below(home: &Path) -> FoundStores {
    find(&Where { home: Some(home.to_owned()), ..Where::default() })
}

/// The same, with what was noted of files that cannot be read.
fn looked_below(home: &Path) -> (FoundStores, Arc<FileCache>) {
    let files = Arc::default();
    let found = find_with(&Where { home: Some(home.to_owned()), ..Where::default() }, &files);
    (found, files)
}

fn around(environment: Surroundings) -> FoundStores {
    find(&Where { environment, ..Where::default() })
}

fn store(path: &Path) -> FoundStores {
    find(&Where { stores: vec![path.to_owned()], ..Where::default() })
}

/// The ids of all conversations, each with a `-` where only a backup has it, in order.
fn ids(found: &FoundStores) -> Vec<String> {
    let mut ids = Vec::new();
    for source in &found.sources {
        let (summaries, _) = listing(&**source);
        let sign = if source.id().is_backup { "-" } else { "" };
        ids.extend(summaries.iter().map(|summary| format!("{sign}{}", summary.id)));
    }
    ids.sort();
    ids.dedup();
    ids
}

fn write(user_data: &Path, id: &str) {
    database(id).write_to(&user_data.join("User/globalStorage/state.vscdb")).unwrap();
}

#[test]
fn a_home_in_every_layout() {
    for layout in [Layout::Linux, Layout::MacOs, Layout::Windows] {
        let home = CursorHome::new().unwrap().layout(layout).global(database("c1")).write().unwrap();
        let before = snapshot_of(home.root()).unwrap();
        let found = below(home.root());
        assert_eq!(ids(&found), ["c1"], "{layout:?}");
        assert!(found.findings.is_empty(), "{:?}", found.findings);
        assert_eq!(snapshot_of(home.root()).unwrap(), before);
    }
}

#[test]
fn several_builds_and_layouts_in_one_home() {
    let home = tempfile::tempdir().unwrap();
    for (folder, id) in [
        (".config/Cursor", "linux"),
        (".config/Cursor Nightly", "nightly"),
        ("Library/Application Support/Cursor", "mac"),
        ("Library/Application Support/Cursor Nightly", "mac nightly"),
        ("AppData/Roaming/Cursor", "windows"),
    ] {
        write(&home.path().join(folder), id);
    }
    write(&home.path().join(".config/Code"), "not ours");
    assert_eq!(ids(&below(home.path())), ["linux", "mac", "mac nightly", "nightly", "windows"]);
}

#[test]
fn overrides_of_the_environment() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    write(&at("home/.config/Cursor"), "home");
    write(&at("xdg/Cursor"), "xdg");
    write(&at("appdata/Cursor"), "appdata");
    write(&at("portable"), "portable");
    write(&at("elsewhere/Cursor"), "nowhere");
    let surroundings = Surroundings {
        home: Some(at("home")),
        xdg_config_home: Some(at("xdg")),
        appdata: Some(at("appdata")),
        user_data_dirs: vec![at("portable"), at("xdg/Cursor")],
        ..Surroundings::default()
    };
    let found = around(surroundings.clone());
    assert_eq!(ids(&found), ["appdata", "home", "portable", "xdg"]);
    assert_eq!(found.sources.len(), 4, "no place is read twice");
    let given = find(&Where { home: Some(at("elsewhere")), environment: surroundings, ..Where::default() });
    assert_eq!(ids(&given), ["portable", "xdg"], "a given home takes the place of the user's own");
}

#[test]
fn windows_users_seen_from_wsl() {
    let root = tempfile::tempdir().unwrap();
    for user in ["ann", "bob", "Public", "Default", "All Users", "Default User"] {
        write(&root.path().join("Users").join(user).join("AppData/Roaming/Cursor"), user);
    }
    fs::write(root.path().join("Users/desktop.ini"), "").unwrap();
    write(&root.path().join("home/.config/Cursor"), "own");
    let found = around(Surroundings {
        home: Some(root.path().join("home")),
        windows_users: Some(root.path().join("Users")),
        ..Surroundings::default()
    });
    assert_eq!(ids(&found), ["ann", "bob", "own"]);
    assert!(found.findings.is_empty(), "{:?}", found.findings);
}

#[test]
fn profiles_backups_and_copies() {
    let home = CursorHome::new()
        .unwrap()
        .global(database("main"))
        .backup(database("backup"))
        .file_manager_copy(database("copy"))
        .database("globalStorage/state.vscdb.corrupted.1700000000000", database("corrupted"))
        .profile("-1a2b3c4d", database("profile"))
        .workspace(WorkspaceFolder::new("0123abcd").folder("file:///home/a/app"))
        .database(
            "workspaceStorage/0123abcd/state.vscdb.backup",
            StateDatabase::new().item(
                "composer.composerData",
                serde_json::json!({"allComposers": [Composer::new("workspace backup").head()]}),
            ),
        )
        .search_index(SearchIndex::new().local("searched", "Title", "words", 1_783_397_624_574))
        .write()
        .unwrap();
    let expected = ["-backup", "-copy", "-corrupted", "-searched", "-workspace backup", "main", "profile"];
    assert_eq!(ids(&below(home.root())), expected);
    for folder in [home.root().to_owned(), home.user_dir(), home.user_dir().parent().unwrap().to_owned()] {
        assert_eq!(ids(&store(&folder)), expected, "{}", folder.display());
    }
    let global = home.global_database().parent().unwrap().to_owned();
    assert_eq!(ids(&store(&global)), ["-backup", "-copy", "-corrupted", "-searched", "main"]);
    assert_eq!(ids(&store(&home.global_database())), ["main"]);
    assert_eq!(
        ids(&store(&global.join("state.vscdb.backup"))),
        ["backup"],
        "a backup that is named is shown"
    );
    assert_eq!(ids(&store(&global.join("conversation-search.db"))), ["-searched"]);
    let several = vec![home.global_database(), global.join("state 2.vscdb")];
    let found = find(&Where { stores: several, ..Where::default() });
    assert_eq!(ids(&found), ["copy", "main"]);
}

#[test]
fn what_a_backup_alone_has_is_deleted_only_beside_a_main_file() {
    let home =
        CursorHome::new().unwrap().global(database("main")).backup(database("backup")).write().unwrap();
    let flags = |path: &Path| {
        let (summaries, _) = listing(&*store(path).sources[0]);
        summaries.iter().any(|summary| summary.flags.contains(&Flag::Deleted))
    };
    assert!(!flags(&home.global_database().with_extension("vscdb.backup")));
}

#[test]
fn a_workspace_alone() {
    let inline = Composer::new("c1").titled("Inline").user("hello").assistant("Hi.");
    let workspace = WorkspaceFolder::new("0123abcd").folder("file:///home/a/app").inline(&inline);
    let home = CursorHome::new().unwrap().workspace(workspace).write().unwrap();
    let folder = home.workspace_dir("0123abcd");
    for path in
        [folder.clone(), folder.join("state.vscdb"), folder.parent().unwrap().to_owned(), home.user_dir()]
    {
        let found = store(&path);
        let listed: Vec<_> = found.sources.iter().flat_map(|source| listing(&**source).0).collect();
        assert_eq!(listed.len(), 1, "{}", path.display());
        let workspace = listed[0].workspace.as_ref().unwrap();
        assert_eq!(workspace.path, "/home/a/app", "{}", path.display());
    }
}

/// What is listed can be loaded, although nothing is left of it.
#[test]
fn a_deleted_conversation_whose_bubbles_are_all_null() {
    let database = database("main").kv("bubbleId:gone:1", Value::Null).kv("bubbleId:gone:2", Value::Null);
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    let found = below(home.root());
    assert_eq!(ids(&found), ["gone", "main"]);
    let whole = History::over(found.sources, found.findings).load(&"gone".into()).unwrap();
    assert_eq!(whole.messages, []);
    assert!([Flag::Deleted, Flag::Empty].iter().all(|flag| whole.summary.flags.contains(flag)));
    assert!(
        whole.findings.iter().any(|finding| finding.kind == FindingKind::NullRow),
        "{:?}",
        whole.findings
    );
}

#[test]
fn a_prompt_history_that_is_none_is_reported() {
    let home =
        CursorHome::new().unwrap().file(".cursor/prompt_history.json", "{\"neither\": 1").write().unwrap();
    let found = below(home.root());
    let reported: Vec<_> = found.sources.iter().flat_map(|source| listing(&**source).1).collect();
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(reported[0].at.file.ends_with("prompt_history.json"), "{reported:?}");
}

#[test]
fn cousins_are_not_read_and_named_where_they_are_pointed_at() {
    for (name, product, folder) in [
        ("not-cursor-vscode", "VS Code", "Code"),
        ("not-cursor-windsurf", "Windsurf", "Windsurf"),
        ("not-cursor-antigravity", "Antigravity", "Antigravity"),
    ] {
        let home = recorded_named(name).unwrap().copy_to_temp().unwrap();
        let found = below(home.path());
        assert!(found.sources.is_empty(), "{name}");
        let user_data = home.path().join(".config").join(folder);
        let paths: [PathBuf; 6] = [
            home.path().to_owned(),
            user_data.clone(),
            user_data.join("User"),
            user_data.join("User/globalStorage"),
            user_data.join("User/globalStorage/state.vscdb"),
            user_data.join("User/workspaceStorage"),
        ];
        for path in paths {
            let found = store(&path);
            assert!(found.sources.is_empty(), "{}", path.display());
            assert_eq!(found.findings.len(), 1, "{}", path.display());
            assert!(found.findings[0].says.contains(product), "{:?}", found.findings);
        }
    }
}

#[test]
fn a_folder_of_work_called_code_is_read() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("Code/User copies/state.vscdb");
    database("c1").write_to(&path).unwrap();
    for given in [root.path().to_owned(), root.path().join("Code"), path] {
        assert_eq!(ids(&store(&given)), ["c1"], "{}", given.display());
    }
}

#[test]
fn a_home_without_cursor_is_empty_and_a_store_that_is_absent_is_an_error() {
    let root = tempfile::tempdir().unwrap();
    let found = below(root.path());
    assert!(found.sources.is_empty() && found.findings.is_empty());
    assert!(around(Surroundings::default()).sources.is_empty());
    let absent = store(&root.path().join("absent"));
    assert!(absent.sources.iter().any(|source| source_summaries(&**source).is_err()));
}

/// Root may read everything, so what cannot be read here is a link that leads to itself.
#[cfg(unix)]
#[test]
fn places_that_cannot_be_read_are_reported_with_a_reason() {
    let circle = |path: &Path| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(path, path).unwrap();
    };
    for below_user in [
        "",
        "globalStorage",
        "globalStorage/state.vscdb",
        "globalStorage/conversation-search.db",
        "profiles",
        "workspaceStorage",
        "workspaceStorage/0123abcd/workspace.json",
        "workspaceStorage/0123abcd/state.vscdb",
    ] {
        let home = tempfile::tempdir().unwrap();
        let user = home.path().join(".config/Cursor/User");
        circle(&if below_user.is_empty() { user.clone() } else { user.join(below_user) });
        let (found, files) = looked_below(home.path());
        let listed = found.sources.iter().filter_map(|source| source_summaries(&**source).ok());
        let mut findings: Vec<_> = listed.flat_map(|listed| listed.findings).collect();
        findings.extend(found.findings.iter().cloned().chain(files.findings()));
        assert!(!findings.is_empty(), "{below_user} is silent");
        for finding in &findings {
            assert_eq!(finding.kind, FindingKind::Unreadable, "{below_user}: {finding:?}");
            assert!(finding.says.contains("symbolic links"), "{below_user}: {finding:?}");
        }
    }
}

#[test]
fn places_of_agents_that_cannot_be_read_are_reported_with_a_reason() {
    for place in [".cursor", ".cursor/chats", ".cursor/projects", ".cursor/ai-tracking/ai-code-tracking.db"] {
        let home = tempfile::tempdir().unwrap();
        let circle = home.path().join(place);
        fs::create_dir_all(circle.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&circle, &circle).unwrap();
        let found = below(home.path());
        assert!(!found.findings.is_empty(), "{place} is silent");
        for finding in &found.findings {
            assert_eq!(finding.kind, FindingKind::Unreadable, "{place}: {finding:?}");
            assert!(finding.says.contains("symbolic links"), "{place}: {finding:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn folders_of_agents_that_cannot_be_read_are_reported_with_a_reason() {
    for place in [
        ".cursor/chats/0123abcd",
        ".cursor/chats/0123abcd/some-id",
        ".cursor/acp-sessions/some-id",
        ".cursor/projects/home-me-app",
        ".cursor/projects/home-me-app/agent-transcripts",
        ".cursor/projects/home-me-app/agent-transcripts/some-id",
    ] {
        let home = tempfile::tempdir().unwrap();
        let circle = home.path().join(place);
        fs::create_dir_all(circle.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&circle, &circle).unwrap();
        let (found, files) = looked_below(home.path());
        let mut listed: Vec<_> = found.sources.iter().flat_map(|source| listing(&**source).1).collect();
        listed.extend(found.findings.iter().cloned().chain(files.findings()));
        assert_eq!(listed.len(), 1, "{place}: {listed:?}");
        assert_eq!(listed[0].kind, FindingKind::Unreadable);
        assert!(listed[0].says.contains("symbolic links"), "{place}: {listed:?}");
    }
}

/// What lies in place of a folder or a file, and what is said of it.
#[cfg(unix)]
fn put(kind: &str, place: &Path) {
    let made = |program: &str| std::process::Command::new(program).arg(place).status().unwrap().success();
    match kind {
        "pipe" => assert!(made("mkfifo")),
        "sparse file" => fs::File::create(place).unwrap().set_len(10 << 30).unwrap(),
        "link to a device" => std::os::unix::fs::symlink("/dev/zero", place).unwrap(),
        "circle" => std::os::unix::fs::symlink(place, place).unwrap(),
        _ => std::os::unix::fs::symlink("/nowhere/at/all", place).unwrap(),
    }
}

/// Puts `kind` at this place below an empty home, and gives what is said of it.
#[cfg(unix)]
fn said_of(place: &str, kind: &str) -> String {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(place);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let look = || {
        let files = Arc::default();
        let data = Some(home.path().join("data"));
        let found =
            find_with(&Where { home: Some(home.path().to_owned()), data, ..Where::default() }, &files);
        let listed = found.sources.iter().filter_map(|source| source_summaries(&**source).ok());
        let listed: BTreeSet<_> = listed.flat_map(|listed| listed.findings).collect();
        listed.into_iter().chain(found.findings.iter().cloned()).chain(files.findings()).collect()
    };
    let absent: BTreeSet<Finding> = look();
    assert!(absent.is_empty(), "{place} is absent: {absent:?}");
    put(kind, &path);
    let at_place = look().into_iter().filter(|finding| *finding.at.file == *path);
    at_place.map(|finding| finding.says).collect()
}

#[cfg(unix)]
#[test]
fn what_is_no_folder_is_reported_in_its_place() {
    for place in [
        ".cursor",
        ".cursor/chats",
        ".cursor/acp-sessions",
        ".cursor/projects",
        ".cursor/plans",
        ".cursor/ai-tracking",
        ".cursor/projects/home-me-app/agent-tools",
        ".cursor/projects/home-me-app/agent-transcripts",
        ".cursor/projects/home-me-app/agent-transcripts/some-id/subagents",
        ".cursor/projects/home-me-app/sdk-agent-store",
        ".config/Cursor",
        ".config/Cursor/User",
        ".config/Cursor/User/globalStorage",
        ".config/Cursor/User/profiles",
        ".config/Cursor/User/workspaceStorage",
        "Library/Application Support/Cursor",
        "data/hooks",
    ] {
        for (kind, says) in [
            ("pipe", "it is a pipe, not a folder"),
            ("sparse file", "it is a file, not a folder"),
            ("link to a device", "it is a device, not a folder"),
            ("circle", "symbolic links"),
            ("link to nothing", "it is a link to something that is not there"),
        ] {
            let said = said_of(place, kind);
            assert!(said.contains(says), "{place} is a {kind}: {said}");
        }
    }
    for place in [
        ".cursor/chats/0123abcd",
        ".cursor/chats/0123abcd/some-id",
        ".cursor/projects/home-me-app",
        ".config/Cursor/User/workspaceStorage/0123abcd",
    ] {
        for (kind, says) in [("pipe", "not a folder"), ("link to nothing", "not there")] {
            let said = said_of(place, kind);
            assert!(said.contains(says), "{place} is a {kind}: {said}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_reported_where_a_file_is_read() {
    let global = ".config/Cursor/User/globalStorage";
    let workspace = ".config/Cursor/User/workspaceStorage/0123abcd";
    let session = ".cursor/chats/0123456789abcdef0123456789abcdef/some-id";
    let project = ".cursor/projects/home-me-app";
    for place in [
        format!("{global}/state.vscdb"),
        format!("{global}/state.vscdb.backup"),
        format!("{global}/conversation-search.db"),
        format!("{workspace}/state.vscdb"),
        format!("{workspace}/workspace.json"),
        format!("{session}/store.db"),
        format!("{session}/meta.json"),
        format!("{project}/sdk-agent-store/0123abcd/index.db"),
        format!("{project}/agent-transcripts/some-id.txt"),
        format!("{project}/agent-transcripts/some-id/some-id.jsonl"),
        ".cursor/prompt_history.json".to_owned(),
        ".cursor/ai-tracking/ai-code-tracking.db".to_owned(),
        ".cursor/plans/a_1a2b3c4d.plan.md".to_owned(),
        "data/hooks/2026-01.jsonl".to_owned(),
    ] {
        let said = said_of(&place, "link to nothing");
        assert!(said.contains("it is a link to something that is not there"), "{place}: {said}");
    }
}

/// The editor's locks are links that lead nowhere.
#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_are_nothing_to_us_elsewhere() {
    let home = tempfile::tempdir().unwrap();
    let place = home.path().join(".config/Cursor/User/globalStorage/SingletonLock");
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    put("link to nothing", &place);
    let (found, files) = looked_below(home.path());
    assert!(found.findings.is_empty() && files.findings().is_empty());
}

#[test]
fn databases_that_are_none_are_reported_with_a_reason() {
    let home = CursorHome::new()
        .unwrap()
        .global(database("main"))
        .workspace(WorkspaceFolder::new("0123abcd").folder("file:///home/a/app"))
        .file(".config/Cursor/User/globalStorage/state.vscdb.backup", "this is encrypted")
        .file(".config/Cursor/User/workspaceStorage/0123abcd/state.vscdb", vec![7; 4096])
        .file(".config/Cursor/User/workspaceStorage/4567/workspace.json", "{\"neither\": 1}")
        .write()
        .unwrap();
    let found = below(home.root());
    let (mut errors, mut findings) = (Vec::new(), found.findings.clone());
    for source in &found.sources {
        match source_summaries(&**source) {
            Ok(listed) => findings.extend(listed.findings),
            Err(error) => errors.push(format!("{}", error.because)),
        }
    }
    assert_eq!(errors.len(), 1);
    assert!(errors[0].contains("state.vscdb.backup is not a SQLite database"), "{errors:?}");
    let says: Vec<&str> = findings.iter().map(|finding| finding.says.as_str()).collect();
    assert_eq!(says.len(), 2, "{says:?}");
    assert!(
        says.iter().any(|says| says.contains("0123abcd/state.vscdb is not a SQLite database")),
        "{says:?}"
    );
    assert!(says.iter().any(|says| says.contains("neither a folder nor a workspace")), "{says:?}");
}
