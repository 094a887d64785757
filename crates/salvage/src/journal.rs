//! The rollback journal: pages as they were before a transaction that was not finished.
//!
//! A journal is a header and records behind it, then perhaps another header at the next sector, and so on. A record holds the
//! number of a page, its old content and a checksum over a few of its bytes. As in SQLite, the first record that does not
//! fit its checksum is the end: it was being written when the writer stopped, so its page was not yet changed. The name of a
//! journal of several databases, which may stand at the end, is not looked at.

use crate::bytes::{ReadAt, read_exact, u32_at};
use crate::log::is_page_size;

/// How a journal and each header in it begin.
const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
/// What is read of a header. The rest of its sector is empty.
const HEADER: usize = 28;
/// In place of a number of records: all up to the end of the file.
const UP_TO_THE_END: u32 = u32::MAX;
/// The page with this byte holds locks and is never stored.
const LOCK_BYTE: u64 = 0x4000_0000;

/// A rollback journal that was not finished.
pub struct Journal<'a> {
    bytes: &'a dyn ReadAt,
    page_size: usize,
    sector: u64,
    /// The size of the database before the transaction, in pages.
    pages: u32,
}

impl std::fmt::Debug for Journal<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Journal of {} pages of {} bytes", self.pages, self.page_size)
    }
}

impl<'a> Journal<'a> {
    /// The journal in `bytes` of a database with pages of `page_size` bytes, where that is known; `None` if it has no sound header.
    pub fn read(bytes: &'a dyn ReadAt, page_size: Option<usize>) -> Option<Self> {
        let header = header_at(bytes, 0)?;
        let sector = u32_at(&header, 20)?;
        let stated = usize::try_from(u32_at(&header, 24)?).ok()?;
        let page_size = if stated == 0 { page_size? } else { stated };
        let is_sound =
            is_page_size(page_size) && (32..=0x1_0000).contains(&sector) && sector.is_power_of_two();
        (is_sound && u64::from(sector) <= bytes.size()).then_some(Self {
            bytes,
            page_size,
            sector: sector.into(),
            pages: u32_at(&header, 16)?,
        })
    }

    /// The size of the database before the transaction, in bytes.
    pub fn size(&self) -> u64 {
        u64::from(self.pages) * self.page_size as u64
    }

    /// Hands every old page to `put`, with its place in the database, until `put` fails.
    pub fn restore<E>(&self, mut put: impl FnMut(u64, &[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut offset = 0;
        while let Some(header) = header_at(self.bytes, offset) {
            let (Some(mut count), Some(nonce)) = (u32_at(&header, 8), u32_at(&header, 12)) else { break };
            offset += self.sector;
            if count == UP_TO_THE_END {
                let records = self.bytes.size().saturating_sub(offset) / self.record() as u64;
                count = u32::try_from(records).unwrap_or(u32::MAX);
            }
            for _ in 0..count {
                let Some((page, content)) = self.record_at(offset, nonce) else { return Ok(()) };
                if page <= self.pages {
                    put(u64::from(page - 1) * self.page_size as u64, &content)?;
                }
                offset += self.record() as u64;
            }
            offset = offset.next_multiple_of(self.sector);
        }
        Ok(())
    }

    /// The bytes of a record.
    fn record(&self) -> usize {
        self.page_size + 8
    }

    /// The page that a sound record holds, and its content.
    fn record_at(&self, offset: u64, nonce: u32) -> Option<(u32, Vec<u8>)> {
        let record = read_exact(self.bytes, offset, self.record())?;
        let (page, sum) = (u32_at(&record, 0)?, u32_at(&record, 4 + self.page_size)?);
        let content = record.get(4..4 + self.page_size)?;
        // Every two hundredth byte, counted from the end.
        let counted = content.iter().rev().skip(199).step_by(200);
        let expected = counted.fold(nonce, |sum, byte| sum.wrapping_add(u32::from(*byte)));
        let is_lock_page = u64::from(page) == LOCK_BYTE / self.page_size as u64 + 1;
        (page > 0 && !is_lock_page && sum == expected).then(|| (page, content.to_vec()))
    }
}

/// The header at `offset`, if there is one.
fn header_at(bytes: &dyn ReadAt, offset: u64) -> Option<Vec<u8>> {
    read_exact(bytes, offset, HEADER).filter(|header| header.starts_with(&MAGIC))
}
