//! Links, pipes and folders of other users where something of ours is to be: nothing outside is touched, no command waits, and
//! the error names what is in the way.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use backscroll_fixtures::demo_home;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

const THEIRS: &str = "their words\n";

/// A home, a folder of ours, and the user's own folder.
struct Place {
    home: TempDir,
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { home: TempDir::new().unwrap(), folder: TempDir::new().unwrap() };
        demo_home(place.home.path()).unwrap();
        fs::create_dir(place.theirs()).unwrap();
        fs::write(place.theirs().join("thesis.txt"), THEIRS).unwrap();
        place
    }

    fn theirs(&self) -> PathBuf {
        self.folder.path().join("theirs")
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    fn shared(&self) -> PathBuf {
        self.folder.path().join("shared")
    }

    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
        command.env_clear().env("HOME", self.home.path()).stdin(Stdio::null()).args(words);
        command.output().unwrap()
    }

    fn update(&self) -> Output {
        self.run(&["export", "--format", "md", "--update", "-o", self.out().to_str().unwrap()])
    }

    fn search(&self) -> Output {
        self.run(&["search", "tide", "--json", "--index", self.shared().to_str().unwrap()])
    }

    /// Where the index is, and what a search says; there is no index afterwards.
    fn index_folder(&self) -> (PathBuf, Vec<u8>) {
        let found = self.search();
        assert_eq!(found.status.code(), Some(0), "{found:?}");
        let folder = fs::read_dir(self.shared()).unwrap().next().unwrap().unwrap().path();
        fs::remove_dir_all(&folder).unwrap();
        (folder, found.stdout)
    }

    fn assert_theirs_are_as_they_were(&self) {
        assert_eq!(fs::read_to_string(self.theirs().join("thesis.txt")).unwrap(), THEIRS);
        let mode = fs::metadata(self.theirs()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
    }
}

/// It was refused, in words that name `place`.
fn assert_refused(ended: &Output, place: &Path) {
    let says = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(4), "{says}");
    assert!(says.contains(&format!("{} ", place.display())), "{says}");
}

fn hex(bytes: &[u8]) -> String {
    backscroll_model::hex::encode(&Sha256::digest(bytes))
}

fn make_pipe(place: &Path) {
    assert!(Command::new("mkfifo").arg(place).status().unwrap().success());
}

/// Adds a row to the manifest: an unknown conversation was exported to `path`, with pictures of these names.
fn tamper(out: &Path, path: &str, bytes: &[u8], pictures: &[&str]) {
    let manifest = out.join(".backscroll-export");
    let lines = fs::read_to_string(&manifest).unwrap();
    let line = lines.lines().find(|line| line.contains("\"summary\":{")).unwrap();
    let mut row: Value = serde_json::from_str(line).unwrap();
    let digest = hex(bytes);
    row["file"]["path"] = path.into();
    row["file"]["hash"] = digest.into();
    row["file"]["summary"]["id"] = "unknown".into();
    row["file"]["pictures"] = pictures.into();
    fs::write(manifest, format!("{lines}{row}\n")).unwrap();
}

#[test]
fn no_manifest_leads_an_update_through_a_link() {
    let place = Place::new();
    assert_eq!(place.update().status.code(), Some(0));
    let link = place.out().join("link");
    symlink(place.theirs(), &link).unwrap();
    tamper(&place.out(), "link/thesis.txt", THEIRS.as_bytes(), &[]);
    assert_refused(&place.update(), &link);
    place.assert_theirs_are_as_they_were();
}

#[test]
fn no_picture_goes_from_a_folder_that_assets_leads_to() {
    let place = Place::new();
    assert_eq!(place.update().status.code(), Some(0));
    let png = b"\x89PNG\r\n\x1a\nholidays";
    let digest = hex(png);
    let picture = format!("{}.png", &digest[..16]);
    fs::write(place.theirs().join(&picture), png).unwrap();
    let assets = place.out().join("assets");
    symlink(place.theirs(), &assets).unwrap();
    fs::write(place.out().join("gone.md"), "gone").unwrap();
    tamper(&place.out(), "gone.md", b"gone", &[&picture]);
    let ended = place.update();
    assert_eq!(ended.status.code(), Some(4), "{ended:?}");
    assert!(
        String::from_utf8_lossy(&ended.stderr).contains("assets is not a folder but a link"),
        "{ended:?}"
    );
    assert_eq!(fs::read(place.theirs().join(&picture)).unwrap(), png);
}

#[test]
fn a_pipe_in_the_folder_of_an_export_is_not_waited_for() {
    let place = Place::new();
    assert_eq!(place.update().status.code(), Some(0));
    let folder =
        fs::read_dir(place.out()).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir());
    for name in [".backscroll-unfinished-x", ".backscroll-unfinished-"] {
        make_pipe(&place.out().join(name));
        make_pipe(&folder.as_ref().unwrap().join(name));
    }
    assert_eq!(place.update().status.code(), Some(0));
    // One in the place of a file of the export, or of the manifest.
    let file = fs::read_dir(folder.unwrap()).unwrap().map(|entry| entry.unwrap().path());
    let file = file.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "md")).unwrap();
    for place_of_pipe in [file, place.out().join("README.md"), place.out().join(".backscroll-export")] {
        let text = fs::read(&place_of_pipe).unwrap();
        fs::remove_file(&place_of_pipe).unwrap();
        make_pipe(&place_of_pipe);
        assert_refused(&place.update(), &place_of_pipe);
        fs::remove_file(&place_of_pipe).unwrap();
        fs::write(&place_of_pipe, text).unwrap();
    }
    assert_eq!(place.update().status.code(), Some(0));
}

#[test]
fn a_pipe_with_the_name_of_an_unfinished_file_is_not_waited_for() {
    let place = Place::new();
    let target = place.folder.path().join("x.jsonl");
    let export = |force: &[&str]| {
        place.run(&[&["export", "--format", "jsonl", "-o", target.to_str().unwrap()], force].concat())
    };
    assert_eq!(export(&[]).status.code(), Some(0));
    // Every name that earlier and later versions made of the name of the file.
    let digest = hex(b"x.jsonl");
    make_pipe(&place.folder.path().join(format!(".backscroll-unfinished-{}-x", &digest[..12])));
    make_pipe(&place.folder.path().join(".backscroll-unfinished-x"));
    assert_eq!(export(&["--force"]).status.code(), Some(0));
}

#[test]
fn the_manifest_never_grows_in_a_linked_file() {
    let place = Place::new();
    assert_eq!(place.update().status.code(), Some(0));
    let manifest = place.out().join(".backscroll-export");
    fs::remove_file(&manifest).unwrap();
    fs::hard_link(place.theirs().join("thesis.txt"), &manifest).unwrap();
    fs::remove_file(place.out().join("README.md")).unwrap();
    let ended = place.run(&["export", "--format", "md", "--force", "-o", place.out().to_str().unwrap()]);
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    place.assert_theirs_are_as_they_were();
}

#[test]
fn an_index_folder_that_is_a_link_is_refused() {
    let place = Place::new();
    let (folder, expected) = place.index_folder();
    for name in ["index-holidays.raw", "lock", "current"] {
        fs::write(place.theirs().join(name), THEIRS).unwrap();
    }
    symlink(place.theirs(), &folder).unwrap();
    for words in [&["search", "tide"][..], &["index", "refresh"], &["files", "tide.py"], &["related", "@1"]] {
        let index = ["--index", place.shared().to_str().unwrap()].map(str::to_owned);
        let words: Vec<&str> = words.iter().copied().chain(index.iter().map(String::as_str)).collect();
        assert_refused(&place.run(&words), &folder);
    }
    // A listing needs no index.
    let listed = place.run(&["list", "--json", "--index", place.shared().to_str().unwrap()]);
    assert_eq!(listed.status.code(), Some(0), "{listed:?}");
    place.assert_theirs_are_as_they_were();
    let mut names: Vec<_> =
        fs::read_dir(place.theirs()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["current", "index-holidays.raw", "lock", "thesis.txt"]);
    fs::remove_file(&folder).unwrap();
    assert_eq!(place.search().stdout, expected);
}

#[test]
fn no_link_in_the_index_folder_is_followed() {
    let place = Place::new();
    let (folder, expected) = place.index_folder();
    for name in ["current.new", "current", "lock", "index-1.db", "index-1.db-wal", "index-2.db"] {
        for made_before in [false, true] {
            if made_before {
                place.search();
            }
            fs::create_dir_all(&folder).unwrap();
            let _ = fs::remove_file(folder.join(name));
            symlink(place.theirs().join("thesis.txt"), folder.join(name)).unwrap();
            let found = place.search();
            assert_eq!((found.status.code(), &found.stdout), (Some(0), &expected), "{name}: {found:?}");
            place.assert_theirs_are_as_they_were();
            fs::remove_dir_all(&folder).unwrap();
        }
    }
}

/// Only root can give a folder away.
#[test]
fn a_folder_of_another_user_is_refused() {
    let place = Place::new();
    let (folder, _) = place.index_folder();
    fs::create_dir(&folder).unwrap();
    fs::create_dir(place.out()).unwrap();
    for folder in [&folder, &place.out()] {
        if chown(folder, Some(4711), None).is_err() {
            return;
        }
    }
    assert_refused(&place.search(), &folder);
    assert_refused(&place.update(), &place.out());
    assert_eq!(fs::read_dir(folder).unwrap().count() + fs::read_dir(place.out()).unwrap().count(), 0);
}

#[test]
fn a_ledger_or_a_key_is_never_written_through_a_link() {
    let place = Place::new();
    let data = place.folder.path().join("data");
    fs::create_dir(&data).unwrap();
    symlink(place.theirs(), data.join("hooks")).unwrap();
    let ended = place.run(&["hook", "--data", data.to_str().unwrap()]);
    assert_eq!((ended.status.code(), ended.stdout.as_slice()), (Some(0), b"{}\n".as_slice()));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("hooks is not a folder but a link"), "{ended:?}");
    let key = place.home.path().join(".cache/backscroll/export-key");
    fs::create_dir_all(key.parent().unwrap()).unwrap();
    symlink(place.theirs().join("thesis.txt"), &key).unwrap();
    assert_eq!(place.run(&["export", "--redact", "--format", "jsonl"]).status.code(), Some(0));
    place.assert_theirs_are_as_they_were();
    assert_eq!(fs::read_dir(place.theirs()).unwrap().count(), 1);
}
