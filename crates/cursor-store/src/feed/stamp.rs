//! What files look like from outside, as one number: another number, and somebody wrote to them.
//!
//! Times alone are not trusted: two writes may fall into one tick of the clock. A database tells how often it was
//! changed, and its log ends in a checksum of everything in it.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::feed::fingerprint;
use crate::file_state::companion;
use crate::folder_listing::children;

/// The stamp of what is not there.
pub(crate) const ABSENT: u64 = 0;

/// The stamp of a file: which one it is, how long, and when it was last written or put in its place.
pub(crate) fn file(path: &Path) -> u64 {
    let Ok(metadata) = fs::metadata(path) else { return ABSENT };
    #[cfg(unix)]
    let identity = {
        use std::os::unix::fs::MetadataExt;
        (metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
    };
    #[cfg(not(unix))]
    let identity = metadata.created().ok();
    fingerprint::of(&(metadata.len(), metadata.modified().ok(), identity))
}

/// Which file stands at `path`, where the system tells.
pub(crate) fn identity(path: &Path) -> u64 {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).map_or(ABSENT, |metadata| fingerprint::of(&(metadata.dev(), metadata.ino())))
    }
    #[cfg(not(unix))]
    {
        fs::metadata(path).map_or(ABSENT, |metadata| fingerprint::of(&metadata.created().ok()))
    }
}

/// The stamp of a database with its companions. Nothing is opened that SQLite has locks on for long: two short reads.
pub(crate) fn database(path: &Path) -> u64 {
    // Companions lie beside the file itself, not beside a link to it.
    let real = if path.is_symlink() { fs::canonicalize(path).ok() } else { None };
    let path = real.as_deref().unwrap_or(path);
    let main = file(path);
    if main == ABSENT {
        return ABSENT;
    }
    let log = companion(path, "-wal");
    let log = (written(&log), log_tail(&log));
    fingerprint::of(&(main, change_counter(path), log, written(&companion(path, "-journal"))))
}

/// The same of a companion, without the time at which it was put in its place: SQLite gives it to the owner of the
/// database whenever the system's administrator opens it, which counts as such.
fn written(path: &Path) -> Option<(u64, Option<SystemTime>)> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()))
}

/// The stamp of everything in a folder, but not of what is in folders in it.
pub(crate) fn folder(path: &Path) -> u64 {
    let stamps: Vec<(PathBuf, u64)> = children(path)
        .into_iter()
        .map(|child| {
            let stamp = file(&child);
            (child, stamp)
        })
        .collect();
    fingerprint::of(&stamps)
}

/// How often a database was changed, as its header counts.
fn change_counter(path: &Path) -> Option<[u8; 4]> {
    let mut header = [0; 28];
    File::open(path).ok()?.read_exact(&mut header).ok()?;
    header.last_chunk().copied()
}

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// The header's salt, the number of frames that carry it, and the last one's checksum.
pub(crate) fn log_tail(log: &Path) -> Option<([u8; 8], u64, [u8; 8])> {
    let mut file = File::open(log).ok()?;
    let mut header = [0_u8; HEADER];
    file.read_exact(&mut header).ok()?;
    let page = u64::from(u32::from_be_bytes(*header[8..].first_chunk()?));
    let salt: [u8; 8] = *header[16..].first_chunk()?;
    let frames = file.metadata().ok()?.len().saturating_sub(HEADER as u64) / (page + FRAME_HEADER as u64);
    let mut frame = |number: u64| -> io::Result<([u8; 8], [u8; 8])> {
        let mut bytes = [0_u8; FRAME_HEADER];
        file.seek(SeekFrom::Start(HEADER as u64 + number * (page + FRAME_HEADER as u64)))?;
        file.read_exact(&mut bytes)?;
        let [salt, sum] = [8, 16].map(|at| bytes[at..].first_chunk().copied().unwrap_or_default());
        Ok((salt, sum))
    };
    let (mut known, mut beyond) = (0, frames);
    while known < beyond {
        let middle = known + (beyond - known) / 2;
        if frame(middle).ok()?.0 == salt { known = middle + 1 } else { beyond = middle }
    }
    let sum = known.checked_sub(1).and_then(|last| frame(last).ok()).map_or([0; 8], |(_, sum)| sum);
    Some((salt, known, sum))
}
