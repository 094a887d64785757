//! `backscroll list`, from what is typed to what is seen.

use std::path::Path;

use backscroll_cli::Exit;
use backscroll_model::{Attribution, Finding, FindingKind, Flag, Layer, Origin, Workspace};
use serde_json::Value;

use crate::memory::{broken, finding, run, run_on_terminal, three};

fn ids(out: &str) -> Vec<String> {
    let id = |line: &str| line.split('\t').next().map(str::to_owned);
    out.lines().filter_map(id).collect()
}

#[test]
fn a_table_on_a_terminal() {
    let ran = run_on_terminal(&[three()], &["list", "--color", "never"]);
    assert_eq!(ran.exit, Exit::Done);
    insta::assert_snapshot!(ran.out, @r"
    CHANGED    TITLE             WORKSPACE  MESSAGES  ID
    yesterday  Fix the login                       2  aaaaaaaa-1
    18 Jan     Write the manual                    2  bbbbbbbb
    17 Jan     Fix the logout                      2  aaaaaaaa-3
    ");
    assert!(run_on_terminal(&[three()], &["list"]).out.contains('\u{1b}'), "coloured unless told otherwise");
}

#[test]
fn columns_elsewhere() {
    let ran = run(&[three()], &["list"]);
    assert_eq!(ids(&ran.out), ["aaaaaaaa-1111", "bbbbbbbb-2222", "aaaaaaaa-3333"]);
    assert!(!ran.out.contains('\u{1b}'));
}

/// C051: a folder that is asked for by a link is the folder behind it, too.
#[cfg(unix)]
#[test]
fn a_workspace_behind_a_link() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a path");
    std::fs::create_dir_all(root.join("real/myproject")).expect("a folder");
    std::os::unix::fs::symlink(root.join("real"), root.join("linked")).expect("a link");
    let mut source = three();
    let at = |path: std::path::PathBuf| Workspace {
        path: path.to_string_lossy().into_owned(),
        uri: None,
        remote: None,
        by: Attribution::Record,
    };
    source.fragments[0].summary.workspace = Some(at(root.join("real/myproject")));
    source.fragments[1].summary.workspace = Some(at(root.join("linked/myproject")));
    let asked = root.join("linked/myproject");
    let ran = run(&[source], &["list", "--workspace", &asked.to_string_lossy()]);
    assert_eq!(ids(&ran.out), ["aaaaaaaa-1111", "bbbbbbbb-2222"], "{}", ran.err);
}

/// The command line agent names its folder of sessions by the MD5 of where it ran.
#[test]
fn a_session_is_found_by_the_hash_of_its_workspace() {
    let mut source = three();
    let file = "/home/a/.cursor/chats/2a61245f996406cab491b3764ee0ddd7/bbbbbbbb-2222/store.db";
    source.fragments[1].summary.origins = vec![Origin::new(Layer::CliStore, Path::new(file), "meta:0")];
    for (asked, found) in
        [("/home/a/app", vec!["bbbbbbbb-2222"]), (".", vec!["bbbbbbbb-2222"]), ("/home/a", vec![])]
    {
        let ran = run(std::slice::from_ref(&source), &["list", "--workspace", asked]);
        assert_eq!(ids(&ran.out), found, "{asked}: {}", ran.err);
    }
}

#[test]
fn one_object_a_line() {
    let ran = run(&[three()], &["list", "--json"]);
    let objects: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(objects.len(), 3);
    assert!(objects.iter().all(|object| object["schema"] == "backscroll.summary/1"));
}

#[test]
fn filters_reach_the_query() {
    let mut hidden = three();
    hidden.fragments[1].summary.flags.insert(Flag::Archived);
    let table: [(&[&str], &[&str]); 8] = [
        (&[], &["aaaaaaaa-1111", "aaaaaaaa-3333"]),
        (&["--all"], &["aaaaaaaa-1111", "bbbbbbbb-2222", "aaaaaaaa-3333"]),
        (&["--title", "LOGOUT"], &["aaaaaaaa-3333"]),
        (&["--since", "yesterday"], &["aaaaaaaa-1111"]),
        (&["--since", "36h"], &["aaaaaaaa-1111"]),
        (&["--until", "2026-01-17"], &["aaaaaaaa-3333"]),
        (&["--until", "2026-01-16"], &[]),
        (&["--surface", "cli", "--surface", "sdk"], &[]),
    ];
    for (filters, expected) in table {
        let arguments: Vec<&str> = ["list"].iter().chain(filters).copied().collect();
        assert_eq!(ids(&run(&[hidden.clone()], &arguments).out), expected, "{filters:?}");
    }
}

#[test]
fn nothing_found_says_where_it_looked() {
    let ran = run(&[], &["list"]);
    assert_eq!((ran.exit, ran.out.as_str()), (Exit::NothingMatched, ""));
    assert!(ran.err.contains("looked in: /home/a"), "{}", ran.err);
    assert!(ran.err.contains("backscroll demo"), "{}", ran.err);
    assert_eq!(run(&[], &["list", "--quiet"]).err, "");
}

#[test]
fn nothing_matched_says_what_there_is() {
    let mut hidden = three();
    hidden.fragments.iter_mut().for_each(|conversation| {
        conversation.summary.flags.insert(Flag::Archived);
    });
    for arguments in [&["list"][..], &["export"], &["list", "--title", "nowhere", "--all"]] {
        let ran = run(std::slice::from_ref(&hidden), arguments);
        assert_eq!((ran.exit, ran.out.as_str()), (Exit::NothingMatched, ""), "{arguments:?}");
        assert!(ran.err.contains("there are 3 conversations in all; --all takes in"), "{}", ran.err);
    }
}

#[test]
fn a_folder_that_the_user_named_must_be_there() {
    for option in ["--home", "--store", "--user-data-dir"] {
        let ran = run(&[three()], &["list", option, "/no/such/folder"]);
        assert_eq!(ran.exit, Exit::Unreadable, "{option}");
        assert!(ran.err.starts_with("error: cannot read /no/such/folder: "), "{}", ran.err);
    }
}

#[test]
fn a_broken_store_is_reported_and_counts_only_if_nothing_else_is_left() {
    let mut broken = broken("/home/a/broken.vscdb");
    let ran = run(&[three(), broken.clone()], &["list"]);
    assert_eq!(ran.exit, Exit::Unreadable);
    let main =
        "error: the editor's main database cannot be read (/home/a/broken.vscdb: file is not a database)";
    assert!(ran.err.contains(main) && ran.err.contains("Backups: none found."), "{}", ran.err);
    assert!(!ran.out.is_empty(), "what could be read is there");
    broken.id.layer = Layer::CliStore;
    let ran = run(&[three(), broken.clone()], &["list"]);
    assert_eq!(ran.exit, Exit::Done);
    assert!(ran.err.contains("cannot read /home/a/broken.vscdb: file is not a database"), "{}", ran.err);
    for words in [&["list"][..], &["related", "@1"], &["replay", "@1"], &["redact", "--check", "@1"]] {
        assert_eq!(run(std::slice::from_ref(&broken), words).exit, Exit::Unreadable, "{words:?}");
    }
    assert_eq!(run(&[three(), broken], &["list", "--strict"]).exit, Exit::Findings);
}

#[test]
fn a_store_that_the_user_named_must_be_readable() {
    let file = std::env::current_exe().expect("this test").display().to_string();
    let broken = broken(&file);
    assert_eq!(run(&[three(), broken], &["list", "--store", &file]).exit, Exit::Unreadable);
    let ran = run(&[three()], &["list", "--store", "/no/such/file"]);
    assert_eq!(ran.exit, Exit::Unreadable);
    assert!(ran.err.starts_with("error: cannot read /no/such/file: "), "{}", ran.err);
}

#[test]
fn damage_is_said_in_words_and_what_is_normal_only_when_strict() {
    let mut odd = three();
    odd.findings.push(finding());
    let ran = run(std::slice::from_ref(&odd), &["list"]);
    assert_eq!((ran.exit, ran.err.as_str()), (Exit::Done, ""), "a NULL row is normal");
    let strict = run(std::slice::from_ref(&odd), &["list", "--strict"]);
    assert_eq!(strict.exit, Exit::Findings);
    assert!(strict.err.contains("a row without a value"), "{}", strict.err);
    odd.findings.push(Finding { kind: FindingKind::Damaged, says: "page 7 is lost".to_owned(), ..finding() });
    let ran = run(std::slice::from_ref(&odd), &["list"]);
    assert_eq!(ran.exit, Exit::Done);
    assert!(ran.err.contains("page 7 is lost") && ran.err.lines().count() == 1, "{}", ran.err);
    assert_eq!(run(&[odd], &["list", "--quiet"]).err, "");
}

#[test]
fn wrong_usage_is_code_two() {
    let table: [&[&str]; 6] = [
        &[],
        &["frobnicate"],
        &["list", "--since", "whenever"],
        &["list", "--surface", "fax"],
        &["show"],
        &["export", "--format", "pdf"],
    ];
    for arguments in table {
        let ran = run(&[three()], arguments);
        assert_eq!((ran.exit, ran.out.as_str()), (Exit::Usage, ""), "{arguments:?}");
        assert!(!ran.err.is_empty(), "{arguments:?}");
    }
}
