//! What every file must be: introduced, finished, not too long, and without a trace of the machine it was written on.

use std::collections::BTreeMap;
use std::path::Path;

use crate::repository::{TextFile, text_files};

/// Production lines (tests left out) that a file may have before it must be split.
const LONGEST_FILE: usize = 800;

/// Files that may be longer, each with its reason.
const LET_OFF: &[(&str, &str)] = &[];

// The words are put together here, so that this file does not hold them itself.
const UNFINISHED: &[&str] =
    &[concat!("todo", "!("), concat!("unimplemented", "!("), concat!("dbg", "!("), concat!("FIX", "ME")];
const OF_A_MACHINE: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/fa", "rm/")];

/// Ways to open a plain file of Cursor's that would wait for a pipe or read a device without end.
const OTHER_WAYS: &[&str] = &["File::open(", "fs::read(", "fs::read_to_string("];

/// What is wrong with one file.
fn troubles(file: &TextFile) -> Vec<String> {
    let TextFile { path, text } = file;
    let mut troubles = Vec::new();
    for place in OF_A_MACHINE.iter().filter(|place| text.contains(**place)) {
        troubles.push(format!("{path}: names {place}, a folder of some machine"));
    }
    if Path::new(path).extension().is_some_and(|ending| ending == "rs") {
        troubles.extend(source_troubles(path, text));
    }
    if path.ends_with("Cargo.toml") && (path.starts_with("crates/") || path.starts_with("xtask/")) {
        troubles.extend(manifest_troubles(path, text));
    }
    troubles
}

fn source_troubles(path: &str, text: &str) -> Vec<String> {
    let mut troubles = Vec::new();
    if !text.starts_with("//!") {
        troubles.push(format!("{path}: does not begin with `//!`"));
    }
    for word in UNFINISHED.iter().filter(|word| text.contains(**word)) {
        troubles.push(format!("{path}: holds {word}"));
    }
    let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
    if path.starts_with("crates/cli/src/")
        && !path.ends_with("/wiring.rs")
        && text.contains("backscroll_cursor_store")
    {
        troubles.push(format!("{path}: only wiring.rs knows the room of the stores"));
    }
    if path.starts_with("crates/cursor-store/src/") && !path.ends_with("/plain_file.rs") {
        for way in OTHER_WAYS.iter().filter(|way| shipped.contains(**way)) {
            troubles.push(format!("{path}: {way} opens a file in another way than plain_file.rs"));
        }
    }
    let lines = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).count();
    let is_test = path.contains("/tests/") || path.ends_with("tests.rs");
    if lines > LONGEST_FILE && !is_test && !LET_OFF.iter().any(|(file, _)| *file == path) {
        troubles.push(format!("{path}: {lines} lines, {LONGEST_FILE} allowed"));
    }
    troubles
}

fn manifest_troubles(path: &str, text: &str) -> Vec<String> {
    let mut troubles = Vec::new();
    if !text.contains("[lints]\nworkspace = true") {
        troubles.push(format!("{path}: does not take over the workspace's lints"));
    }
    if text.contains("[[test]]") && !text.contains("autotests = false") {
        troubles.push(format!("{path}: has more than one binary of integration tests"));
    }
    troubles
}

#[test]
fn every_file_keeps_the_house_rules() {
    let files = text_files();
    assert!(files.iter().any(|file| file.path == "crates/model/src/lib.rs"), "the files were read");
    let troubles: Vec<_> = files.iter().flat_map(troubles).collect();
    assert!(troubles.is_empty(), "{}", troubles.join("\n"));
}

/// The types that a file declares, without those inside of functions and traits.
fn declared_types(text: &str) -> impl Iterator<Item = &str> {
    const KINDS: [&str; 4] = ["struct", "enum", "trait", "type"];
    text.lines().filter_map(|line| {
        let mut words = line.split(' ').skip_while(|word| word.starts_with("pub"));
        let is_declared = words.next().is_some_and(|word| KINDS.contains(&word));
        let name = words.next().filter(|_| is_declared)?;
        name.split(|c: char| !c.is_alphanumeric()).next()
    })
}

#[test]
fn types_of_model_and_history_have_names_of_their_own() {
    let mut files_by_type: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for TextFile { path, text } in text_files() {
        if path.starts_with("crates/") && path.contains("/src/") {
            for name in declared_types(&text) {
                files_by_type.entry(name.to_owned()).or_default().push(path.clone());
            }
        }
    }
    assert_eq!(files_by_type["Conversation"], ["crates/model/src/conversation.rs"], "the files were read");
    let is_common =
        |path: &String| path.starts_with("crates/model/src/") || path.starts_with("crates/history/src/");
    files_by_type.retain(|_, files| files.len() > 1 && files.iter().any(is_common));
    assert!(files_by_type.is_empty(), "{files_by_type:#?}");
}

#[test]
fn a_bad_file_is_noticed() {
    let bad = |path: &str, text: String| troubles(&TextFile { path: path.into(), text }).len();
    let begin = "//! For nothing.\n";
    assert_eq!(bad("crates/a/src/b.rs", "fn b() {}\n".into()), 1, "no introduction");
    let stores = format!("{begin}use backscroll_cursor_store::find;\n");
    assert_eq!(bad("crates/cli/src/b.rs", stores), 1, "a face that knows the stores");
    assert_eq!(bad("crates/a/src/b.rs", begin.repeat(801)), 1, "too long");
    assert_eq!(bad("crates/a/src/b.rs", format!("{begin}fn b() {{ {}) }}", UNFINISHED[0])), 1, "unfinished");
    assert_eq!(bad("README.md", format!("see {}x", OF_A_MACHINE[0])), 1, "a machine's folder");
    assert_eq!(bad("crates/a/Cargo.toml", "[package]\n[[test]]\n".into()), 2, "no lints, many test binaries");
    assert_eq!(bad("crates/a/src/lib.rs", format!("{begin}mod b;\n")), 0, "and a good one is not");
}
