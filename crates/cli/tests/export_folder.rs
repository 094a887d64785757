//! `backscroll export` into a folder: what is written, what is left alone, what is refused.

use std::fs;
use std::path::Path;

use backscroll_cli::Exit;
use backscroll_fixtures::MemorySource;
use backscroll_model::{Attribution, Part, Payload, ToolCall, Workspace};
use sha2::{Digest, Sha256};

use crate::memory::{Ran, broken, conversation, holding, run, three};

fn export(sources: &MemorySource, folder: &Path, more: &[&str]) -> Ran {
    let place = folder.to_str().expect("a path");
    run(std::slice::from_ref(sources), &[&["export", "--format", "md", "-o", place], more].concat())
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder.join("no-workspace"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The folder is that of the workspace which the page names, even if only messages tell it.
#[test]
fn what_messages_tell_of_the_workspace_names_the_folder() {
    let mut told = conversation("cccccccc-4444", "Bar", 16);
    let arguments = r#"{"path":"/home/a/.config/waybar/style.css"}"#.to_owned();
    let call = ToolCall {
        name: "read".to_owned(),
        arguments: Some(Payload::from_text(arguments)),
        ..ToolCall::default()
    };
    told.messages[1].parts.push(Part::ToolCall(Box::new(call)));
    let folder = tempfile::tempdir().expect("a folder");
    let ran = export(&holding(vec![told]), folder.path(), &[]);
    assert_eq!(ran.exit, Exit::Done, "{}", ran.err);
    assert!(folder.path().join("waybar/2026-01-16-bar-cccccccc.md").is_file());
    assert!(!folder.path().join("no-workspace").exists());
}

#[test]
fn one_file_each_an_index_and_nothing_is_written_twice() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("notes");
    let ran = export(&three(), &folder, &[]);
    assert_eq!((ran.exit, ran.out.as_str()), (Exit::Done, ""), "{}", ran.err);
    let names = files(&folder);
    assert_eq!(names[2], "2026-01-19-fix-the-login-aaaaaaaa.md");
    assert_eq!(names.len(), 3);
    let index = fs::read_to_string(folder.join("README.md")).expect("an index");
    assert!(names.iter().all(|name| index.contains(&format!("(no-workspace/{name})"))), "{index}");
    let again = export(&three(), &folder, &[]);
    assert_eq!(again.exit, Exit::Refused);
    assert!(again.err.contains("--update"), "{}", again.err);
    let place = folder.join("no-workspace").join(&names[2]);
    let before = fs::metadata(&place).expect("a file").modified().expect("a time");
    let updated = export(&three(), &folder, &["--update"]);
    assert!(
        updated.err.contains("0 conversations written") && updated.err.contains("3 unchanged"),
        "{}",
        updated.err
    );
    assert_eq!(fs::metadata(&place).expect("a file").modified().expect("a time"), before);
}

#[cfg(unix)]
#[test]
fn files_are_readable_by_the_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    export(&three(), folder.path(), &[]);
    for name in ["README.md", ".backscroll-export", &format!("no-workspace/{}", files(folder.path())[0])] {
        let mode = fs::metadata(folder.path().join(name)).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn an_update_moves_what_was_renamed_and_touches_nothing_of_the_user() {
    let folder = tempfile::tempdir().expect("a folder");
    export(&three(), folder.path(), &[]);
    let names = files(folder.path());
    let edited = folder.path().join("no-workspace").join(&names[0]);
    fs::write(&edited, "my own words").expect("a file");
    fs::write(folder.path().join("no-workspace/mine.md"), "mine").expect("a file");
    let mut changed = three();
    changed.fragments[0].summary.title = Some("Another title".to_owned());
    changed.fragments[1].messages[1].parts = vec![Part::Text("Changed.".to_owned())];
    changed.fragments[2].messages[1].parts = vec![Part::Text("Changed.".to_owned())];
    let ran = export(&changed, folder.path(), &["--update"]);
    assert_eq!(ran.exit, Exit::Done, "{}", ran.err);
    let now = files(folder.path());
    assert!(now.contains(&"2026-01-19-another-title-aaaaaaaa.md".to_owned()), "{now:?}");
    assert!(!now.contains(&"2026-01-19-fix-the-login-aaaaaaaa.md".to_owned()), "{now:?}");
    assert!(now.contains(&"mine.md".to_owned()));
    assert_eq!(fs::read_to_string(&edited).expect("a file"), "my own words");
    assert!(ran.err.contains("left alone"), "{}", ran.err);
}

#[test]
fn a_foreign_file_is_not_overwritten_and_an_interrupted_export_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("README.md"), "mine").expect("a file");
    let refused = export(&three(), folder.path(), &["--update"]);
    assert_eq!(refused.exit, Exit::Refused);
    assert!(refused.err.contains("--force"), "{}", refused.err);
    assert!(!folder.path().join("no-workspace").exists(), "nothing was written");
    fs::remove_file(folder.path().join("README.md")).expect("a file");
    export(&three(), folder.path(), &[]);
    let names = files(folder.path());
    fs::remove_file(folder.path().join("no-workspace").join(&names[1])).expect("a file");
    let ran = export(&three(), folder.path(), &["--update"]);
    assert!(ran.err.contains("1 conversation written") && ran.err.contains("2 unchanged"), "{}", ran.err);
}

#[test]
fn every_format_to_standard_output() {
    for (format, expected) in
        [("md", "# Fix the login"), ("txt", "Fix the login\n====="), ("csv", "conversation,title,")]
    {
        let ran = run(&[three()], &["export", "--format", format]);
        assert_eq!(ran.exit, Exit::Done, "{}", ran.err);
        assert!(ran.out.starts_with(expected), "{}", ran.out);
        assert!(ran.out.contains("Because.") && ran.out.contains("Write the manual"), "{}", ran.out);
    }
    let several = run(&[three()], &["export", "--format", "html"]);
    assert_eq!(several.exit, Exit::Usage);
    assert!(several.err.contains("name a folder with -o"), "{}", several.err);
    assert!(run(&[three()], &["export", "bbbb", "--format", "html"]).out.starts_with("<!DOCTYPE html>"));
}

#[test]
fn secrets_stay_home_where_they_should() {
    let mut secret = three();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    secret.fragments[1].messages[0].parts = vec![Part::Text(format!("use {token} now"))];
    let one = |more: &[&str]| run(std::slice::from_ref(&secret), &[&["export", "bbbb"], more].concat());
    assert!(one(&["--format", "md"]).out.contains(&token));
    for redacted in [one(&["--format", "md", "--redact"]), one(&["--format", "html"])] {
        assert!(!redacted.out.contains(&token), "{}", redacted.out);
        assert!(redacted.err.contains("redacted: 1 "), "{}", redacted.err);
    }
    assert!(one(&["--format", "html", "--no-redact"]).out.contains(&token));
}

#[test]
fn the_index_tells_the_same_of_those_that_were_written_earlier() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut source = three();
    for conversation in &mut source.fragments {
        conversation.summary.models = vec!["model-one".to_owned(), "model two".to_owned()];
    }
    let place = folder.path().to_str().expect("a path");
    let all = run(std::slice::from_ref(&source), &["export", "--format", "html", "-o", place]);
    assert_eq!(all.exit, Exit::Done, "{}", all.err);
    let index = || fs::read_to_string(folder.path().join("index.html")).expect("an index");
    let before = index();
    assert_eq!(before.matches("model two").count(), 3, "{before}");
    let one = run(&[source], &["export", "bbbb", "--format", "html", "--update", "-o", place]);
    assert_eq!(one.exit, Exit::Done, "{}", one.err);
    assert_eq!(index(), before);
}

#[test]
fn a_subagent_is_called_by_its_title() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut source = three();
    source.fragments[0].summary.children = vec!["bbbbbbbb-2222".into()];
    source.fragments[1].summary.parent = Some("aaaaaaaa-1111".into());
    let ran = export(&source, folder.path(), &["--all"]);
    assert_eq!(ran.exit, Exit::Done, "{}", ran.err);
    let text = |part: &str| {
        let name = files(folder.path()).into_iter().find(|name| name.contains(part)).expect("a file");
        fs::read_to_string(folder.path().join("no-workspace").join(name)).expect("text")
    };
    let link = "[Write the manual](../no-workspace/2026-01-18-write-the-manual-bbbbbbbb.md)";
    assert!(text("login").contains(&format!("Started {link}.")), "{}", text("login"));
    assert!(text("manual").contains("Started by [Fix the login]("), "{}", text("manual"));
}

#[test]
fn a_list_of_files_that_names_others_leads_nowhere() {
    let parent = tempfile::tempdir().expect("a folder");
    let (folder, outside) = (parent.path().join("notes"), parent.path().join("outside.md"));
    export(&three(), &folder, &[]);
    fs::write(&outside, "mine").expect("a file");
    let list = folder.join(".backscroll-export");
    let digest =
        Sha256::digest(b"mine").iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    let mut lines = fs::read_to_string(&list).expect("the list");
    // As if the first conversation had once been written there, and under a name that Windows would follow.
    for path in ["../outside.md", "no-workspace/../../outside.md", "c:outside.md"] {
        let first = lines.lines().find(|line| line.contains("aaaaaaaa-1111")).expect("a line");
        let mut line: serde_json::Value = serde_json::from_str(first).expect("JSON");
        line["file"]["path"] = path.into();
        line["file"]["hash"] = digest.as_str().into();
        lines = format!("{lines}{line}\n");
    }
    fs::write(&list, lines).expect("written");
    let ran = export(&three(), &folder, &["--update"]);
    assert_eq!(ran.exit, Exit::Done, "{}", ran.err);
    assert_eq!(fs::read_to_string(&outside).expect("still there"), "mine");
    assert!(!fs::read_to_string(folder.join("README.md")).expect("an index").contains("outside"));
}

#[test]
fn a_list_of_an_earlier_version_still_says_which_files_are_ours() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("notes");
    export(&three(), &folder, &[]);
    let list = folder.join(".backscroll-export");
    let mut before = "backscroll-export 1\n".to_owned();
    for line in fs::read_to_string(&list).expect("the list").lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        if let (Some(hash), Some(path)) = (line["file"]["hash"].as_str(), line["file"]["path"].as_str()) {
            before = format!("{before}{hash}\t{path}\taaaaaaaa-1111\tide\n");
        }
    }
    fs::write(&list, before).expect("written");
    let name = files(folder.as_path()).into_iter().find(|name| name.contains("manual")).expect("a file");
    let changed = folder.join("no-workspace").join(name);
    fs::write(&changed, "mine").expect("written");
    let mut source = three();
    source.fragments[0].messages[0].parts.push(backscroll_model::Part::Text("More words.".into()));
    let ran = export(&source, &folder, &["--update"]);
    assert_eq!(ran.exit, Exit::Done, "{}", ran.err);
    assert!(ran.err.contains("1 conversation written"), "{}", ran.err);
    assert_eq!(fs::read_to_string(&changed).expect("still there"), "mine");
    assert!(fs::read_to_string(&list).expect("the list").starts_with("{\"schema\":"));
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_folder_is_not_followed() {
    let parent = tempfile::tempdir().expect("a folder");
    let (folder, outside) = (parent.path().join("notes"), parent.path().join("outside"));
    fs::create_dir_all(&folder).expect("a folder");
    fs::create_dir(&outside).expect("a folder");
    std::os::unix::fs::symlink(&outside, folder.join("no-workspace")).expect("a link");
    let ran = export(&three(), &folder, &[]);
    assert_eq!(ran.exit, Exit::Refused, "{}", ran.err);
    assert!(ran.err.contains("is not a folder"), "{}", ran.err);
    assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 0);
}

#[test]
fn an_export_of_nothing_leaves_nothing() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("some").join("notes");
    let none = export(&three(), &folder, &["--title", "nobody called it so"]);
    assert_eq!(none.exit, Exit::NothingMatched, "{}", none.err);
    assert!(!parent.path().join("some").exists(), "the folder above was made for it too");
    let named = export(&three(), &folder, &["bbbb", "--title", "login"]);
    assert_eq!(named.exit, Exit::NothingMatched, "{}", named.err);
    assert!(!parent.path().join("some").exists());
    fs::create_dir_all(&folder).expect("a folder");
    export(&three(), &folder, &["--title", "nobody called it so"]);
    assert!(folder.is_dir(), "what was there stays");
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0);
}

#[test]
fn what_is_in_the_way_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("README.md"), "mine").expect("a file");
    let one = export(&three(), folder.path(), &[]).err;
    assert!(one.contains("error: README.md exists already in "), "{one}");
    assert!(one.contains("overwrite it with --force"), "{one}");
    fs::remove_file(folder.path().join("README.md")).expect("a file");
    export(&three(), folder.path(), &["bbbb"]);
    let two = export(&three(), folder.path(), &["bbbb"]).err;
    assert!(two.contains("bbbbbbbb.md and README.md exist already in "), "{two}");
    assert!(two.contains("bring them up to date with --update"), "{two}");
    let many = holding((10..19).map(|day| conversation(&format!("{day}-id"), "Talk", day)).collect());
    let folder = tempfile::tempdir().expect("a folder");
    export(&many, folder.path(), &[]);
    let all = export(&many, folder.path(), &[]).err;
    assert!(all.contains(" and 5 more exist already in "), "{all}");
}

#[cfg(unix)]
#[test]
fn a_new_folder_is_private_and_an_existing_one_stays_as_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().expect("a folder");
    let mode = |path: &Path| fs::metadata(path).expect("a folder").permissions().mode() & 0o777;
    let new = parent.path().join("above/notes");
    assert_eq!(export(&three(), &new, &[]).exit, Exit::Done);
    for folder in [parent.path().join("above"), new.clone(), new.join("no-workspace")] {
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
    }
    let old = parent.path().join("shared");
    fs::create_dir(&old).expect("a folder");
    fs::set_permissions(&old, fs::Permissions::from_mode(0o755)).expect("permissions");
    assert_eq!(export(&three(), &old, &[]).exit, Exit::Done);
    assert_eq!((mode(&old), mode(&old.join("no-workspace"))), (0o755, 0o700));
}

fn manifest(folder: &Path) -> String {
    fs::read_to_string(folder.join(".backscroll-export")).expect("a manifest")
}

fn index(folder: &Path) -> String {
    fs::read_to_string(folder.join("README.md")).expect("an index")
}

#[test]
fn an_update_removes_what_is_gone_from_the_history() {
    let folder = tempfile::tempdir().expect("a folder");
    export(&three(), folder.path(), &[]);
    let mut fewer = three();
    let gone = fewer.fragments.remove(1);
    // What is only not asked for stays.
    let ran = export(&fewer, folder.path(), &["--update", "--title", "login"]);
    assert!(ran.err.contains("1 unchanged, 1 removed"), "{}", ran.err);
    let names = files(folder.path());
    assert_eq!(names.len(), 2, "{names:?}");
    for text in [manifest(folder.path()), index(folder.path())] {
        assert!(!text.contains("manual") && text.contains("login") && text.contains("logout"), "{text}");
    }
    // What the user changed stays as well, but is not ours any more; an empty folder goes.
    let mut apart = three();
    apart.fragments[0].summary.workspace =
        Some(Workspace { path: "/home/a/lamp".to_owned(), uri: None, remote: None, by: Attribution::Header });
    export(&apart, folder.path(), &["--update"]);
    assert!(folder.path().join("lamp").is_dir());
    let manual = files(folder.path()).into_iter().find(|name| name.contains("manual")).expect("a file");
    fs::write(folder.path().join("no-workspace").join(&manual), "my own words").expect("written");
    let ran = export(&holding(vec![three().fragments.remove(2)]), folder.path(), &["--update"]);
    assert!(ran.err.contains("left alone") && ran.err.contains("1 removed"), "{}", ran.err);
    assert!(files(folder.path()).contains(&manual) && !folder.path().join("lamp").exists());
    assert!(!manifest(folder.path()).contains(gone.summary.id.as_str()));
}

#[test]
fn what_was_exported_from_another_home_is_not_gone() {
    let (folder, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    export(&three(), folder.path(), &[]);
    let before = files(folder.path());
    let home = ["--update", "--home", other.path().to_str().expect("a path")];
    let elsewhere = holding(vec![conversation("bbbbbbbb", "Elsewhere", 5)]);
    let ran = export(&elsewhere, folder.path(), &home);
    assert!(!ran.err.contains("removed"), "{}", ran.err);
    let both = files(folder.path());
    assert!(both.len() == 4 && before.iter().all(|name| both.contains(name)), "{both:?}");
    assert!(index(folder.path()).contains("Elsewhere") && index(folder.path()).contains("login"));
    // Of its own home it is.
    let ran = export(&holding(vec![three().fragments.remove(0)]), folder.path(), &["--update"]);
    assert!(ran.err.contains("2 removed"), "{}", ran.err);
    assert_eq!(files(folder.path()).len(), 2);
}

#[test]
fn what_is_gone_is_kept_and_marked_if_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    export(&three(), folder.path(), &[]);
    let before = files(folder.path());
    let mut fewer = three();
    fewer.fragments.remove(1);
    for told in ["2 unchanged, 1 marked as deleted\n", "2 unchanged\n"] {
        let ran = export(&fewer, folder.path(), &["--update", "--keep-deleted"]);
        assert!(ran.err.contains(told), "{}", ran.err);
        assert_eq!(files(folder.path()), before);
        let line = |text: String| text.lines().find(|line| line.contains("manual")).map(str::to_owned);
        assert!(line(index(folder.path())).expect("a line").ends_with(" · deleted"));
        assert!(line(manifest(folder.path())).expect("a line").contains("\"deleted\""));
    }
    // It is back.
    export(&three(), folder.path(), &["--update"]);
    assert!(!index(folder.path()).contains("deleted") && !manifest(folder.path()).contains("\"deleted\""));
    let alone = run(&[three()], &["export", "--keep-deleted"]);
    assert_eq!(alone.exit, Exit::Usage);
}

#[test]
fn nothing_is_removed_where_a_store_cannot_be_read_or_only_some_are_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    export(&three(), folder.path(), &[]);
    let mut fewer = three();
    fewer.fragments.remove(1);
    let place = folder.path().to_str().expect("a path");
    let words = ["export", "--format", "md", "-o", place, "--update"];
    let ran = run(&[fewer.clone(), broken("/home/a/other.vscdb")], &words);
    assert!(ran.err.contains("1 conversation not found any more, but kept"), "{}", ran.err);
    assert_eq!(files(folder.path()).len(), 3);
    let ran = run(&[fewer], &[&words[..], &["--store", place]].concat());
    assert_eq!(ran.exit, Exit::Done, "{}", ran.err);
    assert_eq!(files(folder.path()).len(), 3);
}

#[test]
fn the_manifest_holds_no_control_characters() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut odd = three();
    let title = "a\u{9b}31m \u{202e}b\u{7f}\u{1b}[2J\u{200f}\u{61c}";
    odd.fragments[0].summary.title = Some(title.to_owned());
    export(&odd, folder.path(), &[]);
    for _ in 0..2 {
        let text = manifest(folder.path());
        let is_raw = |c: char| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        };
        assert!(!text.contains(is_raw), "{text:?}");
        let line = text.lines().find(|line| line.contains("aaaaaaaa-1111")).expect("a line");
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(line["file"]["summary"]["title"], title);
        export(&odd, folder.path(), &["--update"]);
    }
}
