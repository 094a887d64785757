//! `backscroll export`, from what is typed to what is written.

use std::fs;

use backscroll_cli::Exit;
use backscroll_model::{Finding, FindingKind, Part};
use serde_json::Value;

use crate::memory::{conversation, finding, holding, run, run_on_terminal, three};

fn titles(out: &str) -> Vec<String> {
    let title =
        |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["title"].as_str().map(str::to_owned);
    out.lines().filter_map(title).collect()
}

#[test]
fn every_conversation_in_the_order_of_the_listing() {
    let conversations = (0..50_u8)
        .map(|number| conversation(&format!("id-{number}"), &format!("{number}"), 28 - number % 28));
    let many = holding(conversations.collect());
    let listed = run(std::slice::from_ref(&many), &["list"]).out;
    let listed: Vec<_> =
        listed.lines().filter_map(|line| line.rsplit('\t').next()).map(str::to_owned).collect();
    let ran = run(&[many], &["export"]);
    assert_eq!(ran.exit, Exit::Done);
    assert_eq!(titles(&ran.out), listed);
    assert_eq!(listed.len(), 50);
}

#[test]
fn an_array_if_asked() {
    let array: Value =
        serde_json::from_str(&run(&[three()], &["export", "--format", "json"]).out).expect("JSON");
    assert_eq!(array.as_array().map(Vec::len), Some(3));
    assert_eq!(array[0]["schema"], "backscroll.conversation/1");
    let ran = run(&[], &["export", "--format", "json"]);
    assert_eq!((ran.exit, ran.out.as_str()), (Exit::NothingMatched, "[]\n"));
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("all.jsonl");
    let file = place.to_str().expect("a path");
    assert_eq!(run(&[], &["export", "-o", file]).exit, Exit::NothingMatched);
    assert!(!place.exists());
    let ran = run(&[three()], &["export", "-o", file]);
    assert_eq!((ran.exit, ran.out.as_str()), (Exit::Done, ""));
    assert_eq!(ran.err, format!("note: 3 conversations written to {file}\n"));
    assert_eq!(titles(&fs::read_to_string(&place).expect("the file")).len(), 3);
    let refused = run(&[three()], &["export", "-o", file, "--title", "manual"]);
    assert_eq!(refused.exit, Exit::Refused);
    assert!(refused.err.contains("exists already") && refused.err.contains("--force"), "{}", refused.err);
    assert_eq!(titles(&fs::read_to_string(&place).expect("the file")).len(), 3);
    assert_eq!(run(&[three()], &["export", "-o", file, "--title", "manual", "--force"]).exit, Exit::Done);
    assert_eq!(titles(&fs::read_to_string(&place).expect("the file")).len(), 1);
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1, "nothing is left beside it");
}

#[test]
fn a_place_that_cannot_be_written_is_told_before_anything_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let nowhere = folder.path().join("no/such.jsonl");
    let ran = run(&[three()], &["export", "-o", nowhere.to_str().expect("a path")]);
    assert_eq!(ran.exit, Exit::Refused);
    assert!(ran.err.contains("there is no folder") && !ran.err.contains("at path"), "{}", ran.err);
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 0, "nothing is left");
}

#[test]
fn the_name_of_the_file_tells_the_format() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, begins) in [("a.html", "<!DOCTYPE html>"), ("a.md", "---"), ("a.json", "["), ("a.log", "{")] {
        let place = folder.path().join(name);
        let ran = run(&[three()], &["export", "@1", "-o", place.to_str().expect("a path")]);
        assert_eq!(ran.exit, Exit::Done, "{}", ran.err);
        let text = fs::read_to_string(&place).expect("a file");
        assert!(text.starts_with(begins), "{name}: {text}");
    }
}

#[test]
fn findings_of_conversations_are_counted() {
    let mut odd = three();
    odd.fragments[0].findings.push(finding());
    let ran = run(std::slice::from_ref(&odd), &["export"]);
    assert_eq!(ran.exit, Exit::Done);
    assert_eq!(ran.err, "", "a NULL row is normal");
    let strict = run(std::slice::from_ref(&odd), &["export", "--strict"]);
    assert_eq!(strict.exit, Exit::Findings);
    assert!(strict.err.contains("1 conversation with findings: aaaa"), "{}", strict.err);
    odd.fragments[0].findings.push(Finding { kind: FindingKind::Damaged, ..finding() });
    let ran = run(&[odd], &["export"]);
    assert_eq!(ran.exit, Exit::Done);
    assert!(ran.err.contains("1 conversation not read in full: aaaa"), "{}", ran.err);
}

#[test]
fn text_is_verbatim() {
    let mut nasty = three();
    nasty.fragments[0].messages[0].parts = vec![Part::Text("\u{1b}[31m\u{202e}\0\r\n".to_owned())];
    let out = run(&[nasty], &["export", "--title", "login"]).out;
    let value: Value = serde_json::from_str(out.trim_end()).expect("JSON");
    assert_eq!(value["messages"][0]["parts"][0]["text"], "\u{1b}[31m\u{202e}\0\r\n");
}

#[test]
fn named_conversations_each_once_and_still_filtered() {
    let ran = run(&[three()], &["export", "bbbb", "aaaaaaaa-3", "manual"]);
    assert_eq!(titles(&ran.out), ["Write the manual", "Fix the logout"]);
    let ran = run(&[three()], &["export", "bbbb", "aaaaaaaa-3", "--title", "log"]);
    assert_eq!(titles(&ran.out), ["Fix the logout"]);
    assert_eq!(run(&[three()], &["export", "zzzz"]).exit, Exit::NothingMatched);
}

/// Text that commands a terminal in many ways.
const NASTY: &str = "\u{1b}]0;x\u{7}\u{9b}31m \u{202e}b\u{7f} \u{200e}\u{200f}\u{61c}\u{2066}\u{85} a\rb";

#[test]
fn nothing_for_people_commands_a_terminal() {
    let mut odd = three();
    odd.fragments[0].summary.title = Some(NASTY.to_owned());
    odd.fragments[0].messages[0].parts = vec![Part::Text(NASTY.to_owned())];
    let file = tempfile::NamedTempFile::new().expect("a file");
    fs::write(&file, NASTY).expect("written");
    let file = file.path().to_str().expect("a path");
    let index = tempfile::tempdir().expect("a folder");
    let index = index.path().to_str().expect("a path");
    for words in [
        &["export", "aaaaaaaa-1", "--format", "md"][..],
        &["export", "aaaaaaaa-1", "--format", "txt"],
        &["export", "aaaaaaaa-1", "--format", "html"],
        &["show", "aaaaaaaa-1", "--no-pager"],
        &["show", "aaaaaaaa-1", "--origins", "--tools", "full", "--no-pager"],
        &["search", "b", "--index", index],
        &["list"],
        &["handoff", "aaaaaaaa-1"],
        &["handoff", "aaaaaaaa-1", "--json"],
        &["redact", file, "-o", "-"],
        &["redact", file, "--check"],
        &["replay", "aaaaaaaa-1", "-o", "-"],
    ] {
        let words = [words, &["--color", "never"]].concat();
        let ran = run_on_terminal(std::slice::from_ref(&odd), &words);
        let raw = |text: &str| text.chars().find(|c| is_raw(*c) && *c != '\t');
        assert!(matches!(ran.exit, Exit::Done | Exit::NothingMatched), "{words:?}: {}", ran.err);
        assert_eq!(raw(&ran.out), None, "{words:?}: {:?}", ran.out);
        let is_told = |text: &str| !text.contains("\u{1b}]") && !text.contains('\u{202e}');
        assert!(is_told(&ran.err), "{words:?}: {:?}", ran.err);
    }
    let verbatim = run(&[odd], &["redact", file, "-o", "-"]);
    assert_eq!(verbatim.out, NASTY, "no terminal, no change");
}

/// Whether a terminal would obey this character, or move what is beside it.
fn is_raw(c: char) -> bool {
    (c.is_control() && !matches!(c, '\r' | '\n'))
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[test]
fn nothing_for_programs_commands_a_terminal() {
    let text = NASTY;
    let mut odd = three();
    odd.fragments[0].summary.title = Some(text.to_owned());
    odd.fragments[0].messages[0].parts = vec![Part::Text(text.to_owned())];
    for words in [
        &["export", "aaaaaaaa-1"][..],
        &["export", "aaaaaaaa-1", "--format", "json"],
        &["export", "aaaaaaaa-1", "--format", "csv"],
        &["show", "aaaaaaaa-1", "--json"],
        &["list", "--json"],
    ] {
        let shown = run_on_terminal(std::slice::from_ref(&odd), words).out;
        assert!(!shown.contains(is_raw) && !shown.replace("\r\n", "").contains('\r'), "{words:?}: {shown:?}");
        let data = run(std::slice::from_ref(&odd), words).out;
        if words.contains(&"csv") {
            assert!(shown.contains("\\u009b31m") && data.contains(text), "{words:?}: {shown}");
        } else {
            let read = |out: &str| {
                let values = serde_json::Deserializer::from_str(out).into_iter::<Value>();
                values.collect::<Result<Vec<_>, _>>().expect("JSON")
            };
            assert_eq!(read(&shown), read(&data), "{words:?}");
        }
    }
}
