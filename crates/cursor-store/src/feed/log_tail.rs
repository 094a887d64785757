//! The end of a write-ahead log, which stands for all of it: each frame's checksum goes over all frames before.
//!
//! A log is written again from its beginning without becoming shorter, so neither its length nor, within one tick of
//! the clock, its time tells of every write. Frames of the present round carry the salt of the header; older ones
//! behind them do not. So the last frame is found by halving.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// The header's salt, the number of frames that carry it, and the last one's checksum.
pub(crate) fn read(log: &Path) -> Option<([u8; 8], u64, [u8; 8])> {
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
