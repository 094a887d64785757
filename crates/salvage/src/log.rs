//! The write-ahead log: which frames are valid, and which page each of them holds.
//!
//! Every frame carries the log's salt and a checksum that continues the one before. SQLite stops at the first frame
//! that does not fit. We also read on behind it: a frame that continues the checksum *written* in its predecessor is as
//! valid as any. What stands behind the last commit was never committed and does not count.

use std::collections::HashMap;

use crate::bytes::{ReadAt, read_exact, u32_at};

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// The first word of a log; its last bit says in which byte order checksums are computed.
const MAGIC: u32 = 0x377f_0682;

/// What is wrong with a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogTrouble {
    /// It is shorter than a header.
    Short,
    /// Its header does not fit its own checksum.
    Header,
    /// It ends in the middle of a frame.
    Torn,
    /// Frames do not fit their checksum, although valid ones follow.
    Frames {
        /// How many.
        count: u32,
    },
    /// A commit behind the last sound one carries the log's salt and does not fit its checksum.
    Tail {
        /// The number of frames behind the last sound commit that do not fit.
        count: u32,
    },
    /// Nothing in it is valid.
    Nothing,
}

/// What a log holds.
#[derive(Debug, Default)]
pub struct Log {
    /// Where the newest committed content of each page lies.
    pages: HashMap<u32, u64>,
    page_size: usize,
    /// The size of the database in pages after the last commit.
    count: Option<u32>,
    troubles: Vec<LogTrouble>,
}

/// How checksums of one log are computed, and with what they begin.
#[derive(Debug, Clone, Copy)]
struct Start {
    page_size: usize,
    is_big_endian: bool,
    salt: [u8; 8],
    sum: (u32, u32),
}

impl Log {
    /// Reads the log in `bytes` of a database with pages of `page_size` bytes, where that is known.
    pub fn read(bytes: &dyn ReadAt, page_size: Option<usize>) -> Self {
        let mut log = Self::default();
        if bytes.size() == 0 {
            return log;
        }
        let Some(header) = read_exact(bytes, 0, HEADER) else {
            log.troubles.push(LogTrouble::Short);
            return log;
        };
        let mut start = sound_start(&header);
        if start.is_none() {
            log.troubles.push(LogTrouble::Header);
            start = guessed_start(&header, bytes, page_size);
        }
        let Some(start) = start else { return log };
        log.page_size = start.page_size;
        log.read_frames(bytes, start);
        let rest = (bytes.size() - HEADER as u64) % (start.page_size + FRAME_HEADER) as u64;
        if rest != 0 {
            log.troubles.push(LogTrouble::Torn);
        }
        if log.count.is_none() && !log.troubles.is_empty() {
            log.troubles.push(LogTrouble::Nothing);
        }
        log
    }

    fn read_frames(&mut self, bytes: &dyn ReadAt, start: Start) {
        let mut sum = start.sum;
        // Frames of the transaction that is being read, and frames that do not fit, since the last commit.
        let (mut open, mut unfit): (Vec<(u32, u64)>, u32) = (Vec::new(), 0);
        let (mut damaged, mut tail, mut has_bad_commit) = (0, 0, false);
        let mut offset = HEADER as u64;
        let length = start.page_size + FRAME_HEADER;
        while let Some(frame) = read_exact(bytes, offset, length) {
            let (Some(page), Some(size)) = (u32_at(&frame, 0), u32_at(&frame, 4)) else { break };
            let at = offset + FRAME_HEADER as u64;
            offset += length as u64;
            if frame.get(8..16) != Some(&start.salt[..]) || page == 0 {
                // Another salt: a frame of an earlier use of this log, or one whose header is damaged.
                unfit += 1;
                if unfit > MOST_UNFIT {
                    break;
                }
                sum = stored_sum(&frame, 16);
                continue;
            }
            let expected = checksum(checksum(sum, &frame[..8], start), &frame[FRAME_HEADER..], start);
            sum = stored_sum(&frame, 16);
            unfit += u32::from(expected != sum);
            tail += u32::from(expected != sum);
            has_bad_commit |= expected != sum && size > 0;
            open.push((page, at));
            if size > 0 && expected == sum {
                self.pages.extend(open.drain(..));
                self.count = Some(size);
                damaged += std::mem::take(&mut unfit);
                (tail, has_bad_commit) = (0, false);
            }
        }
        if damaged > 0 {
            self.troubles.push(LogTrouble::Frames { count: damaged });
        }
        // A writer that rewrites a page of its open transaction leaves old checksums until it commits.
        if has_bad_commit {
            self.troubles.push(LogTrouble::Tail { count: tail });
        }
    }

    /// How long its pages are; 0 if it holds none.
    pub fn page_size(&self) -> usize {
        self.page_size
    }

    /// The size of the database in pages after the last commit, if there was any.
    pub fn count(&self) -> Option<u32> {
        self.count
    }

    /// What is wrong with it.
    pub fn troubles(&self) -> &[LogTrouble] {
        &self.troubles
    }

    /// Where the newest committed content of a page lies.
    pub(crate) fn place(&self, page: u32) -> Option<u64> {
        self.pages.get(&page).copied()
    }

    /// The highest page that it adds to a file, or has of it.
    pub(crate) fn highest(&self, pages_in_file: u32) -> u32 {
        // A log can only add pages that it holds. A larger number is damage, and must not be taken for the size of the file.
        let most = pages_in_file.saturating_add(u32::try_from(self.pages.len()).unwrap_or(u32::MAX));
        self.pages.keys().copied().filter(|page| *page <= most).max().unwrap_or_default()
    }
}

/// After this many frames in a row that do not fit, the rest is taken for what an earlier use of the log left.
const MOST_UNFIT: u32 = 8;

fn stored_sum(bytes: &[u8], at: usize) -> (u32, u32) {
    (u32_at(bytes, at).unwrap_or_default(), u32_at(bytes, at + 4).unwrap_or_default())
}

fn sound_start(header: &[u8]) -> Option<Start> {
    let magic = u32_at(header, 0)?;
    let mut start = start_of(header, magic & 1 == 1)?;
    start.page_size = usize::try_from(u32_at(header, 8)?).ok().filter(|size| is_page_size(*size))?;
    (magic & !1 == MAGIC && start.sum == stored_sum(header, 24)).then_some(start)
}

/// The salt of a header, and the sum that it should have.
fn start_of(header: &[u8], is_big_endian: bool) -> Option<Start> {
    let salt = *header.get(16..)?.first_chunk()?;
    let start = Start { page_size: 0, is_big_endian, salt, sum: (0, 0) };
    Some(Start { sum: checksum((0, 0), header.get(..24)?, start), ..start })
}

/// What a damaged header must have said, judged by the first frame.
fn guessed_start(header: &[u8], bytes: &dyn ReadAt, page_size: Option<usize>) -> Option<Start> {
    let stated = u32_at(header, 8).and_then(|size| usize::try_from(size).ok());
    for page_size in [page_size, stated].into_iter().flatten().filter(|size| is_page_size(*size)) {
        let Some(frame) = read_exact(bytes, HEADER as u64, page_size + FRAME_HEADER) else { continue };
        for is_big_endian in [false, true] {
            let computed = start_of(header, is_big_endian)?;
            for sum in [stored_sum(header, 24), computed.sum] {
                let salt = *frame.get(8..)?.first_chunk()?;
                let start = Start { page_size, is_big_endian, salt, sum };
                let expected = checksum(checksum(sum, &frame[..8], start), &frame[FRAME_HEADER..], start);
                if expected == stored_sum(&frame, 16) {
                    return Some(start);
                }
            }
        }
    }
    None
}

pub(crate) fn is_page_size(size: usize) -> bool {
    (512..=65536).contains(&size) && size.is_power_of_two()
}

fn checksum(sum: (u32, u32), bytes: &[u8], start: Start) -> (u32, u32) {
    let word = if start.is_big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
    bytes.as_chunks::<8>().0.iter().fold(sum, |(first, second), pair| {
        let (one, two) = pair.as_chunks::<4>().0.split_at(1);
        let first = first.wrapping_add(word(one[0])).wrapping_add(second);
        (first, second.wrapping_add(word(two[0])).wrapping_add(first))
    })
}
