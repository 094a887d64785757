//! Whatever lies in the place of a file or a folder: nothing behind it is touched, and the error names it.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, chown, lchown, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use backscroll_own_files::{OwnFolder, is_in_the_way};
use tempfile::TempDir;

/// A folder of ours beside the user's own files.
pub(crate) struct Place {
    _folder: TempDir,
    pub(crate) ours: PathBuf,
    pub(crate) theirs: PathBuf,
}

pub(crate) const THEIRS: &str = "their words\n";

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (ours, theirs) = (folder.path().join("ours"), folder.path().join("theirs"));
        fs::create_dir(&ours).unwrap();
        fs::create_dir(&theirs).unwrap();
        fs::write(theirs.join("thesis.txt"), THEIRS).unwrap();
        Self { _folder: folder, ours, theirs }
    }

    pub(crate) fn assert_theirs_are_as_they_were(&self) {
        let names: Vec<_> =
            fs::read_dir(&self.theirs).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["thesis.txt"]);
        assert_eq!(fs::read_to_string(self.theirs.join("thesis.txt")).unwrap(), THEIRS);
    }
}

pub(crate) fn make_pipe(place: &Path) {
    assert!(Command::new("mkfifo").arg(place).status().unwrap().success());
}

/// Everything that a folder can be asked to do with one file, by the name of what is asked.
fn all_of(folder: &OwnFolder, path: &str) -> Vec<(&'static str, io::Result<()>)> {
    let mut all = vec![
        ("has", folder.has(path).map(drop)),
        ("read", folder.read(path, 100).map(drop)),
        ("write", folder.write(path, b"ours")),
        ("remove", folder.remove(path)),
    ];
    if !path.contains('/') {
        all.push(("append", folder.append(path).map(drop)));
    }
    all
}

#[test]
fn what_is_no_file_is_refused_whatever_is_asked() {
    let place = Place::new();
    let folder = OwnFolder::open(&place.ours).unwrap();
    let name = place.ours.join("a.md");
    let kinds: [(&str, &dyn Fn()); 5] = [
        ("a link", &|| symlink(place.theirs.join("thesis.txt"), &name).unwrap()),
        ("a link", &|| symlink(&name, &name).unwrap()),
        ("a pipe", &|| make_pipe(&name)),
        ("a socket", &|| drop(UnixListener::bind(&name).unwrap())),
        ("a folder", &|| fs::create_dir(&name).unwrap()),
    ];
    for (kind, put) in kinds {
        put();
        for (asked, done) in all_of(&folder, "a.md") {
            let error = done.unwrap_err();
            assert!(is_in_the_way(&error), "{asked} {kind}: {error}");
            let says = format!("{} is not a file but {kind}: remove it", name.display());
            assert!(error.to_string().starts_with(&says), "{asked}: {error}");
        }
        folder.clear("a.md").unwrap();
        assert!(!folder.has("a.md").unwrap() && !name.is_symlink(), "{kind}");
        place.assert_theirs_are_as_they_were();
    }
}

#[test]
fn a_link_in_the_place_of_any_folder_is_refused() {
    let place = Place::new();
    fs::create_dir(place.theirs.join("below")).unwrap();
    fs::write(place.theirs.join("below/thesis.txt"), THEIRS).unwrap();
    symlink(&place.theirs, place.ours.join("first")).unwrap();
    fs::create_dir(place.ours.join("real")).unwrap();
    symlink(&place.theirs, place.ours.join("real/second")).unwrap();
    // A link inside of our folder, to another folder inside of it, is a link all the same.
    symlink("real", place.ours.join("inside")).unwrap();
    let folder = OwnFolder::open(&place.ours).unwrap();
    for path in ["first/thesis.txt", "first/below/thesis.txt", "real/second/thesis.txt", "inside/new.txt"] {
        for (asked, done) in all_of(&folder, path) {
            let error = done.unwrap_err();
            assert!(is_in_the_way(&error), "{asked} {path}: {error}");
            assert!(error.to_string().contains("is not a folder but a link"), "{error}");
        }
    }
    fs::remove_dir_all(place.theirs.join("below")).unwrap();
    place.assert_theirs_are_as_they_were();
}

#[test]
fn no_name_leads_out() {
    let place = Place::new();
    let folder = OwnFolder::open(&place.ours).unwrap();
    let absolute = place.theirs.join("thesis.txt");
    for path in
        ["../theirs/thesis.txt", "a/../../theirs/thesis.txt", "..", ".", "", absolute.to_str().unwrap()]
    {
        for (asked, done) in all_of(&folder, path) {
            assert!(done.is_err(), "{asked} {path:?}");
        }
    }
    place.assert_theirs_are_as_they_were();
    assert!(folder.is_empty().unwrap());
}

#[test]
fn a_file_with_a_second_name_is_replaced_and_never_added_to() {
    let place = Place::new();
    let folder = OwnFolder::open(&place.ours).unwrap();
    fs::hard_link(place.theirs.join("thesis.txt"), place.ours.join("notes")).unwrap();
    let error = folder.append("notes").unwrap_err();
    assert!(is_in_the_way(&error) && error.to_string().contains("hard link"), "{error}");
    folder.write("notes", b"ours").unwrap();
    assert_eq!(folder.read("notes", 10).unwrap().unwrap(), b"ours");
    fs::hard_link(place.theirs.join("thesis.txt"), place.ours.join("other")).unwrap();
    folder.remove("other").unwrap();
    place.assert_theirs_are_as_they_were();
}

#[test]
fn a_private_folder_is_no_link_and_of_no_other_user() {
    let place = Place::new();
    let link = place.ours.join("private");
    symlink(&place.theirs, &link).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let before = mode(&place.theirs);
    for opened in [OwnFolder::private(&link).map(drop), OwnFolder::find_private(&link).map(drop)] {
        let error = opened.unwrap_err();
        assert!(is_in_the_way(&error) && error.to_string().contains("is not a folder but a link"), "{error}");
    }
    assert_eq!(mode(&place.theirs), before);
    fs::remove_file(&link).unwrap();
    OwnFolder::private(&link).unwrap().write("a", b"a").unwrap();
    assert_eq!((mode(&link), mode(&link.join("a"))), (0o700, 0o600));
    // What the user made read-only stays so; others are kept out.
    fs::set_permissions(&link, fs::Permissions::from_mode(0o555)).unwrap();
    OwnFolder::private(&link).unwrap();
    assert_eq!(mode(&link), 0o500);
    // Links above are the user's own.
    symlink(&place.ours, place.theirs.join("way")).unwrap();
    assert!(OwnFolder::find_private(&place.theirs.join("way/private")).unwrap().is_some());
    // Only root can give a folder away.
    if chown(&link, Some(4711), None).is_ok() {
        for opened in [OwnFolder::private(&link).map(drop), OwnFolder::make(&link).map(drop)] {
            let error = opened.unwrap_err();
            assert!(
                is_in_the_way(&error) && error.to_string().contains("belongs to another user"),
                "{error}"
            );
        }
        let above = OwnFolder::open(&place.ours).unwrap();
        assert!(is_in_the_way(&above.write("private/b", b"b").unwrap_err()));
        // A link of another user leads nowhere, one of our own does.
        let way = place.theirs.join("way");
        assert!(OwnFolder::make(&way).is_ok());
        lchown(&way, Some(4711), None).unwrap();
        for way in [way.clone(), way.join("")] {
            assert!(is_in_the_way(&OwnFolder::make(&way).unwrap_err()), "{}", way.display());
        }
    }
}

#[test]
fn what_was_made_for_nothing_goes_again() {
    let place = Place::new();
    let deep = place.ours.join("a/b/c");
    drop(OwnFolder::make(&deep).unwrap());
    assert!(!place.ours.join("a").exists());
    OwnFolder::make(&deep).unwrap().write("d/e", b"kept").unwrap();
    assert!(deep.join("d/e").is_file());
    let folder = OwnFolder::make(&deep).unwrap();
    folder.remove("d/e").unwrap();
    assert!(!deep.join("d").exists() && deep.exists(), "only a folder that became empty goes");
}
