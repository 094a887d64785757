//! What the shared memory beside a log says of the log: how many of its frames were committed.
//!
//! To close a file drops every lock that this process has on it, also those of SQLite, and a reader without its lock may be handed
//! pages of two states. So the file stays open as long as anybody in this process knows its database: they share one.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use backscroll_model::locked;

use crate::file_state::{companion, stamp};
use crate::plain_file;

/// The files that are open, by their identity.
static OPENED: Mutex<BTreeMap<(u64, u64), Weak<File>>> = Mutex::new(BTreeMap::new());

/// The shared memory of one database.
#[derive(Debug, Default)]
pub(crate) struct SharedMemory {
    kept: Option<Arc<File>>,
}

/// The first word of the header of a log's index. SQLite writes it in the order of bytes of its machine.
const VERSION: u32 = 3_007_000;
/// The header stands there twice.
const HEADER: usize = 48;
/// Where the number of frames stands that are in the database already.
const BACKFILLED: usize = 2 * HEADER;
/// How long a log without any frame is.
pub(crate) const LOG_HEADER: u64 = 32;
const FRAME_HEADER: u64 = 24;

impl SharedMemory {
    /// How many committed frames are missing at the end of the log of the database at `path`, or are not of this log. Looks twice:
    /// somebody may just be emptying the log.
    pub(crate) fn missing_frames(&mut self, path: &Path) -> Option<u32> {
        let missing = self.look(path)?;
        std::thread::sleep(Duration::from_millis(50));
        self.look(path).filter(|now| *now == missing)
    }

    fn look(&mut self, path: &Path) -> Option<u32> {
        let Header { page_size, frames, salt } = Header::parse(&self.beginning(&companion(path, "-shm"))?)?;
        let log = companion(path, "-wal");
        let length = fs::metadata(&log).ok().filter(fs::Metadata::is_file)?.len();
        let (header, _) = plain_file::beginning(&log, LOG_HEADER).ok()?;
        // A log with another salt is another one than the index was made of.
        if header.get(16..24).is_some_and(|of_log| of_log != salt) {
            return None;
        }
        let there = length.saturating_sub(LOG_HEADER) / (page_size + FRAME_HEADER);
        let missing = u64::from(frames).saturating_sub(there);
        if missing > 0 {
            return u32::try_from(missing).ok();
        }
        let last = LOG_HEADER + u64::from(frames - 1) * (page_size + FRAME_HEADER);
        let mut of_last = [0; 8];
        let mut log = plain_file::open(&log).ok()?;
        log.seek(SeekFrom::Start(last + 8)).ok()?;
        log.read_exact(&mut of_last).ok()?;
        (of_last != salt).then_some(1)
    }

    /// The beginning of the file at `path`.
    fn beginning(&mut self, path: &Path) -> Option<[u8; BACKFILLED + 4]> {
        let identity = stamp(path)?.identity?;
        let mut opened = locked(&OPENED);
        let file = if let Some(file) = opened.get(&identity).and_then(Weak::upgrade) {
            file
        } else {
            let file = Arc::new(plain_file::open(path).ok()?);
            opened.retain(|_, file| file.strong_count() > 0);
            opened.insert(identity, Arc::downgrade(&file));
            file
        };
        // The lock of all files is held: others read this one, too.
        let (mut bytes, mut file) = ([0; BACKFILLED + 4], &**self.kept.insert(file));
        file.seek(SeekFrom::Start(0)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }
}

/// What the header says.
#[derive(Debug, PartialEq, Eq)]
struct Header {
    page_size: u64,
    frames: u32,
    salt: [u8; 8],
}

impl Header {
    /// The header in `bytes`; `None` if there is none, or all frames are in the database already.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let (one, other) = (bytes.get(..HEADER)?, bytes.get(HEADER..2 * HEADER)?);
        let version: [u8; 4] = *one.first_chunk()?;
        let is_little = u32::from_le_bytes(version) == VERSION;
        // The two differ while it is written.
        if one != other || !(is_little || u32::from_be_bytes(version) == VERSION) {
            return None;
        }
        let word = |at: usize| {
            let word: [u8; 4] = *bytes.get(at..)?.first_chunk()?;
            Some(if is_little { u32::from_le_bytes(word) } else { u32::from_be_bytes(word) })
        };
        let size: [u8; 2] = *one.get(14..)?.first_chunk()?;
        let size = if is_little { u16::from_le_bytes(size) } else { u16::from_be_bytes(size) };
        let page_size = if size == 1 { 65536 } else { u64::from(size) };
        let (frames, backfilled) = (word(16)?, word(BACKFILLED)?);
        let is_needed = page_size >= 512 && backfilled < frames;
        is_needed.then_some(Self { page_size, frames, salt: *one.get(32..)?.first_chunk()? })
    }
}
