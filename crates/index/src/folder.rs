//! The index's own folder: which file is the current one, who may write, and what is left over from earlier.
//!
//! A first build writes a file of its own, which becomes the current one only when it is complete: the file `current` names it, and
//! is replaced at once. So nobody ever sees half an index, and those who still read the old one may finish. The file `lock` is
//! locked by the writer; the system unlocks it when that process dies.
//!
//! `current` also has a seal: size and time of the file and of its log as the last writer left them. A file that differs from its
//! seal was changed by something else, and is not believed: it is made anew. That costs two calls of `stat`, where checking every
//! byte would cost a reading of the whole index. While somebody writes, and after a writer was killed, the seal is open: then SQLite's
//! log keeps the file whole. Bytes that change without a change of size or time, as on a failing disk, are noticed only where
//! they break something.
//!
//! The folder is ours alone: a link in its place, or a folder of another user, is an error. What lies in the place of one of its
//! files and is no file, such as a pipe, is removed. What SQLite opens lies at the folder's real path and is no link.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use backscroll_own_files::OwnFolder;

use crate::IndexError;

/// The file that names the current one.
const CURRENT: &str = "current";

/// The file that the writer locks.
const LOCK: &str = "lock";

/// Stands for the seal while somebody writes.
const OPEN: &str = "open";

/// How the files of the index begin and end.
const BEGINS: &str = "index-";
const ENDS: &str = ".db";

/// `current` is shorter than this. No more of it is read.
const LONGEST: u64 = 1024;

/// How long to wait between two tries to write.
const PAUSE: Duration = Duration::from_millis(20);

/// A folder that belongs to the index.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    path: PathBuf,
}

/// Nobody else writes as long as this lives. Connections must be closed before it ends, because then the file is sealed.
#[derive(Debug)]
pub(crate) struct WriteLock {
    folder: Folder,
    _file: File,
}

impl Drop for WriteLock {
    fn drop(&mut self) {
        if let Some((name, OPEN)) = self.folder.named().as_deref().and_then(split) {
            // Where this fails the seal stays open, and the index is used as after a kill.
            let _ = self.folder.write_current(name, &seal(&self.folder.file(name)));
        }
    }
}

impl Folder {
    /// The folder at `path`, which need not be there.
    pub(crate) fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the folder, readable by its user alone: it holds words of private conversations.
    pub(crate) fn make(&self) -> Result<(), IndexError> {
        OwnFolder::private(&self.path).map(drop).map_err(|error| IndexError::files(&self.path, error))
    }

    /// The folder, open.
    fn open(&self) -> io::Result<OwnFolder> {
        OwnFolder::find_private(&self.path)?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Where the file `name` is, by a path without links.
    fn file(&self, name: &str) -> PathBuf {
        let real = || Some(self.path.parent()?.canonicalize().ok()?.join(self.path.file_name()?));
        real().unwrap_or_else(|| self.path.clone()).join(name)
    }

    /// The current file, if there is one that is as its last writer left it.
    pub(crate) fn current(&self) -> Option<PathBuf> {
        // A writer may begin or end between the two looks.
        (0..3).find_map(|_| {
            let named = self.named()?;
            let (name, sealed) = split(&named)?;
            let file = self.file(name);
            (is_file(&file) && (sealed == OPEN || sealed == seal(&file))).then_some(file)
        })
    }

    /// Forgets the current file, so that the next refresh makes another one.
    pub(crate) fn discard(&self) {
        self.remove_all(|name| name == CURRENT);
    }

    /// Removes the index.
    pub(crate) fn remove_index(&self) {
        self.remove_all(|name| name == CURRENT || name.starts_with(BEGINS));
    }

    /// What `current` says.
    fn named(&self) -> Option<String> {
        String::from_utf8(self.open().ok()?.read(CURRENT, LONGEST).ok()??).ok()
    }

    fn write_current(&self, name: &str, seal: &str) -> io::Result<()> {
        let folder = self.open()?;
        folder.clear(CURRENT)?;
        folder.write(CURRENT, format!("{name}\n{seal}\n").as_bytes())
    }

    /// Makes a file that was not there, empty.
    pub(crate) fn begin(&self) -> Result<PathBuf, IndexError> {
        let failed = |error| IndexError::files(&self.path, error);
        let folder = self.open().map_err(failed)?;
        let mut number = folder.names().iter().filter_map(|name| number_of(name)).max().unwrap_or(0);
        loop {
            number = number.saturating_add(1);
            let name = format!("{BEGINS}{number}{ENDS}");
            match folder.create(&name) {
                // Another process was first, whose lock was deleted.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < u64::MAX => {}
                made => return made.map(|_| self.file(&name)).map_err(failed),
            }
        }
    }

    /// An error if less room is left on the disk than `file` takes: a cache must not take the last of it.
    pub(crate) fn check_room(&self, file: &Path) -> Result<(), IndexError> {
        let room = self.open().ok().and_then(|folder| folder.room());
        let bytes = fs::symlink_metadata(file).map_or(0, |data| data.len());
        if room.is_none_or(|room| room >= bytes) {
            return Ok(());
        }
        Err(IndexError::files(
            &self.path,
            io::Error::new(io::ErrorKind::StorageFull, "the disk is nearly full"),
        ))
    }

    /// Makes `file` the current one, and removes the others: for the holder of the lock. What is quickly made again need not be safe on the disk first.
    pub(crate) fn make_current(&self, file: &Path, is_synced: bool) -> Result<(), IndexError> {
        let failed = |error| IndexError::files(file, error);
        if is_synced {
            File::open(file).and_then(|file| file.sync_all()).map_err(failed)?;
        }
        self.write_current(name_of(file), OPEN).map_err(failed)?;
        self.remove_others(file);
        Ok(())
    }

    /// Removes what earlier builds left. Where somebody still reads such a file, the next build removes it.
    pub(crate) fn remove_others(&self, file: &Path) {
        let kept = name_of(file);
        self.remove_all(|name| name.starts_with(BEGINS) && !name.starts_with(kept));
    }

    /// Removes a file that was not finished, with what SQLite put beside it.
    pub(crate) fn remove_unfinished(&self, file: &Path) {
        let name_of_file = name_of(file);
        self.remove_all(|name| name.starts_with(name_of_file));
    }

    /// Removes these files. What cannot be removed shows when something else is put in its place.
    fn remove_all(&self, is_wanted: impl Fn(&str) -> bool) {
        let Ok(folder) = self.open() else { return };
        for name in folder.names().iter().filter(|name| is_wanted(name)) {
            let _ = folder.clear(name).and_then(|()| folder.remove(name));
        }
    }

    /// The bytes that all its files take.
    pub(crate) fn bytes(&self) -> u64 {
        let names = self.open().map(|folder| folder.names()).unwrap_or_default();
        let files = names.iter().filter(|name| name.starts_with(BEGINS));
        files.filter_map(|name| fs::symlink_metadata(self.file(name)).ok()).map(|data| data.len()).sum()
    }

    /// The right to write; `None` if somebody else still has it after `patience`.
    pub(crate) fn lock(&self, patience: Duration) -> Result<Option<WriteLock>, IndexError> {
        let path = self.path.join(LOCK);
        let failed = |error| IndexError::files(&path, error);
        let folder = self.open().map_err(failed)?;
        let file = folder.clear(LOCK).and_then(|()| folder.append(LOCK)).map_err(failed)?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) if began.elapsed() >= patience => return Ok(None),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            }
        }
        if let Some(file) = self.current() {
            self.write_current(name_of(&file), OPEN).map_err(failed)?;
        }
        Ok(Some(WriteLock { folder: self.clone(), _file: file }))
    }
}

fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| data.is_file())
}

/// The name of a file of the index, all of which are text.
fn name_of(file: &Path) -> &str {
    file.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Name and seal, as `current` has them.
fn split(named: &str) -> Option<(&str, &str)> {
    let is_file =
        |name: &str| number_of(name).is_some_and(|number| name == format!("{BEGINS}{number}{ENDS}"));
    named.strip_suffix('\n')?.split_once('\n').filter(|(name, _)| is_file(name))
}

/// Size and time of a file and of its log. A log without content may come and go with readers.
fn seal(file: &Path) -> String {
    let of = |path: &Path| match fs::symlink_metadata(path) {
        Ok(data) if data.is_file() && data.len() == 0 => "0".to_owned(),
        Ok(data) if data.is_file() => {
            let since = data.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
            format!("{} {}", data.len(), since.unwrap_or_default().as_nanos())
        }
        Ok(_) => "not a file".to_owned(),
        Err(_) => "0".to_owned(),
    };
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    format!("{}, {}", of(file), of(log.as_ref()))
}

/// The number in the name of a file of the index, or of one beside it.
fn number_of(name: &str) -> Option<u64> {
    name.strip_prefix(BEGINS)?.split('.').next()?.parse().ok()
}
