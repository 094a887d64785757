//! What a database file and its companions look like from outside: enough to choose a way in, and to see
//! afterwards whether anybody wrote meanwhile.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::plain_file;

/// One file's size, time and identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) length: u64,
    modified: Option<SystemTime>,
    /// Which file it is, where the system tells: one that was put in its place has another.
    pub(crate) identity: Option<(u64, u64)>,
}

impl Stamp {
    fn from_metadata(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            Some((metadata.dev(), metadata.ino()))
        };
        #[cfg(not(unix))]
        let identity = None;
        Self { length: metadata.len(), modified: metadata.modified().ok(), identity }
    }

    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

/// A database and what stands beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileState {
    pub(crate) main: Stamp,
    /// The write-ahead log, if there is one with anything in it.
    pub(crate) log: Option<Stamp>,
    pub(crate) has_shared_memory: bool,
    /// A rollback journal that was not finished: the database may be half written.
    pub(crate) journal: Option<Stamp>,
}

/// The endings of the files that SQLite opens beside a database.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// How every rollback journal begins that was not finished.
pub(crate) const JOURNAL_MAGIC: &[u8; 8] = &[0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

impl FileState {
    /// Looks at the database at `path`, without opening it: to close a file drops every lock that this process has
    /// on it, also those of connections in other threads.
    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        plain_file::check(path)?;
        let metadata = fs::metadata(path)?;
        let main = Stamp::from_metadata(&metadata);
        let journal = companion(path, "-journal");
        Ok(Self {
            main,
            log: stamp(&companion(path, "-wal")),
            has_shared_memory: companion(path, "-shm").is_file(),
            journal: stamp(&journal).filter(|_| begins_with(&journal, JOURNAL_MAGIC).unwrap_or(true)),
        })
    }
}

/// The file that SQLite keeps beside `path` under this ending.
pub(crate) fn companion(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Companions of the database at `path` that are there and are no files: SQLite might wait for a pipe without end. By
/// their ending, with what they are.
pub(crate) fn odd_companions(path: &Path) -> impl Iterator<Item = (&'static str, io::Error)> {
    COMPANIONS.into_iter().filter_map(move |ending| {
        let error = plain_file::check(&companion(path, ending)).err()?;
        (error.kind() != io::ErrorKind::NotFound).then_some((ending, error))
    })
}

/// The stamp of a file that is there and holds anything.
pub(crate) fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok().filter(Metadata::is_file)?;
    Some(Stamp::from_metadata(&metadata)).filter(|stamp| stamp.length > 0)
}

/// Whether the header of a database says that it is written through a log.
pub(crate) fn says_log(path: &Path) -> io::Result<bool> {
    Ok(plain_file::beginning(path, 20)?.0.get(18) == Some(&2))
}

fn begins_with(path: &Path, magic: &[u8]) -> io::Result<bool> {
    Ok(plain_file::beginning(path, magic.len() as u64)?.0 == magic)
}
