//! Private copies of a database with an unfinished journal: what signals leave of them.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use backscroll_fixtures::{Composer, CursorHome, Journal, Speaks as _, StateDatabase};
use tempfile::TempDir;

struct Place {
    home: TempDir,
    temporary: TempDir,
}

impl Place {
    /// A home whose database takes some time to copy.
    fn new(megabytes: usize) -> Self {
        let home = TempDir::new().unwrap();
        let composer = Composer::new("aaaaaaaa-0000-4000-8000-000000000000").titled("One").user("hello");
        let large = (0..megabytes).fold(StateDatabase::new(), |database, nth| {
            database.kv(format!("some.cache.{nth}"), "large ".repeat(170_000))
        });
        let database = large.composer(&composer).journal(Journal::HotRollback);
        CursorHome::at(home.path()).global(database).write().unwrap();
        Self { home, temporary: TempDir::new().unwrap() }
    }

    fn list(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
        command.env_clear().env("HOME", self.home.path()).env("TMPDIR", self.temporary.path());
        command.args(["list", "--all", "--no-index"]).stdin(Stdio::null());
        command
    }

    fn left(&self) -> Vec<PathBuf> {
        entries(self.temporary.path())
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Waits until the process has a copy open that has no name any more; `false` if it ended before.
#[cfg(target_os = "linux")]
fn is_copying(child: &mut Child) -> bool {
    let open = PathBuf::from(format!("/proc/{}/fd", child.id()));
    while child.try_wait().unwrap().is_none() {
        let links = fs::read_dir(&open).into_iter().flatten().filter_map(Result::ok);
        let mut targets = links.filter_map(|link| fs::read_link(link.path()).ok());
        if targets.any(|target| target.to_string_lossy().ends_with("state.vscdb (deleted)")) {
            return true;
        }
    }
    false
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_leaves_no_copy() {
    let place = Place::new(150);
    for (signal, number) in [("TERM", 15), ("HUP", 1), ("INT", 2), ("KILL", 9)] {
        let mut child = place.list().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        assert!(is_copying(&mut child), "{signal}: a copy is made");
        assert!(
            Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap().success()
        );
        assert_eq!(child.wait().unwrap().signal(), Some(number), "it was still running");
        assert_eq!(place.left(), Vec::<PathBuf>::new(), "{signal}");
    }
    let listed = place.list().output().unwrap();
    assert!(String::from_utf8_lossy(&listed.stdout).contains("One"), "{listed:?}");
    assert_eq!(place.left(), Vec::<PathBuf>::new());
}

/// Whenever the signal comes, nothing that was read is in a file with a name.
#[test]
fn no_signal_leaves_words() {
    let place = Place::new(2);
    for step in 0..60 {
        let mut child = place.list().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_micros(500 * step));
        child.kill().unwrap();
        child.wait().unwrap();
        for folder in place.left() {
            assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
            for file in entries(&folder) {
                let metadata = fs::metadata(&file).unwrap();
                let (mode, length) = (metadata.permissions().mode() & 0o777, metadata.len());
                assert_eq!((mode, length), (0o600, 0), "{}", file.display());
            }
            fs::remove_dir_all(folder).unwrap();
        }
    }
}

#[test]
fn what_a_killed_process_left_is_removed_and_nothing_else() {
    let place = Place::new(0);
    let folder = |name: &str| {
        let path = place.temporary.path().join(name);
        fs::create_dir(&path).unwrap();
        path
    };
    let (dead, young, other) =
        (folder("backscroll-copy-dead"), folder("backscroll-copy-young"), folder("backscroll-demo-x"));
    fs::write(dead.join("state.vscdb-journal"), "words").unwrap();
    // Folders of the user, who gave them such a name.
    let [mine, deep, full] = ["mine", "deep", "full"].map(|name| folder(&format!("backscroll-copy-{name}")));
    fs::write(mine.join("thesis.txt"), "words").unwrap();
    fs::create_dir(deep.join("state.vscdb")).unwrap();
    fs::write(deep.join("state.vscdb/thesis.txt"), "words").unwrap();
    fs::write(full.join("state.vscdb"), "words").unwrap();
    let long_ago = std::time::SystemTime::UNIX_EPOCH;
    for folder in [&dead, &other, &mine, &deep, &full] {
        File::open(folder).unwrap().set_modified(long_ago).unwrap();
    }
    let file = place.temporary.path().join("backscroll-copy-file");
    fs::write(&file, "not a folder").unwrap();
    File::open(&file).unwrap().set_modified(long_ago).unwrap();
    let listed = place.list().output().unwrap();
    assert!(String::from_utf8_lossy(&listed.stdout).contains("One"), "{listed:?}");
    let mut left = place.left();
    left.sort();
    assert_eq!(left, [deep.clone(), file, full.clone(), mine.clone(), young, other]);
    for kept in [mine.join("thesis.txt"), deep.join("state.vscdb/thesis.txt"), full.join("state.vscdb")] {
        assert_eq!(fs::read_to_string(kept).unwrap(), "words");
    }
}
