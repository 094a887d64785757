//! The index's own folder: which file is the current one, who may write, and what is left over from earlier.
//!
//! A first build writes a file of its own, which becomes the current one only when it is complete: the file `current` names it, and
//! is replaced at once. So nobody ever sees half an index, and those who still read the old one may finish. The file `lock` is
//! locked by the writer; the system unlocks it when that process dies.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::IndexError;

/// The file that names the current one.
const CURRENT: &str = "current";

/// How the files of the index begin and end.
const BEGINS: &str = "index-";
const ENDS: &str = ".db";

/// How long to wait between two tries to write.
const PAUSE: Duration = Duration::from_millis(20);

/// A folder that belongs to the index.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    path: PathBuf,
}

/// Nobody else writes as long as this lives.
#[derive(Debug)]
pub(crate) struct WriteLock {
    _file: File,
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

    /// The current file, if there is one.
    pub(crate) fn current(&self) -> Option<PathBuf> {
        let name = fs::read_to_string(self.path.join(CURRENT)).ok()?;
        let is_ours = number_of(&name).is_some();
        Some(self.path.join(name)).filter(|path| is_ours && path.is_file())
    }

    /// A file that is not there yet.
    pub(crate) fn next(&self) -> PathBuf {
        let last = self.files().iter().filter_map(|path| number_of(path.file_name()?.to_str()?)).max();
        self.path.join(format!("{BEGINS}{}{ENDS}", last.unwrap_or(0) + 1))
    }

    /// Makes `file` the current one, and removes the others. What is quickly made again need not be safe on the disk first.
    pub(crate) fn make_current(&self, file: &Path, is_synced: bool) -> Result<(), IndexError> {
        let failed = |error| IndexError::files(file, error);
        if is_synced {
            File::open(file).and_then(|file| file.sync_all()).map_err(failed)?;
        }
        let name = file.file_name().unwrap_or_default();
        let beside = self.path.join("current.new");
        fs::write(&beside, name.as_encoded_bytes()).map_err(failed)?;
        fs::rename(&beside, self.path.join(CURRENT)).map_err(failed)?;
        self.remove_others(file);
        Ok(())
    }

    /// Removes what earlier builds left. Where somebody still reads such a file, the next build removes it.
    pub(crate) fn remove_others(&self, file: &Path) {
        let kept = file.as_os_str().as_encoded_bytes();
        for other in self.files() {
            if !other.as_os_str().as_encoded_bytes().starts_with(kept) {
                let _ = fs::remove_file(other);
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
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(WriteLock { _file: file })),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) if began.elapsed() >= patience => return Ok(None),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            }
        }
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
