//! `backscroll export` into a folder, killed at any moment, and brought to its end by `--update`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use backscroll_fixtures::{Composer, CursorHome, Speaks, StateDatabase};

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

fn home() -> backscroll_fixtures::WrittenHome {
    let mut database = StateDatabase::new();
    for number in 0..CONVERSATIONS {
        let talk = Composer::new(format!("{number:08}-talk")).titled(&format!("Talk {number}"));
        database = database.composer(&talk.user("Why?").assistant(&"Because. ".repeat(2_000)));
    }
    CursorHome::new().expect("a folder").global(database).write().expect("written")
}

#[test]
fn what_a_killed_export_left_of_a_file_goes_with_the_next() {
    let home = home();
    let folder = tempfile::tempdir().expect("a folder");
    let export = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
        command.env_clear().env("HOME", home.root()).args(["export", "--format", "md", "--single", "-o"]);
        command.arg(folder.path().join("all.md")).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let left = || files(folder.path()).into_keys().filter(|name| name.starts_with('.')).count();
    // The file is begun twice, first only to see whether it can be written: killed between, nothing is left.
    for _ in 0..50 {
        let mut running = export().spawn().expect("it runs");
        while left() == 0 && running.try_wait().expect("it runs").is_none() {}
        running.kill().expect("killed");
        running.wait().expect("ended");
        if left() > 0 {
            break;
        }
        let _ = fs::remove_file(folder.path().join("all.md"));
    }
    assert_eq!(left(), 1, "no export was killed while it wrote");
    fs::write(folder.path().join(".backscroll-unfinished-of-another"), "").expect("a file");
    assert!(export().status().expect("it runs").success());
    let names: Vec<String> = files(folder.path()).into_keys().collect();
    assert_eq!(names, [".backscroll-unfinished-of-another", "all.md"]);
}

#[test]
fn whatever_was_interrupted_is_as_if_it_had_not_been() {
    let home = home();
    let parent = tempfile::tempdir().expect("a folder");
    let export = |folder: &Path, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
        command.env_clear().env("HOME", home.root()).arg("--home").arg(home.root());
        command.args(["export", "--all", "--format", "md", "-o"]).arg(folder).args(more);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let whole = parent.path().join("whole");
    assert!(export(&whole, &[]).status().expect("it runs").success());
    let expected = files(&whole);
    assert_eq!(expected.len(), CONVERSATIONS + 2, "and an index, and the list of files");
    let mut was_interrupted = false;
    for enough in [0, 1, 2, 5, 10, 25, 50, 75, 100, 140] {
        let folder = parent.path().join(format!("killed-{enough}"));
        let mut running = export(&folder, &[]).spawn().expect("it runs");
        let count = || fs::read_dir(folder.join("no-workspace")).map_or(0, Iterator::count);
        while count() <= enough && running.try_wait().expect("it runs").is_none() {}
        running.kill().expect("killed");
        running.wait().expect("ended");
        was_interrupted |= folder.is_dir() && !folder.join("README.md").exists();
        let updated = export(&folder, &["--update"]).status().expect("it runs");
        assert!(updated.success(), "killed after {enough} files: {updated}");
        let found = files(&folder);
        let differs = |(name, bytes): &(&String, &Vec<u8>)| expected.get(*name) != Some(bytes);
        let different: Vec<_> = found.iter().filter(differs).map(|(name, _)| name).collect();
        assert!(different.is_empty(), "killed after {enough} files: {different:?}");
        assert_eq!(found.len(), expected.len(), "killed after {enough} files");
    }
    assert!(was_interrupted, "no export was killed before its end");
}
