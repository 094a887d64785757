//! `backscroll export` into a folder, killed while it writes, and brought to its end by `--update`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use backscroll_fixtures::{Composer, CursorHome, Speaks, StateDatabase};

use crate::killed::{limited, was_killed};

const CONVERSATIONS: usize = 150;

/// Every file below `folder`, hidden ones too.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)));
        } else {
            found.insert(name, fs::read(&path).expect("a file"));
        }
    }
    found
}

/// In the order in which they are exported, conversations grow until the middle and are short from there on: one limit for
/// the size of a file is met in the midst of a conversation, a higher one in the list of files, which grows to the end.
fn home() -> backscroll_fixtures::WrittenHome {
    let mut database = StateDatabase::new();
    for number in 0..CONVERSATIONS {
        let talk = Composer::new(format!("{number:08}-talk")).titled(&format!("Talk {number}"));
        let talk = talk.started(1_750_000_000_000 - i64::try_from(number).expect("few") * 60_000);
        let words = if number < CONVERSATIONS / 2 { 30 * number } else { 1 };
        database = database.composer(&talk.user("Why?").assistant(&"Because. ".repeat(words)));
    }
    CursorHome::new().expect("a folder").global(database).write().expect("written")
}

fn quiet(command: &mut Command) -> &mut Command {
    command.stdout(Stdio::null()).stderr(Stdio::null())
}

#[test]
fn what_a_killed_export_left_of_a_file_goes_with_the_next() {
    let home = home();
    let folder = tempfile::tempdir().expect("a folder");
    let export = |mut command: Command| {
        command.env_clear().env("HOME", home.root()).args(["export", "--format", "md", "--single", "-o"]);
        command.arg(folder.path().join("all.md"));
        quiet(&mut command).status().expect("it runs")
    };
    // The index is there already, so that only the export writes anything.
    let mut list = Command::new(env!("CARGO_BIN_EXE_backscroll"));
    list.env_clear().env("HOME", home.root()).arg("list");
    assert!(quiet(&mut list).status().expect("it runs").success());
    assert!(was_killed(export(limited(100))));
    let left = files(folder.path());
    let sizes: Vec<usize> = left.values().map(Vec::len).collect();
    assert!(left.keys().all(|name| name.starts_with(".backscroll-unfinished-")), "{:?}", left.keys());
    assert_eq!(sizes, [100 * 512], "the beginning of one file");
    fs::write(folder.path().join(".backscroll-unfinished-of-another"), "").expect("a file");
    assert!(export(Command::new(env!("CARGO_BIN_EXE_backscroll"))).success());
    let names: Vec<String> = files(folder.path()).into_keys().collect();
    assert_eq!(names, [".backscroll-unfinished-of-another", "all.md"]);
}

#[test]
fn whatever_was_interrupted_is_as_if_it_had_not_been() {
    let home = home();
    let parent = tempfile::tempdir().expect("a folder");
    let export = |mut command: Command, folder: &Path, more: &[&str]| {
        command.env_clear().env("HOME", home.root()).arg("--home").arg(home.root());
        command.args(["export", "--all", "--format", "md", "-o"]).arg(folder).args(more);
        quiet(&mut command).status().expect("it runs")
    };
    let program = || Command::new(env!("CARGO_BIN_EXE_backscroll"));
    let whole = parent.path().join("whole");
    assert!(export(program(), &whole, &[]).success());
    let expected = files(&whole);
    assert_eq!(expected.len(), CONVERSATIONS + 2, "and an index, and the list of files");
    for blocks in [0, 1, 2, 5, 10, 20, 30, 45, 50, 55] {
        let folder = parent.path().join(format!("killed-{blocks}"));
        let status = export(limited(blocks), &folder, &[]);
        assert!(was_killed(status), "no file has more than {blocks} blocks: {status}");
        assert!(!folder.join("README.md").exists(), "{blocks} blocks: it was killed before its end");
        let updated = export(program(), &folder, &["--update"]);
        assert!(updated.success(), "killed at {blocks} blocks: {updated}");
        let found = files(&folder);
        let differs = |(name, bytes): &(&String, &Vec<u8>)| expected.get(*name) != Some(bytes);
        let different: Vec<_> = found.iter().filter(differs).map(|(name, _)| name).collect();
        assert!(different.is_empty(), "killed at {blocks} blocks: {different:?}");
        assert_eq!(found.len(), expected.len(), "killed at {blocks} blocks");
    }
}
