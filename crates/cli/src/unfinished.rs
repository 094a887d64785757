//! Files in the making. They lie beside their place under a name that tells what they are, and are locked as long as somebody
//! writes them: so what a killed program left can be told from what another one is just writing.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

use crate::export_names::hash;

/// How the name of a file begins that is not complete yet.
pub(crate) const UNFINISHED: &str = ".backscroll-unfinished-";

/// A file in `folder` that will be called `name`. What a killed program left of the same file goes away.
pub(crate) fn begin(folder: &Path, name: &OsStr) -> io::Result<NamedTempFile> {
    let beginning = format!("{UNFINISHED}{}-", &hash(name.as_encoded_bytes())[..12]);
    remove_abandoned(folder, &beginning);
    locked(folder, &beginning)
}

/// A file in `folder`, one of many.
pub(crate) fn one_of_many(folder: &Path) -> io::Result<NamedTempFile> {
    locked(folder, UNFINISHED)
}

fn locked(folder: &Path, beginning: &str) -> io::Result<NamedTempFile> {
    let file = tempfile::Builder::new().prefix(beginning).tempfile_in(folder)?;
    // Where a disk knows no locks, nobody takes the file for abandoned.
    let _ = file.as_file().try_lock();
    Ok(file)
}

/// Removes files of `folder` whose name has this beginning and that nobody writes. What cannot be removed does no harm.
pub(crate) fn remove_abandoned(folder: &Path, beginning: &str) {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(beginning)) {
        let opened = OpenOptions::new().write(true).open(entry.path());
        if opened.is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_being_written_stays_and_what_was_left_goes() {
        let folder = tempfile::tempdir().expect("a folder");
        let begin = |name: &str| begin(folder.path(), OsStr::new(name)).expect("a file");
        let being_written = begin("a.md");
        let (left, other) = (begin("a.md"), begin("b.md"));
        let (left, other) = (left.into_temp_path(), other.into_temp_path());
        let next = begin("a.md");
        assert!(being_written.path().exists() && next.path().exists());
        assert!(!left.exists(), "nobody writes it any more");
        assert!(other.exists(), "it is of another file");
        remove_abandoned(folder.path(), UNFINISHED);
        assert!(being_written.path().exists() && !other.exists());
    }
}
