//! What folders and small files hold, without fuss: what is absent is nothing.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use backscroll_model::Finding;
use jiff::Timestamp;

use crate::workspace_folders::unreadable;

/// What a folder holds, in order of name; nothing if it is absent or cannot be read.
pub(crate) fn children(folder: &Path) -> Vec<PathBuf> {
    read(folder).unwrap_or_default()
}

/// What a folder holds, in order of name.
pub(crate) fn read(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// Whether a place is there. One of which not even that can be told is told of.
pub(crate) fn is_there(path: &Path, findings: &mut Vec<Finding>) -> bool {
    match path.try_exists() {
        Ok(is_there) => is_there,
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => false,
        Err(error) => {
            findings.push(unreadable(path, &error.to_string()));
            false
        }
    }
}

/// What a folder holds and does not let us look into; nothing of what is merely absent.
pub(crate) fn closed(folder: &Path) -> Vec<Finding> {
    children(folder).iter().filter_map(|path| closed_place(path)).collect()
}

/// The same for one place.
pub(crate) fn closed_place(path: &Path) -> Option<Finding> {
    let trouble = match fs::metadata(path) {
        Ok(found) if found.is_dir() => fs::read_dir(path).err(),
        Ok(_) => None,
        Err(error) => Some(error),
    };
    let trouble = trouble.filter(|error| error.kind() != io::ErrorKind::NotFound)?;
    Some(unreadable(path, &trouble.to_string()))
}

/// The folders in a folder, in order of name.
pub(crate) fn folders(folder: &Path) -> Vec<PathBuf> {
    children(folder).into_iter().filter(|path| path.is_dir()).collect()
}

/// The last part of a path, as text.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// When a file was last changed, to the millisecond, as all stored times are.
pub(crate) fn changed_at(path: &Path) -> Option<Timestamp> {
    let changed = Timestamp::try_from(fs::metadata(path).ok()?.modified().ok()?).ok()?;
    Timestamp::from_millisecond(changed.as_millisecond()).ok()
}

/// At most `most` bytes from the beginning of a file, and whether that is all of it.
pub(crate) fn beginning(path: &Path, most: u64) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    let is_all = bytes.len() as u64 <= most;
    if !is_all {
        bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    }
    Ok((bytes, is_all))
}
