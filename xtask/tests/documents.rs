//! Documents that are written by the repository's own chores, and are never out of date.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::repository::root;

fn chore(words: &[&str], out: &Path) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_xtask")).args(words).arg("--out").arg(out).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_command_reference_says_what_the_program_says() {
    let folder = tempfile::tempdir().unwrap();
    let fresh = folder.path().join("cli.md");
    chore(&["reference"], &fresh);
    let committed = fs::read_to_string(root().join("docs/cli.md")).unwrap();
    let is_same = committed == fs::read_to_string(fresh).unwrap();
    assert!(is_same, "run `cargo run -p xtask -- reference --out docs/cli.md`");
}

#[test]
fn the_command_reference_names_every_variable() {
    let asks = fs::read_to_string(root().join("crates/cli/src/environment.rs")).unwrap();
    let is_name = |word: &&str| word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let names: Vec<&str> = asks.split('"').skip(1).step_by(2).filter(is_name).collect();
    assert!(names.contains(&"NO_COLOR"), "the names were read: {names:?}");
    let reference = fs::read_to_string(root().join("docs/cli.md")).unwrap();
    for name in names {
        assert!(reference.contains(&format!("| `{name}` |")), "docs/cli.md does not name {name}");
    }
}

#[test]
fn the_picture_does_not_depend_on_the_day() {
    let folder = tempfile::tempdir().unwrap();
    let draw = |name: &str| {
        chore(&["picture"], &folder.path().join(name));
        fs::read_to_string(folder.path().join(name).join("backscroll.svg")).unwrap()
    };
    let first = draw("first");
    assert!(first.contains("High water is an hour late in summer") && first.contains("10 h ago"));
    assert!(!first.contains(&folder.path().display().to_string()));
    assert_eq!(first, draw("second"));
}

#[test]
fn whom_we_believe_is_written_once() {
    let source = fs::read_to_string(root().join("crates/history/src/merge/mod.rs")).unwrap();
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let rows: Vec<&str> = source.lines().filter_map(|line| line.strip_prefix("//! |")).collect();
    assert!(rows.len() > 8, "the table was read");
    for row in rows {
        assert!(page.contains(row), "ARCHITECTURE.md lacks this line of merge/mod.rs:\n|{row}");
    }
}

fn is_markdown(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending == "md")
}

/// Every relative link of our documents leads to a file.
#[test]
fn links_lead_somewhere() {
    let mut seen = 0;
    for file in crate::repository::text_files().iter().filter(|file| is_markdown(&file.path)) {
        let folder = root().join(&file.path).parent().unwrap().to_owned();
        let targets =
            file.text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
        for target in targets.filter(|link| !link.contains(':') && !link.starts_with('#')) {
            let path = target.split('#').next().unwrap();
            assert!(folder.join(path).exists(), "{}: {target} leads nowhere", file.path);
            seen += 1;
        }
    }
    assert!(seen > 5, "the links were read");
}

/// Files of the repository that a document names in backticks: whole paths, and paths below `crates/`.
#[test]
fn every_file_that_a_document_names_is_there() {
    let mut named = 0;
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(root().join(document)).unwrap();
        let is_path = |word: &&str| {
            let is_plain =
                word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_'));
            let ending = Path::new(word).extension().and_then(|ending| ending.to_str());
            is_plain && word.contains('/') && matches!(ending, Some("rs" | "mjs" | "md"))
        };
        for path in text.split(['`', ' ', '\n']).filter(is_path) {
            named += 1;
            let is_there = ["", "crates"].iter().any(|folder| root().join(folder).join(path).exists())
                || fs::read_dir(root().join("crates")).unwrap().flatten().any(|room| {
                    ["", "src"].iter().any(|folder| room.path().join(folder).join(path).exists())
                });
            assert!(is_there, "{document} names {path}, which is not there");
        }
    }
    assert!(named > 40, "the documents were read: {named}");
}
