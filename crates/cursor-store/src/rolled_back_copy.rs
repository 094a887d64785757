//! A private copy of a database with an unfinished rollback journal, rolled back.
//!
//! A copy with a name would stay behind when the process is ended by a signal. So the copy has a name only while SQLite opens
//! it, empty. When the name is gone it is filled, and the old pages of the journal are written over those that the transaction
//! changed, without SQLite, which would need a copy of the journal with a name. What a process leaves that is killed while the
//! name is there is an empty file in a folder, and a later one that makes a copy removes it. Where open files cannot lose their
//! name, the folder stays until the connection is gone.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::Duration;

use backscroll_own_files::{OwnFolder, temporary_folder};
use backscroll_salvage::{Journal, ReadAt};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::door::{connect, settled};
use crate::file_state::companion;
use crate::plain_file;
use crate::salvaged::FileBytes;

/// How the names of our folders begin.
const PREFIX: &str = "backscroll-copy-";

/// What the copy is called in it.
const NAME: &str = "state.vscdb";

/// A younger folder may belong to a process that is just making it.
const JUST_MADE: Duration = Duration::from_secs(60);

/// The database at `path`, rolled back in a copy. Where open files cannot be removed, also the folder that holds it.
pub(crate) fn rolled_back_copy(path: &Path) -> io::Result<(rusqlite::Result<Connection>, Option<TempDir>)> {
    let beneath = tempfile::env::temp_dir();
    remove_left_over(&beneath);
    let folder = temporary_folder(&beneath, PREFIX)?;
    let own = OwnFolder::private(folder.path())?;
    let copy = folder.path().join(NAME);
    let mut content = own.create(NAME)?;
    let connection = match connect(&copy, "mode=rw") {
        Ok(connection) => connection,
        Err(error) => return Ok((Err(error), None)),
    };
    let folder = if cfg!(unix) {
        own.remove(NAME)?;
        folder.close()?;
        None
    } else {
        Some(folder)
    };
    io::copy(&mut plain_file::open(path)?, &mut content)?;
    roll_back(&mut content, &FileBytes::open(&companion(path, "-journal"))?)?;
    // SQLite's own locks of a file end when any other handle to it is closed.
    drop(content);
    Ok((settled(connection), folder))
}

/// Undoes in a copy of a database what its journal has the old pages of.
fn roll_back(copy: &mut File, journal: &dyn ReadAt) -> io::Result<()> {
    // SQLite does not roll back a database without any page.
    let Some([first, second]) = bytes_at(copy, 16) else { return Ok(()) };
    let page_size = match u16::from_be_bytes([first, second]) {
        1 => 0x1_0000,
        stated => usize::from(stated),
    };
    if let Some(journal) = Journal::read(journal, Some(page_size)) {
        copy.set_len(journal.size())?;
        journal.restore(|offset, page| {
            copy.seek(SeekFrom::Start(offset))?;
            copy.write_all(page)
        })?;
    }
    // The header says that there is a log. The copy has none, and SQLite would make one beside a file that has no name.
    if bytes_at(copy, 18) == Some([2, 2]) {
        copy.seek(SeekFrom::Start(18))?;
        copy.write_all(&[1, 1])?;
    }
    Ok(())
}

/// Two bytes of the header of a database.
fn bytes_at(file: &mut File, offset: u64) -> Option<[u8; 2]> {
    let mut bytes = [0; 2];
    file.seek(SeekFrom::Start(offset)).ok()?;
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

/// Removes what earlier processes left. Links and the folders of other users stay, as do folders that hold anything else.
fn remove_left_over(beneath: &Path) {
    let Ok(beneath) = OwnFolder::open(beneath) else { return };
    for folder in beneath.names().iter().filter(|name| name.starts_with(PREFIX)) {
        let place = beneath.place().join(folder);
        let own = OwnFolder::find_private(&place).ok().flatten();
        let Some(own) = own.filter(|own| is_left_over(&place) && holds_only_a_copy(own)) else { continue };
        // The last one is that of the folder itself.
        for file in own.names().iter().map(String::as_str).chain([NAME]) {
            // What cannot be removed does no harm.
            let _ = beneath.remove(Path::new(folder).join(file));
        }
    }
}

/// Whether nothing is in the folder but what we and SQLite put there. Where open files can be removed, the copy itself never has content.
fn holds_only_a_copy(folder: &OwnFolder) -> bool {
    let is_ours = |name: &String| {
        name.strip_prefix(NAME).is_some_and(|ending| ["", "-journal", "-wal", "-shm"].contains(&ending))
    };
    folder.names().iter().all(is_ours) && (!cfg!(unix) || folder.read(NAME, 0).is_ok())
}

fn is_left_over(folder: &Path) -> bool {
    let modified = fs::metadata(folder).and_then(|data| data.modified());
    modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > JUST_MADE))
}
