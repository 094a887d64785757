//! What a database file and its companions look like from outside: enough to choose a way in, and to see
//! afterwards whether anybody wrote meanwhile.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// One file's size, time and identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self { length: metadata.len(), modified: metadata.modified().ok() }
    }
}

/// A database and what stands beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileState {
    main: Stamp,
    /// The write-ahead log, if there is one with anything in it.
    log: Option<Stamp>,
    has_shared_memory: bool,
    /// A rollback journal that was not finished: the database may be half written.
    journal: Option<Stamp>,
    starts_as_database: bool,
}

/// How every SQLite file begins.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// How every rollback journal begins that was not finished.
const JOURNAL_MAGIC: &[u8; 8] = &[0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

impl FileState {
    /// Looks at the database at `path`.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let main = Stamp::of(&fs::metadata(path)?);
        let journal = companion(path, "-journal");
        Ok(Self {
            main,
            log: stamp(&companion(path, "-wal")),
            has_shared_memory: companion(path, "-shm").exists(),
            journal: stamp(&journal).filter(|_| begins_with(&journal, JOURNAL_MAGIC).unwrap_or(true)),
            starts_as_database: begins_with(path, MAGIC)?,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.main.length == 0
    }

    pub(crate) fn starts_as_database(&self) -> bool {
        self.starts_as_database
    }

    pub(crate) fn has_log(&self) -> bool {
        self.log.is_some()
    }

    pub(crate) fn has_shared_memory(&self) -> bool {
        self.has_shared_memory
    }

    pub(crate) fn has_unfinished_journal(&self) -> bool {
        self.journal.is_some()
    }
}

/// The file that SQLite keeps beside `path` under this ending.
pub(crate) fn companion(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// The stamp of a file that is there and holds anything.
fn stamp(path: &Path) -> Option<Stamp> {
    fs::metadata(path).ok().map(|metadata| Stamp::of(&metadata)).filter(|stamp| stamp.length > 0)
}

fn begins_with(path: &Path, magic: &[u8]) -> io::Result<bool> {
    let mut start = Vec::with_capacity(magic.len());
    File::open(path)?.take(magic.len() as u64).read_to_end(&mut start)?;
    Ok(start == magic)
}
