//! An index that cannot be made, kept or read costs no answer: it comes from a temporary one, with one warning.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use backscroll_fixtures::{Composer, CursorHome, Speaks as _, StateDatabase};
use tempfile::TempDir;

/// Questions that are answered from words, and the number of the conversation that answers them all.
const QUESTIONS: [&[&str]; 4] = [
    &["search", "needle", "--json"],
    &["search", "--exact", "needle", "--json"],
    &["search", "needle", "--count", "--json"],
    &["related", "00000007", "--json"],
];
const CONVERSATIONS: usize = 60;

struct Place {
    home: TempDir,
    cache: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { home: TempDir::new().unwrap(), cache: TempDir::new().unwrap() };
        let database = (0..CONVERSATIONS).fold(StateDatabase::new(), |database, number| {
            let talk = Composer::new(format!("{number:08}-talk")).titled(&format!("Talk {number}"));
            let words: Vec<String> = (0..400).map(|word| format!("w{number}x{word}")).collect();
            let needle = if number % 7 == 0 { "needle and thread" } else { "hay" };
            database.composer(&talk.user(needle).assistant(&words.join(" ")))
        });
        CursorHome::at(place.home.path()).global(database).write().unwrap();
        place
    }

    /// The program, asked in these surroundings.
    fn command(&self, program: &[&str], words: &[&str]) -> Command {
        let mut command = Command::new(program[0]);
        command.env_clear().env("HOME", self.home.path()).stdin(Stdio::null()).args(&program[1..]);
        command.env("XDG_CACHE_HOME", self.cache.path()).env("PATH", "/usr/bin:/bin").args(words);
        command
    }

    fn ask(&self, words: &[&str]) -> Output {
        self.command(&[env!("CARGO_BIN_EXE_backscroll")], words).output().unwrap()
    }

    /// The answers of a usable index.
    fn expected(&self) -> Vec<Vec<u8>> {
        let index = TempDir::new().unwrap();
        let index = ["--index", index.path().to_str().unwrap()];
        QUESTIONS.iter().map(|words| assert_answered(&self.ask(&[words, &index[..]].concat()), 0)).collect()
    }

    fn indexes(&self) -> PathBuf {
        self.cache.path().join("backscroll/index")
    }
}

/// It is answered with this many warnings; gives the answer.
fn assert_answered(ended: &Output, warnings: usize) -> Vec<u8> {
    let says = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(0), "{says}");
    let about_index =
        says.lines().filter(|line| line.starts_with("warning:") && line.contains("temporary index"));
    assert_eq!((about_index.count(), says.lines().count()), (warnings, warnings), "{says}");
    assert!(!ended.stdout.is_empty());
    ended.stdout.clone()
}

/// Files below `folder`, and their bytes together.
fn left_in(folder: &Path) -> (Vec<PathBuf>, u64) {
    let (mut files, mut bytes) = (Vec::new(), 0);
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let (below, more) = left_in(&path);
            files.extend(below);
            bytes += more;
        } else {
            bytes += fs::metadata(&path).unwrap().len();
            files.push(path);
        }
    }
    (files, bytes)
}

#[test]
fn a_file_in_the_place_of_any_folder_costs_no_answer() {
    let place = Place::new();
    let expected = place.expected();
    place.ask(&["index", "refresh"]);
    let folder = fs::read_dir(place.indexes()).unwrap().next().unwrap().unwrap().path();
    for in_place in [folder, place.indexes(), place.cache.path().join("backscroll")] {
        fs::remove_dir_all(&in_place).unwrap();
        fs::write(&in_place, "a file").unwrap();
        for (words, expected) in QUESTIONS.iter().zip(&expected) {
            assert_eq!(&assert_answered(&place.ask(words), 1), expected, "{words:?}");
        }
        assert_eq!(fs::read_to_string(&in_place).unwrap(), "a file");
        // A command about the index itself fails.
        assert_eq!(place.ask(&["index", "refresh"]).status.code(), Some(4));
        fs::remove_file(&in_place).unwrap();
        fs::create_dir(&in_place).unwrap();
    }
}

#[test]
fn a_read_only_cache_costs_no_answer() {
    let place = Place::new();
    let expected = place.expected();
    let read_only = |mode| fs::set_permissions(place.cache.path(), fs::Permissions::from_mode(mode)).unwrap();
    // Root may write everywhere, so it asks as another user, who owns the cache.
    let is_root = chown(place.cache.path(), Some(4711), None).is_ok();
    fs::set_permissions(place.home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    read_only(0o555);
    for (words, expected) in QUESTIONS.iter().zip(&expected) {
        let mut command = place.command(&[env!("CARGO_BIN_EXE_backscroll")], words);
        if is_root {
            command.uid(4711).gid(4711);
        }
        // The other user may have no access to the program.
        let Ok(ended) = command.output() else { break };
        assert_eq!(&assert_answered(&ended, 1), expected, "{words:?}");
        assert_eq!(left_in(place.cache.path()).0, [""; 0].map(PathBuf::from));
    }
    read_only(0o755);
}

/// A limit for the size of a file is met as a full disk is: by an error when it is written.
#[test]
fn a_full_disk_costs_no_answer_and_nothing_half_made_is_left() {
    // Of 512 bytes each: before the first page, in the heads, in the words, and in the end.
    for blocks in [0, 8, 100, 400, 800] {
        let place = Place::new();
        let expected = place.expected();
        let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let program = ["/bin/sh", "-c", &limited, env!("CARGO_BIN_EXE_backscroll")];
        for (words, expected) in QUESTIONS.iter().zip(&expected) {
            let ended = place.command(&program, words).output().unwrap();
            assert_eq!(&assert_answered(&ended, 1), expected, "{blocks}: {words:?}");
            let (files, bytes) = left_in(place.cache.path());
            assert!(bytes < 1_000, "{blocks}: {files:?}");
        }
        // When there is room again, it is made.
        assert_eq!(assert_answered(&place.ask(QUESTIONS[0]), 0), expected[0]);
    }
}

/// An index that was there stays as it was when it cannot grow.
#[test]
fn an_index_that_cannot_grow_costs_no_answer() {
    let place = Place::new();
    assert_answered(&place.ask(QUESTIONS[0]), 0);
    let before = left_in(place.cache.path()).1;
    let late =
        Composer::new("99999999-talk").titled("Late").user("needle").assistant(&"late words ".repeat(60_000));
    CursorHome::at(place.home.path()).global(StateDatabase::new().composer(&late)).write().unwrap();
    let limited = "trap '' XFSZ; ulimit -f 100; exec \"$0\" \"$@\"";
    let ended =
        place.command(&["/bin/sh", "-c", limited, env!("CARGO_BIN_EXE_backscroll")], QUESTIONS[0]).output();
    let answer = String::from_utf8(assert_answered(&ended.unwrap(), 1)).unwrap();
    assert!(answer.contains("99999999-talk"), "{answer}");
    let (files, bytes) = left_in(place.cache.path());
    assert!(bytes <= before, "{before} became {bytes}: {files:?}");
    assert!(
        String::from_utf8(assert_answered(&place.ask(QUESTIONS[0]), 0)).unwrap().contains("99999999-talk")
    );
}

#[test]
fn an_index_that_vanishes_while_it_is_made_costs_no_answer() {
    let place = Place::new();
    let expected = place.expected();
    let begun = || left_in(&place.indexes()).0.iter().any(|file| file.to_string_lossy().ends_with(".db"));
    let ask = || {
        let mut command = place.command(&[env!("CARGO_BIN_EXE_backscroll")], QUESTIONS[0]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let asking: Vec<_> = (0..8).map(|_| ask()).collect();
    while !begun() {}
    fs::remove_dir_all(place.indexes()).unwrap();
    for asked in asking {
        let ended = asked.wait_with_output().unwrap();
        let says = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!((ended.status.code(), &ended.stdout), (Some(0), &expected[0]), "{says}");
        assert!(says.lines().count() <= 1, "{says}");
    }
    assert_eq!(place.ask(QUESTIONS[0]).stdout, expected[0]);
}
