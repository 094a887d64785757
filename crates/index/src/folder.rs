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
//! The folder is ours alone. What lies in the place of one of its files and is no file, such as a folder or a pipe, is removed.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use crate::IndexError;

/// The file that names the current one.
const CURRENT: &str = "current";

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
            let _ = self.folder.write_current(name, &seal(&self.folder.path.join(name)));
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
        make_private(&self.path).map_err(|error| IndexError::files(&self.path, error))
    }

    /// The current file, if there is one that is as its last writer left it.
    pub(crate) fn current(&self) -> Option<PathBuf> {
        // A writer may begin or end between the two looks.
        (0..3).find_map(|_| {
            let named = self.named()?;
            let (name, sealed) = split(&named)?;
            let file = self.path.join(name);
            (file.is_file() && (sealed == OPEN || sealed == seal(&file))).then_some(file)
        })
    }

    /// Forgets the current file, so that the next refresh makes another one.
    pub(crate) fn discard(&self) {
        remove(&self.path.join(CURRENT));
    }

    /// What `current` says.
    fn named(&self) -> Option<String> {
        let path = self.path.join(CURRENT);
        if !fs::metadata(&path).is_ok_and(|data| data.is_file()) {
            return None;
        }
        let mut named = String::new();
        File::open(path).ok()?.take(LONGEST).read_to_string(&mut named).ok()?;
        Some(named)
    }

    fn write_current(&self, name: &str, seal: &str) -> io::Result<()> {
        let (current, beside) = (self.path.join(CURRENT), self.path.join("current.new"));
        remove_odd(&beside);
        remove_odd(&current);
        fs::write(&beside, format!("{name}\n{seal}\n"))?;
        fs::rename(&beside, current)
    }

    /// A file that is not there yet.
    pub(crate) fn next(&self) -> PathBuf {
        let last = self.files().iter().filter_map(|path| number_of(path.file_name()?.to_str()?)).max();
        self.path.join(format!("{BEGINS}{}{ENDS}", last.unwrap_or(0) + 1))
    }

    /// Makes `file` the current one, and removes the others: for the holder of the lock. What is quickly made again need not be safe on the disk first.
    pub(crate) fn make_current(&self, file: &Path, is_synced: bool) -> Result<(), IndexError> {
        let failed = |error| IndexError::files(file, error);
        if is_synced {
            File::open(file).and_then(|file| file.sync_all()).map_err(failed)?;
        }
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        self.write_current(&name, OPEN).map_err(failed)?;
        self.remove_others(file);
        Ok(())
    }

    /// Removes what earlier builds left. Where somebody still reads such a file, the next build removes it.
    pub(crate) fn remove_others(&self, file: &Path) {
        let kept = file.as_os_str().as_encoded_bytes();
        for other in self.files() {
            if !other.as_os_str().as_encoded_bytes().starts_with(kept) {
                remove(&other);
            }
        }
    }

    /// The bytes that all its files take.
    pub(crate) fn bytes(&self) -> u64 {
        self.files().iter().filter_map(|path| fs::metadata(path).ok()).map(|data| data.len()).sum()
    }

    /// The right to write; `None` if somebody else still has it after `patience`.
    pub(crate) fn lock(&self, patience: Duration) -> Result<Option<WriteLock>, IndexError> {
        let path = self.path.join("lock");
        let failed = |error| IndexError::files(&path, error);
        remove_odd(&path);
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) if began.elapsed() >= patience => return Ok(None),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            }
        }
        if let Some(name) = self.current().as_deref().and_then(Path::file_name) {
            self.write_current(&name.to_string_lossy(), OPEN).map_err(failed)?;
        }
        Ok(Some(WriteLock { folder: self.clone(), _file: file }))
    }

    /// Databases of the index with all that SQLite puts beside them.
    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().filter_map(Result::ok);
        let is_ours = |path: &PathBuf| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(BEGINS))
        };
        entries.map(|entry| entry.path()).filter(is_ours).collect()
    }
}

/// Removes what lies at `path` if it is there and neither a file nor a link to one.
fn remove_odd(path: &Path) {
    if path.symlink_metadata().is_ok() && !path.is_file() {
        remove(path);
    }
}

/// Removes a file or a folder. What cannot be removed shows when something else is put in its place.
fn remove(path: &Path) {
    if path.symlink_metadata().is_ok_and(|data| data.is_dir()) {
        let _ = fs::remove_dir_all(path);
    } else {
        let _ = fs::remove_file(path);
    }
}

/// Name and seal, as `current` has them.
fn split(named: &str) -> Option<(&str, &str)> {
    named.strip_suffix('\n')?.split_once('\n').filter(|(name, _)| number_of(name).is_some())
}

/// Size and time of a file and of its log. A log without content may come and go with readers.
fn seal(file: &Path) -> String {
    let of = |path: &Path| match fs::metadata(path) {
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

#[cfg(unix)]
fn make_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::set_permissions(path, fs::Permissions::from_mode(0o700))
        }
        made => made,
    }
}

/// A user's cache folder is private on other systems by inheritance.
#[cfg(not(unix))]
fn make_private(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}
