//! The one file that a user names.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::Path;

use backscroll_own_files::{OutputError, OutputFile, OwnFolder};

use crate::in_the_way::{Place, make_pipe};

fn put(place: &Path, may_overwrite: bool, text: &str) -> Result<(), String> {
    let error = |error: OutputError| backtrace(&error);
    let mut file = OutputFile::create(place, may_overwrite).map_err(error)?;
    file.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
    file.keep().map(drop).map_err(error)
}

/// The error and its causes.
fn backtrace(error: &dyn std::error::Error) -> String {
    let cause = error.source().map(|cause| format!(": {}", backtrace(cause))).unwrap_or_default();
    format!("{error}{cause}")
}

#[test]
fn a_file_appears_whole_and_is_overwritten_only_if_it_may() {
    let place = Place::new();
    let file = place.ours.join("x.md");
    let mut begun = OutputFile::create(&file, false).unwrap();
    begun.write_all(b"half").unwrap();
    assert!(!file.exists());
    drop(begun);
    assert!(OwnFolder::open(&place.ours).unwrap().is_empty().unwrap(), "nothing is left of it");
    put(&file, false, "one").unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(put(&file, false, "two").unwrap_err().contains("exists already"));
    put(&file, true, "two").unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "two");
    assert_eq!(fs::metadata(&file).unwrap().nlink(), 1, "the unfinished name is gone");
    // Another program may be first.
    let late = OutputFile::create(&place.ours.join("y.md"), false).unwrap();
    fs::write(place.ours.join("y.md"), "first").unwrap();
    assert!(matches!(late.keep(), Err(OutputError::Exists(_))));
    assert_eq!(fs::read_to_string(place.ours.join("y.md")).unwrap(), "first");
}

#[test]
fn a_link_is_neither_followed_nor_replaced_and_links_above_are_the_users_own() {
    let place = Place::new();
    let link = place.ours.join("x.md");
    for target in [place.theirs.join("thesis.txt"), place.theirs.join("nothing"), link.clone()] {
        symlink(&target, &link).unwrap();
        for may_overwrite in [false, true] {
            let says = put(&link, may_overwrite, "ours").unwrap_err();
            assert!(says.contains("is not a file but a link"), "{says}");
        }
        assert!(link.is_symlink());
        fs::remove_file(&link).unwrap();
    }
    place.assert_theirs_are_as_they_were();
    symlink(&place.ours, place.theirs.join("way")).unwrap();
    put(&place.theirs.join("way/x.md"), false, "ours").unwrap();
    assert_eq!(fs::read_to_string(&link).unwrap(), "ours");
}

#[test]
fn a_pipe_with_a_reader_is_written_to_and_stays_a_pipe() {
    let place = Place::new();
    let pipe = place.ours.join("pipe");
    make_pipe(&pipe);
    OutputFile::check(&pipe, false).unwrap();
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    put(&pipe, false, "all of it").unwrap();
    assert_eq!(reader.join().unwrap(), "all of it");
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
}

#[test]
fn a_pipe_without_a_reader_and_one_of_another_user_are_refused() {
    let place = Place::new();
    let pipe = place.ours.join("pipe");
    make_pipe(&pipe);
    let says = put(&pipe, true, "ours").unwrap_err();
    assert!(says.contains("a pipe that no program reads"), "{says}");
    if chown(&pipe, Some(4711), None).is_ok() {
        let says = put(&pipe, true, "ours").unwrap_err();
        assert!(says.contains("belongs to another user"), "{says}");
    }
}

#[test]
fn what_a_killed_program_left_goes_and_nothing_else_that_is_called_so() {
    let place = Place::new();
    let (one, other) = (place.ours.join("one.md"), place.ours.join("other.md"));
    // As a kill leaves them: their names, without a lock.
    let left = |place: &Path| {
        let begun = OutputFile::create(place, true).unwrap();
        let name = names(place.parent().unwrap()).pop().unwrap();
        drop(begun);
        fs::write(place.with_file_name(&name), "half").unwrap();
        name
    };
    let of_one = left(&one);
    let written = OutputFile::create(&other, true).unwrap();
    let being_written = names(&place.ours).into_iter().find(|name| *name != of_one).unwrap();
    put(&one, true, "whole").unwrap();
    assert_eq!(names(&place.ours), {
        let mut all = vec![being_written, "one.md".to_owned()];
        all.sort();
        all
    });
    drop(written);
    // A pipe is not waited for, a link leads nowhere, and a folder stays.
    let beginning = of_one.rsplit_once('-').unwrap().0;
    let odd = ["pipe", "link", "folder"].map(|kind| place.ours.join(format!("{beginning}-{kind}")));
    make_pipe(&odd[0]);
    symlink(place.theirs.join("thesis.txt"), &odd[1]).unwrap();
    fs::create_dir(&odd[2]).unwrap();
    put(&one, true, "again").unwrap();
    OwnFolder::open(&place.ours).unwrap().remove_abandoned();
    assert!(odd.iter().all(|odd| fs::symlink_metadata(odd).is_ok()));
    place.assert_theirs_are_as_they_were();
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
