//! A private copy of a database with an unfinished rollback journal, so that SQLite can roll it back.
//!
//! A copy with a name would stay behind when the process is ended by a signal. So the copy has a name only while SQLite opens
//! it, empty, and is filled when the name is gone. The journal needs a name until SQLite has rolled back, which takes a moment.
//! What a process leaves that is killed in that moment is removed by the next one that makes a copy. Each folder holds a file that
//! its process locks, so the folder of a living process stays.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use tempfile::TempDir;

use crate::door::{connect, settled};
use crate::file_state::companion;
use crate::plain_file;

/// How the names of our folders begin.
const PREFIX: &str = "backscroll-copy-";

/// The file in a folder that its process locks.
const LOCK: &str = "lock";

/// A younger folder without a lock may belong to a process that is just making it.
const JUST_MADE: Duration = Duration::from_secs(60);

/// The database at `path`, rolled back in a copy. Where open files cannot be removed, also the folder that holds it.
pub(crate) fn rolled_back_copy(path: &Path) -> io::Result<(rusqlite::Result<Connection>, Option<TempDir>)> {
    let beneath = tempfile::env::temp_dir();
    remove_left_over(&beneath);
    let folder = make_folder(&beneath)?;
    let copy = folder.path().join("state.vscdb");
    let mut content = File::create_new(&copy)?;
    let connection = match connect(&copy, "mode=rw") {
        Ok(connection) => connection,
        Err(error) => return Ok((Err(error), None)),
    };
    #[cfg(unix)]
    {
        fs::remove_file(&copy)?;
        fs::remove_dir(folder.path())?;
    }
    io::copy(&mut plain_file::open(path)?, &mut content)?;
    // SQLite's own locks of a file end when any other handle to it is closed.
    drop(content);
    #[cfg(unix)]
    {
        make_private(folder.path())?;
        // SQLite gives the journal the permissions of the file with the database's name, so there must be one.
        File::create_new(&copy)?;
    }
    let lock = File::create_new(folder.path().join(LOCK))?;
    lock.lock()?;
    // Not `fs::copy`: the journal may be read-only, and SQLite must remove it.
    io::copy(
        &mut plain_file::open(&companion(path, "-journal"))?,
        &mut File::create_new(companion(&copy, "-journal"))?,
    )?;
    let connection = settled(connection);
    if cfg!(unix) {
        drop(lock);
        return folder.close().map(|()| (connection, None));
    }
    Ok((connection, Some(folder)))
}

#[cfg(unix)]
fn make_folder(beneath: &Path) -> io::Result<TempDir> {
    use std::os::unix::fs::PermissionsExt as _;
    let private = fs::Permissions::from_mode(0o700);
    tempfile::Builder::new().prefix(PREFIX).permissions(private).tempdir_in(beneath)
}

/// On other systems a user's temporary folder is private.
#[cfg(not(unix))]
fn make_folder(beneath: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(PREFIX).tempdir_in(beneath)
}

#[cfg(unix)]
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().mode(0o700).create(folder)
}

/// Removes folders of processes that are gone. What cannot be removed, such as those of other users, stays.
fn remove_left_over(beneath: &Path) {
    let entries = fs::read_dir(beneath).into_iter().flatten().filter_map(Result::ok);
    for entry in entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes())) {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && is_left_over(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_left_over(folder: &Path) -> bool {
    match plain_file::open(&folder.join(LOCK)) {
        Ok(lock) => lock.try_lock().is_ok(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let modified = fs::metadata(folder).and_then(|data| data.modified());
            modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > JUST_MADE))
        }
        Err(_) => false,
    }
}
