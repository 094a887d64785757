//! `backscroll export`: every format in a folder, all in one file, pictures beside the documents.

use std::fs;
use std::path::{Path, PathBuf};

use backscroll_cli::Exit;
use backscroll_fixtures::MemorySource;
use backscroll_model::{Image, Part};
use serde_json::Value;

use crate::memory::{Ran, run, three};

fn export(source: &MemorySource, format: &str, place: &str, more: &[&str]) -> Ran {
    run(std::slice::from_ref(source), &[&["export", "--format", format, "-o", place], more].concat())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

#[test]
fn every_format_into_a_folder() {
    for (format, begins) in [
        ("json", "[\n{"),
        ("jsonl", "{\"schema\":\"backscroll.conversation/1\""),
        ("csv", "conversation,title,"),
        ("txt", "Fix the log"),
        ("html", "<!DOCTYPE html>"),
    ] {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = parent.path().join("all");
        let place = format!("{}/", folder.display());
        let ran = export(&three(), format, &place, &["--title", "log"]);
        assert_eq!((ran.exit, ran.out.as_str()), (Exit::Done, ""), "{format}: {}", ran.err);
        let written = files(&folder.join("no-workspace"));
        assert_eq!(written.len(), 2, "{format}: {written:?}");
        for file in written {
            assert_eq!(file.extension().and_then(|ending| ending.to_str()), Some(format));
            let text = fs::read_to_string(file).expect("text");
            assert!(text.starts_with(begins) && text.contains("Because."), "{format}: {text}");
            match format {
                "json" => assert_eq!(serde_json::from_str::<Vec<Value>>(&text).expect("an array").len(), 1),
                "jsonl" => assert!(serde_json::from_str::<Value>(&text).is_ok() && text.ends_with('\n')),
                "csv" => assert_eq!(text.lines().count(), 3, "a head and two messages: {text}"),
                _ => {}
            }
        }
        let again = export(&three(), format, &place, &["--title", "log", "--update"]);
        assert!(again.err.contains("2 unchanged"), "{format}: {}", again.err);
        assert_eq!(folder.join("index.html").is_file(), format == "html");
    }
}

#[test]
fn all_in_one_file_whatever_it_is_called() {
    let folder = tempfile::tempdir().expect("a folder");
    for (format, separator) in [("md", "\n---\n"), ("txt", "\n\n")] {
        let place = folder.path().join(format!("all-of-it-{format}"));
        let ran = export(&three(), format, place.to_str().expect("a path"), &["--single"]);
        assert_eq!(ran.exit, Exit::Done, "{}", ran.err);
        let text = fs::read_to_string(&place).expect("one file");
        for title in ["Fix the login", "Write the manual", "Fix the logout"] {
            assert!(text.contains(title), "{format}: {text}");
        }
        assert!(text.contains(separator), "{format}: {text}");
    }
    let page = folder.path().join("page");
    let refused = export(&three(), "html", page.to_str().expect("a path"), &["--single"]);
    assert_eq!(refused.exit, Exit::Usage);
    assert!(!page.exists());
}

/// Three conversations; the first shows a picture twice, and files that are called pictures but are none.
fn with_pictures(folder: &Path) -> MemorySource {
    const PICTURE: &str =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
    let (real, key) = (folder.join("real.gif"), folder.join("key.png"));
    fs::write(&real, b"GIF89a and so on").expect("written");
    fs::write(&key, "-----BEGIN A KEY-----").expect("written");
    let image = |data: Option<&str>, path: Option<&Path>| {
        Part::from(Image {
            path: path.map(|path| path.to_str().expect("text").to_owned()),
            media_type: Some("image/png".to_owned()),
            data: data.map(str::to_owned),
            description: Some("a picture".to_owned()),
        })
    };
    let mut source = three();
    source.fragments[0].messages[0].parts.extend([
        image(Some(PICTURE), None),
        image(Some(&format!("data:image/png;base64,{PICTURE}")), None),
        image(None, Some(&real)),
        image(None, Some(&key)),
    ]);
    source
}

#[test]
fn pictures_lie_beside_the_documents_once_and_nothing_else_does() {
    let parent = tempfile::tempdir().expect("a folder");
    let source = with_pictures(parent.path());
    let folder = parent.path().join("notes");
    let ran = export(&source, "md", folder.to_str().expect("a path"), &["--assets"]);
    assert_eq!(ran.exit, Exit::Done, "{}", ran.err);
    let assets = files(&folder.join("assets"));
    let is_by_content = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem.len() == 16);
    assert!(assets.iter().all(is_by_content), "two pictures must not share a name: {assets:?}");
    let endings: Vec<_> = assets.iter().filter_map(|path| path.extension()?.to_str()).collect();
    assert_eq!(
        (assets.len(), endings.contains(&"png"), endings.contains(&"gif")),
        (2, true, true),
        "{assets:?}"
    );
    let login =
        files(&folder.join("no-workspace")).into_iter().find(|path| path.to_string_lossy().contains("login"));
    let document = fs::read_to_string(login.expect("the conversation")).expect("text");
    for asset in &assets {
        let name = asset.file_name().expect("a name").to_string_lossy();
        assert!(document.contains(&format!("](../assets/{name})")), "{document}");
    }
    let one = parent.path().join("one.md");
    let ran = export(&source, "md", one.to_str().expect("a path"), &["--assets", "--title", "login"]);
    assert_eq!(ran.exit, Exit::Done, "{}", ran.err);
    assert_eq!(files(&parent.path().join("assets")).len(), 2);
    assert!(fs::read_to_string(&one).expect("text").contains("](assets/"));
}

#[test]
fn a_page_shows_pictures_whose_files_are_still_there_and_no_other_file() {
    let parent = tempfile::tempdir().expect("a folder");
    let source = with_pictures(parent.path());
    let page = parent.path().join("page.html");
    let ran = export(&source, "html", page.to_str().expect("a path"), &["--title", "login"]);
    assert_eq!(ran.exit, Exit::Done, "{}", ran.err);
    let text = fs::read_to_string(&page).expect("a page");
    assert!(text.contains("src=\"data:image/gif;base64,R0lGODlhIGFuZCBzbyBvbg==\""), "{text}");
    assert_eq!(text.matches("<img").count(), 3, "the file that is no picture is only named");
    assert!(text.contains("key.png") && !text.contains("LS0tLS1CRUdJTiBBIEtFWS0tLS0t"), "{text}");
    // What programs read stays as it is stored.
    let lines = run(&[source], &["export", "--title", "login"]).out;
    assert!(!lines.contains("R0lGODlhIGFuZCBzbyBvbg"), "{lines}");
}

#[test]
fn pictures_beside_a_document_that_shows_none_are_spoken_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let export = |format: &str, place: &str| {
        let place =
            if place == "-" { place.to_owned() } else { folder.path().join(place).display().to_string() };
        run(&[three()], &["export", "bbbb", "--format", format, "--assets", "-o", &place])
    };
    let table = [
        ("html", "page.html", Some("a page holds its pictures itself")),
        ("csv", "rows.csv", Some("does not show pictures")),
        ("md", "-", Some("standard output")),
        ("md", "talk.md", None),
    ];
    for (format, place, told) in table {
        let ran = export(format, place);
        assert_eq!(ran.exit, Exit::Done, "{}", ran.err);
        assert_eq!(ran.err.contains("--assets does nothing here"), told.is_some(), "{}", ran.err);
        assert!(ran.err.contains(told.unwrap_or_default()), "{}", ran.err);
    }
}

#[test]
fn the_pictures_of_what_is_gone_go_with_it() {
    let parent = tempfile::tempdir().expect("a folder");
    let mut source = with_pictures(parent.path());
    let shared = source.fragments[0].messages[0].parts[1].clone();
    source.fragments[1].messages[0].parts.push(shared);
    let folder = parent.path().join("notes");
    let place = folder.to_str().expect("a path");
    export(&source, "md", place, &["--assets"]);
    fs::write(folder.join("assets/mine.png"), "mine").expect("written");
    let assets =
        || files(&folder.join("assets")).into_iter().filter_map(|path| Some(path.extension()?.to_owned()));
    assert_eq!(assets().collect::<Vec<_>>().len(), 3);
    source.fragments.remove(0);
    let ran = export(&source, "md", place, &["--assets", "--update"]);
    assert!(ran.err.contains("1 removed"), "{}", ran.err);
    assert!(
        assets().eq(["png", "png"]),
        "one is still shown, one is the user's: {:?}",
        files(&folder.join("assets"))
    );
    fs::remove_file(folder.join("assets/mine.png")).expect("removed");
    source.fragments.remove(0);
    assert_eq!(export(&source, "md", place, &["--update"]).exit, Exit::Done);
    assert!(!folder.join("assets").exists());
}
