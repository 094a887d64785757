//! Others change names while we work: what we write goes where it was begun, or nowhere.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use backscroll_own_files::{OutputFile, OwnFolder};

use crate::in_the_way::{Place, THEIRS, make_pipe};

#[test]
fn a_folder_that_becomes_a_link_is_still_the_folder_that_was_opened() {
    let place = Place::new();
    let folder = OwnFolder::open(&place.ours).unwrap();
    let mut begun = folder.begin("thesis.txt").unwrap();
    let mut output = OutputFile::create(&place.ours.join("out.md"), false).unwrap();
    let moved = place.ours.with_file_name("moved");
    fs::rename(&place.ours, &moved).unwrap();
    symlink(&place.theirs, &place.ours).unwrap();
    begun.write_all(b"ours").unwrap();
    begun.replace().unwrap();
    output.write_all(b"ours").unwrap();
    output.keep().unwrap();
    folder.write("more.txt", b"ours").unwrap();
    folder.remove("more.txt").unwrap();
    assert_eq!(fs::read_to_string(moved.join("thesis.txt")).unwrap(), "ours");
    assert_eq!(fs::read_to_string(moved.join("out.md")).unwrap(), "ours");
    place.assert_theirs_are_as_they_were();
}

/// Another thread swaps a folder and a file of ours for links and pipes, as fast as it can, while we write, read and remove.
#[test]
fn no_swap_leads_outside_or_is_waited_for() {
    let place = Place::new();
    let folder = OwnFolder::open(&place.ours).unwrap();
    let is_over = AtomicBool::new(false);
    let (sub, file) = (place.ours.join("sub"), place.ours.join("sub/thesis.txt"));
    let pipe = place.ours.with_file_name("pipe");
    make_pipe(&pipe);
    let (mut written, mut has_read_theirs) = (0, false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let _ = fs::remove_dir_all(&sub);
                let _ = symlink(&place.theirs, &sub);
                let _ = fs::remove_file(&sub);
                let _ = fs::create_dir(&sub);
                let _ = symlink(place.theirs.join("thesis.txt"), &file);
                let _ = fs::remove_file(&file);
                let _ = fs::hard_link(&pipe, &file);
            }
        });
        for _ in 0..3_000 {
            written += usize::from(folder.write("sub/thesis.txt", b"ours").is_ok());
            let read = folder.read("sub/thesis.txt", 100).ok().flatten();
            has_read_theirs |= read.is_some_and(|bytes| bytes == THEIRS.as_bytes());
            let _ = folder.remove("sub/thesis.txt");
            folder.remove_abandoned();
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(written > 0 && !has_read_theirs, "{written} written");
    place.assert_theirs_are_as_they_were();
}
